//! Renders the default card of a call, with the name, the state, the arguments and the result.

use assistant_core::conversation::Phase;
use leptos::prelude::*;
use serde_json::Value;

use super::{
    ExactText,
    call_description::summary_argument,
    exact_text::ExactArguments,
    failure::{declares_failure, failure_reason},
    handler_question::handler_question,
    json_text::format_json,
};
use crate::{
    action::ToolCallView,
    part::show_file,
    ui::{Icon, LabelName, Words, dynamic, in_words, memo, spinner},
};

/// The card of a call: a line with the title, the most significant argument and the state. The
/// reason of a failure is shown below the line. A collapsed section contains the arguments, the
/// result and the code name. If the call has no title, the line shows the name of the action in
/// words.
///
/// The card is closed at first, and its content is rendered once it is opened. A result that
/// declares itself a failure (`success: false`, `isError`, `status: "error"`, an `error`, or a text
/// that begins with `Error:`) is shown as a failure; a result that the agent supplies for an action
/// of the page is shown as reported by the agent. If the arguments were edited or sanitized, the
/// changed arguments are shown, and the agent's original arguments can be expanded. A question of
/// the handler with a schema ([`ToolContext::ask_with`](crate::ToolContext::ask_with)) is shown
/// below the card as a form.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ToolCallView, tool::DefaultCard};
/// use serde_json::Value;
///
/// /// The built-in card with a line above it.
/// #[component]
/// fn Noted(call: ToolCallView<Value>) -> impl IntoView {
///     view! { <p>"Looked up for you:"</p><DefaultCard call /> }
/// }
/// ```
#[component]
pub fn DefaultCard(
    /// The call to render.
    call: ToolCallView<Value>,
) -> impl IntoView {
    let words = Words::current();
    let title = move || {
        let title = call.title().unwrap_or_else(|| in_words(&call.name()));
        view! { <span class="la-tool-name">{exact_text(title)}</span> }
    };
    // The argument is a memo, because the call changes more often than the arguments.
    let argument = memo(move || call.summary_argument());
    let argument = move || {
        let text = argument.get()?;
        Some(view! { <span class="la-tool-argument" dir="auto">{exact_text(text)}</span> })
    };
    let state_words = words.clone();
    // A call that was stopped, denied or skipped is not shown as an error, because the call was not
    // carried out.
    let outcome = memo(move || {
        let has_ended = matches!(call.phase(), Phase::OutputAvailable | Phase::OutputError);
        let has_failed = has_ended && call.result_value().as_ref().is_some_and(declares_failure);
        (has_failed, call.is_reported())
    });
    // The body is mounted when the card is first opened.
    let is_opened = RwSignal::new(false);
    let on_toggle = move |card: web_sys::HtmlDetailsElement| {
        if card.open() && !is_opened.get_untracked() {
            is_opened.set(true);
        }
    };
    let (body_words, error_words) = (words.clone(), words.clone());
    let reason = memo(move || {
        let (has_failed, is_reported) = outcome.get();
        match call.phase() {
            Phase::OutputError if !is_reported => failure_reason(&call, &error_words),
            Phase::OutputAvailable if has_failed && !is_reported => {
                failure_reason(&call, &error_words)
            }
            _ => None,
        }
    });
    let reason = move || {
        let text = reason.get()?;
        Some(view! { <p class="la-tool-reason" dir="auto">{readable_text(text)}</p> })
    };
    let draw_body =
        move || view! { <div class="la-tool-body">{sections(&body_words, &call)}</div> }.into_any();
    view! {
        <details
            class="la-card la-tool-card"
            // Only the target of the event is passed, because the type of the event depends on the
            // version of Leptos.
            on:toggle=move |event| on_toggle(event_target(&event))
            data-tone=move || match outcome.get() {
                (true, _) => Some("error"),
                (false, true) => Some("neutral"),
                (false, false) => None,
            }
        >
            <summary class="la-tool-summary">
                <span class="la-tool-icon" aria-hidden="true">{Icon::Tool.view()}</span>
                {dynamic(title)}
                {dynamic(argument)}
                <span class="la-tool-status">
                    {dynamic(move || {
                        let (has_failed, is_reported) = outcome.get();
                        state_view(&state_words, &call, has_failed, is_reported)
                    })}
                </span>
                {Icon::chevron()}
            </summary>
            {dynamic(move || is_opened.get().then(&draw_body))}
        </details>
        {dynamic(reason)}
        {handler_question(call)}
    }
}

impl<T> ToolCallView<T> {
    /// Returns the most significant argument, without copying all arguments; `None` if no argument
    /// is a single-line text or a number.
    fn summary_argument(&self) -> Option<String> {
        self.read(|call| call.effective_args().and_then(summary_argument))
            .flatten()
    }

    /// Renders the default card of the call, which is shown for an action without a renderer.
    #[must_use]
    pub fn default_card(&self) -> AnyView {
        DefaultCard(DefaultCardProps {
            call: (*self).cast(),
        })
        .into_any()
    }
}

fn state_view(
    words: &Words,
    call: &ToolCallView<Value>,
    has_failed: bool,
    is_reported: bool,
) -> impl IntoView + use<> {
    let (icon, label) = match call.phase() {
        Phase::OutputAvailable | Phase::OutputError if is_reported => {
            (Some(Icon::Info), LabelName::Reported)
        }
        Phase::InputStreaming => (None, LabelName::Preparing),
        Phase::InputAvailable | Phase::ApprovalRequested => (Some(Icon::Clock), LabelName::Queued),
        Phase::ApprovalResponded => (Some(Icon::Clock), LabelName::Approved),
        Phase::Running => (None, LabelName::Running),
        Phase::OutputAvailable if has_failed => (Some(Icon::Alert), LabelName::CallFailed),
        Phase::OutputAvailable => (Some(Icon::Check), LabelName::Done),
        Phase::OutputError => (Some(Icon::Alert), LabelName::CallFailed),
        Phase::OutputDenied => (Some(Icon::Ban), LabelName::Denied),
        Phase::Cancelled => (Some(Icon::Ban), LabelName::Cancelled),
        Phase::Skipped => (Some(Icon::Ban), LabelName::Skipped),
    };
    let icon = match icon {
        Some(icon) => icon.view().into_any(),
        None => spinner().into_any(),
    };
    view! { {icon}<span>{words.text(label)}</span> }
}

fn sections(words: &Words, call: &ToolCallView<Value>) -> impl IntoView + use<> {
    let args = {
        let (call, words) = (*call, words.clone());
        let is_changed = memo(move || call.is_edited() || call.is_cleaned());
        dynamic(move || match is_changed.get() {
            true => edited_arguments(&words, &call),
            false => {
                let text = view! { <ExactArguments call=call /> }.into_any();
                section(&words, LabelName::Arguments, "arguments", text).into_any()
            }
        })
    };
    let outcome = {
        let (call, words) = (*call, words.clone());
        move || match (
            call.format_error(|kind, message| exact_error(&words, kind, message)),
            call.result_value(),
        ) {
            (Some(message), _) => {
                section(&words, LabelName::Error, "error", readable_text(message)).into_any()
            }
            (None, Some(value)) => {
                let files: Vec<_> = call.result_files().iter().map(show_file).collect();
                let text = format_value(&value);
                let text = (files.is_empty() || !text.is_empty())
                    .then(|| section(&words, LabelName::Result, "result", readable_text(text)));
                view! { {text}{files} }.into_any()
            }
            (None, None) => ().into_any(),
        }
    };
    let code_name = {
        let call = *call;
        move || {
            let name = call.name();
            let title = call.title().unwrap_or_else(|| in_words(&name));
            (title != name).then(|| {
                view! {
                    <p class="la-tool-code">
                        <code class="la-code-inline">{exact_text(name)}</code>
                    </p>
                }
            })
        }
    };
    view! { {args}{dynamic(outcome)}{dynamic(code_name)} }
}

/// Returns the error text for the details of a card. For invalid arguments, the text is the message
/// that the agent received, which names each violation.
fn exact_error(words: &Words, kind: &str, message: &str) -> String {
    match kind {
        "invalid_arguments" | "schema_changed" => message.to_owned(),
        _ => words.get().reason(kind, "", message),
    }
}

/// Renders the arguments that the call ran with, and the agent's original arguments in a collapsed
/// section.
fn edited_arguments(words: &Words, call: &ToolCallView<Value>) -> AnyView {
    let (final_args, original_args) = untrack(|| (call.args_value(), call.original_args()));
    let render_args =
        |args: Option<Value>| exact_text(args.map(|args| format_json(&args)).unwrap_or_default());
    view! {
        {section(words, LabelName::Arguments, "arguments", render_args(final_args))}
        <details class="la-fold">
            <summary class="la-fold-summary">
                {Icon::chevron()} <span>{words.text(LabelName::AskedFor)}</span>
            </summary>
            <pre class="la-code" dir="ltr" data-kind="original-arguments" tabindex="0">
                {render_args(original_args)}
            </pre>
        </details>
    }
    .into_any()
}

fn exact_text(text: String) -> AnyView {
    view! { <ExactText text /> }.into_any()
}

fn readable_text(text: String) -> AnyView {
    view! { <ExactText text readable=true /> }.into_any()
}

fn section(
    words: &Words,
    label: LabelName,
    kind: &'static str,
    text: AnyView,
) -> impl IntoView + use<> {
    view! {
        <div class="la-tool-section">
            <p class="la-tool-label">{words.text(label)}</p>
            <pre
                class="la-code"
                dir="ltr"
                data-kind=kind
                tabindex="0"
                role="group"
                aria-label=words.attr(label)
            >
                {text}
            </pre>
        </div>
    }
}

/// Formats a value: a string as plain text, and any other value as indented JSON.
fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => format!("{value:#}"),
    }
}
