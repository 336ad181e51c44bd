//! Calls whose action went while a person was asked. To send such a call away is no denial: the agent is told
//! that the tool is unavailable.
//!
//! Neighbour: `approve` takes what a person decides.

use super::{Cx, Session, execute::Ending};
use crate::conversation::{CallError, CallKey, ErrorKind, State, StateEvent};

impl Session {
    /// Returns the error that answers a call which is asked about although its action is gone. `None` for a
    /// call that may have run: the agent is told that.
    fn unavailable(&self, key: &CallKey) -> Option<CallError> {
        let call = self.conversation.call(key)?;
        let asks = matches!(call.state(), State::Asked(_) | State::Missing(_));
        let is_gone = asks && self.registry.in_force(&call.name).is_none();
        (is_gone && !call.has_unknown_outcome()).then(|| CallError {
            message: format!("Action {} is not available any more", call.name),
            kind: ErrorKind::ToolUnavailable,
            details: None,
        })
    }

    /// A person sends a call away whose action is gone. `false` if it is there.
    pub(super) fn dismiss_gone(&mut self, key: &CallKey) -> bool {
        let Some(error) = self.unavailable(key) else {
            return false;
        };
        self.forget_judgement(key);
        let found = StateEvent::FoundInvalid(error);
        self.conversation.happens(key, found)
    }

    /// The same at once, where something that the person said takes the place of all answers.
    pub(super) fn end_gone(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> bool {
        let Some(error) = self.unavailable(key) else {
            return false;
        };
        self.end_call(key, Ending::error(error), cx);
        true
    }
}
