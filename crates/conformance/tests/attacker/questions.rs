//! The agent's questions: their form, what the user has read, and the user's answers.

use assistant_core::{
    conversation::{Decider, Fingerprint, ToolCall},
    event::{Interrupt, ResumeStatus},
    json::form::interrupt_to_value,
    session::{ActionDecision, Input, OpenInterrupt},
};
use conformance::attacker::{ActionChoice, AnswerFormat, Question, Reply};
use serde_json::{Value, json};

use super::person::{Card, Scene, parse_edited_args};

/// A call as its agent wrote it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: Value,
    /// The effective arguments, which the user may have edited.
    as_run: Value,
}

/// A question as the user has read it.
#[derive(Debug, Clone)]
pub(crate) struct ShownQuestion {
    id: String,
    /// The interrupt as the agent sent it.
    asked: Value,
    about: Option<WrittenCall>,
    fingerprint: Fingerprint,
    takes_approval: bool,
    /// The actions that the question lists, as they were shown.
    actions: Vec<Value>,
}

/// An answer that the user gave to a question.
#[derive(Debug, Clone)]
pub(crate) struct GivenAnswer {
    /// The interrupt as the agent sent it.
    pub(crate) asked: Value,
    /// The call that the question was about, if any.
    pub(crate) about: Option<WrittenCall>,
    /// The answer's payload.
    pub(crate) payload: Value,
    /// The actions that the user saw in the question, in order.
    pub(crate) actions: Vec<Value>,
}

impl WrittenCall {
    pub(crate) fn from_call(call: &ToolCall) -> Self {
        let as_written = |args: Option<&Value>| args.cloned().unwrap_or(call.args_text().into());
        Self {
            id: call.id().to_owned(),
            name: call.name().to_owned(),
            args: as_written(call.args()),
            as_run: as_written(call.effective_args()),
        }
    }

    /// Returns true if a call in a request has this id and name, and the original or the effective
    /// arguments.
    pub(crate) fn is_same_call(&self, sent: &Self) -> bool {
        let args = sent.args == self.args || sent.args == self.as_run;
        args && (&self.id, &self.name) == (&sent.id, &sent.name)
    }

    /// Reads a call in a message of a request.
    pub(crate) fn from_request(call: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let args = text(&call["function"]["arguments"]);
        let read = match args.trim() {
            "" => Some(json!({})),
            text => serde_json::from_str(text).ok(),
        };
        let args = read.unwrap_or_else(|| args.into());
        Self {
            id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            as_run: args.clone(),
            args,
        }
    }
}

/// Returns true if an answer is a denial: `false`, `approved: false`, or only rejections.
pub(crate) fn is_denial(payload: &Value) -> bool {
    let each = payload["decisions"].as_array();
    *payload == json!(false)
        || payload["approved"] == json!(false)
        || each.is_some_and(|each| each.iter().all(|one| one["type"] == "reject"))
}

/// The kinds of decisions, in the order of the bits of
/// [`ListedAction::allows`](conformance::attacker::ListedAction::allows).
const KINDS: [&str; 4] = ["approve", "edit", "reject", "respond"];

/// Returns the actions that a question lists, as its agent wrote them, and the settings for their
/// review.
pub(crate) fn listed_actions(asked: &Value) -> (Vec<Value>, Vec<Value>) {
    let metadata = &asked["metadata"];
    let places = [metadata, &metadata["value"], &metadata["langgraph"]["raw"]];
    let list = |place: &Value, key: &str| place[key].as_array().cloned().unwrap_or_default();
    let found = places
        .into_iter()
        .find(|place| place["action_requests"].is_array());
    let Some(place) = found else {
        return (Vec::new(), Vec::new());
    };
    (
        list(place, "action_requests"),
        list(place, "review_configs"),
    )
}

/// Returns true if the answer to a question is a decision for each listed action.
pub(crate) fn needs_decisions(asked: &Value) -> bool {
    asked["responseSchema"].is_null() && !listed_actions(asked).0.is_empty()
}

/// Returns true if the agent accepts a kind of decision about an action. All settings for the
/// action's name must include the kind; without settings, every kind except `respond` is accepted.
pub(crate) fn can_take_kind(reviews: &[Value], action: &Value, kind: &Value) -> bool {
    let about = |review: &&Value| review["action_name"] == action["name"];
    let mut about = reviews.iter().filter(about).peekable();
    if about.peek().is_none() {
        return *kind != "respond";
    }
    about.all(|review| {
        let list = review["allowed_decisions"].as_array();
        list.is_some_and(|list| list.contains(kind))
    })
}

fn needs_boolean(asked: &Value) -> bool {
    asked["responseSchema"]["type"] == "boolean"
}

fn create_edit_decision(action: &Value, args: &Value) -> Value {
    json!({"type": "edit", "edited_action": {"name": action["name"], "args": args}})
}

/// Returns a decision for the session, and its form in a request.
fn create_decision(choice: ActionChoice, action: &Value) -> (ActionDecision, Value) {
    match choice {
        ActionChoice::Approve => (ActionDecision::Approve, json!({"type": "approve"})),
        ActionChoice::Reject => {
            let message = None;
            (
                ActionDecision::Reject { message },
                json!({"type": "reject"}),
            )
        }
        ActionChoice::Respond => {
            let message = "Not now.".to_owned();
            let sent = json!({"type": "respond", "message": message});
            (ActionDecision::Respond { message }, sent)
        }
        ActionChoice::Edit(args) => {
            let args = parse_edited_args(args);
            let sent = create_edit_decision(action, &args);
            (ActionDecision::Edit { args }, sent)
        }
    }
}

/// Returns an answer in the form that a question accepts.
fn create_answer(asked: &Value, approved: bool, edited: Option<&Value>) -> Value {
    if needs_boolean(asked) {
        return approved.into();
    }
    if needs_decisions(asked) {
        let (actions, _) = listed_actions(asked);
        let decide = |action: &Value| match (approved, edited) {
            (false, _) => json!({"type": "reject"}),
            (true, None) => json!({"type": "approve"}),
            (true, Some(args)) => create_edit_decision(action, args),
        };
        return json!({"decisions": actions.iter().map(decide).collect::<Vec<_>>()});
    }
    let mut words = json!({"approved": approved});
    if let Some(edited) = edited {
        words["editedArgs"] = edited.clone();
    }
    words
}

impl Scene {
    /// Returns a question as an interrupt in AG-UI's form.
    pub(crate) fn create_interrupt(&self, question: &Question) -> Value {
        let schema = match question.takes {
            AnswerFormat::Approval => json!({
                "type": "object",
                "properties": {"approved": {"type": "boolean"}, "editedArgs": {}},
            }),
            AnswerFormat::Boolean => json!({"type": "boolean"}),
            AnswerFormat::Text => {
                json!({"type": "object", "properties": {"text": {"type": "string"}}})
            }
            AnswerFormat::Decisions => Value::Null,
        };
        let mut asked = json!({
            "id": format!("int{}", question.id), "reason": "approval",
            "message": format!("Really {}?", question.words),
            "metadata": self.create_metadata(question),
        });
        if let (Value::Object(asked), false) =
            (&mut asked, question.takes == AnswerFormat::Decisions)
        {
            asked.insert("responseSchema".to_owned(), schema);
        }
        let call = question.call.and_then(|pick| self.agent.nth_call_id(pick));
        if let (Some(call), Value::Object(asked)) = (call, &mut asked) {
            asked.insert("toolCallId".to_owned(), call.into());
        }
        asked
    }

    /// Returns the metadata of a question, with the actions that the question lists.
    fn create_metadata(&self, question: &Question) -> Value {
        let words = json!({"words": question.words});
        if question.list.is_empty() {
            return words;
        }
        let actions = question
            .list
            .iter()
            .map(|one| self.agent.listed_action(one.what));
        let actions: Vec<Value> = actions.collect();
        let reviews = question.list.iter().zip(&actions);
        let reviews = reviews.filter_map(|(one, action)| {
            let bits = one.allows?;
            let kinds = KINDS.iter().enumerate();
            let kinds = kinds.filter(|(bit, _)| bits & (1 << bit) != 0);
            let kinds: Vec<&str> = kinds.map(|(_, kind)| *kind).collect();
            Some(json!({"action_name": action["name"], "allowed_decisions": kinds}))
        });
        let reviews: Vec<Value> = reviews.collect();
        let list = json!({"action_requests": actions, "review_configs": reviews});
        match question.at {
            0 => {
                let mut words = words;
                words["action_requests"] = list["action_requests"].clone();
                words["review_configs"] = list["review_configs"].clone();
                words
            }
            1 => json!({"words": question.words, "value": list}),
            _ => json!({"words": question.words, "langgraph": {"raw": list}}),
        }
    }

    fn read_question(&self, open: &OpenInterrupt) -> Option<ShownQuestion> {
        let id = &open.interrupt().id;
        Some(ShownQuestion {
            id: id.clone(),
            asked: interrupt_to_value(open.interrupt()),
            about: self.call_asked_about(open.interrupt()),
            fingerprint: self.session.question_fingerprint(id)?,
            takes_approval: open.takes_approval(),
            actions: open
                .actions()
                .iter()
                .map(|action| action.request().clone())
                .collect(),
        })
    }

    /// Returns the call that a question is about; `None` if the question is about no known call.
    pub(crate) fn call_asked_about(&self, interrupt: &Interrupt) -> Option<WrittenCall> {
        let id = interrupt.tool_call_id.as_deref()?;
        let (_, call) = self.session.conversation().call_by_wire_id(id)?;
        Some(WrittenCall::from_call(call))
    }

    /// Returns the unanswered questions that have no card and are not held back.
    pub(crate) fn open_questions(&self) -> Vec<ShownQuestion> {
        let open = self.session.interrupts().iter();
        let waits = open.filter(|open| open.answer().is_none() && open.call_key().is_none());
        let shown = waits.filter(|open| !open.is_held_back());
        shown.filter_map(|open| self.read_question(open)).collect()
    }

    /// Returns the ids of the questions without an answer, including those that are asked again.
    pub(crate) fn unanswered_ids(&self) -> Vec<String> {
        let open = self.session.interrupts().iter();
        let waits = open.filter(|open| open.answer().is_none());
        waits.map(|open| open.interrupt().id.clone()).collect()
    }

    /// Stops the assistant, which cancels the unanswered questions. An earlier answer to such a
    /// question must not be sent any more.
    pub(crate) fn stop(&mut self) {
        let before = self.given.clone();
        for id in self.unanswered_ids() {
            self.given.remove(&id);
        }
        if !self.handle_input(Input::Stop) {
            self.given = before;
        }
    }

    /// Records the answers that a decision about a card gives to the questions on the card.
    pub(crate) fn record_given_answers(
        &mut self,
        card: &Card,
        approved: bool,
        edited: Option<&Value>,
    ) {
        for asked in &card.questions {
            let given = GivenAnswer {
                asked: asked.clone(),
                about: Some(card.written.clone()),
                payload: create_answer(asked, approved, edited),
                // The card shows the call for the only listed action, or there is no list.
                actions: match listed_actions(asked).0.is_empty() {
                    true => Vec::new(),
                    false => vec![json!({"name": card.written.name, "args": card.written.args})],
                },
            };
            let id = asked["id"].as_str().unwrap_or_default().to_owned();
            self.given.entry(id).or_default().push(given);
        }
    }

    /// Answers a question as the user has read it.
    pub(crate) fn answer_question(&mut self, pick: u8, reply: Reply, looks: bool) {
        if looks {
            self.read_questions = self.open_questions();
        }
        let place = usize::from(pick).checked_rem(self.read_questions.len());
        let Some(read) = place.and_then(|place| self.read_questions.get(place)) else {
            return;
        };
        let ShownQuestion {
            id,
            asked,
            about,
            fingerprint,
            takes_approval,
            actions,
        } = read.clone();
        let payload = match (reply, takes_approval) {
            (Reply::Approve, true) => Some(create_answer(&asked, true, None)),
            (Reply::Deny, true) => Some(create_answer(&asked, false, None)),
            (Reply::Approve, false) => Some(json!({"text": "yes"})),
            (Reply::Deny, false) => Some(json!({"text": "no"})),
            (Reply::Cancel, _) => None,
        };
        let before = self.given.clone();
        if let Some(payload) = payload.clone() {
            let given = GivenAnswer {
                asked,
                about,
                payload,
                actions,
            };
            self.given.entry(id.clone()).or_default().push(given);
        } else {
            self.given.remove(&id);
        }
        let accepted = self.handle_input(Input::Answer {
            interrupt_id: id,
            shown: fingerprint,
            status: match payload {
                Some(_) => ResumeStatus::Resolved,
                None => ResumeStatus::Cancelled,
            },
            payload,
            by: Decider::Person,
        });
        if !accepted {
            self.given = before;
        }
    }

    /// Decides about each action of a question as the user has read it.
    pub(crate) fn decide_each(
        &mut self,
        pick: u8,
        choices: &[ActionChoice],
        each: bool,
        looks: bool,
    ) {
        if looks {
            self.read_questions = self.open_questions();
        }
        let place = usize::from(pick).checked_rem(self.read_questions.len());
        let Some(read) = place.and_then(|place| self.read_questions.get(place)) else {
            return;
        };
        let read = read.clone();
        let length = match each {
            true => read.actions.len(),
            false => choices.len(),
        };
        let choices = choices.iter().cycle().take(length).enumerate();
        let decided = choices.map(|(at, choice)| {
            let action = read.actions.get(at).unwrap_or(&Value::Null);
            create_decision(*choice, action)
        });
        let (decisions, sent): (Vec<_>, Vec<_>) = decided.unzip();
        let before = self.given.clone();
        let given = GivenAnswer {
            asked: read.asked,
            about: read.about,
            payload: json!({"decisions": sent}),
            actions: read.actions,
        };
        self.given.entry(read.id.clone()).or_default().push(given);
        // A list of one action may represent a call with a card: the decision is about that call.
        let is_asked = |card: &Card| {
            card.questions
                .iter()
                .any(|asked| asked["id"] == read.id.as_str())
        };
        let card = self.cards().into_iter().find(is_asked);
        let grants = (
            self.granted.clone(),
            self.refused.clone(),
            self.refused_ids.clone(),
        );
        if let (Some(mut card), [decision]) = (card, &decisions[..]) {
            if let ActionDecision::Edit { args } = decision {
                card.args = args.clone();
            }
            if let ActionDecision::Reject { .. } = decision {
                self.granted.remove(&card.call);
                self.refused.insert(card.call);
                self.refused_ids.insert(card.id);
            } else {
                self.refused.remove(&card.call);
                self.refused_ids.remove(&card.id);
                self.granted.insert(card.call, card);
            }
        }
        let accepted = self.handle_input(Input::DecideActions {
            interrupt_id: read.id,
            shown: read.fingerprint,
            decisions,
            by: Decider::Person,
        });
        if !accepted {
            self.given = before;
            (self.granted, self.refused, self.refused_ids) = grants;
        }
    }

    /// Shows the questions that were held back. These do not count towards the maximum of a run.
    pub(crate) fn show_held_back(&mut self) {
        let held = self.session.interrupts().iter();
        let held = held.filter(|open| open.is_held_back()).count();
        self.most_cards += held;
        self.handle_input(Input::ShowHeldBack);
    }

    /// Denies all open questions and cards.
    pub(crate) fn deny_all(&mut self) {
        let before = (
            self.granted.clone(),
            self.refused.clone(),
            self.refused_ids.clone(),
            self.given.clone(),
        );
        let open = self.session.interrupts().iter();
        let waits = open.filter(|open| open.answer().is_none());
        let waits: Vec<ShownQuestion> = waits.filter_map(|open| self.read_question(open)).collect();
        for read in waits {
            let given = GivenAnswer {
                payload: create_answer(&read.asked, false, None),
                asked: read.asked,
                about: read.about,
                actions: read.actions,
            };
            self.given.entry(read.id).or_default().push(given);
        }
        for card in self.cards() {
            self.granted.remove(&card.call);
            self.refused.insert(card.call);
            self.refused_ids.insert(card.id);
        }
        if !self.handle_input(Input::DenyAll {
            by: Decider::Person,
        }) {
            (self.granted, self.refused, self.refused_ids, self.given) = before;
        }
    }

    /// Removes the answers that the agent has received from the records, when a run ends with these
    /// questions: a repeated question is a new one. Returns the earlier records, to restore them if
    /// the end is not accepted.
    pub(crate) fn remove_received_answers(
        &mut self,
        raised: &[Value],
    ) -> std::collections::BTreeMap<String, Vec<GivenAnswer>> {
        let before = self.given.clone();
        let answered = self.session.interrupts().iter();
        let answered = answered.filter(|open| open.answer().is_some());
        let answered: Vec<String> = answered.map(|open| open.interrupt().id.clone()).collect();
        let raised = raised.iter().filter_map(|asked| asked["id"].as_str());
        let mut over: std::collections::BTreeSet<&str> = raised
            .filter(|id| answered.iter().any(|known| known == id))
            .collect();
        over.extend(self.carried.iter().map(String::as_str));
        for id in over {
            if let Some(list) = self.given.get_mut(id) {
                list.pop();
            }
        }
        before
    }
}
