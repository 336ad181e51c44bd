//! Messages that come as a list: snapshots, and the input that a run repeats (decision D10).

use std::collections::{HashMap, HashSet, VecDeque};

#[cfg(feature = "callouts")]
use super::callout;
use super::{Applied, Change, Conversation, authority::Authority};
use crate::{
    conversation::{
        Origin, Part, TextPart, ToolCall, fold,
        tree::CallRef,
        wire_form::{self, ended},
    },
    event::{FunctionCall, Message, MessageBody, Object, Role},
};

/// A place in the received order: a message, or the tool message of a call (by the call's id).
#[derive(Debug, Clone)]
enum Place {
    Node(usize),
    Result(String),
    /// What the list brings.
    New,
}

impl Conversation {
    /// Adds the messages that are not known yet.
    pub(crate) fn merge_new(&mut self, messages: Vec<Message>, out: &mut Applied<'_>) {
        let mut known: HashSet<String> = self.places().into_iter().map(|(id, _)| id).collect();
        for message in messages {
            if known.insert(message.id.clone()) {
                self.append_wire(message, out.now);
                out.changes.push(Change::Path);
            }
        }
    }

    /// The list is what the agent holds true of the path.
    ///
    /// Messages first: they are replaced in place or leave. Then the results, and what is new. Last,
    /// each result gets the place of its message in the received order.
    pub(super) fn merge_snapshot(
        &mut self,
        messages: Vec<Message>,
        metadata: Option<&Object>,
        out: &mut Applied<'_>,
    ) {
        #[cfg(feature = "callouts")]
        self.finish_all_callouts(out);
        let authority = Authority::of(&messages, metadata);
        let mut places = self.places();
        self.take_off_results();
        let order: Vec<String> = messages.iter().map(|message| message.id.clone()).collect();
        let mut incoming: HashMap<String, Message> = messages
            .into_iter()
            .map(|message| (message.id.clone(), message))
            .collect();
        for (id, place) in &places {
            let Place::Node(ix) = *place else { continue };
            match incoming.remove(id) {
                Some(message) => self.replace_message(ix, message, out.now),
                None => self.drop_message(ix, &authority),
            }
        }
        self.reindex();
        self.restore_results(&places, &mut incoming, out.now);
        for id in order {
            let Some(message) = incoming.remove(&id) else {
                continue;
            };
            if self.ids.contains_key(&id.as_str().into()) {
                out.warn(
                    "other-branch",
                    format!("snapshot: '{id}' is on another branch: ignored"),
                );
                continue;
            }
            self.append_wire(message, out.now);
            places.push((id, Place::New));
        }
        self.reindex();
        self.place_results(&places);
        let messages: Vec<_> = self.path().map(|message| message.id.clone()).collect();
        out.changes.push(Change::Path);
        out.changes
            .extend(messages.into_iter().map(Change::Message));
    }

    /// The received order, each place with the id of its message.
    fn places(&self) -> Vec<(String, Place)> {
        let result = |at: &CallRef| {
            let call = self.call_at(*at)?;
            let result = call.result.as_ref()?;
            Some((result.message_id.clone(), Place::Result(call.id.clone())))
        };
        let mut list: Vec<_> = self.leading_results.iter().filter_map(result).collect();
        for ix in &self.path {
            let Some(node) = self.node(*ix) else { continue };
            list.push((node.message.wire_id().to_owned(), Place::Node(*ix)));
            list.extend(node.results.iter().filter_map(result));
        }
        list
    }

    /// Until the list brings them again, no results are listed but those that were not sent yet.
    fn take_off_results(&mut self) {
        for at in self.path_call_refs() {
            if let Some(call) = self.call_at_mut(at) {
                call.unlisted |= call.result.as_ref().is_some_and(|result| result.sent);
            }
        }
    }

    fn restore_results(
        &mut self,
        places: &[(String, Place)],
        incoming: &mut HashMap<String, Message>,
        now: i64,
    ) {
        let answered: HashSet<String> = incoming
            .values()
            .filter_map(|message| answers(message).cloned())
            .collect();
        let mut after = None;
        for (id, place) in places {
            let call_id = match place {
                Place::Node(ix) if self.on_path(*ix) => {
                    after = Some(*ix);
                    continue;
                }
                Place::Result(call_id) => call_id,
                Place::Node(_) | Place::New => continue,
            };
            let at = self.find_call(call_id).filter(|at| self.still_has(*at, id));
            let mut fresh = incoming.remove(id);
            let is_answer = |message: &mut Message| answers(message) == Some(call_id);
            if let Some(message) = fresh.take_if(|message| at.is_none() || !is_answer(message)) {
                // Its call is gone, comes anew or has another answer, or it is another message now: the
                // place stays.
                self.insert_wire(after, message, now);
                after = self.find_message(id).or(after);
            }
            let Some(call) = at.and_then(|at| self.call_at_mut(at)) else {
                continue;
            };
            // The tool message may be gone, what was done is not: the call must not run again.
            call.unlisted |= answered.contains(call_id);
            if let Some(fresh) = fresh.and_then(fold::result_from_wire) {
                fold::take_result(call, fresh, now);
            }
        }
    }

    /// Whether a call has the result that it had before the list came.
    fn still_has(&self, at: CallRef, message_id: &str) -> bool {
        self.call_at(at).is_some_and(|call| {
            let result = call.result.as_ref();
            result.is_some_and(|result| {
                result.message_id == message_id && (call.unlisted || !result.sent)
            })
        })
    }

    /// Puts every result that is listed where its message stood, or came to stand.
    fn place_results(&mut self, places: &[(String, Place)]) {
        let mut waiting: HashMap<String, VecDeque<CallRef>> = HashMap::new();
        for at in self.path_call_refs() {
            let call = self.call_at(at).filter(|call| !call.unlisted);
            if let Some(result) = call.and_then(|call| call.result.as_ref()) {
                let of_id = waiting.entry(result.message_id.clone()).or_default();
                of_id.push_back(at);
            }
        }
        self.leading_results.clear();
        // Those that left the path, too: what stood behind them may stand elsewhere now.
        let left = places.iter().filter_map(|(_, place)| match place {
            Place::Node(ix) => Some(*ix),
            _ => None,
        });
        for ix in left.chain(self.path.clone()) {
            if let Some(node) = self.node_mut(ix) {
                node.results.clear();
            }
        }
        let mut after = None;
        for (id, place) in places {
            if let Place::Node(ix) = place
                && self.on_path(*ix)
            {
                after = Some(*ix);
            } else if let Some(at) = waiting.get_mut(id).and_then(VecDeque::pop_front) {
                match after.and_then(|ix| self.node_mut(ix)) {
                    Some(node) => node.results.push(at),
                    None => self.leading_results.push(at),
                }
            } else if !matches!(place, Place::Node(_)) {
                after = self.find_message(id).or(after);
            }
        }
        self.list_results_once();
    }

    /// Puts what the list says in the place of a message. In an assistant's message the split into
    /// parts stays, and with it what became of its calls.
    fn replace_message(&mut self, ix: usize, wire: Message, now: i64) {
        #[cfg(feature = "callouts")]
        let reading = self.reading.tools;
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let message = &mut node.message;
        if message.role != Role::Assistant || wire.role() != Role::Assistant {
            let mut fresh = wire_form::from_wire(wire, now);
            count_generations(&message.parts, &mut fresh.parts);
            fresh.id = message.id.clone();
            fresh.wire_id = message.wire_id.take();
            fresh.created_at = message.created_at;
            fresh.cost = std::mem::take(&mut message.cost);
            *message = fresh;
            return;
        }
        message.name = wire.name;
        message.encrypted_value = wire.encrypted_value;
        message.subagent_run_id = wire.subagent_run_id;
        message.metadata = wire.metadata;
        message.extra = wire.extra;
        if let MessageBody::Assistant {
            content,
            tool_calls,
        } = wire.body
        {
            replace_text(message, content);
            replace_calls(&mut message.parts, tool_calls, now);
            #[cfg(feature = "callouts")]
            callout::read_whole(message, reading, now);
        }
    }

    /// A message that the snapshot does not hold leaves the path; what a person wrote or decided
    /// in it stays on a branch of its own.
    fn drop_message(&mut self, ix: usize, authority: &Authority) {
        let Some(node) = self.node(ix) else { return };
        let message = &node.message;
        let unsent = message
            .calls()
            .any(|call| call.result.as_ref().is_some_and(|r| !r.sent));
        if unsent || authority.spares(message) {
            return;
        }
        let by_person = message.role == Role::User
            || message.calls().any(|call| {
                call.approval
                    .as_ref()
                    .is_some_and(|approval| approval.decision.is_some())
            });
        if by_person {
            self.leave_as_branch(ix);
        } else {
            self.splice(ix);
        }
    }

    /// Takes a node off the path but keeps it: its child on the path moves up beside it.
    fn leave_as_branch(&mut self, ix: usize) {
        let Some(place) = self.path.iter().position(|other| *other == ix) else {
            return;
        };
        let next = self.path.get(place + 1).copied();
        let parent = self.node(ix).and_then(|node| node.parent);
        if let Some(next) = next {
            if let Some(node) = self.node_mut(ix) {
                node.children.retain(|child| *child != next);
            }
            if let Some(node) = self.node_mut(next) {
                node.parent = parent;
            }
            match parent.and_then(|parent| self.node_mut(parent)) {
                Some(parent) => parent.children.push(next),
                None => self.roots.push(next),
            }
        }
        self.path.remove(place);
        self.number_path();
    }
}

/// The call that a tool message answers.
const fn answers(message: &Message) -> Option<&String> {
    match &message.body {
        MessageBody::Tool { tool_call_id, .. } => Some(tool_call_id),
        _ => None,
    }
}

/// A text that takes the place of another is a new generation of it.
fn count_generations(old: &[Part], fresh: &mut [Part]) {
    for (old, fresh) in old.iter().zip(fresh) {
        if let (
            Part::Text(old) | Part::Reasoning(old),
            Part::Text(fresh) | Part::Reasoning(fresh),
        ) = (old, fresh)
        {
            fresh.generation = old.generation + u32::from(old.text != fresh.text);
            fresh.span = old.span;
        }
    }
}

/// Keeps the text parts if together they say the same, else one part takes their place.
fn replace_text(message: &mut crate::conversation::Message, content: Option<String>) {
    let is_text = |part: &Part| part.as_text().is_some();
    let had_text = message.markdown.is_some() || message.parts.iter().any(is_text);
    if had_text == content.is_some() && content.as_deref().unwrap_or_default() == message.written()
    {
        return;
    }
    message.markdown = None;
    let parts = &mut message.parts;
    parts.retain(|part| part.as_call().is_none_or(ToolCall::is_real));
    let place = parts
        .iter()
        .position(|part| part.as_text().is_some())
        .unwrap_or(0);
    let generation = parts.iter().find_map(|part| match part {
        Part::Text(part) => Some(part.generation + 1),
        _ => None,
    });
    parts.retain(|part| part.as_text().is_none());
    if let Some(text) = content {
        let generation = generation.unwrap_or_default();
        parts.insert(
            place.min(parts.len()),
            Part::Text(TextPart {
                generation,
                ..TextPart::new(text)
            }),
        );
    }
}

fn replace_calls(parts: &mut Vec<Part>, wire: Vec<FunctionCall>, now: i64) {
    let listed: HashSet<&str> = wire.iter().map(|call| call.id.as_str()).collect();
    parts.retain(|part| {
        part.as_call().is_none_or(|call| {
            // The agent does not list what the page made of its text.
            let of_text = call.origin != Origin::Agent;
            of_text
                || listed.contains(call.id.as_str())
                || call.result.as_ref().is_some_and(|r| !r.sent)
        })
    });
    let place = |(place, part): (usize, &Part)| Some((part.as_call()?.id.clone(), place));
    let mut places: HashMap<String, usize> = parts.iter().enumerate().filter_map(place).collect();
    for fresh in wire {
        let known = places
            .get(&fresh.id)
            .and_then(|place| parts.get_mut(*place));
        let Some(Part::ToolCall(call)) = known else {
            places.insert(fresh.id.clone(), parts.len());
            parts.push(Part::ToolCall(Box::new(ended(fresh, now))));
            continue;
        };
        call.name = fresh.name;
        if call.args_text() != fresh.arguments {
            call.set_args_text(&fresh.arguments);
        }
        if !call.has_ended() || call.args().is_none() {
            call.end_in_list();
        }
        call.metadata = fresh.metadata.unwrap_or_default();
        call.encrypted_value = fresh.encrypted_value;
        call.extra = fresh.extra;
    }
}
