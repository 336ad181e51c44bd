//! The progress of reading callouts out of texts that are being written.
//!
//! Neighbour: `apply/callout`, which reads them.

use std::collections::HashMap;

use super::{CallKey, MarkdownTools};
use crate::text::callout::Parser;

/// The callouts that a conversation reads out of texts, and its progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    pub(super) tools: MarkdownTools,
    /// True if code fences are callouts, too.
    pub(super) fences: bool,
    /// Texts that were written here, by their node: one that was complete may be opened again.
    pub(super) readers: HashMap<usize, Reader>,
}

/// A text that is being written.
#[derive(Debug, Clone)]
pub(super) struct Reader {
    pub(super) parser: Parser,
    /// The text so far, until the message keeps it.
    pub(super) written: String,
    /// The callout that was announced last, and the part that shows it.
    pub(super) announced: Option<(u32, Option<usize>)>,
    /// The calls that show callouts of this text, by the id that was written.
    pub(super) by_id: HashMap<String, CallKey>,
    /// Set while the parser may hold text back.
    pub(super) running: bool,
}

impl Reader {
    pub(super) fn has_announced(&self, ordinal: u32) -> bool {
        self.announced
            .is_some_and(|(announced, _)| announced == ordinal)
    }
}
