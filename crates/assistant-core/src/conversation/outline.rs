//! Lists the messages of the tree as rows from top to bottom, for views.
//!
//! A message without sibling versions has the level of its parent, and sibling versions are one
//! level deeper than their parent. Therefore, a long conversation without branches is a flat list.
//! No function in this module is recursive, because a deep tree could overflow the stack.

use std::collections::HashSet;

use super::{Conversation, MessageId};

/// A message in the outline of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutlineRow {
    pub(crate) id: MessageId,
    pub(crate) level: usize,
    pub(crate) above: Option<usize>,
    pub(crate) place: (usize, usize),
    pub(crate) version: (usize, usize),
    pub(crate) branches: usize,
    pub(crate) closed: bool,
    pub(crate) shown: bool,
}

impl OutlineRow {
    /// Returns the id of the message.
    #[must_use]
    pub const fn id(&self) -> &MessageId {
        &self.id
    }

    /// Returns the level of the row, which is the number of branch points between the root and the
    /// message, plus 1.
    #[must_use]
    pub const fn level(&self) -> usize {
        self.level
    }

    /// Returns the index of the parent row, or `None` at the top level. The message of the parent
    /// row has several children, and this row belongs to the branch of one of these children.
    #[must_use]
    pub const fn above(&self) -> Option<usize> {
        self.above
    }

    /// Returns the position of the row among the rows with the same level and the same parent row,
    /// counted from 1, and the number of these rows.
    #[must_use]
    pub const fn place(&self) -> (usize, usize) {
        self.place
    }

    /// Returns the number of this version of the message, counted from 1, and the number of
    /// versions.
    #[must_use]
    pub const fn version(&self) -> (usize, usize) {
        self.version
    }

    /// Returns the number of versions of the next message, or 0 if the message has fewer than two
    /// children.
    #[must_use]
    pub const fn branches(&self) -> usize {
        self.branches
    }

    /// Returns true if the row is collapsed, so that the versions below it are not listed.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns true if the message is on the shown branch.
    #[must_use]
    pub const fn is_shown(&self) -> bool {
        self.shown
    }
}

impl Conversation {
    /// Returns the messages of the tree as rows, with versions in the order of arrival. The rows
    /// below a message in `closed` are omitted if the message has several children.
    ///
    /// ```
    /// use std::collections::HashSet;
    /// use assistant_core::conversation::Conversation;
    /// use serde_json::json;
    ///
    /// let conversation = Conversation::import(json!([
    ///     {"id": "q", "role": "user", "content": "Hi", "children": [
    ///         {"id": "a1", "role": "assistant", "content": "Hello"},
    ///         {"id": "a2", "role": "assistant", "content": "Welcome"},
    ///     ]},
    /// ]))?;
    /// let rows = conversation.outline(&HashSet::new());
    /// let levels: Vec<_> = rows.iter().map(|row| (row.id().as_str(), row.level())).collect();
    /// assert_eq!(levels, [("q", 1), ("a1", 2), ("a2", 2)]);
    /// let rows = conversation.outline(&HashSet::from(["q".into()]));
    /// assert!(rows.len() == 1 && rows[0].is_closed());
    /// # Ok::<(), assistant_core::conversation::FormatError>(())
    /// ```
    #[must_use]
    pub fn outline(&self, closed: &HashSet<MessageId>) -> Vec<OutlineRow> {
        let shown_nodes: HashSet<usize> = self.tree.shown_path().iter().copied().collect();
        let mut rows: Vec<OutlineRow> = Vec::with_capacity(self.tree.len());
        // The rows below each row and at the top level are counted, because `place` contains the
        // count.
        let (mut row_counts, mut top_count) = (Vec::with_capacity(self.tree.len()), 0);
        let count = self.tree.roots().len();
        let roots = self.tree.roots().iter().enumerate().rev();
        let mut stack: Vec<PendingRow> = roots
            .map(|(place, ix)| PendingRow {
                ix: *ix,
                level: 1,
                above: None,
                version: (place + 1, count),
            })
            .collect();
        while let Some(PendingRow {
            ix,
            level,
            above,
            version,
        }) = stack.pop()
        {
            let Some(node) = self.tree.node(ix) else {
                continue;
            };
            let number = match above.and_then(|above: usize| row_counts.get_mut(above)) {
                Some(count) => count,
                None => &mut top_count,
            };
            *number += 1;
            let place = (*number, 0);
            let (row, count) = (rows.len(), node.children.len());
            let has_versions = count > 1;
            let is_closed = has_versions && closed.contains(&node.id);
            rows.push(OutlineRow {
                id: node.id.clone(),
                level,
                above,
                place,
                version,
                branches: if has_versions { count } else { 0 },
                closed: is_closed,
                shown: shown_nodes.contains(&ix),
            });
            row_counts.push(0);
            if is_closed {
                continue;
            }
            let children = node.children.iter().enumerate().rev();
            stack.extend(children.map(|(place, ix)| PendingRow {
                ix: *ix,
                level: if has_versions { level + 1 } else { level },
                above: if has_versions { Some(row) } else { above },
                version: (place + 1, count),
            }));
        }
        for row in &mut rows {
            let count = row.above.and_then(|above| row_counts.get(above));
            row.place.1 = count.copied().unwrap_or(top_count);
        }
        rows
    }

    /// Returns the number of messages that are removed if this message is deleted. The number
    /// includes the message and its descendants. Returns 0 if no message has this id.
    #[must_use]
    pub fn subtree_len(&self, id: &MessageId) -> usize {
        let ix = self.tree.find(id);
        ix.map_or(0, |ix| self.tree.subtree(ix).len())
    }
}

/// A node for which no row has been created.
struct PendingRow {
    ix: usize,
    level: usize,
    above: Option<usize>,
    version: (usize, usize),
}
