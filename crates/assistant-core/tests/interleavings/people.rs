//! Steps of users and components, and the quiet end.
//!
//! `acts` contains the steps of the agent.

use assistant_core::{
    action::{Policy, RegistrationId, ToolOutcome},
    conversation::{Decider, Sibling},
    event::ResumeStatus,
    session::{CommitId, Input, InvocationId, OpenInterrupt, StreamEnd, TreeChange, Verdict},
};
use serde_json::json;

use super::{
    act::{Choice, Shake, Tree},
    acts::{name_of, pick_of},
    world::{World, spec},
};
use crate::support::*;

impl World {
    pub(super) fn decide(&mut self, pick: u8, choice: Choice, twice: bool, late: bool) {
        let session = &self.driver.session;
        let pending = session.pending_approvals();
        let mut keys = session.conversation().path_calls();
        keys.reverse();
        // Mostly cards with an open question; occasionally any card on the screen.
        let Some(call) = pick_of(&pending, pick / 4)
            .filter(|_| !pick.is_multiple_of(4))
            .or(pick_of(&keys, pick))
        else {
            return;
        };
        let verdict = match choice {
            Choice::Approve => Verdict::Approve { args: None },
            Choice::Deny => Verdict::Deny { reason: None },
            Choice::Edit => Verdict::Approve {
                args: Some(json!({"x": 2})),
            },
        };
        let older = self.record.older_card(&call).filter(|_| late);
        let Some(shown) = older.or_else(|| session.fingerprint(&call)) else {
            return;
        };
        for _ in 0..=u8::from(twice) {
            let (shown, verdict) = (shown.clone(), verdict.clone());
            self.input(Input::Decide {
                call,
                shown,
                verdict,
                by: Decider::Person,
            });
        }
    }

    pub(super) fn answer(&mut self, pick: u8, approved: bool, cancel: bool) {
        let open = self.driver.session.interrupts();
        let id = |open: &OpenInterrupt| open.interrupt().id.clone();
        let unanswered = open.iter().filter(|open| open.answer().is_none()).map(id);
        let unanswered: Vec<String> = unanswered.collect();
        let all: Vec<String> = open.iter().map(id).collect();
        let Some(interrupt_id) = pick_of(&unanswered, pick).or(pick_of(&all, pick)) else {
            return;
        };
        let status = match cancel {
            true => ResumeStatus::Cancelled,
            false => ResumeStatus::Resolved,
        };
        let payload = Some(json!({"approved": approved}));
        let shown = self.driver.session.question_fingerprint(&interrupt_id);
        self.input(Input::Answer {
            shown: shown.expect("it is there"),
            interrupt_id,
            status,
            payload,
            by: Decider::Person,
        });
    }

    pub(super) fn change_registry(&mut self, name: u8, rules: u8) {
        let name = name_of(name);
        let known = self
            .driver
            .session
            .registry()
            .named(name)
            .next()
            .map(|entry| entry.id());
        let mut id = match known {
            Some(id) if rules.is_multiple_of(4) => return self.input(Input::Unregister { id }),
            Some(id) if rules % 4 == 1 => id,
            _ => RegistrationId::new(0),
        };
        if id.get() == 0 {
            self.next_registration += 1;
            id = RegistrationId::new(self.next_registration);
        }
        let mut spec = spec(name);
        if rules & 4 != 0 {
            spec = spec.with_parameters(json!({"type": "object", "required": ["y"]}));
        }
        if rules & 24 == 24 {
            let other = spec_other(spec.approval());
            spec = spec.with_approval(other);
        }
        spec = spec.with_enabled(rules & 32 == 0);
        self.input(Input::Register {
            id,
            spec: Box::new(spec),
        });
    }

    pub(super) fn shake(&mut self, shake: Shake) {
        match shake {
            Shake::Stop => self.input(Input::Stop),
            Shake::Retry => self.input(Input::Retry),
            Shake::Continue => self.input(Input::Continue),
            Shake::NewThread => self.input(Input::NewThread),
            Shake::Copy => self.copy = Some(self.driver.clone()),
            Shake::Reload => {
                let thread_id = self.driver.session.thread_id().to_owned();
                let snapshot = self.driver.session.export();
                self.input(Input::Load {
                    thread_id,
                    snapshot,
                });
            }
        }
        if matches!(shake, Shake::Retry | Shake::Continue) {
            self.event(started());
        }
    }

    pub(super) fn change_tree(&mut self, tree: Tree) {
        let content = self.words();
        let to_message = |pick| self.any_message(pick);
        let change = match tree {
            Tree::Select { message, exact } => {
                to_message(message).map(|message| TreeChange::Select { message, exact })
            }
            Tree::Switch { message, next } => {
                let to = if next {
                    Sibling::Next
                } else {
                    Sibling::Previous
                };
                to_message(message).map(|message| TreeChange::Switch { message, to })
            }
            Tree::Edit(message) => {
                to_message(message).map(|message| TreeChange::Edit { message, content })
            }
            Tree::Regenerate(message) => {
                to_message(message).map(|message| TreeChange::Regenerate { message })
            }
            Tree::Interject => Some(TreeChange::Interject { content }),
            Tree::Withdraw(pick) => {
                let queued = self.driver.session.queued();
                pick_of(queued, pick).map(|content| TreeChange::Withdraw { content })
            }
            Tree::Delete(message) => {
                to_message(message).map(|message| TreeChange::Delete { message })
            }
            Tree::Reparent(message, parent) => {
                let parent = to_message(parent);
                to_message(message).map(|message| TreeChange::Reparent { message, parent })
            }
            Tree::Restore => Some(TreeChange::Restore),
            Tree::ShowRun => Some(TreeChange::ShowRun),
        };
        if let Some(change) = change {
            self.input(Input::Tree { change });
            self.event(started());
        }
    }

    pub(super) fn proceed(&mut self, pick: u8) {
        let session = &self.driver.session;
        let approvals = session.pending_approvals();
        let pending: Vec<CommitId> = self.pending.iter().copied().collect();
        let live: Vec<InvocationId> = self.live.keys().copied().collect();
        if !session.is_busy() {
            self.send([None, Some(true), Some(false)][usize::from(pick) % 3]);
        } else if session.is_streaming() && pick < 200 {
            self.finish(finished());
        } else if let Some(commit) = pick_of(&pending, pick) {
            let outcome = Ok(());
            self.input(Input::Committed { commit, outcome });
        } else if let Some(invocation) = pick_of(&live, pick) {
            let outcome = Ok(ToolOutcome::Continue(json!(pick)));
            self.input(Input::Finished {
                invocation,
                outcome,
            });
        } else if let Some(call) = pick_of(&approvals, pick) {
            let verdict = Verdict::Approve { args: None };
            let shown = self.driver.shown(call);
            self.input(Input::Decide {
                call,
                shown,
                verdict,
                by: Decider::Person,
            });
        } else {
            self.answer(pick, true, false);
        }
    }

    /// Brings everything to an end without new input.
    pub(super) fn settle(&mut self) {
        self.input(Input::Tree {
            change: TreeChange::ShowRun,
        });
        for _ in 0..40 {
            if !self.driver.session.is_busy() {
                return;
            }
            if self.driver.session.is_streaming() {
                self.event(finished());
                self.close(StreamEnd::Closed);
            }
            for commit in self.commits.keys().copied().collect::<Vec<_>>() {
                let outcome = Ok(());
                self.input(Input::Committed { commit, outcome });
            }
            for invocation in self.live.keys().copied().collect::<Vec<_>>() {
                let outcome = Ok(ToolOutcome::Continue(json!(1)));
                self.input(Input::Finished {
                    invocation,
                    outcome,
                });
            }
            for (ticket, _) in self.driver.host.tickets.clone() {
                self.input(Input::PolicyAnswer { ticket, ask: false });
            }
            for call in self.driver.session.conversation().active_calls() {
                for verdict in [
                    Verdict::Approve { args: None },
                    Verdict::Deny { reason: None },
                ] {
                    let shown = self.driver.shown(call);
                    self.input(Input::Decide {
                        call,
                        shown,
                        verdict,
                        by: Decider::Person,
                    });
                }
            }
            self.answer(0, true, false);
            self.answer(0, true, true);
        }
        let session = &self.driver.session;
        let calls = session.conversation().active_calls();
        let calls: Vec<_> = calls
            .iter()
            .map(|key| session.conversation().call(key))
            .collect();
        panic!("still busy: {:?}, {calls:?}", session.interrupts());
    }
}

const fn spec_other(policy: Policy) -> Policy {
    match policy {
        Policy::Never => Policy::Always,
        Policy::Always | Policy::Ask => Policy::Never,
    }
}
