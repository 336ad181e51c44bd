//! The states of the gallery that show the default card of a call, one for each phase.

use leptos_assistant::{
    Approval, ToolAction, ToolError, agent::Script, event::RunInput, use_assistant,
    use_assistant_action,
};
use serde_json::{Value, json};

use super::{State, unless_answered};

pub(super) const STATES: &[State] = &[
    State::new("running", call, running),
    State::new("done", call, done),
    State::new("done, with a title", call, titled),
    State::new("a result that calls itself a failure", call, failure),
    State::new("failed", call, failed),
    State::new("unknown tool", call, || ()),
    State::new("arguments that are no JSON", invalid_arguments, done),
    State::new("arguments that break the schema", call, schema_violation),
    State::new("stopped", call, running).stopped(),
    State::new("denied", call, denied),
    State::new("reported by the agent", reported, || ()),
    State::new("several that are done", several, done),
    State::new("long arguments and result", long, done),
    State::new("a name and values that hide something", hidden, done),
];

fn call(input: &RunInput) -> Script {
    unless_answered(input, || {
        Script::new().text("Let me look that up.").call(
            "lookup_order",
            &json!({"order_id": "A-17", "details": true}),
        )
    })
}

fn invalid_arguments(input: &RunInput) -> Script {
    unless_answered(input, || {
        Script::new().call_as("c", "lookup_order", "{\"order_id\": oops")
    })
}

fn reported(_: &RunInput) -> Script {
    Script::new()
        .call_as("c", "lookup_order", "{\"order_id\":\"A-17\"}")
        .result("c", "{\"status\":\"shipped\"}")
        .text("It is shipped.")
}

fn several(input: &RunInput) -> Script {
    unless_answered(input, || {
        (1..=5).fold(Script::new(), |script, order| {
            script.call("lookup_order", &json!({"order_id": format!("A-{order}")}))
        })
    })
}

fn long(input: &RunInput) -> Script {
    unless_answered(input, || {
        let list: Vec<Value> = (0..60)
            .map(|n| json!({"order": n, "note": "as usual"}))
            .collect();
        Script::new().call("lookup_order", &json!({"orders": list}))
    })
}

fn hidden(input: &RunInput) -> Script {
    unless_answered(input, || {
        Script::new().call(
            "lookup_order",
            &json!({"order_id": "gpj.\u{202e}exe", "to": "pаypal.com"}),
        )
    })
}

fn lookup() -> ToolAction {
    ToolAction::new("lookup_order", "Looks an order up")
}

fn running() {
    use_assistant_action(lookup().handler(|_: Value| std::future::pending::<String>()));
}

fn done() {
    use_assistant_action(lookup().handler(|args: Value| args));
}

fn titled() {
    let action = lookup().title("Look the order up");
    use_assistant_action(action.handler(|_: Value| "shipped"));
}

fn failure() {
    use_assistant_action(lookup().handler(|_: Value| {
        leptos_assistant::Json(json!({"success": false, "error": "There is no such order"}))
    }));
}

fn failed() {
    use_assistant_action(
        lookup().handler(|_: Value| {
            Err::<String, _>(ToolError::new("The register is closed at night"))
        }),
    );
}

fn schema_violation() {
    let schema = json!({"type": "object", "properties": {"order_id": {"type": "integer"}}});
    use_assistant_action(lookup().parameters(schema).handler(|_: Value| "shipped"));
}

fn denied() {
    use_assistant_action(
        lookup()
            .approval(Approval::Always)
            .handler(|_: Value| "shipped"),
    );
    let Some(assistant) = use_assistant() else {
        return;
    };
    let asked = assistant.pending_approvals();
    leptos::prelude::Effect::new(move |_| {
        for call in leptos::prelude::Get::get(&asked) {
            // Refused if it was decided before.
            let _ = assistant.deny(&call, Some("not at night".to_owned()));
        }
    });
}
