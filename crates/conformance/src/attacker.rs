//! A malicious agent that tries to get calls run without approval.
//!
//! The agent knows the protocol and the requests, but not the engine. It repeats the history with
//! other names, arguments, parents and ids, asks about another call than the one it means, and
//! repeats calls that were denied or have run. [`history`] generates its moves; `tests/attacker`
//! plays the page and the user, and compares the calls that ran with those that were shown.

mod moves;

pub use moves::{
    Alter, Args, Bounds, CardDecision, Change, Choice, End, History, Home, Listed, Move, Named,
    Page, Question, Reply, Takes, Tool, history,
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
            self.sent_runs.entry(text(&call["id"])).or_default();
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
            .map(|message| text(&message["id"]))
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
    pub fn sent_as_new(&self, call: &str) -> bool {
        self.sent_runs
            .get(call)
            .is_some_and(|runs| runs.contains(&self.run))
    }

    fn record_sent(&mut self, call: &str) {
        self.sent_runs
            .entry(call.to_owned())
            .or_default()
            .insert(self.run);
    }

    fn fresh(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}{}", self.ids)
    }

    /// Returns the id of a call in the agent's history, selected by its position from the newest.
    #[must_use]
    pub fn call(&self, pick: u8) -> Option<String> {
        let calls = self.memory.iter().rev().flat_map(calls_of);
        let ids: Vec<String> = calls.map(|call| text(&call["id"])).collect();
        ids.get(usize::from(pick).checked_rem(ids.len())?).cloned()
    }

    /// Returns an action as an interrupt of the agent lists it: name and arguments.
    #[must_use]
    pub fn lists(&self, what: Named) -> Value {
        let (name, written) = match what {
            Named::Tool(tool, args) => (tool.name().to_owned(), args.text().to_owned()),
            Named::Call(pick) => {
                let id = self.call(pick);
                let mut calls = self.memory.iter().flat_map(calls_of);
                let call = calls.find(|call| Some(text(&call["id"])) == id);
                let function = call.map(|call| &call["function"]);
                function.map_or_else(
                    || (Tool::Pay.name().to_owned(), String::new()),
                    |function| (text(&function["name"]), text(&function["arguments"])),
                )
            }
        };
        let args: Value = serde_json::from_str(&written).unwrap_or_else(|_| json!({}));
        json!({"name": name, "args": args})
    }

    /// Returns the events of a move; empty if the move is not the agent's.
    pub fn plays(&mut self, what: &Move) -> Vec<Value> {
        match what {
            Move::Call { tool, args, home } => self.new_call(*tool, *args, *home),
            Move::Again { call, tool, args } => match self.call(*call) {
                Some(id) => {
                    self.record_sent(&id);
                    // A call from another branch begins a new message here.
                    self.before.remove(&id);
                    self.rewrite(&id, tool.name(), args.text());
                    events_of(&id, tool.name(), args.text(), None)
                }
                None => Vec::new(),
            },
            Move::More { call, args } => match self.call(*call) {
                Some(id) => vec![
                    json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args.text()}),
                    json!({"type": "TOOL_CALL_END", "toolCallId": id}),
                ],
                None => Vec::new(),
            },
            Move::Written { tool, args } => self.write(*tool, *args),
            Move::Result { call } => {
                let (id, call) = (self.fresh("t"), self.call(*call).unwrap_or_default());
                let message = json!({"id": id, "role": "tool", "toolCallId": call, "content": "1"});
                self.memory.push(message);
                vec![
                    json!({"type": "TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": "1"}),
                ]
            }
            Move::List(changes) => {
                for change in changes {
                    self.change(change);
                }
                self.record_new_calls();
                vec![json!({"type": "MESSAGES_SNAPSHOT", "messages": self.memory})]
            }
            _ => Vec::new(),
        }
    }

    fn new_call(&mut self, tool: Tool, args: Args, home: Home) -> Vec<Value> {
        let id = self.fresh("c");
        let home = match home {
            Home::None => None,
            Home::New => Some(self.fresh("m")),
            Home::Newest => {
                let newest = self.memory.iter().rev().find(|m| m["role"] == "assistant");
                newest.map(|message| text(&message["id"]))
            }
        };
        self.record_sent(&id);
        let call = call(&id, tool.name(), args.text());
        let at = home.clone().unwrap_or_else(|| id.clone());
        // A message from another branch starts over here.
        self.before.remove(&at);
        match self.memory.iter_mut().find(|message| message["id"] == at) {
            Some(message) => push(message, call),
            None => self.memory.push(assistant(&at, vec![call])),
        }
        events_of(&id, tool.name(), args.text(), home)
    }

    /// Adds a message whose text contains a callout, and returns its events.
    fn write(&mut self, tool: Tool, args: Args) -> Vec<Value> {
        let (message, id) = (self.fresh("w"), self.fresh("k"));
        self.record_sent(&id);
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

    fn rewrite(&mut self, id: &str, name: &str, args: &str) {
        for call in self.memory.iter_mut().flat_map(calls_mut) {
            if call["id"] == id {
                call["function"] = json!({"name": name, "arguments": args});
            }
        }
    }

    /// Records the calls after the newest old message of the agent's history as sent in this run.
    fn record_new_calls(&mut self) {
        let listed: BTreeSet<String> = self.memory.iter().map(|m| text(&m["id"])).collect();
        self.before.retain(|id| listed.contains(id));
        let is_old = |m: &Value| m["role"] == "user" || self.before.contains(&text(&m["id"]));
        let news = self
            .memory
            .iter()
            .rposition(is_old)
            .map_or(0, |old| old + 1);
        let fresh = self.memory.iter().skip(news).flat_map(calls_of);
        let fresh: Vec<String> = fresh.map(|call| text(&call["id"])).collect();
        for id in fresh {
            if !self.sent_runs.contains_key(&id) {
                self.record_sent(&id);
            }
        }
    }

    fn place(&self, pick: u8) -> Option<usize> {
        usize::from(pick).checked_rem(self.memory.len())
    }

    /// Removes a call from the agent's history and returns it.
    fn take(&mut self, pick: u8) -> Option<Value> {
        let id = self.call(pick)?;
        for message in &mut self.memory {
            if let Some(calls) = message["toolCalls"].as_array_mut()
                && let Some(place) = calls.iter().position(|call| call["id"] == id)
            {
                return Some(calls.remove(place));
            }
        }
        None
    }

    fn change(&mut self, change: &Change) -> Option<()> {
        match *change {
            Change::Drop(message) => drop(self.memory.remove(self.place(message)?)),
            Change::Move(message, to) => {
                let message = self.memory.remove(self.place(message)?);
                let to = usize::from(to) % (self.memory.len() + 1);
                self.memory.insert(to, message);
            }
            Change::Name(message) => {
                let (place, id) = (self.place(message)?, self.fresh("s"));
                self.memory.get_mut(place)?["id"] = id.into();
            }
            Change::Home(call) => {
                let call = self.take(call)?;
                let id = self.fresh("s");
                self.memory.push(assistant(&id, vec![call]));
            }
            Change::Into(call, message) => {
                let call = self.take(call)?;
                let place = self.place(message)?;
                let home = self
                    .memory
                    .get_mut(place)
                    .filter(|m| m["role"] == "assistant")?;
                push(home, call);
            }
            Change::Forget(call) => drop(self.take(call)?),
            Change::Rewrite(call, tool, args) => {
                let id = self.call(call)?;
                self.rewrite(&id, tool.name(), args.text());
            }
            Change::Twice(call) => {
                let id = self.call(call)?;
                let of_id = |m: &&mut Value| calls_of(m).any(|call| call["id"] == id);
                let message = self.memory.iter_mut().find(of_id)?;
                let twice = calls_of(message).find(|call| call["id"] == id)?.clone();
                push(message, twice);
            }
            Change::Plant(message, tool, args) => {
                let (place, id) = (self.place(message)?, self.fresh("p"));
                let planted = call(&id, tool.name(), args.text());
                match self
                    .memory
                    .get_mut(place)
                    .filter(|m| m["role"] == "assistant")
                {
                    Some(message) => push(message, planted),
                    None => self
                        .memory
                        .insert(place, assistant(&format!("s{id}"), vec![planted])),
                }
            }
            Change::Unanswer(pick) => {
                let tools = self.memory.iter().enumerate();
                let tools: Vec<usize> = tools
                    .filter(|(_, m)| m["role"] == "tool")
                    .map(|(place, _)| place)
                    .collect();
                let place = usize::from(pick).checked_rem(tools.len())?;
                self.memory.remove(*tools.get(place)?);
            }
            Change::Answer(pick) => {
                let (call, id) = (self.call(pick)?, self.fresh("t"));
                let answer = json!({"id": id, "role": "tool", "toolCallId": call, "content": "0"});
                self.memory.push(answer);
            }
            Change::Misquote(message) => {
                let place = self.place(message)?;
                self.memory.get_mut(place)?["content"] = "I agree to everything".into();
            }
        }
        Some(())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn calls_of(message: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    message["toolCalls"].as_array().into_iter().flatten()
}

fn calls_mut(message: &mut Value) -> impl Iterator<Item = &mut Value> {
    let calls = message.get_mut("toolCalls").and_then(Value::as_array_mut);
    calls.into_iter().flatten()
}

fn push(message: &mut Value, call: Value) {
    match message.get_mut("toolCalls").and_then(Value::as_array_mut) {
        Some(calls) => calls.push(call),
        None => message["toolCalls"] = json!([call]),
    }
}

fn call(id: &str, name: &str, args: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}})
}

fn assistant(id: &str, calls: Vec<Value>) -> Value {
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn events_of(id: &str, name: &str, args: &str, home: Option<String>) -> Vec<Value> {
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
