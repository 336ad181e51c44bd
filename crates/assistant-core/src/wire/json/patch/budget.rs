//! How much one patch may do.
//!
//! What a patch brings along (`add`, `replace`, `test`) is in proportion to its bytes and not
//! limited. `copy` and `move` are: an operation of fifty bytes can copy or shift the whole document,
//! and forty copies in a row double it forty times.

use serde_json::Value;

use super::{
    Outcome, PatchErrorKind,
    value::{NODE, weigh},
};
use crate::wire::json::pointer::Pointer;

/// How many containers may stand in each other: as many as `serde_json` reads.
const DEPTH: usize = 127;
/// How much one patch may copy, in bytes of memory.
const COPIED: usize = 8 << 20;
/// How large copies may make a document, in bytes of memory. What came whole may be larger.
const DOCUMENT: usize = 32 << 20;
/// A copy of no more memory is like an `add`: it takes what the operation itself takes.
const SMALL: usize = 512;
/// How many values one patch may shift within their containers or move deeper.
const SHIFTED: usize = 32 << 20;

/// What is left for a patch.
#[derive(Debug)]
pub(super) struct Budget {
    copied: usize,
    shifted: usize,
    /// How much the document may grow, once a copy had to know.
    room: Option<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            copied: COPIED,
            shifted: SHIFTED,
            room: None,
        }
    }
}

impl Budget {
    /// Returns a budget that never ends, for what a patch has done already.
    pub(super) const fn unlimited() -> Self {
        Self {
            copied: usize::MAX,
            shifted: usize::MAX,
            room: None,
        }
    }

    /// Checks a value that the patch brings to `path`.
    pub(super) fn add(&mut self, path: &Pointer, value: &Value) -> Outcome {
        let weight = weight(path, value, usize::MAX)?;
        if let Some(room) = &mut self.room {
            *room = room.saturating_sub(weight);
        }
        Ok(())
    }

    /// Checks a value of the document `root` that is copied to `path`.
    ///
    /// The document is measured at most once in a patch, and not at all for small copies. Removed
    /// values still count: they are kept until the patch has succeeded.
    pub(super) fn copy(&mut self, root: &Value, path: &Pointer, value: &Value) -> Outcome {
        let weight = weight(path, value, self.copied)?;
        self.copied -= weight;
        let room = match self.room {
            None if weight <= SMALL => return Ok(()),
            None => {
                let mut room = DOCUMENT;
                weigh(root, usize::MAX, &mut room)?;
                room
            }
            Some(room) => room,
        };
        let room = room.checked_sub(weight);
        self.room = Some(room.ok_or(PatchErrorKind::OverBudget)?);
        Ok(())
    }

    /// Checks a value that moves down to `path`.
    pub(super) fn lower(&mut self, path: &Pointer, value: &Value) -> Outcome {
        let most = self.shifted.saturating_mul(NODE);
        let weight = weight(path, value, most)?;
        self.shift(weight / NODE)
    }

    /// Charges for `count` values that make place or close a gap.
    pub(super) fn shift(&mut self, count: usize) -> Outcome {
        let left = self.shifted.checked_sub(count);
        self.shifted = left.ok_or(PatchErrorKind::OverBudget)?;
        Ok(())
    }
}

/// The memory that `value` takes, no more than `most`; fails if it would nest too deep at `path`.
fn weight(path: &Pointer, value: &Value, most: usize) -> Outcome<usize> {
    let depth = DEPTH.checked_sub(path.tokens().len());
    let mut left = most;
    weigh(value, depth.ok_or(PatchErrorKind::TooDeep)?, &mut left)?;
    Ok(most - left)
}
