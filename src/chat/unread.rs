//! Tracks and announces the answers and questions that arrive while a window is closed.

use assistant_core::event::Role;
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{LabelName, Words, dynamic, effect},
};

/// A signal that is true if an answer, or a question to the user, arrived while a window was
/// closed.
pub(super) type UnreadSignal = RwSignal<bool>;

/// Creates the unread mark of a window. New answers and questions set the mark while the window is
/// closed; opening the window clears the mark.
pub(super) fn track_unread(assistant: &Assistant, open: RwSignal<bool>) -> UnreadSignal {
    let has_unread = RwSignal::new(false);
    let (messages, activity) = (assistant.messages(), assistant.activity());
    effect(move |previous: Option<(u64, usize, bool)>| {
        let (thread, answer_count) = messages.with(|list| {
            let answers = list.iter().filter(|entry| entry.role != Role::User);
            (list.thread(), answers.count())
        });
        let activity = activity.get();
        let has_question = activity.waiting || activity.asking;
        if open.get() {
            has_unread.set(false);
        } else if let Some((old_thread, old_count, had_question)) = previous {
            let has_new_answer = old_thread == thread && answer_count > old_count;
            if has_new_answer || has_question && !had_question {
                has_unread.set(true);
            }
        }
        (thread, answer_count, has_question)
    });
    has_unread
}

/// Renders a live region that announces the unread mark.
pub(super) fn unread_mark(has_unread: UnreadSignal) -> AnyView {
    let words = Words::current();
    let label = move || has_unread.get().then(|| words.text(LabelName::Unread));
    view! {
        <span class="la-visually-hidden" aria-live="polite" aria-atomic="true">
            {dynamic(label)}
        </span>
    }
    .into_any()
}
