//! Renders remembered approvals: the mark on calls that were allowed earlier, and the list of
//! approvals. `scopes` renders the choice of a scope on the approval card.

use assistant_core::action::{RememberScope, RememberedApproval, RememberedArgs};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{ExactText, bounds, json_text::format_json};
use crate::{
    action::ToolCallView,
    assistant::{Assistant, assistant_for},
    render::Description,
    ui::{
        Icon, LabelName, Words, dynamic, each, effect, in_words, live_in_dialog, memo, scope,
        time::{self, TimeFormat},
        truncate, when,
    },
};

/// Renders a mark on a call about which the user was not asked because of a remembered approval: a
/// button that opens the list in which the approval can be revoked.
pub(super) fn allowed_earlier_mark(call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    let is_open = RwSignal::new(false);
    dynamic(move || {
        call.allowed_earlier().map(|approval| {
            let allowed_at = full_time(&words, approval.at());
            let (assistant, id) = (call.assistant(), approval.id().to_owned());
            let dialog = move || match assistant.clone() {
                Some(assistant) => approvals_dialog(assistant, id.clone(), is_open),
                None => ().into_any(),
            };
            view! {
                <p class="la-tool-allowed" title=allowed_at>
                    {Icon::Check.view()}
                    <button
                        type="button"
                        class="la-tool-allowed-open"
                        aria-haspopup="dialog"
                        on:click=move |_| is_open.set(true)
                    >
                        {words.text(LabelName::AllowedEarlier)}
                    </button>
                </p>
                {when(move || is_open.get(), dialog)}
            }
        })
    })
    .into_any()
}

/// Returns a closure that formats a time with its date; `None` if the browser cannot format it.
fn full_time(words: &Words, at: i64) -> impl Fn() -> Option<String> + Send + Sync + use<> {
    let words = words.clone();
    move || words.get().format_time(at, TimeFormat::Full)
}

/// The context with the id of the approval for which the list was opened.
#[derive(Clone)]
struct OpenedApprovalId(String);

/// Renders the list of approvals in a dialog.
fn approvals_dialog(assistant: Assistant, id: String, is_open: RwSignal<bool>) -> AnyView {
    let words = Words::current();
    let element = NodeRef::<html::Dialog>::new();
    effect(move |_| {
        if let Some(element) = element.get() {
            // The error is ignored, because `show_modal` fails only if the dialog is already open.
            let _ = element.show_modal();
        }
    });
    scope(Box::new(move || {
        provide_context(OpenedApprovalId(id));
        view! {
            <dialog
                class="la-dialog la-allowed-dialog"
                aria-label=words.attr(LabelName::AllowedTitle)
                node_ref=element
                on:close=move |_| is_open.set(false)
            >
                <form class="la-dialog-form" method="dialog">
                    <AllowedActions assistant />
                    <div class="la-dialog-actions">
                        <button type="submit" class="la-button">
                            <span>{words.text(LabelName::Close)}</span>
                        </button>
                    </div>
                </form>
                {live_in_dialog()}
            </dialog>
        }
        .into_any()
    }))
}

/// Lists the remembered approvals of the user, with buttons that revoke them: for a dialog or a
/// settings page.
///
/// # Accessibility
///
/// The approvals are a list under its own heading. Each button names the approval that the button
/// revokes.
#[component]
pub fn AllowedActions(
    /// The assistant whose approvals are listed; the assistant in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "AllowedActions") else {
        return ().into_any();
    };
    let words = Words::current();
    let approvals = assistant.remembered_approvals().list();
    let id = format!("la-allowed-{}", crate::ui::fresh_id());
    let empty_note = {
        let (approvals, words) = (approvals.clone(), words.clone());
        let is_empty = memo(move || approvals.with(Vec::is_empty));
        let empty_words = words.clone();
        move || {
            is_empty.get().then(|| {
                view! { <p class="la-allowed-none">{empty_words.text(LabelName::AllowedNone)}</p> }
            })
        }
    };
    let rows = {
        let words = words.clone();
        each(
            move || approvals.get(),
            // The key contains the number of uses, so a use renders the row again.
            |approval| format!("{} {}", approval.id(), approval.used()),
            move |approval| approval_row(&assistant, &words, approval),
        )
    };
    view! {
        <section class="la-allowed" aria-labelledby=id.clone()>
            <h3 class="la-allowed-title" id=id.clone()>
                {words.text(LabelName::AllowedTitle)}
            </h3>
            {dynamic(empty_note)}
            <ul class="la-allowed-list">{rows}</ul>
        </section>
    }
    .into_any()
}

fn approval_row(assistant: &Assistant, words: &Words, approval: RememberedApproval) -> AnyView {
    let scope = match approval.scope() {
        RememberScope::Conversation => LabelName::AllowConversation,
        RememberScope::Session => LabelName::AllowSession,
        RememberScope::Always => LabelName::AllowAlways,
    };
    let (args_label, args) = match approval.args() {
        RememberedArgs::Any => (LabelName::AllowedAny, None),
        RememberedArgs::Fields(fields) => (
            LabelName::AllowedFields,
            Some(Value::Object(fields.clone())),
        ),
        RememberedArgs::Exactly(args) => (LabelName::AllowedExactly, Some(args.clone())),
    };
    let is_exact = matches!(approval.args(), RememberedArgs::Exactly(_));
    let label_words = words.clone();
    let bounds_note = {
        let (words, approval) = (words.clone(), approval.clone());
        dynamic(move || {
            let text = bounds::remaining_bounds_text(&words, &approval);
            text.map(|text| view! { <p class="la-allowed-left"><ExactText text /></p> })
        })
    };
    let end_label: Option<LabelName> = match () {
        () if approval.uses_left() == Some(0) => Some(LabelName::UsedUp),
        () if approval.is_expired(time::now()) => Some(LabelName::Expired),
        () => None,
    };
    let end_note =
        end_label.map(|label| view! { <p class="la-allowed-over">{words.text(label)}</p> });
    let is_current =
        use_context::<OpenedApprovalId>().is_some_and(|opened| opened.0 == approval.id());
    let (assistant, id) = (assistant.clone(), approval.id().to_owned());
    let name = approval.name().to_owned();
    let description = {
        let (assistant, name) = (assistant.clone(), name.clone());
        memo(move || {
            // The texts are tracked, because the action may be registered later, or again in
            // another language.
            assistant.view().renderers.track();
            let texts = assistant.action_texts(&name).unwrap_or_default();
            let description = args.as_ref().filter(|_| is_exact);
            let description = description.and_then(|args| texts.describe.as_ref()?(args));
            let title = texts.title.unwrap_or_else(|| in_words(&name));
            let rows = match description {
                Some(description) => ApprovedValues::from_description(description),
                None => ApprovedValues::from_args(args.as_ref()),
            };
            (title, rows)
        })
    };
    let action_title = move || description.with(|(title, _)| title.clone());
    let label = move || format!("{} {}", label_words.word(LabelName::Revoke), action_title());
    let details = {
        let args = match approval.args() {
            RememberedArgs::Any => None,
            RememberedArgs::Fields(fields) => Some(format_json(&Value::Object(fields.clone()))),
            RememberedArgs::Exactly(args) => Some(format_json(args)),
        };
        approval_details(words, name, args)
    };
    let allowed_at = full_time(words, approval.allowed_at());
    let iso_time = time::format_iso(approval.allowed_at());
    view! {
        <li class="la-allowed-item" data-current=is_current.then_some("")>
            <div class="la-allowed-head">
                <span class="la-allowed-name">
                    {dynamic(move || view! { <ExactText text=action_title() /> })}
                </span>
                <span class="la-allowed-scope">{words.text(scope)}</span>
                <button
                    type="button"
                    class="la-button"
                    data-size="small"
                    aria-label=label
                    on:click=move |_| assistant.remembered_approvals().revoke(&id)
                >
                    <span>{words.text(LabelName::Revoke)}</span>
                </button>
            </div>
            <p class="la-allowed-which">{words.text(args_label)}</p>
            {dynamic(move || description.with(|(_, description)| description.view()))}
            {bounds_note}
            {end_note}
            <time class="la-allowed-time" datetime=iso_time>
                {dynamic(allowed_at)}
            </time>
            {details}
        </li>
    }
    .into_any()
}

/// Renders a collapsed section with the code name of the action and the exact arguments, if any.
fn approval_details(words: &Words, name: String, args: Option<String>) -> AnyView {
    let args = args.map(|text| {
        view! {
            <pre class="la-code" dir="ltr" data-kind="arguments" tabindex="0" role="group">
                <ExactText text />
            </pre>
        }
    });
    view! {
        <details class="la-fold">
            <summary class="la-fold-summary">
                {Icon::chevron()} <span>{words.text(LabelName::ExactArguments)}</span>
            </summary>
            <code class="la-code-inline" dir="ltr">
                <ExactText text=name />
            </code>
            {args}
        </details>
    }
    .into_any()
}

/// The maximum number of rows that describe an approval.
const MAX_ROWS: usize = 12;
/// The maximum length of a value or a sentence, in characters.
const MAX_VALUE: usize = 300;

/// The values that a remembered approval applies to, as the page describes them.
#[derive(Clone, PartialEq, Eq, Default)]
struct ApprovedValues {
    sentence: String,
    rows: Vec<(String, String)>,
}

impl ApprovedValues {
    fn from_description(description: Description) -> Self {
        let rows = description.rows.into_iter().take(MAX_ROWS);
        Self {
            sentence: shorten_value(description.sentence.trim().trim_end_matches('?')),
            rows: rows
                .map(|(name, value)| (name, shorten_value(&value)))
                .collect(),
        }
    }

    /// Creates rows from the top-level arguments that are texts, numbers or booleans. The other
    /// arguments are shown in the details.
    fn from_args(args: Option<&Value>) -> Self {
        let fields = args.and_then(Value::as_object).into_iter().flatten();
        let rows = fields.filter_map(|(key, value)| {
            let text = match value {
                Value::String(text) => shorten_value(text),
                Value::Number(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                _ => return None,
            };
            Some((in_words(key), text))
        });
        Self {
            sentence: String::new(),
            rows: rows.take(MAX_ROWS).collect(),
        }
    }

    fn view(&self) -> AnyView {
        let sentence = (!self.sentence.is_empty()).then(|| {
            let text = self.sentence.clone();
            view! { <p class="la-allowed-sentence" dir="auto"><ExactText text readable=true /></p> }
        });
        let rows = self.rows.iter().cloned().map(|(name, value)| {
            view! {
                <div class="la-approval-row">
                    <dt><ExactText text=name /></dt>
                    <dd dir="auto"><ExactText text=value /></dd>
                </div>
            }
        });
        let rows = (!self.rows.is_empty())
            .then(|| view! { <dl class="la-approval-rows">{rows.collect_view()}</dl> });
        view! { {sentence} {rows} }.into_any()
    }
}

fn shorten_value(text: &str) -> String {
    truncate(text, MAX_VALUE).into_owned()
}
