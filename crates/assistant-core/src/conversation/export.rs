//! Exports a conversation as JSON, and imports a conversation from JSON. If an import fails,
//! nothing is imported.
//!
//! Version 2 of the format is written and read. The module `list` reads lists of AG-UI messages,
//! and the module `import_tree` reads the trees of other systems. Messages may be in any order, and
//! their parents may be missing, so the tree is linked after all messages were read. The module
//! `json` reads and writes single messages.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{
    CallKey, Conversation, FormatError, Message, MessageId,
    calls::CallOwner,
    format_error::{CYCLE, DUPLICATE_ID},
    import_tree, json_call,
    json_fields::{JsonFormat, expect_object, take_text},
    model::TreeMessage,
    runs::Runs,
    tree::TreeNode,
};
use crate::{
    event::Object,
    json::fields::Writer,
    order::{in_order, sort_by_name},
};

/// The version of the export format.
const VERSION: u64 = 2;
/// The exclusive upper bound of keys. If a key were larger, no numbers would be available for new
/// calls.
const KEY_LIMIT: u64 = 1 << 53;

impl Conversation {
    /// Returns the conversation as a JSON object, `{version, messages, tip, runTip, …}`. Each
    /// message is stored with the id of its parent.
    #[must_use]
    pub fn export(&self) -> Value {
        self.export_with(|message, entry| {
            let message = self.write_message(message, JsonFormat::Whole);
            entry.insert("message".to_owned(), message);
        })
    }

    /// Returns the same JSON object as [`Self::export`], but with only the id of each message
    /// instead of its content.
    pub(crate) fn export_outline(&self) -> Value {
        self.export_with(|message, entry| {
            entry.insert("id".to_owned(), message.id.as_str().into());
        })
    }

    /// Returns one message in the format of [`Self::export`], or `None` if no message has this id.
    pub(crate) fn export_message(&self, id: &MessageId) -> Option<Value> {
        Some(self.write_message(self.message(id)?, JsonFormat::Whole))
    }

    fn export_with(&self, write: impl Fn(&Message, &mut Object)) -> Value {
        let write_entry = |node: &TreeNode<TreeMessage>| {
            let mut entry = self.write_node_links(node);
            write(&node.item.message, &mut entry);
            Value::Object(entry)
        };
        let messages: Vec<Value> = self.tree.nodes_in_preorder().map(write_entry).collect();
        let id_at =
            |ix: Option<usize>| ix.and_then(|ix| self.tree.id_at(ix)).map(MessageId::as_str);
        let mut export = json!({
            "version": VERSION,
            "messages": messages,
            "tip": self.tip().map(MessageId::as_str),
            "leadingResults": write_keys(&self.leading_results),
            "state": self.state,
            "lastKey": self.last_key(),
            "runs": self.runs.to_value(),
        });
        let mut put = |key: &str, value: Value| {
            if let Value::Object(export) = &mut export {
                export.insert(key.to_owned(), value);
            }
        };
        if self.shows_other_branch() {
            put("runTip", self.run_tip().map(MessageId::as_str).into());
        }
        let chosen_root = self.tree.chosen_root();
        if let Some(root) = id_at(chosen_root.filter(|ix| self.tree.roots().contains(ix))) {
            put("chosen", root.into());
        }
        let detached_calls = self.write_detached();
        if !detached_calls.is_empty() {
            put("detached", detached_calls.into());
        }
        if !self.hand_off_messages.is_empty() {
            let ids: Vec<&str> = self.hand_off_messages.iter().map(String::as_str).collect();
            put("goAheads", sort_by_name(ids, |id| *id).into());
        }
        export
    }

    /// Returns the detached calls as JSON. A detached call that belongs to a message on another
    /// branch is represented by its key.
    fn write_detached(&self) -> Vec<Value> {
        let keys = in_order(self.calls.detached_keys().collect(), CallKey::sort_key);
        let write_call_or_key = |key: CallKey| {
            let call = self.calls.get(&key)?;
            if self.calls.owner(&key) != Some(CallOwner::Nowhere) {
                return Some(key.number().into());
            }
            let mut writer = Writer::default();
            json_call::write_call(call, &mut writer, JsonFormat::Whole);
            Some(writer.into_value())
        };
        keys.into_iter().filter_map(write_call_or_key).collect()
    }

    /// Returns the links of a node to other nodes, and the properties of the node that are not part
    /// of the message, as a JSON object.
    fn write_node_links(&self, node: &TreeNode<TreeMessage>) -> Object {
        let parent = node.parent.and_then(|ix| self.tree.id_at(ix));
        let parent = parent.or(node.awaits.as_ref()).map(MessageId::as_str);
        let mut links = Object::new();
        links.insert("parent".to_owned(), parent.into());
        links.insert("results".to_owned(), write_keys(&node.item.results));
        let chosen_child = node.chosen.filter(|ix| node.children.contains(ix));
        if let Some(id) = chosen_child.and_then(|ix| self.tree.id_at(ix)) {
            links.insert("chosen".to_owned(), id.as_str().into());
        }
        if let Some(run) = node.item.run {
            links.insert("run".to_owned(), run.into());
        }
        links
    }

    /// Creates a conversation from the output of [`Self::export`], from a list of AG-UI messages,
    /// or from a tree. The messages of a tree contain the id of their parent or a list `children`,
    /// and are in a list or in an object `{messages, active}`. If the active message is missing,
    /// the newest branch is displayed.
    ///
    /// A call without a result in a list or a tree counts as cancelled, because it is not known
    /// whether the call was run.
    ///
    /// ```
    /// use assistant_core::conversation::Conversation;
    /// use serde_json::json;
    ///
    /// let answer = json!({"id": "a", "role": "assistant", "content": "Hello"});
    /// let question = json!({"id": "q", "role": "user", "content": "Hi", "children": [answer]});
    /// let conversation = Conversation::import(json!([question]))?;
    /// assert_eq!(conversation.path().count(), 2);
    /// # Ok::<(), assistant_core::conversation::FormatError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the version is unknown or a message cannot be read. If the import fails, nothing is
    /// imported.
    pub fn import(value: Value) -> Result<Self, FormatError> {
        Self::new().load_json(value)
    }

    /// Reads a conversation into this empty conversation, in the formats of [`Self::import`].
    pub(crate) fn load_json(self, value: Value) -> Result<Self, FormatError> {
        let mut object = match value {
            Value::Array(list) if import_tree::is_tree(&list) => {
                import_tree::convert_tree(list, None)?
            }
            Value::Array(list) => return self.load_list(list),
            value => {
                let object = expect_object(value, "conversation")?;
                if let Some(version) = object.get("version") {
                    if version.as_u64() != Some(VERSION) {
                        return Err(FormatError::new(
                            "the conversation has a version that is not known here",
                        ));
                    }
                    object
                } else {
                    let (list, tip) = import_tree::take_messages(object)?;
                    if !import_tree::is_tree(&list) {
                        let mut conversation = self.load_list(list)?;
                        if let Some(tip) = tip {
                            conversation.select_tip(Some(&tip.into()));
                        }
                        return Ok(conversation);
                    }
                    import_tree::convert_tree(list, tip)?
                }
            }
        };
        let Some(Value::Array(entries)) = object.shift_remove("messages") else {
            return Err(FormatError::new("the conversation has no list 'messages'"));
        };
        let mut conversation = self;
        conversation.runs = Runs::from_value(object.get("runs"));
        conversation.reserve_keys(&entries, &object)?;
        let (mut links, mut result_lists) = (Vec::new(), Vec::new());
        for entry in entries {
            let (link, results) = conversation.read_node(entry)?;
            links.push(link);
            result_lists.push(results);
        }
        if !conversation.tree.link_nodes(&links) {
            return Err(FormatError::new(CYCLE));
        }
        conversation.read_detached(object.get("detached"))?;
        conversation.calls.sort_ended();
        conversation.reindex();
        for (ix, results) in result_lists.iter().enumerate() {
            let results = conversation.read_keys(results);
            if let Some(node) = conversation.node_mut(ix) {
                node.results = results;
            }
        }
        let leading_results = object.shift_remove("leadingResults").unwrap_or_default();
        conversation.leading_results = conversation.read_keys(&leading_results);
        conversation.read_tips(&mut object);
        let ids = object.get("goAheads").and_then(Value::as_array);
        let ids = ids.into_iter().flatten().filter_map(Value::as_str);
        conversation.hand_off_messages = ids.map(str::to_owned).collect();
        if let Some(state) = object.shift_remove("state") {
            conversation.set_state(state);
        }
        conversation.normalize_result_order();
        conversation.forget_changes();
        Ok(conversation)
    }

    /// Reads a node and adds the node to the tree. The position of the node is set after all nodes
    /// were read.
    fn read_node(&mut self, entry: Value) -> Result<(NodeLink, Value), FormatError> {
        let mut entry = expect_object(entry, "entry of 'messages'")?;
        let message = entry.shift_remove("message").unwrap_or_default();
        let message = self.read_message(message, JsonFormat::Whole)?;
        let parent = take_text(&mut entry, "parent").map(MessageId::from);
        let chosen = take_text(&mut entry, "chosen").map(MessageId::from);
        let node = TreeMessage {
            message,
            run: entry.get("run").and_then(Value::as_u64),
            results: Vec::new(),
        };
        let ix = self.tree.add_unlinked(node.message.id.clone(), node);
        self.attach_calls(ix.ok_or_else(|| FormatError::new(DUPLICATE_ID))?);
        let results = entry.shift_remove("results").unwrap_or_default();
        Ok(((parent, chosen), results))
    }

    fn read_detached(&mut self, from: Option<&Value>) -> Result<(), FormatError> {
        for entry in from.and_then(Value::as_array).into_iter().flatten() {
            let key = match entry {
                Value::Object(call) => {
                    let call = json_call::read_call(call.clone(), JsonFormat::Whole)?;
                    self.calls.restore(call)
                }
                // A number is the key of a call that belongs to a message on another branch.
                number => {
                    let key = number.as_u64().map(CallKey::new);
                    key.ok_or_else(|| FormatError::new("a detached call has no key"))?
                }
            };
            self.calls.index_detached(key);
        }
        Ok(())
    }

    /// Reserves the keys of all stored calls, before calls without a key get new keys. Fails if a
    /// key is too large.
    fn reserve_keys(&mut self, entries: &[Value], from: &Object) -> Result<(), FormatError> {
        let parts = entries
            .iter()
            .filter_map(|entry| entry.get("message")?.get("parts"));
        let parts = parts.chain(from.get("detached"));
        let calls = parts.filter_map(Value::as_array).flatten();
        let keys = calls.filter_map(|call| call.get("key")?.as_u64());
        let highest = keys
            .chain(from.get("lastKey").and_then(Value::as_u64))
            .max();
        let highest = highest.unwrap_or(0);
        if highest >= KEY_LIMIT {
            return Err(FormatError::new(
                "the keys of calls leave no room to count on",
            ));
        }
        self.calls.reserve_keys(highest);
        Ok(())
    }

    fn read_tips(&mut self, from: &mut Object) {
        self.tree
            .choose_root(take_text(from, "chosen").map(MessageId::from));
        let tip = self.take_path(from, "tip");
        let shown_path = tip.unwrap_or_else(|| {
            let leaf = self.tree.last_leaf();
            leaf.map_or_else(Vec::new, |leaf| self.tree.chain_to(leaf))
        });
        let run_path = self.take_path(from, "runTip");
        let run_path = run_path.unwrap_or_else(|| shown_path.clone());
        self.tree.set_paths(run_path, shown_path);
    }

    /// Removes a field that contains the id of a message, and returns the path to the message. The
    /// path is empty if the value is not a string. Returns `None` if the field or the message is
    /// missing.
    fn take_path(&self, from: &mut Object, key: &str) -> Option<Vec<usize>> {
        match from.shift_remove(key)? {
            Value::String(tip) => Some(self.tree.chain_to(self.tree.find(&tip.into())?)),
            _ => Some(Vec::new()),
        }
    }

    /// Normalizes the received order, so that every existing result has exactly one position and
    /// removed results have no position.
    pub(super) fn normalize_result_order(&mut self) {
        if self.calls.is_empty() {
            return;
        }
        let nodes: Vec<usize> = self.tree.nodes().map(|(ix, _)| ix).collect();
        let keys = nodes.iter().flat_map(|ix| self.node_call_keys(*ix));
        let answered_keys: HashSet<CallKey> = keys.filter(|key| self.is_answered(key)).collect();
        let mut listed_keys = HashSet::new();
        let mut should_keep =
            |key: &CallKey| answered_keys.contains(key) && listed_keys.insert(*key);
        self.leading_results.retain(&mut should_keep);
        for node in self.tree.items_mut() {
            node.results.retain(&mut should_keep);
        }
        for ix in nodes {
            let missing_keys: Vec<CallKey> = self
                .node_call_keys(ix)
                .filter(|key| !listed_keys.contains(key) && self.is_answered(key))
                .collect();
            if let Some(node) = self.node_mut(ix).filter(|_| !missing_keys.is_empty()) {
                node.results.extend(missing_keys);
            }
        }
    }

    /// Adds the missing results of a node's calls to the received order, directly after the node.
    /// Results of copied calls are missing if the results of the original calls follow another
    /// message.
    pub(super) fn add_missing_results(&mut self, ix: usize) {
        let listed_keys = self.node(ix).map(|node| node.results.clone());
        let listed_keys = listed_keys.unwrap_or_default();
        let missing_keys: Vec<CallKey> = self
            .node_call_keys(ix)
            .filter(|key| !listed_keys.contains(key) && self.is_answered(key))
            .collect();
        if let Some(node) = self.node_mut(ix) {
            node.results.extend(missing_keys);
        }
    }

    /// Returns true if a call has a result that belongs in the received order: the call is real,
    /// and no snapshot has omitted its tool message.
    fn is_answered(&self, key: &CallKey) -> bool {
        let call = self.call(key).filter(|call| call.is_real());
        call.is_some_and(|call| call.result().is_some() && !call.is_unlisted())
    }

    fn read_keys(&self, keys: &Value) -> Vec<CallKey> {
        let read_key = |entry: &Value| {
            let key = CallKey::new(entry.as_u64()?);
            self.is_answered(&key).then_some(key)
        };
        let list = keys.as_array().into_iter().flatten();
        list.filter_map(read_key).collect()
    }
}

/// The id of a message's parent and the id of the message's chosen child.
type NodeLink = (Option<MessageId>, Option<MessageId>);

fn write_keys(keys: &[CallKey]) -> Value {
    keys.iter().map(|key| key.number()).collect()
}
