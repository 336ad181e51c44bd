//! What a person deleted last, and how it comes back: its messages at their places, with the keys
//! and states of their calls.
//!
//! It is kept outside of the tree, is never written to a store, and is forgotten as soon as a run
//! begins. Neighbour: `branch`, which deletes.

use std::collections::{HashMap, HashSet};

use super::{
    CallKey, Change, Conversation, Message, MessageId, Part, TreeError, calls::Home, tree::Node,
};

/// A branch that was deleted.
#[derive(Debug, Clone)]
pub(super) struct Removed {
    /// Its messages and the places that they had, the first one first.
    nodes: Vec<(usize, Node)>,
    /// Which version of its message it was, counted from 0.
    place: usize,
    /// Whether the conversation was shown through it last.
    chosen: bool,
    /// The tip of the path of runs, where it went along.
    tip: Option<usize>,
    /// The tip of what was shown, where it went along.
    shown: Option<usize>,
    /// Results behind other messages; `None` stands for those before all messages.
    results: HashMap<Option<usize>, Vec<CallKey>>,
    /// The calls that an agent can still name, which it could not before.
    detached: Vec<CallKey>,
}

impl Conversation {
    /// Returns the beginning of the message that a person deleted last and the number of messages
    /// that went with it, if that can be undone.
    #[must_use]
    pub fn last_deleted(&self) -> Option<(&MessageId, usize)> {
        let removed = self.removed.as_deref()?;
        let (_, first) = removed.nodes.first()?;
        self.fits(removed)
            .then_some((&first.message.id, removed.nodes.len()))
    }

    /// Notes what is about to go, before anything else of it changes.
    pub(super) fn keep_removed(&mut self, doomed: &[usize]) {
        let Some(first) = doomed.first().copied() else {
            return;
        };
        let parent = self.node(first).and_then(|node| node.parent);
        let siblings = self.sibling_list(first);
        let nodes = doomed
            .iter()
            .filter_map(|ix| Some((*ix, self.node(*ix)?.clone())));
        let others = self.nodes.iter().enumerate().filter_map(|(ix, node)| {
            let results = &node.as_ref()?.results;
            (!results.is_empty()).then(|| (Some(ix), results.clone()))
        });
        let tip_of = |path: &[usize]| path.last().copied().filter(|_| path.contains(&first));
        let removed = Removed {
            place: siblings.iter().position(|ix| *ix == first).unwrap_or(0),
            chosen: Some(first) == self.chosen_below(parent),
            tip: tip_of(&self.path),
            shown: tip_of(self.shown_path()),
            results: others
                .chain([(None, self.leading_results.clone())])
                .collect(),
            detached: Vec::new(),
            nodes: nodes.collect(),
        };
        self.removed = Some(Box::new(removed));
    }

    fn chosen_below(&self, parent: Option<usize>) -> Option<usize> {
        match parent {
            Some(parent) => self.node(parent).and_then(|parent| parent.chosen),
            None => self.chosen_root,
        }
    }

    /// What was deleted cannot come back any more: nor can its calls, unless an agent names them.
    pub(crate) fn forget_removed(&mut self) {
        let Some(removed) = self.removed.take() else {
            return;
        };
        for (_, node) in removed.nodes {
            for key in node.message.parts.iter().filter_map(Part::call_key) {
                let call = self.calls.get(&key);
                let named = call.and_then(|call| self.calls.detached(&call.id));
                if self.calls.home(&key) == Some(Home::Nowhere) && named != Some(key) {
                    self.calls.remove(&key);
                }
            }
        }
    }

    /// Detaches the calls of a deleted message, unless another call has the id of one by now.
    pub(super) fn detach_deleted(&mut self, message: &Message) {
        for key in message.parts.iter().filter_map(Part::call_key) {
            self.calls.detach(&key);
            let Some(call) = self.calls.get(&key) else {
                continue;
            };
            let is_free =
                self.calls.detached(&call.id).is_none() && self.call_by_wire_id(&call.id).is_none();
            if is_free {
                self.calls.note_detached(key);
                if let Some(removed) = &mut self.removed {
                    removed.detached.push(key);
                }
            }
        }
    }

    /// Whether nothing has taken the place of what was deleted.
    fn fits(&self, removed: &Removed) -> bool {
        let Some((_, first)) = removed.nodes.first() else {
            return false;
        };
        let stands = first
            .parent
            .is_none_or(|parent| self.node(parent).is_some());
        let is_free = |(ix, node): &(usize, Node)| {
            let mut calls = node.message.parts.iter().filter_map(Part::call_key);
            self.node(*ix).is_none()
                && !self.ids.contains_key(&node.message.id)
                && calls.all(|key| self.calls.home(&key) == Some(Home::Nowhere))
        };
        stands && removed.nodes.iter().all(is_free)
    }

    /// Brings back what was deleted last. With `write`, runs write where they wrote before.
    pub(crate) fn restore(&mut self, write: bool) -> Result<(), TreeError> {
        let removed = self.removed.take().filter(|removed| self.fits(removed));
        let removed = *removed.ok_or(TreeError::NothingDeleted)?;
        let Some((first, node)) = removed.nodes.first() else {
            return Err(TreeError::NothingDeleted);
        };
        self.close_gaps();
        let (first, parent) = (*first, node.parent);
        let added: HashSet<usize> = removed.nodes.iter().map(|(ix, _)| *ix).collect();
        for (ix, node) in removed.nodes {
            self.bring_back(ix, node);
        }
        for key in removed.detached {
            self.calls.forget_detached(&key);
        }
        self.hang_at(first, parent, removed.place);
        if removed.chosen {
            match parent.and_then(|parent| self.node_mut(parent)) {
                Some(parent) => parent.chosen = Some(first),
                None => self.chosen_root = Some(first),
            }
        }
        for (place, results) in removed.results {
            match place {
                Some(ix) if added.contains(&ix) => {}
                Some(ix) => {
                    if let Some(node) = self.node_mut(ix) {
                        node.results = results;
                    }
                }
                None => self.leading_results = results,
            }
        }
        let shown = match removed.shown {
            Some(tip) => self.chain_to(tip),
            None => self.shown_path().to_vec(),
        };
        if let Some(tip) = removed.tip.filter(|_| write) {
            self.path = self.chain_to(tip);
        }
        self.shown = (shown != self.path).then_some(shown);
        self.reindex();
        for ix in added {
            self.gather_orphans(ix);
        }
        self.list_results_once();
        Ok(())
    }

    /// Puts a node back. Its calls are as they are now: a change of their actions reached them.
    fn bring_back(&mut self, ix: usize, node: Node) {
        for key in node.message.parts.iter().filter_map(Part::call_key) {
            self.calls.attach(&key, ix);
            self.log.push(Change::Call(key));
        }
        self.log.push(Change::MessageAdded(node.message.id.clone()));
        if let Some(slot) = self.nodes.get_mut(ix) {
            *slot = Some(node);
        }
    }

    fn hang_at(&mut self, ix: usize, parent: Option<usize>, place: usize) {
        let siblings = match parent.and_then(|parent| self.node_mut(parent)) {
            Some(parent) => &mut parent.children,
            None => &mut self.roots,
        };
        siblings.insert(place.min(siblings.len()), ix);
    }
}
