//! Renders the choice of how long an approval applies: a button beside Approve, and the group of
//! radio buttons that this button opens.
//!
//! The choice of a longer approval applies only while the group is open: with a closed group, the
//! approval is for one call. Changes by scripted events are reverted.

use assistant_core::action::{GrantBounds, Remember, RememberScope, Remembering};
use leptos::{html, prelude::*};
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::{
    approval_context::ApprovalContext,
    bounds::{self, NarrowedBounds},
};
use crate::{
    action::ToolCallView,
    ui::{Icon, LabelName, Words, dynamic, fresh_id, is_composing, is_trusted, when},
};

/// The user's choice on a card of how long the approval applies.
#[derive(Clone, Copy)]
pub(super) struct ScopeChoice {
    is_open: RwSignal<bool>,
    scope: RwSignal<Option<RememberScope>>,
    any_args: RwSignal<bool>,
    narrowed: NarrowedBounds,
}

impl ScopeChoice {
    pub(super) fn new() -> Self {
        Self {
            is_open: RwSignal::new(false),
            scope: RwSignal::new(None),
            any_args: RwSignal::new(false),
            narrowed: NarrowedBounds::new(),
        }
    }

    /// Returns the approval to remember; `None` if the user approves only one call.
    pub(super) fn selected_approval(self) -> Option<Remember> {
        let scope = self.scope.get_untracked()?;
        let any_args = self.any_args.get_untracked();
        Some(Remember::new(scope, any_args).bounded(self.narrowed.bounds()))
    }

    /// Closes the group and resets the choice, because the choice is no longer shown.
    fn close_and_reset(self) {
        self.is_open.set(false);
        self.scope.set(None);
        self.any_args.set(false);
        self.narrowed.reset();
    }
}

/// Renders the button that opens the group. Renders nothing if each call needs its own approval.
/// `hidden` is true while the card accepts no approval.
pub(super) fn scope_group_button(
    context: &ApprovalContext,
    choice: ScopeChoice,
    hidden: Signal<bool>,
) -> AnyView {
    if untrack(|| context.call.remembering()) == Remembering::Never {
        return ().into_any();
    }
    let words = Words::current();
    let opened_context = context.clone();
    let on_click = move |event: leptos::ev::MouseEvent| {
        if !is_trusted(&event) {
            return;
        }
        if choice.is_open.get_untracked() {
            return choice.close_and_reset();
        }
        choice.is_open.set(true);
        opened_context.focus_when_rendered(".la-approval-scopes input:checked");
    };
    view! {
        <button
            type="button"
            class="la-button la-approval-longer"
            data-shape="icon"
            aria-label=words.attr(LabelName::AllowLonger)
            title=words.attr(LabelName::AllowLonger)
            aria-expanded=move || if choice.is_open.get() { "true" } else { "false" }
            hidden=move || hidden.get()
            on:click=on_click
            on:keydown=escape_handler(context, choice)
        >
            {Icon::ChevronDown.view()}
        </button>
    }
    .into_any()
}

/// Returns a key handler that closes the group on Escape, and moves the focus to the button that
/// opens the group.
fn escape_handler(
    context: &ApprovalContext,
    choice: ScopeChoice,
) -> impl Fn(leptos::ev::KeyboardEvent) + 'static + use<> {
    let context = context.clone();
    move |event| {
        let is_open = choice.is_open.get_untracked();
        if !is_open || event.key() != "Escape" || is_composing(&event) || !is_trusted(&event) {
            return;
        }
        event.stop_propagation();
        choice.close_and_reset();
        context.focus_when_rendered(".la-approval-longer");
    }
}

/// Returns the scopes that the user may choose, with their labels; `None` is the scope of this call
/// alone.
fn offered_scopes(call: ToolCallView<Value>) -> Vec<(Option<RememberScope>, LabelName)> {
    let stores_approvals = call
        .assistant()
        .is_some_and(|assistant| assistant.view().stores_approvals.get_untracked());
    let mut scopes = vec![
        (None, LabelName::AllowOnce),
        (
            Some(RememberScope::Conversation),
            LabelName::AllowConversation,
        ),
        (Some(RememberScope::Session), LabelName::AllowSession),
    ];
    if stores_approvals {
        scopes.push((Some(RememberScope::Always), LabelName::AllowAlways));
    }
    scopes
}

/// Renders the group of radio buttons while the group is open and the card accepts an approval.
pub(super) fn scope_section(
    context: &ApprovalContext,
    choice: ScopeChoice,
    hidden: Signal<bool>,
) -> AnyView {
    let context = context.clone();
    when(
        move || choice.is_open.get() && !hidden.get(),
        move || scope_group(&context, choice),
    )
    .into_any()
}

fn scope_group(context: &ApprovalContext, choice: ScopeChoice) -> AnyView {
    let (words, call) = (Words::current(), context.call);
    let name = format!("la-scopes-{}", fresh_id());
    let fieldset = NodeRef::<html::Fieldset>::new();
    let radios: Vec<_> = offered_scopes(call)
        .into_iter()
        .map(|(scope, label)| scope_radio(&name, scope, label, choice, &words))
        .collect();
    // A scripted click on a label or an input is cancelled before it becomes a trusted `click` of
    // the input or a trusted `change`. The browser then restores the input.
    let on_click = move |event: leptos::ev::MouseEvent| {
        if !is_trusted(&event) {
            event.prevent_default();
        }
    };
    let on_change = move |event: leptos::ev::Event| {
        if let (false, Some(group)) = (is_trusted(&event), fieldset.get_untracked()) {
            restore_inputs(&group, choice);
        }
    };
    view! {
        <fieldset
            class="la-approval-scopes"
            node_ref=fieldset
            on:click=on_click
            on:change=on_change
            on:keydown=escape_handler(context, choice)
        >
            <legend class="la-field-label">{words.text(LabelName::AllowFor)}</legend>
            {radios.collect_view()}
            {any_arguments_checkbox(call, choice, &words)}
            {exact_arguments_note(choice, &words)}
            {bounds_section(call, choice)}
        </fieldset>
    }
    .into_any()
}

fn scope_radio(
    group: &str,
    scope: Option<RememberScope>,
    label: LabelName,
    choice: ScopeChoice,
    words: &Words,
) -> AnyView {
    let on_click = move |event: leptos::ev::MouseEvent| {
        if is_trusted(&event) {
            choice.scope.set(scope);
        }
    };
    view! {
        <label class="la-field la-field-check">
            <input
                type="radio"
                name=group.to_owned()
                value=scope_value(scope)
                prop:checked=move || choice.scope.get() == scope
                on:click=on_click
            />
            <span>{words.text(label)}</span>
        </label>
    }
    .into_any()
}

fn scope_value(scope: Option<RememberScope>) -> &'static str {
    scope.map_or("once", RememberScope::as_str)
}

/// Restores the inputs to the user's choice after a script has changed them.
fn restore_inputs(group: &web_sys::Element, choice: ScopeChoice) {
    let selected_value = scope_value(choice.scope.get_untracked());
    let Ok(inputs) = group.query_selector_all("input[type=radio], input[type=checkbox]") else {
        return;
    };
    let inputs = (0..inputs.length()).filter_map(|index| inputs.item(index)?.dyn_into().ok());
    for input in inputs.collect::<Vec<HtmlInputElement>>() {
        let is_checked = match input.type_().as_str() {
            "radio" => input.value() == selected_value,
            _ => choice.any_args.get_untracked(),
        };
        input.set_checked(is_checked);
    }
}

/// Renders the checkbox that extends a remembered approval to other arguments, if the action
/// permits the extension. The checkbox is shown once the user has chosen a scope.
fn any_arguments_checkbox(
    call: ToolCallView<Value>,
    choice: ScopeChoice,
    words: &Words,
) -> AnyView {
    let remembering = untrack(|| call.remembering());
    if remembering == Remembering::SameArguments {
        return ().into_any();
    }
    let words = words.clone();
    let on_click = move |event: leptos::ev::MouseEvent| {
        if is_trusted(&event) {
            let is_checked = event_target::<HtmlInputElement>(&event).checked();
            choice.any_args.set(is_checked);
        }
    };
    let checkbox = move || {
        let label = any_arguments_label(&words, &remembering);
        view! {
            <label class="la-field la-field-check">
                <input type="checkbox" prop:checked=choice.any_args on:click=on_click />
                <span>{label}</span>
            </label>
        }
        .into_any()
    };
    when(move || choice.scope.get().is_some(), checkbox).into_any()
}

/// Renders the note that a remembered approval applies only to the arguments of this call, once the
/// user has chosen a scope and has not extended the approval.
fn exact_arguments_note(choice: ScopeChoice, words: &Words) -> AnyView {
    let words = words.clone();
    let note = move || {
        view! { <p class="la-field-hint">{words.text(LabelName::AllowedExactly)}</p> }.into_any()
    };
    when(
        move || choice.scope.get().is_some() && !choice.any_args.get(),
        note,
    )
    .into_any()
}

fn any_arguments_label(words: &Words, remembering: &Remembering) -> AnyView {
    match remembering {
        Remembering::SameFields(names) => {
            let (words, names) = (words.clone(), names.join(", "));
            let label = move || {
                words
                    .word(LabelName::AllowOtherFields)
                    .replace("{fields}", &names)
            };
            dynamic(label).into_any()
        }
        _ => words.text(LabelName::AllowOther),
    }
}

/// Renders the fields that narrow the bounds of a remembered approval, if the action declares
/// bounds. The fields are shown once the user has chosen a scope.
fn bounds_section(call: ToolCallView<Value>, choice: ScopeChoice) -> AnyView {
    let widest = untrack(|| call.grant_bounds());
    if widest == GrantBounds::default() {
        return ().into_any();
    }
    let fields = move || {
        let widest = widest.clone();
        dynamic(move || bounds::bound_fields(&widest, choice.any_args.get(), choice.narrowed))
            .into_any()
    };
    when(move || choice.scope.get().is_some(), fields).into_any()
}
