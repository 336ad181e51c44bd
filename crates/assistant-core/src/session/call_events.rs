//! Collects the call events of opened and replaced conversations, and reduces the events of an
//! input to their net effect.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Effect, JournalEntry, Output, Session};
use crate::conversation::{CallEvent, CallEventKind, CallKey, Change, Phase, ToolCall};

impl Output {
    /// Reduces the events to their net effect: one event for each call whose phase differs from
    /// before the input, in the order of their first events. That event is the last one of the
    /// call, with the phase that preceded the first one.
    ///
    /// For a conversation that the input opened, no earlier phase is known, and an end counts if
    /// this input recorded it. For a conversation that the input replaced, only calls that were
    /// asked about or ran are included. Calls that arrived with their history in a list of messages
    /// are omitted, since they did not change in this session.
    #[must_use]
    pub fn phase_changes(&self) -> Vec<CallEvent> {
        let opened = self.changes.contains(&Change::Thread);
        let ended = self.keys_with_recorded_end();
        let mut changed: Vec<CallEvent> = Vec::new();
        // A call of the replaced conversation may have the same key as one of the opened.
        let mut places: FxHashMap<(CallKey, bool), usize> = FxHashMap::default();
        for event in &self.calls {
            let key = (event.call, event.thread_id.is_some());
            let known = places.get(&key).and_then(|place| changed.get_mut(*place));
            if let Some(known) = known {
                let before = known.before;
                known.clone_from(event);
                known.before = before;
            } else {
                places.insert(key, changed.len());
                changed.push(event.clone());
            }
        }
        changed.retain_mut(|event| match (event.before, &event.thread_id) {
            (Some(before), Some(_)) => is_observed_phase(before) && before != event.phase,
            (_, None) if opened => {
                event.before = None;
                !event.phase.is_final() || ended.contains(&event.call)
            }
            (before, _) => before.is_some_and(|before| before != event.phase),
        });
        changed
    }

    /// Returns the keys of the calls whose end is recorded in this input.
    fn keys_with_recorded_end(&self) -> FxHashSet<CallKey> {
        let ends = self.effects.iter().filter_map(|effect| match effect {
            Effect::Record {
                entry: JournalEntry::Finished { call, .. },
            } => Some(*call),
            _ => None,
        });
        ends.collect()
    }
}

impl Session {
    /// Returns an event for each call that waits for the user or runs in a conversation that is
    /// about to be replaced. Observers then see the call as cancelled.
    pub(super) fn open_call_events(&self) -> Vec<CallEvent> {
        let open = self.conversation.all_calls();
        let open = open.filter(|call| is_observed_phase(call.phase()));
        let mut open: Vec<&ToolCall> = open.collect();
        open.sort_unstable_by_key(|call| call.key().number());
        let events = open.into_iter().map(|call| {
            let mut event = call.create_event(CallEventKind::Detached, call.phase());
            event.phase = Phase::Cancelled;
            event.attach_facts_and_thread_id(&self.thread_id, call);
            event
        });
        events.collect()
    }

    /// Adds an event for each open call of an opened conversation that this input has changed
    /// without an event of its own.
    pub(super) fn add_resumed_events(&self, output: &mut Output) {
        let own = output
            .calls
            .iter()
            .filter(|event| event.thread_id.is_none());
        let mut known: FxHashSet<CallKey> = own.map(|event| event.call).collect();
        for change in &output.changes {
            let Change::Call(key) = change else { continue };
            let call = self.conversation.call(key);
            let call = call.filter(|call| !call.state().is_done());
            if let Some(call) = call.filter(|_| known.insert(*key)) {
                let mut event = call.create_event(CallEventKind::Resumed, call.phase());
                event.before = None;
                output.calls.push(event);
            }
        }
    }
}

/// Returns true if observers were notified of calls in this phase, and must therefore be notified
/// of the end of the calls.
const fn is_observed_phase(phase: Phase) -> bool {
    matches!(phase, Phase::ApprovalRequested | Phase::Running)
}
