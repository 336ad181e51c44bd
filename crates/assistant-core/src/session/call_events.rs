//! The events of calls in one input: those that an opened or replaced conversation causes, and the net
//! effect of all.

use super::{Effect, JournalEntry, Output, Session};
use crate::conversation::{CallEvent, CallEventKind, Change, Phase, ToolCall};

impl Output {
    /// Reduces the events to their net effect: one event for each call whose phase is another than before
    /// the input, in the order of their first events. It is the last one, with the phase before the first.
    ///
    /// Of a conversation that the input opened, no phase is known before it, and an end counts where it
    /// is recorded now. Of one that the input replaced, only calls that were asked about or ran are
    /// told. Calls that came with their history, in a list of messages, are left out: nothing
    /// happened to them here.
    #[must_use]
    pub fn phase_changes(&self) -> Vec<CallEvent> {
        let opened = self.changes.contains(&Change::Thread);
        let mut changed: Vec<CallEvent> = Vec::new();
        for event in &self.calls {
            let is_same = |other: &&mut CallEvent| {
                other.call == event.call && other.thread_id == event.thread_id
            };
            match changed.iter_mut().find(is_same) {
                Some(known) => {
                    let before = known.before;
                    known.clone_from(event);
                    known.before = before;
                }
                None => changed.push(event.clone()),
            }
        }
        changed.retain_mut(|event| match (event.before, &event.thread_id) {
            (Some(before), Some(_)) => is_at_stake(before) && before != event.phase,
            (_, None) if opened => {
                event.before = None;
                !event.phase.is_final() || self.records_end(event)
            }
            (before, _) => before.is_some_and(|before| before != event.phase),
        });
        changed
    }

    fn records_end(&self, event: &CallEvent) -> bool {
        self.effects.iter().any(|effect| match effect {
            Effect::Record {
                entry: JournalEntry::Finished { call, .. },
            } => *call == event.call,
            _ => false,
        })
    }
}

impl Session {
    /// Returns the events of calls that stay open in a conversation that another replaces.
    pub(super) fn left_calls(&self) -> Vec<CallEvent> {
        let open = self.conversation.all_calls();
        let open = open.filter(|call| is_at_stake(call.phase()));
        let mut open: Vec<&ToolCall> = open.collect();
        open.sort_unstable_by_key(|call| call.key().number());
        let events = open.into_iter().map(|call| {
            let mut event = call.event(CallEventKind::Left, call.phase());
            event.phase = Phase::Cancelled;
            event.leave(&self.thread_id, call);
            event
        });
        events.collect()
    }

    /// Adds the events of calls that an opened conversation brought along open, and that were only
    /// prepared to continue.
    pub(super) fn add_resumed_calls(&self, output: &mut Output) {
        for change in &output.changes {
            let Change::Call(key) = change else { continue };
            let has_event = |event: &CallEvent| event.call == *key && event.thread_id.is_none();
            let call = self.conversation.call(key);
            let call = call.filter(|call| !call.state().is_done());
            if let Some(call) = call
                && !output.calls.iter().any(has_event)
            {
                let mut event = call.event(CallEventKind::Resumed, call.phase());
                event.before = None;
                output.calls.push(event);
            }
        }
    }
}

/// Returns whether an observer that knows of a call in this phase must hear of its end.
const fn is_at_stake(phase: Phase) -> bool {
    matches!(phase, Phase::ApprovalRequested | Phase::Running)
}
