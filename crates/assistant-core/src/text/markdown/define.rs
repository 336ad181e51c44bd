//! Definitions of links and footnotes, and the blocks that wait for them.
//!
//! The first definition of a label counts. Blocks are numbered by `stream`; nothing is read here.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    ops::Range,
};

use unicase::UniCase;

use super::pace::Pace;

/// Where links lead and which footnotes there are.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    links: HashMap<String, (String, String)>,
    notes: HashMap<String, String>,
}

/// What labels that are the same have in common. A text, so that the maps here are of the same kind as
/// those elsewhere.
fn key(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}

impl Definitions {
    /// Takes a link's address and title. False if the label was defined before.
    pub(super) fn define_link(&mut self, label: &str, href: &str, title: &str) -> bool {
        let Entry::Vacant(entry) = self.links.entry(key(label)) else {
            return false;
        };
        entry.insert((href.to_owned(), title.to_owned()));
        true
    }

    /// Takes a footnote. False if the label was defined before.
    pub(super) fn define_note(&mut self, label: &str) -> bool {
        let Entry::Vacant(entry) = self.notes.entry(key(label)) else {
            return false;
        };
        entry.insert(label.to_owned());
        true
    }

    /// Address and title of a link.
    pub(super) fn link(&self, label: &str) -> Option<(&str, &str)> {
        let (href, title) = self.links.get(&key(label))?;
        Some((href, title))
    }

    /// A footnote's label as its definition writes it.
    pub(super) fn note(&self, label: &str) -> Option<&str> {
        self.notes.get(&key(label)).map(String::as_str)
    }
}

/// A finished stretch of the text, and the blocks that it became.
#[derive(Debug)]
struct Stretch {
    source: Range<usize>,
    index: usize,
    count: usize,
    /// A definition that it waited for has come.
    stale: bool,
}

/// The finished stretches with references that were not defined when they were read.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    stretches: Vec<Stretch>,
    labels: HashMap<String, Vec<usize>>,
    stale: VecDeque<usize>,
}

impl Waiting {
    /// Notes a stretch if it misses labels.
    pub(super) fn add(
        &mut self,
        source: Range<usize>,
        index: usize,
        count: usize,
        missing: &[String],
    ) {
        if missing.is_empty() {
            return;
        }
        self.miss(self.stretches.len(), missing);
        self.stretches.push(Stretch {
            source,
            index,
            count,
            stale: false,
        });
    }

    /// Notes what a stretch misses.
    pub(super) fn miss(&mut self, at: usize, missing: &[String]) {
        for label in missing {
            let waiting = self.labels.entry(key(label)).or_default();
            if let Err(place) = waiting.binary_search(&at) {
                waiting.insert(place, at);
            }
        }
    }

    /// A label is defined now; footnotes wait with a `^` before it.
    pub(super) fn defined(&mut self, label: &str) {
        for at in self.labels.remove(&key(label)).unwrap_or_default() {
            if let Some(stretch) = self.stretches.get_mut(at).filter(|stretch| !stretch.stale) {
                stretch.stale = true;
                self.stale.push_back(at);
            }
        }
    }

    /// The stretches to read again now: which, where, and the index and number of their blocks.
    /// While more may come, `pace` limits them: many definitions that come one by one would
    /// otherwise cost the whole text each.
    pub(super) fn due(
        &mut self,
        pace: &mut Pace,
        open: bool,
    ) -> Vec<(usize, Range<usize>, usize, usize)> {
        let mut due = Vec::new();
        while let Some(&at) = self.stale.front() {
            if let Some(stretch) = self.stretches.get_mut(at) {
                if open && !pace.spend(stretch.source.len()) {
                    break;
                }
                stretch.stale = false;
                due.push((at, stretch.source.clone(), stretch.index, stretch.count));
            }
            self.stale.pop_front();
        }
        due
    }
}
