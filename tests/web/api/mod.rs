//! Every public method on its own: each test fails if its method does nothing.

mod action;
mod agents;
mod approval;
mod branches;
mod call;
mod console;
mod context;
mod events;
mod handle;
mod options;
mod part;
mod props;
mod signals;
mod subscriptions;
mod tools;
mod window;

use leptos_assistant::{ToolAction, ToolError, agent::Script};
use serde_json::{Value, json};

/// Returns an answer that calls `act` once.
fn calls(args: Value) -> Script {
    Script::new().call("act", &args)
}

/// Returns an action `act` that returns its arguments.
fn act() -> ToolAction {
    ToolAction::new("act", "Acts").handler(|args: Value| async move { Ok::<_, ToolError>(args) })
}

/// Returns a schema with one property, a required number.
fn amount() -> Value {
    json!({
        "type": "object",
        "properties": {"amount": {"type": "integer"}},
        "required": ["amount"]
    })
}
