//! The user's actions: decisions about cards as they are rendered, and navigation in the tree.

use assistant_core::{
    conversation::{CallKey, Decider, MessageId},
    event::Content,
    session::{Input, TreeChange, Verdict},
};

use super::history::ChatSimulation;

impl ChatSimulation {
    pub(super) fn decide_random_card(&mut self) {
        let waiting = self.tab.session.pending_approvals();
        let yes = self.rng.u8(..) < 180;
        if let Some(call) = self.rng.choice(waiting) {
            self.decide(call, yes);
        }
    }

    /// Decides about a call as its card shows it. If the call has no card, shows the run's branch.
    pub(super) fn decide(&mut self, call: CallKey, yes: bool) {
        let Some(card) = self.tab.cards.get(&call).cloned() else {
            // The call is on a branch that is not shown.
            let change = TreeChange::ShowRun;
            if !self.handle_input(Input::Tree { change }) {
                self.tally.wrong_card += 1;
            }
            return;
        };
        let known = self.tab.session.conversation().call(&call);
        let Some(id) = known.map(|call| call.id().to_owned()) else {
            return;
        };
        let verdict = match yes {
            true => Verdict::Approve { args: None },
            false => Verdict::Deny { reason: None },
        };
        // A card without a question shows nothing to decide about.
        let Some(shown) = card.fingerprint.clone() else {
            self.tally.wrong_card += 1;
            return;
        };
        if yes {
            // Recorded before the decision, since it may start the handler at once.
            self.approved
                .insert(id.clone(), card.args.clone().unwrap_or_default());
            if card.has_unknown_outcome {
                self.again.insert(id);
            }
        }
        self.handle_input(Input::Decide {
            call,
            shown,
            verdict,
            by: Decider::Person,
        });
    }

    /// Edits a message, regenerates an answer, or shows another branch.
    pub(super) fn change_branch(&mut self) {
        let conversation = self.tab.session.conversation();
        let ids: Vec<MessageId> = conversation.path().map(|m| m.id().clone()).collect();
        let Some(message) = self.rng.choice(ids) else {
            return;
        };
        let content = Content::Text("other words".to_owned());
        let change = match self.rng.u8(0..3) {
            0 => TreeChange::Edit { message, content },
            1 => TreeChange::Regenerate { message },
            _ => TreeChange::Select {
                message,
                exact: false,
            },
        };
        if self.handle_input(Input::Tree { change }) {
            self.save_state();
        }
    }
}
