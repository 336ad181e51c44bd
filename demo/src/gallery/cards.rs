//! Defines the states of the gallery that show the default card of a call.

use leptos_assistant::{
    Approval, ToolAction, ToolError, agent::Script, event::RunInput, use_assistant,
    use_assistant_action,
};
use serde_json::{Value, json};

use super::{GalleryState, script_unless_answered};

pub(super) const STATES: &[GalleryState] = &[
    GalleryState::new("running", call, register_pending_action),
    GalleryState::new("done", call, register_action),
    GalleryState::new("done, with a title", call, register_action_with_title),
    GalleryState::new(
        "a result that calls itself a failure",
        call,
        register_reporting_failure,
    ),
    GalleryState::new("failed", call, register_failing_action),
    GalleryState::new("unknown tool", call, || ()),
    GalleryState::new(
        "arguments that are no JSON",
        invalid_arguments,
        register_action,
    ),
    GalleryState::new(
        "arguments that break the schema",
        call,
        register_strict_action,
    ),
    GalleryState::new("stopped", call, register_pending_action).stopped_early(),
    GalleryState::new("denied", call, register_denied_action),
    GalleryState::new("reported by the agent", reported_call, || ()),
    GalleryState::new("several that are done", several_calls, register_action),
    GalleryState::new("long arguments and result", long_arguments, register_action),
    GalleryState::new(
        "a name and values that hide something",
        deceptive_characters,
        register_action,
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

fn register_pending_action() {
    use_assistant_action(lookup_action().handler(|_: Value| std::future::pending::<String>()));
}

fn register_action() {
    use_assistant_action(lookup_action().handler(|args: Value| args));
}

fn register_action_with_title() {
    let action = lookup_action().title("Look the order up");
    use_assistant_action(action.handler(|_: Value| "shipped"));
}

fn register_reporting_failure() {
    use_assistant_action(lookup_action().handler(|_: Value| {
        leptos_assistant::Json(json!({"success": false, "error": "There is no such order"}))
    }));
}

fn register_failing_action() {
    use_assistant_action(
        lookup_action().handler(|_: Value| {
            Err::<String, _>(ToolError::new("The register is closed at night"))
        }),
    );
}

fn register_strict_action() {
    let schema = json!({"type": "object", "properties": {"order_id": {"type": "integer"}}});
    use_assistant_action(
        lookup_action()
            .parameters(schema)
            .handler(|_: Value| "shipped"),
    );
}

fn register_denied_action() {
    use_assistant_action(
        lookup_action()
            .approval(Approval::Always)
            .handler(|_: Value| "shipped"),
    );
    let Some(assistant) = use_assistant() else {
        return;
    };
    let pending_approvals = assistant.pending_approvals();
    leptos::prelude::Effect::new(move |_| {
        for call in leptos::prelude::Get::get(&pending_approvals) {
            // The result is ignored, because the denial is refused only if the call is already
            // decided.
            let _ = assistant.deny(&call, Some("not at night".to_owned()));
        }
    });
}
