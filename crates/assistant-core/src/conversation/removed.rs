//! What a person deleted last, and how it comes back: its messages at their places, with the keys
//! and states of their calls.
//!
//! It is kept outside of the tree, is never written to a store, and is forgotten as soon as a run
//! begins. Neighbour: `branch`, which deletes.

use std::collections::{HashMap, HashSet};

use super::{
    CallKey, Change, Conversation, MessageId, Part, TreeError, calls::Departed, tree::Node,
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
    /// The calls that had ended, in that order.
    history: Vec<CallKey>,
    /// Calls that were kept for the case that their id comes back.
    kept: Vec<(String, CallKey)>,
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
        let kept = self.departed.iter().filter_map(|(id, call)| match call {
            Departed::Kept(key) => Some((id.clone(), *key)),
            Departed::Gone(_) => None,
        });
        let removed = Removed {
            place: siblings.iter().position(|ix| *ix == first).unwrap_or(0),
            chosen: Some(first) == self.chosen_below(parent),
            tip: tip_of(&self.path),
            shown: tip_of(self.shown_path()),
            results: others
                .chain([(None, self.leading_results.clone())])
                .collect(),
            history: self.history.clone(),
            kept: kept.collect(),
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

    /// What was deleted cannot come back any more.
    pub(crate) fn forget_removed(&mut self) {
        self.removed = None;
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
            let mut calls = node.message.parts.iter().filter_map(Part::as_call);
            self.node(*ix).is_none()
                && !self.ids.contains_key(&node.message.id)
                && calls.all(|call| !self.places.contains_key(&call.key))
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
        self.reorder_history(removed.history);
        for (id, key) in removed.kept {
            self.departed.entry(id).or_insert(Departed::Kept(key));
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

    /// Its calls come back as they are now: a change of their actions reached them where they were
    /// kept.
    fn bring_back(&mut self, ix: usize, mut node: Node) {
        for part in &mut node.message.parts {
            let Part::ToolCall(call) = part else { continue };
            let is_it = matches!(
                self.departed.get(&call.id),
                Some(Departed::Gone(gone)) if gone.key == call.key
            );
            if is_it && let Some(Departed::Gone(gone)) = self.departed.remove(&call.id) {
                *call = gone;
            }
            self.log.push(Change::Call(call.key));
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

    /// What had ended before the deletion stands in its old order, what ended since behind it.
    fn reorder_history(&mut self, before: Vec<CallKey>) {
        let since = std::mem::replace(&mut self.history, before);
        let known: HashSet<CallKey> = self.history.iter().copied().collect();
        let fresh = since.into_iter().filter(|key| !known.contains(key));
        self.history.extend(fresh);
    }
}
