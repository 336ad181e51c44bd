//! Renders the bounds of remembered approvals: as fields that narrow the bounds on an approval
//! card, and as a text that describes the remaining bounds in the list of approvals.

use assistant_core::action::{ArgMaximum, GrantBounds, RememberedApproval};
use leptos::prelude::*;

use super::ExactText;
use crate::ui::{LabelName, Words, is_trusted, time::TimeFormat};

/// The durations that are offered to the user, in milliseconds. Only durations below the maximum
/// that the action permits are shown.
const DURATIONS_MS: [i64; 5] = [600_000, 3_600_000, 14_400_000, 86_400_000, 604_800_000];

/// The bounds that the user chose on a card, which are initially as wide as the action permits.
#[derive(Clone, Copy)]
pub(super) struct NarrowedBounds(RwSignal<GrantBounds>);

impl NarrowedBounds {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(GrantBounds::default()))
    }

    pub(super) fn reset(self) {
        self.0.set(GrantBounds::default());
    }

    pub(super) fn bounds(self) -> GrantBounds {
        self.0.get_untracked()
    }

    fn update(self, change: impl FnOnce(GrantBounds) -> GrantBounds) {
        self.0
            .update(|bounds| *bounds = change(std::mem::take(bounds)));
    }
}

/// Renders a field for each bound that an action declares. Maximum values have fields only if
/// `is_wider` is true, that is, if the approval also applies to calls with other arguments.
pub(super) fn bound_fields(
    widest: &GrantBounds,
    is_wider: bool,
    narrowed: NarrowedBounds,
) -> AnyView {
    let words = Words::current();
    let uses = widest
        .max_uses()
        .map(|max| uses_field(&words, max, narrowed));
    let duration = widest
        .max_duration_ms()
        .map(|max| duration_field(&words, max, narrowed));
    // An approval for the same arguments needs no maximum values, so their fields are omitted.
    let maxima = widest.maxima().iter().filter(|_| is_wider);
    let maxima = maxima.map(|maximum| maximum_field(&words, maximum, narrowed));
    let maxima = maxima.collect_view();
    view! { <div class="la-approval-bounds">{maxima} {uses} {duration}</div> }.into_any()
}

fn uses_field(words: &Words, max_uses: u32, narrowed: NarrowedBounds) -> AnyView {
    let on_input = move |event: leptos::ev::Event| {
        if !is_trusted(&event) {
            let current = narrowed.bounds().max_uses().unwrap_or(max_uses);
            return restore_value(&event, &current.to_string());
        }
        let uses = event_target_value(&event).trim().parse::<u32>().ok();
        // An invalid number is replaced by 0, which permits no call.
        let uses = uses.unwrap_or(0).min(max_uses);
        narrowed.update(|bounds| bounds.uses(uses));
    };
    view! {
        <label class="la-field">
            <span class="la-field-label">{words.text(LabelName::BoundUses)}</span>
            <input
                class="la-input"
                type="number"
                name="uses"
                min="1"
                step="1"
                max=max_uses.to_string()
                prop:value=max_uses.to_string()
                on:input=on_input
            />
        </label>
    }
    .into_any()
}

fn duration_field(words: &Words, max_ms: i64, narrowed: NarrowedBounds) -> AnyView {
    let durations = DURATIONS_MS.into_iter().filter(|ms| *ms < max_ms);
    let options: Vec<_> = durations.chain([max_ms]).collect();
    let labels = words.now();
    let options = options.into_iter().map(|ms| {
        let label = labels.format_whole_duration(ms);
        view! { <option value=ms.to_string() selected=ms == max_ms>{label}</option> }
    });
    let options = options.collect_view();
    let on_change = move |event: leptos::ev::Event| {
        if !is_trusted(&event) {
            let current = narrowed.bounds().max_duration_ms().unwrap_or(max_ms);
            let select = event_target::<web_sys::HtmlSelectElement>(&event);
            return select.set_value(&current.to_string());
        }
        let duration_ms = event_target_value(&event).parse::<i64>().unwrap_or(0);
        narrowed.update(|bounds| bounds.lasts_ms(duration_ms));
    };
    view! {
        <label class="la-field">
            <span class="la-field-label">{words.text(LabelName::BoundLasts)}</span>
            <select class="la-input" name="lasts" on:change=on_change>
                {options}
            </select>
        </label>
    }
    .into_any()
}

fn maximum_field(words: &Words, maximum: &ArgMaximum, narrowed: NarrowedBounds) -> AnyView {
    let (pointer, max) = (maximum.pointer().to_owned(), maximum.max().clone());
    let name = last_segment(&pointer);
    let field_words = words.clone();
    let label = move || {
        field_words
            .word(LabelName::BoundMaximum)
            .replace("{field}", &name)
    };
    let value = max.to_string();
    let on_input = move |event: leptos::ev::Event| {
        if !is_trusted(&event) {
            let current = narrowed
                .bounds()
                .maximum(&pointer)
                .unwrap_or_else(|| max.clone());
            return restore_value(&event, &current.to_string());
        }
        let entered_max = event_target_value(&event);
        let entered_max = serde_json::from_str(entered_max.trim()).ok();
        // An invalid number is replaced by the smallest integer, because an invalid number must not
        // permit any value.
        let entered_max: serde_json::Number = entered_max.unwrap_or_else(|| i64::MIN.into());
        let pointer = pointer.clone();
        narrowed.update(|bounds| bounds.with_maximum(pointer, entered_max));
    };
    view! {
        <label class="la-field">
            <span class="la-field-label">
                {move || view! { <ExactText text=label() /> }}
            </span>
            <input
                class="la-input"
                type="number"
                name="maximum"
                step="any"
                max=value.clone()
                prop:value=value
                on:input=on_input
            />
        </label>
    }
    .into_any()
}

/// Restores the value that the user entered in a field, after a script has changed the field.
fn restore_value(event: &leptos::ev::Event, value: &str) {
    event_target::<web_sys::HtmlInputElement>(event).set_value(value);
}

/// Returns the last segment of a JSON pointer, unescaped.
fn last_segment(pointer: &str) -> String {
    let segment = pointer.rsplit('/').next().unwrap_or_default();
    segment.replace("~1", "/").replace("~0", "~")
}

/// Returns a text that describes the remaining bounds of a remembered approval: uses, time and
/// maximum values. Returns `None` if the approval has no bounds.
pub(super) fn remaining_bounds_text(
    words: &Words,
    approval: &RememberedApproval,
) -> Option<String> {
    let fill = |template: &str, name: &str, value: &str| template.replace(name, value);
    let mut parts = Vec::new();
    if let (Some(uses_left), Some(uses)) = (approval.uses_left(), approval.uses()) {
        let text = words.count(LabelName::UsesLeft, uses as usize);
        parts.push(fill(
            &text,
            "{left}",
            &words.get().format_count(uses_left as usize),
        ));
    }
    if let Some(expires_at) = approval.expires_at() {
        let time_text = words.get().format_time(expires_at, TimeFormat::Full);
        let time_text = time_text.unwrap_or_default();
        parts.push(fill(
            &words.word(LabelName::HoldsUntil),
            "{time}",
            &time_text,
        ));
    }
    for maximum in approval.maxima() {
        let template = words.word(LabelName::UpTo);
        let text = fill(&template, "{field}", &last_segment(maximum.pointer()));
        parts.push(fill(&text, "{max}", &maximum.max().to_string()));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
