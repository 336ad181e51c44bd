//! A call stays itself, and what was shown is what runs, whatever a server makes of the history.

use assistant_core::{
    conversation::{CallKey, Change, Conversation, MarkdownTools, Phase},
    event::{Content, FunctionCall, Message, MessageBody, ResumeStatus},
    session::{Input, Options, Refusal, TreeChange, Verdict},
};
use serde_json::json;

use crate::support::*;

/// The person's message, as a server repeats it.
fn hi() -> Message {
    let content = Content::Text("hi".to_owned());
    Message::new("id1", MessageBody::User { content })
}

fn listed(id: &str, calls: &[(&str, &str, &str)]) -> Message {
    let call = |(id, name, args): &(&str, &str, &str)| FunctionCall::new(*id, *name, *args);
    let body = MessageBody::Assistant {
        content: None,
        tool_calls: calls.iter().map(call).collect(),
    };
    Message::new(id, body)
}

fn answer_to(id: &str, call: &str, content: &str) -> Message {
    let body = MessageBody::Tool {
        tool_call_id: call.to_owned(),
        content: Content::Text(content.to_owned()),
        error: None,
    };
    Message::new(id, body)
}

/// Approves a card as it stands on the screen.
fn click(driver: &mut Driver, call: CallKey, card: &Driver) -> Option<Refusal> {
    let shown = card.session.fingerprint(&call);
    let verdict = Verdict::Approve { args: None };
    let decide = Input::Decide {
        call,
        shown,
        verdict,
    };
    driver.input(decide).refused
}

fn reload(driver: &mut Driver) {
    let thread_id = driver.session.thread_id().to_owned();
    let snapshot = driver.session.export();
    let step = driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    assert_eq!(step.refused, None);
}

fn export(driver: &Driver) -> serde_json::Value {
    driver.session.conversation().export()
}

fn assert_exports_itself(driver: &Driver) {
    let again = Conversation::import(export(driver)).unwrap();
    assert_eq!(again.export(), export(driver));
}

#[test]
fn an_approval_does_not_slip_to_the_neighbour_of_a_dropped_call() {
    let mut driver = with([asking("pay")]);
    driver.events(calls("a", "pay", "{\"to\":\"Ann\"}"));
    driver.events(calls("b", "pay", "{\"to\":\"Bob\"}"));
    let (screen, first) = (driver.clone(), driver.key("a"));
    driver.event(snapshot(vec![
        hi(),
        listed("m", &[("b", "pay", "{\"to\":\"Bob\"}")]),
    ]));
    assert_eq!(
        click(&mut driver, first, &screen),
        Some(Refusal::AlreadyResolved)
    );
    finish_run(&mut driver);
    assert!(driver.invocations.is_empty());
    let second = driver.key("b");
    assert_eq!(driver.session.pending_approvals(), [second]);
    let screen = driver.clone();
    assert_eq!(click(&mut driver, second, &screen), None);
    assert_eq!(driver.starts("a"), 0);
    assert_eq!(driver.invocation("b").args, json!({"to": "Bob"}));
}

#[test]
fn a_denied_call_that_a_list_moves_to_another_message_does_not_run() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), args("c", "{}"), end("c")]);
    driver.event(interrupted(vec![gate("int", "c")]));
    driver.close();
    assert_eq!(driver.deny("c", Some("no")), None);
    driver.event(started());
    driver.event(snapshot(vec![
        hi(),
        listed("server-1", &[("c", "f", "{}")]),
    ]));
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::OutputDenied)
    );
}

#[test]
fn a_call_that_changes_after_the_agents_question_is_asked_about_anew() {
    for (name, args) in [("erase_faq", "{\"id\":1}"), ("lookup_faq", "{\"id\":2}")] {
        let mut driver = with([action("lookup_faq"), action("erase_faq")]);
        driver.events(calls("c", "lookup_faq", "{\"id\":1}"));
        driver.event(interrupted(vec![gate("int", "c")]));
        driver.close();
        let (screen, key) = (driver.clone(), driver.key("c"));
        assert_eq!(click(&mut driver, key, &screen), None);
        driver.event(started());
        driver.event(snapshot(vec![hi(), listed("m", &[("c", name, args)])]));
        finish_run(&mut driver);
        assert!(driver.invocations.is_empty(), "{name} {args}");
        assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
        assert!(driver.call("c").has_changed(), "{name} {args}");
        assert_eq!(click(&mut driver, key, &screen), Some(Refusal::Changed));
        let screen = driver.clone();
        assert_eq!(click(&mut driver, key, &screen), None);
        let ran = driver.invocation("c");
        assert_eq!(
            (ran.name.as_str(), ran.args.to_string().as_str()),
            (name, args)
        );
    }
}

#[test]
fn a_finished_handler_does_not_run_again_in_another_message() {
    let mut driver = with([action("f")]);
    driver.events([start("c", "f"), args("c", "{}"), end("c")]);
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    driver.event(started());
    driver.event(snapshot(vec![
        hi(),
        listed("server-1", &[("c", "f", "{}")]),
    ]));
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (1, Phase::OutputAvailable)
    );
}

#[test]
fn a_result_that_only_a_list_brings_ends_its_card() {
    let mut driver = with([]);
    driver.events(calls("c", "theirs", "{}"));
    let list = vec![
        hi(),
        listed("m", &[("c", "theirs", "{}")]),
        answer_to("t", "c", "1"),
    ];
    let step = driver.event(snapshot(list));
    assert_eq!(
        (driver.phase("c"), driver.answer("c").as_str()),
        (Phase::OutputAvailable, "1")
    );
    assert!(step.changes.contains(&Change::Call(driver.key("c"))));
}

#[test]
fn a_call_that_is_listed_twice_runs_once() {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    let twice = listed("m", &[("c", "f", "{}"), ("c", "f", "{}")]);
    driver.event(snapshot(vec![hi(), twice]));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.session.conversation().path_calls().len(), 1);
}

/// A second run; the message `m` is of the first.
fn second_run() -> Driver {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    finish_run(&mut driver);
    driver.send("more");
    driver.event(started());
    driver
}

#[test]
fn a_call_that_a_list_adds_to_an_old_message_does_not_run() {
    let mut driver = second_run();
    let mut list = driver.session.conversation().received_messages();
    list[1] = listed("m", &[("c", "f", "{}")]);
    driver.event(snapshot(list));
    let mut reloaded = driver.clone();
    reload(&mut reloaded);
    assert_eq!(
        (reloaded.starts("c"), reloaded.phase("c")),
        (0, Phase::Cancelled)
    );
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::Cancelled)
    );
    assert_eq!(
        driver.answer("c"),
        r#"{"error":"cancelled","reason":"superseded"}"#
    );
}

#[test]
fn a_call_that_is_listed_before_an_old_result_does_not_run() {
    let mut driver = with([action("f")]);
    driver.events(calls("a", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("a", json!(1));
    driver.event(started());
    let mut list = driver.session.conversation().received_messages();
    list.insert(2, listed("n", &[("b", "f", "{}")]));
    driver.event(snapshot(list));
    finish_run(&mut driver);
    assert_eq!((driver.starts("a"), driver.starts("b")), (1, 0));
}

#[test]
fn a_result_that_lost_its_call_is_as_old_as_before() {
    let mut driver = with([action("f")]);
    driver.events(calls("a", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("a", json!(1));
    driver.event(started());
    let mut list = driver.session.conversation().received_messages();
    list[1] = listed("m", &[]);
    driver.event(snapshot(list.clone()));
    let answer = list.remove(2);
    driver.event(snapshot(vec![
        hi(),
        listed("n", &[("b", "f", "{}")]),
        answer,
    ]));
    finish_run(&mut driver);
    assert_eq!((driver.starts("a"), driver.starts("b")), (1, 0));
}

#[test]
fn what_a_failed_try_left_does_not_run_in_the_next_under_another_id() {
    let mut driver = with([action("f")]);
    driver.events(calls("a", "theirs", "{}"));
    driver.event(result("t", "a", "1"));
    driver.events(calls("b", "f", "{}"));
    let list = driver.session.conversation().received_messages();
    driver.event(run_error("boom"));
    driver.close();
    driver.input(Input::Retry);
    driver.event(started());
    let (renamed, answer) = (listed("n", &[("b", "f", "{}")]), list[2].clone());
    driver.event(snapshot(vec![list[0].clone(), renamed, answer]));
    finish_run(&mut driver);
    assert_eq!(driver.starts("b"), 0);
}

#[test]
fn a_question_is_put_again_after_a_reload_whatever_the_rule_says_by_then() {
    let mut rule = action("f");
    rule.approval = assistant_core::action::Policy::Ask;
    let mut driver = Driver::new();
    driver.host.ask = Some(true);
    driver.register(rule);
    driver.send("hi");
    driver.plays(calls("c", "f", "{}"));
    driver.host.ask = Some(false);
    reload(&mut driver);
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    driver.approve("c");
    assert_eq!(driver.starts("c"), 1);
}

#[test]
fn a_denied_call_that_never_ended_is_in_no_request() {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    driver.event(start_in("c", "f", Some("m")));
    driver.event(interrupted(vec![gate("int", "c")]));
    driver.close();
    driver.deny("c", None);
    driver.says("as you like");
    assert_eq!(driver.phase("c"), Phase::OutputDenied);
    driver.send("more");
    assert_eq!(request(&driver)[1], "assistant=well[]");
}

#[test]
fn a_refusal_outlives_the_branch_that_a_person_deletes() {
    let mut driver = with([asking("f"), action("g")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.deny("c", None);
    driver.event(started());
    // The server forgets it: it stays beside, for what the person decided in it.
    driver.event(snapshot(vec![hi(), listed("n", &[])]));
    finish_run(&mut driver);
    let message = message_id("m");
    driver.input(Input::Tree {
        change: TreeChange::Delete { message },
    });
    assert_exports_itself(&driver);
    driver.send("more");
    driver.plays(calls("c", "g", "{}"));
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::OutputDenied)
    );
}

#[test]
fn what_goes_on_below_a_message_that_leaves_is_reported_as_moved() {
    let mut driver = second_run();
    let list = driver.session.conversation().received_messages();
    let step = driver.event(snapshot(vec![list[0].clone(), list[2].clone()]));
    let moved = driver.session.conversation().run_tip().cloned().unwrap();
    assert!(step.changes.contains(&Change::MessageMoved(moved)));
}

#[test]
fn a_result_that_was_not_sent_comes_back_as_it_was() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    reload(&mut driver);
    assert!(driver.call("c").result.as_ref().unwrap().extra.is_empty());
    assert_exports_itself(&driver);
}

#[test]
fn arguments_that_go_on_or_broke_off_are_not_taken_for_complete() {
    let mut driver = with([]);
    driver.events(calls("c", "theirs", "{\"x\": 1}"));
    driver.event(start("c", "theirs"));
    assert_eq!(driver.call("c").args(), None);
    assert_exports_itself(&driver);
    finish_run(&mut driver);
    assert_eq!(driver.phase("c"), Phase::Cancelled);
    assert_exports_itself(&driver);
}

#[test]
fn an_export_names_nothing_that_was_moved_or_deleted() {
    let mut driver = with([]);
    driver.events(says("m", "one"));
    driver.events(says("n", "two"));
    finish_run(&mut driver);
    let (message, parent) = (message_id("n"), Some(message_id("id1")));
    driver.input(Input::Tree {
        change: TreeChange::Reparent { message, parent },
    });
    assert_exports_itself(&driver);
}

#[test]
fn a_branch_whose_difference_left_the_tree_is_no_other() {
    let mut driver = with([]);
    driver.events(says("m", "one"));
    driver.events(says("n", "two"));
    let (message, exact) = (message_id("m"), true);
    driver.input(Input::Tree {
        change: TreeChange::Select { message, exact },
    });
    assert!(driver.session.conversation().shows_other_branch());
    let mut list = driver.session.conversation().received_messages();
    list.truncate(2);
    driver.event(snapshot(list));
    assert!(!driver.session.conversation().shows_other_branch());
}

#[test]
fn a_question_that_was_given_up_before_a_reload_is_answered_where_it_was_put() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![gate("int", "c")]));
    driver.close();
    driver.input(Input::Stop);
    let message = message_id("m");
    driver.input(Input::Tree {
        change: TreeChange::Regenerate {
            message: message.clone(),
        },
    });
    let exact = false;
    driver.input(Input::Tree {
        change: TreeChange::Select { message, exact },
    });
    reload(&mut driver);
    driver.send("more");
    assert_eq!(
        request(&driver)[1..3],
        ["assistant=[c]", "tool:c=\"denied\""]
    );
}

#[test]
fn a_message_whose_call_runs_is_not_moved_away_from_its_run() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.events(says("n", "two"));
    finish_run(&mut driver);
    let (message, parent) = (message_id("n"), Some(message_id("id1")));
    let change = TreeChange::Reparent { message, parent };
    let step = driver.input(Input::Tree {
        change: change.clone(),
    });
    assert_eq!(step.refused, Some(Refusal::Busy));
    driver.returns("c", json!(1));
    driver.says("done");
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
}

#[test]
fn an_approval_that_a_change_of_rules_voids_is_asked_for_again() {
    let mut driver = with([asking("f")]);
    driver.manual_commits = true;
    driver.events(calls("c", "f", "{\"to\":\"Ann\"}"));
    finish_run(&mut driver);
    let args = Some(json!({"to": "Bob"}));
    assert_eq!(driver.decide("c", Verdict::Approve { args }), None);
    let mut reloaded = driver.clone();
    // Nobody has to be asked from here on, but somebody was, about something else.
    driver.register(action("f"));
    let commit = driver.commits[0].0;
    driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    reloaded.register(action("f"));
    reload(&mut reloaded);
    assert_eq!(
        (reloaded.starts("c"), reloaded.phase("c")),
        (0, Phase::ApprovalRequested)
    );
}

#[test]
fn one_card_answers_all_that_ask_about_its_call() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    driver.event(interrupted(vec![gate("one", "c"), gate("two", "c")]));
    driver.close();
    let mut halves = driver.clone();
    assert_eq!(driver.approve("c"), None);
    assert_eq!(driver.request().resume.len(), 2);
    driver.plays([]);
    assert_eq!(driver.starts("c"), 1);
    // By their ids they can be answered apart: one denial is enough.
    for (id, approved) in [("one", true), ("two", false)] {
        halves.input(Input::Answer {
            interrupt_id: id.to_owned(),
            status: ResumeStatus::Resolved,
            payload: Some(json!({"approved": approved})),
        });
    }
    halves.plays([]);
    assert_eq!(
        (halves.starts("c"), halves.phase("c")),
        (0, Phase::OutputDenied)
    );
}

#[cfg(feature = "callouts")]
#[test]
fn a_written_call_that_a_list_has_anywhere_is_one_call() {
    for home in ["m", "n"] {
        let mut driver = Driver::with(Options {
            markdown_tools: MarkdownTools::Intercept,
            ..Options::default()
        });
        driver.register(action("f"));
        driver.send("hi");
        driver.plays(says("m", "> [!tool f c]\n> input: {\"x\":1}\n"));
        driver.returns("c", json!(1));
        driver.event(started());
        let mut list = driver.request().messages.clone();
        if home == "n" {
            let MessageBody::Assistant { tool_calls, .. } = &mut list[1].body else {
                panic!("{list:?}");
            };
            tool_calls.clear();
            list.push(listed("n", &[("c", "f", "{}")]));
        }
        driver.event(snapshot(list.clone()));
        driver.event(snapshot(list));
        finish_run(&mut driver);
        assert_eq!(
            driver.session.conversation().path_calls().len(),
            1,
            "{home}"
        );
        assert_eq!(driver.starts("c"), 1, "{home}");
    }
}
