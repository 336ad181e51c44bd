//! Nodes in the middle of a path: put in, taken out. Neighbours: `tree`, `path`.

use super::{Change, Conversation, Message, Part, ToolCall};

impl Conversation {
    /// Puts a message between one of the path (or the beginning) and what follows it there. What
    /// follows on other branches stays where it is.
    pub(super) fn insert_after(&mut self, before: Option<usize>, message: Message) {
        self.close_gaps();
        let place = before
            .and_then(|before| self.node(before))
            .map_or(0, |before| before.depth + 1);
        let place = place.min(self.path.len());
        let next = self.path.get(place).copied().map(|next| self.own(next));
        let (ix, id) = self.add_node(message, before);
        let siblings = match before.and_then(|before| self.node_mut(before)) {
            Some(before) => &mut before.children,
            None => &mut self.roots,
        };
        match siblings.iter().position(|child| Some(*child) == next) {
            Some(at) => {
                if let Some(sibling) = siblings.get_mut(at) {
                    *sibling = ix;
                }
            }
            None => siblings.push(ix),
        }
        if let Some(next) = next {
            self.set_parent(next, Some(ix));
            if let Some(node) = self.node_mut(ix) {
                node.children.push(next);
                node.chosen = Some(next);
            }
        }
        match before.and_then(|before| self.node_mut(before)) {
            Some(before) => before.chosen = Some(ix),
            None => self.chosen_root = Some(ix),
        }
        self.path.insert(place, ix);
        self.log.push(Change::MessageAdded(id));
        self.number_path();
        self.index_calls(ix);
    }

    /// Takes a node out; its children become children of its parent, and its calls are detached. Paths
    /// are to be cleared of it afterwards, once for all that go.
    pub(super) fn splice(&mut self, ix: usize) {
        let Some(node) = self.nodes.get_mut(ix).and_then(Option::take) else {
            return;
        };
        for child in &node.children {
            self.set_parent(*child, node.parent);
        }
        let siblings = match node.parent {
            Some(parent) => match self.node_mut(parent) {
                Some(parent) => {
                    parent.results.extend(node.results.iter().copied());
                    &mut parent.children
                }
                None => return,
            },
            None => {
                self.leading_results.extend(node.results.iter().copied());
                &mut self.roots
            }
        };
        if let Some(place) = siblings.iter().position(|other| *other == ix) {
            siblings.splice(place..=place, node.children.iter().copied());
        }
        self.ids.remove(&node.message.id);
        if let Some(list) = self.wire_ids.get_mut(node.message.wire_id()) {
            list.retain(|other| *other != ix);
        }
        for key in node.message.parts.iter().filter_map(Part::call_key) {
            match self.calls.get(&key).is_some_and(ToolCall::is_real) {
                true => self.detach(key),
                false => drop(self.calls.remove(&key)),
            }
        }
        self.log.push(Change::MessageRemoved(node.message.id));
    }

    /// Takes a node out, as [`Self::splice`] does, and off the paths.
    pub(super) fn splice_on_path(&mut self, ix: usize) {
        let node = self.node(ix);
        let place = node.map(|node| (node.depth, node.parent, node.chosen));
        self.splice(ix);
        match place {
            // What stands below is the path's next then: it is remembered.
            Some((depth, parent, Some(next)))
                if self.shown.is_none() && self.path.get(depth) == Some(&ix) =>
            {
                self.leave_gap(depth, parent, next);
            }
            _ => self.clear_paths(),
        }
    }
}
