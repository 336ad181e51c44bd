//! The unread mark of a closed window.

use assistant_core::event::Role;
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{Words, dynamic, effect},
};

/// True if an answer, or a question to the user, arrived while a window was closed.
pub(super) type Unread = RwSignal<bool>;

/// Creates the unread mark, which tracks new messages and questions from now on.
pub(super) fn follow(assistant: &Assistant, open: RwSignal<bool>) -> Unread {
    let unread = RwSignal::new(false);
    let (messages, activity) = (assistant.messages(), assistant.activity());
    effect(move |before: Option<(u64, usize, bool)>| {
        let (thread, answers) = messages.with(|list| {
            let others = list.iter().filter(|entry| entry.role != Role::User);
            (list.thread(), others.count())
        });
        let now = activity.get();
        let asks = now.waiting || now.asking;
        if open.get() {
            unread.set(false);
        } else if let Some((of, known, asked)) = before {
            let is_new = of == thread && answers > known || asks && !asked;
            if is_new {
                unread.set(true);
            }
        }
        (thread, answers, asks)
    });
    unread
}

/// Renders the announcement of unread messages.
pub(super) fn mark(unread: Unread) -> AnyView {
    let words = Words::current();
    let word = move || unread.get().then(|| words.text(|l| &l.unread));
    view! { <span class="la-visually-hidden" aria-live="polite" aria-atomic="true">{dynamic(word)}</span> }.into_any()
}
