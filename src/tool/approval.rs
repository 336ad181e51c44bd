//! The question whether a call may run: asked by the page, or by the agent. Two kinds of card that
//! cannot be taken for each other.

use assistant_core::conversation::Fingerprint;
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    ExactText,
    decide::{decide, edit},
    expiry::Expiry,
    inbox::place,
    once::once,
    pretty::pretty,
    said::Said,
    visibility::{Visibility, raisable},
};
use crate::{
    action::{Risk, ToolCallView},
    ui::{Words, dynamic, focus, memo},
    view::Question,
};

/// Asks the person whether a call may run, showing exactly what would. The arguments can be
/// changed first, where the action or the agent takes changed ones.
///
/// The page's own question (`data-kind="page"`) says what this page will run, in the page's words:
/// what [`ToolAction::describe`](crate::ToolAction::describe) says of the call, with the arguments
/// that it does not mention below it and all exact arguments one click away, else the action's title or name above the arguments. `data-risk` says
/// how much depends on it ([`Risk`]).
/// An agent's question (`data-kind="agent"`) says that the agent asks; what the agent says stands
/// below the arguments, as its words. Approving counts once the end of the arguments was in view
/// and the card has stood unchanged for half a second; until then the button is `aria-disabled`.
/// Deny asks for a reason, which may be left out; a second press denies. Where several windows of one assistant stand in the page, one of them asks,
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
/// /// A frame of your own around the built-in question.
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
    once(&assistant, Question::Call(*call.key()), move || {
        raisable(move || asked(call))
    })
}

/// The card, wherever else the question stands.
pub(super) fn asked(call: ToolCallView<Value>) -> AnyView {
    // Another question is another card.
    let asked = memo(move || call.interrupt_id());
    dynamic(move || card(&call, asked.get())).into_any()
}

fn card(call: &ToolCallView<Value>, asked: Option<String>) -> AnyView {
    let words = Words::current();
    let id = format!("la-approval-{}", crate::ui::fresh_id());
    let by_agent = asked.is_some();
    let card = NodeRef::<html::Div>::new();
    let editing = RwSignal::new(false);
    let over = RwSignal::new(false);
    let question = by_agent.then(|| untrack(|| call.question())).flatten();
    let expires = untrack(|| call.expires_at());
    let place = asked.and_then(|id| Some(place(&call.assistant()?, id)));
    let (risk, noted) = (*call, changed_note(*call));
    let said = Said::of(*call, by_agent);
    let shown = Shown {
        call: *call,
        card,
        editing,
        over,
        said,
    };
    let stage = said.extent();
    let body = move || match editing.get() {
        true => edit(&shown).into_any(),
        false => decide(&shown, stage.get(), question.clone()).into_any(),
    };
    let tone = move || {
        let risk = if by_agent {
            Risk::default()
        } else {
            risk.risk()
        };
        risk.as_str()
    };
    view! {
        <div
            class="la-approval"
            role="group"
            aria-labelledby=id.clone()
            tabindex="-1"
            node_ref=card
            data-kind=if by_agent { "agent" } else { "page" }
            data-risk=tone
        >
            <div class="la-approval-head" id=id.clone()>
                {said.heading(&words)} {place}
            </div>
            <div class="la-approval-body">
                {noted} {said.text(&words)} <Expiry at=expires over /> {dynamic(body)}
            </div>
        </div>
    }
    .into_any()
}

/// What the parts of a card share.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) call: ToolCallView<Value>,
    pub(super) card: NodeRef<html::Div>,
    pub(super) editing: RwSignal<bool>,
    /// The time to answer is over.
    pub(super) over: RwSignal<bool>,
    /// What the page says of the call.
    pub(super) said: Said,
}

impl Shown {
    /// Tracks whether the card can have been read.
    pub(super) fn visibility(&self) -> Visibility {
        let editing = self.editing;
        // A form of other arguments is void.
        visibility(self.call, move || editing.set(false))
    }

    /// Passes the focus on before the card goes with it.
    pub(super) fn leave(&self) {
        if let Some(card) = self.card.get_untracked() {
            focus::pass_on(&card);
        }
    }

    /// The button that was pressed goes with what stood there: the focus stays in the card.
    pub(super) fn focus_soon(&self, selector: &'static str) {
        if let Some(card) = self.card.get_untracked() {
            focus::focus_in(card.into(), selector);
        }
    }
}

/// Tracks whether a call can have been read as it is now; `changed` is called when it becomes another one.
pub(super) fn visibility(call: ToolCallView<Value>, changed: impl Fn() + 'static) -> Visibility {
    let content: Memo<Option<Fingerprint>> = memo(move || call.fingerprint());
    Visibility::new(content, changed)
}

/// Says that the call has changed since it was shown, if it has.
pub(super) fn changed_note(call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    let first = untrack(|| call.fingerprint());
    let says = memo(move || {
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

/// What is still to be read before an approval counts, to whoever wanted to approve already.
pub(super) fn hint(words: &Words, visibility: Visibility) -> impl IntoView + use<> {
    let words = words.clone();
    let text = move || {
        visibility
            .prompts_to_read()
            .then(|| view! { <span>{words.text(|l| &l.read_to_end)}</span> })
    };
    view! {
        <p class="la-approval-hint" role="status">
            {dynamic(text)}
        </p>
    }
}
