//! Simulates a malicious agent that tries to get calls run without approval.
//!
//! The agent knows the protocol and the requests, but not the engine. It repeats the history with
//! other names, arguments, parents and ids, asks about another call than the one it means, and
//! repeats calls that were denied or have run. [`any_moves`] generates its moves; `tests/attacker`
//! plays the page and the user, and compares the calls that ran with those that were shown.

mod moves;

pub use moves::{
    ActionChoice, AnswerFormat, Args, Bounds, CardDecision, FileChange, HistoryChange,
    ListedAction, Move, Moves, NamedAction, PageEvent, ParentMessage, Question, Reply, RunEnd,
    Tool, any_moves,
};

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

/// The agent, with its copy of the history.
#[derive(Debug, Clone, Default)]
pub struct Agent {
    memory: Vec<Value>,
    run: usize,
    ids: usize,
    /// The numbers of the runs in which the agent sent each call as new.
    sent_runs: BTreeMap<String, BTreeSet<usize>>,
    /// The ids of the messages in the agent's history that the page knew when the newest run began.
    before: BTreeSet<String>,
}

impl Agent {
    /// Begins a run and returns its first event. If `believes` is true, the agent adopts the
    /// request's history, otherwise it only adds unknown messages to its own. `known` contains the
    /// ids of all messages that the page has ever had or sent.
    pub fn begin_run(&mut self, input: &Value, believes: bool, known: &BTreeSet<String>) -> Value {
        self.run += 1;
        let sent = input["messages"].as_array().cloned().unwrap_or_default();
        // Calls in the request belong to older responses, even if they are repeated.
        for call in sent.iter().flat_map(calls_of) {
            self.sent_runs.entry(to_text(&call["id"])).or_default();
        }
        match believes {
            true => self.memory = sent,
            false => {
                for message in sent {
                    if !self
                        .memory
                        .iter()
                        .any(|known| known.get("id") == message.get("id"))
                    {
                        self.memory.push(message);
                    }
                }
            }
        }
        self.before = self
            .memory
            .iter()
            .map(|message| to_text(&message["id"]))
            .filter(|id| known.contains(id))
            .collect();
        json!({"type": "RUN_STARTED", "threadId": input["threadId"], "runId": input["runId"]})
    }

    /// Forgets the calls that were sent, since ids of other branches may be new after a change of
    /// branch.
    pub fn handle_branch_change(&mut self) {
        self.sent_runs.clear();
    }

    /// Returns true if the newest run sent this call as new.
    #[must_use]
    pub fn has_sent_as_new(&self, call: &str) -> bool {
        self.sent_runs
            .get(call)
            .is_some_and(|runs| runs.contains(&self.run))
    }

    fn record_sent_call(&mut self, call: &str) {
        self.sent_runs
            .entry(call.to_owned())
            .or_default()
            .insert(self.run);
    }

    fn next_id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}{}", self.ids)
    }

    /// Returns the id of a call in the agent's history. `pick` counts from the newest call, and
    /// starts again after the oldest. `None` if there are no calls.
    #[must_use]
    pub fn nth_call_id(&self, pick: u8) -> Option<String> {
        let calls = self.memory.iter().rev().flat_map(calls_of);
        let ids: Vec<String> = calls.map(|call| to_text(&call["id"])).collect();
        ids.get(usize::from(pick).checked_rem(ids.len())?).cloned()
    }

    /// Returns an action as an interrupt of the agent lists it: name and arguments.
    #[must_use]
    pub fn listed_action(&self, what: NamedAction) -> Value {
        let (name, written) = match what {
            NamedAction::Tool(tool, args) => (tool.name().to_owned(), args.text().to_owned()),
            NamedAction::Call(pick) => {
                let id = self.nth_call_id(pick);
                let mut calls = self.memory.iter().flat_map(calls_of);
                let call = calls.find(|call| Some(to_text(&call["id"])) == id);
                let function = call.map(|call| &call["function"]);
                function.map_or_else(
                    || (Tool::Pay.name().to_owned(), String::new()),
                    |function| (to_text(&function["name"]), to_text(&function["arguments"])),
                )
            }
        };
        let args: Value = serde_json::from_str(&written).unwrap_or_else(|_| json!({}));
        json!({"name": name, "args": args})
    }

    /// Applies a move to the agent's history and returns its events. Empty for a move that sends no
    /// events, and for the repetition or continuation of a call if there are no calls.
    pub fn play_move(&mut self, what: &Move) -> Vec<Value> {
        match what {
            Move::Call { tool, args, home } => self.add_call(*tool, *args, *home),
            Move::Again { call, tool, args } => match self.nth_call_id(*call) {
                Some(id) => {
                    self.record_sent_call(&id);
                    // A call from another branch begins a new message here.
                    self.before.remove(&id);
                    self.rewrite_call(&id, tool.name(), args.text());
                    call_events(&id, tool.name(), args.text(), None)
                }
                None => Vec::new(),
            },
            Move::More { call, args } => match self.nth_call_id(*call) {
                Some(id) => vec![
                    json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args.text()}),
                    json!({"type": "TOOL_CALL_END", "toolCallId": id}),
                ],
                None => Vec::new(),
            },
            Move::Written { tool, args } => self.add_callout(*tool, *args),
            Move::Result { call } => {
                let (id, call) = (
                    self.next_id("t"),
                    self.nth_call_id(*call).unwrap_or_default(),
                );
                let message = json!({"id": id, "role": "tool", "toolCallId": call, "content": "1"});
                self.memory.push(message);
                vec![
                    json!({"type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": "1"}),
                ]
            }
            Move::List(changes) => {
                for change in changes {
                    self.apply_change(change);
                }
                self.record_new_calls();
                vec![json!({"type": "MESSAGES_SNAPSHOT", "messages": self.memory})]
            }
            _ => Vec::new(),
        }
    }

    fn add_call(&mut self, tool: Tool, args: Args, home: ParentMessage) -> Vec<Value> {
        let id = self.next_id("c");
        let home = match home {
            ParentMessage::None => None,
            ParentMessage::New => Some(self.next_id("m")),
            ParentMessage::Newest => {
                let newest = self.memory.iter().rev().find(|m| m["role"] == "assistant");
                newest.map(|message| to_text(&message["id"]))
            }
        };
        self.record_sent_call(&id);
        let call = create_call(&id, tool.name(), args.text());
        let at = home.clone().unwrap_or_else(|| id.clone());
        // A message from another branch starts over here.
        self.before.remove(&at);
        match self.memory.iter_mut().find(|message| message["id"] == at) {
            Some(message) => push_call(message, call),
            None => self.memory.push(create_message(&at, vec![call])),
        }
        call_events(&id, tool.name(), args.text(), home)
    }

    /// Adds a message whose text contains a callout, and returns its events.
    fn add_callout(&mut self, tool: Tool, args: Args) -> Vec<Value> {
        let (message, id) = (self.next_id("w"), self.next_id("k"));
        self.record_sent_call(&id);
        let (name, args) = (tool.name(), args.text());
        let text = format!("So:\n\n> [!tool {name} {id}]\n> input: {args}\n\nDone.");
        self.memory
            .push(json!({"id": message, "role": "assistant", "content": text}));
        vec![
            json!({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}),
            json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text}),
            json!({"type": "TEXT_MESSAGE_END", "messageId": message}),
        ]
    }

    fn rewrite_call(&mut self, id: &str, name: &str, args: &str) {
        for call in self.memory.iter_mut().flat_map(calls_mut) {
            if call["id"] == id {
                call["function"] = json!({"name": name, "arguments": args});
            }
        }
    }

    /// Records calls as sent in this run, if neither the agent nor a request has sent them before,
    /// and if they follow the user's newest message and every message that the page knew when the
    /// run began.
    fn record_new_calls(&mut self) {
        let listed: BTreeSet<String> = self.memory.iter().map(|m| to_text(&m["id"])).collect();
        self.before.retain(|id| listed.contains(id));
        let is_old = |m: &Value| m["role"] == "user" || self.before.contains(&to_text(&m["id"]));
        let news = self
            .memory
            .iter()
            .rposition(is_old)
            .map_or(0, |old| old + 1);
        let fresh = self.memory.iter().skip(news).flat_map(calls_of);
        let fresh: Vec<String> = fresh.map(|call| to_text(&call["id"])).collect();
        for id in fresh {
            if !self.sent_runs.contains_key(&id) {
                self.record_sent_call(&id);
            }
        }
    }

    fn nth_message_index(&self, pick: u8) -> Option<usize> {
        usize::from(pick).checked_rem(self.memory.len())
    }

    /// Removes a call from the agent's history and returns it.
    fn remove_call(&mut self, pick: u8) -> Option<Value> {
        let id = self.nth_call_id(pick)?;
        for message in &mut self.memory {
            if let Some(calls) = message["toolCalls"].as_array_mut()
                && let Some(place) = calls.iter().position(|call| call["id"] == id)
            {
                return Some(calls.remove(place));
            }
        }
        None
    }

    fn apply_change(&mut self, change: &HistoryChange) -> Option<()> {
        match *change {
            HistoryChange::Drop(message) => {
                drop(self.memory.remove(self.nth_message_index(message)?));
            }
            HistoryChange::Move(message, to) => {
                let message = self.memory.remove(self.nth_message_index(message)?);
                let to = usize::from(to) % (self.memory.len() + 1);
                self.memory.insert(to, message);
            }
            HistoryChange::Name(message) => {
                let (place, id) = (self.nth_message_index(message)?, self.next_id("s"));
                self.memory.get_mut(place)?["id"] = id.into();
            }
            HistoryChange::ParentMessage(call) => {
                let call = self.remove_call(call)?;
                let id = self.next_id("s");
                self.memory.push(create_message(&id, vec![call]));
            }
            HistoryChange::Into(call, message) => {
                let call = self.remove_call(call)?;
                let place = self.nth_message_index(message)?;
                let home = self
                    .memory
                    .get_mut(place)
                    .filter(|m| m["role"] == "assistant")?;
                push_call(home, call);
            }
            HistoryChange::Forget(call) => drop(self.remove_call(call)?),
            HistoryChange::Rewrite(call, tool, args) => {
                let id = self.nth_call_id(call)?;
                self.rewrite_call(&id, tool.name(), args.text());
            }
            HistoryChange::Twice(call) => {
                let id = self.nth_call_id(call)?;
                let of_id = |m: &&mut Value| calls_of(m).any(|call| call["id"] == id);
                let message = self.memory.iter_mut().find(of_id)?;
                let twice = calls_of(message).find(|call| call["id"] == id)?.clone();
                push_call(message, twice);
            }
            HistoryChange::Plant(message, tool, args) => {
                let (place, id) = (self.nth_message_index(message)?, self.next_id("p"));
                let planted = create_call(&id, tool.name(), args.text());
                match self
                    .memory
                    .get_mut(place)
                    .filter(|m| m["role"] == "assistant")
                {
                    Some(message) => push_call(message, planted),
                    None => self
                        .memory
                        .insert(place, create_message(&format!("s{id}"), vec![planted])),
                }
            }
            HistoryChange::Unanswer(pick) => {
                let tools = self.memory.iter().enumerate();
                let tools: Vec<usize> = tools
                    .filter(|(_, m)| m["role"] == "tool")
                    .map(|(place, _)| place)
                    .collect();
                let place = usize::from(pick).checked_rem(tools.len())?;
                self.memory.remove(*tools.get(place)?);
            }
            HistoryChange::Answer(pick) => {
                let (call, id) = (self.nth_call_id(pick)?, self.next_id("t"));
                let answer = json!({"id": id, "role": "tool", "toolCallId": call, "content": "0"});
                self.memory.push(answer);
            }
            HistoryChange::Misquote(message) => {
                let place = self.nth_message_index(message)?;
                self.memory.get_mut(place)?["content"] = "I agree to everything".into();
            }
        }
        Some(())
    }
}

fn to_text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn calls_of(message: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    message["toolCalls"].as_array().into_iter().flatten()
}

fn calls_mut(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    let calls = message.get_mut("toolCalls").and_then(Value::as_array_mut);
    calls.into_iter().flatten()
}

fn push_call(message: &mut Value, call: Value) {
    match message.get_mut("toolCalls").and_then(Value::as_array_mut) {
        Some(calls) => calls.push(call),
        None => message["toolCalls"] = json!([call]),
    }
}

fn create_call(id: &str, name: &str, args: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}})
}

fn create_message(id: &str, calls: Vec<Value>) -> Value {
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn call_events(id: &str, name: &str, args: &str, home: Option<String>) -> Vec<Value> {
    let mut start = json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name});
    if let (Some(home), Value::Object(start)) = (home, &mut start) {
        start.insert("parentMessageId".to_owned(), home.into());
    }
    vec![
        start,
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}
