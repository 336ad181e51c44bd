//! Halves of surrogate pairs across deltas: the first waits here for the second.
//!
//! Runs after [`super::Expander`], because every delta has its id there, and before
//! [`super::Verifier`]. A half is held back until the next delta of the same text: it becomes the
//! character, or U+FFFD where it stood. Has nothing to do on a stream that was not cut within a
//! character; [`super::surrogates`] finds where it was.

use super::expand::Kind;
use super::surrogates::{REPLACED, SplitPair};
use crate::event::{Base, Event, EventKind};

/// Halves held at once; they are searched one by one. What is cut beyond that stays U+FFFD.
const MAX_HELD: usize = 64;

/// The first half of a pair, where a delta ended.
#[derive(Debug, Clone)]
struct Held {
    kind: Kind,
    id: String,
    half: u16,
}

/// Joins surrogate pairs that a producer cut; everything else passes through.
#[derive(Debug, Clone, Default)]
pub struct Joiner {
    held: Vec<Held>,
}

impl Joiner {
    /// A joiner that holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether nothing is held: an event that was not cut passes through as it is.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// Appends `event` to `out`, after what it ends. `split` is that of the frame it came in.
    pub fn join(&mut self, mut event: Event, split: SplitPair, out: &mut Vec<Event>) {
        match &mut event.kind {
            EventKind::TextMessageContent { message_id, delta } => {
                self.go_on(Kind::Text, message_id, delta, split);
            }
            EventKind::ReasoningMessageContent { message_id, delta } => {
                self.go_on(Kind::Reasoning, message_id, delta, split);
            }
            EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            } => self.go_on(Kind::Tool, tool_call_id, delta, split),
            EventKind::TextMessageEnd { message_id } => {
                out.extend(self.take(Kind::Text, message_id).map(alone));
            }
            EventKind::ReasoningMessageEnd { message_id } => {
                out.extend(self.take(Kind::Reasoning, message_id).map(alone));
            }
            EventKind::ToolCallEnd { tool_call_id } => {
                out.extend(self.take(Kind::Tool, tool_call_id).map(alone));
            }
            // A snapshot says what a text is so far, and runs end all texts.
            EventKind::RunStarted { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunError { .. }
            | EventKind::MessagesSnapshot { .. } => self.release(out),
            _ => {}
        }
        out.push(event);
    }

    /// Appends what is held, as U+FFFD in deltas of their own: the low surrogates do not come.
    pub fn release(&mut self, out: &mut Vec<Event>) {
        out.extend(self.held.drain(..).map(alone));
    }

    fn go_on(&mut self, kind: Kind, id: &str, delta: &mut String, split: SplitPair) {
        // What says nothing does not part a pair.
        if delta.is_empty() {
            return;
        }
        if let Some(held) = self.take(kind, id) {
            match (joined(held.half, split.low), delta.strip_prefix(REPLACED)) {
                (Some(whole), Some(rest)) => *delta = format!("{whole}{rest}"),
                _ => delta.insert(0, REPLACED),
            }
        }
        if let Some(half) = split.high
            && self.held.len() < MAX_HELD
            && delta.ends_with(REPLACED)
        {
            delta.pop();
            let id = id.to_owned();
            self.held.push(Held { kind, id, half });
        }
    }

    fn take(&mut self, kind: Kind, id: &str) -> Option<Held> {
        let mut held = self.held.iter();
        let index = held.position(|held| held.kind == kind && held.id == id)?;
        Some(self.held.remove(index))
    }
}

fn joined(high: u16, low: Option<u16>) -> Option<char> {
    char::decode_utf16([high, low?]).next()?.ok()
}

/// The delta for a half that stays alone.
fn alone(held: Held) -> Event {
    Event {
        kind: held.kind.content(held.id, REPLACED.to_string()),
        base: Base::default(),
    }
}
