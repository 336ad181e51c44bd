//! Updates a call when its agent lists the call, announces the call again or changes its arguments.

use super::{
    CallDataChange, ToolCall,
    state::{State, StateEvent},
};

impl ToolCall {
    /// Replaces the content of this call with the content of a listed call. This call keeps its
    /// history, and also its name and arguments if they are final.
    pub(super) fn replace_content(&mut self, other: Self) {
        self.origin = other.origin;
        self.rewrite(other.name.clone(), other.args_text());
        if !self.has_ended() || self.args().is_none() {
            self.end_args_in_list();
        }
        self.metadata = other.metadata;
        self.encrypted_value = other.encrypted_value;
        self.extra = other.extra;
    }

    /// Clears the arguments and the remaining fields of a detached call that a run announces again.
    /// Does nothing if the call is running, denied or handed off, or was ended by the page. A call
    /// that has not ended belongs to the announcing run afterwards.
    pub(super) fn restart_args(&mut self, run: Option<u64>) {
        if !self.state.is_closed_to_args() && !self.is_settled_here() {
            if !self.state.is_done() {
                self.run = run.or(self.run);
            }
            self.set_args_text("");
            self.metadata.clear();
            self.extra.clear();
            self.encrypted_value = None;
        }
    }

    /// Replaces the name and the arguments with the agent's newer version. Arguments that a server
    /// omits from a list, and arguments that repeat the arguments edited by the user, do not count
    /// as a change. A call with a final name and final arguments is not changed.
    pub(super) fn rewrite(&mut self, name: String, args: &str) {
        if self.is_fixed() && self.has_ended() {
            return;
        }
        // Empty arguments do not count as a change, because some servers list calls without the
        // arguments that they streamed.
        let has_streamed_args = self.run.is_some() && self.has_ended() && self.args().is_some();
        let omits_args = args.is_empty() && has_streamed_args;
        // Arguments that repeat the edited arguments do not count as a change, because the edited
        // arguments were sent to the agent.
        let edited_args = self.edited_args().filter(|_| self.was_started());
        let repeats_edited_args = edited_args.is_some_and(|edited_args| {
            serde_json::from_str(args).ok().as_ref() == Some(edited_args)
        });
        let has_same_args = omits_args || repeats_edited_args || self.args_text() == args;
        if self.name == name && has_same_args {
            return;
        }
        if matches!(self.state, State::Interrupted { card: true, .. }) {
            self.apply_data_change(CallDataChange::Changed);
        }
        self.name = name;
        if !has_same_args {
            self.set_args_text(args);
        }
        self.apply_event(StateEvent::Rewritten);
    }
}
