//! The session under test, and its invariants after every step.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    action::{ActionSpec, Policy},
    conversation::{Author, CallKey, Conversation, MessageId, Phase},
    event::ResumeStatus,
    session::{
        AgentTraits, CommitId, Effect, Input, Invocation, InvocationId, JournalEntry,
        OpenInterrupt, Output, RunKey, SessionOptions, StopCondition, TreeChange, Verdict,
    },
};
use serde_json::{Value, json};

use super::{
    branches::{Branches, other_branches, run_path},
    mirror::Mirror,
    record::{Record, Shown},
};
use crate::support::*;

pub(super) const NAMES: [&str; 10] = [
    "plain", "asking", "rule", "alone", "eager", "slow", "strict", "detached", "remote", "unknown",
];

pub(super) fn spec(name: &str) -> ActionSpec {
    let spec = action(name);
    match name {
        "remote" => remote_action(name),
        "asking" => spec.with_approval(Policy::Always),
        "rule" => spec.with_approval(Policy::Ask),
        "alone" => spec.with_exclusive(true),
        "eager" => spec.with_eager(true),
        "slow" => spec.with_timeout_ms(10),
        "strict" => spec.with_parameters(json!({"type": "object", "required": ["x"]})),
        "detached" => spec.with_detached(true),
        _ => spec,
    }
}

/// A call, unique across threads.
type Name = (String, u64);

/// The session under test, and its expected state.
pub(super) struct World {
    pub(super) driver: Driver,
    /// A copy that receives the same inputs and must behave the same.
    pub(super) copy: Option<Driver>,
    mirror: Mirror,
    branches: Branches,
    /// The run that the page is preparing.
    preparing: Option<RunKey>,
    pub(super) record: Record,
    sequential: bool,
    eager: bool,
    committed: BTreeSet<Name>,
    pub(super) commits: BTreeMap<CommitId, Name>,
    /// Commits without an answer.
    pub(super) pending: BTreeSet<CommitId>,
    pub(super) live: BTreeMap<InvocationId, Invocation>,
    /// The outcomes of calls that the page answered.
    finals: BTreeMap<Name, (Phase, String)>,
    /// The user's messages.
    spoken: BTreeMap<(String, MessageId), String>,
    pub(super) next_registration: u64,
    pub(super) word_count: usize,
    pub(super) fresh: usize,
}

impl World {
    pub(super) fn new(options: u8) -> Self {
        let sequential = options & 1 != 0;
        let eager = options & 6 == 6;
        let mut driver = Driver::with(
            SessionOptions::default()
                .sequential(sequential)
                .eager(eager)
                .auto_deny(options & 8 != 0)
                .stop_when(StopCondition::RunCount(4)),
        );
        driver.manual_commits = true;
        driver.manual_opening = true;
        for name in NAMES.iter().filter(|name| **name != "unknown") {
            driver.register(spec(name));
        }
        Self {
            mirror: Mirror::rebuilt(&driver.session),
            branches: Branches::default(),
            preparing: None,
            driver,
            copy: None,
            record: Record::default(),
            sequential,
            eager,
            committed: BTreeSet::new(),
            commits: BTreeMap::new(),
            pending: BTreeSet::new(),
            live: BTreeMap::new(),
            finals: BTreeMap::new(),
            spoken: BTreeMap::new(),
            next_registration: 100,
            word_count: 0,
            fresh: 0,
        }
    }

    /// Opens the prepared run.
    pub(super) fn open_prepared(&mut self) {
        if let Some(run) = self.preparing.take() {
            self.input(Input::OpenRun { run });
        }
    }

    fn name(&self, key: &CallKey) -> Name {
        (self.driver.session.thread_id().to_owned(), key.number())
    }

    pub(super) fn input(&mut self, input: Input) {
        let before =
            (!matches!(input, Input::Event { .. })).then(|| format!("{:?}", self.driver.session));
        let session = &self.driver.session;
        let moved = match &input {
            Input::Send { .. } => session.conversation().shows_other_branch(),
            Input::Tree {
                change: TreeChange::Select { .. } | TreeChange::Switch { .. },
            } => {
                let offers = session.notices().iter().any(|n| n.action().is_some());
                !session.is_busy() && !offers
            }
            _ => !session.is_busy(),
        };
        let decision = self.decision(&input);
        let open: BTreeSet<CallKey> = self.open_calls().collect();
        let others = match &input {
            Input::Event { .. } => other_branches(session.conversation()),
            _ => Vec::new(),
        };
        let path = run_path(session.conversation());
        self.note_input(&input);
        let output = self.driver.input(input.clone());
        Branches::compare(&others, &self.driver.session);
        if matches!(input, Input::Retry | Input::Continue) && output.refused.is_none() {
            self.branches.check_continued(&self.driver.session);
        }
        if output.refused.is_some() {
            assert!(output.effects.is_empty(), "{input:?}: {output:?}");
            assert!(output.changes.is_empty(), "{input:?}: {output:?}");
            let after = format!("{:?}", self.driver.session);
            assert_eq!(before, Some(after), "refused: {input:?}");
        } else {
            self.note_taken(&input, decision, moved);
            if matches!(input, Input::Load { .. }) {
                self.record.loaded(open);
                assert_starts_nothing(&output);
            }
        }
        if let Some(copy) = &mut self.copy {
            let same = copy.input(input.clone());
            assert_eq!(format!("{output:?}"), format!("{same:?}"));
        }
        for effect in &output.effects {
            self.check_effect(effect);
        }
        self.branches.note(&input, &path, &self.driver.session);
        self.note_cards();
        self.check(&output);
        if matches!(input, Input::Stop) && output.refused.is_none() {
            self.check_stopped();
        }
        if !self.driver.session.is_busy() {
            self.check_idle();
        }
    }

    fn note_input(&mut self, input: &Input) {
        match input {
            Input::Committed { commit, outcome } => {
                if outcome.is_ok() {
                    self.committed.extend(self.commits.get(commit).cloned());
                }
                self.pending.remove(commit);
            }
            Input::Finished { invocation, .. } => {
                self.live.remove(invocation);
            }
            Input::Event { event, .. } if self.driver.session.is_streaming() => {
                self.record.event_arrives(&event.kind);
            }
            Input::RunClosed { end, .. } if self.driver.session.is_streaming() => {
                self.record.run_closes(end);
            }
            _ => {}
        }
    }

    /// Returns the decision of an input, if it is one: the call, and the approved version.
    fn decision(&self, input: &Input) -> Option<(CallKey, String, Option<Shown>)> {
        let session = &self.driver.session;
        let (key, approved, edited) = match input {
            Input::Decide { call, verdict, .. } => match verdict {
                Verdict::Approve { args } | Verdict::Remember { args, .. } => {
                    (*call, true, args.clone())
                }
                Verdict::Deny { .. } => (*call, false, None),
            },
            Input::Answer {
                interrupt_id,
                status,
                payload,
                ..
            } => {
                let mut open = session.interrupts().iter();
                let open = open.find(|open| open.interrupt().id == *interrupt_id)?;
                let yes = payload.as_ref().and_then(|p| p.get("approved")) == Some(&json!(true));
                let yes = yes && *status == ResumeStatus::Resolved;
                (open.call_key()?, yes, None)
            }
            _ => return None,
        };
        let call = session.conversation().call(&key)?;
        let by_agent = call.approval()?.interrupt_id().is_some();
        let shown = approved.then(|| Shown {
            name: call.name().to_owned(),
            args: edited
                .clone()
                .or(call.effective_args().cloned())
                .unwrap_or_default(),
            fingerprint: None,
            by_agent,
        });
        Some((key, call.id().to_owned(), shown))
    }

    fn note_taken(
        &mut self,
        input: &Input,
        decision: Option<(CallKey, String, Option<Shown>)>,
        moved: bool,
    ) {
        if let Some((key, id, shown)) = decision {
            match shown {
                Some(mut shown) => {
                    shown.fingerprint = self.driver.session.fingerprint(&key);
                    self.record.approve(key, &id, shown);
                }
                None => self.record.deny(key, &id),
            }
        }
        match input {
            Input::Tree {
                change:
                    TreeChange::Interject { .. } | TreeChange::Withdraw { .. } | TreeChange::ShowRun,
            } => {}
            Input::Tree { .. } | Input::Send { .. } => self.record.branch_changes(moved),
            Input::Retry => self.record.retries(),
            Input::NewThread => self.record = Record::default(),
            _ => {}
        }
    }

    /// Records the questions on the screen.
    fn note_cards(&mut self) {
        let session = &self.driver.session;
        for key in self.all_calls() {
            let call = session.conversation().call(&key).unwrap();
            if call.phase() == Phase::ApprovalRequested && call.approval().is_some() {
                self.record.card(key, session.fingerprint(&key));
            }
        }
    }

    fn check_effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Commit {
                commit,
                entry: JournalEntry::Started { call, .. },
            } => {
                let name = self.name(call);
                self.commits.insert(*commit, name);
                self.pending.insert(*commit);
            }
            Effect::Invoke(invocation) => {
                let name = self.name(&invocation.call_key());
                assert!(self.committed.contains(&name), "{name:?} was not committed");
                let session = &self.driver.session;
                let spec = session
                    .registry()
                    .get(invocation.registration())
                    .unwrap()
                    .spec();
                let fingerprint = session.fingerprint(&invocation.call_key());
                let eager = self.eager || spec.is_eager();
                self.record.starts(invocation, spec, fingerprint, eager);
                self.live.insert(invocation.id(), (**invocation).clone());
                self.check_overlap();
            }
            Effect::CancelHandler { invocation } => {
                self.live.remove(invocation);
            }
            Effect::PrepareRun { run } => self.preparing = Some(*run),
            Effect::OpenRun { input, .. } => {
                let resumed = input.resume.iter().map(|entry| entry.interrupt_id.as_str());
                let resumed: BTreeSet<&str> = resumed.collect();
                let open = self.driver.session.interrupts().iter();
                let is_resumed = |open: &&OpenInterrupt| {
                    resumed.contains(open.interrupt().id.as_str())
                        || (open.is_legacy() && open.answer().is_some())
                };
                let open = open.filter(is_resumed);
                for open in open.clone() {
                    let call = open.interrupt().tool_call_id.as_deref();
                    let answer = open.answer().expect("it is answered");
                    self.branches
                        .check_answer(answer.on_record(), call, &self.driver.session);
                }
                let asked: BTreeSet<String> = open
                    .filter_map(|open| open.interrupt().tool_call_id.clone())
                    .collect();
                // Remote calls, which the agent may answer in this run.
                let conversation = self.driver.session.conversation();
                let calls = conversation.active_calls().into_iter();
                let calls = calls.filter_map(|key| conversation.call(&key));
                let theirs = calls.filter(|call| call.phase() == Phase::Running);
                let theirs = theirs.map(|call| call.id().to_owned());
                let open = asked.iter().cloned().chain(theirs).collect();
                assert_answered(&input.messages, &open);
                let before = conversation.received_messages().into_iter().map(|m| m.id);
                self.record.run_opens(asked, before.collect());
            }
            _ => {}
        }
    }

    fn check_overlap(&self) {
        let exclusive = self.live.values().any(|i| i.name() == "alone");
        assert!(!exclusive || self.live.len() == 1, "{:?}", self.live);
        assert!(!self.sequential || self.live.len() == 1, "{:?}", self.live);
    }

    fn check(&mut self, output: &Output) {
        self.mirror.follow(output, &self.driver.session);
        self.mirror.check(&self.driver.session, output);
        self.check_words();
        self.check_results();
        let first = self.driver.session.conversation().export();
        let again = Conversation::import(first.clone()).expect("an export can be imported");
        let change = difference(&first, &again.export(), String::new());
        assert_eq!(change, None, "imported and exported again");
        if self.open_calls().next().is_some() {
            self.check_import();
        }
    }

    /// Returns all open calls, on any branch.
    fn open_calls(&self) -> impl Iterator<Item = CallKey> + '_ {
        let conversation = self.driver.session.conversation();
        let is_open = |key: &CallKey| {
            let call = conversation.call(key);
            call.is_some_and(|call| !call.phase().is_final())
        };
        self.all_calls().into_iter().filter(move |key| is_open(key))
    }

    /// Checks that loading the current conversation on another page starts nothing.
    fn check_import(&self) {
        let options = SessionOptions::default()
            .eager(self.eager)
            .with_agent(AgentTraits::default().with_resumes(true));
        let mut elsewhere = Driver::with(options);
        elsewhere.host.ask = Some(false);
        let (named, late) = NAMES.split_at(6);
        for name in named {
            elsewhere.register(spec(name));
        }
        let load = Input::Load {
            thread_id: "elsewhere".to_owned(),
            snapshot: self.driver.session.export(),
        };
        assert_starts_nothing(&elsewhere.input(load));
        for name in late.iter().chain(named) {
            elsewhere.register(spec(name));
        }
        let begun = (
            elsewhere.commits.len(),
            elsewhere.invocations.len(),
            elsewhere.runs.len(),
        );
        assert_eq!(begun, (0, 0, 0), "what was loaded began something");
    }

    /// Checks that user messages do not change.
    fn check_words(&mut self) {
        let session = &self.driver.session;
        for message in session.conversation().all_messages() {
            if message.author() == Author::Page {
                let id = (session.thread_id().to_owned(), message.id().clone());
                let text = self.spoken.entry(id).or_insert_with(|| message.text());
                assert_eq!(*text, message.text());
            }
        }
    }

    /// Checks that the page's results do not change, nor running or finished calls.
    fn check_results(&mut self) {
        let conversation = self.driver.session.conversation();
        for run in self.live.values() {
            let call = conversation.call(&run.call_key());
            let says = call.and_then(|call| Some((call.name(), call.effective_args()?)));
            assert_eq!(says, Some((run.name(), run.args())), "while it runs");
        }
        for key in self.all_calls() {
            let name = self.name(&key);
            let call = conversation.call(&key).unwrap();
            let content = call.result().map(|result| result.content());
            let called = (call.name(), call.args_text(), call.edited_args());
            let now = format!("{content:?} {:?} {called:?}", call.error());
            let now = (call.phase(), now);
            if let Some(before) = self.finals.get(&name) {
                assert_eq!(*before, now, "{name:?}");
            } else if call.answered_by() == Some(Author::Page) {
                self.finals.insert(name, now);
            }
        }
    }

    fn check_stopped(&self) {
        let session = &self.driver.session;
        assert!(!session.is_busy());
        let given_up = |open: &OpenInterrupt| open.answer().is_some();
        assert!(session.interrupts().iter().all(given_up));
        let open = session.interrupts().iter();
        let asked: Vec<_> = open
            .filter_map(|open| open.interrupt().tool_call_id.clone())
            .collect();
        for key in session.conversation().active_calls() {
            let call = session.conversation().call(&key).unwrap();
            let undelivered = call.phase() == Phase::ApprovalResponded && call.result().is_none();
            let held = self.is_held(call.phase());
            assert!(
                asked.iter().any(|id| id == call.id()) || undelivered || held,
                "{call:?}"
            );
        }
        assert!(self.live.is_empty());
    }

    /// Returns true for a remote call that waits for an answer that was not delivered.
    fn is_held(&self, phase: Phase) -> bool {
        let mut open = self.driver.session.interrupts().iter();
        let resolved = |open: &OpenInterrupt| {
            let answer = open.answer();
            answer.is_some_and(|answer| answer.on_record().status == ResumeStatus::Resolved)
        };
        phase == Phase::Running && open.any(resolved)
    }

    /// Checks that no call is open, except those with an answered interrupt.
    fn check_idle(&self) {
        let session = &self.driver.session;
        let open = session.interrupts().iter();
        let asked: BTreeSet<_> = open
            .filter_map(|open| open.interrupt().tool_call_id.clone())
            .collect();
        for key in session.conversation().active_calls() {
            let call = session.conversation().call(&key).unwrap();
            let undelivered = call.phase() == Phase::ApprovalResponded && call.result().is_none();
            let held = self.is_held(call.phase());
            assert!(
                asked.contains(call.id()) || undelivered || held,
                "{} is open: {call:?}",
                call.id()
            );
            assert!(held || call.phase() != Phase::Running);
        }
        assert!(self.live.is_empty(), "{:?}", self.live);
        let mut later = self.driver.clone();
        for commit in self.commits.keys() {
            let outcome = Ok(());
            let output = later.input(Input::Committed {
                commit: *commit,
                outcome,
            });
            assert!(output.effects.is_empty() && output.changes.is_empty());
        }
    }
}

/// Returns the first difference of two values.
fn difference(a: &Value, b: &Value, at: String) -> Option<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            let mut pairs = a.iter().zip(b.values());
            pairs.find_map(|((key, a), b)| difference(a, b, format!("{at}/{key}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(place, (a, b))| difference(a, b, format!("{at}/{place}")))
        }
        _ => (a != b).then(|| format!("{at}: {a} became {b}")),
    }
}
