//! The record of an outside observer of screen and page: shown cards, decisions, events of each
//! run, started handlers. It does not query the engine.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    action::{ActionSpec, Policy},
    conversation::{CallKey, Fingerprint},
    event::{EventKind, Message, MessageBody, Role},
    session::{FailureKind, Invocation, StreamEnd},
};
use serde_json::Value;

/// The content of a card.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) args: Value,
    pub(super) fingerprint: Option<Fingerprint>,
    /// True if the agent asked, not the page.
    pub(super) by_agent: bool,
}

/// The record of one thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    /// The first card of each call that was asked about.
    cards: BTreeMap<CallKey, Fingerprint>,
    pub(super) asked: BTreeSet<CallKey>,
    approved: BTreeMap<CallKey, Shown>,
    denied: BTreeSet<CallKey>,
    started: BTreeSet<CallKey>,
    /// The same by the agent's ids, until the user changes the branch.
    denied_ids: BTreeSet<String>,
    started_ids: BTreeSet<String>,
    /// The runs that mentioned a call, by the agent's id.
    mentions: BTreeMap<String, BTreeSet<usize>>,
    /// The messages before the newest run.
    before: BTreeSet<String>,
    run: usize,
    finish: Option<bool>,
    /// Calls with an interrupt that the newest run answers.
    answered: BTreeSet<String>,
    /// Calls that were approved since the conversation was loaded.
    since_load: BTreeSet<CallKey>,
    /// Calls that were open when the conversation was loaded.
    loaded: BTreeSet<CallKey>,
}

impl Record {
    pub(super) fn older_card(&self, call: &CallKey) -> Option<Fingerprint> {
        self.cards.get(call).cloned()
    }

    pub(super) fn card(&mut self, call: CallKey, fingerprint: Option<Fingerprint>) {
        self.asked.insert(call);
        if let Some(fingerprint) = fingerprint {
            self.cards.entry(call).or_insert(fingerprint);
        }
    }

    pub(super) fn approve(&mut self, call: CallKey, id: &str, shown: Shown) {
        self.denied.remove(&call);
        self.denied_ids.remove(id);
        self.since_load.insert(call);
        self.approved.insert(call, shown);
    }

    pub(super) fn deny(&mut self, call: CallKey, id: &str) {
        self.approved.remove(&call);
        self.denied.insert(call);
        self.denied_ids.insert(id.to_owned());
    }

    /// Handles a change of branch: ids may refer to other calls.
    pub(super) fn branch_changes(&mut self, is_branch: bool) {
        if is_branch {
            self.mentions.clear();
        }
        self.denied_ids.clear();
        self.started_ids.clear();
    }

    /// Handles a retry: events of the last attempt are repeated.
    pub(super) fn retries(&mut self) {
        self.mentions.clear();
    }

    /// Handles a loaded conversation with these open calls.
    pub(super) fn loaded(&mut self, open: BTreeSet<CallKey>) {
        self.since_load.clear();
        self.loaded = open;
    }

    pub(super) fn run_opens(&mut self, answered: BTreeSet<String>, before: BTreeSet<String>) {
        self.run += 1;
        self.before = before;
        self.finish = None;
        self.answered = answered;
    }

    pub(super) fn run_closes(&mut self, end: &StreamEnd) {
        match end {
            StreamEnd::Failed(failure)
                if failure.kind() != FailureKind::Network || self.finish.is_none() =>
            {
                self.finish = Some(false);
            }
            _ => {}
        }
    }

    /// Handles an event of the current run.
    pub(super) fn event_arrives(&mut self, kind: &EventKind) {
        match kind {
            EventKind::RunStarted { .. } => self.finish = None,
            EventKind::RunFinished { outcome, .. } => {
                let ended = !matches!(outcome, Some(assistant_core::event::Outcome::Cancelled));
                self.finish.get_or_insert(ended);
            }
            EventKind::RunError { .. } => self.finish = Some(false),
            EventKind::ToolCallStart { tool_call_id, .. } => {
                self.mention(tool_call_id.clone());
            }
            EventKind::MessagesSnapshot { messages } => self.list_arrives(messages),
            _ => {}
        }
    }

    fn mention(&mut self, id: String) {
        self.mentions.entry(id).or_default().insert(self.run);
    }

    /// Handles a list. A call is new if it follows everything from before the run.
    fn list_arrives(&mut self, messages: &[Message]) {
        // Items that a list omits are gone: their ids may return as something new.
        let listed: BTreeSet<&String> = messages.iter().map(|message| &message.id).collect();
        self.before.retain(|id| listed.contains(id));
        let is_old = |m: &Message| self.before.contains(&m.id) || m.role() == Role::User;
        let old = messages.iter().rposition(is_old);
        let news = old.map_or(0, |old| old + 1);
        for message in &messages[news..] {
            if let MessageBody::Assistant { tool_calls, .. } = &message.body {
                for call in tool_calls {
                    if !self.mentions.contains_key(&call.id) {
                        self.mention(call.id.clone());
                    }
                }
            }
        }
        for message in messages {
            if let MessageBody::Assistant { tool_calls, .. } = &message.body {
                for call in tool_calls {
                    self.mentions.entry(call.id.clone()).or_default();
                }
            }
        }
    }

    /// Checks that a handler may start.
    pub(super) fn starts(
        &mut self,
        run: &Invocation,
        spec: &ActionSpec,
        fingerprint: Option<Fingerprint>,
        eager: bool,
    ) {
        let (key, id) = (run.call_key(), run.call_id());
        assert!(self.started.insert(key), "{key:?} started again");
        assert!(self.started_ids.insert(id.to_owned()), "{id} started again");
        assert!(!self.denied.contains(&key), "{key:?} was denied");
        assert!(!self.denied_ids.contains(id), "{id} was denied");
        let shown = self.approved.get(&key);
        if spec.approval() == Policy::Always {
            let shown = shown.unwrap_or_else(|| panic!("{key:?} was never approved"));
            assert!(!shown.by_agent, "an agent's question replaced the page's");
        }
        if self.asked.contains(&key) || spec.approval() == Policy::Always {
            let shown = shown.unwrap_or_else(|| panic!("{key:?} was asked about, not approved"));
            assert_eq!(
                (shown.name.as_str(), &shown.args),
                (run.name(), run.args()),
                "{key:?}"
            );
            assert!(
                shown.by_agent || shown.fingerprint == fingerprint,
                "{shown:?}, {fingerprint:?}"
            );
        }
        if !self.since_load.contains(&key) {
            assert!(
                !self.loaded.contains(&key),
                "{key:?} was loaded, and not approved here"
            );
            let newest = self
                .mentions
                .get(id)
                .is_some_and(|runs| runs.contains(&self.run));
            assert!(
                newest || self.answered.contains(id),
                "{id} is not of the newest run"
            );
            assert!(
                eager || self.finish == Some(true),
                "{id}: its run did not succeed"
            );
        }
    }
}
