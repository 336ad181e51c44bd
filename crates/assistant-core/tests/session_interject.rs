//! Interjections of the user while the loop is running.

use assistant_core::{
    conversation::{Change, Message, Phase, TreeError},
    event::{Content, ContentPart, PartBody, Role, Source},
    session::{Input, Leftovers, NoticeKind, Refusal, SessionOptions, TreeChange},
};
use serde_json::json;

use crate::support::*;

fn interject(driver: &mut Driver, text: &str) -> Option<Refusal> {
    let content = Content::Text(text.to_owned());
    let change = TreeChange::Interject { content };
    driver.input(Input::Tree { change }).refused
}

/// Two calls of which one is running, since the actions never overlap.
fn working(options: SessionOptions) -> Driver {
    let mut driver = Driver::with(options.sequential(true));
    driver.register(action("f"));
    driver.send("hi");
    driver.event(started());
    driver.events([
        start_in("one", "f", Some("m")),
        args("one", "{}"),
        end("one"),
        start_in("two", "f", Some("m")),
        args("two", "{}"),
        end("two"),
        finished(),
    ]);
    driver.close();
    assert_eq!(driver.invocations.len(), 1);
    driver
}

fn user_messages(driver: &Driver) -> Vec<(String, bool)> {
    let path = driver.session.conversation().path();
    let by_person = path.filter(|message| message.role() == Role::User);
    by_person.map(|m| (m.text(), m.is_interjected())).collect()
}

#[test]
fn an_interjection_follows_the_running_tool_and_is_marked() {
    let mut driver = working(SessionOptions::default());
    assert_eq!(interject(&mut driver, "only the north"), None);
    assert_eq!(driver.session.queued().len(), 1);
    driver.returns("one", json!("done"));
    assert_eq!(driver.phase("one"), Phase::OutputAvailable);
    assert_eq!(driver.phase("two"), Phase::Skipped);
    let expected = [("hi", false), ("only the north", true)];
    assert_eq!(
        user_messages(&driver),
        expected.map(|(t, m)| (t.to_owned(), m))
    );
    let sent = format!("{:?}", driver.runs[1].1.messages);
    assert!(sent.contains("user_interjection"), "{sent}");
    assert!(!sent.contains("interjected"), "the mark is local: {sent}");
    let stored = driver.session.conversation().export();
    let mut again = Driver::new();
    let thread_id = "thread".to_owned();
    again.input(Input::Load {
        thread_id,
        snapshot: stored,
    });
    assert_eq!(
        user_messages(&again),
        user_messages(&driver),
        "a stored conversation keeps it"
    );
}

#[test]
fn a_call_of_a_running_handler_starts_in_spite_of_an_interjection() {
    let mut driver = working(SessionOptions::default());
    driver.register(action("inner"));
    assert_eq!(interject(&mut driver, "only the north"), None);
    driver.input(Input::Execute {
        request: 1,
        name: "inner".to_owned(),
        args: json!({}),
        within: Some(driver.invocations[0].id()),
    });
    assert_eq!(driver.invocations.len(), 2, "the handler waits for it");
}

#[test]
fn an_interjection_without_a_boundary_is_the_next_message() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    assert_eq!(interject(&mut driver, "and this"), None);
    driver.event(finished());
    driver.close();
    assert_eq!(driver.runs.len(), 2);
    let expected = [("hi", false), ("and this", false)];
    assert_eq!(
        user_messages(&driver),
        expected.map(|(t, m)| (t.to_owned(), m))
    );
}

#[test]
fn an_interjection_before_a_stop_skips_no_later_call() {
    let mut driver = working(SessionOptions::default());
    assert_eq!(interject(&mut driver, "only the north"), None);
    driver.input(Input::Stop);
    assert_eq!(driver.session.queued(), [], "it waits for no boundary");
    let expected = [("hi", false), ("only the north", false)];
    assert_eq!(
        user_messages(&driver),
        expected.map(|(t, m)| (t.to_owned(), m))
    );
    driver.send("look again");
    driver.event(started());
    driver.events([
        start_in("three", "f", Some("n")),
        args("three", "{}"),
        end("three"),
        start_in("four", "f", Some("n")),
        args("four", "{}"),
        end("four"),
        finished(),
    ]);
    driver.close();
    driver.returns("three", json!("done"));
    assert_eq!(driver.phase("four"), Phase::Running, "it is not skipped");
}

fn withdraw(driver: &mut Driver, text: &str) -> Option<Refusal> {
    let content = Content::Text(text.to_owned());
    let change = TreeChange::Withdraw { content };
    driver.input(Input::Tree { change }).refused
}

#[test]
fn a_withdrawn_message_is_never_sent_and_skips_no_call() {
    let mut driver = working(SessionOptions::default());
    assert_eq!(interject(&mut driver, "only the north"), None);
    let output = driver.input(Input::Tree {
        change: TreeChange::Withdraw {
            content: Content::Text("only the north".to_owned()),
        },
    });
    assert_eq!(output.refused, None);
    assert!(output.changes.contains(&Change::Queue), "stores write it");
    assert_eq!(driver.session.queued(), []);
    let stored = driver.session.export();
    assert!(stored.get("queued").is_none(), "{stored}");
    let mut again = Driver::new();
    let thread_id = "thread".to_owned();
    again.input(Input::Load {
        thread_id,
        snapshot: stored,
    });
    assert_eq!(
        user_messages(&again),
        [("hi".to_owned(), false)],
        "after a reload"
    );
    driver.returns("one", json!("done"));
    assert_eq!(driver.phase("two"), Phase::Running, "it is not skipped");
    driver.returns("two", json!("done"));
    assert_eq!(user_messages(&driver), [("hi".to_owned(), false)]);
    assert_eq!(driver.runs.len(), 2, "the results are sent");
}

#[test]
fn withdrawing_one_of_several_messages_keeps_the_others_in_order() {
    let mut driver = working(SessionOptions::default());
    for text in ["a", "b", "a", "c", "d"] {
        assert_eq!(interject(&mut driver, text), None);
    }
    assert_eq!(withdraw(&mut driver, "a"), None);
    let queued = driver.session.queued().iter();
    let left: Vec<_> = queued.map(Content::display_text).collect();
    assert_eq!(
        left,
        ["a", "b", "c", "d"],
        "the newest of equal ones is removed"
    );
    assert_eq!(withdraw(&mut driver, "b"), None);
    driver.returns("one", json!("done"));
    assert_eq!(driver.phase("two"), Phase::Skipped, "the others wait");
    let expected = [("hi", false), ("a", true), ("c", true), ("d", true)];
    assert_eq!(
        user_messages(&driver),
        expected.map(|(t, m)| (t.to_owned(), m))
    );
    let unknown = Refusal::Tree(TreeError::UnknownMessage);
    assert_eq!(withdraw(&mut driver, "a"), Some(unknown), "it was sent");
}

#[test]
fn leftovers_of_a_stop_are_dropped_kept_or_sent() {
    for leftovers in [Leftovers::Keep, Leftovers::Drop, Leftovers::Send] {
        let mut driver = working(SessionOptions::default().leftovers(leftovers));
        assert_eq!(interject(&mut driver, "only the north"), None);
        assert_eq!(interject(&mut driver, "and the east"), None);
        driver.input(Input::Stop);
        assert_eq!(driver.session.queued(), []);
        assert_eq!(driver.phase("one"), Phase::Cancelled);
        let mut expected = vec!["hi", "only the north", "and the east"];
        expected.truncate(if leftovers == Leftovers::Drop { 1 } else { 3 });
        let texts: Vec<String> = user_messages(&driver)
            .into_iter()
            .map(|(text, _)| text)
            .collect();
        assert_eq!(texts, expected, "{leftovers:?}");
        let sends = leftovers == Leftovers::Send;
        assert_eq!(driver.runs.len(), 1 + usize::from(sends));
        assert_eq!(driver.session.is_busy(), sends);
        assert_eq!(driver.notices().contains(&NoticeKind::Stopped), !sends);
        if !sends {
            driver.send("look again");
        }
        let sent = format!("{:?}", driver.runs[1].1.messages);
        assert!(sent.contains("cancelled"), "{sent}");
        assert_eq!(sent.contains("and the east"), leftovers != Leftovers::Drop);
    }
}

#[test]
fn a_stop_without_leftovers_sends_nothing() {
    let mut driver = working(SessionOptions::default().leftovers(Leftovers::Send));
    driver.input(Input::Stop);
    assert_eq!(driver.runs.len(), 1);
    assert_eq!(driver.notices(), [NoticeKind::Stopped]);
}

#[test]
fn disabled_or_empty_interjections_are_refused() {
    let mut driver = working(SessionOptions::default().interjections(false));
    assert_eq!(interject(&mut driver, "stop that"), Some(Refusal::Busy));
    assert_eq!(driver.session.queued(), []);
    let mut driver = working(SessionOptions::default());
    assert_eq!(interject(&mut driver, " \n"), Some(Refusal::EmptyMessage));
}

#[test]
fn an_empty_edit_is_refused_and_an_edit_keeps_attached_files() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.event(started());
    driver.event(finished());
    driver.close();
    let message = driver.session.conversation().tip().unwrap().clone();
    let content = Content::Text("  ".to_owned());
    let change = TreeChange::Edit { message, content };
    let refused = driver.input(Input::Tree { change }).refused;
    assert_eq!(refused, Some(Refusal::EmptyMessage));
    assert_eq!(driver.runs.len(), 1);

    let part = |body| ContentPart {
        id: None,
        metadata: None,
        body,
    };
    let file = part(PartBody::Media {
        kind: "image".to_owned(),
        source: Source::Data {
            value: "AAAA".to_owned(),
            mime_type: "image/png".to_owned(),
        },
    });
    let parts = vec![part(PartBody::Text("look".to_owned())), file.clone()];
    let message = Message::user("u", Content::Parts(parts), 0);
    let expected = vec![part(PartBody::Text("see".to_owned())), file];
    assert_eq!(message.reworded("see"), Content::Parts(expected));
    let plain = Message::user("u", Content::Text("look".to_owned()), 0);
    assert_eq!(plain.reworded("see"), Content::Text("see".to_owned()));
}
