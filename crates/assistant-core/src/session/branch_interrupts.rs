//! Assigns interrupts to branches, so that an answer is sent only with runs on the branch of its
//! interrupt.
//!
//! Undelivered answers are set aside when runs move to another branch, and restored when runs
//! return to the branch of the interrupt. The module `interrupt_flow` opens and answers interrupts,
//! and the module `branch` moves runs to other branches.

use super::{Cx, OpenInterrupt, Session};
use crate::conversation::{CallKey, Change, State};

impl Session {
    /// Sets the branch of new interrupts. An interrupt whose message is missing from the agent's
    /// message list moves to the current tip.
    pub(super) fn assign_interrupt_branches(&mut self, cx: &mut Cx<'_>) {
        let conversation = &self.conversation;
        let mut has_changed = false;
        for open in &mut self.interrupts.list {
            let tip = open.tip.as_ref();
            if tip.is_none_or(|tip| !conversation.is_on_run_path(tip)) {
                let tip = conversation.run_tip().cloned();
                has_changed |= open.tip != tip;
                open.tip = tip;
            }
        }
        if has_changed {
            cx.push_change(Change::Interrupts);
        }
    }

    /// Keeps a call on another branch blocked by its stored interrupt. An approval of the interrupt
    /// is withdrawn, and the user is asked again; a denial remains. Returns false if the call is
    /// not interrupted or has no stored interrupt.
    pub(super) fn keep_call_interrupted(&mut self, key: &CallKey) -> bool {
        let call = self.conversation.call(key);
        let Some(call) = call.filter(|call| call.state().is_interrupted()) else {
            return false;
        };
        let is_approved = matches!(call.state(), State::InterruptApproved { .. });
        let id = call.approval().and_then(|a| a.interrupt_id.clone());
        let mut interrupts = self.interrupts.all_branches();
        let open_interrupt = id.and_then(|id| interrupts.find(|open| open.interrupt.id == id));
        let Some(open_interrupt) = open_interrupt else {
            return false;
        };
        if is_approved {
            let id = open_interrupt.interrupt.id.clone();
            drop(interrupts);
            self.reblock_call(&id, *key, true);
        }
        true
    }

    /// Sets aside the interrupts of other branches, and restores the interrupts of the run branch.
    pub(super) fn select_branch_interrupts(&mut self, cx: &mut Cx<'_>) {
        let conversation = &self.conversation;
        let is_on_run_branch = |open: &OpenInterrupt| {
            let tip = open.tip.as_ref();
            tip.is_none_or(|tip| conversation.is_on_run_path(tip))
                || open
                    .blocks
                    .is_some_and(|key| conversation.is_run_call(&key))
        };
        let Some(restored_interrupts) = self.interrupts.select_branch(is_on_run_branch) else {
            return;
        };
        for open in restored_interrupts {
            // A restored interrupt is skipped if an open interrupt has the same id, since only the
            // newer of the two interrupts can be answered.
            if self.interrupts.find(&open.interrupt.id).is_some() {
                continue;
            }
            match open.answer {
                Some(_) => self.interrupts.open(open),
                None => self.reopen_stored_interrupt(open, cx),
            }
        }
        cx.push_change(Change::Interrupts);
    }
}
