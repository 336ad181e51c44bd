//! The duration of a turn, the time of questions in it, and the steps stored with an answer.

use assistant_core::{
    conversation::{AgentStep, Conversation, Cost, Cut},
    event::EventKind,
    session::{Input, SessionOptions, StopCondition},
};
use serde_json::json;

use crate::support::*;

/// Returns the total and waiting time of the whole conversation.
fn durations(driver: &Driver) -> (Option<u64>, Option<u64>) {
    let conversation = driver.session.conversation();
    let mut whole = Cost::default();
    for message in conversation.path() {
        whole.add(message.cost());
    }
    (whole.duration_ms(), whole.waited_ms())
}

fn asked() -> Driver {
    let mut driver = with([asking("f"), action("g")]);
    driver.send("hi");
    driver.host.clock += 1_000;
    driver.plays(calls("c", "f", "{}"));
    driver
}

#[test]
fn the_duration_of_a_turn_includes_runs_questions_and_tools() {
    let mut driver = asked();
    driver.host.clock += 4_000;
    assert_eq!(driver.approve("c"), None);
    driver.host.clock += 2_000;
    driver.returns("c", json!(1));
    driver.host.clock += 5_000;
    driver.plays(says("b", "Done."));
    assert_eq!(durations(&driver), (Some(12_000), Some(4_000)));
    let copy = Conversation::import(driver.session.conversation().export()).unwrap();
    let last = |of: &Conversation| of.path().last().unwrap().cost().clone();
    assert_eq!(last(&copy), last(driver.session.conversation()));
    assert_eq!(last(&copy).waited_ms(), Some(4_000));
    // Reading the answer is not part of the next one.
    driver.host.clock += 60_000;
    driver.send("again");
    driver.host.clock += 500;
    driver.plays(says("d", "Yes."));
    assert_eq!(durations(&driver), (Some(12_500), Some(4_000)));
}

#[test]
fn a_question_counts_as_waiting_only_after_the_run_ends() {
    let mut driver = with([asking("f")]);
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.host.clock += 3_000;
    // The agent is still speaking, so the user is not waited for.
    driver.events(says("m2", "One moment."));
    driver.host.clock += 1_000;
    driver.event(finished());
    driver.close();
    driver.host.clock += 2_000;
    driver.deny("c", None);
    driver.host.clock += 1_000;
    driver.plays(says("b", "Well."));
    assert_eq!(durations(&driver), (Some(7_000), Some(2_000)));
}

#[test]
fn an_open_interrupt_counts_as_waiting() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events(says("a", "A question."));
    driver.event(interrupted(vec![interrupt("int", None, json!(true))]));
    driver.close();
    driver.host.clock += 7_000;
    driver.answers("int", Some(json!(1)));
    driver.host.clock += 1_000;
    driver.plays(says("b", "Thanks."));
    assert_eq!(durations(&driver), (Some(8_000), Some(7_000)));
}

#[test]
fn questions_of_a_handler_count_as_waiting_but_not_its_work() {
    let mut driver = with([action("f")]);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    let invocation = driver.invocation("c").id();
    let set_asking = |driver: &mut Driver, is_open| {
        driver.input(Input::Asking {
            invocation,
            is_open,
        });
    };
    driver.host.clock += 2_000;
    // The time of two simultaneous questions counts once.
    set_asking(&mut driver, true);
    driver.host.clock += 10_000;
    set_asking(&mut driver, true);
    driver.host.clock += 20_000;
    set_asking(&mut driver, false);
    driver.host.clock += 5_000;
    set_asking(&mut driver, false);
    driver.host.clock += 1_000;
    driver.returns("c", json!(1));
    driver.host.clock += 500;
    driver.plays(says("b", "Done."));
    assert_eq!(durations(&driver), (Some(38_500), Some(35_000)));
}

#[test]
fn a_question_beside_a_running_tool_does_not_count_as_waiting() {
    let mut driver = with([action("f"), action("g")]);
    driver.send("hi");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    driver.events(calls("d", "g", "{}"));
    driver.event(finished());
    driver.close();
    let invocation = driver.invocation("c").id();
    driver.input(Input::Asking {
        invocation,
        is_open: true,
    });
    driver.host.clock += 4_000;
    driver.returns("d", json!(2));
    // From here on only the question is open, until its handler ends without withdrawing it.
    driver.host.clock += 3_000;
    driver.returns("c", json!(1));
    driver.host.clock += 1_000;
    driver.plays(says("b", "Done."));
    assert_eq!(durations(&driver), (Some(8_000), Some(3_000)));
}

#[test]
fn a_stopped_or_limited_turn_has_a_duration() {
    let mut driver = asked();
    driver.approve("c");
    driver.host.clock += 2_500;
    driver.input(Input::Stop);
    assert_eq!(durations(&driver), (Some(3_500), None));
    let options = SessionOptions::default().stop_when(StopCondition::RunCount(1));
    let mut driver = Driver::with(options);
    driver.register(action("g"));
    driver.send("hi");
    driver.plays(calls("c", "g", "{}"));
    driver.host.clock += 800;
    driver.returns("c", json!(1));
    assert_eq!(durations(&driver), (Some(800), None));
    // Time until the user continues does not count.
    driver.host.clock += 90_000;
    driver.input(Input::Continue);
    driver.host.clock += 200;
    driver.plays(says("b", "Done."));
    assert_eq!(durations(&driver), (Some(1_000), None));
}

#[test]
fn a_clock_set_back_or_a_reload_adds_no_time() {
    let mut driver = asked();
    driver.host.clock -= 50_000;
    driver.approve("c");
    driver.host.clock += 10;
    driver.returns("c", json!(1));
    driver.plays(says("b", "Done."));
    assert_eq!(durations(&driver).0, Some(1_000), "what is known");
    let mut before = asked();
    let snapshot = before.session.snapshot();
    let mut after = with([asking("f"), action("g")]);
    after.host.clock = before.host.clock + 3_600_000;
    after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: Vec::new(),
    });
    after.host.clock += 1_000;
    after.approve("c");
    after.returns("c", json!(1));
    after.host.clock += 250;
    after.plays(says("b", "Done."));
    assert_eq!(durations(&after), (Some(1_250), None));
    before.input(Input::Stop);
}

fn steps(driver: &Driver) -> Vec<AgentStep> {
    let messages = driver.session.conversation().path();
    messages
        .flat_map(|message| message.steps().to_vec())
        .collect()
}

/// Steps of which one was open when the answer broke off.
fn broken_off() -> Driver {
    let step = |name: &str| EventKind::StepStarted {
        step_name: name.to_owned(),
    };
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events([
        step("plan"),
        EventKind::StepFinished {
            step_name: "plan".to_owned(),
        },
        step("look"),
        text_start("a"),
        text("a", "It is"),
    ]);
    driver.close();
    driver
}

#[test]
fn truncated_steps_and_answers_keep_their_marks() {
    let mut driver = broken_off();
    let marks = |driver: &Driver| {
        let steps = steps(driver);
        let open: Vec<_> = steps.iter().map(|step| step.finished()).collect();
        let cut = driver
            .session
            .conversation()
            .path()
            .find_map(|message| message.cut());
        (open, cut)
    };
    let expected = (vec![true, false], Some(Cut::BrokenOff));
    assert_eq!(marks(&driver), expected);
    assert!(driver.session.summary().runs()[0].has_stored_steps());
    let first = |driver: &Driver| {
        driver
            .session
            .conversation()
            .path()
            .nth(1)
            .unwrap()
            .steps()
            .len()
    };
    driver.send("go on");
    driver.plays(says("b", "Here."));
    assert_eq!(marks(&driver), expected, "after more messages");
    assert_eq!(first(&driver), 2);
    let mut later = Driver::new();
    later.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    assert_eq!(marks(&later), expected, "after a reload");
    let sent = serde_json::to_string(&driver.session.conversation().export()).unwrap();
    assert!(sent.contains("\"steps\""));
    later.send("more");
    let request = format!("{:?}", later.request().messages);
    assert!(!request.contains("plan"), "they are not sent");
}

#[test]
fn a_stopped_answer_keeps_its_steps() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.events([
        EventKind::StepStarted {
            step_name: "look".to_owned(),
        },
        text_start("a"),
        text("a", "It is"),
    ]);
    driver.input(Input::Stop);
    let open: Vec<_> = steps(&driver).iter().map(|step| step.finished()).collect();
    assert_eq!(open, [false]);
}

#[test]
fn invalid_and_excess_steps_are_dropped_on_import() {
    let driver = broken_off();
    let mut exported = driver.session.conversation().export();
    let nodes = exported["messages"].as_array_mut().unwrap();
    let of = nodes
        .iter_mut()
        .map(|node| &mut node["message"])
        .find(|message| message.get("steps").is_some());
    let mut many: Vec<_> = (0..500)
        .map(|_| json!({"name": "x", "finished": true}))
        .collect();
    many.insert(0, json!({"name": 1, "finished": "yes"}));
    of.unwrap()["steps"] = many.into();
    let read = Conversation::import(exported).unwrap();
    let kept: Vec<_> = read.path().map(|message| message.steps().len()).collect();
    assert_eq!(kept, [0, 128]);
}
