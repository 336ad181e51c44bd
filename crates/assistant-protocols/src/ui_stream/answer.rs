//! The state of an answer that is being received: the steps, calls and data that chunks refer to.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use assistant_core::event::Object;

/// A `UIMessage` that is being received.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceivedAnswer {
    pub(super) id: String,
    /// The ids of the answer's messages in the conversation, with the numbers of their steps.
    pub(super) nodes: Vec<(String, u64)>,
    /// The number of messages from earlier responses, which are not repeated.
    earlier: usize,
    /// The ids of the messages of a discarded attempt, which are reused.
    pub(super) spare: VecDeque<String>,
    /// The ids of the calls of a discarded attempt, by the agent's ids, so that a repeated call
    /// keeps its id.
    spare_calls: HashMap<String, VecDeque<String>>,
    /// The id of the message to which parts are added; `None` until this stream adds the first
    /// part.
    pub(super) current: Option<String>,
    pub(super) step: u64,
    pub(super) metadata: Option<Value>,
    pub(super) calls: Vec<ReceivedCall>,
    /// The positions of calls in `calls`, by the agent's ids.
    by_id: HashMap<String, Vec<usize>>,
    /// The positions of calls in `calls`, by approval id.
    by_approval: HashMap<String, usize>,
    /// The ids of the messages with data parts, by the types and ids of the parts.
    data: HashMap<(String, String), String>,
    /// The keys of the data parts in order, with the numbers of their steps.
    data_order: Vec<((String, String), u64)>,
    taken: UsedIds,
}

/// The ids that are in use in the conversation.
#[derive(Debug, Clone, Default)]
struct UsedIds {
    messages: HashSet<String>,
    calls: HashSet<String>,
    /// The last number that was appended to each id to make it unique.
    suffixes: HashMap<String, u64>,
}

/// A tool part.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceivedCall {
    /// The call's id in the conversation.
    pub(super) id: String,
    /// The id that the agent assigned to the call.
    pub(super) wire_id: String,
    pub(super) name: String,
    pub(super) step: u64,
    pub(super) dynamic: bool,
    pub(super) approval: Option<Object>,
    /// True if the call has an outcome.
    pub(super) settled: bool,
    /// True if the call is marked as received in pieces, or was received in an earlier response.
    pub(super) in_pieces: bool,
}

impl ReceivedAnswer {
    /// Creates the answer with which the history ends, or an empty answer with this id.
    pub(super) fn new(id: String, history: Option<&Value>) -> Self {
        let mut answer = Self {
            id,
            ..Self::default()
        };
        let Some(history) = history else {
            return answer;
        };
        let ids = |key: &str| -> HashSet<String> {
            let list = history.pointer(key).and_then(Value::as_array);
            let texts = list.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        answer.taken.messages = ids("/taken/messages");
        answer.taken.calls = ids("/taken/calls");
        if let Some(tail) = history.get("tail").filter(|tail| tail.is_object()) {
            answer.restore_tail(tail);
        }
        answer
    }

    fn restore_tail(&mut self, tail: &Value) {
        let text = |value: &Value, key: &str| -> String {
            let text = value.get(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
        let list = |key: &str| {
            tail.get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        self.id = text(tail, "id");
        self.metadata = tail
            .get("metadata")
            .filter(|value| !value.is_null())
            .cloned();
        self.step = number(tail, "step").unwrap_or_default();
        self.earlier =
            number(tail, "earlier").map_or(0, |count| usize::try_from(count).unwrap_or(0));
        for node in list("nodes") {
            let step = number(node, "step").unwrap_or_default();
            self.nodes.push((text(node, "id"), step));
        }
        for call in list("calls") {
            let notes = call.get("notes");
            let asked = notes.and_then(|notes| notes.get("approval")?.as_object());
            let known = ReceivedCall {
                id: text(call, "id"),
                wire_id: text(call, "wireId"),
                name: text(call, "name"),
                step: number(call, "step").unwrap_or_default(),
                dynamic: call.get("dynamic") == Some(&Value::Bool(true)),
                approval: asked.cloned(),
                settled: call.get("settled") == Some(&Value::Bool(true)),
                in_pieces: true,
            };
            self.add_call(known);
        }
        for data in list("data") {
            if let Some(id) = data.get("id").and_then(Value::as_str) {
                let key = (text(data, "type"), id.to_owned());
                self.add_data(key, text(data, "node"));
            }
        }
    }

    /// Begins a message of the answer, and returns its id, which is unique in the conversation.
    pub(super) fn begin_message(&mut self) -> String {
        let id = match self.spare.pop_front() {
            Some(id) => id,
            None => {
                let wanted = match self.nodes.len() {
                    0 => self.id.clone(),
                    count => format!("{}:{}", self.id, count + 1),
                };
                let UsedIds {
                    messages, suffixes, ..
                } = &mut self.taken;
                reserve_id(wanted, messages, suffixes)
            }
        };
        self.nodes.push((id.clone(), self.step));
        self.current = Some(id.clone());
        id
    }

    /// Reserves an id for a call: the id of a discarded call with the same agent's id, or a new id
    /// that is unique in the conversation.
    pub(super) fn reserve_call_id(&mut self, wire_id: &str) -> String {
        let spare = self.spare_calls.get_mut(wire_id);
        if let Some(id) = spare.and_then(VecDeque::pop_front) {
            return id;
        }
        let wanted = match wire_id {
            "" => "call".to_owned(),
            id => id.to_owned(),
        };
        let UsedIds {
            calls, suffixes, ..
        } = &mut self.taken;
        reserve_id(wanted, calls, suffixes)
    }

    /// Returns the id of the message that contains the data part with this type and id, if any.
    pub(super) fn data_message_id(&self, key: &(String, String)) -> Option<&String> {
        self.data.get(key)
    }

    pub(super) fn add_data(&mut self, key: (String, String), node: String) {
        if !self.data.contains_key(&key) {
            self.data_order.push((key.clone(), self.step));
            self.data.insert(key, node);
        }
    }

    pub(super) fn add_call(&mut self, call: ReceivedCall) -> usize {
        let place = self.calls.len();
        if let Some(id) = approval_id(&call) {
            self.by_approval.entry(id).or_insert(place);
        }
        self.by_id
            .entry(call.wire_id.clone())
            .or_default()
            .push(place);
        self.calls.push(call);
        place
    }

    /// Returns the positions of the calls in the current step with this id of the agent, oldest
    /// first.
    fn call_positions_in_step(&self, wire_id: &str) -> impl Iterator<Item = usize> {
        let all = self.by_id.get(wire_id).map(Vec::as_slice);
        let of_step = all.unwrap_or_default().iter().rev().copied();
        let list = of_step.take_while(|place| {
            let call = self.calls.get(*place);
            call.is_some_and(|call| call.step == self.step)
        });
        list.collect::<Vec<_>>().into_iter().rev()
    }

    /// Returns the position of the first call in the current step with this id of the agent and
    /// this value of `dynamic`.
    pub(super) fn find_call_of_kind(&self, wire_id: &str, dynamic: bool) -> Option<usize> {
        let of_kind = |place: &usize| self.calls.get(*place).is_some_and(|c| c.dynamic == dynamic);
        self.call_positions_in_step(wire_id).find(of_kind)
    }

    /// Returns the position of the first call in the current step with this id of the agent.
    pub(super) fn find_call_in_step(&self, wire_id: &str) -> Option<usize> {
        self.call_positions_in_step(wire_id).next()
    }

    /// Returns the position of the call that a chunk refers to: the first call with the id in the
    /// current step, otherwise the newest call with the id.
    pub(super) fn find_call(&self, wire_id: &str) -> Option<usize> {
        let newest = || self.by_id.get(wire_id)?.last().copied();
        self.call_positions_in_step(wire_id).next().or_else(newest)
    }

    /// Returns the position of the call with this approval id; `None` if there is no such call, or
    /// if the call has received another approval id since.
    pub(super) fn find_call_by_approval(&self, id: &str) -> Option<usize> {
        let place = *self.by_approval.get(id)?;
        let call = self.calls.get(place)?;
        (approval_id(call).as_deref() == Some(id)).then_some(place)
    }

    pub(super) fn set_approval(&mut self, place: usize, approval: Object) {
        let Some(call) = self.calls.get_mut(place) else {
            return;
        };
        call.approval = Some(approval);
        if let Some(id) = approval_id(call) {
            let known = self.find_call_by_approval(&id).is_some();
            if !known {
                self.by_approval.insert(id, place);
            }
        }
    }

    /// Discards the calls and data of the current step, and returns the ids of the step's messages.
    pub(super) fn reset_step(&mut self) -> Vec<String> {
        let step = self.step;
        let of_step = self.nodes.iter().rev().take_while(|(_, of)| *of == step);
        let nodes: Vec<String> = of_step.map(|(id, _)| id.clone()).collect();
        // Takes time proportional to the discarded part, not to the whole answer.
        while let Some(call) = self.calls.pop_if(|call| call.step == step) {
            let place = self.calls.len();
            if let Some(list) = self.by_id.get_mut(&call.wire_id) {
                list.pop_if(|last| *last == place);
            }
            if let Some(id) = approval_id(&call)
                && self.by_approval.get(&id) == Some(&place)
            {
                self.by_approval.remove(&id);
            }
        }
        while let Some((key, _)) = self.data_order.pop_if(|(_, of)| *of == step) {
            self.data.remove(&key);
        }
        nodes
    }

    /// Begins another answer with this id. Used ids remain in use.
    pub(super) fn start_separate_answer(&mut self, id: String) {
        let taken = std::mem::take(&mut self.taken);
        *self = Self {
            id,
            taken,
            ..Self::default()
        };
    }

    /// Discards the response, because the server sends it again from its beginning, and returns the
    /// ids of the discarded messages. Messages of earlier responses remain: those before the page
    /// answered a call.
    pub(super) fn discard_response(&mut self) -> Vec<String> {
        let earlier = self.earlier.min(self.nodes.len());
        let nodes: Vec<String> = self.nodes.drain(earlier..).map(|(id, _)| id).collect();
        self.spare = nodes.iter().cloned().collect();
        self.step = self.nodes.last().map_or(0, |(_, step)| *step);
        self.current = None;
        if earlier == 0 {
            self.metadata = None;
        }
        self.by_id.clear();
        self.by_approval.clear();
        for call in std::mem::take(&mut self.calls) {
            if earlier > 0 && call.step <= self.step {
                self.add_call(call);
            } else {
                let spare = self.spare_calls.entry(call.wire_id).or_default();
                spare.push_back(call.id);
            }
        }
        let referenced: HashSet<&String> = self.nodes.iter().map(|(id, _)| id).collect();
        self.data.retain(|_, node| referenced.contains(node));
        let data = &self.data;
        self.data_order.retain(|(key, _)| data.contains_key(key));
        nodes
    }
}

fn approval_id(call: &ReceivedCall) -> Option<String> {
    let id = call.approval.as_ref()?.get("id")?.as_str()?;
    Some(id.to_owned())
}

/// Returns the wanted id, with a number appended if the id is already used, and marks it as used.
fn reserve_id(
    wanted: String,
    taken: &mut HashSet<String>,
    suffixes: &mut HashMap<String, u64>,
) -> String {
    if taken.insert(wanted.clone()) {
        return wanted;
    }
    let last = suffixes.entry(wanted.clone()).or_insert(1);
    loop {
        *last += 1;
        let id = format!("{wanted}~{last}");
        if taken.insert(id.clone()) {
            return id;
        }
    }
}
