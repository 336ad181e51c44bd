//! Compares random streams of well-formed events.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use serde_json::Value;

use crate::compare::{compare, play, rule};
use crate::reference::Reference;

/// Compares `cases` streams with the reference. Fails if less than `whole` percent are compared
/// without an exception, since the generator or the exceptions would then be useless.
fn assert_same_as_reference(streams: impl Strategy<Value = Value>, cases: u32, whole: u32) {
    let Some(reference) = Reference::start() else {
        return;
    };
    let reference = RefCell::new(reference);
    let (all, compared) = (Cell::new(0_u32), Cell::new(0_u32));
    let outcome = TestRunner::new(conformance::property_config(cases)).run(&streams, |case| {
        let theirs = reference.borrow_mut().play(&case);
        let met = compare(theirs, play(&case))
            .map_err(|difference| TestCaseError::fail(format!("{difference}\n case: {case}")))?;
        all.set(all.get() + 1);
        let excused = [
            rule::BRANCH,
            rule::ACTIVITY,
            rule::SHARED_ID,
            rule::TWICE,
            rule::PREFIX,
        ];
        if !met.iter().any(|rule| excused.contains(rule)) {
            compared.set(compared.get() + 1);
        }
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(difference, _)) => panic!("{difference}"),
        Err(error) => panic!("{error}"),
    }
    let (all, compared) = (all.get(), compared.get());
    eprintln!("{compared} of {all} streams compared completely");
    assert!(compared * 100 >= all * whole, "{compared} of {all}");
}

#[test]
fn ordered_streams_become_the_same_conversation() {
    assert_same_as_reference(conformance::streams::any_ordered_stream(), 1_200, 60);
}

#[test]
fn unordered_streams_violate_the_same_rule() {
    assert_same_as_reference(conformance::streams::any_unordered_stream(), 1_200, 5);
}

#[test]
fn texts_split_anywhere_become_the_same() {
    assert_same_as_reference(conformance::cuts::any_cut_run(), 400, 60);
}

/// The cases that longer searches have found.
const FOUND: [&str; 5] = [
    r#"{"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m2","role":"user","content":[{"type":"text","text":"p"}]}]},{"type":"TEXT_MESSAGE_START","messageId":"m2"},{"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"x"},{"type":"TEXT_MESSAGE_END","messageId":"m2"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}],"input":null}"#,
    r#"{"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"TEXT_MESSAGE_START","messageId":"m1"},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m1","role":"tool","toolCallId":"c1","content":""}]},{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"x"},{"type":"TEXT_MESSAGE_END","messageId":"m1"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}],"input":null}"#,
    r#"{"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"TEXT_MESSAGE_START","messageId":"m2"},{"type":"TOOL_CALL_RESULT","messageId":"t1","toolCallId":"c2","content":""},{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"f"},{"type":"TOOL_CALL_RESULT","messageId":"t2","toolCallId":"c1","content":""},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m2","role":"assistant","toolCalls":[{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"t1","role":"tool","toolCallId":"c1","content":""},{"id":"t2","role":"tool","toolCallId":"c2","content":""}]},{"type":"TEXT_MESSAGE_END","messageId":"m2"},{"type":"TOOL_CALL_END","toolCallId":"c2"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}],"input":null}"#,
    r#"{"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"f"},{"type":"ACTIVITY_SNAPSHOT","messageId":"a1","activityType":"p","content":{"n":0}},{"type":"TOOL_CALL_RESULT","messageId":"a1","toolCallId":"c2","content":""},{"type":"ACTIVITY_DELTA","messageId":"a1","activityType":"p","patch":[{"op":"add","path":"/b","value":1}]},{"type":"MESSAGES_SNAPSHOT","messages":[]},{"type":"TOOL_CALL_END","toolCallId":"c2"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}],"input":null}"#,
    r#"{"stream":[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m2","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}]},{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"f","parentMessageId":"t2"},{"type":"TOOL_CALL_END","toolCallId":"c2"},{"type":"RUN_FINISHED","threadId":"t","runId":"r"}],"input":{"messages":[{"id":"m2","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"id":"t2","role":"tool","toolCallId":"c1","content":""}],"state":{}}}"#,
];

#[test]
fn found_cases_match_the_reference() {
    let Some(mut reference) = Reference::start() else {
        return;
    };
    for case in FOUND {
        let case: Value = serde_json::from_str(case).unwrap();
        if let Err(difference) = compare(reference.play(&case), play(&case)) {
            panic!("{difference}\n case: {case}");
        }
    }
}
