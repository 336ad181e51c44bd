//! Renders day separators and the times of messages, and formats the times of conversations.

use leptos::prelude::*;

use crate::ui::{
    LabelName, Word, Words, dynamic,
    time::{self, TimeFormat},
};

const DAY_MS: i64 = 86_400_000;

/// Renders the separator before the first message of a day. Returns `None` if the time of the
/// message is unknown, if the previous message is from the same day, or if the message is the first
/// of the thread and from today.
pub(super) fn day_separator(words: &Words, previous_time: Option<i64>, at: i64) -> Option<AnyView> {
    let now = time::now();
    let previous_time = previous_time.filter(|time| *time != 0);
    if at == 0 || time::is_same_day(previous_time.unwrap_or(now), at) {
        return None;
    }
    let words = words.clone();
    words.now().format_time(at, TimeFormat::Day)?;
    let label = move || -> Word {
        if time::is_same_day(at, now) {
            words.word(LabelName::Today)
        } else if time::is_same_day(at, now - DAY_MS) {
            words.word(LabelName::Yesterday)
        } else {
            let date = words.get().format_time(at, TimeFormat::Day);
            date.unwrap_or_default().into()
        }
    };
    let aria_label = label.clone();
    Some(
        view! {
            <div class="la-day" role="separator" aria-label=aria_label>
                <time datetime=time::format_iso(at)>{dynamic(label)}</time>
            </div>
        }
        .into_any(),
    )
}

/// Formats the time of the last change of a conversation for a list: "today" with hours and
/// minutes, "yesterday", or the date. Returns `None` if the time is unknown.
pub(super) fn format_last_change(words: &Words, at: i64) -> Option<String> {
    let now = time::now();
    if at == 0 {
        return None;
    }
    if time::is_same_day(at, now) {
        let short_time = words.get().format_time(at, TimeFormat::Short)?;
        return Some(format!("{} {short_time}", words.word(LabelName::Today)));
    }
    if time::is_same_day(at, now - DAY_MS) {
        return Some(words.word(LabelName::Yesterday).into_owned());
    }
    words.get().format_time(at, TimeFormat::Day)
}

/// Renders the time of a message in hours and minutes, with the full date as the tooltip. Returns
/// `None` if the time is unknown.
pub(super) fn message_time(words: &Words, at: i64) -> Option<AnyView> {
    let format = |format| {
        let words = words.clone();
        move || words.get().format_time(at, format)
    };
    let (short_time, full_date) = (format(TimeFormat::Short), format(TimeFormat::Full));
    untrack(&short_time).filter(|_| at != 0)?;
    Some(
        view! {
            <time class="la-message-time" datetime=time::format_iso(at) title=full_date>
                {dynamic(short_time)}
            </time>
        }
        .into_any(),
    )
}
