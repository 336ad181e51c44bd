//! Provides access to a session for replays in tests (`crate::replay`).

use super::{Host, Output, Session};
use crate::conversation::Conversation;

impl Session {
    /// Returns a mutable reference to the conversation, to which a replay adds messages.
    pub(crate) const fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    /// Omits the messages from requests, for a replay that does not read the messages.
    pub(crate) const fn leave_requests_empty(&mut self) {
        self.blank_requests = true;
    }

    /// Starts a run at the current tip, for a replay in which the agent sends messages without a
    /// request.
    pub(crate) fn open_run(&mut self, host: &mut dyn Host) -> Output {
        self.run_in_context(host, Self::start_run)
    }
}
