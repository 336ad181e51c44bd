//! Rule "limits on agents": above a limit, what came before is kept, the rest is dropped with one
//! diagnostic and one notice, and the user can continue.

use assistant_core::{
    conversation::{Part, Phase},
    event::{
        Content, ContentPart, Diagnostic, EncryptedEntity, Event, EventKind, FunctionCall, Message,
        MessageBody, PartBody, ResumeStatus, Source, fault::ProtocolError,
    },
    limits::{Exceeded, LimitKind, Limits},
    session::{AgentTraits, Failure, FailureKind, Input, NoticeKind, Output, SessionOptions},
};
use assistant_protocols::{AgUi, Protocol, stream::Sink};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::*;

fn limited(limits: Limits) -> Driver {
    let options = SessionOptions::default().limits(limits);
    let mut driver = Driver::with(options);
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver
}

fn exceeded(driver: &Driver) -> Vec<Exceeded> {
    let notices = driver.session.notices().iter();
    notices.filter_map(|notice| notice.exceeded()).collect()
}

fn kinds(driver: &Driver) -> Vec<LimitKind> {
    exceeded(driver).iter().map(|of| of.limit()).collect()
}

fn codes(output: &Output) -> Vec<&'static str> {
    output.diagnostics.iter().map(|note| note.code()).collect()
}

fn text_of(driver: &Driver, id: &str) -> String {
    let mut messages = driver.session.conversation().path();
    let message = messages.find(|message| message.wire_id() == id).unwrap();
    message.parts().iter().filter_map(Part::as_text).collect()
}

/// Checks that the user can continue: a message is sent and answered.
fn assert_can_continue(driver: &mut Driver) {
    driver.send("still there?");
    // Answers to interrupts are sent before a new message.
    for _ in 0..2 {
        if driver.session.is_streaming() {
            driver.says("yes");
        }
    }
    assert!(!driver.session.is_busy());
    let sent = sketch(&driver.request().messages);
    assert!(
        sent.iter().any(|one| one == "user=still there?"),
        "{sent:?}"
    );
}

#[test]
fn a_message_is_cut_at_its_limit_and_the_run_continues() {
    let mut driver = limited(Limits::default().with_message_bytes(10));
    driver.events([
        text_start("m"),
        text("m", "12345678"),
        text("m", "9äx"),
        text("m", "more"),
    ]);
    // The limit falls within a character, which is dropped entirely.
    assert_eq!(text_of(&driver, "m"), "123456789");
    assert_eq!(kinds(&driver), [LimitKind::Message]);
    driver.events([text_end("m"), text_start("n"), text("n", "next")]);
    driver.event(finished());
    let closed = driver.close();
    assert_eq!(codes(&closed), ["limit"]);
    assert_eq!(text_of(&driver, "n"), "next");
    assert_eq!(exceeded(&driver).len(), 1);
    assert_eq!(exceeded(&driver)[0].dropped(), 3 + 4);
    assert_eq!(driver.notices(), [NoticeKind::LimitReached]);
    assert_can_continue(&mut driver);
}

#[test]
fn a_message_continued_in_another_run_keeps_its_limit() {
    let mut driver = limited(Limits::default().with_message_bytes(10));
    driver.events([text_start("m"), text("m", "12345678"), text_end("m")]);
    finish_run(&mut driver);
    driver.send("more");
    driver.plays([text_start("m"), text("m", "abcdef"), text_end("m")]);
    assert_eq!(text_of(&driver, "m"), "12345678ab");
}

#[test]
fn a_call_with_oversized_arguments_is_answered_and_not_run() {
    let mut driver = limited(Limits::default().with_argument_bytes(20));
    driver.events([start("big", "f"), args("big", r#"{"a":1}"#)]);
    driver.event(args("big", &" ".repeat(30)));
    driver.events([args("big", "{}"), end("big")]);
    driver.events(calls("small", "f", r#"{"a":2}"#));
    finish_run(&mut driver);
    assert_eq!(driver.starts("big"), 0);
    assert_eq!(driver.starts("small"), 1);
    assert_eq!(driver.phase("big"), Phase::OutputError);
    assert_eq!(driver.call("big").args_text().len(), 20);
    assert_eq!(kinds(&driver), [LimitKind::Arguments]);
    driver.returns("small", json!("done"));
    let sent = sketch(&driver.request().messages);
    assert!(
        sent.iter().any(|one| one.starts_with("tool:big=")),
        "{sent:?}"
    );
    driver.says("fine");
    assert_can_continue(&mut driver);
}

#[test]
fn the_arguments_of_interleaved_calls_are_limited() {
    let mut driver = limited(Limits::default().with_argument_bytes(20));
    driver.events([start("one", "f"), start("two", "f")]);
    for _ in 0..5 {
        driver.events([args("one", "        "), args("two", "      ")]);
    }
    driver.events([args("one", "{}"), args("two", "{}"), end("one"), end("two")]);
    finish_run(&mut driver);
    for id in ["one", "two"] {
        assert_eq!(driver.call(id).args_text().len(), 20, "{id}");
        assert_eq!(driver.starts(id), 0, "{id}");
        assert_eq!(driver.phase(id), Phase::OutputError, "{id}");
    }
    // The deltas after the cut ones are dropped as well.
    assert_eq!(exceeded(&driver)[0].dropped(), 5 * (8 + 6) + 2 * 2 - 2 * 20);
    driver.says("fine");
    assert_can_continue(&mut driver);
}

#[test]
fn a_call_with_cut_arguments_is_not_restarted_under_its_id() {
    let mut driver = limited(Limits::default().with_argument_bytes(20));
    driver.events([start("big", "f"), args("big", &" ".repeat(30)), end("big")]);
    driver.events(calls("big", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.starts("big"), 0);
    assert_eq!(driver.phase("big"), Phase::OutputError);
}

#[test]
fn the_limits_of_a_run_continue_over_another_connection() {
    let options = SessionOptions::default()
        .limits(Limits::default().with_argument_bytes(20))
        .with_agent(AgentTraits::default().with_resumes(true).with_replays(true));
    let mut driver = Driver::with(options);
    driver.register(action("f"));
    driver.send("hi");
    let arrived = [
        started(),
        start("big", "f"),
        args("big", r#"{"a":"0123456"#),
    ];
    driver.events(arrived.clone());
    driver.break_off(FailureKind::Network);
    assert!(driver.request().resumes);
    driver.events(arrived);
    driver.events([args("big", r#"7890123456"}"#), end("big")]);
    finish_run(&mut driver);
    assert_eq!(driver.starts("big"), 0);
    assert_eq!(kinds(&driver), [LimitKind::Arguments]);
}

#[test]
fn an_answer_is_resumed_a_bounded_number_of_times_without_the_user() {
    let traits = AgentTraits::default().with_resumes(true).with_replays(true);
    let options = SessionOptions::default().with_agent(traits);
    let mut driver = Driver::with(options);
    driver.send("hi");
    let mut sent = vec![started(), text_start("m")];
    driver.events(sent.clone());
    // Each connection brings one event more and breaks.
    let mut connections = 1;
    while driver.session.is_busy() && connections < 1_000 {
        driver.break_off(FailureKind::Network);
        if !driver.session.is_busy() {
            break;
        }
        connections += 1;
        sent.push(text("m", "more "));
        driver.events(sent.clone());
    }
    assert_eq!(connections, 51);
    assert_eq!(driver.notices(), [NoticeKind::Network]);
    assert_eq!(
        driver.input(Input::Retry).refused,
        None,
        "the user can retry"
    );
}

#[test]
fn an_eager_call_does_not_start_when_its_arguments_are_cut() {
    let options = SessionOptions::default()
        .limits(Limits::default().with_argument_bytes(8))
        .eager(true);
    let mut driver = Driver::with(options);
    driver.register(action("f"));
    driver.send("hi");
    driver.events([
        started(),
        start("c", "f"),
        args("c", "{}       x"),
        end("c"),
    ]);
    assert_eq!(driver.starts("c"), 0);
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 0);
}

#[test]
fn too_many_calls_end_the_run_and_no_call_starts() {
    let mut driver = limited(Limits::default().with_calls(3));
    for index in 0..5 {
        driver.events(calls(&format!("c{index}"), "f", "{}"));
    }
    assert!(!driver.session.is_streaming());
    assert_eq!(driver.aborted.len(), 1);
    assert!(driver.invocations.is_empty());
    assert_eq!(kinds(&driver), [LimitKind::Calls]);
    // The calls so far are answered with the next message.
    driver.send("go on");
    let sent = sketch(&driver.request().messages);
    let answers = sent.iter().filter(|one| one.starts_with("tool:c"));
    assert_eq!(answers.count(), 3, "{sent:?}");
    assert!(!sent.iter().any(|one| one.contains("c4")), "{sent:?}");
    driver.says("fine");
    assert_can_continue(&mut driver);
}

#[test]
fn calls_are_counted_per_run() {
    let mut driver = limited(Limits::default().with_calls(2));
    for run in 0..3 {
        driver.events((0..2).flat_map(|at| calls(&format!("{run}-{at}"), "g", "{}")));
        finish_run(&mut driver);
        driver.send("again");
        driver.event(started());
    }
    assert!(exceeded(&driver).is_empty());
}

#[test]
fn too_many_messages_end_the_run() {
    let mut driver = limited(Limits::default().with_messages(3));
    for index in 0..6 {
        driver.events(says(&format!("m{index}"), "text"));
    }
    assert!(!driver.session.is_streaming());
    assert_eq!(kinds(&driver), [LimitKind::Messages]);
    assert_eq!(text_of(&driver, "m2"), "text");
    assert!(driver.session.conversation().message_count() <= 1 + 4);
    assert_can_continue(&mut driver);
}

#[test]
fn a_snapshot_with_too_many_messages_changes_nothing() {
    let mut driver = limited(Limits::default().with_messages(3));
    driver.events(says("m", "before"));
    let message = |at: usize| {
        let body = MessageBody::Assistant {
            content: Some("flood".to_owned()),
            tool_calls: Vec::new(),
        };
        Message::new(format!("s{at}"), body)
    };
    driver.event(snapshot((0..4).map(message).collect()));
    assert_eq!(text_of(&driver, "m"), "before");
    assert_eq!(driver.session.conversation().message_count(), 2);
    assert_eq!(kinds(&driver), [LimitKind::Messages]);
    assert_can_continue(&mut driver);
}

#[test]
fn ids_and_names_over_their_limits_end_the_run() {
    let long = "x".repeat(50);
    for (event, kind) in [
        (text_start(&long), LimitKind::Id),
        (start(&long, "f"), LimitKind::Id),
        (start("c", &long), LimitKind::Name),
        (result(&long, "c", "text"), LimitKind::Id),
        (
            interrupted(vec![interrupt(&long, None, json!({}))]),
            LimitKind::Id,
        ),
        (
            EventKind::StepStarted {
                step_name: long.clone(),
            },
            LimitKind::Name,
        ),
    ] {
        let mut driver = limited(Limits::default().with_id_bytes(49).with_name_bytes(49));
        driver.event(event);
        assert!(!driver.session.is_streaming());
        assert_eq!(kinds(&driver), [kind]);
        driver.send("next");
        let request = format!("{:?}", driver.request());
        assert!(!request.contains(&long), "{kind:?}");
    }
}

#[test]
fn interrupts_over_the_limit_are_cancelled_with_the_next_run() {
    let mut driver = limited(Limits::default().with_interrupts(2));
    let schema = json!({"type": "object", "properties": {"approved": {"type": "boolean"}}});
    let raised = (0..5).map(|at| interrupt(&format!("i{at}"), None, schema.clone()));
    driver.event(interrupted(raised.collect()));
    driver.close();
    assert_eq!(driver.session.interrupts().len(), 2);
    let over = exceeded(&driver);
    assert_eq!(
        (over[0].limit(), over[0].dropped()),
        (LimitKind::Interrupts, 3)
    );
    driver.input(Input::Stop);
    driver.send("never mind");
    let resume = &driver.request().resume;
    let cancelled = resume
        .iter()
        .filter(|entry| entry.status == ResumeStatus::Cancelled);
    assert_eq!(cancelled.count(), 5, "{resume:?}");
    driver.says("fine");
    driver.says("fine");
    driver.send("and now");
    assert!(driver.request().resume.is_empty());
}

/// Servers of both dialects report each interrupt by an event and in the outcome.
#[test]
fn an_interrupt_in_both_dialects_counts_once() {
    let mut driver = limited(Limits::default().with_interrupts(3));
    for at in 0..3 {
        driver.event(EventKind::Custom {
            name: "on_interrupt".to_owned(),
            value: json!({"question": format!("Which colour, {at}?")}),
        });
    }
    let raised = (0..3).map(|at| interrupt(&format!("i{at}"), None, json!(null)));
    driver.event(interrupted(raised.collect()));
    driver.close();
    assert_eq!(driver.session.interrupts().len(), 3);
    assert_eq!(kinds(&driver), []);
}

#[test]
fn messages_of_a_run_input_are_limited() {
    let mut driver = limited(Limits::default().with_id_bytes(20));
    let mut input = driver.request().clone();
    input.messages[0].id = "i".repeat(21);
    driver.event(EventKind::RunStarted {
        thread_id: "thread".to_owned(),
        run_id: "again".to_owned(),
        protocol_version: None,
        parent_run_id: None,
        input: Some(Box::new(input)),
    });
    assert_eq!(kinds(&driver), [LimitKind::Id]);
}

#[test]
fn only_a_limit_that_ends_the_run_is_a_failure() {
    let mut driver = limited(Limits::default().with_message_bytes(3));
    driver.says("too long");
    let failures = |driver: &Driver| {
        let notices = driver.session.notices().iter();
        notices.filter(|notice| notice.is_failure()).count()
    };
    assert_eq!(
        (kinds(&driver), failures(&driver)),
        (vec![LimitKind::Message], 0)
    );
    let mut driver = limited(Limits::default().with_id_bytes(3));
    driver.event(text_start("long"));
    assert_eq!(
        (kinds(&driver), failures(&driver)),
        (vec![LimitKind::Id], 1)
    );
}

#[test]
fn results_over_the_limit_are_truncated() {
    let mut driver = limited(Limits::default().with_message_bytes(10));
    driver.events(calls("c", "server", "{}"));
    driver.event(result("r", "c", &"y".repeat(40)));
    let file = ContentPart {
        id: None,
        metadata: None,
        body: PartBody::Media {
            kind: "image".to_owned(),
            source: Source::Data {
                value: "A".repeat(40),
                mime_type: "image/png".to_owned(),
            },
        },
    };
    driver.events(calls("d", "server", "{}"));
    driver.event(EventKind::ToolCallResult {
        message_id: "s".to_owned(),
        tool_call_id: "d".to_owned(),
        content: Content::Parts(vec![file]),
    });
    finish_run(&mut driver);
    assert_eq!(driver.answer("c"), "y".repeat(10));
    assert_eq!(driver.answer("d"), "");
    assert_eq!(exceeded(&driver)[0].dropped(), 30 + 40);
}

#[test]
fn the_shared_state_stays_below_its_limit() {
    let mut driver = limited(Limits::default().with_state_bytes(5_000));
    driver.event(EventKind::StateSnapshot {
        snapshot: json!({"seed": "s".repeat(400), "list": []}),
    });
    let copy = json!({"op": "copy", "from": "/seed", "path": "/list/-"});
    let mut refused = 0;
    for _ in 0..1_000 {
        let output = driver.event(EventKind::StateDelta {
            delta: vec![copy.clone()],
        });
        refused += usize::from(codes(&output).contains(&"over-budget"));
    }
    assert!(refused > 900, "{refused}");
    let size = driver.session.conversation().state().to_string().len();
    assert!((2_000..5_000).contains(&size), "{size}");
    assert_eq!(driver.notices(), [NoticeKind::LimitReached]);
    assert_eq!(kinds(&driver), [LimitKind::State]);
    // Removed content no longer counts.
    let clear = json!({"op": "replace", "path": "/list", "value": []});
    let output = driver.event(EventKind::StateDelta {
        delta: vec![clear, copy],
    });
    assert!(codes(&output).is_empty());
    let output = driver.event(EventKind::StateSnapshot {
        snapshot: json!("x".repeat(6_000)),
    });
    assert_eq!(codes(&output), ["over-budget"]);
    finish_run(&mut driver);
    assert_can_continue(&mut driver);
}

#[test]
fn an_activity_stays_below_its_limit() {
    let mut driver = limited(Limits::default().with_activity_bytes(5_000));
    let shown = json!({"list": []});
    driver.event(EventKind::ActivitySnapshot {
        message_id: "a".to_owned(),
        activity_type: "plan".to_owned(),
        content: shown.as_object().unwrap().clone(),
        replace: true,
    });
    for _ in 0..200 {
        driver.event(EventKind::ActivityDelta {
            message_id: "a".to_owned(),
            activity_type: "plan".to_owned(),
            patch: vec![json!({"op": "add", "path": "/list/-", "value": "z".repeat(100)})],
        });
    }
    let mut messages = driver.session.conversation().path();
    let message = messages.find(|message| message.wire_id() == "a").unwrap();
    let size = format!("{:?}", message.parts()).len();
    drop(messages);
    assert!((2_000..6_000).contains(&size), "{size}");
    finish_run(&mut driver);
    assert_can_continue(&mut driver);
}

#[test]
fn a_run_ends_at_its_byte_limit() {
    let limits = Limits::default()
        .with_run_bytes(1_000)
        .with_message_bytes(300);
    let mut driver = limited(limits);
    for index in 0..20 {
        let id = format!("m{index}");
        driver.events(says(&id, &"w".repeat(200)));
    }
    assert!(!driver.session.is_streaming());
    assert_eq!(kinds(&driver), [LimitKind::Response]);
    assert_eq!(text_of(&driver, "m4"), "w".repeat(200));
    assert_can_continue(&mut driver);
}

fn encrypted(entity: EncryptedEntity, id: &str, value: &str) -> EventKind {
    EventKind::ReasoningEncryptedValue {
        entity,
        entity_id: id.to_owned(),
        encrypted_value: value.to_owned(),
    }
}

/// Returns the encrypted values of the newest request: of messages, calls and results.
fn sent_values(driver: &Driver) -> Vec<String> {
    let mut values = Vec::new();
    for message in &driver.request().messages {
        values.extend(message.encrypted_value.clone());
        if let MessageBody::Assistant { tool_calls, .. } = &message.body {
            values.extend(
                tool_calls
                    .iter()
                    .filter_map(|one| one.encrypted_value.clone()),
            );
        }
    }
    values
}

/// A shortened encrypted value would be useless to its provider.
#[test]
fn an_encrypted_value_over_the_limit_of_a_message_is_dropped() {
    let mut driver = limited(Limits::default().with_message_bytes(10));
    let entities = [
        (EncryptedEntity::Message, "m"),
        (EncryptedEntity::ToolCall, "c"),
        (EncryptedEntity::Message, "r"),
    ];
    driver.events(says("m", "text"));
    driver.events(calls("c", "theirs", "{}"));
    driver.event(result("r", "c", "done"));
    for (entity, id) in entities {
        driver.event(encrypted(entity, id, &format!("{id}234567890")));
        driver.event(encrypted(entity, id, "12345678901"));
    }
    assert_eq!(kinds(&driver), [LimitKind::Message]);
    driver.event(finished());
    assert_eq!(codes(&driver.close()), ["limit"]);
    assert_eq!(exceeded(&driver)[0].dropped(), 3 * 11);
    assert_eq!(driver.notices(), [NoticeKind::LimitReached]);
    assert_can_continue(&mut driver);
    assert_eq!(
        sent_values(&driver),
        ["m234567890", "c234567890", "r234567890"]
    );
}

#[test]
fn encrypted_values_in_a_list_of_messages_have_the_same_limit() {
    let mut driver = limited(Limits::default().with_message_bytes(10));
    let list = |value: &str| {
        let mut call = FunctionCall::new("c", "theirs", "{}");
        call.encrypted_value = Some(value.to_owned());
        let assistant = MessageBody::Assistant {
            content: Some("text".to_owned()),
            tool_calls: vec![call],
        };
        let done = MessageBody::Tool {
            content: Content::Text("done".to_owned()),
            tool_call_id: "c".to_owned(),
            error: None,
        };
        let mut messages = vec![Message::new("m", assistant), Message::new("r", done)];
        for message in &mut messages {
            message.encrypted_value = Some(value.to_owned());
        }
        snapshot(messages)
    };
    driver.event(list("12345678901"));
    driver.event(finished());
    assert_eq!(codes(&driver.close()), ["limit"]);
    assert_eq!(exceeded(&driver)[0].dropped(), 3 * 11);
    assert_can_continue(&mut driver);
    assert_eq!(sent_values(&driver), [""; 0]);

    driver.send("again");
    driver.plays([list("1234567890")]);
    driver.send("more");
    assert_eq!(sent_values(&driver), ["1234567890"; 3]);
}

#[test]
fn encrypted_values_count_towards_the_bytes_of_a_run() {
    let mut driver = limited(Limits::default().with_run_bytes(1_000));
    driver.event(text_start("m"));
    for _ in 0..20 {
        driver.event(encrypted(EncryptedEntity::Message, "m", &"v".repeat(200)));
    }
    assert!(!driver.session.is_streaming());
    assert_eq!(kinds(&driver), [LimitKind::Response]);
    assert_can_continue(&mut driver);
}

#[test]
fn diagnostics_and_notices_are_limited() {
    let mut driver = limited(Limits::default().with_diagnostics(5).with_notices(2));
    let mut reported = 0;
    for _ in 0..20 {
        reported += driver.event(text("nobody", "text")).diagnostics.len();
    }
    assert_eq!(reported, 5);
    let output = driver.event(text("nobody", "text"));
    assert!(output.diagnostics.is_empty());
    driver.event(finished());
    assert_eq!(codes(&driver.close()), ["left-out"]);
    for _ in 0..5 {
        driver.input(Input::SetNotice {
            kind: NoticeKind::Network,
            message: Some("no".to_owned()),
        });
        driver.input(Input::SetNotice {
            kind: NoticeKind::Offline,
            message: Some("no".to_owned()),
        });
        driver.input(Input::SetNotice {
            kind: NoticeKind::Http,
            message: Some("no".to_owned()),
        });
    }
    assert_eq!(driver.session.notices().len(), 2);
}

#[test]
fn side_events_are_kept_up_to_their_byte_limit() {
    let mut driver = limited(Limits::default().with_side_event_bytes(20_000));
    for index in 0..100 {
        driver.event(EventKind::Custom {
            name: format!("c{index}"),
            value: json!("v".repeat(1_000)),
        });
    }
    let output = driver.event(EventKind::Custom {
        name: "huge".to_owned(),
        value: json!("v".repeat(30_000)),
    });
    assert_eq!(codes(&output), ["side-event-limit"]);
    let kept = driver.session.side_events();
    assert!((5..20).contains(&kept.len()), "{}", kept.len());
    assert!(matches!(&kept.last().unwrap().kind, EventKind::Custom { name, .. } if name == "c99"));
}

/// A sink that drops everything.
struct Discard;

impl Sink for Discard {
    fn event(&mut self, _: Event) {}
    fn diagnostic(&mut self, _: Diagnostic) {}
}

/// Reads pieces of a response until it fails. Returns the number of bytes read until then.
fn read_until_it_fails(limits: &Limits, piece: &[u8]) -> (usize, String) {
    let mut driver = Driver::new();
    driver.send("hi");
    let mut reader = AgUi::default().decoder(driver.request(), limits);
    let mut read = 0;
    while !reader.has_failed() && read < 1_000_000 {
        reader.push(piece, &mut Discard);
        read += piece.len();
    }
    let error = reader.finish(&mut Discard).error;
    (
        read,
        error.map_or_else(String::new, |error| error.code().to_owned()),
    )
}

#[test]
fn comments_count_towards_the_response_limit() {
    let limits = Limits::default()
        .with_run_bytes(50_000)
        .with_event_bytes(1_000_000);
    for piece in [&b": nothing to say\n"[..], b": ", b"\n\n", b"retry: 1\n"] {
        let (read, code) = read_until_it_fails(&limits, piece);
        assert_eq!(code, "limit");
        assert!((50_000..50_100).contains(&read), "{read}");
    }
}

#[test]
fn a_single_event_has_its_own_limit() {
    let limits = Limits::default().with_event_bytes(2_000);
    let (read, code) = read_until_it_fails(&limits, b"data: x");
    assert_eq!(code, "event-limit");
    assert!((2_000..2_020).contains(&read), "{read}");
}

#[test]
fn the_failure_of_a_decoder_names_the_limit() {
    let limits = Limits::default()
        .with_run_bytes(50_000)
        .with_event_bytes(2_000);
    let named = |code| {
        let error = ProtocolError::new(code, "too much");
        let failure = Failure::of_decoder(&error, &limits);
        let exceeded = failure.exceeded().map(|of| (of.limit(), of.most()));
        (failure.kind(), exceeded)
    };
    let limit = |kind, most| (FailureKind::Limit, Some((kind, most)));
    assert_eq!(named("limit"), limit(LimitKind::Response, 50_000));
    assert_eq!(named("event-limit"), limit(LimitKind::Event, 2_000));
    assert_eq!(named("too-many-streams"), limit(LimitKind::Streams, 1_024));
    assert_eq!(named("invalid-json"), (FailureKind::Protocol, None));
}

#[test]
fn an_activity_over_its_limit_has_the_notice_of_a_limit() {
    let mut driver = limited(Limits::default().with_activity_bytes(1_000));
    let mut content = serde_json::Map::new();
    content.insert("text".to_owned(), json!("x".repeat(2_000)));
    let output = driver.event(EventKind::ActivitySnapshot {
        message_id: "a".to_owned(),
        activity_type: "plan".to_owned(),
        content,
        replace: true,
    });
    assert_eq!(codes(&output), ["over-budget"]);
    assert_eq!(kinds(&driver), [LimitKind::Activity]);
    finish_run(&mut driver);
    assert_can_continue(&mut driver);
}

#[test]
fn a_json_document_has_the_limit_of_an_event() {
    let limits = Limits::default().with_event_bytes(2_000);
    let (read, code) = read_until_it_fails(&limits, br#"{"a":"#);
    assert_eq!(code, "event-limit");
    assert!((2_000..2_020).contains(&read), "{read}");
}

#[test]
fn a_stream_of_exactly_its_limit_is_complete() {
    let whole = b"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n";
    let mut driver = Driver::new();
    driver.send("hi");
    for (most, fails) in [(whole.len(), false), (whole.len() - 1, true)] {
        let limits = Limits::default().with_run_bytes(most);
        let mut reader = AgUi::default().decoder(driver.request(), &limits);
        reader.push(whole, &mut Discard);
        assert_eq!(reader.has_failed(), fails);
    }
}

#[cfg(feature = "callouts")]
#[test]
fn a_callout_cut_by_a_limit_is_not_run() {
    use assistant_core::conversation::MarkdownTools;
    let written = "> [!tool f c]\n> input:\n>   a: 100\n>   b: 2000000\n";
    for eager in [false, true] {
        for most in 1..=written.len() {
            let options = SessionOptions::default()
                .limits(Limits::default().with_message_bytes(most))
                .markdown_tools(MarkdownTools::Intercept)
                .eager(eager);
            let mut driver = Driver::with(options);
            driver.register(action("f"));
            driver.send("hi");
            driver.events([
                started(),
                text_start("m"),
                text("m", written),
                text_end("m"),
            ]);
            finish_run(&mut driver);
            let whole = most == written.len();
            assert_eq!(driver.invocations.len(), usize::from(whole), "{most}");
            let started = driver.invocations.first().map(|one| one.args().clone());
            assert!(!whole || started == Some(json!({"a": 100, "b": 2_000_000})));
        }
    }
}

/// The limits of the random test.
fn small() -> Limits {
    Limits::default()
        .with_run_bytes(4_000)
        .with_message_bytes(200)
        .with_argument_bytes(200)
        .with_id_bytes(20)
        .with_name_bytes(20)
        .with_state_bytes(2_000)
        .with_activity_bytes(1_000)
        .with_messages(12)
        .with_calls(6)
        .with_interrupts(4)
        .with_side_event_bytes(2_000)
}

/// The largest size that a conversation may have after a run within [`small`]: text, arguments and
/// results up to the size of a run, the state, an activity for each message, and the frames of
/// messages and calls.
const MOST: usize = 4_000 + 2_000 + 13 * (1_000 + 500) + 8 * 1_500;

fn any_event() -> impl Strategy<Value = EventKind> {
    let id = "[a-f]|[a-z]{18,22}";
    let words = "[a-z ]{0,120}";
    let patch = prop_oneof![
        Just(json!({"op": "add", "path": "/l/-", "value": "n".repeat(90)})),
        Just(json!({"op": "copy", "from": "/l", "path": "/l/-"})),
        Just(json!({"op": "add", "path": "/l", "value": []})),
        Just(json!({"op": "remove", "path": "/l/0"})),
        Just(json!({"op": "move", "from": "/l/0", "path": "/m"})),
    ];
    let patches = prop::collection::vec(patch, 1..5);
    prop_oneof![
        id.prop_map(|id| text_start(&id)),
        (id, words).prop_map(|(id, words)| text(&id, &words)),
        id.prop_map(|id| text_end(&id)),
        (id, "[fg]|[a-z]{18,22}").prop_map(|(id, name)| start(&id, &name)),
        (id, words).prop_map(|(id, words)| args(&id, &words)),
        id.prop_map(|id| end(&id)),
        (id, id, words).prop_map(|(message, id, words)| result(&message, &id, &words)),
        patches
            .clone()
            .prop_map(|delta| EventKind::StateDelta { delta }),
        (id, patches).prop_map(|(id, patch)| EventKind::ActivityDelta {
            message_id: id,
            activity_type: "plan".to_owned(),
            patch,
        }),
        id.prop_map(|id| EventKind::ActivitySnapshot {
            message_id: id,
            activity_type: "plan".to_owned(),
            content: json!({"l": []}).as_object().unwrap().clone(),
            replace: true,
        }),
        words.prop_map(|words| EventKind::Custom {
            name: "c".to_owned(),
            value: Value::String(words),
        }),
        prop::collection::vec(id, 0..8).prop_map(|ids| {
            let ids = ids.iter().map(|id| interrupt(id, None, json!({})));
            interrupted(ids.collect())
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_session_stays_bounded_for_any_events(
        events in prop::collection::vec(any_event(), 0..400),
    ) {
        let mut driver = limited(small());
        driver.effects.clear();
        for event in events {
            driver.event(event);
            driver.effects.clear();
        }
        let session = &driver.session;
        prop_assert!(session.conversation().message_count() <= 1 + 13);
        prop_assert!(session.interrupts().len() <= 4);
        let side: usize = session.side_events().iter().map(|e| format!("{e:?}").len()).sum();
        prop_assert!(side <= 4_000, "{side}");
        let size = session.export().to_string().len();
        prop_assert!(size <= MOST, "{size} bytes");
        if session.is_streaming() {
            finish_run(&mut driver);
        }
        for call in driver.session.pending_approvals() {
            driver.decides(call, assistant_core::session::Verdict::Deny { reason: None });
        }
        driver.input(Input::Stop);
        assert_can_continue(&mut driver);
    }
}
