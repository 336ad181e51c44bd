//! Stored and shown references point to existing items.

use super::*;

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
    assert!(driver.call("c").result().unwrap().extra.is_empty());
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
fn what_is_shown_stands_where_the_tree_has_it() {
    let mut driver = second_run();
    let conversation = driver.session.conversation();
    let second = conversation.run_tip().cloned().unwrap();
    driver.events(says("n", "two"));
    let (message, exact) = (second.clone(), true);
    driver.input(Input::Tree {
        change: TreeChange::Select { message, exact },
    });
    // The server omits the first turn; the user's message stays beside the rest.
    let mut list = driver.session.conversation().received_messages();
    list.drain(..2);
    driver.event(snapshot(list));
    let shown: Vec<_> = driver
        .session
        .conversation()
        .path()
        .map(|m| &m.id)
        .collect();
    assert_eq!(shown, [&second]);
    assert_exports_itself(&driver);
}

#[test]
fn a_call_that_changed_after_the_question_says_so_after_a_reload() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{\"id\":1}"));
    driver.event(interrupted(vec![gate("int", "c")]));
    driver.close();
    driver.approve("c");
    driver.event(started());
    let rewritten = listed("m", &[("c", "f", "{\"id\":2}")]);
    driver.event(snapshot(vec![hi(), rewritten]));
    finish_run(&mut driver);
    assert!(driver.call("c").has_changed());
    assert_exports_itself(&driver);
    reload(&mut driver);
    assert!(driver.call("c").has_changed());
    assert_eq!(driver.phase("c"), Phase::ApprovalRequested);
    driver.approve("c");
    assert!(!driver.call("c").has_changed());
    assert_eq!(driver.invocation("c").args, json!({"id": 2}));
}
