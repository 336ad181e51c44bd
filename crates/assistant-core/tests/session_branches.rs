//! Branches share only their history: an agent's events on one change no message of another, and
//! answers are sent on their own branch.

use assistant_core::{
    conversation::{Conversation, MessageId},
    event::{Base, Content, EncryptedEntity, Event, EventKind, Object, Role},
    session::{FailureKind, Input, NoticeKind, SessionOptions, StopCondition, TreeChange},
};
use serde_json::{Value, json};

use crate::{session_restore::reload, support::*};

/// Two branches that diverge at the user's second message, after an answer with a call and a second
/// answer. The agent speaks on the second branch. Returns the tip of the first.
fn two_branches() -> (Driver, MessageId) {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    driver.event(started());
    driver.events(says("n", "then"));
    driver.event(EventKind::ActivitySnapshot {
        message_id: "a".to_owned(),
        activity_type: "plan".to_owned(),
        content: object(json!({"step": 1})),
        replace: true,
    });
    finish_run(&mut driver);
    driver.send("first");
    driver.says("one way");
    let tip = driver.session.conversation().tip().unwrap().clone();
    edit_last(&mut driver, "second");
    driver.event(started());
    (driver, tip)
}

/// Branches off another version of the user's last message.
fn edit_last(driver: &mut Driver, text: &str) {
    let path = driver.session.conversation().path();
    let message = path.rev().find(|message| message.role() == Role::User);
    let message = message.unwrap().id().clone();
    let content = Content::Text(text.to_owned());
    let change = TreeChange::Edit { message, content };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
}

/// Shows the branch with this user message.
fn show_branch_with(driver: &mut Driver, text: &str) {
    let all = driver.session.conversation().all_messages();
    let matching = all.filter(|message| message.role() == Role::User && message.text() == text);
    let message = matching.last().unwrap().id().clone();
    let exact = false;
    let change = TreeChange::Select { message, exact };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// Creates an event with metadata.
fn with_metadata(kind: EventKind) -> Event {
    let metadata = Some(Box::new(object(json!({"noted": true}))));
    Event {
        kind,
        base: Base {
            metadata,
            ..Base::default()
        },
    }
}

/// Returns the content of a branch, from the first message to its tip. The keys of its calls are
/// its own.
fn branch_content(conversation: &Conversation, tip: &MessageId) -> Vec<String> {
    let path = conversation.path_to(tip).unwrap().into_iter();
    let lines = path.map(|id| {
        let message = conversation.message(id).unwrap();
        let calls = conversation.calls_in(message).map(|call| {
            let args = (call.args_text(), call.metadata(), call.extra());
            let answer = (call.result(), call.phase(), call.encrypted_value());
            format!("{} {} {args:?} {answer:?}", call.id(), call.name())
        });
        let calls: Vec<String> = calls.collect();
        let body = (
            message.text(),
            message.cut(),
            message.parts().len(),
            message.cost(),
        );
        let marks = (
            message.metadata(),
            message.extra(),
            message.encrypted_value(),
        );
        let data: Vec<String> = message
            .parts()
            .iter()
            .filter(|part| part.call_key().is_none())
            .map(|part| format!("{part:?}"))
            .collect();
        format!("{id:?} {body:?} {marks:?} {data:?} {calls:?}")
    });
    lines.collect()
}

fn assert_listed_once(driver: &Driver) {
    assert_answered(
        &driver.request().messages,
        &std::collections::BTreeSet::new(),
    );
}

#[test]
fn an_event_changes_no_message_of_another_branch() {
    let set_encrypted_value = |entity, id: &str| EventKind::ReasoningEncryptedValue {
        entity,
        entity_id: id.to_owned(),
        encrypted_value: "sealed".to_owned(),
    };
    let activity = |replace| EventKind::ActivitySnapshot {
        message_id: "a".to_owned(),
        activity_type: "plan".to_owned(),
        content: object(json!({"step": 2})),
        replace,
    };
    let patch = EventKind::ActivityDelta {
        message_id: "a".to_owned(),
        activity_type: "plan".to_owned(),
        patch: vec![json!({"op": "replace", "path": "/step", "value": 3})],
    };
    let events = [
        with_metadata(text_start("m")),
        text("m", " more").into(),
        with_metadata(text_end("m")),
        start_in("d", "f", Some("m")).into(),
        with_metadata(start("c", "f")),
        result("t2", "c", "another").into(),
        set_encrypted_value(EncryptedEntity::Message, "m").into(),
        set_encrypted_value(EncryptedEntity::ToolCall, "c").into(),
        with_metadata(activity(false)),
        activity(true).into(),
        patch.into(),
    ];
    for event in events {
        let (mut driver, tip) = two_branches();
        let before = branch_content(driver.session.conversation(), &tip);
        driver.event(event.clone());
        finish_run(&mut driver);
        let after = branch_content(driver.session.conversation(), &tip);
        assert_eq!(before, after, "{event:?}");
        assert!(driver.session.conversation().is_sound());
    }
}

#[test]
fn a_snapshot_that_moves_a_call_keeps_it_on_the_other_branch() {
    let (mut driver, tip) = two_branches();
    let before = branch_content(driver.session.conversation(), &tip);
    let mut history = driver.session.conversation().received_messages();
    let place = history.iter().position(|message| message.id == "m");
    let mut moved = history[place.unwrap()].clone();
    moved.id = "moved".to_owned();
    history.insert(place.unwrap(), moved);
    driver.event(snapshot(history));
    let conversation = driver.session.conversation();
    assert_eq!(before, branch_content(conversation, &tip));
    let home = conversation.message_of_call(&driver.key("c"));
    assert_eq!(home.unwrap().wire_id(), "moved");
    assert!(conversation.is_sound());
}

#[test]
fn a_call_id_on_two_branches_is_sent_once_on_each() {
    let (mut driver, _) = two_branches();
    driver.events(calls("d", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("d", json!("second"));
    driver.event(started());
    finish_run(&mut driver);
    show_branch_with(&mut driver, "first");
    driver.send("again");
    driver.event(started());
    driver.events([start("d", "f"), args("d", "{}"), end("d")]);
    finish_run(&mut driver);
    driver.returns("d", json!("first"));
    assert_listed_once(&driver);
    let answers = request(&driver);
    let answers: Vec<_> = answers
        .iter()
        .filter(|line| line.starts_with("tool:d"))
        .collect();
    assert_eq!(answers, ["tool:d=\"first\""]);
}

/// Returns the ids of the interrupts that the newest request answers.
fn resumed(driver: &Driver) -> Vec<&str> {
    let entries = driver.request().resume.iter();
    entries.map(|entry| entry.interrupt_id.as_str()).collect()
}

/// The agent interrupts a call and asks something else; both are answered, and the answers are not
/// delivered.
fn undelivered_answers() -> Driver {
    let mut driver = with([]);
    driver.events(says("m", "well"));
    finish_run(&mut driver);
    driver.send("first");
    driver.event(started());
    driver.events([start("c", "theirs"), args("c", "{}"), end("c")]);
    let anything = interrupt("other", None, json!({"type": "object"}));
    driver.event(interrupted(vec![approval_interrupt("card", "c"), anything]));
    driver.close();
    driver.approve("c");
    assert_eq!(driver.answers("other", Some(json!({"value": 1}))), None);
    assert_eq!(resumed(&driver), ["card", "other"]);
    driver.break_off(FailureKind::Network);
    driver
}

#[test]
fn an_answer_is_sent_on_the_branch_of_its_interrupt() {
    let mut driver = undelivered_answers();
    edit_last(&mut driver, "second");
    assert_eq!(resumed(&driver), [""; 0]);
    driver.says("another way");
    driver.send("more");
    assert_eq!(resumed(&driver), [""; 0]);
    assert_eq!(driver.request().messages.last().unwrap().role(), Role::User);
    driver.says("yes");
    show_branch_with(&mut driver, "first");
    driver.send("so?");
    assert_eq!(resumed(&driver), ["card", "other"]);
    driver.event(started());
    driver.event(result("t", "c", "done"));
    finish_run(&mut driver);
    assert_eq!(resumed(&driver), [""; 0]);
    assert_eq!(request(&driver).last().unwrap(), "user=so?");
}

#[test]
fn an_interrupt_of_another_branch_is_asked_there_after_a_reload() {
    let mut driver = undelivered_answers();
    edit_last(&mut driver, "second");
    driver.says("another way");
    let thread_id = driver.session.thread_id().to_owned();
    let snapshot = driver.session.export();
    let load = Input::Load {
        thread_id,
        snapshot,
    };
    assert_eq!(driver.input(load).refused, None);
    assert!(driver.session.interrupts().is_empty());
    driver.send("more");
    assert_eq!(resumed(&driver), [""; 0]);
    driver.says("yes");
    show_branch_with(&mut driver, "first");
    let open = driver.session.interrupts().iter();
    let open: Vec<_> = open
        .map(|open| (open.interrupt().id.as_str(), open.answer().is_some()))
        .collect();
    assert_eq!(open, [("card", false), ("other", false)]);
    assert_eq!(driver.approve("c"), None);
}

#[test]
fn an_interrupt_of_a_deleted_branch_is_not_asked_after_a_reload() {
    let mut driver = undelivered_answers();
    let first_tip = driver.session.conversation().run_tip().cloned().unwrap();
    edit_last(&mut driver, "second");
    driver.says("another way");
    let change = TreeChange::Delete { message: first_tip };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
    let snapshot = driver.session.snapshot();
    let mut after = Driver::new();
    after.host.ids = driver.host.ids + 1_000;
    let output = after.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot,
        journal: Vec::new(),
    });
    assert_eq!(output.refused, None);
    assert!(after.session.interrupts().is_empty());
    assert_eq!(after.send("more").refused, None);
}

/// The agent interrupts a call of a failed run. The run with the answer leaves the interrupt's
/// branch by a snapshot without its messages.
fn answer_on_abandoned_branch() -> Driver {
    let mut driver = with([asking("pay")]);
    driver.events(calls("c", "pay", "{}"));
    driver.event(run_error("no"));
    driver.close();
    assert_eq!(driver.input(Input::Retry).refused, None);
    driver.event(started());
    driver.event(interrupted(vec![approval_interrupt("q", "c")]));
    driver.close();
    let yes = Some(json!({"approved": true}));
    assert_eq!(driver.answers("q", yes), None);
    assert_eq!(resumed(&driver), ["q"]);
    driver.event(started());
    driver.event(snapshot(Vec::new()));
    driver
}

/// Asserts that no new run, on any branch, carries an answer.
fn assert_no_run_carries_an_answer(driver: &Driver) {
    let all = driver.session.conversation().all_messages();
    let all: Vec<MessageId> = all.map(|message| message.id().clone()).collect();
    for message in all {
        let mut driver = driver.clone();
        let runs = driver.runs.len();
        driver.input(Input::Tree {
            change: TreeChange::Regenerate { message },
        });
        driver.send("so?");
        if driver.runs.len() > runs {
            assert_eq!(resumed(&driver), [""; 0]);
        }
    }
}

#[test]
fn a_rejected_answer_is_not_resent_on_any_branch() {
    let mut driver = answer_on_abandoned_branch();
    driver.event(run_error("no"));
    driver.close();
    assert_no_run_carries_an_answer(&driver);
}

#[test]
fn an_accepted_answer_is_not_resent_on_any_branch() {
    let mut driver = answer_on_abandoned_branch();
    finish_run(&mut driver);
    assert_no_run_carries_an_answer(&driver);
}

#[test]
fn retry_acts_on_the_branch_of_its_run() {
    let (mut driver, _) = two_branches();
    driver.break_off(FailureKind::Network);
    show_branch_with(&mut driver, "first");
    assert_eq!(driver.input(Input::Retry).refused, None);
    assert_eq!(request(&driver).last().unwrap(), "user=second");
    assert!(!driver.session.conversation().shows_other_branch());
}

#[test]
fn retry_keeps_the_changes_of_the_failed_run() {
    let (mut driver, tip) = two_branches();
    driver.says("another way");
    let answer = driver.session.conversation().tip().unwrap().clone();
    let change = TreeChange::Regenerate { message: answer };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
    driver.event(started());
    driver.event(text("m", " more"));
    let before = branch_content(driver.session.conversation(), &tip);
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.input(Input::Retry).refused, None);
    let sent = request(&driver);
    assert_eq!(sent[1], "assistant=well more[c]");
    assert_eq!(sent.last().unwrap(), "user=second");
    assert_eq!(branch_content(driver.session.conversation(), &tip), before);
}

#[test]
fn continue_acts_on_the_branch_of_its_run() {
    let mut driver = Driver::with(SessionOptions::default().stop_when(StopCondition::RunCount(1)));
    driver.register(action("f"));
    driver.send("first");
    driver.says("one way");
    edit_last(&mut driver, "second");
    driver.event(started());
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    assert_eq!(driver.notices(), [NoticeKind::RunLimit]);
    show_branch_with(&mut driver, "first");
    assert_eq!(driver.input(Input::Continue).refused, None);
    assert_eq!(
        request(&driver),
        ["user=second", "assistant=[c]", "tool:c=1"]
    );
    assert!(!driver.session.conversation().shows_other_branch());
}

/// Requests another version of the last answer.
fn regenerate_last(driver: &mut Driver) {
    let message = driver.session.conversation().tip().unwrap().clone();
    let change = TreeChange::Regenerate { message };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
}

#[test]
fn regenerating_one_message_replaces_its_whole_response() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "f", "{}"));
    finish_run(&mut driver);
    driver.returns("c", json!(1));
    driver.event(started());
    driver.events(says("n", "first, "));
    driver.events(says("o", "second"));
    finish_run(&mut driver);
    regenerate_last(&mut driver);
    // The call before the response has its result already, and is not run again.
    assert_eq!(request(&driver), ["user=hi", "assistant=[c]", "tool:c=1"]);
    driver.says("other");
    assert_eq!(driver.starts("c"), 1);
    let conversation = driver.session.conversation();
    assert_eq!(conversation.version(&message_id("n")), Some((1, 2)));
}

/// An end of a run that brings no other version of an answer, with its name.
type FruitlessEnd = (&'static str, fn(&mut Driver));

/// The ends of a run that bring no other version of an answer.
fn fruitless_ends() -> Vec<FruitlessEnd> {
    vec![
        ("no connection", |d| {
            d.break_off(FailureKind::Network);
        }),
        ("http", |d| {
            d.break_off(FailureKind::Http { status: 500 });
        }),
        ("error", |d| {
            d.event(started());
            d.event(run_error("overloaded"));
            d.close();
        }),
        ("silence", |d| {
            d.event(started());
            d.event(finished());
            d.close();
        }),
        ("an empty text", |d| {
            d.event(started());
            d.events(says("n", ""));
            d.event(run_error("overloaded"));
            d.close();
        }),
        ("stop", |d| {
            d.event(started());
            d.input(Input::Stop);
        }),
    ]
}

#[test]
fn an_answer_stays_current_when_its_regeneration_fails() {
    for (name, end) in fruitless_ends() {
        let mut driver = Driver::new();
        driver.send("first");
        driver.says("one way");
        regenerate_last(&mut driver);
        driver.says("another way");
        let good = driver.session.conversation().tip().unwrap().clone();
        regenerate_last(&mut driver);
        end(&mut driver);
        let check = |driver: &Driver| {
            let conversation = driver.session.conversation();
            assert_eq!(conversation.tip(), Some(&good), "{name}");
            let (number, count) = conversation.version(&good).unwrap();
            assert!(number == 2 && count >= 2, "{name}: {number} of {count}");
            let marked = conversation
                .path()
                .filter(|message| message.cut().is_some());
            assert_eq!(marked.count(), 0, "{name}: the answer is as good as before");
        };
        check(&driver);
        let reloaded = reload(&driver, []);
        check(&reloaded);
        for mut driver in [driver, reloaded] {
            driver.send("and then?");
            assert_eq!(
                request(&driver),
                ["user=first", "assistant=another way[]", "user=and then?"],
                "{name}"
            );
        }
    }
}

#[test]
fn a_partial_answer_stays_current_when_its_retry_brings_nothing() {
    for (name, end) in fruitless_ends() {
        let mut driver = Driver::new();
        driver.send("first");
        driver.event(started());
        driver.events(says("p", "half of it"));
        driver.event(run_error("overloaded"));
        driver.close();
        assert_eq!(driver.input(Input::Retry).refused, None);
        assert_eq!(request(&driver), ["user=first"], "{name}");
        end(&mut driver);
        for driver in [reload(&driver, []), driver] {
            let conversation = driver.session.conversation();
            let tip = conversation.tip().unwrap();
            let text = conversation.message(tip).unwrap().text();
            assert_eq!(text, "half of it", "{name}");
        }
    }
}

#[test]
fn a_retry_replaces_a_partial_answer_with_a_whole_one() {
    let mut driver = Driver::new();
    driver.send("first");
    driver.event(started());
    driver.events(says("p", "half of it"));
    driver.event(run_error("overloaded"));
    driver.close();
    assert_eq!(driver.input(Input::Retry).refused, None);
    driver.says("all of it");
    let conversation = driver.session.conversation();
    let tip = conversation.tip().unwrap();
    assert_eq!(conversation.message(tip).unwrap().text(), "all of it");
    driver.send("and then?");
    assert_eq!(
        request(&driver),
        ["user=first", "assistant=all of it[]", "user=and then?"]
    );
}

/// States of a page that is closed while an answer is regenerated, with their names.
fn regenerating() -> Vec<FruitlessEnd> {
    vec![
        ("before the agent answers", |_| {}),
        ("before the first text", |d| {
            d.event(started());
        }),
        ("before the first word", |d| {
            d.event(started());
            d.event(text_start("n"));
        }),
    ]
}

#[test]
fn an_answer_stays_current_when_the_page_is_closed_during_its_regeneration() {
    for (name, begins) in regenerating() {
        let mut before = Driver::new();
        before.send("first");
        before.says("one way");
        let good = before.session.conversation().tip().unwrap().clone();
        regenerate_last(&mut before);
        begins(&mut before);
        let mut driver = reload(&before, []);
        let conversation = driver.session.conversation();
        assert_eq!(conversation.tip(), Some(&good), "{name}");
        assert!(
            conversation.path().all(|message| message.cut().is_none()),
            "{name}"
        );
        // The notice offers to try again, and then another version begins.
        assert_eq!(driver.input(Input::Retry).refused, None, "{name}");
        assert_eq!(request(&driver), ["user=first"], "{name}");
        driver.says("another way");
        let conversation = driver.session.conversation();
        let (number, count) = conversation.version(conversation.tip().unwrap()).unwrap();
        assert_eq!(number, count, "{name}: the new version is shown");
        assert!(count >= 2, "{name}");
    }
}

#[test]
fn a_request_after_a_reload_during_a_regeneration_contains_the_old_answer() {
    let mut before = Driver::new();
    before.send("first");
    before.says("one way");
    regenerate_last(&mut before);
    before.event(started());
    let mut driver = reload(&before, []);
    driver.send("and then?");
    assert_eq!(
        request(&driver),
        ["user=first", "assistant=one way[]", "user=and then?"]
    );
}

#[test]
fn a_half_regenerated_answer_is_shown_after_a_reload() {
    let mut before = Driver::new();
    before.send("first");
    before.says("one way");
    regenerate_last(&mut before);
    before.event(started());
    before.events([text_start("n"), text("n", "another w")]);
    let driver = reload(&before, []);
    let conversation = driver.session.conversation();
    let tip = conversation.tip().unwrap();
    assert_eq!(conversation.message(tip).unwrap().text(), "another w");
    assert_eq!(conversation.version(tip), Some((2, 2)));
}

#[test]
fn retry_repeats_a_failed_regeneration() {
    let mut driver = Driver::new();
    driver.send("first");
    driver.says("one way");
    regenerate_last(&mut driver);
    driver.break_off(FailureKind::Network);
    assert_eq!(driver.input(Input::Retry).refused, None);
    assert_eq!(request(&driver), ["user=first"]);
    driver.says("another way");
    let conversation = driver.session.conversation();
    let tip = conversation.tip().unwrap();
    assert_eq!(conversation.message(tip).unwrap().text(), "another way");
    assert_eq!(conversation.version(tip), Some((2, 2)));
}
