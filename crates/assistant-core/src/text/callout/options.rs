//! Defines the options of the callout parser.

/// Options of the callout parser. Callouts that exceed a limit remain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalloutOptions {
    pub(crate) max_block: usize,
    pub(crate) max_depth: usize,
    pub(crate) fences: bool,
}

impl CalloutOptions {
    /// The upper limit for the nesting, which is needed since values are later traversed by
    /// recursion.
    pub(super) const DEPTH_LIMIT: usize = 100;

    /// Sets the maximum size of one callout in bytes. The default is 256 KiB.
    #[must_use]
    pub const fn with_max_block(mut self, bytes: usize) -> Self {
        self.max_block = bytes;
        self
    }

    /// Sets the maximum nesting of lists and mappings in a body, including the body itself. The
    /// default is 64. The nesting is never more than 100.
    #[must_use]
    pub const fn with_max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Also parses code fences whose first word is `tool` as callouts. By default, such fences are
    /// text.
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
