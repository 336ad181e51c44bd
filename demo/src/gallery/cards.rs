//! The states of the gallery that show the default card of a call, one for each phase.

use leptos_assistant::{
    Approval, ToolAction, ToolError, agent::Script, event::RunInput, use_assistant,
    use_assistant_action,
};
use serde_json::{Value, json};

use super::{GalleryState, script_unless_answered};

pub(super) const STATES: &[GalleryState] = &[
    GalleryState::new("running", call, running),
    GalleryState::new("done", call, done),
    GalleryState::new("done, with a title", call, done_with_title),
    GalleryState::new("a result that calls itself a failure", call, failure),
    GalleryState::new("failed", call, failed),
    GalleryState::new("unknown tool", call, || ()),
    GalleryState::new("arguments that are no JSON", invalid_arguments, done),
    GalleryState::new("arguments that break the schema", call, schema_violation),
    GalleryState::new("stopped", call, running).stopped(),
    GalleryState::new("denied", call, denied),
    GalleryState::new("reported by the agent", reported_call, || ()),
    GalleryState::new("several that are done", several_calls, done),
    GalleryState::new("long arguments and result", long_arguments, done),
    GalleryState::new(
        "a name and values that hide something",
        deceptive_characters,
        done,
    ),
];

fn call(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        Script::new().text("Let me look that up.").call(
            "lookup_order",
            &json!({"order_id": "A-17", "details": true}),
        )
    })
}

fn invalid_arguments(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        Script::new().call_as("c", "lookup_order", "{\"order_id\": oops")
    })
}

fn reported_call(_: &RunInput) -> Script {
    Script::new()
        .call_as("c", "lookup_order", "{\"order_id\":\"A-17\"}")
        .result("c", "{\"status\":\"shipped\"}")
        .text("It is shipped.")
}

fn several_calls(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        (1..=5).fold(Script::new(), |script, order| {
            script.call("lookup_order", &json!({"order_id": format!("A-{order}")}))
        })
    })
}

fn long_arguments(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        let list: Vec<Value> = (0..60)
            .map(|n| json!({"order": n, "note": "as usual"}))
            .collect();
        Script::new().call("lookup_order", &json!({"orders": list}))
    })
}

fn deceptive_characters(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        Script::new().call(
            "lookup_order",
            &json!({"order_id": "gpj.\u{202e}exe", "to": "pаypal.com"}),
        )
    })
}

fn lookup_action() -> ToolAction {
    ToolAction::new("lookup_order", "Looks an order up")
}

fn running() {
    use_assistant_action(lookup_action().handler(|_: Value| std::future::pending::<String>()));
}

fn done() {
    use_assistant_action(lookup_action().handler(|args: Value| args));
}

fn done_with_title() {
    let action = lookup_action().title("Look the order up");
    use_assistant_action(action.handler(|_: Value| "shipped"));
}

fn failure() {
    use_assistant_action(lookup_action().handler(|_: Value| {
        leptos_assistant::Json(json!({"success": false, "error": "There is no such order"}))
    }));
}

fn failed() {
    use_assistant_action(
        lookup_action().handler(|_: Value| {
            Err::<String, _>(ToolError::new("The register is closed at night"))
        }),
    );
}

fn schema_violation() {
    let schema = json!({"type": "object", "properties": {"order_id": {"type": "integer"}}});
    use_assistant_action(
        lookup_action()
            .parameters(schema)
            .handler(|_: Value| "shipped"),
    );
}

fn denied() {
    use_assistant_action(
        lookup_action()
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
