//! Renders the preview of a call on the approval card.

use leptos::prelude::*;
use serde_json::Value;

use super::{ExactText, json_text::format_json};
use crate::{
    action::ToolCallView,
    ui::{LabelName, Words, dynamic},
};

/// Renders the preview of a call, if its action has one.
pub(super) fn preview(call: ToolCallView<Value>) -> AnyView {
    if !untrack(|| call.has_preview()) {
        return ().into_any();
    }
    let words = Words::current();
    let state_words = words.clone();
    let body = move || match call.preview() {
        None => {
            view! { <p class="la-approval-text">{state_words.text(LabelName::PreviewAwaited)}</p> }
                .into_any()
        }
        Some(Err(reason)) => {
            let failed_label = state_words.text(LabelName::PreviewFailed);
            view! { <p class="la-approval-text">{failed_label} " " <ExactText text=reason /></p> }
                .into_any()
        }
        Some(Ok(Value::String(text))) if !text.contains('\n') => {
            view! { <p class="la-approval-text" data-kind="preview"><ExactText text /></p> }
                .into_any()
        }
        Some(Ok(value)) => {
            let text = match value {
                Value::String(text) => text,
                value => format_json(&value),
            };
            view! {
                <pre class="la-code" data-kind="preview" tabindex="0">
                    <ExactText text />
                </pre>
            }
            .into_any()
        }
    };
    let hint_words = words.clone();
    let checking_note = move || {
        call.is_checking_preview()
            .then(|| view! { <span>{hint_words.text(LabelName::PreviewChecked)}</span> })
    };
    view! {
        <div class="la-approval-preview">
            <p class="la-field-label">{words.text(LabelName::Preview)}</p>
            {dynamic(body)}
            <p class="la-approval-hint" aria-live="polite" aria-atomic="true">
                {dynamic(checking_note)}
            </p>
        </div>
    }
    .into_any()
}
