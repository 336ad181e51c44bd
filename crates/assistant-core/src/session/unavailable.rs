//! Ends calls whose action was removed while the user was asked. If the user dismisses such a call,
//! the agent receives an error that the tool is unavailable, not a denial.
//!
//! `approve` handles the decisions of the user.

use super::{Cx, Session, execute::CallEnding};
use crate::conversation::{CallError, CallKey, ErrorKind, State, StateEvent};

impl Session {
    /// Returns the error for a call whose action was removed while the user is asked about the
    /// call. `None` for other calls, and for a call with an unknown outcome, since the agent
    /// receives that outcome instead.
    fn unavailable_error(&self, key: &CallKey) -> Option<CallError> {
        let call = self.conversation.call(key)?;
        let asks = matches!(call.state(), State::Asked(_) | State::Missing(_));
        let is_removed = asks && self.registry.active_registration(&call.name).is_none();
        (is_removed && !call.has_unknown_outcome()).then(|| {
            CallError::new(
                ErrorKind::ToolUnavailable,
                format!("Action {} is not available any more", call.name),
            )
        })
    }

    /// Dismisses a call whose action was removed. Returns false if the action is registered, or if
    /// the call has an unknown outcome or waits for no answer.
    pub(super) fn dismiss_unavailable_call(&mut self, key: &CallKey) -> bool {
        let Some(error) = self.unavailable_error(key) else {
            return false;
        };
        self.void_check(key);
        let found = StateEvent::FoundInvalid(error);
        self.conversation.apply_state_event(key, found)
    }

    /// Ends a call whose action was removed, when a message of the user replaces all pending
    /// answers. Returns false if the action is registered, or if the call has an unknown outcome or
    /// waits for no answer.
    pub(super) fn end_unavailable_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> bool {
        let Some(error) = self.unavailable_error(key) else {
            return false;
        };
        self.end_call(key, CallEnding::from_error(error), cx);
        true
    }
}
