//! Stores the state of parsing callouts in streaming texts.
//!
//! `apply/callout` reads the callouts.

use std::collections::HashMap;

use super::{CallKey, MarkdownTools};
use crate::text::callout::Parser;

/// The kinds of callouts that are parsed in a conversation, and the parsers of its texts.
#[derive(Debug, Clone, Default)]
pub(super) struct CalloutReaders {
    pub(super) tools: MarkdownTools,
    /// True if code fences are also callouts.
    pub(super) fences: bool,
    /// The parsers of texts that were streamed on this page, by node. The parser of a complete text
    /// is kept, because the text may be continued.
    pub(super) readers: HashMap<usize, CalloutReader>,
}

/// The parser of a streaming text, with the calls that were created for its callouts.
#[derive(Debug, Clone)]
pub(super) struct CalloutReader {
    pub(super) parser: Parser,
    /// The text received so far. The text is moved to the message once it contains a callout.
    pub(super) written: String,
    /// The number of the last announced callout, and the index of the part that shows the callout,
    /// if any.
    pub(super) announced: Option<(u32, Option<usize>)>,
    /// The calls that show callouts of this text, by the id in the text.
    pub(super) by_id: HashMap<String, CallKey>,
    /// True while the parser may hold back text that it has not returned yet.
    pub(super) running: bool,
}

impl CalloutReader {
    pub(super) fn has_announced(&self, ordinal: u32) -> bool {
        self.announced
            .is_some_and(|(announced, _)| announced == ordinal)
    }
}
