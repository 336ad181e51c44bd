//! Executes the steps of a schedule, and brings it to a quiet end.

use assistant_core::{
    action::{ToolError, ToolOutcome},
    conversation::{CallKey, MessageId, Part},
    event::{Content, EventKind, Outcome, Role},
    session::{CommitId, Failure, FailureKind, Input, StreamEnd},
};
use serde_json::json;

use super::{
    act::{Act, AnswerFormat, BadEnd, Ends, Id, Parent},
    rewrite::{List, Rewrite},
    world::{NAMES, World},
};
use crate::support::*;

impl World {
    pub(super) fn event(&mut self, kind: EventKind) {
        self.open_prepared();
        if let Some((run, _)) = self.driver.runs.last() {
            let run = *run;
            self.input(Input::Event {
                run,
                event: Box::new(kind.into()),
            });
        }
    }

    pub(super) fn close(&mut self, end: StreamEnd) {
        self.open_prepared();
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
                let newest = path.find(|message| message.role() == Role::Assistant);
                newest.map(|message| message.wire_id().to_owned())
            }
        }
    }

    pub(super) fn any_message(&self, pick: u8) -> Option<MessageId> {
        let all = self.driver.session.conversation().all_messages();
        let ids: Vec<MessageId> = all.map(|message| message.id().clone()).collect();
        pick_of(&ids, pick)
    }

    /// Executes one step of a schedule.
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
            Act::Interrupt { format, calls } => self.interrupt(*format, calls),
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
                choice,
                twice,
                late,
            } => self.decide(*pick, *choice, *twice, *late),
            Act::Answer {
                pick,
                approved,
                cancel,
            } => self.answer(*pick, *approved, *cancel),
            Act::GiveUp => {
                let open = self.driver.session.interrupts().iter();
                let id = open.map(|open| open.interrupt().id.clone()).next();
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
            Act::Proceed(pick) => self.proceed(*pick),
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

    /// Returns unique words.
    pub(super) fn words(&mut self) -> Content {
        self.word_count += 1;
        Content::Text(format!("words {}", self.word_count))
    }

    pub(super) fn finish(&mut self, last: EventKind) {
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

    fn interrupt(&mut self, format: AnswerFormat, calls: &[Id]) {
        let mut raised = Vec::new();
        for (number, call) in calls.iter().enumerate() {
            // Some agents reuse an id.
            let run = self.driver.runs.len() % 3;
            let (id, call) = (format!("int{run}{number}"), self.id(*call));
            raised.push(match format {
                AnswerFormat::Card => approval_interrupt(&id, &call),
                AnswerFormat::Editable => {
                    let schema = json!({
                        "type": "object",
                        "properties": {"approved": {"type": "boolean"}, "editedArgs": {}},
                    });
                    interrupt(&id, Some(&call), schema)
                }
                AnswerFormat::Form => interrupt(&id, Some(&call), json!({})),
                AnswerFormat::Legacy => {
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
        let all: Vec<_> = self
            .driver
            .invocations
            .iter()
            .rev()
            .map(|i| i.id())
            .collect();
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

    /// Returns the calls of the conversation, on all branches.
    pub(super) fn all_calls(&self) -> Vec<CallKey> {
        let messages = self.driver.session.conversation().all_messages();
        let parts = messages.flat_map(|message| message.parts());
        parts.filter_map(Part::call_key).collect()
    }
}

pub(super) fn name_of(pick: u8) -> &'static str {
    NAMES[usize::from(pick) % NAMES.len()]
}

pub(super) fn pick_of<T: Clone>(list: &[T], by: u8) -> Option<T> {
    list.get(usize::from(by).checked_rem(list.len())?).cloned()
}
