//! Options of the callout parser.

/// Limits of the callout parser. Callouts beyond them remain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalloutOptions {
    /// The maximum size of one callout in bytes; 256 KiB by default.
    pub max_block: usize,
    /// The maximum nesting of lists and mappings in a body, including the body itself; 64 by
    /// default, never more than 100.
    pub max_depth: usize,
    /// True to parse code fences whose first word is `tool` as callouts, too; off by default.
    pub fences: bool,
}

impl CalloutOptions {
    /// The upper limit of [`CalloutOptions::max_depth`]: values are later walked by recursion.
    pub(super) const DEPTH_LIMIT: usize = 100;

    /// Parses code fences as callouts, too.
    #[must_use]
    pub const fn with_fences(mut self) -> Self {
        self.fences = true;
        self
    }
}

impl Default for CalloutOptions {
    fn default() -> Self {
        Self {
            max_block: 256 * 1024,
            max_depth: 64,
            fences: false,
        }
    }
}
