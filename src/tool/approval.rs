//! The question whether a call may run: asked by the page, or by the agent. Two kinds of card that
//! cannot be taken for each other.

use assistant_core::{conversation::Fingerprint, text::hidden::plain_name};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    ExactText, SchemaForm,
    agents_words::agents_words,
    expiry::Expiry,
    inbox::{place, told},
    once::once,
    pretty::pretty,
    seen::Seen,
};
use crate::{
    action::ToolCallView,
    ui::{Icon, Words, dynamic, focus, when},
    view::Question,
};

/// Asks the person whether a call may run, showing exactly what would. The arguments can be
/// changed first, where the action or the agent takes changed ones.
///
/// The page's own question (`data-kind="page"`) says what this page will run, in the page's words.
/// An agent's question (`data-kind="agent"`) says that the agent asks; what the agent says stands
/// below the arguments, as its words. Approving counts once the end of the arguments was in view
/// and the card has stood unchanged for half a second; until then the button is `aria-disabled`.
/// Denying counts at once. Where several windows of one assistant stand in the page, one of them asks,
/// and the others say so.
///
/// # Accessibility
///
/// A named group in the flow of the chat. It never takes the focus; when a button of it had the
/// focus and the card goes, the focus passes to the text box of the chat. That the call has changed
/// is a `status`.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ToolCallView, tool::ApprovalCard};
/// use serde_json::Value;
///
/// /// A frame of one's own around the built-in question.
/// #[component]
/// fn Framed(call: ToolCallView<Value>) -> impl IntoView {
///     view! { <div class="frame"><ApprovalCard call /></div> }
/// }
/// ```
#[component]
pub fn ApprovalCard(
    /// The call.
    call: ToolCallView<Value>,
) -> impl IntoView {
    let Some(assistant) = call.assistant() else {
        return ().into_any();
    };
    once(&assistant, Question::Call(*call.key()), move || asked(call))
}

/// The card, wherever else the question stands.
pub(super) fn asked(call: ToolCallView<Value>) -> AnyView {
    // Another question is another card.
    let asked = Memo::new(move |_| call.interrupt_id());
    dynamic(move || card(&call, asked.get())).into_any()
}

fn card(call: &ToolCallView<Value>, asked: Option<String>) -> AnyView {
    let words = Words::current();
    let id = format!("la-approval-{}", crate::ui::fresh_id());
    let by_agent = asked.is_some();
    let (kind, icon, title) = match (by_agent, untrack(|| call.is_run_by_agent())) {
        (true, _) => ("agent", Icon::Question, words.text(|l| &l.agent_asks_call)),
        (false, true) => ("page", Icon::Alert, words.text(|l| &l.agent_will_run)),
        (false, false) => ("page", Icon::Alert, words.text(|l| &l.page_will_run)),
    };
    let card = NodeRef::<html::Div>::new();
    let editing = RwSignal::new(false);
    let over = RwSignal::new(false);
    let question = by_agent.then(|| untrack(|| call.question())).flatten();
    let expires = untrack(|| call.expires_at());
    let place = asked.and_then(|id| Some(place(&call.assistant()?, id)));
    let description = (!by_agent).then(|| description(*call));
    let (named, noted) = (*call, changed_note(*call));
    let shown = Shown {
        call: *call,
        card,
        editing,
        over,
    };
    let body = move || match editing.get() {
        true => edit(&shown).into_any(),
        false => decide(&shown, question.clone()).into_any(),
    };
    view! {
        <div
            class="la-approval"
            role="group"
            aria-labelledby=id.clone()
            node_ref=card
            data-kind=kind
        >
            <div class="la-approval-head" id=id.clone()>
                {icon.view()} <p class="la-approval-title">
                    {title} " "
                    <code class="la-code-inline">
                        {dynamic(move || view! { <ExactText text=named.name() /> })}
                    </code>
                </p> {place}
            </div>
            <div class="la-approval-body">
                {noted} {description} <Expiry at=expires over /> {dynamic(body)}
            </div>
        </div>
    }
    .into_any()
}

/// What the parts of a card share.
#[derive(Clone)]
struct Shown {
    call: ToolCallView<Value>,
    card: NodeRef<html::Div>,
    editing: RwSignal<bool>,
    /// The time to answer is over.
    over: RwSignal<bool>,
}

impl Shown {
    /// Follows whether what stands before the mark can have been read.
    fn seen(&self) -> Seen {
        let editing = self.editing;
        // A form of other arguments is void.
        seen(self.call, move || editing.set(false))
    }
}

/// Follows whether a call can have been read as it is now; tells when it is another one.
pub(super) fn seen(call: ToolCallView<Value>, changed: impl Fn() + 'static) -> Seen {
    let content: Memo<Option<Fingerprint>> = Memo::new(move |_| call.fingerprint());
    Seen::new(content, changed)
}

/// What is asked, or else what the action does, in the page's words.
fn description(call: ToolCallView<Value>) -> AnyView {
    dynamic(move || {
        let text = question(call).or_else(|| call.description());
        let text = text.filter(|text| !text.is_empty());
        text.map(|text| view! { <p class="la-approval-text" dir="auto">{text}</p> })
    })
    .into_any()
}

/// How much of a question is shown, in characters. What is exact stands below.
const MAX_QUESTION: usize = 500;

/// The question in the words of the action, of which parts may be the agent's.
fn question(call: ToolCallView<Value>) -> Option<String> {
    let (assistant, args) = (call.assistant()?, call.args_value()?);
    let action = assistant.read(|session| {
        let registry = session.registry();
        registry.in_force(&call.name()).map(|entry| entry.id)
    });
    let asks = assistant.calls().get(action??)?.question?;
    let text: String = asks(&args)?.chars().take(MAX_QUESTION).collect();
    Some(plain_name(&text))
}

/// Says that the call has changed since it was shown, if it has.
pub(super) fn changed_note(call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    let first = untrack(|| call.fingerprint());
    let says = Memo::new(move |_| {
        let now = call.fingerprint();
        // Of an action that is gone for now, something else is said.
        call.has_changed() || (now.is_some() && now != first && call.can_run())
    });
    let note = move || {
        says.get()
            .then(|| view! { <span>{words.text(|l| &l.changed)}</span> })
    };
    view! {
        <p class="la-approval-changed" role="status">
            {dynamic(note)}
        </p>
    }
    .into_any()
}

/// What would run, exactly; `end` stands behind it.
pub(super) fn arguments(call: ToolCallView<Value>, end: Option<AnyView>) -> AnyView {
    let text = Memo::new(move |_| match call.args_value() {
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

/// The exact arguments, and the two answers.
fn decide(shown: &Shown, question: Option<String>) -> impl IntoView + use<> {
    let words = Words::current();
    let Shown {
        call,
        card,
        editing,
        over,
    } = shown.clone();
    let takes = untrack(|| call.approval_takes());
    let seen = shown.seen();
    let reason = NodeRef::<html::Input>::new();
    let (approving, denying) = (call, call);
    let approve = move |_| {
        if !seen.allows() {
            return;
        }
        // A refusal means that it was decided elsewhere, and then the card goes by itself, or that
        // it has changed, and then it shows that.
        if approving.approve().is_ok() {
            leave(card);
        }
    };
    let deny = move |_| {
        let text = reason
            .get_untracked()
            .map(|input| input.value())
            .unwrap_or_default();
        let text = text.trim();
        leave(card);
        // Refused only when it was decided elsewhere, and then the card goes by itself.
        let _ = denying.deny((!text.is_empty()).then(|| text.to_owned()));
    };
    let reason_field = takes.reason.then(|| {
        view! {
            <label class="la-field">
                <span class="la-field-label">{words.text(|l| &l.reason)}</span>
                <input class="la-input" type="text" autocomplete="off" node_ref=reason />
            </label>
        }
    });
    let runnable = Memo::new(move |_| call.can_run());
    let takes_yes = move || runnable.get() && !over.get();
    let edit = takes.edits.then(|| {
        view! {
            <button
                type="button"
                class="la-button la-approval-edit"
                data-variant="quiet"
                data-size="small"
                hidden=move || !takes_yes()
                on:click=move |_| {
                    editing.set(true);
                    focus_soon(card, ".la-form :is(input, select, textarea)");
                }
            >
                <span>{words.text(|l| &l.edit)}</span>
            </button>
        }
    });
    view! {
        {arguments(call, Some(seen.end()))}
        {question.map(|text| agents_words(&words, &text))}
        {edit}
        {
            let words = words.clone();
            let gone = move || {
                let gone = words.text(|l| &l.gone);
                view! { <p class="la-approval-text" role="status">{gone}</p> }.into_any()
            };
            when(move || !runnable.get(), gone)
        }
        {reason_field}
        <div class="la-approval-actions">
            <button
                type="button"
                class="la-button"
                data-variant="primary"
                aria-disabled=move || (!seen.is_done()).then_some("true")
                hidden=move || !takes_yes()
                on:click=approve
            >
                <span>{words.text(|l| &l.approve)}</span>
            </button>
            <button type="button" class="la-button" on:click=deny>
                <span>{words.text(|l| &l.deny)}</span>
            </button>
        </div>
        {hint(&words, seen)}
    }
}

/// What is still to be read before an approval counts, to whoever wanted to approve already.
pub(super) fn hint(words: &Words, seen: Seen) -> impl IntoView + use<> {
    let words = words.clone();
    let text = move || {
        seen.asks_to_read()
            .then(|| view! { <span>{words.text(|l| &l.read_to_end)}</span> })
    };
    view! {
        <p class="la-approval-hint" role="status">
            {dynamic(text)}
        </p>
    }
}

/// The arguments as fields; approving takes them as they are then.
fn edit(shown: &Shown) -> impl IntoView + use<> {
    let words = Words::current();
    let Shown {
        call,
        card,
        editing,
        ..
    } = shown.clone();
    let seen = shown.seen();
    let problems = RwSignal::new(Vec::new());
    let schema = untrack(|| call.edit_schema()).unwrap_or(Value::Bool(true));
    let initial = untrack(|| call.args_value()).unwrap_or_default();
    let told_in = words.clone();
    let approve = Callback::new(move |args: Value| {
        if !seen.allows() {
            return;
        }
        let wrong = told(call.approve_with(args), &told_in.now());
        if wrong.is_empty() {
            leave(card);
        }
        // The form is gone if the call has changed.
        let _ = problems.try_set(wrong);
    });
    let enabled = Signal::derive(move || seen.is_done());
    let approves = words.clone();
    let submit = Signal::derive(move || approves.word(|l| &l.approve).into_owned());
    view! {
        <SchemaForm
            schema
            initial
            problems
            enabled
            exact=true
            submit
            on_submit=approve
        >
            <button
                type="button"
                class="la-button"
                on:click=move |_| {
                    editing.set(false);
                    focus_soon(card, ".la-approval-edit");
                }
            >
                <span>{words.text(|l| &l.cancel)}</span>
            </button>
            {seen.end()}
        </SchemaForm>
    }
}

/// Passes the focus on before the card goes with it.
fn leave(card: NodeRef<html::Div>) {
    if let Some(card) = card.get_untracked() {
        focus::pass_on(&card);
    }
}

/// The button that was pressed goes with what stood there: the focus stays in the card.
fn focus_soon(card: NodeRef<html::Div>, selector: &'static str) {
    if let Some(card) = card.get_untracked() {
        focus::focus_in(card.into(), selector);
    }
}
