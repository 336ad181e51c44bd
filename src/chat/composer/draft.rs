//! Keeps the text of a composer when the page is reloaded, if conversations are stored.

use leptos::prelude::*;

use super::context::SharedComposer;
use crate::ui::{PageLifecycle, effect, is_hidden};

/// Inserts the text that an earlier page of this tab has kept, and keeps the text of the box
/// whenever the page is hidden or unloaded, since a hidden page may be ended without an event. Does
/// nothing without a store.
pub(super) fn keep_text_across_reloads(composer: &SharedComposer) {
    let shared_composer = composer.clone();
    // The effect runs once, when the provider has begun to use its store.
    effect(move |_| {
        let persistence = shared_composer.assistant.runtime().persistence();
        let kept_text = persistence.and_then(|persistence| persistence.take_draft());
        untrack(|| kept_text.map(|text| restore_text(&shared_composer, text)));
    });
    let (assistant, handle) = (composer.assistant.clone(), composer.handle);
    let listener = PageLifecycle::listen(move |is_unloading| {
        let Some(persistence) = assistant.runtime().persistence() else {
            return;
        };
        if is_unloading || is_hidden() {
            persistence.keep_draft(&handle.current_text());
        } else {
            // The page is shown again, and its box has the text.
            persistence.take_draft();
        }
    });
    // The listener is removed when the composer is unmounted.
    StoredValue::new_local(listener);
}

/// Inserts a kept text before the text of the box. A kept text that begins with the text of the box
/// replaces it, because an application may set the same text on each page.
fn restore_text(composer: &SharedComposer, kept_text: String) {
    // A text that the application has set may not be in the box yet.
    let current_text = composer.handle.text();
    match kept_text.starts_with(current_text.trim_end()) {
        true => composer.handle.set_text(kept_text),
        false => {
            composer.handle.set_text(current_text);
            composer.prepend_text(kept_text);
        }
    }
}
