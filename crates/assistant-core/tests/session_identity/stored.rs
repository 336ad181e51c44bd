//! References in stored and shown data point to existing items.

use super::*;

#[test]
fn the_child_of_an_omitted_message_is_reported_as_moved() {
    let mut driver = second_run();
    let list = driver.session.conversation().received_messages();
    let step = driver.event(snapshot(vec![list[0].clone(), list[2].clone()]));
    let moved = driver.session.conversation().run_tip().cloned().unwrap();
    assert!(step.changes.contains(&Change::MessageMoved(moved)));
}

#[test]
fn an_unsent_result_is_unchanged_after_a_reload() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    reload(&mut driver);
    assert!(driver.call("c").result().unwrap().extra().is_empty());
    assert_exports_itself(&driver);
}

#[test]
fn reopened_or_truncated_arguments_are_not_complete() {
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
fn an_export_after_a_move_can_be_imported() {
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
fn the_shown_branch_is_current_once_its_continuation_is_omitted() {
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
fn a_message_cannot_be_moved_while_a_call_of_its_run_runs() {
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
fn the_shown_path_follows_a_snapshot_that_omits_its_start() {
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
        .map(|m| m.id())
        .collect();
    assert_eq!(shown, [&second]);
    assert_exports_itself(&driver);
}

#[test]
fn a_changed_call_is_still_marked_after_a_reload() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{\"id\":1}"));
    driver.event(interrupted(vec![approval_interrupt("int", "c")]));
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
    assert_eq!(*driver.invocation("c").args(), json!({"id": 2}));
}
