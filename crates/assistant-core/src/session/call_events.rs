//! Collects the call events of opened and replaced conversations, and reduces the events of an
//! input to their net effect.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Effect, JournalEntry, Output, Session};
use crate::{
    conversation::{CallEvent, CallEventKind, CallKey, Change, Phase, ToolCall},
    order::in_order,
};

impl Output {
    /// Reduces the events to their net effect: one event for each call whose phase differs from the
    /// phase before the input, in the order of their first events. The resulting event is the last
    /// event of the call, with the phase before the first event.
    ///
    /// For a conversation that the input opened, no earlier phase is known, and a call that has
    /// ended is included only if this input recorded the end. For a conversation that the input
    /// replaced, only calls that waited for the user or ran are included. Calls that arrived with
    /// their history in a list of messages are omitted, since they did not change in this session.
    #[must_use]
    pub fn phase_changes(&self) -> Vec<CallEvent> {
        let has_new_thread = self.changes.contains(&Change::Thread);
        let ended_keys = self.keys_with_recorded_end();
        let mut events: Vec<CallEvent> = Vec::new();
        // The map key states whether the event belongs to the replaced conversation, since calls of
        // the replaced and the opened conversation may have the same call key.
        let mut indices: FxHashMap<(CallKey, bool), usize> = FxHashMap::default();
        for event in &self.calls {
            let key = (event.call, event.thread_id.is_some());
            let earlier_event = indices.get(&key).and_then(|index| events.get_mut(*index));
            if let Some(earlier_event) = earlier_event {
                let first_phase = earlier_event.before;
                earlier_event.clone_from(event);
                earlier_event.before = first_phase;
            } else {
                indices.insert(key, events.len());
                events.push(event.clone());
            }
        }
        events.retain_mut(|event| match (event.before, &event.thread_id) {
            (Some(before), Some(_)) => is_observed_phase(before) && before != event.phase,
            (_, None) if has_new_thread => {
                event.before = None;
                !event.phase.is_final() || ended_keys.contains(&event.call)
            }
            (before, _) => before.is_some_and(|before| before != event.phase),
        });
        events
    }

    /// Returns the keys of the calls whose end is recorded in this input.
    fn keys_with_recorded_end(&self) -> FxHashSet<CallKey> {
        let keys = self.effects.iter().filter_map(|effect| match effect {
            Effect::Record {
                entry: JournalEntry::Finished { call, .. },
            } => Some(*call),
            _ => None,
        });
        keys.collect()
    }
}

impl Session {
    /// Returns an event for each call that waits for the user or runs in a conversation that is
    /// about to be replaced. Observers then see the call as cancelled.
    pub(super) fn open_call_events(&self) -> Vec<CallEvent> {
        let open_calls = self.conversation.all_calls();
        let open_calls = open_calls.filter(|call| is_observed_phase(call.phase()));
        let open_calls = in_order(open_calls.collect(), |call: &&ToolCall| {
            call.key().sort_key()
        });
        let events = open_calls.into_iter().map(|call| {
            let mut event = call.create_event(CallEventKind::Detached, call.phase());
            event.phase = Phase::Cancelled;
            event.attach_facts_and_thread_id(&self.thread_id, call);
            event
        });
        events.collect()
    }

    /// Adds an event for each open call of an opened conversation that this input has changed
    /// without emitting an event for the call.
    pub(super) fn add_resumed_events(&self, output: &mut Output) {
        let thread_events = output
            .calls
            .iter()
            .filter(|event| event.thread_id.is_none());
        let mut reported_keys: FxHashSet<CallKey> = thread_events.map(|event| event.call).collect();
        for change in &output.changes {
            let Change::Call(key) = change else { continue };
            let call = self.conversation.call(key);
            let call = call.filter(|call| !call.state().is_done());
            if let Some(call) = call.filter(|_| reported_keys.insert(*key)) {
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
