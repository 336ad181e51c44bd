//! Computes the layout of the tree as a drawing: the position of each row of the outline, and the
//! part of the drawing that is in view.
//!
//! The line of a message is its depth, counted from top to bottom. A message without children has a
//! separate column, and a message with children is centred above its children. The messages of each
//! line are sorted by column, so that the messages in view are found by binary search. The
//! functions of this module are not recursive. The module `outline` creates the rows that are
//! drawn.

use std::ops::Range;

use super::OutlineRow;

/// The positions of an outline's rows when they are drawn as a tree.
///
/// ```
/// use std::collections::HashSet;
/// use assistant_core::conversation::{Conversation, Drawing};
/// use serde_json::json;
///
/// let conversation = Conversation::import(json!([
///     {"id": "q", "role": "user", "content": "Hi", "children": [
///         {"id": "a1", "role": "assistant", "content": "Hello"},
///         {"id": "a2", "role": "assistant", "content": "Welcome"},
///     ]},
/// ]))?;
/// let drawing = Drawing::of(&conversation.outline(&HashSet::new()));
/// assert_eq!((drawing.columns(), drawing.lines()), (2, 2));
/// // The question is centred above its two answers.
/// assert_eq!(drawing.spot(0).map(|spot| spot.column()), Some(0.5));
/// # Ok::<(), assistant_core::conversation::FormatError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawing {
    spots: Vec<Spot>,
    /// The indices of the rows in each line, in the order of their columns.
    lines: Vec<Vec<usize>>,
    columns: usize,
}

/// The position of a row in a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Spot {
    pub(crate) column: f64,
    pub(crate) line: usize,
    pub(crate) parent: Option<usize>,
}

impl Spot {
    /// Returns the column, counted from 0. The column of a row that is centred above several rows
    /// may be a fraction.
    #[must_use]
    pub const fn column(&self) -> f64 {
        self.column
    }

    /// Returns the line, counted from 0.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Returns the index of the parent's row, or `None` for a root.
    #[must_use]
    pub const fn parent(&self) -> Option<usize> {
        self.parent
    }
}

/// The part of a drawing that is in view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VisiblePart {
    pub(crate) rows: Vec<usize>,
    pub(crate) connectors: Vec<usize>,
}

impl VisiblePart {
    /// Returns the indices of the rows in view.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Returns the indices of the rows whose connector to the parent's row may cross the view. A
    /// connector that coincides with another connector is omitted.
    #[must_use]
    pub fn connectors(&self) -> &[usize] {
        &self.connectors
    }
}

impl Drawing {
    /// Computes the positions of all rows.
    #[must_use]
    pub fn of(rows: &[OutlineRow]) -> Self {
        let mut spots: Vec<Spot> = Vec::with_capacity(rows.len());
        let mut lines: Vec<Vec<usize>> = Vec::new();
        let mut has_children = vec![false; rows.len()];
        for (index, row) in rows.iter().enumerate() {
            // The row of a message with several versions contains the index of its parent's row.
            // Every other row directly follows its parent's row.
            let parent = match row.version.1 > 1 {
                true => row.above,
                false => index.checked_sub(1),
            };
            let parent_spot = parent.and_then(|parent| spots.get(parent));
            let line = parent_spot.map_or(0, |parent_spot| parent_spot.line + 1);
            if let Some(has_children) = parent.and_then(|parent| has_children.get_mut(parent)) {
                *has_children = true;
            }
            if lines.len() <= line {
                lines.resize_with(line + 1, Vec::new);
            }
            if let Some(rows) = lines.get_mut(line) {
                rows.push(index);
            }
            spots.push(Spot {
                column: 0.0,
                line,
                parent,
            });
        }
        let mut columns = 0;
        for (spot, has_children) in spots.iter_mut().zip(&has_children) {
            if !has_children {
                spot.column = to_f64(columns);
                columns += 1;
            }
        }
        // The rows are visited in reverse order, so that the columns of the children are known
        // before the column of their parent is computed.
        let mut child_columns: Vec<Option<(f64, f64)>> = vec![None; spots.len()];
        for index in (0..spots.len()).rev() {
            let Some(spot) = spots.get_mut(index) else {
                continue;
            };
            if let Some((first, last)) = child_columns.get(index).copied().flatten() {
                spot.column = f64::midpoint(first, last);
            }
            let column = spot.column;
            if let Some(range) = spot.parent.and_then(|parent| child_columns.get_mut(parent)) {
                *range = Some((column, range.map_or(column, |(_, last)| last)));
            }
        }
        Self {
            spots,
            lines,
            columns,
        }
    }

    /// Returns the number of columns in the drawing.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of lines in the drawing.
    #[must_use]
    pub const fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Returns the position of a row, or `None` if the index is out of range.
    #[must_use]
    pub fn spot(&self, row: usize) -> Option<Spot> {
        self.spots.get(row).copied()
    }

    /// Returns the rows and connectors within these columns and lines. Stops before a line that
    /// would increase the number of rows to more than `most`.
    #[must_use]
    pub fn visible_part(
        &self,
        columns: &Range<f64>,
        lines: &Range<usize>,
        most: usize,
    ) -> VisiblePart {
        let mut part = VisiblePart::default();
        // The first line below the view is included, because its connectors begin in the view.
        let end_line = (lines.end + 1).min(self.lines.len());
        for line in lines.start..end_line {
            let Some(rows) = self.lines.get(line) else {
                break;
            };
            let column_of = |row: &usize| self.spots.get(*row).map_or(0.0, |spot| spot.column);
            let first = rows.partition_point(|row| column_of(row) + 1.0 <= columns.start);
            let end = rows.partition_point(|row| column_of(row) < columns.end);
            if part.rows.len() + (end - first.min(end)) > most {
                break;
            }
            if line < lines.end {
                let visible_rows = rows.get(first..end).unwrap_or_default();
                part.rows.extend(visible_rows);
            }
            // Only the nearest row outside of the view on each side is included, because the
            // connectors of rows that are farther away coincide with the connectors of the nearest
            // rows.
            let connected_rows = rows.get(first.saturating_sub(1)..(end + 1).min(rows.len()));
            let has_parent =
                |row: &&usize| self.spots.get(**row).is_some_and(|s| s.parent.is_some());
            let connected_rows = connected_rows.unwrap_or_default().iter().filter(has_parent);
            part.connectors.extend(connected_rows);
        }
        part
    }
}

#[allow(clippy::cast_precision_loss, reason = "a place in a drawing")]
fn to_f64(count: usize) -> f64 {
    count as f64
}
