//! Joins surrogate pairs that are split across two deltas.
//!
//! This stage runs after [`super::Expander`], which gives every delta an id, and before
//! [`super::Verifier`]. A high surrogate at the end of a delta is held back until the next delta of
//! the same text. If that delta begins with a low surrogate, the two surrogates are joined; if not,
//! the high surrogate is replaced by U+FFFD. [`super::surrogates`] detects lone surrogates.

use super::expand::StreamKind;
use super::surrogates::{REPLACED, SplitPair};
use assistant_core::event::{Base, Event, EventKind};

/// The maximum number of held surrogates. The number is limited because held surrogates are
/// searched linearly. Further surrogates are replaced by U+FFFD at once.
const MAX_HELD_SURROGATES: usize = 64;

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

    /// Returns true if no surrogate is held. An event without lone surrogates then needs no
    /// joining.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// Joins the event's delta to the held surrogate of the same text, and appends the event to
    /// `out`. A high surrogate at the end of the delta is held back. `split` contains the lone
    /// surrogates at the ends of the event's delta. If the event ends texts, U+FFFD is first
    /// appended for each of their held surrogates.
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
                    self.take_surrogate(StreamKind::Text, message_id)
                        .map(create_replacement_event),
                );
            }
            EventKind::ReasoningMessageEnd { message_id } => {
                out.extend(
                    self.take_surrogate(StreamKind::Reasoning, message_id)
                        .map(create_replacement_event),
                );
            }
            EventKind::ToolCallEnd { tool_call_id } => {
                out.extend(
                    self.take_surrogate(StreamKind::Tool, tool_call_id)
                        .map(create_replacement_event),
                );
            }
            // All held surrogates are released, because every text ends with its run, and a
            // snapshot contains the earlier deltas.
            EventKind::RunStarted { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunError { .. }
            | EventKind::MessagesSnapshot { .. } => self.release(out),
            _ => {}
        }
        out.push(event);
    }

    /// Appends a delta of U+FFFD for each held surrogate, since no low surrogate can follow.
    pub fn release(&mut self, out: &mut Vec<Event>) {
        out.extend(self.held.drain(..).map(create_replacement_event));
    }

    fn join_delta(&mut self, kind: StreamKind, id: &str, delta: &mut String, split: SplitPair) {
        // An empty delta is skipped, because it does not separate the two surrogates of a pair.
        if delta.is_empty() {
            return;
        }
        if let Some(surrogate) = self.take_surrogate(kind, id) {
            match (
                join_pair(surrogate.high, split.low),
                delta.strip_prefix(REPLACED),
            ) {
                (Some(character), Some(rest)) => *delta = format!("{character}{rest}"),
                _ => delta.insert(0, REPLACED),
            }
        }
        if let Some(high) = split.high
            && self.held.len() < MAX_HELD_SURROGATES
            && delta.ends_with(REPLACED)
        {
            delta.pop();
            let id = id.to_owned();
            self.held.push(HeldSurrogate { kind, id, high });
        }
    }

    fn take_surrogate(&mut self, kind: StreamKind, id: &str) -> Option<HeldSurrogate> {
        let mut surrogates = self.held.iter();
        let index = surrogates.position(|held| held.kind == kind && held.id == id)?;
        Some(self.held.remove(index))
    }
}

fn join_pair(high: u16, low: Option<u16>) -> Option<char> {
    char::decode_utf16([high, low?]).next()?.ok()
}

/// Creates an event with the delta U+FFFD, which replaces a high surrogate that no low surrogate
/// follows.
fn create_replacement_event(surrogate: HeldSurrogate) -> Event {
    let HeldSurrogate { kind, id, .. } = surrogate;
    Event {
        kind: kind.content_event(id, REPLACED.to_string()),
        base: Base::default(),
    }
}
