//! Renders the time limit of a question, and a note once the limit has passed.
//!
//! The text only informs the user. The session decides whether an answer is still accepted.

use leptos::prelude::*;

use crate::ui::{
    LabelName, Words, after, dynamic, now,
    time::{self, TimeFormat},
};

/// Renders the time limit `at`, in milliseconds since 1970. Renders nothing if `at` is `None`.
#[component]
pub(super) fn Expiry(
    at: Option<i64>,
    /// True once the time limit has passed. This component sets the signal.
    expired: RwSignal<bool>,
) -> impl IntoView {
    let at = at?;
    let remaining_ms = at.saturating_sub(now()).max(0);
    expired.set(remaining_ms == 0);
    // No timer is set for more than 24 days, because browsers do not support longer timers, and a
    // page does not stay open for that long.
    if let (true, Ok(remaining_ms)) = (remaining_ms > 0, i32::try_from(remaining_ms)) {
        after(remaining_ms.unsigned_abs(), move || {
            // The result is ignored, because the signal may have been disposed after an answer.
            let _ = expired.try_set(true);
        });
    }
    let words = Words::current();
    let format = match time::is_same_day(at, now()) {
        true => TimeFormat::Short,
        false => TimeFormat::Full,
    };
    let line = move || match expired.get() {
        true => view! { <span role="alert">{words.text(LabelName::TooLate)}</span> }.into_any(),
        false => {
            let labels = words.get();
            let fill = |time: String| labels.text(LabelName::AnswerBy).replace("{time}", &time);
            view! { <span>{labels.format_time(at, format).map(fill)}</span> }.into_any()
        }
    };
    Some(
        view! { <p class="la-expiry" data-over=move || expired.get().then_some("")>{dynamic(line)}</p> },
    )
}
