//! Reads the conversation as a file in another page, unchanged or altered manually.

use std::collections::{BTreeMap, HashSet};

use assistant_core::{
    conversation::{CallKey, Decider},
    event::Content,
    session::{
        Effect, Input, Invocation, JournalEntry, RunKey, Session, SessionOptions, StreamEnd,
        Verdict,
    },
};
use assistant_protocols::agui::{self, Decoder, DecoderOptions};
use conformance::attacker::{FileChange, Tool};
use serde_json::{Value, json};

use super::{
    desk::{PageHost, rule_needs_approval},
    person::Scene,
    questions::is_denial,
};

/// A second page that has read the file.
struct CopiedPage<'a> {
    original: &'a Scene,
    session: Session,
    desk: PageHost,
    /// True if the page continues the session with its journal, false if it imports the file.
    restores: bool,
    run: Option<RunKey>,
    claims: HashSet<String>,
    /// The calls that were approved in this page, with the arguments on their cards.
    approved: BTreeMap<CallKey, Value>,
}

impl Scene {
    /// Adds an entry to the conversation's journal.
    pub(crate) fn record_entry(&mut self, entry: &JournalEntry) {
        self.journal.push(entry.clone());
    }

    /// Reads the current conversation in another page.
    ///
    /// * Nothing in an imported file starts and no run begins, regardless of its content: not on
    ///   import, and not because components mount or the user continues. A restored session
    ///   automatically starts only calls that need no approval and are not in the journal.
    /// * A call that starts there later was approved there, as shown on its card. So a call that
    ///   was started in one page starts in the other only with the user's approval there.
    /// * No approval and no answer of the file is sent to an agent, except for a denial.
    pub(crate) fn check_copy(&self, restores: bool, changes: &[FileChange]) {
        let mut snapshot = self.session.snapshot();
        for change in changes {
            self.apply_file_change(&mut snapshot, *change, restores);
        }
        let journal = self.journal.iter();
        let mut copy = CopiedPage {
            original: self,
            session: Session::new("elsewhere", SessionOptions::default()),
            desk: PageHost::for_another_page(self.desk.clock),
            restores,
            run: None,
            claims: journal.clone().map(JournalEntry::claim).collect(),
            approved: BTreeMap::new(),
        };
        copy.register_actions();
        let (thread_id, journal) = ("thread".to_owned(), journal.cloned().collect());
        let read = copy.handle_input(match restores {
            true => Input::Restore {
                thread_id,
                snapshot,
                journal,
            },
            false => Input::Load {
                thread_id,
                snapshot,
            },
        });
        if read {
            assert!(restores || copy.run.is_none(), "a file began a run");
            copy.complete_and_approve();
        }
    }

    /// Applies a manual change to the file.
    fn apply_file_change(&self, snapshot: &mut Value, change: FileChange, restores: bool) {
        if change == FileChange::RunsSucceeded {
            for run in snapshot["runs"].as_array_mut().into_iter().flatten() {
                run["succeeded"] = true.into();
            }
            return;
        }
        let messages = snapshot["messages"].as_array_mut();
        let parts = messages.into_iter().flatten();
        let parts = parts.filter_map(|entry| entry["message"]["parts"].as_array_mut());
        let mut calls: Vec<&mut Value> = parts
            .flatten()
            .filter(|part| part["type"] == "tool-call")
            .collect();
        let place = usize::from(change.pick()).checked_rem(calls.len());
        let Some(call) = place.and_then(|place| calls.get_mut(place)) else {
            return;
        };
        let Value::Object(call) = call else { return };
        let mut put = |key: &str, value: Value| drop(call.insert(key.to_owned(), value));
        match change {
            FileChange::RunsSucceeded => {}
            FileChange::State(_, state) => {
                put("state", state.into());
                call.shift_remove("lifecycle");
            }
            FileChange::Lifecycle(_, word) => put("lifecycle", word.into()),
            FileChange::Approved(_) => {
                put("state", "approval-responded".into());
                put("lifecycle", "allowed".into());
                put("approval", json!({"decision": "approved"}));
            }
            FileChange::HandedOff(_) => {
                put("state", "approval-responded".into());
                put("lifecycle", "handed-off".into());
                put(
                    "approval",
                    json!({"decision": "approved", "handedOffBy": "t"}),
                );
            }
            FileChange::InterruptApproved(_) => {
                put("state", "approval-responded".into());
                put("lifecycle", "interrupt-approved".into());
                let approval = json!({"decision": "approved", "interruptId": "int0"});
                put("approval", approval);
            }
            FileChange::Granted(_) => {
                let grant = self.allowed.keys().next().cloned();
                let grant = grant.unwrap_or_else(|| "g".to_owned());
                put("allowedEarlier", json!({"id": grant, "at": 0}));
                put("state", "approval-responded".into());
                put("lifecycle", "allowed".into());
            }
            FileChange::Regenerate(_) => {
                for key in [
                    "lifecycle",
                    "output",
                    "result",
                    "started",
                    "starts",
                    "voidStarts",
                    "unknownOutcome",
                    "asked",
                    "changed",
                    "approval",
                    "error",
                    "by",
                    "endedAt",
                ] {
                    call.shift_remove(key);
                }
                // A journal identifies calls by keys: without one it is not a call of this session.
                if !restores {
                    call.shift_remove("key");
                }
                call.insert("state".to_owned(), "input-available".into());
            }
            FileChange::Rewrite(_, tool, args) => {
                put("toolName", tool.name().into());
                put("argsText", args.text().into());
                let read = serde_json::from_str(args.text()).unwrap_or(Value::Null);
                put("input", read);
            }
        }
    }
}

impl CopiedPage<'_> {
    fn register_actions(&mut self) {
        for tool in Tool::ALL {
            let entry = self
                .original
                .session
                .registry()
                .active_registration(tool.name());
            if let Some(entry) = entry {
                let (id, spec) = (entry.id(), Box::new(entry.spec().clone()));
                self.handle_input(Input::Register { id, spec });
            }
        }
    }

    fn handle_input(&mut self, input: Input) -> bool {
        let output = self.session.handle(input, &mut self.desk);
        for effect in output.effects {
            match effect {
                Effect::PrepareRun { run } => drop(self.handle_input(Input::OpenRun { run })),
                Effect::OpenRun { run, input } => {
                    self.run = Some(run);
                    self.check_request(&agui::run_input(&input));
                }
                Effect::AbortRun { .. } => self.run = None,
                Effect::Commit { commit, entry } => {
                    let is_new = self.claims.insert(entry.claim()) || !self.restores;
                    let outcome = is_new.then_some(()).ok_or_else(|| "taken".to_owned());
                    self.handle_input(Input::Committed { commit, outcome });
                }
                Effect::Invoke(run) => self.check_start(&run),
                Effect::Preview(asked) => {
                    let (ticket, outcome) = (asked.ticket(), Ok(json!({"there": 1})));
                    self.handle_input(Input::Previewed { ticket, outcome });
                }
                _ => {}
            }
        }
        output.refused.is_none()
    }

    fn check_start(&self, run: &Invocation) {
        if let Some(args) = self.approved.get(&run.call_key()) {
            return assert_eq!(args, run.args(), "not what was shown: {run:?}");
        }
        assert!(self.restores, "a file started {run:?}");
        let unasked =
            run.name() == "look" || run.name() == "maybe" && !rule_needs_approval(run.args());
        assert!(unasked, "a stored approval started {run:?}");
        let conversation = self.session.conversation();
        let text = conversation
            .call(&run.call_key())
            .map(|call| call.args_text());
        let is_this = |entry: &&JournalEntry| match entry {
            JournalEntry::Started {
                call,
                name,
                args_text,
                ..
            } => *call == run.call_key() && *name == run.name() && Some(args_text.as_str()) == text,
            JournalEntry::Finished { .. } => false,
        };
        let before = self.original.journal.iter().find(is_this);
        assert_eq!(before, None, "once more: {run:?}");
    }

    /// Registers the actions again, continues, retries and sends a message. Then decides about up
    /// to four cards: approves calls of the page, and denies questions of the agent.
    fn complete_and_approve(&mut self) {
        self.register_actions();
        self.handle_input(Input::Continue);
        self.end_run();
        self.handle_input(Input::Retry);
        self.end_run();
        let content = Content::Text("and now?".to_owned());
        self.handle_input(Input::Send { content });
        self.end_run();
        for _ in 0..4 {
            let card = self.session.pending_approvals().into_iter().next();
            let Some(call) = card else { return };
            let conversation = self.session.conversation();
            let args = conversation
                .call(&call)
                .and_then(|call| call.effective_args());
            let by_agent = conversation.call(&call).is_some_and(|call| {
                let approval = call.approval();
                approval.is_some_and(|approval| approval.interrupt_id().is_some())
            });
            let (Some(args), Some(shown)) = (args.cloned(), self.session.fingerprint(&call)) else {
                return;
            };
            // An answer to the agent is not an approval of the page.
            let verdict = match by_agent {
                true => Verdict::Deny { reason: None },
                false => Verdict::Approve { args: None },
            };
            if !by_agent {
                self.approved.insert(call, args);
            }
            self.handle_input(Input::Decide {
                call,
                shown,
                verdict,
                by: Decider::Person,
            });
            self.end_run();
        }
    }

    fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let (mut events, mut decoder) = (Vec::new(), Decoder::new(DecoderOptions::default()));
        for kind in ["RUN_STARTED", "RUN_FINISHED"] {
            let event = json!({"type": kind, "threadId": "thread", "runId": "r"});
            decoder.push_value(event, &mut events).unwrap();
        }
        for event in events {
            let event = Box::new(event);
            self.handle_input(Input::Event { run, event });
        }
        let end = StreamEnd::Closed;
        self.handle_input(Input::RunClosed { run, end });
    }

    /// Checks that a request contains only approvals that were given in this page, and no answers
    /// to the agent except denials.
    fn check_request(&self, request: &Value) {
        let messages = request["messages"].as_array().into_iter().flatten();
        for message in messages.filter(|message| message["role"] == "tool") {
            let id = message["toolCallId"].as_str().unwrap_or_default();
            let found = self.session.conversation().call_by_wire_id(id);
            let here = found.is_some_and(|(key, _)| self.approved.contains_key(&key));
            let ours = message["id"]
                .as_str()
                .is_some_and(|id| id.starts_with("id"));
            let is_approval = ours && message["content"] == "approved";
            assert!(here || !is_approval, "not approved here: {message}");
        }
        for answer in request["resume"].as_array().into_iter().flatten() {
            let denies = answer["status"] == "cancelled" || is_denial(&answer["payload"]);
            assert!(denies, "not answered here: {answer}");
        }
    }
}
