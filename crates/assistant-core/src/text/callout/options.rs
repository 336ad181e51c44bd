//! What a reader of callouts accepts.

/// The limits of a reader of callouts. Anything beyond them stays text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalloutOptions {
    /// How many bytes the source of one callout may have; 256 KiB unless told otherwise.
    pub max_block: usize,
    /// How deep lists and mappings may nest in its body, the body included; 64 unless told
    /// otherwise, and never more than 100.
    pub max_depth: usize,
    /// Whether code fences whose first word is `tool` are callouts too; off unless told otherwise.
    pub fences: bool,
}

impl CalloutOptions {
    /// The deepest that [`CalloutOptions::max_depth`] goes: values are walked by recursion later on.
    pub(super) const DEEPEST: usize = 100;

    /// With code fences read as callouts too.
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
