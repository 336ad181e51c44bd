//! Classifies the changes of one input, once for all readers.

use assistant_core::conversation::Change;

/// The changes of one input, with their classification.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    list: Vec<Change>,
    /// True if another conversation has been opened.
    pub(super) thread: bool,
    /// True if a run has begun, ended or advanced a step.
    pub(super) run: bool,
    /// True if registrations have changed.
    pub(super) registry: bool,
    /// True if every change is appended text.
    pub(super) only_growth: bool,
    /// True if every change may result from a streamed answer, that is, if only parts, messages,
    /// calls or the path have changed.
    pub(super) only_speech: bool,
}

impl Changes {
    pub(super) fn new(list: Vec<Change>) -> Self {
        let mut changes = Self {
            only_growth: true,
            only_speech: true,
            ..Self::default()
        };
        for change in &list {
            changes.classify(change);
        }
        changes.list = list;
        changes
    }

    fn classify(&mut self, change: &Change) {
        match change {
            Change::PartGrew { .. } => return,
            Change::PartAdded { .. }
            | Change::MessageAdded(_)
            | Change::Message(_)
            | Change::Path
            | Change::Call(_) => {}
            other => {
                self.only_speech = false;
                self.thread |= *other == Change::Thread;
                self.run |= *other == Change::Run;
                self.registry |= *other == Change::Registry;
            }
        }
        self.only_growth = false;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the changes, in order.
    pub(super) fn list(&self) -> &[Change] {
        &self.list
    }

    pub(super) fn into_list(self) -> Vec<Change> {
        self.list
    }
}
