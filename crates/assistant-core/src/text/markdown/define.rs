//! Definitions of links and footnotes, and the blocks that wait for them.
//!
//! The first definition of a label counts. Blocks are numbered by `stream`; nothing is read here.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use unicase::UniCase;

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
    /// How long the text was when it was read.
    read: usize,
}

/// The finished stretches with references that were not defined when they were read.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    stretches: Vec<Stretch>,
    labels: HashMap<String, Vec<usize>>,
    stale: Vec<usize>,
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
            read: source.end,
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
                self.stale.push(at);
            }
        }
    }

    /// The stretches to read again now that the text has `len` bytes: which, where, and the index
    /// and number of their blocks. While more may come, a long stretch is read again only after
    /// the text has grown by a part of it: many definitions that come one by one would otherwise
    /// cost its length each.
    pub(super) fn due(
        &mut self,
        len: usize,
        open: bool,
    ) -> Vec<(usize, Range<usize>, usize, usize)> {
        let mut due = Vec::new();
        for at in std::mem::take(&mut self.stale) {
            let Some(stretch) = self.stretches.get_mut(at) else {
                continue;
            };
            if open && len - stretch.read < stretch.source.len() / 8 {
                self.stale.push(at);
                continue;
            }
            stretch.stale = false;
            stretch.read = len;
            due.push((at, stretch.source.clone(), stretch.index, stretch.count));
        }
        due
    }
}
