//! Outcomes of calls: values, errors, refusals, and their encoding (rules "every call is answered",
//! "results on the wire").

use assistant_core::{
    action::{ResultEncoding, ToolError, ToolOutcome},
    conversation::{ErrorKind, Phase, Progress},
    event::MessageBody,
    session::{Effect, FinishReason, Input, StreamEnd},
};
use serde_json::{Value, json};

use crate::support::*;

#[test]
fn values_are_sent_as_json_text() {
    for value in [
        json!("ok"),
        json!(true),
        json!([1, "a"]),
        json!({"b": 1, "a": 2}),
        json!(null),
    ] {
        let mut driver = with([action("f")]);
        driver.events(calls("c", "f", "{}"));
        finish_run(&mut driver);
        driver.returns("c", value.clone());
        let MessageBody::Tool { content, error, .. } = &driver.request().messages[2].body else {
            panic!("no tool message");
        };
        assert_eq!(content.display_text(), value.to_string());
        assert_eq!(*error, None);
        assert_eq!(*driver.call("c").result().unwrap().value(), value);
    }
}

#[test]
fn a_result_is_encoded_as_declared_at_the_start_of_the_call() {
    let plain = action("f")
        .with_encoding(ResultEncoding::Text)
        .with_detached(true);
    let mut driver = Driver::new();
    let id = driver.register(plain);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.unregister(id);
    driver.returns("c", json!("raw"));
    assert_eq!(driver.answer("c"), "raw");
}

#[test]
fn an_error_of_a_handler_is_sent_and_the_run_continues() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let error = ToolError::new("boom")
        .error_type("limit")
        .suggestion("wait");
    driver.handler_ends("c", Err(error));
    assert_eq!(driver.phase("c"), Phase::OutputError);
    let MessageBody::Tool { content, error, .. } = &driver.request().messages[2].body else {
        panic!("no tool message");
    };
    let expected = r#"{"error":"boom","errorType":"limit","suggestion":"wait"}"#;
    assert_eq!(
        (content.display_text().as_str(), error.as_deref()),
        (expected, Some("boom"))
    );
    driver.says("so be it");
    assert_eq!(driver.session.summary().finish(), Some(FinishReason::Stop));
}

#[test]
fn a_structured_failure_value_is_an_ordinary_result() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let value = json!({"success": false, "error": "no", "errorType": "x", "suggestion": "y"});
    driver.returns("c", value.clone());
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(driver.answer("c"), value.to_string());
}

#[test]
fn invalid_arguments_never_reach_a_handler() {
    let strict = asking("f").with_parameters(json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "pattern": "^[a-z]+$"},
            "importance": {"enum": ["low", "high"]},
        },
        "required": ["action"],
    }));
    let cases = [
        ("{}", "/action"),
        ("{\"action\":\"A\"}", "/action"),
        (
            "{\"action\":\"a\",\"importance\":\"urgent\"}",
            "/importance",
        ),
        ("{bad", "not valid JSON"),
        (&"[".repeat(200), "nested too deep"),
        ("[1]", "object"),
    ];
    for (text, expected) in cases {
        let mut driver = with([strict.clone()]);
        driver.events(calls("c", "f", text));
        assert_eq!(driver.phase("c"), Phase::InputAvailable, "{text}");
        finish_run(&mut driver);
        assert!(driver.invocations.is_empty(), "{text}");
        assert_eq!(driver.phase("c"), Phase::OutputError);
        assert_eq!(
            driver.call("c").error().unwrap().kind(),
            ErrorKind::InvalidArguments
        );
        let answer: Value = serde_json::from_str(&driver.answer("c")).unwrap();
        assert!(
            answer["error"].as_str().unwrap().contains(expected),
            "{answer}"
        );
        assert_eq!(driver.runs.len(), 2);
    }
    let relaxed = strict
        .with_validate(false)
        .with_approval(assistant_core::action::Policy::Never);
    let mut driver = with([relaxed]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn missing_arguments_are_an_empty_object() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), end("c")]);
    finish_run(&mut driver);
    assert_eq!(*driver.invocation("c").args(), json!({}));
}

#[test]
fn a_call_without_a_handler_fails_at_once() {
    let idle = action("idle").with_handler(false);
    let mut driver = with([idle]);
    driver.events(calls("c", "idle", "{}"));
    finish_run(&mut driver);
    assert_eq!(
        driver.call("c").error().unwrap().kind(),
        ErrorKind::NoHandler
    );
    assert_eq!(
        driver.answer("c"),
        "{\"error\":\"Action idle has no handler\"}"
    );
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn a_handler_is_cancelled_after_its_timeout() {
    let slow = action("f").with_timeout_ms(50);
    let mut driver = with([slow, action("g")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "g", "{}"));
    finish_run(&mut driver);
    let (timer, ms) = *driver.timers.last().unwrap();
    assert_eq!(ms, 50);
    driver.input(Input::Timer { timer });
    assert_eq!(driver.call("c").error().unwrap().kind(), ErrorKind::Timeout);
    assert_eq!(driver.cancelled, [driver.invocation("c").id()]);
    let before = driver.session.conversation().export();
    driver.returns("c", json!("late"));
    driver.input(Input::Timer { timer });
    assert_eq!(driver.session.conversation().export(), before);
    driver.returns("d", json!(1));
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn a_handler_that_ends_twice_has_only_its_first_result() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    let output = driver.returns("c", json!(2));
    assert!(output.changes.is_empty() && output.effects.is_empty());
    assert_eq!(driver.answer("c"), "1");
    assert_eq!(driver.runs.len(), 2);
}

#[test]
fn preliminary_results_are_shown_and_only_the_last_is_sent() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    let invocation = driver.invocation("c").id();
    for value in [1, 2] {
        driver.input(Input::Preliminary {
            invocation,
            value: json!(value),
        });
        assert_eq!(driver.call("c").preliminary(), Some(&json!(value)));
    }
    let progress = Progress::new(Some(0.5), Some("half".to_owned()));
    driver.input(Input::Progress {
        invocation,
        progress: progress.clone(),
    });
    assert_eq!(driver.call("c").progress(), Some(&progress));
    driver.returns("c", json!(3));
    let answers: Vec<String> = request(&driver)
        .into_iter()
        .filter(|m| m.starts_with("tool"))
        .collect();
    assert_eq!(answers, ["tool:c=3"]);
    let output = driver.input(Input::Preliminary {
        invocation,
        value: json!(4),
    });
    assert!(output.changes.is_empty());
}

#[test]
fn a_handler_may_end_the_loop() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "f", "{}"));
    finish_run(&mut driver);
    driver.handler_ends("c", Ok(ToolOutcome::StopLoop(json!("enough"))));
    driver.returns("d", json!(1));
    assert_eq!(driver.runs.len(), 1);
    assert_eq!(
        driver.session.summary().finish(),
        Some(FinishReason::StopLoop)
    );
    assert!(!driver.session.is_busy());
    driver.send("go on");
    assert_eq!(
        request(&driver)[2..],
        ["tool:c=\"enough\"", "tool:d=1", "user=go on"]
    );
    driver.plays(calls("e", "f", "{}"));
    driver.returns("e", json!(2));
    assert_eq!(driver.runs.len(), 3);
}

#[test]
fn a_call_with_incomplete_arguments_is_cancelled_and_not_sent() {
    let mut driver = with([action("f")]);
    driver.events(says("m", ""));
    driver.event(start_in("half", "f", Some("lonely")));
    driver.event(start_in("other", "f", Some("m")));
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.phase("half"), Phase::Cancelled);
    assert_eq!((driver.starts("half"), driver.starts("other")), (0, 0));
    driver.returns("c", json!(1));
    assert_eq!(request(&driver), ["user=hi", "assistant=[c]", "tool:c=1"]);
}

#[test]
fn a_call_of_a_truncated_stream_does_not_run() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    let run = driver.run();
    driver.input(Input::RunClosed {
        run,
        end: StreamEnd::Closed,
    });
    assert!(driver.commits.is_empty());
    assert_eq!(driver.answer("c"), "{\"error\":\"cancelled\"}");
}

#[test]
fn effects_are_emitted_in_execution_order() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    let kinds: Vec<&str> = driver
        .effects
        .iter()
        .map(|effect| match effect {
            Effect::PrepareRun { .. } => "prepare",
            Effect::OpenRun { .. } => "open",
            Effect::Commit { .. } => "commit",
            Effect::Invoke(_) => "invoke",
            Effect::Record { .. } => "record",
            Effect::StartTimer { .. } => "timer",
            _ => "other",
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "prepare", "open", "timer", "commit", "invoke", "record", "prepare", "open"
        ]
    );
}
