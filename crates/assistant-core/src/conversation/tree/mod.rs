//! A tree of items. Each item has at most one parent, and the children of one parent are
//! alternative versions of the next item.
//!
//! Two paths lead through the tree: the path on which runs write, and the shown path. The tree is
//! generic over its items, so that branches can be tested without messages and calls. A node is
//! identified by a number that no later node gets. `path` maintains the two paths, `join` inserts
//! items in any order, `splice` inserts and removes items in the middle of the path, `copy` copies
//! items that branches share, `select` selects versions, and `undo` deletes and restores branches.

mod copy;
mod join;
mod path;
mod select;
mod splice;
#[cfg(test)]
mod tests;
mod undo;

use foldhash::HashMap;

use super::{Change, MessageId};

pub(super) use copy::CopiedNode;
pub(super) use undo::RemovedBranch;

/// An item and its links to other nodes.
#[derive(Debug, Clone)]
pub(super) struct TreeNode<M> {
    pub(super) id: MessageId,
    pub(super) item: M,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The child on the path that was shown last through this node.
    pub(super) chosen: Option<usize>,
    /// The id of a missing parent. The node is a root until that parent arrives.
    pub(super) awaits: Option<MessageId>,
    pub(super) depth: usize,
}

/// A tree of items, and the two paths through it.
#[derive(Debug, Clone)]
pub(super) struct Tree<M> {
    nodes: Vec<Option<TreeNode<M>>>,
    ids: HashMap<MessageId, usize>,
    roots: Vec<usize>,
    /// The nodes that wait for a missing parent, by the id of that parent.
    awaited: HashMap<MessageId, Vec<usize>>,
    /// The root of the path that was shown last.
    chosen_root: Option<usize>,
    /// The path on which runs write, from the root to its tip.
    path: Vec<usize>,
    /// The number of gaps in `path`, which take the positions of removed nodes.
    gaps: usize,
    /// The number of nodes at the start of `path` that may be shared with another branch.
    shared_len: usize,
    /// The number of path entries that have been rewritten.
    path_work: u64,
    /// The shown path, or `None` if it equals the path of runs.
    shown: Option<Vec<usize>>,
    /// A counter that increases when the shown path changes, except by growth at its end.
    path_edition: u64,
    changes: Vec<Change>,
}

impl<M> Default for Tree<M> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            ids: HashMap::default(),
            roots: Vec::new(),
            awaited: HashMap::default(),
            chosen_root: None,
            path: Vec::new(),
            gaps: 0,
            shared_len: 0,
            path_work: 0,
            shown: None,
            path_edition: 0,
            changes: Vec::new(),
        }
    }
}

impl<M> Tree<M> {
    pub(super) fn node(&self, ix: usize) -> Option<&TreeNode<M>> {
        self.nodes.get(ix)?.as_ref()
    }

    /// Returns a mutable reference to the item of a node, without the node's links.
    pub(super) fn item_mut(&mut self, ix: usize) -> Option<&mut M> {
        self.node_mut(ix).map(|node| &mut node.item)
    }

    fn node_mut(&mut self, ix: usize) -> Option<&mut TreeNode<M>> {
        self.nodes.get_mut(ix)?.as_mut()
    }

    /// Returns the item with this id, on any branch.
    pub(super) fn get(&self, id: &MessageId) -> Option<&M> {
        self.node(self.find(id)?).map(|node| &node.item)
    }

    pub(super) fn find(&self, id: &MessageId) -> Option<usize> {
        self.ids.get(id).copied()
    }

    pub(super) fn contains(&self, id: &MessageId) -> bool {
        self.ids.contains_key(id)
    }

    pub(super) fn id_at(&self, ix: usize) -> Option<&MessageId> {
        self.node(ix).map(|node| &node.id)
    }

    /// Returns the number of items, on all branches.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns all nodes with their numbers, in the order of insertion.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (usize, &TreeNode<M>)> + Clone {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(ix, node)| Some((ix, node.as_ref()?)))
    }

    /// Returns mutable references to all items, without the links of their nodes.
    pub(super) fn items_mut(&mut self) -> impl Iterator<Item = &mut M> {
        self.nodes.iter_mut().flatten().map(|node| &mut node.item)
    }

    /// Returns all nodes, each after its parent and its older siblings.
    pub(super) fn nodes_in_preorder(&self) -> impl Iterator<Item = &TreeNode<M>> {
        let mut stack: Vec<usize> = self.roots.iter().rev().copied().collect();
        std::iter::from_fn(move || {
            let node = self.node(stack.pop()?)?;
            stack.extend(node.children.iter().rev());
            Some(node)
        })
    }

    pub(super) fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// Returns the root of the path that was shown last.
    pub(super) const fn chosen_root(&self) -> Option<usize> {
        self.chosen_root
    }

    /// Removes and returns the changes since the previous call of this method.
    pub(super) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Adds an item below the tip of the path of runs, and returns its node and its id. If the
    /// given id is used by another item, the new item gets a different id.
    pub(super) fn append(&mut self, id: MessageId, item: M) -> (usize, MessageId) {
        let parent = self.path.last().copied();
        let (ix, id) = self.add_node(id, item, parent);
        self.changes.push(Change::MessageAdded(id.clone()));
        self.add_to_parent(ix, parent);
        self.path.push(ix);
        if self.shown.is_none() {
            self.choose_child(parent, Some(ix));
        }
        self.changes.push(Change::Path);
        (ix, id)
    }

    /// Adds a node with this parent. The caller adds the node to the children of the parent.
    fn add_node(&mut self, id: MessageId, item: M, parent: Option<usize>) -> (usize, MessageId) {
        let id = self.unused_id(id);
        let ix = self.nodes.len();
        self.ids.insert(id.clone(), ix);
        let parent_node = parent.and_then(|parent| self.node(parent));
        let depth = parent_node.map_or(0, |parent_node| parent_node.depth + 1);
        self.nodes.push(Some(TreeNode {
            id: id.clone(),
            item,
            parent,
            children: Vec::new(),
            chosen: None,
            awaits: None,
            depth,
        }));
        (ix, id)
    }

    fn unused_id(&self, id: MessageId) -> MessageId {
        let mut new_id = id.clone();
        let mut n = 2_usize;
        while self.ids.contains_key(&new_id) {
            new_id = MessageId::from(format!("{id}~{n}"));
            n += 1;
        }
        new_id
    }

    /// Removes a node from the tree. The caller updates the links to the removed node.
    fn remove_node(&mut self, ix: usize) -> Option<TreeNode<M>> {
        let node = self.nodes.get_mut(ix).and_then(Option::take)?;
        self.ids.remove(&node.id);
        if let Some(missing_parent) = &node.awaits {
            self.forget_waiting(ix, missing_parent);
        }
        self.changes.push(Change::MessageRemoved(node.id.clone()));
        Some(node)
    }

    /// Sets the parent of a node. The caller adds the node to the children of the parent.
    fn set_parent(&mut self, ix: usize, parent: Option<usize>) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        node.parent = parent;
        let id = node.id.clone();
        self.changes.push(Change::MessageMoved(id));
    }

    fn siblings_mut(&mut self, parent: Option<usize>) -> &mut Vec<usize> {
        match parent {
            Some(ix) if self.node(ix).is_some() => match self.nodes.get_mut(ix) {
                Some(Some(parent)) => &mut parent.children,
                _ => &mut self.roots,
            },
            _ => &mut self.roots,
        }
    }

    fn add_to_parent(&mut self, ix: usize, parent: Option<usize>) {
        self.siblings_mut(parent).push(ix);
    }

    /// Removes a node from the children of its parent, or from the roots. If the node was the
    /// chosen child, the parent has no chosen child afterwards.
    fn remove_from_parent(&mut self, ix: usize) {
        let parent = self.node(ix).and_then(|node| node.parent);
        self.siblings_mut(parent).retain(|child| *child != ix);
        if let Some(parent) = parent.and_then(|parent| self.node_mut(parent)) {
            parent.chosen = parent.chosen.filter(|chosen| *chosen != ix);
        }
    }

    /// Sets the chosen child of a node, or the chosen root if `parent` is `None`.
    fn choose_child(&mut self, parent: Option<usize>, child: Option<usize>) {
        match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => parent.chosen = child,
            None => self.chosen_root = child,
        }
    }

    /// Returns the numbers of a node and all its descendants, beginning with the node.
    pub(super) fn subtree(&self, ix: usize) -> Vec<usize> {
        let mut nodes = Vec::new();
        let mut stack = vec![ix];
        while let Some(ix) = stack.pop() {
            nodes.push(ix);
            stack.extend(self.node(ix).into_iter().flat_map(|node| &node.children));
        }
        nodes
    }
}
