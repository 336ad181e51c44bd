//! Stores the definitions of links and footnotes, and the ranges of text with undefined references.
//!
//! The first definition of a label applies. `outline` finds the definitions, and `stream` numbers
//! the blocks.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    ops::Range,
};

use unicase::UniCase;

use super::pace::ParseBudget;

/// The link targets and footnotes that a text defines.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    links: HashMap<String, (String, String)>,
    notes: HashMap<String, String>,
}

/// Returns the case-folded label as a `String`, since maps with the same key type share compiled
/// code.
fn fold_label(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}

impl Definitions {
    /// Returns true if nothing is defined.
    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.notes.is_empty()
    }

    /// Adds the definition of a link with its URL and title. Returns false if the label is already
    /// defined.
    pub(super) fn define_link(&mut self, label: &str, href: &str, title: &str) -> bool {
        let Entry::Vacant(entry) = self.links.entry(fold_label(label)) else {
            return false;
        };
        entry.insert((href.to_owned(), title.to_owned()));
        true
    }

    /// Adds the definition of a footnote. Returns false if the label is already defined.
    pub(super) fn define_footnote(&mut self, label: &str) -> bool {
        let Entry::Vacant(entry) = self.notes.entry(fold_label(label)) else {
            return false;
        };
        entry.insert(label.to_owned());
        true
    }

    /// Returns the URL and the title for the label of a link. Returns `None` if the label is not
    /// defined.
    pub(super) fn link(&self, label: &str) -> Option<(&str, &str)> {
        let (href, title) = self.links.get(&fold_label(label))?;
        Some((href, title))
    }

    /// Returns a footnote's label as written in its definition. Returns `None` if the label is not
    /// defined.
    pub(super) fn footnote_label(&self, label: &str) -> Option<&str> {
        self.notes.get(&fold_label(label)).map(String::as_str)
    }
}

/// A finished range of the text with undefined references, and the blocks parsed from it.
#[derive(Debug)]
struct WaitingRange {
    source: Range<usize>,
    index: usize,
    count: usize,
    /// True if a definition that the range lacks has been parsed since the range was recorded.
    stale: bool,
}

/// The finished ranges of the text that contain undefined references.
#[derive(Debug, Default)]
pub(super) struct UnresolvedRanges {
    ranges: Vec<WaitingRange>,
    labels: HashMap<String, Vec<usize>>,
    stale: VecDeque<usize>,
}

impl UnresolvedRanges {
    /// Records a range if it contains undefined labels.
    pub(super) fn add_range(
        &mut self,
        source: Range<usize>,
        index: usize,
        count: usize,
        missing: &[String],
    ) {
        if missing.is_empty() {
            return;
        }
        self.add_missing_labels(self.ranges.len(), missing);
        self.ranges.push(WaitingRange {
            source,
            index,
            count,
            stale: false,
        });
    }

    /// Records the undefined labels of a range.
    pub(super) fn add_missing_labels(&mut self, at: usize, missing: &[String]) {
        for label in missing {
            let waiting_ranges = self.labels.entry(fold_label(label)).or_default();
            if let Err(index) = waiting_ranges.binary_search(&at) {
                waiting_ranges.insert(index, at);
            }
        }
    }

    /// Marks the ranges that use a newly defined label. Labels of footnotes have the prefix `^`.
    pub(super) fn mark_ranges_stale(&mut self, label: &str) {
        for at in self.labels.remove(&fold_label(label)).unwrap_or_default() {
            if let Some(range) = self.ranges.get_mut(at).filter(|range| !range.stale) {
                range.stale = true;
                self.stale.push_back(at);
            }
        }
    }

    /// Removes and returns the ranges to parse again, each as its id, its range, the index of its
    /// first block, and the number of its blocks. While more text may follow (`open`), the budget
    /// `pace` limits the length of the ranges, since each of many definitions could otherwise cause
    /// the whole text to be parsed again.
    pub(super) fn take_stale_ranges(
        &mut self,
        pace: &mut ParseBudget,
        open: bool,
    ) -> Vec<(usize, Range<usize>, usize, usize)> {
        let mut due_ranges = Vec::new();
        while let Some(&at) = self.stale.front() {
            if let Some(range) = self.ranges.get_mut(at) {
                if open && !pace.try_spend(range.source.len()) {
                    break;
                }
                range.stale = false;
                due_ranges.push((at, range.source.clone(), range.index, range.count));
            }
            self.stale.pop_front();
        }
        due_ranges
    }
}
