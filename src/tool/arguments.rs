//! The exact arguments of a call.

use leptos::prelude::*;
use serde_json::Value;

use super::{ExactText, pretty::pretty};
use crate::{
    action::ToolCallView,
    ui::{Words, dynamic, memo},
};

/// What would run, exactly; `end` stands behind it.
pub(super) fn arguments(call: ToolCallView<Value>, end: Option<AnyView>) -> AnyView {
    let text = memo(move || match call.args_value() {
        Some(args) => pretty(&args),
        None => call.args_text(),
    });
    view! {
        <pre
            class="la-code"
            data-kind="arguments"
            tabindex="0"
            role="group"
            aria-label=Words::current().attr(|l| &l.arguments)
        >
            {dynamic(move || view! { <ExactText text=text.get() /> })}
            {end}
        </pre>
    }
    .into_any()
}
