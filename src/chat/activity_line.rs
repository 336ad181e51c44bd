//! Shows, below the messages, activity that no other element shows.

use assistant_core::conversation::{MessageId, Part, Phase};
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{LabelName, Words, after, dynamic, effect, memo, spinner, when},
    view::Mark,
};

/// Shows activity that no other element shows: the agent is thinking, or a tool has been running
/// for a long time. An agent that sends nothing for the time `stuck_after_ms` is also shown as
/// slow. Shows nothing while a question to the user is open.
#[component]
pub(super) fn ActivityLine(assistant: Assistant, stuck_after_ms: u32) -> impl IntoView {
    let words = Words::current();
    let (activity, running_tools) = (assistant.activity(), assistant.tools().running());
    let is_stuck = watch_for_stuck_tools(running_tools.clone(), stuck_after_ms);
    let is_silent = watch_for_silence(&assistant, stuck_after_ms);
    let (messages, steps) = (assistant.messages(), assistant.agent_steps());
    let hint_words = words.clone();
    let (message_assistant, tools_assistant) = (assistant.clone(), assistant);
    let text = memo(move || {
        // While the user is asked a question, the line is hidden, because the question is shown and
        // the tool waits for the answer.
        if activity.get().asking {
            return None;
        }
        let tools = running_tools.get();
        if !tools.is_empty() {
            // The line names only stuck tools, because the cards show the running tools.
            let stuck_text = || format!("{} {}…", words.word(LabelName::Running), tools.join(", "));
            return is_stuck.get().then(stuck_text);
        }
        let newest_id = messages.with(|list| list.last().map(|entry| entry.id.clone()));
        let cell = newest_id.and_then(|id| message_assistant.message(&id));
        let is_writing = cell.is_some_and(|m| m.streaming.get() && !m.empty.get());
        // While a step is open and the agent is not silent, the line is hidden, because the step
        // shows the activity.
        let has_open_step = steps.with(|steps| steps.iter().any(|step| !step.finished()));
        let is_thinking = is_silent.get() || !(is_writing || has_open_step);
        (activity.get().streaming && is_thinking)
            .then(|| words.word(LabelName::Thinking).into_owned())
    });
    let tools = tools_assistant.tools().running();
    let no_tool_runs = memo(move || tools.with(Vec::is_empty));
    let is_slow = memo(move || is_stuck.get() || is_silent.get());
    let render_line = move || {
        let hint_words = hint_words.clone();
        view! {
            <p class="la-working">
                {dynamic(move || (!no_tool_runs.get()).then(spinner))}
                <span class:la-working-quiet=move || no_tool_runs.get()>
                    {dynamic(move || text.get())} {" "}
                    {dynamic(move || is_slow.get().then(|| hint_words.word(LabelName::Stuck)))}
                </span>
            </p>
        }
        .into_any()
    };
    when(move || text.with(Option::is_some), render_line)
}

/// Returns a signal that is true once the agent has streamed for the given time without a change in
/// the transcript. The transcript is compared at intervals, so that no work is needed for each
/// delta.
fn watch_for_silence(assistant: &Assistant, after_ms: u32) -> RwSignal<bool> {
    let is_silent = RwSignal::new(false);
    let round = RwSignal::new(0_u32);
    let activity = assistant.activity();
    let is_streaming = memo(move || activity.with(|now| now.streaming && !now.asking));
    let assistant = assistant.clone();
    effect(move |_| {
        let is_streaming = is_streaming.get();
        is_silent.set(false);
        round.update(|count| *count = count.wrapping_add(1));
        if is_streaming {
            let current_round = round.get_untracked();
            let is_current = move || round.try_get_untracked() == Some(current_round);
            compare_extent_later(&assistant, after_ms, is_silent, is_current, None);
        }
    });
    is_silent
}

/// The number of newest messages that are compared. Parallel agents may write several messages at
/// the same time.
const COMPARED_MESSAGES: usize = 8;

/// The extent of the transcript: the numbers of messages and steps, and the parts and calls of the
/// newest messages.
#[derive(Debug, PartialEq, Eq)]
struct TranscriptExtent {
    messages: usize,
    steps: usize,
    parts: Vec<Mark>,
    /// The length of the arguments and the phase of each call, which marks do not contain.
    calls: Vec<(usize, Phase)>,
}

/// Compares the extent of the transcript at intervals, as long as `is_current` returns true. Sets
/// `silent` to true if the extent has not changed since the previous comparison, otherwise to
/// false. Stops once the assistant is dropped.
fn compare_extent_later(
    assistant: &Assistant,
    after_ms: u32,
    silent: RwSignal<bool>,
    is_current: impl Fn() -> bool + 'static,
    old_extent: Option<TranscriptExtent>,
) {
    let old_extent = old_extent.unwrap_or_else(|| transcript_extent(assistant));
    let assistant = assistant.weak();
    after(after_ms, move || {
        let Some(assistant) = assistant.upgrade().filter(|_| is_current()) else {
            return;
        };
        let new_extent = transcript_extent(&assistant);
        let is_silent = new_extent == old_extent;
        if silent.get_untracked() != is_silent {
            silent.set(is_silent);
        }
        let next_delay_ms = if is_silent {
            after_ms.min(1_000)
        } else {
            after_ms
        };
        compare_extent_later(
            &assistant,
            next_delay_ms,
            silent,
            is_current,
            Some(new_extent),
        );
    });
}

fn transcript_extent(assistant: &Assistant) -> TranscriptExtent {
    let (messages, newest_ids) = assistant.messages().with_untracked(|list| {
        let newest_ids = list.iter().rev().take(COMPARED_MESSAGES);
        let newest_ids: Vec<MessageId> = newest_ids.map(|entry| entry.id.clone()).collect();
        (list.len(), newest_ids)
    });
    let mut parts = Vec::new();
    for cell in newest_ids.iter().filter_map(|id| assistant.message(id)) {
        cell.parts.with_untracked(|list| {
            parts.extend(list.iter().map(|part| part.mark.get_untracked()));
        });
    }
    let calls = assistant.with_conversation(|conversation| {
        let messages = newest_ids.iter().filter_map(|id| conversation.message(id));
        let keys = messages.flat_map(|message| message.parts().iter().filter_map(Part::call_key));
        let calls = keys.filter_map(|key| conversation.call(&key));
        calls
            .map(|call| (call.args_text().len(), call.phase()))
            .collect()
    });
    TranscriptExtent {
        messages,
        steps: assistant.agent_steps().with_untracked(Vec::len),
        parts,
        calls: calls.unwrap_or_default(),
    }
}

/// Returns a signal that is true once the same tools have been running for the given time.
fn watch_for_stuck_tools(running: ArcReadSignal<Vec<String>>, after_ms: u32) -> RwSignal<bool> {
    let is_stuck = RwSignal::new(false);
    let round = RwSignal::new(0_u32);
    effect(move |_| {
        let is_idle = running.with(Vec::is_empty);
        is_stuck.set(false);
        round.update(|count| *count = count.wrapping_add(1));
        let current_round = round.get_untracked();
        if !is_idle {
            after(after_ms, move || {
                if round.try_get_untracked() == Some(current_round) {
                    is_stuck.set(true);
                }
            });
        }
    });
    is_stuck
}
