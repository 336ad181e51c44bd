//! Renders the time limit of a question, and a note once the time is over.
//!
//! The line only informs the user. The session decides whether an answer still counts.

use leptos::prelude::*;

use crate::ui::{Words, after, dynamic, now, time};

/// Renders the time limit `at`, in milliseconds since 1970; nothing without a limit.
#[component]
pub(super) fn Expiry(
    at: Option<i64>,
    /// True once the time is over; set by this component.
    over: RwSignal<bool>,
) -> impl IntoView {
    let at = at?;
    let left = at.saturating_sub(now()).max(0);
    over.set(left == 0);
    // A time that is too long for a timer (24 days) is longer than a page stays open.
    if let (true, Ok(left)) = (left > 0, i32::try_from(left)) {
        after(left.unsigned_abs(), move || {
            // The question may be answered by then.
            let _ = over.try_set(true);
        });
    }
    let words = Words::current();
    let form = match time::is_same_day(at, now()) {
        true => time::TimeFormat::Short,
        false => time::TimeFormat::Full,
    };
    let until = time::format_time(at, form);
    let line = move || match over.get() {
        true => view! { <span role="alert">{words.text(|l| &l.too_late)}</span> }.into_any(),
        false => {
            let by = |time: &String| words.word(|l| &l.answer_by).replace("{time}", time);
            view! { <span>{until.as_ref().map(by)}</span> }.into_any()
        }
    };
    Some(
        view! { <p class="la-expiry" data-over=move || over.get().then_some("")>{dynamic(line)}</p> },
    )
}
