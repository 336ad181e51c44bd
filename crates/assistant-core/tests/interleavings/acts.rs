//! What can happen: one step of a schedule, and the way to a quiet end.

use assistant_core::{
    action::{RegistrationId, ToolError, ToolOutcome},
    conversation::CallKey,
    event::{EventKind, Message, Outcome, ResumeStatus},
    session::{CommitId, Failure, FailureKind, Input, InvocationId, StreamEnd, Verdict},
};
use serde_json::json;

use super::world::{NAMES, World, spec};
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

    fn any_call(&self, pick: u8) -> Option<CallKey> {
        let keys = self.driver.session.conversation().path_calls();
        let place = keys
            .len()
            .checked_sub(1 + usize::from(pick) % keys.len().max(1))?;
        keys.get(place).copied()
    }

    /// Carries one step of a schedule out.
    pub(super) fn act(&mut self, what: u8, a: u8, b: u8) {
        let call = format!(
            "r{}c{}",
            self.driver.runs.len() - usize::from(a >= 240).min(self.driver.runs.len()),
            a % 4
        );
        let name = NAMES[usize::from(b) % NAMES.len()];
        let parent = (a & 64 != 0).then_some("m");
        let arguments = ["{}", "{bad", "", "[1]"]
            .get(usize::from(b / 16))
            .unwrap_or(&"{\"x\":1}");
        match what % 44 {
            0 | 1 => {
                self.driver.host.ask = [None, Some(true), Some(false)][usize::from(a) % 3];
                if let Some(copy) = &mut self.copy {
                    copy.host.ask = self.driver.host.ask;
                }
                let content = assistant_core::event::Content::Text("hi".to_owned());
                self.input(Input::Send { content });
                self.event(started());
            }
            2..=5 | 28..=31 => {
                self.event(start_in(&call, name, parent));
                self.event(args(&call, arguments));
                self.event(end(&call));
            }
            6 => self.event(start_in(&call, name, parent)),
            7 => self.event(args(&call, arguments)),
            8 => self.event(end(&call)),
            9 => self.event(result(&format!("t{call}"), &call, "theirs")),
            10 => says(&format!("m{}", a % 3), "w")
                .into_iter()
                .for_each(|e| self.event(e)),
            11 | 12 => {
                self.event(finished());
                self.close(StreamEnd::Closed);
                self.event(started());
            }
            13 => self.end_badly(a),
            14 => {
                let schema = if b & 1 == 0 {
                    gate("int", &call)
                } else {
                    interrupt("int", Some(&call), json!({}))
                };
                self.event(interrupted(vec![schema]));
                self.close(StreamEnd::Closed);
            }
            15..=17 => {
                let open: Vec<CommitId> = self.commits.keys().rev().copied().collect();
                if let Some(commit) = open.get(usize::from(a) % open.len().max(1)) {
                    let outcome = if b < 240 {
                        Ok(())
                    } else {
                        Err("full".to_owned())
                    };
                    self.input(Input::Committed {
                        commit: *commit,
                        outcome,
                    });
                }
            }
            18 | 19 => self.end_handler(a, b),
            20 | 21 => {
                let Some(call) = self.any_call(a) else { return };
                let verdict = match b % 3 {
                    0 => Verdict::Approve { args: None },
                    1 => Verdict::Deny { reason: None },
                    _ => Verdict::Approve {
                        args: Some(json!({"x": 2})),
                    },
                };
                for _ in 0..=b % 2 {
                    self.input(Input::Decide {
                        call,
                        shown: None,
                        verdict: verdict.clone(),
                    });
                }
            }
            22 => {
                let tickets = &self.driver.host.tickets;
                if let Some((ticket, _)) = tickets.get(usize::from(a) % tickets.len().max(1)) {
                    let ticket = *ticket;
                    self.input(Input::PolicyAnswer {
                        ticket,
                        ask: b & 1 == 0,
                    });
                }
            }
            23 => {
                let timers = &self.driver.timers;
                if let Some((timer, _)) =
                    timers.get(timers.len().saturating_sub(1 + usize::from(a % 4)))
                {
                    let timer = *timer;
                    self.input(Input::Timer { timer });
                }
            }
            32.. => self.go_on(a, b),
            24 => self.change_registry(a, b),
            25 => self.shake(a),
            26 => self.snapshot(a, b),
            _ => {
                let interrupt_id = "int".to_owned();
                let status = if a & 1 == 0 {
                    ResumeStatus::Resolved
                } else {
                    ResumeStatus::Cancelled
                };
                let payload = Some(json!({"approved": b & 1 == 0}));
                self.input(Input::Answer {
                    interrupt_id,
                    status,
                    payload,
                });
            }
        }
    }

    /// What a patient person, a good agent and quick handlers would do next.
    fn go_on(&mut self, a: u8, b: u8) {
        let asked = self.driver.session.conversation().active_calls();
        let pending: Vec<CommitId> = self.pending.iter().copied().collect();
        let live: Vec<InvocationId> = self.live.keys().copied().collect();
        if !self.driver.session.is_busy() {
            self.act(0, a, b);
        } else if self.driver.session.is_streaming() && b < 200 {
            self.act(11, a, b);
        } else if let Some(commit) = pick(&pending, a) {
            let outcome = Ok(());
            self.input(Input::Committed { commit, outcome });
        } else if let Some(invocation) = pick(&live, a) {
            let outcome = Ok(ToolOutcome::Continue(json!(b)));
            self.input(Input::Finished {
                invocation,
                outcome,
            });
        } else if let Some(call) = pick(&asked, a) {
            let verdict = Verdict::Approve { args: None };
            self.input(Input::Decide {
                call,
                shown: None,
                verdict,
            });
        }
    }

    fn end_badly(&mut self, a: u8) {
        let failure = |kind| StreamEnd::Failed(Failure::new(kind, "no"));
        match a % 6 {
            0 => self.event(run_error("boom")),
            1 => self.event(ended_with(Some(Outcome::Cancelled))),
            2 => self.event(finished()),
            3 => return self.close(failure(FailureKind::Network)),
            4 => return self.close(failure(FailureKind::Protocol)),
            _ => {}
        }
        self.close(StreamEnd::Closed);
    }

    fn end_handler(&mut self, a: u8, b: u8) {
        let all = &self.driver.invocations;
        let place = all.len().saturating_sub(1 + usize::from(a % 4));
        let Some(invocation) = all.get(place).map(|i| i.id) else {
            return;
        };
        let outcome = match b % 6 {
            0 => Err(ToolError::new("boom")),
            1 => Ok(ToolOutcome::StopLoop(json!("enough"))),
            _ => Ok(ToolOutcome::Continue(json!(b))),
        };
        for _ in 0..=b % 2 {
            self.input(Input::Finished {
                invocation,
                outcome: outcome.clone(),
            });
        }
    }

    fn change_registry(&mut self, a: u8, b: u8) {
        let entries = self.driver.session.registry();
        let name = NAMES[usize::from(a) % NAMES.len()];
        let known = entries.in_force(name).map(|entry| entry.id);
        match known.filter(|_| b & 1 == 0) {
            Some(id) => self.input(Input::Unregister { id }),
            None => {
                self.next_registration += 1;
                let id = RegistrationId(self.next_registration);
                let mut spec = spec(name);
                if b & 2 != 0 {
                    spec.parameters = json!({"type": "object", "required": ["y"]});
                }
                self.input(Input::Register {
                    id,
                    spec: Box::new(spec),
                });
            }
        }
    }

    /// What people do when they lose patience.
    fn shake(&mut self, a: u8) {
        match a % 8 {
            0 | 1 => self.input(Input::Stop),
            2 | 3 => {
                self.input(Input::Retry);
                self.event(started());
            }
            4 => {
                self.input(Input::Continue);
                self.event(started());
            }
            5 => self.input(Input::NewThread),
            6 => self.copy = Some(self.driver.clone()),
            _ => {
                let thread_id = self.driver.session.thread_id().to_owned();
                let snapshot = self.driver.session.conversation().export();
                self.input(Input::Load {
                    thread_id,
                    snapshot,
                });
            }
        }
    }

    /// The history as it is, without one of its messages.
    fn snapshot(&mut self, a: u8, b: u8) {
        let mut messages: Vec<Message> = self.driver.session.conversation().received_messages();
        if !messages.is_empty() && b & 1 == 0 {
            messages.remove(usize::from(a) % messages.len());
        }
        self.event(snapshot(messages));
    }

    /// With nothing new to do, everything comes to an end.
    pub(super) fn settle(&mut self) {
        for _ in 0..40 {
            if !self.driver.session.is_busy() {
                return;
            }
            if self.driver.session.is_streaming() {
                self.event(finished());
                self.close(StreamEnd::Closed);
            }
            for commit in self.commits.keys().copied().collect::<Vec<_>>() {
                self.input(Input::Committed {
                    commit,
                    outcome: Ok(()),
                });
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
                self.input(Input::Decide {
                    call,
                    shown: None,
                    verdict: Verdict::Approve { args: None },
                });
            }
            for open in self.driver.session.interrupts().to_vec() {
                let interrupt_id = open.interrupt.id;
                let payload = Some(json!({"approved": true}));
                self.input(Input::Answer {
                    interrupt_id,
                    status: ResumeStatus::Resolved,
                    payload,
                });
            }
        }
        panic!("still busy: {:#?}", self.driver.session);
    }
}

fn pick<T: Clone>(list: &[T], by: u8) -> Option<T> {
    list.get(usize::from(by) % list.len().max(1)).cloned()
}
