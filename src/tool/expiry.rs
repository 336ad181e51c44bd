//! Renders the time limit of a question, and a note once the time is over.
//!
//! The line only informs the user. The session decides whether an answer is still accepted.

use leptos::prelude::*;

use crate::ui::{Words, after, dynamic, now, time};

/// Renders the time limit `at`, in milliseconds since 1970; nothing without a limit.
#[component]
pub(super) fn Expiry(
    at: Option<i64>,
    /// True once the time is over; set by this component.
    expired: RwSignal<bool>,
) -> impl IntoView {
    let at = at?;
    let remaining_ms = at.saturating_sub(now()).max(0);
    expired.set(remaining_ms == 0);
    // A browser supports no timer above 24 days. A page does not stay open for that long, so no
    // timer is set.
    if let (true, Ok(remaining_ms)) = (remaining_ms > 0, i32::try_from(remaining_ms)) {
        after(remaining_ms.unsigned_abs(), move || {
            // Fails if the signal was disposed, because the question was answered.
            let _ = expired.try_set(true);
        });
    }
    let words = Words::current();
    let format = match time::is_same_day(at, now()) {
        true => time::TimeFormat::Short,
        false => time::TimeFormat::Full,
    };
    let deadline = time::format_time(at, format);
    let line = move || match expired.get() {
        true => view! { <span role="alert">{words.text(|l| &l.too_late)}</span> }.into_any(),
        false => {
            let fill = |time: &String| words.word(|l| &l.answer_by).replace("{time}", time);
            view! { <span>{deadline.as_ref().map(fill)}</span> }.into_any()
        }
    };
    Some(
        view! { <p class="la-expiry" data-over=move || expired.get().then_some("")>{dynamic(line)}</p> },
    )
}
