//! Renders the content of an approval card: the call, and the buttons that approve or deny the
//! call.

use assistant_core::{conversation::Decider, session::Verdict};
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    ExactText, SchemaForm,
    agents_words::agent_text,
    approval_context::ApprovalContext,
    approval_notes::{approval_hint_unless, is_unavailable},
    batch,
    call_description::DescribedExtent,
    exact::arguments,
    pieces::escape_hidden,
    pretty::format_json,
    preview::preview,
    problems::LastRefusal,
    scopes::{ScopeChoice, scope_group_button, scopes},
    visibility::{Visibility, cover_note},
};
use crate::ui::{
    Icon, LabelSelector, Words, decider_by, dynamic, is_composing, is_trusted, memo, when,
};

/// Renders the call with notes and preview, and the buttons that approve or deny the call. Adds the
/// card to the batch of its response, except after an unknown outcome.
pub(super) fn decision_view(
    shown: &ApprovalContext,
    extent: DescribedExtent,
    question: Option<String>,
) -> impl IntoView + use<> {
    let words = Words::current();
    let call = shown.call;
    let visibility = shown.track_visibility();
    let choice = ScopeChoice::new();
    let again = untrack(|| call.has_unknown_outcome());
    if !again {
        batch::join_batch(call, visibility);
    }
    let runnable = memo(move || call.can_run());
    let warning = again.then(|| {
        view! { <p class="la-approval-text" role="status">{words.text(|l| &l.unknown_outcome)}</p> }
    });
    let unavailable = is_unavailable(runnable);
    let removed_note = {
        let words = words.clone();
        let removed_note = move || {
            let removed_note = words.text(|l| &l.action_removed);
            view! { <p class="la-approval-text" role="status">{removed_note}</p> }.into_any()
        };
        when(move || unavailable.get(), removed_note)
    };
    let described = extent != DescribedExtent::Nothing;
    let more = details_fold(shown, &extent, runnable);
    view! {
        {cover_note(&words, visibility)}
        {warning}
        {preview(call)}
        {call_content(shown, extent, visibility)}
        {question.map(|text| agent_text(&words, &text))}
        {removed_note}
        {answer_buttons(shown, visibility, runnable, unavailable, choice, described)}
        {more}
    }
}

/// Renders the call that would run: the exact arguments without a description, a truncated
/// description above the exact arguments, or a complete description above the arguments that it
/// does not mention.
fn call_content(
    shown: &ApprovalContext,
    extent: DescribedExtent,
    visibility: Visibility,
) -> AnyView {
    let (call, words) = (shown.call, Words::current());
    match extent {
        DescribedExtent::Nothing => arguments(call, Some(visibility.end_mark())),
        DescribedExtent::Part => {
            view! { {shown.rows(None)} {arguments(call, Some(visibility.end_mark()))} }.into_any()
        }
        DescribedExtent::All(rest) => view! {
            {shown.rows(Some(visibility.end_mark()))}
            {rest.map(|rest| unmentioned_arguments(&words, &rest, visibility))}
        }
        .into_any(),
    }
}

/// Renders the fold with the details that no decision depends on: the name of the call, if the
/// heading has the page's words instead; the exact arguments, if the rows describe them; and the
/// button for editing the arguments. The fold is hidden while it would be empty.
fn details_fold(
    shown: &ApprovalContext,
    extent: &DescribedExtent,
    runnable: Memo<bool>,
) -> AnyView {
    let (words, shown) = (Words::current(), shown.clone());
    let is_described = matches!(extent, DescribedExtent::All(_));
    let takes_edits = untrack(|| shown.call.approval_takes()).edits;
    let (description, over) = (shown.description, shown.over);
    let is_name_omitted = {
        let words = words.clone();
        memo(move || description.is_name_omitted(&words))
    };
    let fold = move || {
        let (labels, open) = (words.clone(), shown.more);
        let name = when(
            move || is_name_omitted.get(),
            move || {
                view! { <p class="la-approval-what">{description.call_name(&labels)}</p> }
                    .into_any()
            },
        );
        view! {
            <details
                class="la-fold la-approval-more"
                open=move || open.get()
                on:toggle=move |event| {
                    open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open());
                }
            >
                <summary class="la-fold-summary">
                    {Icon::chevron()} <span>{words.text(|l| &l.more)}</span>
                </summary>
                <div class="la-approval-details">
                    {name} {is_described.then(|| arguments(shown.call, None))}
                    {takes_edits.then(|| edit_button(&shown, runnable))}
                </div>
            </details>
        }
        .into_any()
    };
    let is_editable = move || takes_edits && runnable.get() && !over.get();
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
            <p class="la-field-label">{words.text(|l| &l.not_mentioned)}</p>
            <pre
                class="la-code"
                dir="ltr"
                data-kind="not-mentioned"
                tabindex="0"
                role="group"
                aria-label=words.attr(|l| &l.not_mentioned)
            >
                <ExactText text=format_json(rest) />
                {visibility.end_mark()}
            </pre>
        </div>
    }
    .into_any()
}

/// Renders the button that opens the form for editing arguments.
fn edit_button(shown: &ApprovalContext, runnable: Memo<bool>) -> AnyView {
    let (words, shown) = (Words::current(), shown.clone());
    let over = shown.over;
    view! {
        <button
            type="button"
            class="la-button la-approval-edit"
            data-size="small"
            hidden=move || !runnable.get() || over.get()
            on:click=move |_| shown.start_editing()
        >
            <span>{words.text(|l| &l.edit)}</span>
        </button>
    }
    .into_any()
}

/// Renders the buttons that answer the request. If a reason is accepted, Deny first opens a field
/// for the reason; while the field is open, Approve is hidden and Back is shown.
fn answer_buttons(
    shown: &ApprovalContext,
    visibility: Visibility,
    runnable: Memo<bool>,
    unavailable: ReadSignal<bool>,
    choice: ScopeChoice,
    described: bool,
) -> AnyView {
    let words = Words::current();
    let (call, over) = (shown.call, shown.over);
    let again = untrack(|| call.has_unknown_outcome());
    // Declining to run a call again needs no reason.
    let takes_reason = !again && untrack(|| call.approval_takes()).reason;
    let denying = RwSignal::new(false);
    let reason = NodeRef::<html::Input>::new();
    let unapprovable = Signal::derive(move || !runnable.get() || over.get() || denying.get());
    let (left, denied, back) = (shown.clone(), shown.clone(), shown.clone());
    let approve = move |event: leptos::ev::MouseEvent| {
        // Refused if it was decided elsewhere, and then the card is removed, or if it has changed,
        // and then the card shows that. A page may have moved the button out of the card.
        if !is_trusted(&event) || !visibility.check_answer() {
            return;
        }
        let verdict = match choice.selected_approval() {
            Some(what) => Verdict::Remember { args: None, what },
            None => Verdict::Approve { args: None },
        };
        if call.decide(verdict, Decider::Person).is_ok() {
            left.pass_focus_on();
        }
    };
    let deny = move |event: &web_sys::Event| {
        let text = reason.get_untracked().map(|input| input.value());
        let text = text.as_deref().map(str::trim).unwrap_or_default();
        denied.pass_focus_on();
        // Refused only if it was decided elsewhere, and then the card is removed.
        let reason = (!text.is_empty()).then(|| text.to_owned());
        let _ = call.decide(Verdict::Deny { reason }, decider_by(event));
    };
    let by_key = {
        let (deny, back) = (deny.clone(), shown.clone());
        move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
            "Enter" if !is_composing(&event) => {
                event.prevent_default();
                deny(&event);
            }
            "Escape" if !is_composing(&event) => {
                event.stop_propagation();
                denying.set(false);
                back.focus_when_rendered(".la-approval-deny");
            }
            _ => {}
        }
    };
    let reason_form = {
        let words = words.clone();
        move || {
            let by_key = by_key.clone();
            view! {
                <label class="la-field">
                    <span class="la-field-label">{words.text(|l| &l.reason)}</span>
                    <input
                        class="la-input la-approval-reason"
                        type="text"
                        autocomplete="off"
                        node_ref=reason
                        on:keydown=by_key
                    />
                </label>
            }
            .into_any()
        }
    };
    // A call whose action was removed is dismissed, not denied.
    let takes_reason_first =
        move || takes_reason && runnable.get_untracked() && !denying.get_untracked();
    let press_deny = move |event: leptos::ev::MouseEvent| match takes_reason_first() {
        true => {
            denying.set(true);
            back.focus_when_rendered(".la-approval-reason");
        }
        false => deny(&event),
    };
    let returns = shown.clone();
    let denies = {
        let words = words.clone();
        move || match (again, unavailable.get() && !denying.get()) {
            (true, _) => words.text(|l| &l.skip),
            (false, false) => words.text(|l| &l.deny),
            (false, true) => words.text(|l| &l.dismiss),
        }
    };
    let variant = move || match call.risk() == crate::action::Risk::Danger {
        true => "danger",
        false => "primary",
    };
    view! {
        {when(move || denying.get(), reason_form)}
        <div class="la-approval-actions">
            <div class="la-approval-split" hidden=move || unapprovable.get()>
                <button
                    type="button"
                    class="la-button la-approval-approve"
                    data-variant=variant
                    aria-disabled=move || (!visibility.is_satisfied()).then_some("true")
                    hidden=move || unapprovable.get()
                    aria-label=approve_button_name(shown, &words)
                    title=approve_button_name(shown, &words)
                    aria-describedby=described.then(|| shown.rows_id.clone())
                    on:click=approve
                >
                    <span>{words.text(approve_button_label(shown))}</span>
                </button>
                {scope_group_button(shown, choice, unapprovable)}
            </div>
            <button
                type="button"
                class="la-button la-approval-deny"
                aria-expanded=move || {
                    takes_reason.then(|| if denying.get() { "true" } else { "false" })
                }
                on:click=press_deny
            >
                <span>{dynamic(denies)}</span>
            </button>
            <button
                type="button"
                class="la-button"
                hidden=move || !denying.get()
                on:click=move |_| {
                    denying.set(false);
                    returns.focus_when_rendered(".la-approval-deny");
                }
            >
                <span>{words.text(|l| &l.back)}</span>
            </button>
        </div>
        {scopes(shown, choice, unapprovable)}
        {approval_hint_unless(&words, visibility, denying.into())}
    }
    .into_any()
}

/// Returns the label of the button that approves: Approve, or Run again if the outcome of the call
/// is unknown.
fn approve_button_label(shown: &ApprovalContext) -> LabelSelector {
    match untrack(|| shown.call.has_unknown_outcome()) {
        true => |l| &l.run_again,
        false => |l| &l.approve,
    }
}

/// Returns a function that returns the accessible name and tooltip of the button that approves: the
/// label and, on a card of the page, the title or name of the call, because a screen reader's list
/// of buttons omits the heading of the card.
fn approve_button_name(
    shown: &ApprovalContext,
    words: &Words,
) -> impl Fn() -> String + Send + Sync + use<> {
    let (call, words) = (shown.call, words.clone());
    let by_agent = untrack(|| call.is_asked_by_agent());
    let word = approve_button_label(shown);
    move || {
        let yes = words.word(word);
        match by_agent {
            true => yes.into_owned(),
            false => format!(
                "{yes}: {}",
                escape_hidden(&call.title().unwrap_or_else(|| call.name()))
            ),
        }
    }
}

/// Renders the form for editing the arguments of a call. Submitting approves the call with the
/// edited arguments; if the page asks and the action has a preview, the user reviews the preview of
/// the edited arguments first.
pub(super) fn edit_form(shown: &ApprovalContext) -> impl IntoView + use<> {
    let words = Words::current();
    let call = shown.call;
    let visibility = shown.track_visibility();
    let wrong = LastRefusal::new();
    let problems = wrong.messages(&words);
    let schema = untrack(|| call.edit_schema()).unwrap_or(Value::Bool(true));
    let initial = untrack(|| call.args_value()).unwrap_or_default();
    let (left, back) = (shown.clone(), shown.clone());
    // Changed arguments are approved once their preview was shown.
    let reviews = untrack(|| call.has_preview() && !call.is_asked_by_agent());
    let approve = Callback::new(move |args: Value| {
        if !visibility.check_answer() {
            return;
        }
        let verdict = Verdict::Approve {
            args: Some(args.clone()),
        };
        match wrong.record_outcome(call.decide(verdict, Decider::Person)) {
            true if reviews => left.show_review(args),
            true => left.pass_focus_on(),
            false => {}
        }
    });
    let enabled = Signal::derive(move || visibility.is_satisfied());
    let approves = words.clone();
    let submit: LabelSelector = match reviews {
        true => |l| &l.review,
        false => |l| &l.approve,
    };
    let submit = Signal::derive(move || approves.word(submit).into_owned());
    let leaves = back.clone();
    let by_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && !is_composing(&event) {
            event.stop_propagation();
            leaves.stop_editing();
        }
    };
    view! {
        {cover_note(&words, visibility)}
        <SchemaForm
            on:keydown=by_key
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
                on:click=move |_| back.stop_editing()
            >
                <span>{words.text(|l| &l.cancel)}</span>
            </button>
            {visibility.end_mark()}
        </SchemaForm>
    }
}
