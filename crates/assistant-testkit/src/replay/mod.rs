//! Replays recorded AG-UI streams into a conversation, without a session; [`branches`] applies
//! operations on branches by a session.
//!
//! For tools and tests. A replay runs no actions, asks no user and sends no request, unlike
//! [`assistant_core::session`]. A [`Replay`] contains a conversation, and each [`Stream`] is a
//! response that is added to it.
//!
//! ```
//! use assistant_testkit::replay::{Replay, ReplayInput};
//! use assistant_protocols::agui::DecoderOptions;
//!
//! let mut replay = Replay::new();
//! let mut stream = replay.stream(ReplayInput::default(), DecoderOptions::default());
//! stream.push_bytes(b"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n");
//! let report = stream.finish();
//! assert_eq!(report.to_json()["outcome"], "truncated");
//! ```

pub mod branches;
mod input;
mod report;
mod tally;
pub mod ui_stream;

pub use input::ReplayInput;
pub use report::{Finished, Report, RunFailure};

use serde_json::Value;

use assistant_core::{
    conversation::Conversation,
    event::{Diagnostic, Event, Interrupt, ResumeEntry, ResumeStatus, fault::ProtocolError},
    replay as changes,
};
use assistant_protocols::{
    agui::{DecoderOptions, Reader},
    stream::{FinishedResponse, Read, Sink},
};

use tally::RunTally;

/// The maximum number of diagnostics in a report. Further diagnostics are only counted.
const MAX_DIAGNOSTICS: usize = 1_000;

/// A conversation into which recorded streams are replayed one after the other.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    conversation: Conversation,
    interrupts: Vec<Interrupt>,
    now: i64,
}

impl Replay {
    /// Creates an empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the time of the requests, in milliseconds since 1970; 0 by default, at which no
    /// interrupt has expired.
    #[must_use]
    pub const fn with_time(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    /// Returns the conversation.
    #[must_use]
    pub const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the open interrupts of agents.
    #[must_use]
    pub fn pending_interrupts(&self) -> &[Interrupt] {
        &self.interrupts
    }

    /// Applies the input of a request, and begins its response. The stream fails immediately if the
    /// input leaves a pending interrupt unanswered, or answers an expired one.
    pub fn stream(&mut self, input: ReplayInput, options: DecoderOptions) -> Stream<'_> {
        let ReplayInput {
            messages,
            state,
            resume,
            pending_interrupts,
        } = input;
        let error = check_all_answered(&pending_interrupts, &resume)
            .or_else(|| check_none_expired(&pending_interrupts, &resume, self.now));
        let answers: Vec<String> = resume.into_iter().map(|entry| entry.interrupt_id).collect();
        let mut reader = Reader::new(options);
        if let Some(error) = error {
            reader.fail(error);
        }
        let player = Player::new(self, answers);
        changes::merge_new_messages(&mut player.replay.conversation, messages);
        if let Some(state) = state {
            changes::set_state(&mut player.replay.conversation, state);
        }
        tally::add_interrupts(&mut player.replay.interrupts, pending_interrupts);
        Stream { reader, player }
    }

    /// Replays a complete response, with a reader for any protocol, and returns the report.
    pub fn read(&mut self, mut reader: Box<dyn Read>, bytes: &[u8]) -> Report {
        let mut player = Player::new(self, Vec::new());
        reader.push(bytes, &mut player);
        let ending = reader.finish(&mut player);
        player.into_report(ending)
    }
}

/// Returns an error if a request leaves a pending interrupt in its input unanswered; `None`
/// otherwise. Interrupts of earlier streams are not checked, since such an interrupt may stay open
/// while others continue.
fn check_all_answered(pending: &[Interrupt], resume: &[ResumeEntry]) -> Option<ProtocolError> {
    let open: Vec<&str> = pending
        .iter()
        .map(|interrupt| interrupt.id.as_str())
        .filter(|id| !resume.iter().any(|entry| entry.interrupt_id == *id))
        .collect();
    (!open.is_empty()).then(|| {
        let message = format!(
            "Thread has {} pending interrupt(s) not addressed by resume: {}",
            open.len(),
            open.join(", ")
        );
        ProtocolError::new("unanswered-interrupts", message)
    })
}

/// Returns an error if a request answers an expired interrupt other than by cancelling it; `None`
/// otherwise.
fn check_none_expired(
    pending: &[Interrupt],
    resume: &[ResumeEntry],
    now: i64,
) -> Option<ProtocolError> {
    pending.iter().find_map(|interrupt| {
        let at = interrupt.expires_at.as_deref()?;
        let entry = resume
            .iter()
            .find(|entry| entry.interrupt_id == interrupt.id)?;
        let over = changes::parse_iso8601(at).is_some_and(|end| end <= now);
        (over && entry.status != ResumeStatus::Cancelled).then(|| {
            let message = format!(
                "Interrupt {} expired at {at} and can no longer be answered. Cancel it to continue the thread.",
                interrupt.id
            );
            ProtocolError::new("expired-interrupt", message)
        })
    })
}

/// A response that is being replayed.
#[derive(Debug)]
pub struct Stream<'a> {
    reader: Reader,
    player: Player<'a>,
}

impl Stream<'_> {
    /// Reads the next bytes of the response, split at any position.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.reader.push(bytes, &mut self.player);
    }

    /// Reads an event that is already parsed JSON.
    pub fn push_value(&mut self, event: Value) {
        self.reader.push_value(event, &mut self.player);
    }

    /// Ends the stream with an error of the caller, so that later data is ignored.
    pub fn fail(&mut self, error: ProtocolError) {
        self.reader.fail(error);
    }

    /// Ends the response and returns the report.
    #[must_use]
    pub fn finish(self) -> Report {
        let Self { reader, mut player } = self;
        let ending = reader.finish(&mut player);
        player.into_report(ending)
    }
}

/// A sink that applies the events of a response to the conversation, and collects the report.
#[derive(Debug)]
struct Player<'a> {
    replay: &'a mut Replay,
    tally: RunTally,
    diagnostics: Vec<Diagnostic>,
    left_out: usize,
    /// A buffer for the diagnostics of one event, which is reused.
    notes: Vec<Diagnostic>,
}

impl Sink for Player<'_> {
    fn event(&mut self, event: Event) {
        self.tally.record_event(&event, &mut self.replay.interrupts);
        let mut notes = std::mem::take(&mut self.notes);
        changes::apply(&mut self.replay.conversation, event, &mut notes);
        for note in notes.drain(..) {
            self.add_diagnostic(note);
        }
        self.notes = notes;
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.add_diagnostic(diagnostic);
    }
}

impl<'a> Player<'a> {
    fn new(replay: &'a mut Replay, answers: Vec<String>) -> Self {
        Self {
            replay,
            tally: RunTally::new(answers),
            diagnostics: Vec::new(),
            left_out: 0,
            notes: Vec::new(),
        }
    }

    fn into_report(mut self, ending: FinishedResponse) -> Report {
        if self.left_out > 0 {
            let message = format!("{} more diagnostics were left out.", self.left_out);
            let note = Diagnostic::new("left-out", message);
            self.diagnostics.push(note);
        }
        let conversation = &self.replay.conversation;
        Report {
            outcome: ending.end,
            error: ending.error,
            finished: self.tally.finished,
            run_errors: self.tally.run_errors,
            messages: conversation.received_messages(),
            state: conversation.state().clone(),
            pending_interrupts: self.replay.interrupts.clone(),
            diagnostics: self.diagnostics,
        }
    }

    fn add_diagnostic(&mut self, note: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(note);
        } else {
            self.left_out += 1;
        }
    }
}
