//! Carries the steps of a schedule out, and leads it to a quiet end.

use assistant_core::{
    action::{RegistrationId, ToolError, ToolOutcome},
    conversation::{CallKey, MessageId, Sibling},
    event::{Content, EventKind, Outcome, ResumeStatus, Role},
    session::{
        CommitId, Failure, FailureKind, Input, InvocationId, OpenInterrupt, StreamEnd, TreeChange,
        Verdict,
    },
};
use serde_json::json;

use super::{
    act::{Act, Asks, BadEnd, Ends, Id, Parent, Say, Shake, Tree},
    rewrite::{List, Rewrite},
    world::{NAMES, World, spec},
};
use crate::support::*;

impl World {
    fn event(&mut self, kind: EventKind) {
        if let Some((run, _)) = self.driver.runs.last() {
            let run = *run;
            self.input(Input::Event {
                run,
                event: Box::new(kind.into()),
            });
        }
    }

    fn close(&mut self, end: StreamEnd) {
        if let Some((run, _)) = self.driver.runs.last() {
            let run = *run;
            self.input(Input::RunClosed { run, end });
        }
    }

    fn id(&self, id: Id) -> String {
        let run = self.driver.runs.len().saturating_sub(usize::from(id.back));
        format!("r{run}c{}", id.slot)
    }

    fn parent(&self, parent: Parent) -> Option<String> {
        let runs = self.driver.runs.len();
        match parent {
            Parent::None => None,
            Parent::Run => Some(format!("m{runs}")),
            Parent::Late => Some(format!("late{runs}")),
            Parent::Newest => {
                let mut path = self.driver.session.conversation().run_path().rev();
                let newest = path.find(|message| message.role == Role::Assistant);
                newest.map(|message| message.wire_id().to_owned())
            }
        }
    }

    fn any_message(&self, pick: u8) -> Option<MessageId> {
        let all = self.driver.session.conversation().all_messages();
        let ids: Vec<MessageId> = all.map(|message| message.id.clone()).collect();
        pick_of(&ids, pick)
    }

    /// Carries one step of a schedule out.
    pub(super) fn act(&mut self, act: &Act) {
        match act {
            Act::Send { rule } => self.send(*rule),
            Act::Call {
                call,
                name,
                args: words,
                parent,
            } => {
                let (call, parent) = (self.id(*call), self.parent(*parent));
                self.event(start_in(&call, name_of(*name), parent.as_deref()));
                self.event(args(&call, words.text()));
                self.event(end(&call));
            }
            Act::Start { call, name, parent } => {
                let (call, parent) = (self.id(*call), self.parent(*parent));
                self.event(start_in(&call, name_of(*name), parent.as_deref()));
            }
            Act::More { call, args: words } => self.event(args(&self.id(*call), words.text())),
            Act::End { call } => self.event(end(&self.id(*call))),
            Act::Result { call } => {
                let call = self.id(*call);
                self.event(result(&format!("t{call}"), &call, "theirs"));
            }
            Act::Text { message } => says(&format!("m{}", message % 3), "w")
                .into_iter()
                .for_each(|event| self.event(event)),
            Act::Finish => self.finish(finished()),
            Act::EndBadly(end) => self.end_badly(*end),
            Act::Interrupt { asks, calls } => self.interrupt(*asks, calls),
            Act::Snapshot(rewrites) => self.snapshot(rewrites),
            Act::Commit { pick, ok } => {
                let open: Vec<CommitId> = self.commits.keys().rev().copied().collect();
                if let Some(commit) = pick_of(&open, *pick) {
                    let outcome = ok.then_some(()).ok_or_else(|| "full".to_owned());
                    self.input(Input::Committed { commit, outcome });
                }
            }
            Act::Handler { pick, ends, twice } => self.end_handler(*pick, *ends, *twice),
            Act::Decide {
                pick,
                say,
                twice,
                late,
            } => self.decide(*pick, *say, *twice, *late),
            Act::Answer {
                pick,
                approved,
                cancel,
            } => self.answer(*pick, *approved, *cancel),
            Act::GiveUp => {
                let open = self.driver.session.interrupts().iter();
                let id = open.map(|open| open.interrupt.id.clone()).next();
                let interrupt_id = id.unwrap_or_default();
                self.input(Input::GiveUp { interrupt_id });
            }
            Act::Rule { pick, ask } => {
                let tickets = &self.driver.host.tickets;
                if let Some((ticket, _)) = pick_of(tickets, *pick) {
                    self.input(Input::PolicyAnswer { ticket, ask: *ask });
                }
            }
            Act::Timer(pick) => {
                let timers = self.driver.timers.iter().rev();
                let timers: Vec<_> = timers.map(|(timer, _)| *timer).collect();
                if let Some(timer) = pick_of(&timers, *pick) {
                    self.input(Input::Timer { timer });
                }
            }
            Act::Registry { name, rules } => self.change_registry(*name, *rules),
            Act::Shake(shake) => self.shake(*shake),
            Act::Tree(tree) => self.change_tree(*tree),
            Act::GoOn(pick) => self.go_on(*pick),
        }
    }

    pub(super) fn send(&mut self, rule: Option<bool>) {
        self.driver.host.ask = rule;
        if let Some(copy) = &mut self.copy {
            copy.host.ask = rule;
        }
        let content = self.words();
        self.input(Input::Send { content });
        self.event(started());
    }

    /// Words that nobody said before.
    fn words(&mut self) -> Content {
        self.said += 1;
        Content::Text(format!("words {}", self.said))
    }

    fn finish(&mut self, last: EventKind) {
        self.event(last);
        self.close(StreamEnd::Closed);
        self.event(started());
    }

    fn end_badly(&mut self, end: BadEnd) {
        let failure = |kind| StreamEnd::Failed(Failure::new(kind, "no"));
        match end {
            BadEnd::RunError => self.event(run_error("boom")),
            BadEnd::Cancelled => self.event(ended_with(Some(Outcome::Cancelled))),
            BadEnd::NetworkAfterEnd => {
                self.event(finished());
                return self.close(failure(FailureKind::Network));
            }
            BadEnd::Network => return self.close(failure(FailureKind::Network)),
            BadEnd::Protocol => return self.close(failure(FailureKind::Protocol)),
            BadEnd::Truncated => {}
        }
        self.close(StreamEnd::Closed);
    }

    fn interrupt(&mut self, asks: Asks, calls: &[Id]) {
        let mut raised = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            let (id, call) = (format!("int{number}"), self.id(*call));
            raised.push(match asks {
                Asks::Card => gate(&id, &call),
                Asks::Editable => {
                    let schema = json!({
                        "type": "object",
                        "properties": {"approved": {"type": "boolean"}, "editedArgs": {}},
                    });
                    interrupt(&id, Some(&call), schema)
                }
                Asks::Form => interrupt(&id, Some(&call), json!({})),
                Asks::Legacy => {
                    let value = json!({"message": "May I?", "toolCallId": call});
                    let name = "on_interrupt".to_owned();
                    self.event(EventKind::Custom { name, value });
                    continue;
                }
            });
        }
        match raised.is_empty() {
            true => self.finish(finished()),
            false => self.finish(interrupted(raised)),
        }
    }

    fn snapshot(&mut self, rewrites: &[Rewrite]) {
        let conversation = self.driver.session.conversation();
        let messages = conversation.received_messages();
        let foreign = self.driver.runs.iter().rev().skip(1).take(4);
        let mut list = List {
            foreign: foreign.flat_map(|(_, run)| run.messages.clone()).collect(),
            messages,
            fresh: &mut self.fresh,
        };
        for rewrite in rewrites {
            list.apply(rewrite);
        }
        let messages = list.messages;
        self.event(snapshot(messages));
    }

    fn end_handler(&mut self, pick: u8, ends: Ends, twice: bool) {
        let all: Vec<_> = self.driver.invocations.iter().rev().map(|i| i.id).collect();
        let Some(invocation) = pick_of(&all, pick) else {
            return;
        };
        let outcome = match ends {
            Ends::Error => Err(ToolError::new("boom")),
            Ends::StopLoop => Ok(ToolOutcome::StopLoop(json!("enough"))),
            Ends::Value(value) => Ok(ToolOutcome::Continue(json!(value))),
        };
        for _ in 0..=u8::from(twice) {
            let outcome = outcome.clone();
            self.input(Input::Finished {
                invocation,
                outcome,
            });
        }
    }

    fn decide(&mut self, pick: u8, say: Say, twice: bool, late: bool) {
        let session = &self.driver.session;
        let pending = session.pending_approvals();
        let mut keys = session.conversation().path_calls();
        keys.reverse();
        // Mostly what asks; now and then any card that is on the screen.
        let Some(call) = pick_of(&pending, pick / 4)
            .filter(|_| !pick.is_multiple_of(4))
            .or(pick_of(&keys, pick))
        else {
            return;
        };
        let verdict = match say {
            Say::Approve => Verdict::Approve { args: None },
            Say::Deny => Verdict::Deny { reason: None },
            Say::Edit => Verdict::Approve {
                args: Some(json!({"x": 2})),
            },
        };
        let shown = match late {
            true => self.record.older_card(&call),
            false => session.fingerprint(&call),
        };
        for _ in 0..=u8::from(twice) {
            let (shown, verdict) = (shown.clone(), verdict.clone());
            self.input(Input::Decide {
                call,
                shown,
                verdict,
            });
        }
    }

    fn answer(&mut self, pick: u8, approved: bool, cancel: bool) {
        let open = self.driver.session.interrupts();
        let id = |open: &OpenInterrupt| open.interrupt.id.clone();
        let waits = open.iter().filter(|open| open.answer.is_none()).map(id);
        let waits: Vec<String> = waits.collect();
        let all: Vec<String> = open.iter().map(id).collect();
        let Some(interrupt_id) = pick_of(&waits, pick).or(pick_of(&all, pick)) else {
            return;
        };
        let status = match cancel {
            true => ResumeStatus::Cancelled,
            false => ResumeStatus::Resolved,
        };
        let payload = Some(json!({"approved": approved}));
        self.input(Input::Answer {
            interrupt_id,
            status,
            payload,
        });
    }

    fn change_registry(&mut self, name: u8, rules: u8) {
        let name = name_of(name);
        let known = self
            .driver
            .session
            .registry()
            .in_force(name)
            .map(|entry| entry.id);
        let mut id = match known {
            Some(id) if rules.is_multiple_of(4) => return self.input(Input::Unregister { id }),
            Some(id) if rules % 4 == 1 => id,
            _ => RegistrationId(0),
        };
        if id.0 == 0 {
            self.next_registration += 1;
            id = RegistrationId(self.next_registration);
        }
        let mut spec = spec(name);
        if rules & 4 != 0 {
            spec.parameters = json!({"type": "object", "required": ["y"]});
        }
        if rules & 24 == 24 {
            spec.approval = spec_other(spec.approval);
        }
        self.input(Input::Register {
            id,
            spec: Box::new(spec),
        });
    }

    fn shake(&mut self, shake: Shake) {
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

    fn change_tree(&mut self, tree: Tree) {
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
            Tree::Delete(message) => {
                to_message(message).map(|message| TreeChange::Delete { message })
            }
            Tree::Reparent(message, parent) => {
                let parent = to_message(parent);
                to_message(message).map(|message| TreeChange::Reparent { message, parent })
            }
            Tree::ShowRun => Some(TreeChange::ShowRun),
        };
        if let Some(change) = change {
            self.input(Input::Tree { change });
            self.event(started());
        }
    }

    fn go_on(&mut self, pick: u8) {
        let session = &self.driver.session;
        let asked = session.pending_approvals();
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
        } else if let Some(call) = pick_of(&asked, pick) {
            let verdict = Verdict::Approve { args: None };
            let shown = session.fingerprint(&call);
            self.input(Input::Decide {
                call,
                shown,
                verdict,
            });
        } else {
            self.answer(pick, true, false);
        }
    }

    /// With nothing new to do, everything comes to an end.
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
                let shown = None;
                for verdict in [
                    Verdict::Approve { args: None },
                    Verdict::Deny { reason: None },
                ] {
                    self.input(Input::Decide {
                        call,
                        shown: shown.clone(),
                        verdict,
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

    /// The calls of the conversation, on all branches.
    pub(super) fn all_calls(&self) -> Vec<CallKey> {
        let messages = self.driver.session.conversation().all_messages();
        messages
            .flat_map(|message| message.calls().map(|call| call.key()))
            .collect()
    }
}

const fn spec_other(policy: assistant_core::action::Policy) -> assistant_core::action::Policy {
    use assistant_core::action::Policy;
    match policy {
        Policy::Never => Policy::Always,
        Policy::Always | Policy::Ask => Policy::Never,
    }
}

fn name_of(pick: u8) -> &'static str {
    NAMES[usize::from(pick) % NAMES.len()]
}

fn pick_of<T: Clone>(list: &[T], by: u8) -> Option<T> {
    list.get(usize::from(by).checked_rem(list.len())?).cloned()
}
