//! Applies the events of text blocks. Several blocks of an answer may be open at the same time, and
//! other parts may be added between the pieces of a block.
//!
//! The module `text` handles messages with a single text.

use super::{ApplyContext, Conversation};
use crate::{
    conversation::{Change, Part, Span, TextPart, model::PartRef},
    event::Object,
};

impl Conversation {
    pub(super) fn start_block(
        &mut self,
        block: u64,
        message_id: &str,
        reasoning: bool,
        extra: Object,
        out: &mut ApplyContext<'_>,
    ) {
        let Some(node) = self.find_or_add_answer(message_id, out) else {
            return;
        };
        if let Some(node) = self.node_mut(node) {
            // The mark of a message that was cut off is removed, because the text of the message
            // continues.
            node.message.cut = None;
        }
        let part = TextPart {
            open: true,
            span: reasoning.then_some(Span {
                started_at: out.now,
                ended_at: None,
            }),
            extra,
            ..TextPart::default()
        };
        let part = match reasoning {
            true => Part::Reasoning(part),
            false => Part::Text(part),
        };
        let part = self.push_part(node, part);
        self.blocks.insert(block, PartRef { node, part });
    }

    pub(super) fn apply_block_delta(
        &mut self,
        block: u64,
        delta: &str,
        extra: Object,
        out: &mut ApplyContext<'_>,
    ) {
        let Some(part_ref) = self.unshare_block(block) else {
            return out.warn(
                "unknown-block",
                "more of a text that is not there".to_owned(),
            );
        };
        #[cfg(feature = "callouts")]
        if self.should_read_callouts(part_ref.node) && self.is_last_text(part_ref) {
            self.edit_block(part_ref, |text| merge_extra(&mut text.extra, extra));
            self.read_callouts(part_ref.node, delta, out);
            return self.move_block_to_last_part(block, part_ref);
        }
        self.edit_block(part_ref, |text| {
            text.open = true;
            text.text.push_str(delta);
            merge_extra(&mut text.extra, extra);
        });
    }

    #[cfg_attr(
        not(feature = "callouts"),
        allow(
            clippy::needless_pass_by_ref_mut,
            reason = "reading callouts adds diagnostics"
        )
    )]
    pub(super) fn end_block(&mut self, block: u64, extra: Object, out: &mut ApplyContext<'_>) {
        let Some(part_ref) = self.unshare_block(block) else {
            return;
        };
        self.blocks.remove(&block);
        #[cfg(feature = "callouts")]
        self.pause_callouts(part_ref.node, out);
        let now = out.now;
        self.edit_block(part_ref, |text| {
            text.open = false;
            if let Some(span) = &mut text.span {
                span.ended_at = Some(now);
            }
            merge_extra(&mut text.extra, extra);
        });
    }

    /// Returns a reference to the part of an open text block. If another branch shares the message
    /// of the part, the message is copied first. Returns `None` for an unknown block.
    fn unshare_block(&mut self, block: u64) -> Option<PartRef> {
        let mut part_ref = self.blocks.get(&block).copied()?;
        let node = self.unshare(part_ref.node);
        if node != part_ref.node {
            part_ref.node = node;
            self.blocks.insert(block, part_ref);
        }
        Some(part_ref)
    }

    fn edit_block(&mut self, part_ref: PartRef, edit: impl FnOnce(&mut TextPart)) {
        let Some(node) = self.node_mut(part_ref.node) else {
            return;
        };
        let message = node.message.id.clone();
        if let Some(Part::Text(text) | Part::Reasoning(text)) =
            node.message.parts.get_mut(part_ref.part)
        {
            edit(text);
            let part = part_ref.part;
            self.log.push(Change::PartGrew { message, part });
        }
    }

    #[cfg(feature = "callouts")]
    fn is_last_text(&self, part_ref: PartRef) -> bool {
        let parts = self.node(part_ref.node).map(|node| &node.message.parts);
        parts.is_some_and(|parts| {
            part_ref.part + 1 == parts.len() && matches!(parts.last(), Some(Part::Text(_)))
        })
    }

    /// Makes the last part of the message the part of a text block, after a callout has split the
    /// text.
    #[cfg(feature = "callouts")]
    fn move_block_to_last_part(&mut self, block: u64, part_ref: PartRef) {
        let parts = self.node(part_ref.node).map(|node| &node.message.parts);
        let last = parts.and_then(|parts| parts.len().checked_sub(1));
        let part = last.unwrap_or(part_ref.part);
        self.blocks.insert(block, PartRef { part, ..part_ref });
    }
}

/// Merges the fields of `from` into `into`. A `null` value removes the field.
pub(super) fn merge_extra(into: &mut Object, from: Object) {
    for (key, value) in from {
        if value.is_null() {
            into.shift_remove(&key);
        } else {
            into.insert(key, value);
        }
    }
}
