//! Tracks and announces unread answers and questions of a closed window.

use assistant_core::event::Role;
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{Words, dynamic, effect},
};

/// A signal that is true if an answer, or a question to the user, arrived while a window was
/// closed.
pub(super) type UnreadSignal = RwSignal<bool>;

/// Creates the unread mark of a window. New answers and questions set the mark while the window is
/// closed; opening the window clears the mark.
pub(super) fn track_unread(assistant: &Assistant, open: RwSignal<bool>) -> UnreadSignal {
    let unread = RwSignal::new(false);
    let (messages, activity) = (assistant.messages(), assistant.activity());
    effect(move |before: Option<(u64, usize, bool)>| {
        let (thread, answers) = messages.with(|list| {
            let others = list.iter().filter(|entry| entry.role != Role::User);
            (list.thread(), others.count())
        });
        let now = activity.get();
        let is_asked = now.waiting || now.asking;
        if open.get() {
            unread.set(false);
        } else if let Some((of, known, asked)) = before {
            let is_new = of == thread && answers > known || is_asked && !asked;
            if is_new {
                unread.set(true);
            }
        }
        (thread, answers, is_asked)
    });
    unread
}

/// Renders a live region that announces the unread mark.
pub(super) fn unread_mark(unread: UnreadSignal) -> AnyView {
    let words = Words::current();
    let word = move || unread.get().then(|| words.text(|l| &l.unread));
    view! { <span class="la-visually-hidden" aria-live="polite" aria-atomic="true">{dynamic(word)}</span> }.into_any()
}
