//! Defines the states of the gallery that show questions to the user from the page, from a handler
//! or from the agent.

use leptos_assistant::{
    Approval, Description, Risk, ToolAction, ToolContext, ToolError,
    agent::Script,
    event::{Interrupt, RunInput},
    use_assistant_action,
};
use serde_json::{Value, json};

use super::{GalleryState, script_unless_answered};

pub(super) const STATES: &[GalleryState] = &[
    GalleryState::new("approval, plain", call, || register_deploy(Risk::Plain)),
    GalleryState::new("approval, attention", call, || {
        register_deploy(Risk::Attention);
    }),
    GalleryState::new("approval, danger", call, || register_deploy(Risk::Danger)),
    GalleryState::new(
        "approval, not described",
        call,
        register_without_description,
    ),
    GalleryState::new("approval, many long rows", call, register_with_many_rows),
    GalleryState::new(
        "approval, values that hide something",
        deceptive_characters,
        register_without_description,
    ),
    GalleryState::new(
        "approval, long arguments",
        long_arguments,
        register_without_description,
    ),
    GalleryState::new(
        "approval of what the agent runs",
        call,
        register_run_by_agent,
    ),
    GalleryState::new(
        "approval of an action that was removed",
        call_of_removed_action,
        || (),
    ),
    GalleryState::new("two approvals", two_calls, || {
        register_deploy(Risk::Attention);
    }),
    GalleryState::new("the agent asks about a call", call_with_interrupt, || ()),
    GalleryState::new(
        "the agent asks yes or no",
        |_| interrupt(json!({"type": "boolean"})),
        || (),
    ),
    GalleryState::new(
        "the agent asks for a form",
        |_| interrupt(form_schema()),
        || (),
    ),
    GalleryState::new(
        "the agent asks for anything",
        |_| interrupt(json!({})),
        || (),
    ),
    GalleryState::new("a handler asks", call, register_handler_question),
];

fn call(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        Script::new().call("deploy", &json!({"version": "2.4.0", "to": "production"}))
    })
}

fn call_of_removed_action(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        let interrupt = create_interrupt(
            Some("c"),
            json!({"type": "object", "properties": {"approved": {"type": "boolean"}}}),
        );
        Script::new()
            .call_as("c", "deploy", "{\"version\":\"2.4.0\"}")
            .interrupt(vec![interrupt])
    })
}

fn deceptive_characters(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        Script::new().call(
            "deploy",
            &json!({"version": "2.4\u{200b}.0", "to": "prоduction"}),
        )
    })
}

fn long_arguments(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        let hosts: Vec<String> = (0..80).map(|n| format!("host-{n}.example")).collect();
        Script::new().call("deploy", &json!({"hosts": hosts}))
    })
}

fn two_calls(input: &RunInput) -> Script {
    script_unless_answered(input, || {
        Script::new()
            .call("deploy", &json!({"version": "2.4.0", "to": "staging"}))
            .call("deploy", &json!({"version": "2.4.0", "to": "production"}))
    })
}

fn call_with_interrupt(input: &RunInput) -> Script {
    call_of_removed_action(input)
}

fn create_interrupt(call: Option<&str>, schema: Value) -> Interrupt {
    Interrupt {
        id: "question".to_owned(),
        reason: "input".to_owned(),
        message: Some("The window for the night closes in an hour. May I continue?".to_owned()),
        tool_call_id: call.map(str::to_owned),
        response_schema: schema.as_object().cloned(),
        expires_at: None,
        subagent_run_id: None,
        metadata: None,
    }
}

fn interrupt(schema: Value) -> Script {
    Script::new().interrupt(vec![create_interrupt(None, schema)])
}

fn form_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "nights": {"type": "integer", "title": "Nights", "minimum": 1},
            "berth": {"enum": ["4", "9", "14"], "title": "Berth"},
            "late": {"type": "boolean", "title": "Arrives late"}
        },
        "required": ["nights"]
    })
}

fn deploy_action() -> ToolAction {
    ToolAction::new("deploy", "Deploys a version").approval(Approval::Always)
}

fn text_argument(args: &Value, key: &str) -> String {
    args.get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn register_deploy(risk: Risk) {
    use_assistant_action(
        deploy_action()
            .title("Deploy")
            .risk(risk)
            .handler(|_: Value| "done")
            .describe(|args| {
                let (version, to) = (text_argument(args, "version"), text_argument(args, "to"));
                Description::new(format!("Deploy {version} to {to}?"))
                    .row("Version", version)
                    .row("Environment", to)
            }),
    );
}

fn register_without_description() {
    use_assistant_action(deploy_action().handler(|_: Value| "done"));
}

fn register_with_many_rows() {
    use_assistant_action(
        deploy_action()
            .title("Deploy")
            .handler(|_: Value| "done")
            .describe(|_| {
                (1..=10).fold(Description::new("Deploy all of it?"), |all, row| {
                    all.row(
                        format!("Part {row}"),
                        "a value that needs more than one line where there is little room",
                    )
                })
            }),
    );
}

fn register_run_by_agent() {
    use_assistant_action(deploy_action().render_only().run_by_agent());
}

fn register_handler_question() {
    use_assistant_action(ToolAction::new("deploy", "Deploys a version").handler(
        |_: Value, context: ToolContext| async move {
            let answer: Value = context
                .ask_with("Who is on call tonight?", form_schema())
                .await?;
            Ok::<_, ToolError>(answer)
        },
    ));
}
