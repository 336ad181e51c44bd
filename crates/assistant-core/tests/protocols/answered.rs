//! Interrupts whose answers start a run that asks further questions, and during which the page is
//! reloaded.

use assistant_core::{
    action::{ActionSpec, Execution},
    conversation::Phase,
};
use serde_json::{Value, json};

use super::{Talk, reattach::Stored};
use crate::support::action;

fn bytes(frames: &[Value]) -> Vec<u8> {
    let frames = frames.iter().map(|frame| format!("data: {frame}\n\n"));
    frames.collect::<String>().into_bytes()
}

fn started() -> Value {
    json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r"})
}

fn call(id: &str) -> [Value; 3] {
    [
        json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "theirs"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": "{}"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": id}),
    ]
}

/// Returns the end of a run with an interrupt about a call, whose answer has the given schema.
fn finished_with_interrupt(id: &str, call: &str, schema: &Value) -> Value {
    let interrupt = json!({
        "id": id, "reason": "tool_call", "message": "?", "toolCallId": call, "responseSchema": schema,
    });
    let outcome = json!({"type": "interrupt", "interrupts": [interrupt]});
    json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r", "outcome": outcome})
}

fn text_schema() -> Value {
    json!({"type": "object", "properties": {"answer": {"type": "string"}}})
}

fn approval_schema() -> Value {
    json!({"type": "object", "properties": {"approved": {"type": "boolean"}}})
}

/// Plays a run that asks about the call `c1`, and the run with its answer, which asks about `c2`. The
/// page is reloaded during the second run.
fn ask_twice(schema: &Value, actions: &[ActionSpec], answer: impl FnOnce(&mut Talk)) -> Talk {
    let mut talk = Talk::new(Box::new(Stored::default()));
    talk.driver.send("hi");
    let [start, args, end] = call("c1");
    talk.answer(&bytes(&[
        started(),
        start,
        args,
        end,
        finished_with_interrupt("i1", "c1", schema),
    ]));
    answer(&mut talk);
    let [start, args, end] = call("c2");
    let second = [
        started(),
        start,
        args,
        end,
        finished_with_interrupt("i2", "c2", schema),
    ];
    talk.begin_answer(&bytes(&second[..2]));
    talk.reload(actions);
    talk.answer(&bytes(&second));
    talk
}

#[test]
fn an_answered_call_takes_its_result_after_a_further_question_and_a_reload() {
    let given = || Some(json!({"answer": "blue"}));
    // The page may draw the tool of the agent.
    let drawn = action("theirs").with_execution(Execution::Agent);
    for actions in [&[][..], &[drawn]] {
        let mut talk = ask_twice(&text_schema(), actions, |talk| {
            assert_eq!(talk.driver.answers("i1", given()), None);
        });
        assert_eq!(talk.driver.answers("i2", given()), None);
        talk.answer(&bytes(&[
            started(),
            json!({"type": "TOOL_CALL_RESULT", "messageId": "t1", "toolCallId": "c1", "content": "one"}),
            json!({"type": "TOOL_CALL_RESULT", "messageId": "t2", "toolCallId": "c2", "content": "two"}),
            json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r"}),
        ]));
        assert_eq!(talk.driver.answer("c1"), "one");
        assert_eq!(talk.driver.answer("c2"), "two");
    }
}

#[test]
fn a_denied_call_has_ended_after_a_further_question_and_a_reload() {
    let talk = ask_twice(&approval_schema(), &[], |talk| {
        assert_eq!(talk.driver.deny("c1", None), None);
    });
    assert_eq!(talk.driver.phase("c1"), Phase::OutputDenied);
    assert!(talk.driver.call("c1").result().is_some());
}
