//! Checks that the calls that start, and the requests that are sent, match what was shown and
//! decided.

use std::collections::BTreeSet;

use assistant_core::{conversation::Phase, session::Invocation};
use serde_json::Value;

use super::{
    desk::rule_needs_approval,
    person::{RememberedGrant, Scene},
};

impl RememberedGrant {
    /// Returns true if this remembered approval permits a call.
    pub(crate) fn covers(&self, scene: &Scene, name: &str, args: &Value) -> bool {
        let since = scene.desk.clock - self.since;
        let in_time = self.lasts_ms.is_none_or(|ms| since < ms);
        let sum = args["sum"].as_f64();
        let small = self
            .sum
            .is_none_or(|most| sum.is_some_and(|sum| sum <= f64::from(most)));
        let left = self.uses.is_none_or(|uses| self.used < uses);
        if !(in_time && small && left) {
            return false;
        }
        let same = self.args.as_ref().is_none_or(|known| known == args);
        same && self.name == name && self.schema == scene.schema_of(name)
    }
}

impl Scene {
    /// Returns the id of the remembered approval under which a call starts, if any.
    fn grant_id_of(&self, run: &Invocation) -> Option<String> {
        let call = self.session.conversation().call(&run.call_key())?;
        Some(call.allowed_earlier()?.id().to_owned())
    }

    /// Checks that a handler may start, given everything that was shown and decided before, and
    /// records the start.
    pub(crate) fn check_start(&mut self, run: &Invocation) {
        self.starts += 1;
        let (key, id) = (run.call_key(), run.call_id());
        let grant = self.granted.get(&key);
        assert_ne!(run.name(), "hand", "the agent runs it: {run:?}");
        let needs_approval = match run.name() {
            "look" => false,
            "maybe" => rule_needs_approval(run.args()),
            _ => true,
        };
        let covers = |one: &RememberedGrant| one.covers(self, run.name(), run.args());
        let allowed = self.allowed.values().any(covers);
        if let Some(id) = self.grant_id_of(run) {
            let one = self.allowed.get(&id);
            assert!(one.is_some_and(covers), "not allowed: {run:?}");
            if let Some(one) = self.allowed.get_mut(&id) {
                one.used += 1;
            }
        }
        if (needs_approval && !allowed) || self.asked.contains(&key) {
            let grant = grant.unwrap_or_else(|| panic!("not approved: {run:?}"));
            let shown = (grant.name.as_str(), &grant.args);
            assert_eq!(shown, (run.name(), run.args()), "agreed to something else");
            if run.name() == "move" && !grant.by_agent {
                let now = self.saying.as_ref();
                let now = now.filter(|(_, calls)| calls.contains(&key));
                let agreed = now.map(|(agreed, _)| agreed).or(self.confirmed.get(&key));
                let agreed = agreed.unwrap_or_else(|| panic!("not asked once more: {run:?}"));
                let shown = grant.preview.as_ref();
                assert_eq!(shown, Some(agreed), "agreed to something else: {run:?}");
            }
            assert!(
                !(needs_approval && !allowed && grant.by_agent),
                "an answer to the agent let {run:?} start"
            );
        }
        assert!(!self.refused.contains(&key), "denied: {run:?}");
        assert!(!self.refused_ids.contains(id), "denied by its id: {run:?}");
        assert!(self.ran.insert(key), "once more: {run:?}");
        assert!(
            self.ran_ids.insert(id.to_owned()),
            "once more by its id: {run:?}"
        );
        assert!(self.run.is_none(), "before the run was over: {run:?}");
        if grant.is_none() {
            assert!(self.ended_well, "after a run that did not succeed: {run:?}");
            let is_news = self.agent.has_sent_as_new(id) || self.answered.contains(id);
            assert!(is_news, "an old call: {run:?}");
        }
        self.live.push(run.id());
    }

    /// Checks that a request contains only messages of the user that the user wrote, and one result
    /// for every call.
    pub(crate) fn check_request(&self, request: &Value) {
        let messages = request["messages"].as_array().cloned().unwrap_or_default();
        let mut open: BTreeSet<String> = BTreeSet::new();
        for message in &messages {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            match message["role"].as_str() {
                Some("user") => {
                    // The agent may send any text in messages with ids of its own, which are
                    // marked.
                    let sent = text(&message["content"]);
                    let forged = !text(&message["id"]).starts_with("id");
                    assert!(
                        forged || self.sent_texts.contains(&sent),
                        "the user did not send {sent}"
                    );
                }
                Some("tool") => {
                    let call = text(&message["toolCallId"]);
                    assert!(open.remove(&call), "{call} is answered twice: {messages:?}");
                }
                _ => {
                    for call in message["toolCalls"].as_array().into_iter().flatten() {
                        let id = text(&call["id"]);
                        assert!(open.insert(id), "listed twice: {messages:?}");
                    }
                }
            }
        }
        // Remote calls, which the agent may answer in the next run.
        let conversation = self.session.conversation();
        for key in conversation.active_calls() {
            if let Some(call) = conversation.call(&key) {
                let theirs = call.phase() == Phase::Running;
                if theirs || self.answered.contains(call.id()) {
                    open.remove(call.id());
                }
            }
        }
        assert!(
            open.is_empty(),
            "without an answer: {open:?} in {messages:?}"
        );
    }
}
