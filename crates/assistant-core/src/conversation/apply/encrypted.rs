//! Stores the encrypted values of messages, calls and results. The values are sent back unchanged.

use crate::{
    conversation::{Author, CallEnd, Conversation, EndedCall},
    event::{EncryptedEntity, Role},
};

impl Conversation {
    /// Sets the encrypted value of a call, of a message or of a call's result. A value for an
    /// activity or for an unknown id is ignored.
    pub(super) fn set_encrypted_value(&mut self, entity: EncryptedEntity, id: &str, value: String) {
        match entity {
            EncryptedEntity::ToolCall => {
                if let Some(key) = self.find_call(id) {
                    self.edit_unshared_call(&key, |call| call.encrypted_value = Some(value));
                }
            }
            EncryptedEntity::Message => {
                if let Some(ix) = self.find_message(id) {
                    // The value for an activity is ignored, because activities are never sent back
                    // to the agent.
                    if self.role_of(ix) == Some(Role::Activity) {
                        return;
                    }
                    let ix = self.unshare(ix);
                    if let Some(node) = self.node_mut(ix) {
                        node.message.encrypted_value = Some(value);
                    }
                } else if let Some(key) = self.find_call_by_result(id) {
                    self.edit_unshared_call(&key, |call| {
                        let outcome = call.outcome_mut();
                        if outcome.is_some_and(|outcome| set_result_encrypted_value(outcome, value))
                        {
                            call.fail_output();
                        }
                    });
                }
            }
        }
    }
}

/// Sets the encrypted value of a result. Returns true if the result is an output of the agent and
/// the value states that the tool failed.
fn set_result_encrypted_value(outcome: &mut EndedCall, value: String) -> bool {
    let Some(result) = outcome.result.as_mut() else {
        return false;
    };
    result.encrypted_value = Some(value);
    let is_output = outcome.by == Author::Agent && outcome.end == CallEnd::Output;
    is_output && result.adopt_stated_failure()
}
