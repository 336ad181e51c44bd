//! Records the sizes of the texts or arguments that a run has received.

use std::collections::HashMap;

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

    /// Returns the recorded size. At the first event of the id in this run, records
    /// `initial_size()`, or returns `None` if that is `None`.
    pub(super) fn get_or_record(
        &mut self,
        id: &str,
        initial_size: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        if let Some(size) = self.get(id) {
            return Some(size);
        }
        let size = initial_size()?;
        self.record(id, size);
        Some(size)
    }

    pub(super) fn record(&mut self, id: &str, new_size: usize) {
        match &mut self.newest {
            Some((newest, size)) if newest == id => *size = new_size,
            _ => {
                let entry = self.others.remove_entry(id);
                let id = entry.map_or_else(|| id.to_owned(), |(id, _)| id);
                if let Some((id, size)) = self.newest.replace((id, new_size)) {
                    self.others.insert(id, size);
                }
            }
        }
    }
}
