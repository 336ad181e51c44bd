//! What each public method does, at its own layer: each test fails when its method does nothing.

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
mod tools;
mod window;

use leptos_assistant::{ToolAction, ToolError, agent::Script};
use serde_json::{Value, json};

/// An answer that calls `act` once.
fn calls(args: Value) -> Script {
    Script::new().call("act", &args)
}

/// An action called `act` that gives its arguments back.
fn act() -> ToolAction {
    ToolAction::new("act", "Acts").handler(|args: Value| async move { Ok::<_, ToolError>(args) })
}

/// A schema with one property, a number, which is required.
fn amount() -> Value {
    json!({
        "type": "object",
        "properties": {"amount": {"type": "integer"}},
        "required": ["amount"]
    })
}
