//! Answers several approval requests of a turn together. Each answer applies to the call
//! exactly as the card shows the call (rule "several questions of one response").

use assistant_core::{
    conversation::{CallKey, Decider},
    session::Verdict,
};
use leptos::prelude::*;
use serde_json::Value;

use super::{
    ExactText,
    approval_notes::approval_hint,
    attention::stop_button,
    call_description::CallDescription,
    visibility::{Visibility, cover_note, render_raisable},
};
use crate::{
    action::ToolCallView,
    ui::{Icon, LabelName, Words, decider_by, dynamic, focus, is_trusted, memo},
};

/// The approval requests of a turn, or of a block of a long turn, which the user answers together.
#[derive(Clone, Copy)]
pub(crate) struct ApprovalBatch {
    entries: RwSignal<Vec<BatchEntry>>,
    /// True if the turn has more than one approval request. Most turns have no requests, and the
    /// views of their messages track only this signal.
    several: RwSignal<bool>,
}

/// An approval request, with the tracker that decides whether the card of the request was read.
#[derive(Clone, Copy)]
struct BatchEntry {
    number: u64,
    call: ToolCallView<Value>,
    visibility: Visibility,
}

impl ApprovalBatch {
    pub(crate) fn new() -> Self {
        Self {
            entries: RwSignal::new(Vec::new()),
            several: RwSignal::new(false),
        }
    }

    /// Returns the oldest call, above whose card the summary is rendered; `None` if the batch does
    /// not contain several calls. Tracked.
    pub(crate) fn first_of_several(self) -> Option<CallKey> {
        let keys = |list: &Vec<BatchEntry>| list.iter().map(|entry| *entry.call.key()).min();
        self.several.get().then(|| self.entries.with(keys))?
    }

    fn update_entries(self, change: impl FnOnce(&mut Vec<BatchEntry>)) {
        // `try_update` returns `None` if the signal was disposed together with the turn.
        let count = self.entries.try_update(|list| {
            change(list);
            list.len()
        });
        let has_several = count.unwrap_or_default() > 1;
        if self.several.try_get_untracked() == Some(!has_several) {
            self.several.set(has_several);
        }
    }
}

/// Adds an approval request of the page to the batch of its turn until the card of the request
/// is unmounted. Questions of the agent are not added, because they are answered individually.
pub(super) fn join_batch(call: ToolCallView<Value>, visibility: Visibility) {
    let Some(batch) = use_context::<ApprovalBatch>() else {
        return;
    };
    let number = call
        .assistant()
        .map(|assistant| assistant.runtime().next_number());
    let (Some(number), false) = (number, untrack(|| call.is_asked_by_agent())) else {
        return;
    };
    let entry = BatchEntry {
        number,
        call,
        visibility,
    };
    batch.update_entries(|list| list.push(entry));
    on_cleanup(move || batch.update_entries(|list| list.retain(|entry| entry.number != number)));
}

/// Renders the bar for a turn with several approvals: a row for each approval, and the buttons
/// that answer all of them. Approval is accepted only after each card was read to its end, and the
/// bar has been visible, uncovered, unchanged and stationary for half a second. Every decision
/// applies to the call exactly as the card shows the call.
pub(crate) fn batch_bar(batch: ApprovalBatch) -> AnyView {
    let entries = batch.entries;
    render_raisable(move || batch_card(entries)).into_any()
}

fn batch_card(entries: RwSignal<Vec<BatchEntry>>) -> AnyView {
    let words = Words::current();
    let content = memo(move || {
        let list = entries.get();
        let fingerprints = list.iter();
        let fingerprints = fingerprints.map(|entry| (*entry.call.key(), entry.call.fingerprint()));
        fingerprints.collect::<Vec<_>>()
    });
    let visibility = Visibility::new(content, |_, _| ());
    let is_ready = move || {
        visibility.is_satisfied()
            && entries
                .get()
                .iter()
                .all(|entry| entry.visibility.is_satisfied())
    };
    let bar = NodeRef::<leptos::html::Div>::new();
    let pass_focus = move || {
        if let Some(bar) = bar.get_untracked() {
            focus::pass_focus_on(&bar);
        }
    };
    let approve = move |event: leptos::ev::MouseEvent| {
        let list = entries.get_untracked();
        // The calls are approved only if every card was read. `check_is_read` scrolls to the first
        // unread part.
        if !is_trusted(&event)
            || !visibility.check_answer()
            || !visibility
                .press_time()
                .is_some_and(|at| list.iter().all(|entry| entry.visibility.check_is_read(at)))
        {
            return;
        }
        pass_focus();
        for entry in list {
            // The error is ignored, because `decide` fails only if the call was already decided or
            // has changed, and the card shows both.
            let _ = (entry.call).decide(Verdict::Approve { args: None }, Decider::Person);
        }
    };
    let deny = move |event: leptos::ev::MouseEvent| {
        let decider = decider_by(&event);
        pass_focus();
        for entry in entries.get_untracked() {
            // The error is ignored, because `decide` fails only if the call was already decided.
            let _ = entry.call.decide(Verdict::Deny { reason: None }, decider);
        }
    };
    let assistant =
        entries.with_untracked(|list| list.first().and_then(|entry| entry.call.assistant()));
    let stop = assistant.map(|assistant| stop_button(&assistant, pass_focus));
    let (count_words, title_words) = (words.clone(), words.clone());
    let count = move || count_words.count(LabelName::SeveralQuestions, entries.with(Vec::len));
    let rows = move || {
        let list = entries.get().into_iter();
        let rows = list.map(|entry| {
            let description = CallDescription::new(entry.call, false);
            let text = description
                .question(&title_words)
                .unwrap_or_else(|| entry.call.name());
            let argument = description.summary_argument();
            let argument = argument.map(|text| {
                view! { " " <span class="la-batch-argument" dir="auto"><ExactText text /></span> }
            });
            view! { <li><ExactText text />{argument}</li> }
        });
        rows.collect_view()
    };
    let id = format!("la-batch-{}", crate::ui::fresh_id());
    view! {
        <div class="la-batch" role="group" aria-labelledby=id.clone() node_ref=bar>
            <p class="la-batch-title" id=id.clone()>
                {Icon::Alert.view()} <span>{dynamic(count)}</span>
            </p>
            {cover_note(&words, visibility)}
            <ul class="la-batch-rows">{dynamic(rows)}</ul>
            <div class="la-approval-actions">
                <button
                    type="button"
                    class="la-button la-batch-approve"
                    aria-disabled=move || (!is_ready()).then_some("true")
                    on:click=approve
                >
                    <span>{words.text(LabelName::ApproveAll)}</span>
                </button>
                <button type="button" class="la-button la-batch-deny" on:click=deny>
                    <span>{words.text(LabelName::DenyAll)}</span>
                </button>
                {stop}
                {approval_hint(&words, visibility)}
            </div>
            {visibility.end_mark()}
        </div>
    }
    .into_any()
}
