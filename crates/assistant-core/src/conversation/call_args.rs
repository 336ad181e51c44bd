//! Defines the methods of [`ToolCall`] that read and change its arguments, and apply the resulting
//! state events. The module `args` defines the type that stores the text and the parsed value.

use serde_json::Value;

use super::{
    CallDataChange, Phase, ToolCall,
    state::{State, StateEvent},
};
use crate::json::partial::FieldState;

impl ToolCall {
    /// Returns the arguments exactly as the agent wrote them.
    #[must_use]
    pub fn args_text(&self) -> &str {
        &self.arguments.text
    }

    /// Returns the number of times that the text of the arguments was replaced with a text that
    /// does not begin with the previous text. Within one generation, the text only grows.
    #[must_use]
    pub fn args_generation(&self) -> u32 {
        self.arguments.generation
    }

    /// Returns the parsed arguments. Returns `None` if the arguments are not complete, are not
    /// valid JSON or contain duplicate keys.
    #[must_use]
    pub fn args(&self) -> Option<&Value> {
        self.arguments.value.as_ref()
    }

    /// Returns the arguments that the handler receives: the arguments edited by the user, or else
    /// the arguments sanitized by the application, or else the arguments that the agent wrote.
    #[must_use]
    pub fn effective_args(&self) -> Option<&Value> {
        self.changed_args().or(self.arguments.value.as_ref())
    }

    /// Returns the arguments that the handler receives, if the user or the application changed the
    /// arguments that the agent wrote.
    pub(crate) fn changed_args(&self) -> Option<&Value> {
        self.edited_args().or_else(|| self.clean_args())
    }

    /// Returns the value of the arguments received so far, for display while the arguments stream
    /// in. Returns `None` if no value has begun.
    #[must_use]
    pub fn partial_args(&self) -> Option<&Value> {
        let complete_value = self.arguments.value.as_ref();
        complete_value.or_else(|| self.arguments.partial.value())
    }

    /// Returns true if the argument with this name has its final value, because streaming arguments
    /// are completed one after the other. Always returns true when all arguments are valid and
    /// complete.
    #[must_use]
    pub fn has_whole_arg(&self, name: &str) -> bool {
        let is_complete = || self.arguments.partial.field_state(&[name]) == FieldState::Complete;
        self.arguments.value.is_some() || is_complete()
    }

    pub(crate) fn push_args(&mut self, delta: &str) {
        self.arguments.push(delta);
    }

    pub(crate) fn set_args_text(&mut self, text: &str) {
        self.arguments.replace(text);
    }

    /// Reopens the arguments. The call returns to streaming, unless it is running, denied, handed
    /// off or interrupted, or has ended. A call that does not return to streaming keeps its state
    /// and its result.
    pub(super) fn reopen_args(&mut self) {
        self.arguments.open = true;
        self.arguments.listed = false;
        self.apply_event(StateEvent::Reopened);
        if matches!(self.state, State::Streaming(_)) {
            self.arguments.value = None;
        }
    }

    /// Returns true if more arguments may follow, because the arguments have not ended, or ended
    /// only because a message list contained them. In the second case, the call must also be in the
    /// phase [`Phase::InputAvailable`] or must have ended, and must not have been ended by the
    /// page.
    pub(crate) fn can_take_more_args(&self) -> bool {
        let can_reopen = self.state.is_done() || self.phase() == Phase::InputAvailable;
        self.arguments.open || (self.arguments.listed && can_reopen && !self.is_settled_here())
    }

    /// Ends the arguments of a call that a message list contains. If the arguments had not ended
    /// before, more arguments may still stream in.
    pub(super) fn end_args_in_list(&mut self) {
        self.arguments.listed |= self.arguments.open;
        self.end_args();
    }

    /// Returns true if an object in the arguments contains the same key twice. Such arguments count
    /// as invalid, because the user might see a different value than the value that the handler
    /// receives.
    #[must_use]
    pub const fn names_a_field_twice(&self) -> bool {
        self.arguments.partial.has_duplicate_keys()
    }

    /// Returns true if the arguments are nested deeper than the limit.
    #[must_use]
    pub const fn nests_too_deep(&self) -> bool {
        self.arguments.partial.is_too_deep()
    }

    /// Ends the arguments and parses them. The value of an empty text is an empty object (rule
    /// "empty arguments").
    pub(crate) fn end_args(&mut self) {
        self.arguments.end();
        self.apply_event(StateEvent::ArgsEnded);
    }

    /// Discards the parsed value, so that the arguments count as cut off.
    pub(super) fn discard_args_value(&mut self) {
        self.arguments.value = None;
    }

    /// Ends the arguments as cut off, and discards the edited and sanitized arguments. Does nothing
    /// if the call is running, denied or ended, if the agent runs the call, or if an interrupt of
    /// the agent refers to the call.
    pub(crate) fn cut_off_args(&mut self) {
        let is_open = matches!(
            self.state,
            State::Streaming(_)
                | State::Open(_)
                | State::Missing(_)
                | State::RuleAsked { .. }
                | State::Asked(_)
                | State::Allowed(_)
                | State::Invalid(..)
                | State::Committing(..)
        );
        if !is_open {
            return;
        }
        self.arguments.open = false;
        self.apply_event(StateEvent::ArgsEnded);
        self.void_check();
        self.discard_args_value();
        self.apply_data_change(CallDataChange::Edited(None));
        self.apply_data_change(CallDataChange::Cleaned(None));
    }

    /// Returns true if the arguments ended before they were complete.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.arguments.is_cut_off()
    }

    /// Returns true if the arguments have ended, even if the arguments are not valid JSON. The call
    /// itself may still be open.
    #[must_use]
    pub const fn has_ended(&self) -> bool {
        !self.arguments.open
    }
}
