//! What handlers ask in the cards of their calls.

use assistant_core::conversation::CallKey;
use serde_json::Value;

/// A question that a handler waits for the answer to.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) id: u64,
    /// The call of the handler.
    pub(crate) call: CallKey,
    /// What it asks.
    pub(crate) question: Value,
    /// JSON Schema of the answer. Without it only a renderer can ask.
    pub(crate) schema: Option<Value>,
}
