//! The renderers of parts: which part goes to which.

use std::cell::RefCell;

use assistant_core::{action::RegistrationId, conversation::CallKey};
use leptos::prelude::*;

use super::Renderer;

/// The kind of a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// Text.
    Text,
    /// What the model thought.
    Reasoning,
    /// A tool call.
    Call(CallKey),
    /// A file.
    File,
    /// Structured data, by the name of its type.
    Data(String),
    /// Something that is not known here.
    Unknown,
}

/// The parts that a renderer draws. A text is the name of a type of data or activity.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartTarget {
    /// Text.
    Text,
    /// What the model thought.
    Reasoning,
    /// Files.
    File,
    /// Data and activities of one type.
    Data(String),
    /// Data and activities of a type without a renderer of its own.
    AnyData,
    /// Parts that are not known here.
    Unknown,
}

impl From<&str> for PartTarget {
    fn from(data_type: &str) -> Self {
        Self::Data(data_type.to_owned())
    }
}

impl From<String> for PartTarget {
    fn from(data_type: String) -> Self {
        Self::Data(data_type)
    }
}

impl PartTarget {
    /// How well it fits a kind: not at all, as one of many, or exactly.
    fn fits(&self, kind: &PartKind) -> u8 {
        match (self, kind) {
            (Self::Text, PartKind::Text)
            | (Self::Reasoning, PartKind::Reasoning)
            | (Self::File, PartKind::File)
            | (Self::Unknown, PartKind::Unknown) => 2,
            (Self::Data(wanted), PartKind::Data(found)) if wanted == found => 2,
            (Self::AnyData, PartKind::Data(_)) => 1,
            _ => 0,
        }
    }
}

type Entry<P> = (RegistrationId, PartTarget, Renderer<P>);

/// The renderers of one assistant; they are given a `P`.
pub(crate) struct PartTable<P> {
    entries: RefCell<Vec<Entry<P>>>,
    changed: ArcRwSignal<u32>,
}

impl<P> Default for PartTable<P> {
    fn default() -> Self {
        Self {
            entries: RefCell::default(),
            changed: ArcRwSignal::default(),
        }
    }
}

impl<P> PartTable<P> {
    /// The renderer in force for a kind of part: the newest of those that fit best. Who asks
    /// inside a reactive closure is told of changes.
    pub(crate) fn find(&self, kind: &PartKind) -> Option<(RegistrationId, Renderer<P>)> {
        self.changed.track();
        let entries = self.entries.borrow();
        let fitting = entries.iter().map(|entry| (entry.1.fits(kind), entry));
        let best = fitting
            .filter(|(fits, _)| *fits > 0)
            .max_by_key(|(fits, _)| *fits)?;
        Some((best.1.0, best.1.2.clone()))
    }

    pub(crate) fn add(&self, id: RegistrationId, target: PartTarget, renderer: Renderer<P>) {
        // Of those that fit as well, the last of the greatest is taken: the newest.
        self.entries.borrow_mut().push((id, target, renderer));
        self.tell();
    }

    pub(crate) fn remove(&self, id: RegistrationId) {
        let gone: Vec<Entry<P>> = {
            let mut entries = self.entries.borrow_mut();
            entries.extract_if(.., |entry| entry.0 == id).collect()
        };
        drop(gone);
        self.tell();
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.entries.borrow_mut());
        drop(gone);
    }

    fn tell(&self) {
        self.changed.update(|count| *count = count.wrapping_add(1));
    }
}
