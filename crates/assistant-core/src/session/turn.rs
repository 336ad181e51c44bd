//! Stores the state of the turn since the user's newest message: the current run and its loop.

use serde_json::Value;

use super::{
    FinishReason, RunSummary, TurnSummary, clock::TurnClock, fork::ThreadFork, offer::RunOffer,
    run::ActiveRun,
};
use crate::{
    action::ActionFingerprint,
    conversation::MessageId,
    event::{Content, Event, EventKind},
    json::patch,
};

/// The maximum number of side events that are stored: raw, custom, step and subagent events, and
/// the starts and ends of reasoning.
const MAX_SIDE_EVENTS: usize = 256;

/// The current run and its loop.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    pub(super) run: Option<ActiveRun>,
    /// The actions that the newest run offered.
    pub(super) offer: RunOffer,
    /// The actions that the agent requested despite the filter.
    pub(super) revealed: Vec<String>,
    /// True if results are sent automatically once they are complete.
    pub(super) looping: bool,
    /// True if a handler ended the loop with its result.
    pub(super) stopped: bool,
    /// True if the turn was restored after the end of its loop.
    pub(super) ended: bool,
    /// True if the network interrupted the newest answer, which may still be in progress.
    pub(super) cut: bool,
    pub(super) summary: TurnSummary,
    /// The id of the message that the turn regenerates as a new version.
    pub(super) regenerates: Option<MessageId>,
    /// The thread of a branch that has no message yet.
    pub(super) fork: Option<ThreadFork>,
    /// The user messages that have not been sent.
    pub(super) queue: Vec<Content>,
    /// True if the queued messages were interjected and are sent with the results of the current
    /// calls.
    pub(super) interjected: bool,
    pub(super) side_events: Vec<Event>,
    side_bytes: usize,
    pub(super) clock: TurnClock,
}

impl Turn {
    pub(super) const fn run(&self) -> Option<&ActiveRun> {
        self.run.as_ref()
    }

    pub(super) const fn run_mut(&mut self) -> Option<&mut ActiveRun> {
        self.run.as_mut()
    }

    pub(super) const fn is_running(&self) -> bool {
        self.run.is_some()
    }

    pub(super) fn begin_run(&mut self, run: ActiveRun, summary: RunSummary, now: i64) {
        let is_open = matches!(self.summary.finish, None | Some(FinishReason::Interrupt));
        let continues_turn = is_open && !self.summary.runs.is_empty();
        self.clock.begin_run(continues_turn, now);
        self.looping = false;
        self.stopped = false;
        self.ended = false;
        self.cut = false;
        self.summary.finish = None;
        self.summary.runs.push(summary);
        self.run = Some(run);
    }

    /// Adds an action to the actions that the newest run offered. If an action with this name was
    /// already offered, its fingerprint is kept.
    pub(super) fn add_offered_action(&mut self, name: &str, fingerprint: ActionFingerprint) {
        if !self.was_offered(name) {
            self.offer.offered.push((name.to_owned(), fingerprint));
        }
    }

    pub(super) fn was_offered(&self, name: &str) -> bool {
        self.offered_fingerprint(name).is_some()
    }

    /// Returns the fingerprint with which an action was offered. Returns `None` if the newest run
    /// did not offer the action.
    pub(super) fn offered_fingerprint(&self, name: &str) -> Option<&ActionFingerprint> {
        let mut entries = self.offer.offered.iter();
        entries
            .find(|(offered, _)| offered == name)
            .map(|(_, fingerprint)| fingerprint)
    }

    pub(super) fn was_held_back(&self, name: &str) -> bool {
        self.offer.held_back.iter().any(|held| held == name)
    }

    pub(super) fn is_revealed(&self, name: &str) -> bool {
        self.revealed.iter().any(|revealed| revealed == name)
    }

    /// Returns true if the loop has not ended, so that results are sent once every call has a
    /// result.
    pub(super) const fn is_continuing(&self) -> bool {
        let is_open = matches!(self.summary.finish, None | Some(FinishReason::Interrupt));
        is_open && !self.stopped && !self.ended
    }

    /// Resets the summary of runs, the revealed actions and the data of a new branch, when the user
    /// sends a message or the loop is continued.
    pub(super) fn reset(&mut self) {
        self.summary = TurnSummary::default();
        self.revealed.clear();
        self.regenerates = None;
        self.fork = None;
    }

    pub(super) fn update_run_summary(&mut self, update: impl FnOnce(&mut RunSummary)) {
        if let Some(run) = self.summary.runs.last_mut() {
            update(run);
        }
    }

    /// Removes the newest queued message with this content. Returns false if there is no such
    /// message.
    pub(super) fn withdraw_message(&mut self, content: &Content) -> bool {
        let Some(index) = self.queue.iter().rposition(|queued| queued == content) else {
            return false;
        };
        self.queue.remove(index);
        self.interjected &= !self.queue.is_empty();
        true
    }

    pub(super) fn take_queue(&mut self) -> Vec<Content> {
        self.interjected = false;
        std::mem::take(&mut self.queue)
    }

    /// Stores an event, and drops the oldest events beyond [`MAX_SIDE_EVENTS`] and `max_bytes`.
    ///
    /// # Errors
    ///
    /// Returns the size of the event if the event alone exceeds `max_bytes` and is dropped.
    pub(super) fn keep_side_event(&mut self, event: Event, max_bytes: usize) -> Result<(), usize> {
        let size = side_event_size(&event);
        if size > max_bytes {
            return Err(size);
        }
        self.side_bytes += size;
        self.side_events.push(event);
        let mut drop_count = 0;
        while self.side_events.len() - drop_count > MAX_SIDE_EVENTS || self.side_bytes > max_bytes {
            let Some(oldest_event) = self.side_events.get(drop_count) else {
                break;
            };
            self.side_bytes = self
                .side_bytes
                .saturating_sub(side_event_size(oldest_event));
            drop_count += 1;
        }
        self.side_events.drain(..drop_count);
        Ok(())
    }
}

/// Returns the approximate size of a side event, in bytes.
fn side_event_size(event: &Event) -> usize {
    let value_size = |value: Option<&Value>| value.map_or(0, patch::size_of);
    let text_size = |text: Option<&String>| text.map_or(0, String::len);
    let content_size = match &event.kind {
        EventKind::Raw { event, source } => patch::size_of(event) + text_size(source.as_ref()),
        EventKind::Custom { name, value } => name.len() + patch::size_of(value),
        EventKind::StepStarted { step_name } | EventKind::StepFinished { step_name } => {
            step_name.len()
        }
        EventKind::SubagentStarted {
            subagent_run_id,
            name,
            description,
            ..
        } => subagent_run_id.len() + name.len() + text_size(description.as_ref()),
        EventKind::SubagentFinished {
            result, outcome, ..
        } => value_size(result.as_deref()) + value_size(outcome.as_deref()),
        EventKind::SubagentError { message, .. } => message.len(),
        _ => 0,
    };
    let metadata = event.base.metadata.as_deref();
    let metadata_size = metadata.map_or(0, patch::size_of_object);
    let raw_size = value_size(event.base.raw_event.as_deref());
    size_of::<Event>() + content_size + metadata_size + raw_size
}
