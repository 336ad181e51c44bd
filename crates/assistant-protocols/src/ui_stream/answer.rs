//! Stores the state of an answer that is being received: the steps, calls and data that chunks
//! refer to.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use assistant_core::event::Object;

/// A `UIMessage` that is being received.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceivedAnswer {
    pub(super) id: String,
    /// The ids of the answer's messages in the conversation, each with the number of its step.
    pub(super) nodes: Vec<(String, u64)>,
    /// The number of messages from earlier responses. The server does not repeat these messages.
    earlier: usize,
    /// The ids of the messages of a discarded attempt, which are reused for new messages.
    pub(super) spare: VecDeque<String>,
    /// The ids of the calls of a discarded attempt, by the ids that the agent assigned. A call that
    /// the agent repeats gets the same id again.
    spare_calls: HashMap<String, VecDeque<String>>,
    /// The id of the message to which parts are added, or `None` until this stream adds the first
    /// part.
    pub(super) current: Option<String>,
    pub(super) step: u64,
    pub(super) metadata: Option<Value>,
    pub(super) calls: Vec<ReceivedCall>,
    /// The positions of calls in `calls`, by the ids that the agent assigned.
    by_id: HashMap<String, Vec<usize>>,
    /// The positions of calls in `calls`, by their approval ids.
    by_approval: HashMap<String, usize>,
    /// The ids of the messages that contain data parts, by the types and ids of these parts.
    data: HashMap<(String, String), String>,
    /// The types and ids of the data parts in order, each with the number of its step.
    data_order: Vec<((String, String), u64)>,
    used_ids: UsedIds,
}

/// The ids that are in use in the conversation.
#[derive(Debug, Clone, Default)]
struct UsedIds {
    messages: HashSet<String>,
    calls: HashSet<String>,
    /// The last number that was appended to each id to make it unique.
    suffixes: HashMap<String, u64>,
}

/// A tool call of an answer that is being received.
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
    /// True if the stored fields of the call state that its arguments were streamed, or if the call
    /// was received in an earlier response.
    pub(super) in_pieces: bool,
}

impl ReceivedAnswer {
    /// Creates the answer at the end of the history, or an empty answer with this id if the history
    /// does not end with an answer.
    pub(super) fn new(id: String, history: Option<&Value>) -> Self {
        let mut answer = Self {
            id,
            ..Self::default()
        };
        let Some(history) = history else {
            return answer;
        };
        let read_ids = |key: &str| -> HashSet<String> {
            let list = history.pointer(key).and_then(Value::as_array);
            let texts = list.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        answer.used_ids.messages = read_ids("/taken/messages");
        answer.used_ids.calls = read_ids("/taken/calls");
        if let Some(tail) = history.get("tail").filter(|tail| tail.is_object()) {
            answer.restore_tail(tail);
        }
        answer
    }

    fn restore_tail(&mut self, tail: &Value) {
        let read_text = |value: &Value, key: &str| -> String {
            let text = value.get(key).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let read_number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
        let read_list = |key: &str| {
            tail.get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        self.id = read_text(tail, "id");
        self.metadata = tail
            .get("metadata")
            .filter(|value| !value.is_null())
            .cloned();
        self.step = read_number(tail, "step").unwrap_or_default();
        self.earlier =
            read_number(tail, "earlier").map_or(0, |count| usize::try_from(count).unwrap_or(0));
        for message in read_list("nodes") {
            let step = read_number(message, "step").unwrap_or_default();
            self.nodes.push((read_text(message, "id"), step));
        }
        for call in read_list("calls") {
            let notes = call.get("notes");
            let approval = notes.and_then(|notes| notes.get("approval")?.as_object());
            let received_call = ReceivedCall {
                id: read_text(call, "id"),
                wire_id: read_text(call, "wireId"),
                name: read_text(call, "name"),
                step: read_number(call, "step").unwrap_or_default(),
                dynamic: call.get("dynamic") == Some(&Value::Bool(true)),
                approval: approval.cloned(),
                settled: call.get("settled") == Some(&Value::Bool(true)),
                in_pieces: true,
            };
            self.add_call(received_call);
        }
        for data in read_list("data") {
            if let Some(id) = data.get("id").and_then(Value::as_str) {
                let key = (read_text(data, "type"), id.to_owned());
                self.add_data(key, read_text(data, "node"));
            }
        }
    }

    /// Begins a message of the answer, and returns the message's id, which is unique in the
    /// conversation.
    pub(super) fn begin_message(&mut self) -> String {
        let id = match self.spare.pop_front() {
            Some(id) => id,
            None => {
                let preferred_id = match self.nodes.len() {
                    0 => self.id.clone(),
                    count => format!("{}:{}", self.id, count + 1),
                };
                let UsedIds {
                    messages, suffixes, ..
                } = &mut self.used_ids;
                reserve_id(preferred_id, messages, suffixes)
            }
        };
        self.nodes.push((id.clone(), self.step));
        self.current = Some(id.clone());
        id
    }

    /// Reserves an id for a call. Returns the id of a discarded call to which the agent assigned
    /// the same id, or a new id that is unique in the conversation.
    pub(super) fn reserve_call_id(&mut self, wire_id: &str) -> String {
        let spare_ids = self.spare_calls.get_mut(wire_id);
        if let Some(id) = spare_ids.and_then(VecDeque::pop_front) {
            return id;
        }
        let preferred_id = match wire_id {
            "" => "call".to_owned(),
            id => id.to_owned(),
        };
        let UsedIds {
            calls, suffixes, ..
        } = &mut self.used_ids;
        reserve_id(preferred_id, calls, suffixes)
    }

    /// Returns the id of the message that contains the data part with this type and id, if there is
    /// such a part.
    pub(super) fn data_message_id(&self, key: &(String, String)) -> Option<&String> {
        self.data.get(key)
    }

    pub(super) fn add_data(&mut self, key: (String, String), message_id: String) {
        if !self.data.contains_key(&key) {
            self.data_order.push((key.clone(), self.step));
            self.data.insert(key, message_id);
        }
    }

    pub(super) fn add_call(&mut self, call: ReceivedCall) -> usize {
        let position = self.calls.len();
        if let Some(id) = approval_id(&call) {
            self.by_approval.entry(id).or_insert(position);
        }
        self.by_id
            .entry(call.wire_id.clone())
            .or_default()
            .push(position);
        self.calls.push(call);
        position
    }

    /// Returns the positions of the calls in the current step to which the agent assigned this id,
    /// in the order in which the calls began.
    fn call_positions_in_step(&self, wire_id: &str) -> impl Iterator<Item = usize> {
        let positions = self.by_id.get(wire_id).map(Vec::as_slice);
        let newest_first = positions.unwrap_or_default().iter().rev().copied();
        let step_positions = newest_first.take_while(|position| {
            let call = self.calls.get(*position);
            call.is_some_and(|call| call.step == self.step)
        });
        step_positions.collect::<Vec<_>>().into_iter().rev()
    }

    /// Returns the position of the first call in the current step to which the agent assigned this
    /// id and that has this value of `dynamic`.
    pub(super) fn find_call_of_kind(&self, wire_id: &str, dynamic: bool) -> Option<usize> {
        let is_of_kind = |position: &usize| {
            self.calls
                .get(*position)
                .is_some_and(|c| c.dynamic == dynamic)
        };
        self.call_positions_in_step(wire_id).find(is_of_kind)
    }

    /// Returns the position of the first call in the current step to which the agent assigned this
    /// id.
    pub(super) fn find_call_in_step(&self, wire_id: &str) -> Option<usize> {
        self.call_positions_in_step(wire_id).next()
    }

    /// Returns the position of the call that a chunk refers to. The call is the first call with the
    /// id in the current step or, if the current step has none, the newest call with the id.
    pub(super) fn find_call(&self, wire_id: &str) -> Option<usize> {
        let newest_position = || self.by_id.get(wire_id)?.last().copied();
        self.call_positions_in_step(wire_id)
            .next()
            .or_else(newest_position)
    }

    /// Returns the position of the call with this approval id. Returns `None` if there is no such
    /// call, or if the call has since received a different approval id.
    pub(super) fn find_call_by_approval(&self, id: &str) -> Option<usize> {
        let position = *self.by_approval.get(id)?;
        let call = self.calls.get(position)?;
        (approval_id(call).as_deref() == Some(id)).then_some(position)
    }

    pub(super) fn set_approval(&mut self, position: usize, approval: Object) {
        let Some(call) = self.calls.get_mut(position) else {
            return;
        };
        call.approval = Some(approval);
        if let Some(id) = approval_id(call) {
            let is_known = self.find_call_by_approval(&id).is_some();
            if !is_known {
                self.by_approval.insert(id, position);
            }
        }
    }

    /// Discards the calls and data of the current step, and returns the ids of the step's messages.
    pub(super) fn reset_step(&mut self) -> Vec<String> {
        let step = self.step;
        let step_nodes = self
            .nodes
            .iter()
            .rev()
            .take_while(|(_, node_step)| *node_step == step);
        let message_ids: Vec<String> = step_nodes.map(|(id, _)| id.clone()).collect();
        // The loops begin at the newest call and data part, so that their time is proportional to
        // the discarded step instead of the whole answer.
        while let Some(call) = self.calls.pop_if(|call| call.step == step) {
            let position = self.calls.len();
            if let Some(positions) = self.by_id.get_mut(&call.wire_id) {
                positions.pop_if(|last| *last == position);
            }
            if let Some(id) = approval_id(&call)
                && self.by_approval.get(&id) == Some(&position)
            {
                self.by_approval.remove(&id);
            }
        }
        while let Some((key, _)) = self.data_order.pop_if(|(_, node_step)| *node_step == step) {
            self.data.remove(&key);
        }
        message_ids
    }

    /// Begins a new answer with this id. The ids that are in use remain reserved.
    pub(super) fn start_separate_answer(&mut self, id: String) {
        let used_ids = std::mem::take(&mut self.used_ids);
        *self = Self {
            id,
            used_ids,
            ..Self::default()
        };
    }

    /// Discards the content of the response, because the server sends the response again from the
    /// beginning. Returns the ids of the discarded messages. The messages of earlier responses are
    /// kept.
    pub(super) fn discard_response(&mut self) -> Vec<String> {
        let earlier_count = self.earlier.min(self.nodes.len());
        let message_ids: Vec<String> = self
            .nodes
            .drain(earlier_count..)
            .map(|(id, _)| id)
            .collect();
        self.spare = message_ids.iter().cloned().collect();
        self.step = self.nodes.last().map_or(0, |(_, step)| *step);
        self.current = None;
        if earlier_count == 0 {
            self.metadata = None;
        }
        self.by_id.clear();
        self.by_approval.clear();
        for call in std::mem::take(&mut self.calls) {
            if earlier_count > 0 && call.step <= self.step {
                self.add_call(call);
            } else {
                let spare_ids = self.spare_calls.entry(call.wire_id).or_default();
                spare_ids.push_back(call.id);
            }
        }
        let remaining_ids: HashSet<&String> = self.nodes.iter().map(|(id, _)| id).collect();
        self.data
            .retain(|_, message_id| remaining_ids.contains(message_id));
        let data = &self.data;
        self.data_order.retain(|(key, _)| data.contains_key(key));
        message_ids
    }
}

fn approval_id(call: &ReceivedCall) -> Option<String> {
    let id = call.approval.as_ref()?.get("id")?.as_str()?;
    Some(id.to_owned())
}

/// Returns the preferred id, with a number appended if the preferred id is already used, and marks
/// the returned id as used.
fn reserve_id(
    preferred_id: String,
    used_ids: &mut HashSet<String>,
    suffixes: &mut HashMap<String, u64>,
) -> String {
    if used_ids.insert(preferred_id.clone()) {
        return preferred_id;
    }
    let suffix = suffixes.entry(preferred_id.clone()).or_insert(1);
    loop {
        *suffix += 1;
        let id = format!("{preferred_id}~{suffix}");
        if used_ids.insert(id.clone()) {
            return id;
        }
    }
}
