//! Renders the content of an approval card: the call, and the buttons that approve or deny the
//! call.

use assistant_core::{conversation::Decider, session::Verdict};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    ExactText, SchemaForm,
    agent_text::agent_text,
    approval_context::ApprovalContext,
    approval_notes::{approval_hint_unless, is_unavailable},
    batch,
    call_description::DescribedExtent,
    exact_text::arguments,
    json_text::format_json,
    preview::preview,
    problems::LastRefusal,
    scopes::{ScopeChoice, scope_group_button, scope_section},
    text_pieces::escape_hidden,
    visibility::{Visibility, cover_note},
};
use crate::ui::{
    Icon, LabelName, Words, decider_by, dynamic, is_composing, is_trusted, memo, when,
};

/// Renders the call with its notes and its preview, and the buttons that approve or deny the call.
/// Adds the card to the batch of its response, except if the outcome of the call is unknown.
pub(super) fn decision_view(
    context: &ApprovalContext,
    extent: DescribedExtent,
    question: Option<String>,
) -> impl IntoView + use<> {
    let words = Words::current();
    let call = context.call;
    let visibility = context.track_visibility();
    let choice = ScopeChoice::new();
    let is_repeat = untrack(|| call.has_unknown_outcome());
    if !is_repeat {
        batch::join_batch(call, visibility);
    }
    let runnable = memo(move || call.can_run());
    let warning = is_repeat.then(|| {
        view! { <p class="la-approval-text" role="status">{words.text(LabelName::UnknownOutcome)}</p> }
    });
    let unavailable = is_unavailable(runnable);
    let removed_note = {
        let words = words.clone();
        let draw_note = move || {
            let text = words.text(LabelName::ActionRemoved);
            view! { <p class="la-approval-text" role="status">{text}</p> }.into_any()
        };
        when(move || unavailable.get(), draw_note)
    };
    let is_described = extent != DescribedExtent::Nothing;
    let details = details_fold(context, &extent, runnable);
    view! {
        {cover_note(&words, visibility)}
        {warning}
        {preview(call)}
        {call_content(context, extent, visibility)}
        {question.map(|text| agent_text(&words, &text))}
        {removed_note}
        {answer_buttons(context, visibility, runnable, unavailable, choice, is_described)}
        {details}
    }
}

/// Renders the call that would run. Without a description, the exact arguments are shown. A
/// truncated description is shown above the exact arguments, and a complete description is shown
/// above the arguments that the description does not mention.
fn call_content(
    context: &ApprovalContext,
    extent: DescribedExtent,
    visibility: Visibility,
) -> AnyView {
    let (call, words) = (context.call, Words::current());
    match extent {
        DescribedExtent::Nothing => arguments(call, Some(visibility.end_mark())),
        DescribedExtent::Part => {
            view! { {context.rows(None)} {arguments(call, Some(visibility.end_mark()))} }.into_any()
        }
        DescribedExtent::All(unmentioned) => view! {
            {context.rows(Some(visibility.end_mark()))}
            {unmentioned.map(|unmentioned| unmentioned_arguments(&words, &unmentioned, visibility))}
        }
        .into_any(),
    }
}

/// Renders the fold with the details that no decision depends on: the name of the call, if the
/// heading has the page's question instead; the exact arguments, if the description is complete;
/// and the button for editing the arguments. The fold is hidden while it would be empty.
fn details_fold(
    context: &ApprovalContext,
    extent: &DescribedExtent,
    runnable: Memo<bool>,
) -> AnyView {
    let (words, context) = (Words::current(), context.clone());
    let is_described = matches!(extent, DescribedExtent::All(_));
    let takes_edits = untrack(|| context.call.approval_takes()).edits;
    let (description, expired) = (context.description, context.expired);
    let is_name_omitted = {
        let words = words.clone();
        memo(move || description.is_name_omitted(&words))
    };
    let fold = move || {
        let (name_words, is_open) = (words.clone(), context.more);
        let name = when(
            move || is_name_omitted.get(),
            move || {
                view! { <p class="la-approval-what">{description.call_name(&name_words)}</p> }
                    .into_any()
            },
        );
        view! {
            <details
                class="la-fold la-approval-more"
                open=move || is_open.get()
                on:toggle=move |event| {
                    is_open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open());
                }
            >
                <summary class="la-fold-summary">
                    {Icon::chevron()} <span>{words.text(LabelName::More)}</span>
                </summary>
                <div class="la-approval-details">
                    {name} {is_described.then(|| arguments(context.call, None))}
                    {takes_edits.then(|| edit_button(&context, runnable))}
                </div>
            </details>
        }
        .into_any()
    };
    let is_editable = move || takes_edits && runnable.get() && !expired.get();
    when(
        move || is_described || is_name_omitted.get() || is_editable(),
        fold,
    )
    .into_any()
}

/// Renders the exact arguments that the description does not mention.
fn unmentioned_arguments(words: &Words, rest: &Value, visibility: Visibility) -> AnyView {
    view! {
        <div class="la-approval-rest">
            <p class="la-field-label">{words.text(LabelName::NotMentioned)}</p>
            <pre
                class="la-code"
                dir="ltr"
                data-kind="not-mentioned"
                tabindex="0"
                role="group"
                aria-label=words.attr(LabelName::NotMentioned)
            >
                <ExactText text=format_json(rest) />
                {visibility.end_mark()}
            </pre>
        </div>
    }
    .into_any()
}

/// Renders the button that opens the form for editing arguments.
fn edit_button(context: &ApprovalContext, runnable: Memo<bool>) -> AnyView {
    let (words, context) = (Words::current(), context.clone());
    let expired = context.expired;
    view! {
        <button
            type="button"
            class="la-button la-approval-edit"
            data-size="small"
            hidden=move || !runnable.get() || expired.get()
            on:click=move |_| context.start_editing()
        >
            <span>{words.text(LabelName::Edit)}</span>
        </button>
    }
    .into_any()
}

/// Renders the buttons that answer the request. If a reason is accepted, Deny first opens a field
/// for the reason; while the field is open, Approve is hidden and Back is shown.
fn answer_buttons(
    context: &ApprovalContext,
    visibility: Visibility,
    runnable: Memo<bool>,
    unavailable: ReadSignal<bool>,
    choice: ScopeChoice,
    is_described: bool,
) -> AnyView {
    let words = Words::current();
    let (call, expired) = (context.call, context.expired);
    let is_repeat = untrack(|| call.has_unknown_outcome());
    // No reason is asked for if the user declines to run a call again.
    let takes_reason = !is_repeat && untrack(|| call.approval_takes()).reason;
    let is_denying = RwSignal::new(false);
    let reason = NodeRef::<html::Input>::new();
    let is_unapprovable =
        Signal::derive(move || !runnable.get() || expired.get() || is_denying.get());
    let (approve_context, deny_context, back_context) =
        (context.clone(), context.clone(), context.clone());
    let approve = move |event: leptos::ev::MouseEvent| {
        // Scripted and premature presses are ignored. `check_answer` also rejects a press on a
        // button that the page has moved out of the card.
        if !is_trusted(&event) || !visibility.check_answer() {
            return;
        }
        let verdict = match choice.selected_approval() {
            Some(remember) => Verdict::Remember {
                args: None,
                what: remember,
            },
            None => Verdict::Approve { args: None },
        };
        // The focus moves only if the approval was accepted. `decide` fails if the call was already
        // decided or has changed.
        if call.decide(verdict, Decider::Person).is_ok() {
            approve_context.pass_focus_on();
        }
    };
    let deny = move |event: &web_sys::Event| {
        let text = reason.get_untracked().map(|input| input.value());
        let text = text.as_deref().map(str::trim).unwrap_or_default();
        deny_context.pass_focus_on();
        let reason = (!text.is_empty()).then(|| text.to_owned());
        // The error is ignored, because `decide` fails only if the call was already decided.
        let _ = call.decide(Verdict::Deny { reason }, decider_by(event));
    };
    let on_key = {
        let (deny, back_context) = (deny.clone(), context.clone());
        move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
            "Enter" if !is_composing(&event) => {
                event.prevent_default();
                deny(&event);
            }
            "Escape" if !is_composing(&event) => {
                event.stop_propagation();
                is_denying.set(false);
                back_context.focus_when_rendered(".la-approval-deny");
            }
            _ => {}
        }
    };
    let reason_form = {
        let words = words.clone();
        move || {
            let on_key = on_key.clone();
            view! {
                <label class="la-field">
                    <span class="la-field-label">{words.text(LabelName::Reason)}</span>
                    <input
                        class="la-input la-approval-reason"
                        type="text"
                        autocomplete="off"
                        node_ref=reason
                        on:keydown=on_key
                    />
                </label>
            }
            .into_any()
        }
    };
    // A call that cannot run, because its action was removed, is denied without a reason.
    let asks_for_reason =
        move || takes_reason && runnable.get_untracked() && !is_denying.get_untracked();
    let press_deny = move |event: leptos::ev::MouseEvent| match asks_for_reason() {
        true => {
            is_denying.set(true);
            back_context.focus_when_rendered(".la-approval-reason");
        }
        false => deny(&event),
    };
    let return_context = context.clone();
    let deny_label = {
        let words = words.clone();
        move || match (is_repeat, unavailable.get() && !is_denying.get()) {
            (true, _) => words.text(LabelName::Skip),
            (false, false) => words.text(LabelName::Deny),
            (false, true) => words.text(LabelName::Dismiss),
        }
    };
    let variant = move || match call.risk() == crate::action::Risk::Danger {
        true => "danger",
        false => "primary",
    };
    view! {
        {when(move || is_denying.get(), reason_form)}
        <div class="la-approval-actions">
            <div class="la-approval-split" hidden=move || is_unapprovable.get()>
                <button
                    type="button"
                    class="la-button la-approval-approve"
                    data-variant=variant
                    aria-disabled=move || (!visibility.is_satisfied()).then_some("true")
                    hidden=move || is_unapprovable.get()
                    aria-label=approve_button_name(context, &words)
                    title=approve_button_name(context, &words)
                    aria-describedby=is_described.then(|| context.rows_id.clone())
                    on:click=approve
                >
                    <span>{words.text(approve_button_label(context))}</span>
                </button>
                {scope_group_button(context, choice, is_unapprovable)}
            </div>
            <button
                type="button"
                class="la-button la-approval-deny"
                aria-expanded=move || {
                    takes_reason.then(|| if is_denying.get() { "true" } else { "false" })
                }
                on:click=press_deny
            >
                <span>{dynamic(deny_label)}</span>
            </button>
            <button
                type="button"
                class="la-button"
                hidden=move || !is_denying.get()
                on:click=move |_| {
                    is_denying.set(false);
                    return_context.focus_when_rendered(".la-approval-deny");
                }
            >
                <span>{words.text(LabelName::Back)}</span>
            </button>
            {approval_hint_unless(&words, visibility, is_denying.into())}
        </div>
        {scope_section(context, choice, is_unapprovable)}
    }
    .into_any()
}

/// Returns the label of the button that approves: Approve, or Run again if the outcome of the call
/// is unknown.
fn approve_button_label(context: &ApprovalContext) -> LabelName {
    match untrack(|| context.call.has_unknown_outcome()) {
        true => LabelName::RunAgain,
        false => LabelName::Approve,
    }
}

/// Returns a function that returns the accessible name and tooltip of the button that approves: the
/// label and, on a card of the page, the title or name of the call, because a screen reader's list
/// of buttons omits the heading of the card.
fn approve_button_name(
    context: &ApprovalContext,
    words: &Words,
) -> impl Fn() -> String + Send + Sync + use<> {
    let (call, words) = (context.call, words.clone());
    let by_agent = untrack(|| call.is_asked_by_agent());
    let selector = approve_button_label(context);
    move || {
        let label = words.word(selector);
        match by_agent {
            true => label.into_owned(),
            false => format!(
                "{label}: {}",
                escape_hidden(&call.title().unwrap_or_else(|| call.name()))
            ),
        }
    }
}

/// Renders the form for editing the arguments of a call. Submitting the form approves the call with
/// the edited arguments. If the page requests the approval and the action has a preview, the user
/// reviews the preview of the edited arguments first.
pub(super) fn edit_form(context: &ApprovalContext) -> impl IntoView + use<> {
    let words = Words::current();
    let call = context.call;
    let visibility = context.track_visibility();
    let last_refusal = LastRefusal::new();
    let problems = last_refusal.messages(&words);
    let schema = untrack(|| call.edit_schema()).unwrap_or(Value::Bool(true));
    let initial = untrack(|| call.args_value()).unwrap_or_default();
    let (submit_context, cancel_context) = (context.clone(), context.clone());
    // If the page asks and the action has a preview, edited arguments are approved only after their
    // preview was shown.
    let shows_review = untrack(|| call.has_preview() && !call.is_asked_by_agent());
    let approve = Callback::new(move |args: Value| {
        if !visibility.check_answer() {
            return;
        }
        let verdict = Verdict::Approve {
            args: Some(args.clone()),
        };
        match last_refusal.record_outcome(call.decide(verdict, Decider::Person)) {
            true if shows_review => submit_context.show_review(args),
            true => submit_context.pass_focus_on(),
            false => {}
        }
    });
    let enabled = Signal::derive(move || visibility.is_satisfied());
    let submit_words = words.clone();
    let submit_label = match shows_review {
        true => LabelName::Review,
        false => LabelName::Approve,
    };
    let submit = Signal::derive(move || submit_words.word(submit_label).into_owned());
    let escape_context = cancel_context.clone();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && !is_composing(&event) {
            event.stop_propagation();
            escape_context.stop_editing();
        }
    };
    view! {
        {cover_note(&words, visibility)}
        <SchemaForm
            on:keydown=on_key
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
                on:click=move |_| cancel_context.stop_editing()
            >
                <span>{words.text(LabelName::Cancel)}</span>
            </button>
            {visibility.end_mark()}
        </SchemaForm>
    }
}
