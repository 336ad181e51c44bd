//! The session under test, and what must be true of it after every step.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    action::{ActionSpec, Policy},
    conversation::{CallKey, Phase},
    event::EventKind,
    session::{
        CommitId, Effect, Input, Invocation, InvocationId, JournalEntry, OpenInterrupt, Options,
        StopCondition,
    },
};
use serde_json::json;

use crate::support::*;

pub(super) const NAMES: [&str; 10] = [
    "plain", "asks", "rule", "alone", "eager", "slow", "strict", "detached", "told", "unknown",
];

pub(super) fn spec(name: &str) -> ActionSpec {
    let mut spec = action(name);
    match name {
        "told" => spec = told(name),
        "asks" => spec.approval = Policy::Always,
        "rule" => spec.approval = Policy::Ask,
        "alone" => spec.exclusive = true,
        "eager" => spec.eager = true,
        "slow" => spec.timeout_ms = Some(10),
        "strict" => spec.parameters = json!({"type": "object", "required": ["x"]}),
        "detached" => spec.detached = true,
        _ => {}
    }
    spec
}

/// A call across everything that moves: thread, key, the agent's id.
type Name = (String, u64, String);

/// The session under test, and what must have been true so far.
pub(super) struct World {
    pub(super) driver: Driver,
    /// A copy that is fed the same; it must do the same.
    pub(super) copy: Option<Driver>,
    sequential: bool,
    committed: BTreeSet<Name>,
    starts: BTreeMap<Name, usize>,
    pub(super) commits: BTreeMap<CommitId, Name>,
    /// Commits without an answer.
    pub(super) pending: BTreeSet<CommitId>,
    pub(super) live: BTreeMap<InvocationId, Invocation>,
    finals: BTreeMap<Name, (Phase, String)>,
    pub(super) next_registration: u64,
}

impl World {
    pub(super) fn new(options: u8) -> Self {
        let sequential = options & 1 != 0;
        let mut driver = Driver::with(Options {
            sequential,
            eager: options & 6 == 6,
            auto_deny: options & 8 != 0,
            stop_when: StopCondition::StepCount(4),
            ..Options::default()
        });
        driver.manual_commits = true;
        for name in NAMES.iter().filter(|name| **name != "unknown") {
            driver.register(spec(name));
        }
        Self {
            driver,
            copy: None,
            sequential,
            committed: BTreeSet::new(),
            starts: BTreeMap::new(),
            commits: BTreeMap::new(),
            pending: BTreeSet::new(),
            live: BTreeMap::new(),
            finals: BTreeMap::new(),
            next_registration: 100,
        }
    }

    fn name(&self, key: &CallKey) -> Name {
        let session = &self.driver.session;
        let id = session.conversation().call(key).map(|call| call.id.clone());
        let thread = session.thread_id().to_owned();
        (thread, key.number(), id.unwrap_or_default())
    }

    pub(super) fn input(&mut self, input: Input) {
        let rewrites = matches!(
            &input,
            Input::Event { event, .. } if matches!(event.kind, EventKind::MessagesSnapshot { .. })
        );
        let stops = matches!(input, Input::Stop);
        if let Input::Committed {
            commit,
            outcome: Ok(()),
        } = &input
        {
            self.committed.extend(self.commits.get(commit).cloned());
        }
        if let Input::Committed { commit, .. } = &input {
            self.pending.remove(commit);
        }
        if let Input::Finished { invocation, .. } = &input {
            self.live.remove(invocation);
        }
        let step = self.driver.input(input.clone());
        if let Some(copy) = &mut self.copy {
            let same = copy.input(input);
            assert_eq!(format!("{step:?}"), format!("{same:?}"));
        }
        for effect in &step.effects {
            self.check_effect(effect);
        }
        self.check_calls(rewrites);
        if stops && step.refused.is_none() {
            let session = &self.driver.session;
            assert!(!session.is_busy());
            let given_up = |open: &OpenInterrupt| open.answer.is_some();
            assert!(session.interrupts().iter().all(given_up));
            let gated: Vec<_> = session
                .interrupts()
                .iter()
                .filter_map(|open| open.interrupt.tool_call_id.clone())
                .collect();
            for key in session.conversation().active_calls() {
                let call = session.conversation().call(&key);
                assert!(call.is_some_and(|call| gated.contains(&call.id)), "{key:?}");
            }
            assert!(self.live.is_empty());
        }
        if !self.driver.session.is_busy() {
            self.check_idle();
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
                let name = self.name(&invocation.call);
                assert!(self.committed.contains(&name), "{name:?} was not committed");
                let starts = self.starts.entry(name.clone()).or_default();
                *starts += 1;
                assert_eq!(*starts, 1, "{name:?} started again");
                self.live.insert(invocation.id, (**invocation).clone());
                self.check_overlap();
            }
            Effect::CancelHandler { invocation } => {
                self.live.remove(invocation);
            }
            Effect::OpenRun { input, .. } => {
                let resumed = input.resume.iter().map(|entry| entry.interrupt_id.as_str());
                let resumed: BTreeSet<&str> = resumed.collect();
                let open = self.driver.session.interrupts().iter();
                let open = open.filter(|open| resumed.contains(open.interrupt.id.as_str()));
                let gated = open.filter_map(|open| open.interrupt.tool_call_id.clone());
                // The agent's own calls, which it may answer in this run.
                let conversation = self.driver.session.conversation();
                let calls = conversation.active_calls().into_iter();
                let calls = calls.filter_map(|key| conversation.call(&key));
                let theirs = calls.filter(|call| call.phase() == Phase::Running);
                let open = gated.chain(theirs.map(|call| call.id.clone())).collect();
                assert_answered(&input.messages, &open);
            }
            _ => {}
        }
    }

    fn check_overlap(&self) {
        let exclusive = self.live.values().any(|i| i.name == "alone");
        assert!(!exclusive || self.live.len() == 1, "{:?}", self.live);
        assert!(!self.sequential || self.live.len() == 1, "{:?}", self.live);
    }

    /// What has ended stays as it ended; only a snapshot may say otherwise.
    fn check_calls(&mut self, rewritten: bool) {
        if rewritten {
            self.finals.clear();
        }
        let conversation = self.driver.session.conversation();
        for key in conversation.path_calls() {
            let call = conversation.call(&key).unwrap();
            let content = call
                .result
                .as_ref()
                .map(|result| format!("{:?}", result.content));
            let now = (call.phase(), content.unwrap_or_default());
            let name = self.name(&key);
            if let Some(before) = self.finals.get(&name) {
                assert_eq!(*before, now, "{name:?}");
            }
            if now.0.is_final() {
                self.finals.insert(name, now);
            }
        }
    }

    /// Nobody is waited for: no call is open, but for those with an answered interrupt.
    fn check_idle(&self) {
        let session = &self.driver.session;
        let gated: BTreeSet<_> = session
            .interrupts()
            .iter()
            .filter_map(|open| open.interrupt.tool_call_id.clone())
            .collect();
        for key in session.conversation().active_calls() {
            let call = session.conversation().call(&key).unwrap();
            let told = call.phase() == Phase::ApprovalResponded && call.result.is_none();
            assert!(
                gated.contains(&call.id) || told,
                "{:?} is open: {:?}",
                call.id,
                call.phase()
            );
            assert_ne!(call.phase(), Phase::Running);
        }
        assert!(self.live.is_empty(), "{:?}", self.live);
        let mut later = self.driver.clone();
        for commit in self.commits.keys() {
            let step = later.input(Input::Committed {
                commit: *commit,
                outcome: Ok(()),
            });
            assert!(step.effects.is_empty() && step.changes.is_empty());
        }
    }
}
