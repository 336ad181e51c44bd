//! Renders the exact arguments of a call.

use leptos::prelude::*;
use serde_json::Value;

use super::{ExactText, pretty::format_json};
use crate::{
    action::ToolCallView,
    ui::{Words, dynamic, memo},
};

/// Renders the exact arguments of a call: as formatted JSON, or as the received text if the text is
/// not a complete value. `end` follows the arguments.
pub(super) fn arguments(call: ToolCallView<Value>, end: Option<AnyView>) -> AnyView {
    let text = memo(move || match call.args_value() {
        Some(args) => format_json(&args),
        None => call.args_text(),
    });
    let text = dynamic(move || view! { <ExactText text=text.get() /> });
    arguments_block(text.into_any(), end)
}

/// Renders a block with the given arguments, followed by `end`.
pub(super) fn arguments_block(text: AnyView, end: Option<AnyView>) -> AnyView {
    view! {
        <pre
            class="la-code"
            dir="ltr"
            data-kind="arguments"
            tabindex="0"
            role="group"
            aria-label=Words::current().attr(|l| &l.arguments)
        >
            {text}
            {end}
        </pre>
    }
    .into_any()
}
