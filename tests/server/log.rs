//! The log of a server, read by running one test of this program in a child process.

use std::{env, process::Command};

use leptos::prelude::*;
use leptos_assistant::{
    ChatWindow, ToolAction, ToolCallView, ToolTarget, use_assistant_action, use_assistant_context,
    use_assistant_events, use_interrupt_renderer, use_part_renderer, use_tool_renderer,
};
use serde_json::Value;

use crate::app::{Ran, app, existing, render};

const CHILD: &str = "LEPTOS_ASSISTANT_LOG";

/// Returns the log of rendering a page three times.
fn log_of(page: &str) -> Vec<String> {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "log::child", "--nocapture"])
        .env(CHILD, page)
        .output()
        .unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{log}");
    // If other crates enable Leptos' rendering in browsers, Leptos itself warns about each signal
    // that a server reads.
    let ours = |line: &&str| !cfg!(feature = "csr") || line.contains("leptos-assistant");
    log.lines().filter(ours).map(str::to_owned).collect()
}

#[test]
fn child() {
    let page = env::var(CHILD).unwrap_or_default();
    for _ in 0..3 {
        match page.as_str() {
            "in" => drop((render(|| app(Ran::default())), render(existing))),
            "out" => drop(render(|| view! { <Stray /> <ChatWindow /> })),
            _ => return,
        }
    }
}

/// A component with every hook, outside of a provider.
#[component]
fn Stray() -> impl IntoView {
    use_assistant_action(ToolAction::new("rename", "Renames").handler(|| "done"));
    use_assistant_context("The project", "atlas");
    use_tool_renderer(ToolTarget::All, |_: ToolCallView<Value>| "card");
    use_part_renderer("weather", |_| "part");
    use_interrupt_renderer("seat", |_| "question");
    use_assistant_events(|_| ());
}

#[test]
fn a_page_with_its_provider_logs_nothing() {
    assert_eq!(log_of("in"), Vec::<String>::new());
}

#[test]
fn each_hook_without_a_provider_logs_one_warning() {
    let log = log_of("out");
    for hook in [
        "use_assistant_action",
        "use_assistant_context",
        "use_tool_renderer",
        "use_part_renderer",
        "use_interrupt_renderer",
        "use_assistant_events",
        "ChatWindow",
    ] {
        let lines: Vec<_> = log.iter().filter(|line| line.contains(hook)).collect();
        assert_eq!(lines.len(), 1, "{hook}: {log:#?}");
        assert!(lines[0].contains("<AssistantProvider>"), "{log:#?}");
    }
    assert_eq!(log.len(), 7, "{log:#?}");
}
