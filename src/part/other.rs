//! A part without a view of its own: named, its data behind a summary, as text.

use assistant_core::conversation::{MessageId, Part};
use leptos::prelude::*;
use serde_json::Value;

use super::read;
use crate::{
    assistant::Assistant,
    chat::{Icon, Labels},
    view::PartCell,
};

pub(super) fn view(assistant: &Assistant, message: &MessageId, part: &PartCell) -> AnyView {
    let labels = Labels::current();
    let (title, data) = match read(assistant, message, part) {
        Some(Part::Data(data)) => (data.data_type, pretty(&data.data)),
        Some(Part::ToolResult(result)) => (labels.result.to_string(), pretty(&result.output)),
        Some(Part::Unknown(value)) => (labels.unknown_part.to_string(), pretty(&value)),
        _ => (labels.unknown_part.to_string(), String::new()),
    };
    card(title, data)
}

pub(super) fn card(title: String, data: String) -> AnyView {
    view! {
        <details class="la-part la-card la-tool-card">
            <summary class="la-tool-summary">
                <span class="la-tool-icon" aria-hidden="true">{Icon::Info.view()}</span>
                <span class="la-tool-name">{title}</span>
                {Icon::chevron()}
            </summary>
            <div class="la-tool-body">
                <pre class="la-code" tabindex="0">{data}</pre>
            </div>
        </details>
    }
    .into_any()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}
