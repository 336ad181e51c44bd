//! What went wrong or stands still, and answers that are shorter than they should be.

use leptos_assistant::{
    ToolAction, ToolError, agent::Script, core::event::RunInput, use_assistant_action,
};
use serde_json::{Value, json};

use super::State;

pub(super) const STATES: &[State] = &[
    State::new(
        "an error of the agent",
        |_| {
            Script::new()
                .text("Half an answ")
                .error("the model exploded")
        },
        || (),
    ),
    State::new(
        "a long error",
        |_| Script::new().error("out of memory\n".repeat(80)),
        || (),
    ),
    State::new(
        "broken off",
        |_| Script::new().text("This answer breaks off").cut(),
        || (),
    ),
    State::new("no answer", |_| Script::new(), || ()),
    State::new("stopped while it writes", slow, || ()).stopped(),
    State::new("the limit of runs", again, again_action),
];

fn slow(_: &RunInput) -> Script {
    Script::new()
        .text("It begins ")
        .wait(std::time::Duration::from_secs(600))
        .text("and does not end.")
}

fn again(_: &RunInput) -> Script {
    Script::new().call("again", &json!({}))
}

fn again_action() {
    use_assistant_action(ToolAction::new("again", "").handler(|_: Value| Ok::<_, ToolError>(1)));
}
