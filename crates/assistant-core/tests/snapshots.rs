//! Message snapshots on a tree (rule "snapshots on a tree").

use assistant_core::{
    conversation::Phase,
    event::{Content, FunctionCall, Message, MessageBody},
    session::{Input, NoticeAction, NoticeKind, Refusal},
};
use serde_json::json;

use crate::support::*;

fn user(id: &str, text: &str) -> Message {
    let content = Content::Text(text.to_owned());
    Message::new(id, MessageBody::User { content })
}

fn assistant(id: &str, content: Option<&str>, calls: &[(&str, &str, &str)]) -> Message {
    let call = |(id, name, args): &(&str, &str, &str)| FunctionCall::new(*id, *name, *args);
    let body = MessageBody::Assistant {
        content: content.map(str::to_owned),
        tool_calls: calls.iter().map(call).collect(),
    };
    Message::new(id, body)
}

fn tool(id: &str, call: &str, content: &str) -> Message {
    let body = MessageBody::Tool {
        tool_call_id: call.to_owned(),
        content: Content::Text(content.to_owned()),
        error: None,
    };
    Message::new(id, body)
}

fn shown(driver: &Driver) -> Vec<String> {
    sketch(&driver.session.conversation().received_messages())
}

/// A run whose call `c` was run here and answered; the continuation is in progress.
fn answered() -> Driver {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!("done"));
    driver.event(started());
    driver
}

#[test]
fn a_snapshot_replaces_known_messages_in_place_and_appends_new_ones() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events(says("a", "one"));
    driver.events(says("b", "two"));
    let list = vec![
        user("id1", "hi"),
        assistant("new", Some("three"), &[]),
        assistant("a", Some("ONE"), &[]),
    ];
    driver.event(snapshot(list));
    assert_eq!(
        shown(&driver),
        ["user=hi", "assistant=ONE[]", "assistant=three[]"]
    );
}

#[test]
fn a_placeholder_of_the_server_does_not_replace_an_unsent_result() {
    for placeholder in ["", "null", "pending", "in_progress"] {
        for ends_first in [true, false] {
            let eager = action("f").with_eager(true);
            let mut driver = with([eager]);
            driver.events(calls("c", "f", "{}"));
            if ends_first {
                driver.returns("c", json!({"paid": 5}));
            }
            let list = vec![
                user("id1", "hi"),
                assistant("m", None, &[("c", "f", "{}")]),
                tool("t", "c", placeholder),
            ];
            driver.event(snapshot(list));
            if !ends_first {
                driver.returns("c", json!({"paid": 5}));
            }
            assert_eq!(driver.answer("c"), r#"{"paid":5}"#, "{placeholder:?}");
            finish_run(&mut driver);
            assert_eq!(driver.runs.len(), 2, "{placeholder:?}");
            assert_eq!(request(&driver)[2..], [r#"tool:c={"paid":5}"#]);
            assert!(driver.session.conversation().is_sound());
        }
    }
}

#[test]
fn a_snapshot_with_equal_text_keeps_the_parts_of_a_message() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events(says("m", "be"));
    driver.events(calls("c", "agents", "{}"));
    driver.events(says("m", "fore"));
    let list = vec![
        user("id1", "hi"),
        assistant("m", Some("before"), &[("c", "agents", "{}")]),
    ];
    driver.event(snapshot(list));
    let message = driver
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    let texts: Vec<_> = message.parts().iter().map(|part| part.as_text()).collect();
    assert_eq!(texts, [Some("be"), None, Some("fore")]);
}

#[test]
fn a_user_message_absent_from_a_snapshot_stays_as_a_branch() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.event(snapshot(vec![user("other", "theirs")]));
    assert_eq!(shown(&driver), ["user=theirs"]);
    let conversation = driver.session.conversation();
    assert!(conversation.message(&message_id("id1")).is_some());
    let step = driver.event(snapshot(vec![user("other", "theirs"), user("id1", "hi")]));
    assert_eq!(step.diagnostics[0].code(), "other-branch");
    assert_eq!(shown(&driver), ["user=theirs"]);
}

#[test]
fn a_snapshot_does_not_drop_an_unsent_result() {
    let mut driver = Driver::new();
    let eager = action("f").with_eager(true);
    driver.register(eager);
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.returns("c", json!(7));
    driver.event(snapshot(vec![user("id1", "hi")]));
    assert_eq!(shown(&driver), ["user=hi", "assistant=[c]", "tool:c=7"]);
    driver.event(finished());
    driver.close();
    assert_eq!(request(&driver), ["user=hi", "assistant=[c]", "tool:c=7"]);
}

#[test]
fn a_snapshot_without_a_result_does_not_rerun_its_call() {
    let mut driver = answered();
    let list = vec![user("id1", "hi"), assistant("m", None, &[("c", "f", "{}")])];
    driver.event(snapshot(list));
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(shown(&driver), ["user=hi", "assistant=[c]"]);
    driver.event(finished());
    driver.close();
    assert_eq!(driver.starts("c"), 1);
    driver.send("more");
    let messages = request(&driver);
    assert_eq!(
        messages,
        ["user=hi", "assistant=[c]", "tool:c=\"done\"", "user=more"]
    );
}

#[test]
fn a_result_under_another_message_id_is_the_same_result() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.deny("c", None);
    driver.event(started());
    let list = vec![
        user("id1", "hi"),
        assistant("m", None, &[("c", "f", "{}")]),
        assistant("n", Some("fine"), &[]),
        tool("server", "c", "\"denied\""),
    ];
    driver.event(snapshot(list.clone()));
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    assert_eq!(driver.call("c").result().unwrap().message_id(), "server");
    assert_eq!(
        shown(&driver),
        [
            "user=hi",
            "assistant=[c]",
            "assistant=fine[]",
            "tool:c=\"denied\""
        ]
    );
    driver.event(snapshot(list));
    driver.event(finished());
    driver.close();
    driver.send("more");
    let messages = request(&driver);
    assert_eq!(
        messages[1..4],
        ["assistant=[c]", "tool:c=\"denied\"", "assistant=fine[]"]
    );
    assert_eq!(driver.runs.len(), 3);
}

#[test]
fn calls_that_only_a_snapshot_contains_run_too() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    let list = vec![
        user("id1", "hi"),
        assistant("m", None, &[("c", "f", "{\"x\":1}")]),
    ];
    driver.plays([snapshot(list)]);
    assert_eq!(*driver.invocation("c").args(), json!({"x": 1}));
}

#[test]
fn a_call_listed_in_two_messages_of_a_snapshot_is_one_call() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    let list = vec![
        user("id1", "hi"),
        assistant("m", None, &[("c", "f", "{}"), ("c", "f", "{}")]),
        assistant("n", None, &[("c", "f", "{}")]),
    ];
    driver.plays([snapshot(list)]);
    assert_eq!(driver.starts("c"), 1);
    driver.returns("c", json!(null));
    assert_answered(&driver.request().messages, &Default::default());
}

#[test]
fn changed_arguments_void_an_approval() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{\"x\":1}"));
    driver.approve("c");
    let list = vec![
        user("id1", "hi"),
        assistant("m", None, &[("c", "f", "{\"x\":2}")]),
    ];
    driver.event(snapshot(list));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.starts("c"), 0);
    driver.approve("c");
    assert_eq!(*driver.invocation("c").args(), json!({"x": 2}));
}

#[test]
fn a_snapshot_does_not_restart_a_running_handler() {
    let mut driver = Driver::new();
    let eager = action("f").with_eager(true);
    driver.register(eager);
    driver.send("hi");
    driver.event(started());
    driver.events(says("m", "x"));
    driver.events(calls("b", "agents", "{}"));
    driver.events(calls("c", "f", "{}"));
    assert_eq!(driver.starts("c"), 1);
    // The call before it is removed, and its arguments change: the handler continues.
    let list = vec![
        user("id1", "hi"),
        assistant("m", Some("x"), &[("c", "f", "{\"x\":2}")]),
    ];
    driver.event(snapshot(list));
    driver.event(finished());
    driver.close();
    driver.returns("c", json!(1));
    assert_eq!((driver.starts("c"), driver.cancelled.len()), (1, 0));
    assert_eq!(request(&driver), ["user=hi", "assistant=x[c]", "tool:c=1"]);
}

#[test]
fn arguments_that_continue_after_a_snapshot_are_checked_again() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events([start_in("c", "f", Some("m")), args("c", "{\"x\"")]);
    let list = vec![
        user("id1", "hi"),
        assistant("m", None, &[("c", "f", "{\"x\"")]),
    ];
    driver.event(snapshot(list));
    driver.events([args("c", ":1}"), end("c")]);
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    assert_eq!(driver.call("c").args(), Some(&json!({"x": 1})));
    driver.event(finished());
    driver.close();
    driver.approve("c");
    assert_eq!(*driver.invocation("c").args(), json!({"x": 1}));
}

#[test]
fn a_snapshot_rewrites_a_call_whose_preceding_text_it_omits() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    driver.send("hi");
    driver.event(started());
    driver.events([text_start("m"), text("m", "I will"), text_end("m")]);
    driver.events([
        start_in("c", "f", Some("m")),
        args("c", "{\"x\":1}"),
        end("c"),
    ]);
    let list = vec![
        user("id1", "hi"),
        assistant("m", None, &[("c", "f", "{\"x\":2}")]),
    ];
    driver.event(snapshot(list));
    assert_eq!(driver.call("c").args(), Some(&json!({"x": 2})));
    finish_run(&mut driver);
    driver.approve("c");
    assert_eq!(*driver.invocation("c").args(), json!({"x": 2}));
}

#[test]
fn a_snapshot_that_drops_user_messages_raises_a_notice_with_retry() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.says("hello");
    driver.send("what is new?");
    driver.event(started());
    let list = || snapshot(vec![assistant("fresh", Some("Welcome!"), &[])]);
    let step = driver.event(list());
    let codes = step.diagnostics.iter().map(|one| one.code());
    assert_eq!(codes.collect::<Vec<_>>(), ["user-message-forgotten"; 2]);
    driver.event(list());
    finish_run(&mut driver);
    assert_eq!(driver.notices(), [NoticeKind::Forgotten]);
    let notice = &driver.session.notices()[0];
    assert_eq!(
        (notice.action(), notice.is_failure()),
        (Some(NoticeAction::Retry), false)
    );
    assert_eq!(driver.input(Input::Retry).refused, None);
    assert_eq!(request(&driver), ["user=what is new?"]);
    driver.says("nothing");
    assert_eq!(driver.notices(), []);
    assert_eq!(shown(&driver), ["user=what is new?", "assistant=nothing[]"]);
    assert!(
        driver
            .session
            .conversation()
            .message(&message_id("fresh"))
            .is_some()
    );
}

#[test]
fn a_reload_keeps_the_retry_of_a_dropped_message() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.event(snapshot(vec![assistant("fresh", Some("Welcome!"), &[])]));
    finish_run(&mut driver);
    let mut later = Driver::new();
    later.host.ids = driver.host.ids;
    later.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    assert_eq!(later.notices(), [NoticeKind::Forgotten]);
    assert_eq!(later.input(Input::Retry).refused, None);
    assert_eq!(request(&later), ["user=hi"]);
}

#[test]
fn a_later_run_removes_the_retry_of_a_dropped_message() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver.event(snapshot(vec![assistant(
        "fresh",
        None,
        &[("c", "f", "{}")],
    )]));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    driver.says("done");
    assert_eq!(driver.notices(), [NoticeKind::Forgotten]);
    assert_eq!(driver.session.notices()[0].action(), None);
    assert_eq!(
        driver.input(Input::Retry).refused,
        Some(Refusal::NothingToDo)
    );
    assert!(
        driver
            .session
            .conversation()
            .message(&message_id("id1"))
            .is_some()
    );
}

/// A snapshot adds new messages at the end; most providers accept a system message only at the
/// beginning.
#[test]
fn system_messages_of_the_agent_are_sent_first() {
    let system = |id: &str, content: &str| {
        let content = content.to_owned();
        Message::new(id, MessageBody::System { content })
    };
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.event(snapshot(vec![
        system("s", "Be brief."),
        user("id1", "hi"),
        assistant("a", Some("hello"), &[]),
    ]));
    finish_run(&mut driver);
    driver.send("and?");
    let sent = ["system:s", "user=hi", "assistant=hello[]", "user=and?"];
    assert_eq!(request(&driver), sent);
    #[cfg(feature = "ui-stream")]
    {
        let history = assistant_protocols::ui_stream::ui_history(driver.session.conversation());
        assert_eq!(history.pointer("/messages/0/role"), Some(&json!("system")));
    }
}
