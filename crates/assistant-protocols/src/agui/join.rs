//! Joins surrogate pairs that are split across two deltas.
//!
//! Runs after [`super::Expander`], because every delta has an id there, and before
//! [`super::Verifier`]. A high surrogate at the end of a delta is held back until the next delta of
//! the same text. If that delta begins with a low surrogate, both are joined; otherwise the high
//! surrogate is replaced by U+FFFD. Other events are unaffected; [`super::surrogates`] detects lone
//! surrogates.

use super::expand::StreamKind;
use super::surrogates::{REPLACED, SplitPair};
use assistant_core::event::{Base, Event, EventKind};

/// The maximum number of held surrogates, which are searched linearly. Further surrogates become
/// U+FFFD at once.
const MAX_HELD: usize = 64;

/// A high surrogate that was held back at the end of a delta.
#[derive(Debug, Clone)]
struct HeldSurrogate {
    kind: StreamKind,
    id: String,
    high: u16,
}

/// A joiner for surrogate pairs that are split across two deltas.
#[derive(Debug, Clone, Default)]
pub struct Joiner {
    held: Vec<HeldSurrogate>,
}

impl Joiner {
    /// Creates a joiner without held surrogates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns true if no surrogate is held, so that an event without lone surrogates needs no
    /// joining.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// Joins the event's delta to the held surrogate of the same text, and appends the event to
    /// `out`. A high surrogate at the end of the delta is held back. `split` contains the lone
    /// surrogates in the event's frame. If the event ends texts, their held surrogates are appended
    /// first, as U+FFFD.
    pub fn join(&mut self, mut event: Event, split: SplitPair, out: &mut Vec<Event>) {
        match &mut event.kind {
            EventKind::TextMessageContent { message_id, delta } => {
                self.join_delta(StreamKind::Text, message_id, delta, split);
            }
            EventKind::ReasoningMessageContent { message_id, delta } => {
                self.join_delta(StreamKind::Reasoning, message_id, delta, split);
            }
            EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            } => self.join_delta(StreamKind::Tool, tool_call_id, delta, split),
            EventKind::TextMessageEnd { message_id } => {
                out.extend(
                    self.take_held(StreamKind::Text, message_id)
                        .map(replacement_delta),
                );
            }
            EventKind::ReasoningMessageEnd { message_id } => {
                out.extend(
                    self.take_held(StreamKind::Reasoning, message_id)
                        .map(replacement_delta),
                );
            }
            EventKind::ToolCallEnd { tool_call_id } => {
                out.extend(
                    self.take_held(StreamKind::Tool, tool_call_id)
                        .map(replacement_delta),
                );
            }
            // A snapshot contains the text so far, and runs end all texts.
            EventKind::RunStarted { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunError { .. }
            | EventKind::MessagesSnapshot { .. } => self.release(out),
            _ => {}
        }
        out.push(event);
    }

    /// Appends each held surrogate as a delta of U+FFFD, since its text has ended.
    pub fn release(&mut self, out: &mut Vec<Event>) {
        out.extend(self.held.drain(..).map(replacement_delta));
    }

    fn join_delta(&mut self, kind: StreamKind, id: &str, delta: &mut String, split: SplitPair) {
        // An empty delta does not separate a pair.
        if delta.is_empty() {
            return;
        }
        if let Some(held) = self.take_held(kind, id) {
            match (
                join_pair(held.high, split.low),
                delta.strip_prefix(REPLACED),
            ) {
                (Some(whole), Some(rest)) => *delta = format!("{whole}{rest}"),
                _ => delta.insert(0, REPLACED),
            }
        }
        if let Some(high) = split.high
            && self.held.len() < MAX_HELD
            && delta.ends_with(REPLACED)
        {
            delta.pop();
            let id = id.to_owned();
            self.held.push(HeldSurrogate { kind, id, high });
        }
    }

    fn take_held(&mut self, kind: StreamKind, id: &str) -> Option<HeldSurrogate> {
        let mut held = self.held.iter();
        let index = held.position(|held| held.kind == kind && held.id == id)?;
        Some(self.held.remove(index))
    }
}

fn join_pair(high: u16, low: Option<u16>) -> Option<char> {
    char::decode_utf16([high, low?]).next()?.ok()
}

/// Creates the delta that replaces a held surrogate without a partner.
fn replacement_delta(held: HeldSurrogate) -> Event {
    Event {
        kind: held.kind.content_event(held.id, REPLACED.to_string()),
        base: Base::default(),
    }
}
