//! Recognizes the user's messages in a message list that contains them under different ids.
//!
//! Some servers assign their own ids to the messages of a snapshot. The user's messages keep their
//! author and their place, and only their wire ids change. Each message of the path is matched only
//! once, and in order, so a list can neither repeat nor move the user's messages. The module
//! `merge` applies the list.

use std::collections::{HashMap, HashSet};

use super::{Change, Conversation};
use crate::event::{self, MessageBody, Role};

impl Conversation {
    /// Sets the wire ids of messages on the path to the ids under which a list repeats these
    /// messages, with the same role, text and calls. Does nothing if the list contains the ids of
    /// all messages of the user.
    pub(super) fn adopt_listed_ids(&mut self, messages: &[event::Message]) {
        let listed_ids: HashSet<&str> = messages.iter().map(|listed| listed.id.as_str()).collect();
        let mut unlisted_places: HashMap<(Role, String), Vec<usize>> = HashMap::new();
        let mut omits_user_message = false;
        for (place, ix) in self.tree.path().iter().enumerate() {
            let Some(node) = self.node(*ix) else { continue };
            let message = &node.message;
            let is_chat_message = matches!(message.role, Role::User | Role::Assistant);
            if is_chat_message && !listed_ids.contains(message.wire_id()) {
                omits_user_message |= self.is_written_by_user(*ix);
                let text = message.written().trim().to_owned();
                let places = unlisted_places.entry((message.role, text)).or_default();
                places.push(place);
            }
        }
        // If the list contains the ids of all messages of the user, the ids of the assistant's
        // messages are not changed either.
        if !omits_user_message {
            return;
        }
        let mut next_place = 0;
        let mut new_ids = Vec::new();
        for listed in messages
            .iter()
            .filter(|listed| self.is_unused_id(&listed.id))
        {
            let key = (listed.role(), listed_text(listed).trim().to_owned());
            let places = unlisted_places
                .get(&key)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let index = places.partition_point(|place| *place < next_place);
            let place = places.get(index).copied();
            let ix = place.and_then(|place| Some((place, *self.tree.path().get(place)?)));
            if let Some((place, ix)) = ix.filter(|(_, ix)| self.has_calls_of(*ix, listed)) {
                next_place = place + 1;
                new_ids.push((ix, listed.id.clone()));
            }
        }
        for (ix, id) in new_ids {
            self.set_wire_id(ix, id);
        }
    }

    /// Returns true if a message has exactly the calls of a listed message, in the same order, or
    /// if the listed message is not an assistant's message.
    fn has_calls_of(&self, ix: usize, listed: &event::Message) -> bool {
        let node = self.node(ix);
        let calls = node
            .into_iter()
            .flat_map(|node| self.calls_in(&node.message));
        let call_ids = calls
            .filter(|call| call.is_real())
            .map(|call| call.id.as_str());
        match &listed.body {
            MessageBody::Assistant { tool_calls, .. } => {
                call_ids.eq(tool_calls.iter().map(|call| call.id.as_str()))
            }
            _ => true,
        }
    }

    /// Returns true if an id is unused: no message of any branch and no result on the run's path
    /// has the id.
    fn is_unused_id(&self, id: &str) -> bool {
        !self.wire_ids.contains_key(id)
            && !self.tree.contains(&id.into())
            && self.find_call_by_result(id).is_none()
    }

    fn set_wire_id(&mut self, ix: usize, id: String) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let old_id = node.message.wire_id().to_owned();
        node.message.wire_id = Some(id.clone());
        let message_id = node.message.id.clone();
        self.unindex_wire_id(&old_id, ix);
        self.wire_ids.entry(id).or_default().push(ix);
        self.log.push(Change::Message(message_id));
    }
}

/// Returns the text of a listed message of the user or the assistant. The text of other messages is
/// empty.
fn listed_text(listed: &event::Message) -> String {
    match &listed.body {
        MessageBody::User { content } => content.display_text(),
        MessageBody::Assistant { content, .. } => content.clone().unwrap_or_default(),
        _ => String::new(),
    }
}
