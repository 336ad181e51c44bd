//! Records the sizes of the texts or arguments that a run has received.

use foldhash::HashMap;

/// The received sizes in bytes, by the id of a message or call. A size of the limit plus one marks
/// content that was cut.
///
/// Most events extend the same content as the event before, so the newest size needs no lookup.
#[derive(Debug, Clone, Default)]
pub(super) struct ReceivedSizes {
    newest: Option<(String, usize)>,
    others: HashMap<String, usize>,
}

impl ReceivedSizes {
    pub(super) fn get(&self, id: &str) -> Option<usize> {
        match &self.newest {
            Some((newest, size)) if newest == id => Some(*size),
            _ => self.others.get(id).copied(),
        }
    }

    /// Returns the recorded size of an id, which becomes the newest id. At the first event of the
    /// id in this run, records `initial_size()`; if that is `None`, records and returns nothing.
    pub(super) fn get_or_record(
        &mut self,
        id: &str,
        initial_size: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        if let Some((newest, size)) = &self.newest
            && newest == id
        {
            return Some(*size);
        }
        let entry = match self.others.remove_entry(id) {
            Some(entry) => entry,
            None => {
                let size = initial_size()?;
                (id.to_owned(), size)
            }
        };
        let size = entry.1;
        self.others.extend(self.newest.replace(entry));
        Some(size)
    }

    /// Records a new size of the newest id.
    pub(super) fn set_newest(&mut self, new_size: usize) {
        if let Some((_, size)) = &mut self.newest {
            *size = new_size;
        }
    }
}
