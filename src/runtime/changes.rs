//! The changes of one input, read once for all that they matter to.

use assistant_core::conversation::Change;

/// The changes of one input and what they are about.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    list: Vec<Change>,
    /// True if another conversation has been opened.
    pub(super) thread: bool,
    /// True if a run has begun, ended or gone another step.
    pub(super) run: bool,
    /// True if what is registered has changed.
    pub(super) registry: bool,
    /// True if nothing changed but texts that have grown.
    pub(super) only_growth: bool,
    /// True if nothing changed but what an agent says, or does while it speaks.
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
            changes.note(change);
        }
        changes.list = list;
        changes
    }

    fn note(&mut self, change: &Change) {
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

    /// The changes, in order.
    pub(super) fn list(&self) -> &[Change] {
        &self.list
    }

    pub(super) fn into_list(self) -> Vec<Change> {
        self.list
    }
}
