//! The card of a call whose action draws none: name, state, arguments, result.

use std::sync::Arc;

use assistant_core::conversation::Phase;
use leptos::prelude::*;
use serde_json::Value;

use super::{ExactText, ask::asked_by_handler, exact::ExactArguments, pretty::pretty};
use crate::{
    action::ToolCallView,
    part::show_file,
    ui::{Icon, Labels, dynamic, spinner},
};

/// Name and state of a call in one line; arguments, result and error behind it.
///
/// Closed at first. A result that calls itself a failure (`success: false`, or an `error`) is
/// shown as one; a result that the agent supplies for an action of the page is shown as reported
/// by the agent. Where a person changed the arguments, the changed ones are shown, and what the
/// agent had asked for can be opened. What the handler asks with a schema
/// ([`ToolContext::ask_with`](crate::ToolContext::ask_with)) stands below it as a form.
#[component]
pub fn DefaultCard(
    /// The call.
    call: ToolCallView<Value>,
) -> impl IntoView {
    let labels = Labels::current();
    let name = call;
    let state = call;
    let words = labels.clone();
    let tone = Memo::new(move |_| call.result_value().as_ref().is_some_and(tells_failure));
    let reported = Memo::new(move |_| call.is_reported());
    let body = call;
    view! {
        <details
            class="la-card la-tool-card"
            data-tone=move || match (tone.get(), reported.get()) {
                (true, _) => Some("error"),
                (false, true) => Some("neutral"),
                (false, false) => None,
            }
        >
            <summary class="la-tool-summary">
                <span class="la-tool-icon" aria-hidden="true">{Icon::Tool.view()}</span>
                <span class="la-tool-name">{dynamic(move || exact(name.name()))}</span>
                <span class="la-tool-status">
                    {dynamic(move || state_view(&words, &state, tone.get(), reported.get()))}
                </span>
                {Icon::chevron()}
            </summary>
            <div class="la-tool-body">{sections(&labels, &body)}</div>
        </details>
        {asked_by_handler(call)}
    }
}

impl<T> ToolCallView<T> {
    /// The card that stands where an action has no renderer.
    #[must_use]
    pub fn default_card(&self) -> AnyView {
        DefaultCard(DefaultCardProps {
            call: (*self).cast(),
        })
        .into_any()
    }
}

fn state_view(
    labels: &Labels,
    call: &ToolCallView<Value>,
    failed: bool,
    reported: bool,
) -> impl IntoView + use<> {
    let (mark, word) = match call.phase() {
        Phase::OutputAvailable | Phase::OutputError if reported => {
            (Some(Icon::Info), &labels.reported)
        }
        Phase::InputStreaming => (None, &labels.preparing),
        Phase::InputAvailable | Phase::ApprovalRequested => (Some(Icon::Clock), &labels.queued),
        Phase::ApprovalResponded => (Some(Icon::Clock), &labels.approved),
        Phase::Running => (None, &labels.running),
        Phase::OutputAvailable if failed => (Some(Icon::Alert), &labels.call_failed),
        Phase::OutputAvailable => (Some(Icon::Check), &labels.done),
        Phase::OutputError => (Some(Icon::Alert), &labels.call_failed),
        Phase::OutputDenied => (Some(Icon::Ban), &labels.denied),
        Phase::Cancelled => (Some(Icon::Ban), &labels.cancelled),
        Phase::Skipped => (Some(Icon::Ban), &labels.skipped),
    };
    let mark = match mark {
        Some(icon) => icon.view().into_any(),
        None => spinner().into_any(),
    };
    view! { {mark}<span>{word.clone()}</span> }
}

fn sections(labels: &Arc<Labels>, call: &ToolCallView<Value>) -> impl IntoView + use<> {
    let args = {
        let (call, labels) = (*call, Arc::clone(labels));
        let edited = Memo::new(move |_| call.is_edited());
        dynamic(move || match edited.get() {
            true => edited_arguments(&labels, &call),
            false => {
                let text = view! { <ExactArguments call=call /> }.into_any();
                section(&labels.arguments, "arguments", text).into_any()
            }
        })
    };
    let rest = {
        let (call, labels) = (*call, Arc::clone(labels));
        move || match (
            call.why(|kind, said| labels.reason(kind, "", said)),
            call.result_value(),
        ) {
            (Some(message), _) => section(&labels.error, "error", readable(message)).into_any(),
            (None, Some(value)) => {
                let files: Vec<_> = call.result_files().iter().map(show_file).collect();
                let text = written(&value);
                let text = (files.is_empty() || !text.is_empty())
                    .then(|| section(&labels.result, "result", readable(text)));
                view! { {text}{files} }.into_any()
            }
            (None, None) => ().into_any(),
        }
    };
    view! { {args}{dynamic(rest)} }
}

/// The arguments as a person changed them, and behind a line what the agent had asked for.
fn edited_arguments(labels: &Labels, call: &ToolCallView<Value>) -> AnyView {
    let (ran, wanted) = untrack(|| (call.args_value(), call.original_args()));
    let text = |args: Option<Value>| exact(args.map(|args| pretty(&args)).unwrap_or_default());
    view! {
        {section(&labels.arguments, "arguments", text(ran))}
        <details class="la-fold">
            <summary class="la-fold-summary">
                {Icon::chevron()} <span>{labels.asked_for.clone()}</span>
            </summary>
            <pre class="la-code" data-kind="original-arguments" tabindex="0">
                {text(wanted)}
            </pre>
        </details>
    }
    .into_any()
}

fn exact(text: String) -> AnyView {
    view! { <ExactText text /> }.into_any()
}

fn readable(text: String) -> AnyView {
    view! { <ExactText text readable=true /> }.into_any()
}

fn section(label: &str, kind: &'static str, text: AnyView) -> impl IntoView + use<> {
    view! {
        <div class="la-tool-section">
            <p class="la-tool-label">{label.to_owned()}</p>
            <pre
                class="la-code"
                data-kind=kind
                tabindex="0"
                role="group"
                aria-label=label.to_owned()
            >
                {text}
            </pre>
        </div>
    }
}

/// A text as it is, anything else as indented JSON.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => format!("{value:#}"),
    }
}

/// Whether a result calls itself a failure.
pub(crate) fn tells_failure(value: &Value) -> bool {
    value.get("success") == Some(&Value::Bool(false))
        || value.get("error").is_some_and(|error| !error.is_null())
}
