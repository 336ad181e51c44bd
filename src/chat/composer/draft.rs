//! Restores the unsent text of a composer after a reload, if the store is shared between tabs.

use std::mem;

use assistant_core::event::Content;
use leptos::prelude::*;

use super::context::SharedComposer;
use crate::ui::effect;

/// Inserts the text that an earlier page of this tab has stored, and stores each change of the text.
/// Does nothing without a shared store.
pub(super) fn restore_and_store_text(composer: &SharedComposer) {
    let composer = composer.clone();
    let initial_text = untrack(|| composer.handle.text());
    effect(move |has_changed: Option<bool>| {
        let text = composer.handle.text();
        // A text that the application has set before is not one of the user. The early composer of
        // the element may have passed a text on since then.
        let has_changed = has_changed.unwrap_or_default() || text != initial_text;
        // The provider sets its persistence after its children are created, and before effects run.
        let Some(persistence) = composer.assistant.runtime().persistence() else {
            // The application may set a store later.
            composer.assistant.conversations().ownership().track();
            return has_changed;
        };
        match persistence.take_draft() {
            // Changes the text, so the effect runs again.
            Some(draft) => insert_draft(&composer, draft),
            None if has_changed => persistence.store_draft(composer.handle.text_signal()),
            // The text of a composer that was removed is no longer stored.
            None => persistence.update_draft(),
        }
        has_changed
    });
}

/// Inserts the stored text before the text of the box. A stored text that begins or ends with the
/// text of the box replaces it, because an application may set the same text on each page.
fn insert_draft(composer: &SharedComposer, draft: String) {
    // A text that the application has set may not be in the box yet.
    let text = untrack(|| composer.handle.text());
    let text = text.trim_end();
    let contains_text = draft.starts_with(text) || draft.trim_end().ends_with(text);
    composer.handle.set_text(match contains_text {
        true => draft,
        false => format!("{draft}\n\n{text}"),
    });
}

/// Moves messages back to the composer if the session refuses them after sending had already
/// returned `Ok`. A message with files that this composer cannot hold stays, because another
/// composer may hold them.
pub(super) fn restore_refused_messages(composer: &SharedComposer) {
    let composer = composer.clone();
    let returned = composer.assistant.runtime().returned.clone();
    effect(move |_| {
        let can_hold = |content: &Content| composer.can_hold(content);
        if !returned.with(|messages| messages.iter().any(can_hold)) {
            return;
        }
        let messages = returned.try_update(|messages| {
            let (held, others) = mem::take(messages).into_iter().partition(can_hold);
            *messages = others;
            held
        });
        let messages: Vec<Content> = messages.unwrap_or_default();
        untrack(|| {
            // The newest message is restored first, because each message is inserted before the
            // text of the box.
            let newest_first = messages.iter().rev();
            newest_first.for_each(|content| composer.restore_message(content));
        });
    });
}
