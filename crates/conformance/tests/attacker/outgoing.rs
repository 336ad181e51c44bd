//! Checks approvals and answers that are sent to the agent against what was shown and decided.

use assistant_core::json::form::interrupt_to_value;
use serde_json::Value;

use super::{
    person::Scene,
    questions::{
        GivenAnswer, WrittenCall, can_take_kind, is_denial, listed_actions, needs_decisions,
    },
};

/// The content of the tool message that permits an agent to run a call.
const GO_ON: &str = "approved";

impl Scene {
    /// Checks the user's decisions in a request.
    ///
    /// * A tool message says "approved" only for a call that the user approved as it is in the
    ///   request, with this name and these arguments, or that a remembered approval covers. A call
    ///   that was denied since is not approved. An approval of one name is never sent for another.
    /// * An answer is sent only for the question that it was given to: same id, message, schema and
    ///   metadata, about the same call. It contains the decision. A denial is not an approval.
    /// * For a question that lists actions, each decision is at the position of the action that it
    ///   was given for, with its name and arguments, and is of a kind that the agent accepts for
    ///   it. One approval does not apply to several actions.
    /// * An answer that the agent has accepted is not sent again: the same question, asked again,
    ///   is a new one. The same holds for a retry.
    pub(crate) fn check_consent(&mut self, request: &Value) {
        let messages = request["messages"].as_array().cloned().unwrap_or_default();
        let calls = messages
            .iter()
            .filter_map(|message| message["toolCalls"].as_array());
        let calls: Vec<WrittenCall> = calls.flatten().map(WrittenCall::from_request).collect();
        for message in &messages {
            // The agent may choose any result text under an id of its own.
            let ours = message["id"]
                .as_str()
                .is_some_and(|id| id.starts_with("id"));
            if ours && message["role"] == "tool" && message["content"] == GO_ON {
                let call = calls.iter().find(|call| message["toolCallId"] == call.id);
                self.check_handoff(call.expect("a call of the request"));
            }
        }
        let answers = request["resume"].as_array().cloned().unwrap_or_default();
        for answer in &answers {
            self.check_answer(answer, &calls);
        }
        let ids = answers
            .iter()
            .filter_map(|answer| answer["interruptId"].as_str());
        self.carried = ids.map(str::to_owned).collect();
    }

    fn check_handoff(&mut self, call: &WrittenCall) {
        let mut granted = self.granted.iter();
        let by_decision = granted.any(|(key, card)| {
            let shown = (&card.id, &card.name, &card.args);
            shown == (&call.id, &call.name, &call.args)
                && !card.by_agent
                && !self.refused.contains(key)
        });
        if by_decision {
            return;
        }
        let conversation = self.session.conversation();
        let found = conversation.call_by_wire_id(&call.id);
        let by_grant =
            found.and_then(|(key, known)| Some((key, known.allowed_earlier()?.id().to_owned())));
        let (key, grant) = by_grant.unwrap_or_else(|| panic!("not approved: {call:?}"));
        if self.sent_approvals.contains(&(key, call.id.clone())) {
            return;
        }
        assert!(!self.refused.contains(&key), "denied: {call:?}");
        let allowed = self.allowed.get(&grant);
        let covers = allowed.is_some_and(|one| one.covers(self, &call.name, &call.args));
        assert!(covers, "not allowed: {call:?}");
        if let Some(one) = self.allowed.get_mut(&grant) {
            one.used += 1;
        }
        self.sent_approvals.insert((key, call.id.clone()));
    }

    fn check_answer(&self, answer: &Value, calls: &[WrittenCall]) {
        // A cancellation permits nothing.
        if answer["status"] == "cancelled" {
            return;
        }
        let id = answer["interruptId"].as_str().unwrap_or_default();
        let mut open = self.session.interrupts().iter();
        let open = open.find(|open| open.interrupt().id == id);
        let open = open.unwrap_or_else(|| panic!("no question: {answer}"));
        let question = interrupt_to_value(open.interrupt());
        assert_eq!(
            answer["metadata"], question["metadata"],
            "of another question"
        );
        let payload = &answer["payload"];
        let in_request = calls.iter().find(|call| question["toolCallId"] == call.id);
        let given = self.given.get(id).map(Vec::as_slice).unwrap_or_default();
        let about_this = given.iter().rev().find(|given| {
            let about = given.about.as_ref();
            given.asked == question
                && in_request.is_none_or(|call| about.is_some_and(|about| about.is_same_call(call)))
        });
        match about_this {
            Some(given) => {
                assert_eq!(*payload, given.payload, "not what was decided: {question}");
                check_decisions(&question, given);
            }
            // An equal call was denied, or everything was.
            None if is_denial(payload) => {}
            None => panic!(
                "the user did not answer {question} with {payload}: {given:?}, {in_request:?}"
            ),
        }
    }
}

/// Checks that each decision in an answer applies to the action at the same position of the
/// question, and that a single approval does not apply to several actions.
fn check_decisions(question: &Value, given: &GivenAnswer) {
    let (actions, reviews) = listed_actions(question);
    let payload = &given.payload;
    if !needs_decisions(question) {
        let approves = *payload == true || payload["approved"] == true;
        assert!(
            !(approves && actions.len() > 1),
            "one approval for several: {question}"
        );
        if !(approves && actions.len() == 1) {
            return;
        }
    }
    let what = |action: &Value| [action["name"].clone(), action["args"].clone()];
    let shown: Vec<_> = given.actions.iter().map(what).collect();
    let asked: Vec<_> = actions.iter().map(what).collect();
    assert_eq!(shown, asked, "other actions were shown: {question}");
    if !needs_decisions(question) {
        return;
    }
    let decisions = payload["decisions"].as_array();
    let decisions = decisions.unwrap_or_else(|| panic!("no decisions: {payload}"));
    assert_eq!(
        decisions.len(),
        actions.len(),
        "not one for each: {question}"
    );
    for (action, decision) in actions.iter().zip(decisions) {
        let kind = &decision["type"];
        assert!(
            can_take_kind(&reviews, action, kind),
            "{kind} is not taken about {action}"
        );
        if kind == "edit" {
            let edited = &decision["edited_action"]["name"];
            assert_eq!(*edited, action["name"], "another action: {decision}");
        }
    }
}
