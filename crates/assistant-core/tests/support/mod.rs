//! A host for tests, and a driver that executes effects on command; see `build`.

mod build;
mod screen;

pub(crate) use build::*;

use std::{collections::VecDeque, rc::Rc};

use assistant_core::{
    action::{
        ActionSpec, RegistrationId, RememberedApproval, ToolError, ToolOutcome, schema::PatternHost,
    },
    conversation::{CallKey, Phase, ToolCall},
    event::{Content, Event, EventKind, RunInput},
    session::{
        Answer, AuditEntry, CommitId, Effect, Failure, FailureKind, Host, Input, Invocation,
        InvocationId, JournalEntry, NoticeKind, Output, PolicyQuestion, PreviewRequest, Refusal,
        RunKey, Session, SessionOptions, StreamEnd, Ticket, TimerId, TurnSummary, Verdict,
    },
};
use assistant_protocols::Protocol;
use serde_json::Value;

/// A host with sequential ids, a manual clock, and programmed rules.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestHost {
    pub(crate) ids: u64,
    pub(crate) clock: i64,
    /// The result of `needs_approval`; `None` means later.
    pub(crate) ask: Option<bool>,
    /// The questions that were asked.
    pub(crate) tickets: Vec<(Ticket, Value)>,
    /// The result of `permits`; everything is permitted by default.
    pub(crate) permission: Option<Answer<Result<(), String>>>,
    /// The permissions that were requested.
    pub(crate) permissions: Vec<(Ticket, Value)>,
    /// The function for `sanitize`.
    pub(crate) clean: Option<fn(&Value) -> Option<Value>>,
    /// The result of `denial`.
    pub(crate) denial: Option<Value>,
}

impl PatternHost for TestHost {
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let regex = regress::Regex::with_flags(pattern, "u").ok()?;
        Some(regex.find(text).is_some())
    }
}

impl Host for TestHost {
    fn now(&mut self) -> i64 {
        self.clock
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("id{}", self.ids)
    }

    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool> {
        self.tickets
            .push((question.ticket(), question.args().clone()));
        self.ask.map_or(Answer::Later, Answer::Now)
    }

    fn permits(&mut self, question: PolicyQuestion<'_>) -> Answer<Result<(), String>> {
        let asked = (question.ticket(), question.args().clone());
        self.permissions.push(asked);
        self.permission.clone().unwrap_or(Answer::Now(Ok(())))
    }

    fn sanitize(&mut self, _: RegistrationId, args: &Value) -> Option<Value> {
        self.clean.and_then(|clean| clean(args))
    }

    fn stops(&mut self, rule: &str, summary: &TurnSummary) -> bool {
        rule == "after one" && summary.runs().len() == 1
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        self.denial.clone()
    }
}

/// A session whose effects are recorded; commits are answered at once by default.
#[derive(Debug, Clone)]
pub(crate) struct Driver {
    pub(crate) session: Session,
    pub(crate) host: TestHost,
    pub(crate) manual_commits: bool,
    /// True if runs wait to be opened.
    pub(crate) manual_opening: bool,
    /// All effects, in order.
    pub(crate) effects: Vec<Effect>,
    pub(crate) runs: Vec<(RunKey, RunInput)>,
    pub(crate) commits: Vec<(CommitId, JournalEntry)>,
    pub(crate) invocations: Vec<Invocation>,
    pub(crate) cancelled: Vec<InvocationId>,
    pub(crate) timers: Vec<(TimerId, u32)>,
    pub(crate) records: Vec<JournalEntry>,
    pub(crate) archives: Vec<(String, Value)>,
    /// The approvals that the host stores.
    pub(crate) kept: Vec<RememberedApproval>,
    /// The uses of approvals that the host has to count.
    pub(crate) swaps: Vec<(Ticket, RememberedApproval, RememberedApproval)>,
    /// The requested previews.
    pub(crate) previews: Vec<PreviewRequest>,
    pub(crate) executed: Vec<(u64, Result<Value, ToolError>)>,
    pub(crate) aborted: Vec<RunKey>,
    /// The audit records, if a test needs them.
    pub(crate) audit: Option<Vec<AuditEntry>>,
    /// The protocol that writes the history of a request, as the agent of a runtime does.
    pub(crate) protocol: HistoryWriter,
    next_registration: u64,
    /// The questions as shown to the user.
    screen: screen::Screen,
}

/// The protocol of an agent, if it has a format for the history.
#[derive(Clone, Default)]
pub(crate) struct HistoryWriter(pub(crate) Option<Rc<dyn Protocol>>);

impl std::fmt::Debug for HistoryWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("HistoryWriter")
            .field(&self.0.is_some())
            .finish()
    }
}

impl Driver {
    pub(crate) fn new() -> Self {
        Self::with(SessionOptions::default())
    }

    pub(crate) fn with(options: SessionOptions) -> Self {
        Self {
            session: Session::new("thread", options),
            host: TestHost::default(),
            manual_commits: false,
            manual_opening: false,
            effects: Vec::new(),
            runs: Vec::new(),
            commits: Vec::new(),
            invocations: Vec::new(),
            cancelled: Vec::new(),
            timers: Vec::new(),
            records: Vec::new(),
            archives: Vec::new(),
            kept: Vec::new(),
            swaps: Vec::new(),
            previews: Vec::new(),
            executed: Vec::new(),
            aborted: Vec::new(),
            audit: None,
            protocol: HistoryWriter::default(),
            next_registration: 0,
            screen: screen::Screen::default(),
        }
    }

    /// Handles an input, and answers commits unless that is manual.
    pub(crate) fn input(&mut self, input: Input) -> Output {
        let output = self.session.handle(input, &mut self.host);
        self.screen.draw(&output, &self.session);
        if let Some(entries) = &mut self.audit {
            let made = output.calls.iter();
            let at = self.host.clock;
            entries.extend(made.filter_map(|one| self.session.audit_entry(one, at)));
        }
        let mut open = VecDeque::new();
        for effect in &output.effects {
            self.note(effect, &mut open);
        }
        for effect in &output.effects {
            if let Effect::PrepareRun { run } = *effect
                && !self.manual_opening
            {
                self.input(Input::OpenRun { run });
            }
        }
        if !self.manual_commits {
            for commit in open {
                self.input(Input::Committed {
                    commit,
                    outcome: Ok(()),
                });
            }
        }
        output
    }

    fn note(&mut self, effect: &Effect, open: &mut VecDeque<CommitId>) {
        self.effects.push(effect.clone());
        match effect.clone() {
            Effect::PrepareRun { .. } => {}
            Effect::OpenRun { run, mut input } => {
                let conversation = self.session.conversation();
                let protocol = self.protocol.0.as_ref();
                let history = protocol.and_then(|protocol| protocol.history(conversation));
                input.history = history.map(Box::new);
                self.runs.push((run, *input));
            }
            Effect::AbortRun { run } => self.aborted.push(run),
            Effect::Commit { commit, entry } => {
                open.push_back(commit);
                self.commits.push((commit, entry));
            }
            Effect::Record { entry } => self.records.push(entry),
            Effect::Invoke(invocation) => self.invocations.push(*invocation),
            Effect::CancelHandler { invocation } => self.cancelled.push(invocation),
            Effect::StartTimer { timer, ms } => self.timers.push((timer, ms)),
            Effect::Executed { request, outcome } => self.executed.push((request, outcome)),
            Effect::Preview(asked) => self.previews.push(*asked),
            Effect::StoreApprovals { approvals } => self.kept = approvals,
            Effect::SwapApproval {
                ticket,
                before,
                after,
            } => self.swaps.push((ticket, *before, *after)),
            Effect::Archive {
                thread_id,
                snapshot,
            } => self.archives.push((thread_id, snapshot)),
        }
    }

    pub(crate) fn register(&mut self, spec: ActionSpec) -> RegistrationId {
        self.next_registration += 1;
        let id = RegistrationId::new(self.next_registration);
        assert_eq!(self.register_as(id, spec).refused, None);
        id
    }

    pub(crate) fn register_as(&mut self, id: RegistrationId, spec: ActionSpec) -> Output {
        self.input(Input::Register {
            id,
            spec: Box::new(spec),
        })
    }

    pub(crate) fn unregister(&mut self, id: RegistrationId) -> Output {
        self.input(Input::Unregister { id })
    }

    pub(crate) fn send(&mut self, text: &str) -> Output {
        self.input(Input::Send {
            content: Content::Text(text.to_owned()),
        })
    }

    /// Returns the newest run.
    pub(crate) fn run(&self) -> RunKey {
        self.runs.last().unwrap().0
    }

    /// Returns the input of the newest run.
    pub(crate) fn request(&self) -> &RunInput {
        &self.runs.last().unwrap().1
    }

    pub(crate) fn event(&mut self, event: impl Into<Event>) -> Output {
        let run = self.run();
        self.input(Input::Event {
            run,
            event: Box::new(event.into()),
        })
    }

    pub(crate) fn events(&mut self, events: impl IntoIterator<Item = EventKind>) {
        for event in events {
            self.event(event);
        }
    }

    pub(crate) fn close(&mut self) -> Output {
        let run = self.run();
        self.input(Input::RunClosed {
            run,
            end: StreamEnd::Closed,
        })
    }

    pub(crate) fn break_off(&mut self, kind: FailureKind) -> Output {
        let run = self.run();
        self.input(Input::RunClosed {
            run,
            end: StreamEnd::Failed(Failure::new(kind, "no luck")),
        })
    }

    /// Plays a whole successful run.
    pub(crate) fn plays(&mut self, events: impl IntoIterator<Item = EventKind>) -> Output {
        self.event(started());
        self.events(events);
        self.event(finished());
        self.close()
    }

    /// Plays a run with text.
    pub(crate) fn says(&mut self, text: &str) -> Output {
        let id = format!("text-{}", self.runs.len());
        self.plays(says(&id, text))
    }

    pub(crate) fn key(&self, id: &str) -> CallKey {
        self.session.conversation().call_by_wire_id(id).unwrap().0
    }

    pub(crate) fn call(&self, id: &str) -> &ToolCall {
        self.session.conversation().call_by_wire_id(id).unwrap().1
    }

    pub(crate) fn phase(&self, id: &str) -> Phase {
        self.call(id).phase()
    }

    /// Returns the text of a call's result.
    pub(crate) fn answer(&self, id: &str) -> String {
        let result = self.call(id).result();
        result.map_or_else(String::new, |result| result.content().display_text())
    }

    pub(crate) fn decide(&mut self, id: &str, verdict: Verdict) -> Option<Refusal> {
        self.decides(self.key(id), verdict).refused
    }

    pub(crate) fn approve(&mut self, id: &str) -> Option<Refusal> {
        self.decide(id, Verdict::Approve { args: None })
    }

    pub(crate) fn deny(&mut self, id: &str, reason: Option<&str>) -> Option<Refusal> {
        let reason = reason.map(str::to_owned);
        self.decide(id, Verdict::Deny { reason })
    }

    /// Returns the number of handlers that were started for a call.
    pub(crate) fn starts(&self, id: &str) -> usize {
        self.invocations
            .iter()
            .filter(|i| i.call_id() == id)
            .count()
    }

    pub(crate) fn invocation(&self, id: &str) -> &Invocation {
        let mut list = self.invocations.iter().rev();
        list.find(|i| i.call_id() == id).unwrap()
    }

    pub(crate) fn handler_ends(
        &mut self,
        id: &str,
        outcome: Result<ToolOutcome, ToolError>,
    ) -> Output {
        let invocation = self.invocation(id).id();
        self.input(Input::Finished {
            invocation,
            outcome,
        })
    }

    pub(crate) fn returns(&mut self, id: &str, value: Value) -> Output {
        self.handler_ends(id, Ok(ToolOutcome::Continue(value)))
    }

    pub(crate) fn notices(&self) -> Vec<NoticeKind> {
        self.session.notices().iter().map(|n| n.kind()).collect()
    }
}
