//! Checks events against the limits before they are applied (rule "limits on agents").
//!
//! A value over its limit is shortened or dropped. A run over its limits is ended like a failed
//! run, so that its calls are answered and none of them starts. The crate's module `limits` lists
//! the limits.

mod names;
mod report;
mod sizes;
mod values;

use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "ui-stream")]
use rustc_hash::FxHashMap;

use self::{names::exceeded_name_limit, sizes::ReceivedSizes};
use super::{Cx, Session};
use crate::{
    conversation::ToolCall,
    event::{Event, EventKind, Interrupt, Outcome},
    limits::{LimitKind, Limits},
};

/// The amounts of content that the current run has received.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceivedAmounts {
    /// The numbers of messages and calls when the run began.
    began_with: (usize, usize),
    /// The number of bytes of text, arguments, results and encrypted values.
    bytes: usize,
    diagnostics: usize,
    diagnostics_left_out: usize,
    /// The sizes of the texts of messages, by message id.
    texts: ReceivedSizes,
    /// The sizes of independent texts in bytes, by block. A size of the limit plus one marks a text
    /// that was cut.
    #[cfg(feature = "ui-stream")]
    blocks: FxHashMap<u64, usize>,
    /// The sizes of arguments, by call id.
    arguments: ReceivedSizes,
    dropped: BTreeMap<LimitKind, usize>,
    /// The limits for which a notice was shown.
    noticed: BTreeSet<LimitKind>,
}

/// The result of checking an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The event is applied, possibly with shortened content.
    Take,
    /// The event is applied, and later text or arguments of the same message or call are dropped.
    TakeAndCut,
    Drop,
    EndRun(LimitKind),
}

/// The content that an event extends and that was cut.
#[derive(Debug)]
pub(super) enum CutContent {
    /// The arguments of the call with this id.
    Call(String),
    /// The text or reasoning of the message with this id.
    Text(String),
    /// An independent text.
    Block,
}

impl CutContent {
    /// Returns the content that an event extends, or `None` if the event extends no content.
    pub(super) fn of_event(kind: &EventKind) -> Option<Self> {
        match kind {
            EventKind::ToolCallArgs { tool_call_id, .. } => Some(Self::Call(tool_call_id.clone())),
            EventKind::TextMessageContent { message_id, .. }
            | EventKind::ReasoningMessageContent { message_id, .. } => {
                Some(Self::Text(message_id.clone()))
            }
            EventKind::Extension(_) => Some(Self::Block),
            _ => None,
        }
    }
}

impl ReceivedAmounts {
    /// Shortens a text to the part that fits, and counts the rest as dropped. Returns the new size,
    /// or the limit plus one if the text was cut.
    fn truncate_to_limit(
        &mut self,
        kind: LimitKind,
        text: &mut String,
        (used, max): (usize, usize),
    ) -> usize {
        let length = text.len();
        truncate(text, max.saturating_sub(used));
        self.bytes = self.bytes.saturating_add(text.len());
        if text.len() < length {
            self.count_dropped(kind, length - text.len());
            return max.saturating_add(1);
        }
        used + length
    }

    /// Counts an encrypted value, which is useful only as a whole. If the value exceeds the limit,
    /// counts the value as dropped and returns false.
    fn admits_encrypted_value(&mut self, value: &str, limits: &Limits) -> bool {
        let is_within_limit = value.len() <= limits.message_bytes;
        match is_within_limit {
            true => self.bytes = self.bytes.saturating_add(value.len()),
            false => self.count_dropped(LimitKind::Message, value.len()),
        }
        is_within_limit
    }

    pub(super) fn count_dropped(&mut self, kind: LimitKind, amount: usize) {
        let total = self.dropped.entry(kind).or_default();
        *total = total.saturating_add(amount);
    }
}

/// Checks an event that extends a text from `used` to `size` bytes against the limit of the text.
const fn admit_growth(used: usize, size: usize, max: usize) -> Admission {
    match (used > max, size > max) {
        (true, _) => Admission::Drop,
        (false, true) => Admission::TakeAndCut,
        (false, false) => Admission::Take,
    }
}

impl Session {
    /// Resets the counters at the start of a run.
    pub(super) fn reset_intake(&mut self) {
        self.intake = ReceivedAmounts {
            began_with: self.content_counts(),
            ..ReceivedAmounts::default()
        };
    }

    fn content_counts(&self) -> (usize, usize) {
        let conversation = &self.conversation;
        (
            conversation.message_count(),
            conversation.agent_call_count(),
        )
    }

    /// Checks an event, and shortens or drops the parts of the event that are over a limit. Returns
    /// [`Admission::EndRun`] if the event exceeds a limit of the run.
    pub(super) fn admit_event(&mut self, event: &mut Event) -> Admission {
        let Self {
            intake,
            conversation,
            options,
            ..
        } = self;
        let limits = &options.limits;
        if let Some(kind) = exceeded_name_limit(event, limits) {
            return Admission::EndRun(kind);
        }
        let admission = match &mut event.kind {
            EventKind::TextMessageContent { message_id, delta }
            | EventKind::ReasoningMessageContent { message_id, delta } => {
                intake.admit_text(message_id, delta, conversation, limits)
            }
            EventKind::ToolCallStart { tool_call_id, .. }
            | EventKind::ToolCallEnd { tool_call_id } => {
                match intake.has_cut_arguments(tool_call_id, limits) {
                    true => Admission::Drop,
                    false => Admission::Take,
                }
            }
            EventKind::ToolCallArgs {
                tool_call_id,
                delta,
            } => intake.admit_arguments(tool_call_id, delta, conversation, limits),
            EventKind::ToolCallResult { content, .. } => {
                intake.admit_result(content, limits);
                Admission::Take
            }
            EventKind::ReasoningEncryptedValue {
                encrypted_value, ..
            } => match intake.admits_encrypted_value(encrypted_value, limits) {
                true => Admission::Take,
                false => Admission::Drop,
            },
            EventKind::MessagesSnapshot { messages } => {
                // The bytes received before are no longer counted, since the list replaces the
                // earlier messages.
                intake.bytes = 0;
                intake.admit_messages(messages, limits)
            }
            EventKind::RunStarted {
                input: Some(input), ..
            } => intake.admit_messages(&mut input.messages, limits),
            EventKind::RunFinished {
                outcome: Some(Outcome::Interrupt { interrupts }),
                ..
            } => {
                self.admit_interrupts(interrupts);
                Admission::Take
            }
            #[cfg(feature = "ui-stream")]
            EventKind::Extension(extension) => intake.admit_extension(extension, limits),
            _ => Admission::Take,
        };
        if self.intake.bytes > self.options.limits.run_bytes {
            return Admission::EndRun(LimitKind::Response);
        }
        admission
    }

    /// Returns the limit on new messages or new calls that the applied events of the run exceed, if
    /// any.
    pub(super) fn exceeded_count_limit(&self) -> Option<LimitKind> {
        let limits = &self.options.limits;
        let ((messages, calls), initial_counts) = (self.content_counts(), self.intake.began_with);
        if messages.saturating_sub(initial_counts.0) > limits.messages {
            return Some(LimitKind::Messages);
        }
        (calls.saturating_sub(initial_counts.1) > limits.calls).then_some(LimitKind::Calls)
    }

    /// Removes the interrupts beyond the limit, which are answered as cancelled with the next run.
    fn admit_interrupts(&mut self, interrupts: &mut Vec<Interrupt>) {
        // Interrupts that were reported by events of the older dialect are not counted, since the
        // agent may report them here again.
        let raised_count = self.turn.run().map_or(0, |run| run.raised.len());
        let admitted_count = interrupts
            .len()
            .min(self.options.limits.interrupts.saturating_sub(raised_count));
        let excess = interrupts.split_off(admitted_count);
        if !excess.is_empty() {
            self.intake
                .count_dropped(LimitKind::Interrupts, excess.len());
            let ids = excess.into_iter().map(|interrupt| interrupt.id);
            self.interrupts.cancel_unopened(ids);
        }
    }

    /// Returns true if the run may raise another interrupt by an event of the older dialect. If
    /// not, counts the interrupt as dropped, since the older dialect cannot cancel a single
    /// interrupt.
    pub(super) fn admit_interrupt(&mut self) -> bool {
        let raised_count = self.turn.run().map_or(0, |run| run.raised_by_event.len());
        let is_admitted = raised_count < self.options.limits.interrupts;
        if !is_admitted {
            self.intake.count_dropped(LimitKind::Interrupts, 1);
        }
        is_admitted
    }

    /// Ends a message or a call whose text or arguments were cut. A call whose arguments were cut
    /// does not run and is answered as invalid. A callout at the end of a cut message does not run
    /// either.
    pub(super) fn end_cut_content(&mut self, content: CutContent, cx: &mut Cx<'_>) {
        match content {
            CutContent::Call(id) => {
                let call = self.conversation.call_by_wire_id(&id);
                if let Some((key, _)) = call {
                    self.conversation.edit_call(&key, ToolCall::cut_off_args);
                }
            }
            CutContent::Text(message_id) => {
                self.apply_event(EventKind::TextMessageEnd { message_id }.into(), cx);
                self.cut_last_callouts();
            }
            CutContent::Block => self.cut_last_callouts(),
        }
    }
}

/// Truncates a text to at most `max` bytes, at a character boundary.
fn truncate(text: &mut String, max: usize) {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
}
