//! Thread ids of branches, for servers that keep the history of a thread.

use std::collections::HashMap;

use assistant_core::{
    conversation::{Change, MessageId},
    event::{Content, Message, MessageBody, Role},
    session::{Effect, FailureKind, Input, SessionOptions, TreeChange},
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::*;

fn forking() -> Driver {
    Driver::with(SessionOptions::default().fork_thread(true))
}

/// Returns the thread id of the newest request.
fn thread(driver: &Driver) -> String {
    driver.request().thread_id.clone()
}

fn newest(driver: &Driver, role: Role) -> MessageId {
    let mut path = driver.session.conversation().run_path().rev();
    path.find(|message| message.role() == role)
        .unwrap()
        .id()
        .clone()
}

fn change(driver: &mut Driver, change: TreeChange) {
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
}

fn edit(driver: &mut Driver, message: MessageId, text: &str) {
    let content = Content::Text(text.to_owned());
    change(driver, TreeChange::Edit { message, content });
}

fn regenerate(driver: &mut Driver) {
    let message = newest(driver, Role::Assistant);
    change(driver, TreeChange::Regenerate { message });
}

fn select(driver: &mut Driver, message: MessageId, exact: bool) {
    change(driver, TreeChange::Select { message, exact });
}

#[test]
fn an_edit_is_sent_under_a_thread_id_of_its_own() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    driver.send("two");
    assert_eq!(thread(&driver), "thread");
    driver.says("second");
    let two = newest(&driver, Role::User);
    edit(&mut driver, two.clone(), "other");
    let forked = thread(&driver);
    assert_ne!(forked, "thread");
    let first = driver
        .session
        .conversation()
        .run_path()
        .next_back()
        .unwrap();
    assert_eq!(first.thread_id(), Some(forked.as_str()));
    assert_eq!(
        request(&driver),
        ["user=one", "assistant=first[]", "user=other"]
    );
    driver.says("third");
    driver.send("more");
    assert_eq!(thread(&driver), forked, "the branch keeps it");
    driver.says("fourth");
    select(&mut driver, two, false);
    driver.send("back");
    assert_eq!(
        thread(&driver),
        "thread",
        "the first branch has the first one"
    );
    assert_eq!(driver.session.thread_id(), "thread");
}

#[test]
fn a_regenerated_answer_keeps_its_thread_id_after_retry_and_reload() {
    let mut driver = forking();
    driver.register(action("f"));
    driver.send("hi");
    driver.says("first");
    let old = newest(&driver, Role::Assistant);
    regenerate(&mut driver);
    let forked = thread(&driver);
    assert_ne!(forked, "thread");
    driver.break_off(FailureKind::Network);
    driver.input(Input::Retry);
    assert_eq!(thread(&driver), forked, "a retry is no other branch");
    driver.plays(calls("c", "f", "{}"));
    driver.returns("c", json!(1));
    assert_eq!(thread(&driver), forked, "nor is a run with results");
    driver.says("second");
    let (thread_id, snapshot) = ("thread".to_owned(), driver.session.export());
    let ids = driver.host.ids;
    let mut driver = forking();
    driver.host.ids = ids;
    driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    driver.send("more");
    assert_eq!(thread(&driver), forked);
    driver.says("third");
    select(&mut driver, old, false);
    driver.send("back");
    assert_eq!(thread(&driver), "thread");
}

#[test]
fn a_message_sent_amid_the_history_has_a_thread_id_of_its_own() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    let first = newest(&driver, Role::Assistant);
    driver.send("two");
    driver.says("second");
    select(&mut driver, first, true);
    driver.send("instead");
    assert_ne!(thread(&driver), "thread");
}

fn delete(driver: &mut Driver, message: MessageId) {
    change(driver, TreeChange::Delete { message });
}

#[test]
fn messages_after_a_deletion_have_a_thread_id_of_their_own() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    driver.send("two");
    driver.says("second");
    let two = newest(&driver, Role::User);
    delete(&mut driver, two);
    driver.send("instead");
    let forked = thread(&driver);
    assert_ne!(
        forked, "thread",
        "the server still has the deleted messages"
    );
    driver.says("third");
    driver.send("more");
    assert_eq!(thread(&driver), forked, "the branch keeps it");
    driver.says("fourth");

    // Everything is deleted, and the page is left.
    let one = driver.session.conversation().run_path().next().unwrap();
    let one = one.id().clone();
    delete(&mut driver, one);
    let mut later = forking();
    later.host.ids = driver.host.ids;
    later.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    later.send("anew");
    assert!(!["thread", forked.as_str()].contains(&thread(&later).as_str()));
}

#[test]
fn a_deletion_that_is_undone_or_shows_another_version_begins_no_branch() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    let first = newest(&driver, Role::Assistant);
    delete(&mut driver, first.clone());
    change(&mut driver, TreeChange::Restore);
    driver.send("two");
    assert_eq!(thread(&driver), "thread");
    driver.says("second");
    let two = newest(&driver, Role::User);
    edit(&mut driver, two, "other");
    driver.says("third");
    let other = newest(&driver, Role::User);
    delete(&mut driver, other);
    driver.send("back");
    assert_eq!(thread(&driver), "thread", "the version before is shown");
}

#[test]
fn a_branch_keeps_its_thread_id_if_a_snapshot_replaces_its_answer() {
    let mut driver = forking();
    driver.send("hi");
    driver.says("first");
    regenerate(&mut driver);
    let forked = thread(&driver);
    driver.event(started());
    driver.events(says("m", "draft"));
    let content = Content::Text("hi".to_owned());
    let body = MessageBody::Assistant {
        content: Some("final".to_owned()),
        tool_calls: Vec::new(),
    };
    driver.event(snapshot(vec![
        Message::new("id1", MessageBody::User { content }),
        Message::new("other", body),
    ]));
    finish_run(&mut driver);
    driver.send("more");
    assert_eq!(thread(&driver), forked);
}

#[test]
fn without_fork_thread_all_branches_share_one_thread_id() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.says("first");
    regenerate(&mut driver);
    assert_eq!(thread(&driver), "thread");
    driver.says("second");
    let hi = newest(&driver, Role::User);
    edit(&mut driver, hi, "hello");
    assert_eq!(thread(&driver), "thread");
}

#[test]
fn a_page_left_during_a_regeneration_continues_its_thread_id() {
    for retried in [false, true] {
        let mut driver = forking();
        driver.send("hi");
        driver.says("first");
        regenerate(&mut driver);
        let forked = thread(&driver);
        driver.event(started());
        driver.events(says("m", "half"));
        if retried {
            driver.break_off(FailureKind::Network);
            driver.input(Input::Retry);
            driver.event(started());
            driver.events(says("n", "again"));
        }
        let (thread_id, snapshot) = ("thread".to_owned(), driver.session.export());
        let mut later = forking();
        later.host.ids = driver.host.ids;
        later.input(Input::Load {
            thread_id,
            snapshot,
        });
        later.send("more");
        assert_eq!(thread(&later), forked, "retried: {retried}");
    }
}

#[test]
fn a_page_left_before_a_regenerated_answer_retries_under_its_thread_id() {
    let mut driver = forking();
    driver.send("hi");
    driver.says("first");
    regenerate(&mut driver);
    let forked = thread(&driver);
    driver.event(started());
    let mut later = forking();
    later.host.ids = driver.host.ids;
    later.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    assert_eq!(later.input(Input::Retry).refused, None);
    assert_eq!(thread(&later), forked);
}

/// A page that is reloaded before the first event knows what the server of the thread has seen.
#[test]
fn the_thread_of_a_request_is_stored_when_it_is_sent() {
    let mut driver = forking();
    driver.send("hi");
    driver.says("first");
    driver.manual_opening = true;
    let question = newest(&driver, Role::User);
    edit(&mut driver, question, "hello");
    let Some(Effect::PrepareRun { run }) = driver.effects.last().cloned() else {
        panic!("nothing was announced");
    };
    let output = driver.input(Input::OpenRun { run });
    let edited = Change::Message(newest(&driver, Role::User));
    assert!(output.changes.contains(&edited), "its thread id is stored");
    assert!(
        output.changes.contains(&Change::Run),
        "the tip of its thread is stored"
    );
}

/// Returns ids and texts of the messages on the run branch.
fn path(driver: &Driver) -> Vec<(String, String)> {
    let path = driver.session.conversation().run_path();
    path.map(|message| (message.id().as_str().to_owned(), message.text()))
        .collect()
}

/// Stores the session, and restores it in another page.
fn reload(driver: &Driver) -> Driver {
    let mut later = forking();
    later.host.ids = driver.host.ids;
    later.input(Input::Restore {
        thread_id: "thread".to_owned(),
        snapshot: driver.session.snapshot(),
        journal: Vec::new(),
    });
    later
}

/// Carries out one of the operations. Returns true if the answer of a server was received.
fn act(driver: &mut Driver, operation: u8, answer: &str, at: usize) -> bool {
    let all: Vec<MessageId> = driver
        .session
        .conversation()
        .all_messages()
        .map(|message| message.id().clone())
        .collect();
    let any = || all.get(at % all.len().max(1)).cloned();
    let content = Content::Text(format!("content {answer}"));
    let is_running = driver.session.is_busy();
    let change = match (operation, any()) {
        (0 | 1, _) if is_running => {
            driver.plays(says(answer, "all"));
            return true;
        }
        (2, _) if is_running => {
            driver.event(started());
            driver.event(text_start(answer));
            driver.event(text(answer, "half"));
            driver.break_off(FailureKind::Network);
            return true;
        }
        (3, _) if is_running => {
            driver.break_off(FailureKind::Network);
            return false;
        }
        (0..=3, _) => {
            driver.send(answer);
            return false;
        }
        (4, _) => {
            driver.input(Input::Retry);
            return false;
        }
        (5, _) => {
            driver.input(Input::Stop);
            return false;
        }
        (6, _) if !is_running => {
            *driver = reload(driver);
            return false;
        }
        (7, _) => TreeChange::Restore,
        (8, Some(message)) => TreeChange::Delete { message },
        (9, Some(message)) => TreeChange::Edit { message, content },
        (10, Some(message)) => TreeChange::EditInPlace { message, content },
        (11, Some(message)) => TreeChange::Regenerate { message },
        (12, Some(message)) => TreeChange::Reparent {
            message,
            parent: all.get(at / 3 % all.len()).cloned(),
        },
        (_, Some(message)) => TreeChange::Select {
            message,
            exact: at.is_multiple_of(2),
        },
        (_, None) => return false,
    };
    driver.input(Input::Tree { change });
    false
}

/// Carries out operations, and checks each request: it begins with what was sent and answered under
/// its thread id. A retry may repeat the request before it.
fn check_requests(operations: &[(u8, usize)]) -> Result<(), TestCaseError> {
    let mut driver = forking();
    let mut sent: HashMap<String, Vec<(String, String)>> = HashMap::new();
    let mut newest = None;
    for (step, (operation, at)) in operations.iter().copied().enumerate() {
        let received = act(&mut driver, operation, &format!("m{step}"), at);
        let Some((run, input)) = driver.runs.last() else {
            // The keys of runs start again after a reload.
            newest = None;
            continue;
        };
        let (thread, now) = (input.thread_id.clone(), path(&driver));
        let is_new = newest != Some(*run) && driver.session.is_busy();
        newest = Some(*run);
        if let Some(known) = sent.get(&thread).filter(|_| is_new) {
            let repeats = operation == 4 && known.starts_with(&now);
            prop_assert!(
                repeats || now.starts_with(known),
                "{thread} has seen {known:?}, and gets {now:?}"
            );
        }
        if is_new || received {
            sent.insert(thread, now);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A server sees the messages of a thread id only in one order, whatever the user does.
    #[test]
    fn a_thread_id_belongs_to_one_sequence_of_messages(
        operations in prop::collection::vec((0..15_u8, 0..1_000_usize), 1..60),
    ) {
        check_requests(&operations)?;
    }
}

#[test]
fn a_retry_after_a_reload_does_not_revive_the_thread_id_of_an_edited_branch() {
    let mut driver = forking();
    driver.send("one");
    let edit_in_place = |driver: &mut Driver, text: &str| {
        let message = newest(driver, Role::User);
        let content = Content::Text(text.to_owned());
        change(driver, TreeChange::EditInPlace { message, content });
    };
    edit_in_place(&mut driver, "two");
    driver.event(started());
    driver.events([text_start("m"), text("m", "half")]);
    driver.break_off(FailureKind::Network);
    let half = newest(&driver, Role::Assistant);
    driver.input(Input::Retry);
    let forked = thread(&driver);
    assert_ne!(forked, "thread");
    delete(&mut driver, half);
    driver.break_off(FailureKind::Network);
    edit_in_place(&mut driver, "three");
    let mut later = reload(&driver);
    assert_eq!(later.input(Input::Retry).refused, None);
    assert_eq!(request(&later), ["user=three"]);
    assert!(!["thread", forked.as_str()].contains(&thread(&later).as_str()));
}

#[test]
fn a_failed_regeneration_after_a_deletion_does_not_revive_the_thread_id() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    driver.send("two");
    driver.says("second");
    let two = newest(&driver, Role::User);
    delete(&mut driver, two);
    regenerate(&mut driver);
    let regenerated = thread(&driver);
    driver.break_off(FailureKind::Http { status: 500 });
    driver.send("instead");
    assert_eq!(
        request(&driver),
        ["user=one", "assistant=first[]", "user=instead"]
    );
    assert!(!["thread", regenerated.as_str()].contains(&thread(&driver).as_str()));
}

#[test]
fn a_switch_of_branch_after_a_deletion_does_not_revive_the_thread_id() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    let first = newest(&driver, Role::Assistant);
    driver.send("two");
    driver.says("second");
    regenerate(&mut driver);
    driver.says("third");
    let third = newest(&driver, Role::Assistant);
    let two = newest(&driver, Role::User);
    delete(&mut driver, two);
    assert!(driver.session.conversation().message(&third).is_none());
    regenerate(&mut driver);
    driver.says("another first");
    select(&mut driver, first, false);
    driver.send("instead");
    assert_ne!(thread(&driver), "thread");
}

#[test]
fn a_message_changed_in_place_ends_the_thread_id_of_its_branch() {
    let mut driver = forking();
    driver.send("one");
    driver.says("first");
    let message = newest(&driver, Role::User);
    let content = Content::Text("One".to_owned());
    change(&mut driver, TreeChange::EditInPlace { message, content });
    driver.send("two");
    let forked = thread(&driver);
    assert_ne!(forked, "thread");
    driver.says("second");
    driver.send("three");
    assert_eq!(thread(&driver), forked);
}
