//! Shows activity that is not visible elsewhere, below the messages.

use assistant_core::conversation::{MessageId, Part, Phase};
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    ui::{Words, after, dynamic, effect, memo, spinner, when},
    view::Mark,
};

/// Shows activity that nothing else shows: that the agent is thinking, or that a tool has been
/// running for a long time. An agent that sends nothing for as long is shown as slow, too. Shows
/// nothing while a question to the user is open.
#[component]
pub(super) fn ActivityLine(assistant: Assistant, stuck_after_ms: u32) -> impl IntoView {
    let words = Words::current();
    let (activity, running) = (assistant.activity(), assistant.tools().running());
    let stuck = watch_for_stuck_tools(running.clone(), stuck_after_ms);
    let silent = watch_for_silence(&assistant, stuck_after_ms);
    let (messages, steps) = (assistant.messages(), assistant.agent_steps());
    let hint = words.clone();
    let (of, of_tools) = (assistant.clone(), assistant);
    let line = memo(move || {
        // While the user is asked, the question is shown; the tool does not continue until it is
        // answered.
        if activity.get().asking {
            return None;
        }
        let tools = running.get();
        if !tools.is_empty() {
            // The cards show that the tools run; this line is only for stuck tools.
            let says = || format!("{} {}…", words.word(|l| &l.running), tools.join(", "));
            return stuck.get().then(says);
        }
        let newest = messages.with(|list| list.last().map(|entry| entry.id.clone()));
        let cell = newest.and_then(|id| of.message(&id));
        let is_writing = cell.is_some_and(|m| m.streaming.get() && !m.empty.get());
        // An open step shows the activity itself.
        let has_open_step = steps.with(|steps| steps.iter().any(|step| !step.finished()));
        let is_thinking = silent.get() || !(is_writing || has_open_step);
        (activity.get().streaming && is_thinking).then(|| words.word(|l| &l.thinking).into_owned())
    });
    let tools = of_tools.tools().running();
    let quiet = memo(move || tools.with(Vec::is_empty));
    let slow = memo(move || stuck.get() || silent.get());
    let says = move || {
        let hint = hint.clone();
        view! {
            <p class="la-working">
                {dynamic(move || (!quiet.get()).then(spinner))}
                <span class:la-working-quiet=move || quiet.get()>
                    {dynamic(move || line.get())} {" "}
                    {dynamic(move || slow.get().then(|| hint.word(|l| &l.stuck)))}
                </span>
            </p>
        }
        .into_any()
    };
    when(move || line.with(Option::is_some), says)
}

/// Returns a signal that is true once the agent has streamed for the given time without a change in
/// the transcript. The transcript is compared at intervals, so that no work is needed for each
/// delta.
fn watch_for_silence(assistant: &Assistant, after_ms: u32) -> RwSignal<bool> {
    let silent = RwSignal::new(false);
    let round = RwSignal::new(0_u32);
    let activity = assistant.activity();
    let streams = memo(move || activity.with(|now| now.streaming && !now.asking));
    let assistant = assistant.clone();
    effect(move |_| {
        let streams = streams.get();
        silent.set(false);
        round.update(|count| *count = count.wrapping_add(1));
        if streams {
            let this = round.get_untracked();
            let is_current = move || round.try_get_untracked() == Some(this);
            compare_extent_later(&assistant, after_ms, silent, is_current, None);
        }
    });
    silent
}

/// The number of messages that are compared: those that parallel agents may write at the same time.
const COMPARED: usize = 8;

/// The extent of the transcript: the numbers of messages and steps, and the parts and calls of the
/// newest messages.
#[derive(Debug, PartialEq, Eq)]
struct TranscriptExtent {
    messages: usize,
    steps: usize,
    parts: Vec<Mark>,
    /// The length of the arguments and the phase of each call, which marks do not count.
    calls: Vec<(usize, Phase)>,
}

/// Compares the extent of the transcript at intervals, as long as `is_current` returns true. Sets
/// `silent` to true if the extent has not changed since the previous comparison, otherwise to
/// false. The assistant may be dropped meanwhile.
fn compare_extent_later(
    assistant: &Assistant,
    after_ms: u32,
    silent: RwSignal<bool>,
    is_current: impl Fn() -> bool + 'static,
    before: Option<TranscriptExtent>,
) {
    let before = before.unwrap_or_else(|| transcript_extent(assistant));
    let assistant = assistant.weak();
    after(after_ms, move || {
        let Some(assistant) = assistant.upgrade().filter(|_| is_current()) else {
            return;
        };
        let now = transcript_extent(&assistant);
        let is_silent = now == before;
        if silent.get_untracked() != is_silent {
            silent.set(is_silent);
        }
        let next = if is_silent {
            after_ms.min(1_000)
        } else {
            after_ms
        };
        compare_extent_later(&assistant, next, silent, is_current, Some(now));
    });
}

fn transcript_extent(assistant: &Assistant) -> TranscriptExtent {
    let (messages, newest) = assistant.messages().with_untracked(|list| {
        let newest = list.iter().rev().take(COMPARED);
        let newest: Vec<MessageId> = newest.map(|entry| entry.id.clone()).collect();
        (list.len(), newest)
    });
    let mut parts = Vec::new();
    for cell in newest.iter().filter_map(|id| assistant.message(id)) {
        cell.parts.with_untracked(|list| {
            parts.extend(list.iter().map(|part| part.mark.get_untracked()));
        });
    }
    let calls = assistant.with_conversation(|conversation| {
        let messages = newest.iter().filter_map(|id| conversation.message(id));
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
    let stuck = RwSignal::new(false);
    let round = RwSignal::new(0_u32);
    effect(move |_| {
        let idle = running.with(Vec::is_empty);
        stuck.set(false);
        round.update(|count| *count = count.wrapping_add(1));
        let this = round.get_untracked();
        if !idle {
            after(after_ms, move || {
                if round.try_get_untracked() == Some(this) {
                    stuck.set(true);
                }
            });
        }
    });
    stuck
}
