//! What the person's newest message led to so far: the run that goes on, and what follows it.

use super::{FinishReason, RunSummary, TurnSummary, clock::Clock, run::Run};
use crate::{
    action::ActionFingerprint,
    event::{Content, Event},
};

/// How many events that nothing acts on are kept.
const SIDE_EVENTS: usize = 256;

/// The run that goes on and its loop.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    run: Option<Run>,
    /// What the newest run offered to the agent: names and editions.
    offered: Vec<(String, ActionFingerprint)>,
    /// What it could have offered, and the filter kept back.
    held_back: Vec<String>,
    /// What the agent asked for although the filter keeps it back.
    revealed: Vec<String>,
    /// Whether results, once complete, go out by themselves.
    looping: bool,
    /// A handler asked to end the loop after its result.
    stopped: bool,
    /// The network cut the newest answer, which may be under way still.
    cut: bool,
    summary: TurnSummary,
    /// What the person said and the agent is not told yet.
    queue: Vec<Content>,
    /// It was said while the loop went on, and goes out at the next boundary between tools.
    interjected: bool,
    side_events: Vec<Event>,
    clock: Clock,
}

impl Turn {
    pub(super) const fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    pub(super) const fn run_mut(&mut self) -> Option<&mut Run> {
        self.run.as_mut()
    }

    /// Whether the answer that broke off can be read on, as far as is known.
    pub(super) const fn is_cut(&self) -> bool {
        self.cut
    }

    pub(super) const fn set_cut(&mut self, cut: bool) {
        self.cut = cut;
    }

    pub(super) const fn is_running(&self) -> bool {
        self.run.is_some()
    }

    pub(super) const fn take_run(&mut self) -> Option<Run> {
        self.run.take()
    }

    /// A run begins.
    pub(super) fn begin(&mut self, run: Run, summary: RunSummary, now: i64) {
        let waits = matches!(self.summary.finish, None | Some(FinishReason::Interrupt));
        let goes_on = waits && !self.summary.runs.is_empty();
        self.clock.run_begins(goes_on, now);
        self.looping = false;
        self.stopped = false;
        self.cut = false;
        self.summary.finish = None;
        self.summary.runs.push(summary);
        self.run = Some(run);
    }

    pub(super) const fn clock(&mut self) -> &mut Clock {
        &mut self.clock
    }

    /// The newest run never was one.
    pub(super) fn forget_newest(&mut self) {
        self.summary.runs.pop();
    }

    pub(super) fn set_offered(
        &mut self,
        offered: Vec<(String, ActionFingerprint)>,
        held_back: Vec<String>,
    ) {
        self.offered = offered;
        self.held_back = held_back;
    }

    /// What was missing is there now, and counts as offered.
    pub(super) fn offer_too(&mut self, name: &str, edition: ActionFingerprint) {
        if !self.was_offered(name) {
            self.offered.push((name.to_owned(), edition));
        }
    }

    pub(super) fn was_offered(&self, name: &str) -> bool {
        self.offered_as(name).is_some()
    }

    /// The edition of an action that the agent was told of.
    pub(super) fn offered_as(&self, name: &str) -> Option<&ActionFingerprint> {
        let mut all = self.offered.iter();
        all.find(|(offered, _)| offered == name)
            .map(|(_, edition)| edition)
    }

    pub(super) fn was_held_back(&self, name: &str) -> bool {
        self.held_back.iter().any(|held| held == name)
    }

    pub(super) fn is_revealed(&self, name: &str) -> bool {
        self.revealed.iter().any(|revealed| revealed == name)
    }

    pub(super) fn reveal(&mut self, names: Vec<String>) {
        self.revealed.extend(names);
    }

    pub(super) const fn is_looping(&self) -> bool {
        self.looping
    }

    pub(super) const fn set_looping(&mut self, looping: bool) {
        self.looping = looping;
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) const fn stop_loop(&mut self) {
        self.stopped = true;
    }

    pub(super) const fn summary(&self) -> &TurnSummary {
        &self.summary
    }

    pub(super) const fn summary_mut(&mut self) -> &mut TurnSummary {
        &mut self.summary
    }

    /// Counts from here on: the person spoke, or let the loop go on.
    pub(super) fn start_over(&mut self) {
        self.summary = TurnSummary::default();
        self.revealed.clear();
    }

    pub(super) fn note(&mut self, update: impl FnOnce(&mut RunSummary)) {
        if let Some(run) = self.summary.runs.last_mut() {
            update(run);
        }
    }

    pub(super) fn queue(&self) -> &[Content] {
        &self.queue
    }

    pub(super) fn enqueue(&mut self, content: Content) {
        self.queue.push(content);
    }

    pub(super) const fn interject(&mut self) {
        self.interjected = true;
    }

    pub(super) const fn is_interjected(&self) -> bool {
        self.interjected
    }

    pub(super) fn take_queue(&mut self) -> Vec<Content> {
        self.interjected = false;
        std::mem::take(&mut self.queue)
    }

    pub(super) fn side_events(&self) -> &[Event] {
        &self.side_events
    }

    pub(super) fn keep_side_event(&mut self, event: Event) {
        if self.side_events.len() == SIDE_EVENTS {
            self.side_events.remove(0);
        }
        self.side_events.push(event);
    }
}
