//! The questions that handlers ask in the cards of their calls.

use assistant_core::conversation::CallKey;
use serde_json::Value;

/// An unanswered question that a handler asks the user.
#[derive(Debug, Clone)]
pub(crate) struct HandlerQuestion {
    pub(crate) id: u64,
    /// The call of the handler.
    pub(crate) call: CallKey,
    pub(crate) question: Value,
    /// The JSON Schema of the answer. Without a schema, only a custom renderer can show the
    /// question.
    pub(crate) schema: Option<Value>,
}
