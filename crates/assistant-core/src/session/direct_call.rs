//! Starts the calls that the page makes itself, without an agent, and delivers their outcomes.
//!
//! These calls are checked and run like all other calls, by the modules `prepare` and `execute`.

use serde_json::Value;

use super::{Cx, Effect, InvocationId, Session};
use crate::{
    action::ToolError,
    conversation::{CallEnd, CallKey, State, ToolCall},
};

/// The maximum number of nested handlers, each started by a request from the previous handler.
const MAX_NESTED: usize = 4;

impl Session {
    pub(super) fn start_direct_call(
        &mut self,
        request: u64,
        name: String,
        (args, within): (&Value, Option<InvocationId>),
        cx: &mut Cx<'_>,
    ) {
        let parent = match self.find_parent_call_key(within, &name) {
            Ok(parent) => parent,
            Err(message) => {
                let outcome = Err(ToolError::new(message));
                return cx.push_effect(Effect::Executed { request, outcome });
            }
        };
        if let Err(message) = self.registry.executable(&name) {
            let outcome = Err(ToolError::new(message));
            return cx.push_effect(Effect::Executed { request, outcome });
        }
        let mut call = ToolCall::new(String::new(), name, cx.now);
        call.parent = parent;
        call.set_args_text(&args.to_string());
        call.end_args();
        let key = self.conversation.add_direct_call(call, request);
        self.check_call(&key, false, cx);
    }

    /// Returns the key of the call whose handler requests an action; `None` if the request does not
    /// come from a handler. Fails if the handler has ended, if the action would request itself
    /// indirectly, or if the requests are nested too deeply.
    fn find_parent_call_key(
        &self,
        within: Option<InvocationId>,
        name: &str,
    ) -> Result<Option<CallKey>, String> {
        let Some(invocation) = within else {
            return Ok(None);
        };
        let parent = self
            .running_call_key(invocation)
            .ok_or("The call that asks is over")?;
        let ancestors = || {
            [parent]
                .into_iter()
                .chain(self.conversation.requesters_of(&parent))
        };
        let has_same_name =
            |key: CallKey| self.conversation.call(&key).is_some_and(|c| c.name == name);
        if ancestors().any(has_same_name) {
            return Err(format!("Action {name} would call itself"));
        }
        match ancestors().count() <= MAX_NESTED {
            true => Ok(Some(parent)),
            false => Err("Actions call each other too deep".to_owned()),
        }
    }

    /// Ends the calls that the handler of this call requested.
    pub(super) fn end_nested_calls(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        for child in self.conversation.call_keys_requested_by(key) {
            self.give_up_call(&child, None, cx);
        }
    }

    /// Returns the keys of the open calls of the page itself, oldest first.
    pub(super) fn direct_call_keys(&self) -> Vec<CallKey> {
        let calls = self.conversation.direct_calls();
        calls.map(ToolCall::key).collect()
    }

    /// Delivers the outcome of an ended call of the page to its requester, and stores the call's
    /// record. Other calls are ignored.
    pub(super) fn deliver_direct_outcome(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some((call, request)) = self.conversation.remove_direct_call(key) else {
            return;
        };
        self.keep_direct_record(&call);
        let value = call.result().map(|result| result.value.clone());
        let value = value.unwrap_or_default();
        let outcome = match call.state() {
            State::Ended(done) if done.end == CallEnd::Output => Ok(value),
            State::Ended(done) if done.end == CallEnd::Denied => {
                Err(ToolError::new("The person denied it").error_type("denied"))
            }
            _ => {
                let message = call.error().map(|error| error.message.clone());
                let message = message.or_else(|| Some(value.get("error")?.as_str()?.to_owned()));
                Err(ToolError::new(
                    message.unwrap_or_else(|| "cancelled".to_owned()),
                ))
            }
        };
        cx.push_effect(Effect::Executed { request, outcome });
    }
}
