//! The tree and its reducer through a session: parts, calls, results, both orders.

use assistant_core::{
    conversation::{Change, Part, Phase},
    event::{Content, ContentPart, MessageBody, PartBody},
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::*;

/// Creates a session with an open run.
fn with_open_run() -> Driver {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver
}

fn received(driver: &Driver) -> Vec<String> {
    sketch(&driver.session.conversation().received_messages())
}

#[test]
fn deltas_extend_one_text_part() {
    let mut driver = with_open_run();
    driver.events([text_start("m"), text("m", "Let me ")]);
    let step = driver.event(text("m", "check..."));
    let message = message_id("m");
    assert_eq!(step.changes, [Change::PartGrew { message, part: 0 }]);
    let message = driver
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    assert_eq!(message.parts().len(), 1);
    assert_eq!(message.text(), "Let me check...");
    assert!(message.is_streaming());
    driver.event(text_end("m"));
    let message = driver
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    assert!(!message.is_streaming());
}

#[test]
fn text_after_a_call_starts_a_new_part() {
    let mut driver = with_open_run();
    driver.events(says("m", "before"));
    driver.events(calls("c", "f", "{}"));
    driver.events(says("m", "after"));
    let message = driver
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    let texts: Vec<_> = message.parts().iter().map(Part::as_text).collect();
    assert_eq!(texts, [Some("before"), None, Some("after")]);
}

#[test]
fn a_result_changes_only_the_call_with_its_id() {
    let mut driver = with_open_run();
    driver.events(says("m", "text"));
    driver.events(calls("a", "f", "{}"));
    driver.events(calls("b", "f", "{\"x\":1}"));
    let before = driver
        .session
        .conversation()
        .message_to_json(&message_id("m"))
        .unwrap();
    driver.event(result("t", "b", "[1]"));
    let after = driver
        .session
        .conversation()
        .message_to_json(&message_id("m"))
        .unwrap();
    assert_eq!(before["parts"][0], after["parts"][0]);
    assert_eq!(before["parts"][1], after["parts"][1]);
    assert_eq!(driver.phase("b"), Phase::OutputAvailable);
    assert_eq!(*driver.call("b").result().unwrap().value(), json!([1]));
}

#[test]
fn a_result_may_precede_its_call() {
    let mut driver = with_open_run();
    let step = driver.event(result("t", "c", "ok"));
    assert_eq!(step.diagnostics[0].code(), "unknown-call");
    assert_eq!(received(&driver), ["user=hi", "tool:c=ok"]);
    driver.events(calls("c", "f", "{\"x\":1}"));
    assert_eq!(driver.phase("c"), Phase::OutputAvailable);
    assert_eq!(driver.call("c").args(), Some(&json!({"x": 1})));
    assert_eq!(received(&driver), ["user=hi", "tool:c=ok", "assistant=[c]"]);
    let request = sketch(&driver.session.conversation().request_messages());
    assert_eq!(request, ["user=hi", "assistant=[c]", "tool:c=ok"]);
}

#[test]
fn an_early_result_keeps_its_place_among_later_results() {
    let mut driver = with_open_run();
    driver.event(result("t1", "c", "first"));
    driver.event(result("t2", "d", "second"));
    driver.events(calls("d", "f", "{}"));
    driver.events(calls("c", "f", "{}"));
    assert_eq!(
        received(&driver),
        [
            "user=hi",
            "tool:c=first",
            "tool:d=second",
            "assistant=[d,c]"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Calls may appear in any order after their results, with texts and second results between
    /// them.
    #[test]
    fn early_results_keep_their_places_in_any_order_of_calls(
        order in Just((0..10_usize).collect::<Vec<_>>()).prop_shuffle(),
        between in prop::collection::vec(0..4_u8, 10),
    ) {
        let mut driver = with_open_run();
        driver.events(says("m", "one"));
        for n in 0..10 {
            driver.event(result(&format!("t{n}"), &format!("c{n}"), "x"));
        }
        let results: Vec<String> = (0..10).map(|n| format!("tool:c{n}=x")).collect();
        for (call, between) in order.into_iter().zip(between) {
            let id = format!("c{call}");
            driver.event(start_in(&id, "f", (between == 0).then_some("m")));
            match between {
                1 => driver.events(says(&format!("n{call}"), "two")),
                2 => drop(driver.event(result(&format!("u{call}"), &id, "second"))),
                _ => {}
            }
            let conversation = driver.session.conversation();
            prop_assert!(conversation.is_sound());
            let shown: Vec<_> = conversation.path().map(|message| message.id().clone()).collect();
            for place in 0..=shown.len() {
                let rest = conversation.path_from(place).map(|message| message.id().clone());
                prop_assert!(rest.eq(shown[place..].iter().cloned()));
            }
            let kept = received(&driver).into_iter().filter(|line| line.ends_with("=x"));
            prop_assert_eq!(kept.collect::<Vec<_>>(), results.clone());
        }
        driver.events((0..10).map(|n| end(&format!("c{n}"))));
        driver.plays([]);
        prop_assert!(driver.session.conversation().is_sound());
    }
}

#[test]
fn only_the_first_early_result_of_a_call_is_sent() {
    let mut driver = with_open_run();
    driver.event(result("t1", "c", "one"));
    driver.event(result("t2", "c", "two"));
    driver.events(calls("c", "f", "{}"));
    assert_eq!(driver.answer("c"), "one");
    let request = sketch(&driver.session.conversation().request_messages());
    assert_eq!(request, ["user=hi", "assistant=[c]", "tool:c=one"]);
    let step = driver.event(result("t3", "c", "three"));
    assert_eq!(step.diagnostics[0].code(), "call-is-final");
    assert_eq!(driver.answer("c"), "one");
}

#[test]
fn a_result_for_an_unknown_call_is_kept_and_reported() {
    let mut driver = with_open_run();
    driver.events(calls("c", "f", "{}"));
    let before = driver
        .session
        .conversation()
        .message_to_json(&message_id("m"))
        .unwrap();
    let step = driver.event(result("t", "zz", "?"));
    assert_eq!(step.diagnostics[0].code(), "unknown-call");
    let after = driver
        .session
        .conversation()
        .message_to_json(&message_id("m"))
        .unwrap();
    assert_eq!(before, after);
    assert_eq!(received(&driver).last().unwrap(), "tool:zz=?");
}

#[test]
fn a_call_is_placed_in_the_parent_message_that_it_names() {
    let mut driver = with_open_run();
    driver.events(says("m", "x"));
    let user = driver
        .session
        .conversation()
        .path()
        .next()
        .unwrap()
        .id()
        .clone();
    driver.event(start_in("a", "f", Some("m")));
    driver.event(start_in("b", "f", Some("new")));
    driver.event(start_in("c", "f", None));
    let step = driver.event(start_in("d", "f", Some(user.as_str())));
    assert_eq!(step.diagnostics[0].code(), "parent-is-no-assistant");
    let home = |id: &str| {
        let message = driver
            .session
            .conversation()
            .message_of_call(&driver.key(id));
        message.unwrap().id().to_string()
    };
    assert_eq!((home("a"), home("b")), ("m".to_owned(), "new".to_owned()));
    assert_eq!((home("c"), home("d")), ("c".to_owned(), "d".to_owned()));
    assert_eq!(driver.phase("a"), Phase::InputStreaming);
    assert_eq!(driver.call("a").args_text(), "");
}

#[test]
fn arguments_of_interleaved_calls_do_not_mix() {
    let mut driver = with_open_run();
    driver.events([start("a", "f"), start("b", "g")]);
    let pieces = [
        ("{\"t\":\"\\u", "{\"n\""),
        ("d83d\\u", ":1"),
        ("de00\\", "2"),
        ("n\"}", "}"),
    ];
    for (a, b) in pieces {
        driver.events([args("a", a), args("b", b)]);
    }
    assert_eq!(driver.call("b").partial_args(), Some(&json!({"n": 12})));
    driver.events([end("b"), end("a")]);
    assert_eq!(driver.call("a").args(), Some(&json!({"t": "😀\n"})));
    assert_eq!(driver.call("b").args(), Some(&json!({"n": 12})));
    let step = driver.event(args("zz", "{}"));
    assert_eq!(step.diagnostics[0].code(), "unknown-call");
    assert_eq!(
        driver.event(end("zz")).diagnostics[0].code(),
        "unknown-call"
    );
    assert_eq!(
        driver.event(args("a", "more")).diagnostics[0].code(),
        "call-has-ended"
    );
}

#[test]
fn empty_arguments_parse_as_an_object_and_invalid_ones_as_none() {
    let mut driver = with_open_run();
    driver.events([
        start("a", "f"),
        end("a"),
        start("b", "f"),
        args("b", "{bad"),
        end("b"),
    ]);
    assert_eq!(driver.call("a").args(), Some(&json!({})));
    assert_eq!(driver.call("b").args(), None);
    assert_eq!(driver.call("b").args_text(), "{bad");
}

#[test]
fn finished_calls_move_to_the_history_in_order_of_completion() {
    let mut driver = with_open_run();
    driver.events([
        start("a", "f"),
        end("a"),
        start("b", "f"),
        end("b"),
        result("t", "b", "1"),
    ]);
    let conversation = driver.session.conversation();
    assert_eq!(conversation.active_calls(), [driver.key("a")]);
    assert_eq!(conversation.call_history(), [driver.key("b")]);
    driver.event(result("t2", "a", "1"));
    let conversation = driver.session.conversation();
    assert_eq!(
        conversation.call_history(),
        [driver.key("b"), driver.key("a")]
    );
}

#[test]
fn content_parts_of_a_result_are_sent_unchanged() {
    let mut driver = with_open_run();
    driver.events(calls("c", "agents_tool", "{}"));
    let part = |text: &str| ContentPart {
        id: None,
        metadata: None,
        body: PartBody::Text(text.to_owned()),
    };
    let content = Content::Parts(vec![part("a"), part("b")]);
    driver.event(assistant_core::event::EventKind::ToolCallResult {
        message_id: "t".to_owned(),
        tool_call_id: "c".to_owned(),
        content: content.clone(),
    });
    assert_eq!(driver.answer("c"), "a\nb");
    let messages = driver.session.conversation().request_messages();
    let MessageBody::Tool { content: sent, .. } = &messages.last().unwrap().body else {
        panic!("no tool message");
    };
    assert_eq!(*sent, content);
}

#[test]
fn deep_arguments_and_unknown_ids_do_not_panic() {
    let mut driver = with_open_run();
    let deep = "[".repeat(100_000);
    driver.events([start("c", "f"), args("c", &deep), end("c")]);
    assert_eq!(driver.call("c").args(), None);
    driver.events([
        text("never", "opened"),
        text_end("never"),
        end("c"),
        end("c"),
    ]);
    driver.event(result("t", "c", &deep));
    assert_eq!(driver.answer("c").len(), deep.len());
}
