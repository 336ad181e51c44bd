//! Limits the work of one patch and the size of the resulting document.
//!
//! Values within a patch (`add`, `replace`, `test`) are limited only in depth, since they are
//! proportional to the size of the patch. Copied, moved and shifted values are limited, since an
//! operation of fifty bytes can copy or shift the whole document, and forty copies in a row can
//! double it forty times.

use serde_json::Value;

use super::{
    PatchErrorKind, PatchResult,
    value::{NODE_SIZE, subtract_size},
};
use crate::json::pointer::Pointer;

/// The maximum depth of nested containers, equal to the limit of `serde_json`.
const MAX_DEPTH: usize = 127;
/// The maximum memory that one patch may copy, in bytes.
const MAX_COPIED: usize = 8 << 20;
/// The maximum size of a document after copies, in bytes of memory. A received document may be
/// larger.
const MAX_DOCUMENT: usize = 32 << 20;
/// The maximum size of a copied value, in bytes, for which the document is not measured, since the
/// copy needs no more memory than the operation itself.
const MAX_FREE_COPY: usize = 512;
/// The maximum number of values that one patch may shift within containers or move deeper.
const MAX_SHIFTED: usize = 32 << 20;

/// The limits of a patch on a document whose size is tracked ([`super::apply_within`]).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatchBounds {
    /// The maximum size of the document, in bytes of approximate memory.
    pub(crate) document: usize,
    /// The maximum memory that the patch may copy, in bytes.
    pub(crate) copied: usize,
    /// The maximum number of values that the patch may shift or move deeper.
    pub(crate) shifted: usize,
}

/// The remaining budget of a patch.
#[derive(Debug)]
pub(super) struct PatchBudget {
    copied: usize,
    shifted: usize,
    /// The number of bytes by which the document may still grow; `None` until the first large copy
    /// measures the document.
    room: Option<usize>,
    /// The size of the document, in bytes, if the size is tracked.
    size: Option<usize>,
}

impl Default for PatchBudget {
    fn default() -> Self {
        Self {
            copied: MAX_COPIED,
            shifted: MAX_SHIFTED,
            room: None,
            size: None,
        }
    }
}

impl PatchBudget {
    /// Returns an unlimited budget, for reverting changes.
    pub(super) const fn unlimited() -> Self {
        Self {
            copied: usize::MAX,
            shifted: usize::MAX,
            room: None,
            size: None,
        }
    }

    /// Returns the budget of a patch on a document whose size is tracked and is initially `size`.
    pub(super) const fn with_tracked_size(size: usize, bounds: PatchBounds) -> Self {
        Self {
            copied: bounds.copied,
            shifted: bounds.shifted,
            room: None,
            size: Some(size),
        }
    }

    /// Returns the size of the document, in bytes, if the size is tracked.
    pub(super) const fn size(&self) -> Option<usize> {
        self.size
    }

    /// Returns true if the size of the document is tracked.
    pub(super) const fn is_size_tracked(&self) -> bool {
        self.size.is_some()
    }

    /// Records that the document grew by `grown` bytes and shrank by `shrunk` bytes.
    pub(super) fn record_size_change(&mut self, grown: usize, shrunk: usize) {
        if let Some(size) = &mut self.size {
            *size = size.saturating_add(grown).saturating_sub(shrunk);
        }
    }

    /// Charges for a value that the patch adds at `path`. Fails if the value would nest too deeply.
    pub(super) fn charge_addition(&mut self, path: &Pointer, value: &Value) -> PatchResult {
        let weight = measure_weight(path, value, usize::MAX)?;
        if let Some(room) = &mut self.room {
            *room = room.saturating_sub(weight);
        }
        Ok(())
    }

    /// Charges for a value from the document `root` that is copied to `path`. Fails if the budget
    /// does not suffice, or if the value would nest too deeply.
    ///
    /// The document is measured at most once in a patch, and not at all for small copies. Removed
    /// values still count, since they are kept until the patch has succeeded.
    pub(super) fn charge_copy(
        &mut self,
        root: &Value,
        path: &Pointer,
        value: &Value,
    ) -> PatchResult {
        let weight = measure_weight(path, value, self.copied)?;
        self.copied -= weight;
        let remaining_room = match self.room {
            _ if self.is_size_tracked() => return Ok(()),
            None if weight <= MAX_FREE_COPY => return Ok(()),
            None => {
                let mut remaining_room = MAX_DOCUMENT;
                subtract_size(root, usize::MAX, &mut remaining_room)?;
                remaining_room
            }
            Some(remaining_room) => remaining_room,
        };
        let remaining_room = remaining_room.checked_sub(weight);
        self.room = Some(remaining_room.ok_or(PatchErrorKind::OverBudget)?);
        Ok(())
    }

    /// Charges for a value that is moved to the deeper location `path`. Fails if the budget does
    /// not suffice, or if the value would nest too deeply.
    pub(super) fn charge_move(&mut self, path: &Pointer, value: &Value) -> PatchResult {
        let max_weight = self.shifted.saturating_mul(NODE_SIZE);
        let weight = measure_weight(path, value, max_weight)?;
        self.charge_shift(weight / NODE_SIZE)
    }

    /// Charges for `count` values that are shifted. Fails if the budget does not suffice.
    pub(super) fn charge_shift(&mut self, count: usize) -> PatchResult {
        let remaining = self.shifted.checked_sub(count);
        self.shifted = remaining.ok_or(PatchErrorKind::OverBudget)?;
        Ok(())
    }
}

/// Returns the approximate memory of `value`, in bytes. Fails if the memory exceeds `max_weight`,
/// or if the value would nest too deeply at `path`.
fn measure_weight(path: &Pointer, value: &Value, max_weight: usize) -> PatchResult<usize> {
    let depth = MAX_DEPTH.checked_sub(path.tokens().len());
    let mut remaining = max_weight;
    subtract_size(value, depth.ok_or(PatchErrorKind::TooDeep)?, &mut remaining)?;
    Ok(max_weight - remaining)
}
