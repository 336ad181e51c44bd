//! Matches interrupts with the approval cards of their calls.
//!
//! A card accepts the answer to an interrupt only while it shows everything that the interrupt
//! asks; otherwise the interrupt is shown in the inbox. The module `interrupt_flow` opens and
//! answers interrupts, and the module `interrupt_answer` compares an interrupt with a card.

use super::{Cx, OpenInterrupt, Session};
use crate::conversation::{CallKey, Change, StateEvent};

impl Session {
    /// Returns true if the card of a call shows everything that an interrupt asks, and the
    /// interrupt can be answered on the card.
    pub(super) fn can_be_answered_on_card(&self, open: &OpenInterrupt, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        call.is_some_and(|call| open.can_be_answered_on_card(call))
    }

    /// Moves the interrupts that no longer match the card of their call to the inbox. Returns true
    /// if any interrupt was moved.
    pub(super) fn move_unmatched_to_inbox(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> bool {
        let unanswered_interrupts = self.interrupts.unanswered_on_card(key);
        let unmatched_interrupts =
            unanswered_interrupts.filter(|open| !self.can_be_answered_on_card(open, key));
        let unmatched_ids: Vec<String> = unmatched_interrupts
            .map(|open| open.interrupt.id.clone())
            .collect();
        for id in &unmatched_ids {
            self.interrupt_call(*key, id, false);
            self.interrupts.move_to_inbox(id);
            cx.push_change(Change::Interrupts);
        }
        !unmatched_ids.is_empty()
    }

    /// Blocks a call again for a reopened interrupt. If the call can no longer be blocked, the
    /// interrupt is detached from the call and shown separately.
    pub(super) fn reblock_call(&mut self, id: &str, key: CallKey, card: bool) {
        let mut interrupts = self.interrupts.all_branches();
        let open = interrupts.find(|open| open.interrupt.id == id);
        let is_on_card = card && open.is_some_and(|open| self.can_be_answered_on_card(open, &key));
        drop(interrupts);
        if !is_on_card {
            self.interrupts.move_to_inbox(id);
        }
        self.conversation
            .apply_state_event(&key, StateEvent::InterruptReopened { card: is_on_card });
        if !self.interrupt_call(key, id, is_on_card) {
            self.interrupts.detach_call(id);
        }
    }
}
