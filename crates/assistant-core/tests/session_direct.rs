//! Actions that the page requests itself, by the same path as an agent.

use assistant_core::{
    action::{ToolError, ToolOutcome},
    session::{Input, Refusal, SessionOptions, Verdict},
};
use serde_json::{Value, json};

use crate::support::*;

fn execute(driver: &mut Driver, request: u64, name: &str, args: Value) {
    driver.input(Input::Execute {
        request,
        name: name.to_owned(),
        args,
        within: None,
    });
}

fn outcome(driver: &Driver, request: u64) -> Option<Result<Value, String>> {
    let found = driver
        .executed
        .iter()
        .find(|(number, _)| *number == request);
    found.map(|(_, outcome)| outcome.clone().map_err(|error| error.message().to_owned()))
}

#[test]
fn a_direct_call_runs_and_leaves_no_trace_in_the_conversation() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    execute(&mut driver, 7, "f", json!({"x": 1}));
    assert_eq!(driver.commits.len(), 1);
    assert_eq!(*driver.invocations[0].args(), json!({"x": 1}));
    let id = driver.invocations[0].id();
    driver.input(Input::Finished {
        invocation: id,
        outcome: Ok(ToolOutcome::Continue(json!("done"))),
    });
    assert_eq!(outcome(&driver, 7), Some(Ok(json!("done"))));
    assert_eq!(driver.records.len(), 1);
    assert!(driver.runs.is_empty());
    assert_eq!(driver.session.conversation().direct_calls().count(), 0);
    driver.send("hi");
    assert_eq!(request(&driver), ["user=hi"]);
}

#[test]
fn an_unknown_action_or_invalid_arguments_fail_at_once() {
    let mut driver = Driver::new();
    let strict = action("s").with_parameters(json!({"type": "object", "required": ["x"]}));
    driver.register(strict);
    execute(&mut driver, 1, "nothing", json!({}));
    execute(&mut driver, 2, "s", json!({}));
    assert_eq!(
        outcome(&driver, 1),
        Some(Err("Action nothing not found".to_owned()))
    );
    assert!(
        outcome(&driver, 2)
            .is_some_and(|result| result.is_err_and(|e| e.contains("Invalid arguments")))
    );
    assert!(driver.invocations.is_empty());
}

#[test]
fn a_direct_call_needs_the_approval_that_its_action_requires() {
    let mut driver = Driver::new();
    driver.register(asking("f"));
    execute(&mut driver, 1, "f", json!({}));
    execute(&mut driver, 2, "f", json!({}));
    let keys = driver.session.pending_approvals();
    assert_eq!((keys.len(), driver.invocations.len()), (2, 0));
    let decide = |driver: &mut Driver, call, verdict| driver.decides(call, verdict).refused;
    assert_eq!(
        decide(&mut driver, keys[0], Verdict::Approve { args: None }),
        None
    );
    assert_eq!(driver.invocations.len(), 1);
    assert_eq!(
        decide(&mut driver, keys[1], Verdict::Deny { reason: None }),
        None
    );
    assert_eq!(
        outcome(&driver, 2),
        Some(Err("The person denied it".to_owned()))
    );
    assert_eq!(
        decide(&mut driver, keys[1], Verdict::Approve { args: None }),
        Some(Refusal::AlreadyResolved)
    );
    assert_eq!(driver.invocations.len(), 1);
}

#[test]
fn exclusivity_timeouts_and_stop_apply_to_direct_calls() {
    let mut driver = Driver::new();
    let alone = action("alone").with_exclusive(true);
    let slow = action("slow").with_timeout_ms(5);
    driver.register(alone);
    driver.register(slow);
    execute(&mut driver, 1, "slow", json!({}));
    execute(&mut driver, 2, "alone", json!({}));
    assert_eq!(driver.invocations.len(), 1, "the other one waits");
    let timer = driver.timers[0].0;
    driver.input(Input::Timer { timer });
    assert!(outcome(&driver, 1).is_some_and(|result| result.is_err()));
    assert_eq!(driver.invocations.len(), 2);
    driver.input(Input::Stop);
    assert_eq!(outcome(&driver, 2), Some(Err("cancelled".to_owned())));
    assert_eq!(driver.cancelled.len(), 2);
    let late = driver.invocations[1].id();
    driver.input(Input::Finished {
        invocation: late,
        outcome: Err(ToolError::new("late")),
    });
    assert_eq!(driver.executed.len(), 2);
}

/// Requests an action from the newest handler.
fn within(driver: &mut Driver, parent: usize, request: u64, name: &str) {
    driver.input(Input::Execute {
        request,
        name: name.to_owned(),
        args: json!({}),
        within: Some(driver.invocations[parent].id()),
    });
}

fn ends(driver: &mut Driver, number: usize) {
    let invocation = driver.invocations[number].id();
    let outcome = Ok(ToolOutcome::Continue(json!(number)));
    driver.input(Input::Finished {
        invocation,
        outcome,
    });
}

#[test]
fn a_handler_can_call_another_action() {
    let mut driver = Driver::new();
    let alone = action("outer").with_exclusive(true);
    driver.register(alone);
    driver.register(asking("inner"));
    driver.send("hi");
    driver.plays(calls("c", "outer", "{}"));
    within(&mut driver, 0, 1, "inner");
    assert_eq!(driver.invocations.len(), 1, "a person is asked");
    let call = driver.session.pending_approvals()[0];
    let verdict = Verdict::Approve { args: None };
    driver.decides(call, verdict);
    assert_eq!(
        driver.invocations.len(),
        2,
        "what waits for it does not hold it up"
    );
    ends(&mut driver, 1);
    assert_eq!(outcome(&driver, 1), Some(Ok(json!(1))));
    ends(&mut driver, 0);
    assert_eq!(driver.runs.len(), 2);
    within(&mut driver, 0, 2, "inner");
    let over = outcome(&driver, 2).unwrap().unwrap_err();
    assert_eq!(over, "The call that asks is over");
}

#[test]
fn handlers_that_each_call_an_exclusive_action_do_not_wait_for_each_other() {
    let mut driver = Driver::new();
    driver.register(action("outer"));
    driver.register(action("alone").with_exclusive(true));
    driver.send("hi");
    driver.plays([calls("a", "outer", "{}"), calls("b", "outer", "{}")].concat());
    assert_eq!(driver.invocations.len(), 2);
    within(&mut driver, 0, 1, "alone");
    assert_eq!(
        driver.invocations.len(),
        2,
        "the other handler may be working"
    );
    within(&mut driver, 1, 2, "alone");
    assert_eq!(
        driver.invocations.len(),
        3,
        "both handlers wait, so the first call starts"
    );
    ends(&mut driver, 2);
    assert_eq!(
        driver.invocations.len(),
        3,
        "the first handler continues alone"
    );
    ends(&mut driver, 0);
    assert_eq!(driver.invocations.len(), 4);
    ends(&mut driver, 3);
    ends(&mut driver, 1);
    assert_eq!(outcome(&driver, 2), Some(Ok(json!(3))));
    assert_eq!(driver.runs.len(), 2);
}

/// The result of a call of the page is not part of the agent's loop.
#[test]
fn a_call_of_the_page_does_not_end_the_loop() {
    let mut driver = Driver::new();
    driver.register(action("search"));
    driver.register(action("open"));
    driver.send("hi");
    driver.plays(calls("c", "search", "{}"));
    let stop = |driver: &mut Driver, number: usize| {
        let invocation = driver.invocations[number].id();
        let outcome = Ok(ToolOutcome::StopLoop(json!(number)));
        driver.input(Input::Finished {
            invocation,
            outcome,
        });
    };
    execute(&mut driver, 1, "open", json!({}));
    stop(&mut driver, 1);
    within(&mut driver, 0, 2, "open");
    stop(&mut driver, 2);
    assert_eq!(outcome(&driver, 2), Some(Ok(json!(2))));
    ends(&mut driver, 0);
    assert_eq!(driver.runs.len(), 2, "the result of the search is sent");
}

#[test]
fn nested_calls_are_cancelled_with_their_handler() {
    let mut driver = Driver::new();
    driver.register(action("outer"));
    driver.register(action("inner"));
    driver.register(action("innermost"));
    driver.send("hi");
    driver.plays(calls("c", "outer", "{}"));
    within(&mut driver, 0, 1, "inner");
    within(&mut driver, 1, 2, "innermost");
    driver.input(Input::Stop);
    assert_eq!(driver.cancelled.len(), 3);
    assert!(outcome(&driver, 2).is_some_and(|result| result.is_err()));
    assert_eq!(driver.session.conversation().direct_calls().count(), 0);
    // A handler that returns also ends the calls that it does not await.
    driver.send("again");
    driver.plays(calls("d", "outer", "{}"));
    within(&mut driver, 3, 3, "inner");
    assert_eq!(driver.invocations.len(), 5);
    ends(&mut driver, 3);
    assert_eq!(driver.cancelled.len(), 4);
    assert_eq!(outcome(&driver, 3), Some(Err("cancelled".to_owned())));
    assert_eq!(driver.session.conversation().direct_calls().count(), 0);
}

#[test]
fn nested_calls_have_a_depth_limit() {
    let mut driver = Driver::new();
    for number in 0..50 {
        driver.register(action(&format!("f{number}")));
    }
    execute(&mut driver, 0, "f0", json!({}));
    let mut depth = 0;
    while driver.invocations.len() > depth {
        let next = format!("f{}", depth + 1);
        within(&mut driver, depth, depth as u64 + 1, &next);
        depth += 1;
        assert!(depth < 50, "it never ends");
    }
    assert_eq!(depth, 5, "four below the first");
    let last = outcome(&driver, depth as u64).unwrap().unwrap_err();
    assert_eq!(last, "Actions call each other too deep");
}

#[test]
fn an_action_cannot_call_itself_through_another() {
    let mut driver = Driver::new();
    driver.register(action("a"));
    driver.register(action("b"));
    execute(&mut driver, 0, "a", json!({}));
    within(&mut driver, 0, 1, "a");
    within(&mut driver, 0, 2, "b");
    within(&mut driver, 1, 3, "a");
    for request in [1, 3] {
        let error = outcome(&driver, request).unwrap().unwrap_err();
        assert_eq!(error, "Action a would call itself");
    }
    assert_eq!(driver.invocations.len(), 2);
    // After its end, another call of the action is not nested in it.
    ends(&mut driver, 1);
    within(&mut driver, 0, 4, "b");
    assert_eq!(driver.invocations.len(), 3);
}

#[test]
fn an_audit_entry_of_a_nested_call_names_its_parent() {
    let mut driver = Driver::new();
    driver.audit = Some(Vec::new());
    driver.register(action("outer"));
    driver.register(asking("inner"));
    driver.send("hi");
    driver.plays(calls("c", "outer", "{}"));
    let parent = driver.key("c");
    within(&mut driver, 0, 1, "inner");
    let call = driver.session.pending_approvals()[0];
    driver.input(Input::Stop);
    let entries = driver.audit.take().unwrap();
    let (inner, outer): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| entry.call_key() == call);
    assert!(inner.len() >= 2 && outer.len() >= 3, "{entries:?}");
    assert!(inner.iter().all(|entry| entry.parent() == Some(parent)));
    assert!(outer.iter().all(|entry| entry.parent().is_none()));
    assert_eq!(inner[0].to_value()["parent"], json!(parent.number()));
    let last = inner.last().unwrap().to_value();
    assert_eq!(
        (&last["event"], &last["outcome"]),
        (&json!("ended"), &json!("cancelled"))
    );
}

#[test]
fn the_tool_history_lists_agent_and_direct_calls_in_order() {
    let mut driver = Driver::new();
    for name in ["add", "remove", "inner"] {
        driver.register(action(name));
    }
    driver.send("hi");
    let mut three = calls("c1", "add", "{\"x\":1}");
    three.extend(calls("c2", "remove", "{}"));
    three.extend(calls("c3", "add", "no json"));
    driver.plays(three);
    within(&mut driver, 0, 1, "inner");
    ends(&mut driver, 2);
    driver.returns("c1", json!("added"));
    let history = driver.session.tool_history();
    assert_eq!(history.total(), 4);
    assert_eq!(
        *history.counts(),
        *json!({"add": 2, "remove": 1, "inner": 1})
            .as_object()
            .unwrap()
    );
    assert_eq!((history.count("add"), history.count("nothing")), (2, 0));
    let entries: Vec<_> = history
        .records()
        .iter()
        .map(|one| (one.name(), one.phase().as_str(), one.parent()))
        .collect();
    let parent = Some(driver.key("c1"));
    assert_eq!(
        entries,
        [
            ("add", "output-available", None),
            ("remove", "running", None),
            ("add", "output-error", None),
            ("inner", "output-available", parent),
        ]
    );
    let [first, second, third, inner] = history.records() else {
        panic!("four records");
    };
    assert_eq!(
        (first.args(), first.result()),
        (&json!({"x": 1}), Some(&json!("added")))
    );
    assert_eq!(first.message(), Some("m"));
    assert_eq!(first.call_id(), "c1");
    assert!(first.action().is_some() && first.ended_at().is_some() && second.ended_at().is_none());
    assert_eq!(*third.args(), json!("no json"));
    assert!(third.error().unwrap().contains("not valid JSON"));
    assert_eq!((inner.message(), inner.result()), (None, Some(&json!(2))));
    driver.input(Input::NewThread);
    assert_eq!(driver.session.tool_history().total(), 0);
}

#[test]
fn the_tool_history_is_bounded_and_keeps_counting() {
    let mut driver = Driver::new();
    driver.register(action("f"));
    let long = "x".repeat(10_000);
    for number in 0..250 {
        execute(&mut driver, number, "f", json!({"text": long}));
        let newest = driver.invocations.len() - 1;
        ends(&mut driver, newest);
    }
    let history = driver.session.tool_history();
    assert_eq!(history.records().len(), 200);
    assert_eq!(history.total(), history.count("f"));
    let size: usize = history
        .records()
        .iter()
        .map(|one| one.args().to_string().len())
        .sum();
    assert!(size < 200 * 5_000, "{size}");
}

#[test]
fn in_a_sequential_session_a_call_waits_for_a_call_of_the_page() {
    let mut driver = Driver::with(SessionOptions::default().sequential(true));
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    execute(&mut driver, 1, "f", json!({}));
    driver.events(calls("1", "f", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.invocations.len(), 1, "the call of the page runs");
    let invocation = driver.invocations[0].id();
    driver.input(Input::Finished {
        invocation,
        outcome: Ok(ToolOutcome::Continue(json!("done"))),
    });
    assert_eq!(driver.starts("1"), 1);
    driver.returns("1", json!(1));
    assert_eq!(driver.runs.len(), 2);
}
