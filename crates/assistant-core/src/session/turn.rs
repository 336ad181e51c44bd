//! What the person's newest message led to so far: the run that goes on, and what follows it.

use super::{RunSummary, TurnSummary, run::Run};
use crate::event::{Content, Event};

/// How many events that nothing acts on are kept.
const SIDE_EVENTS: usize = 256;

/// The run that goes on and its loop.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    run: Option<Run>,
    /// What the newest run offered to the agent.
    offered: Vec<String>,
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
    pub(super) fn begin(&mut self, run: Run, summary: RunSummary) {
        self.looping = false;
        self.stopped = false;
        self.cut = false;
        self.summary.finish = None;
        self.summary.runs.push(summary);
        self.run = Some(run);
    }

    /// The newest run never was one.
    pub(super) fn forget_newest(&mut self) {
        self.summary.runs.pop();
    }

    pub(super) fn set_offered(&mut self, offered: Vec<String>) {
        self.offered = offered;
    }

    /// What was missing is there now, and counts as offered.
    pub(super) fn offer_too(&mut self, name: &str) {
        if !self.was_offered(name) {
            self.offered.push(name.to_owned());
        }
    }

    pub(super) fn was_offered(&self, name: &str) -> bool {
        self.offered.iter().any(|offered| offered == name)
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
