//! The approval cards of calls that interrupts are about.
//!
//! A card takes the answer to an interrupt only while it shows all that the interrupt asks; else the interrupt is a
//! question in the inbox. Neighbours: `gate` opens and answers interrupts, `answer_format` compares.

use super::{Cx, OpenInterrupt, Session};
use crate::conversation::{CallKey, Change, StateEvent};

impl Session {
    /// Returns whether the card of a call shows all that an interrupt asks, and takes its answer.
    pub(super) fn takes_card(&self, open: &OpenInterrupt, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        call.is_some_and(|call| open.takes_card(call))
    }

    /// Moves interrupts to the inbox that ask about something else than what the card of their call shows by now.
    /// Returns true if there were any.
    pub(super) fn take_off_card(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> bool {
        let asking = self.interrupts.asking_about(key);
        let other = asking.filter(|open| !self.takes_card(open, key));
        let other: Vec<String> = other.map(|open| open.interrupt.id.clone()).collect();
        for id in &other {
            self.gate(*key, id, false);
            self.interrupts.take_off_card(id);
            cx.change(Change::Interrupts);
        }
        !other.is_empty()
    }

    /// A question is open again, about its call as it is now. What it cannot hold back any more it
    /// asks about by itself.
    pub(super) fn gate_anew(&mut self, id: &str, key: CallKey, card: bool) {
        let mut all = self.interrupts.all();
        let asked = all.find(|open| open.interrupt.id == id);
        let card = card && asked.is_some_and(|open| self.takes_card(open, &key));
        drop(all);
        if !card {
            self.interrupts.take_off_card(id);
        }
        self.conversation
            .happens(&key, StateEvent::InterruptReopened { card });
        if !self.gate(key, id, card) {
            self.interrupts.let_go(id);
        }
    }
}
