//! Serves the events of a run: those in the store, and those that follow.

use std::sync::Arc;

use axum::body::Bytes;
use futures_util::{Stream, stream};
use tokio::sync::watch;

use crate::{
    changes::Change,
    relay::Relay,
    store::{PageSize, RunKey, RunState, StoreError},
};

/// The maximum size of the events that are read from the store at once.
const PAGE: PageSize = PageSize {
    events: 64,
    bytes: 1024 * 1024,
};

/// The state of serving a run to a page.
struct RunReader {
    relay: Arc<Relay>,
    key: RunKey,
    /// The position of the next event.
    next: usize,
    changes: watch::Receiver<Change>,
    /// True until the first bytes were sent.
    is_new: bool,
    is_over: bool,
}

/// Returns the bytes of a run's events from a position on. The next events are read from the store
/// after the page has received the previous ones, so that a slow page uses no memory. If the store
/// fails, the stream fails, which breaks the connection, so that the page connects again.
pub(crate) fn event_stream(
    relay: Arc<Relay>,
    key: RunKey,
    from: usize,
) -> impl Stream<Item = Result<Bytes, StoreError>> + Send + 'static {
    let changes = relay.watch(&key);
    let reader = RunReader {
        relay,
        key,
        next: from,
        changes,
        is_new: true,
        is_over: false,
    };
    stream::try_unfold(reader, |mut reader| async move {
        let bytes = reader.next_frames().await?;
        Ok(bytes.map(|bytes| (bytes, reader)))
    })
}

impl RunReader {
    /// Returns the next frames, and waits for them if necessary; `None` after the end of the run,
    /// or if the run does not exist any more.
    async fn next_frames(&mut self) -> Result<Option<Bytes>, StoreError> {
        while !self.is_over {
            self.changes.borrow_and_update();
            // Looked up before the events: a run with an end that is not stored has no later ones.
            let unstored = self.relay.unstored_end(&self.key);
            let (key, from) = (self.key.clone(), self.next);
            let page = self
                .relay
                .with_reachable_store(move |store| store.page(&key, from, PAGE));
            let Some(page) = page.await? else {
                return Ok(None);
            };
            let mut frames = String::new();
            for event in &page.events {
                push_frame(&mut frames, self.next, event);
                self.next += 1;
            }
            if page.is_last {
                self.is_over = page.state == RunState::Closed || unstored.is_some();
                if let Some(event) = unstored.filter(|_| page.state == RunState::Open) {
                    push_frame(&mut frames, self.next, &event);
                }
            }
            // A comment, so that the headers of a run without events are sent.
            if frames.is_empty() && self.is_new && !self.is_over {
                frames.push_str(": \n\n");
            }
            self.is_new = false;
            if !frames.is_empty() {
                return Ok(Some(frames.into()));
            }
            if !self.is_over && page.is_last && self.changes.changed().await.is_err() {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// Appends the SSE frame of an event. The id of the frame is the position of the event.
fn push_frame(frames: &mut String, position: usize, event: &str) {
    frames.push_str(&format!("id: {position}\n"));
    for line in event.split('\n') {
        frames.push_str("data: ");
        frames.push_str(line);
        frames.push('\n');
    }
    frames.push('\n');
}
