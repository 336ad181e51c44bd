//! Stores a growing JSON value as a tree, together with the path of its open nodes.
//!
//! While a piece of text is read, the open nodes are moved from their parents to a stack, so that
//! the innermost node is directly accessible. Between pieces, the nodes are in their parents, and
//! the root is a plain value. The cost of moving the nodes to the stack and back is proportional to
//! the depth.

use serde_json::Value;

/// The position of an open node in its parent.
#[derive(Clone, Debug)]
enum NodePosition {
    Root,
    Item(usize),
    /// The last entry of an object, which is accessed from the end, without hashing a long key.
    Entry(String),
}

impl NodePosition {
    fn node_mut<'a>(&self, parent: &'a mut Value) -> Option<&'a mut Value> {
        match (self, parent) {
            (Self::Item(_), Value::Array(items)) => items.last_mut(),
            (Self::Entry(_), Value::Object(map)) => map.iter_mut().next_back().map(|(_, v)| v),
            _ => None,
        }
    }

    fn has_name(&self, segment: &str) -> bool {
        match self {
            Self::Root => false,
            Self::Item(index) => segment.parse() == Ok(*index),
            Self::Entry(key) => key == segment,
        }
    }
}

/// A growing JSON value.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueTree {
    /// The whole value; `None` before the value begins, and while an open root is on the stack.
    root: Option<Value>,
    /// The positions of the open nodes, from the root inwards.
    slots: Vec<NodePosition>,
    /// The stack of open nodes, which is empty between pieces.
    open: Vec<Value>,
    /// True if an object in the value has duplicate keys.
    doubled: bool,
}

impl ValueTree {
    /// Moves the open nodes from their parents to the stack.
    pub(super) fn detach_open_nodes(&mut self) {
        for slot in &self.slots {
            let node = match self.open.last_mut() {
                None => self.root.take(),
                Some(parent) => slot.node_mut(parent).map(Value::take),
            };
            self.open.push(node.unwrap_or_default());
        }
    }

    /// Moves the open nodes back to their parents.
    pub(super) fn attach_open_nodes(&mut self) {
        while let Some(node) = self.open.pop() {
            self.put_node(self.open.len(), node);
        }
    }

    /// Opens a node inside the innermost node. If the innermost node is an object, `key` is the
    /// name of the new node.
    pub(super) fn open_node(&mut self, key: String, value: Value) {
        let position = match self.open.last_mut() {
            Some(Value::Array(items)) => {
                items.push(Value::Null);
                NodePosition::Item(items.len() - 1)
            }
            Some(Value::Object(map)) => {
                // The entry of a repeated key becomes the last entry.
                self.doubled |= map.swap_remove(&key).is_some();
                map.insert(key.clone(), Value::Null);
                NodePosition::Entry(key)
            }
            _ => NodePosition::Root,
        };
        self.slots.push(position);
        self.open.push(value);
    }

    /// Closes the innermost node.
    pub(super) fn close_node(&mut self) {
        if let Some(node) = self.open.pop() {
            self.put_node(self.open.len(), node);
            self.slots.pop();
        }
    }

    fn put_node(&mut self, depth: usize, node: Value) {
        match (self.open.last_mut(), self.slots.get(depth)) {
            (Some(parent), Some(slot)) => {
                if let Some(child) = slot.node_mut(parent) {
                    *child = node;
                }
            }
            _ => self.root = Some(node),
        }
    }

    /// Replaces the innermost node.
    pub(super) fn set_top(&mut self, value: Value) {
        if let Some(node) = self.open.last_mut() {
            *node = value;
        }
    }

    /// Returns the innermost open node; `None` between pieces, or if no node is open.
    pub(super) fn top(&self) -> Option<&Value> {
        self.open.last()
    }

    /// Returns a mutable reference to the innermost open node; `None` between pieces, or if no node
    /// is open.
    pub(super) fn top_mut(&mut self) -> Option<&mut Value> {
        self.open.last_mut()
    }

    /// Returns true if an object in the value has duplicate keys.
    pub(super) const fn has_duplicate_keys(&self) -> bool {
        self.doubled
    }

    /// Returns the number of open nodes, including open strings and numbers.
    pub(super) fn depth(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if no value has begun.
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none() && self.slots.is_empty()
    }

    /// Returns the whole value, which is available only between pieces.
    pub(super) fn root(&self) -> Option<&Value> {
        self.root.as_ref()
    }

    /// Consumes the tree and returns the whole value.
    pub(super) fn into_root(self) -> Option<Value> {
        self.root
    }

    /// Returns true if `path` leads to a finished node or passes through a finished node.
    pub(super) fn is_settled(&self, path: &[&str]) -> bool {
        let mut open_positions = self.slots.iter().skip(1);
        let mut node = self.root.as_ref();
        for segment in path {
            let child = node.and_then(|node| child_of(node, segment));
            if !open_positions
                .next()
                .is_some_and(|slot| slot.has_name(segment))
            {
                return child.is_some();
            }
            node = child;
        }
        false
    }
}

fn child_of<'a>(node: &'a Value, segment: &str) -> Option<&'a Value> {
    match node {
        Value::Object(map) => map.get(segment),
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        _ => None,
    }
}
