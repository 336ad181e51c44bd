//! Tracks the position in a stream that may be read over several connections.

/// The position of the last frame that was read.
///
/// Frames without an id are counted from the last frame with an id. If the first frame of a later
/// connection has the same id as the first frame of the stream, the server has ignored the
/// requested id and sends the stream from the start. If it has the requested id itself, the server
/// continues with that frame instead of the frame after it.
#[derive(Debug, Clone, Default)]
pub(super) struct Cursor {
    /// The id of the first frame with an id.
    first: Option<String>,
    /// The id of the last frame with an id.
    last: Option<String>,
    /// The number of frames without an id after the last frame with an id.
    after: usize,
    /// The number of frames without an id that must still be skipped.
    skipped: usize,
    /// True while the server repeats frames with ids. Frames are then skipped up to and including
    /// the frame with the id in `last`.
    seeks: bool,
    /// True after a reconnection, until the first frame with an id arrives.
    reconnected: bool,
}

impl Cursor {
    /// Advances the position by a frame. Returns false if the caller must skip the frame, because
    /// the frame was already read over an earlier connection.
    pub(super) fn advance(&mut self, id: Option<String>) -> bool {
        if id.is_some() && std::mem::take(&mut self.reconnected) {
            self.seeks = id == self.first || id == self.last;
        }
        if self.seeks {
            self.seeks = id != self.last;
            return false;
        }
        if self.skipped > 0 && id.is_none() {
            self.skipped -= 1;
            return false;
        }
        self.skipped = 0;
        match id {
            Some(id) => {
                if self.first.is_none() {
                    self.first = Some(id.clone());
                }
                self.last = Some(id);
                self.after = 0;
            }
            None => self.after += 1,
        }
        true
    }

    /// Prepares for another connection. Returns the id after which the response should continue, or
    /// `None` if no frame had an id.
    pub(super) fn reconnect(&mut self) -> Option<String> {
        self.reconnected = true;
        self.seeks = false;
        self.skipped = self.after;
        self.last.clone()
    }
}
