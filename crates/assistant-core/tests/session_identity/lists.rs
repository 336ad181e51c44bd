//! Repeated, moved or added items of a snapshot start nothing that the newest response did not
//! request.

#[cfg(feature = "callouts")]
use assistant_core::{conversation::MarkdownTools, session::SessionOptions};

use super::*;

#[test]
fn a_finished_call_does_not_rerun_in_another_message() {
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
fn a_result_from_a_snapshot_ends_its_call() {
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
fn a_call_listed_twice_runs_once() {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    let twice = listed("m", &[("c", "f", "{}"), ("c", "f", "{}")]);
    driver.event(snapshot(vec![hi(), twice]));
    finish_run(&mut driver);
    assert_eq!(driver.starts("c"), 1);
    assert_eq!(driver.session.conversation().path_calls().len(), 1);
}

#[test]
fn a_call_added_to_an_old_message_does_not_run() {
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

/// By then, the older result belongs to the new branch's call, which has another result, too.
#[test]
fn a_call_listed_before_a_result_of_another_branch_does_not_run() {
    let mut driver = with([action("f")]);
    driver.events(calls("c", "theirs", "{}"));
    driver.event(result("t", "c", "1"));
    finish_run(&mut driver);
    let message = driver.session.conversation().tip().unwrap().clone();
    let change = TreeChange::Regenerate { message };
    assert_eq!(driver.input(Input::Tree { change }).refused, None);
    driver.event(started());
    let tail = || {
        [
            answer_to("t", "c", "1"),
            listed("own", &[("c", "theirs", "{}")]),
            answer_to("t2", "c", "0"),
        ]
    };
    let list = |planted: Option<_>| [hi()].into_iter().chain(planted).chain(tail()).collect();
    driver.event(snapshot(list(None)));
    driver.event(snapshot(list(Some(listed("planted", &[("p", "f", "{}")])))));
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("p"), driver.phase("p")),
        (0, Phase::Cancelled)
    );
}

#[test]
fn a_call_listed_before_an_old_result_does_not_run() {
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

/// `a` was handed off, and the agent lists another call in a message before or after it.
fn listed_at(place: usize) -> Driver {
    let mut driver = with([remote_action("theirs"), action("f")]);
    driver.events(calls("a", "theirs", "{}"));
    finish_run(&mut driver);
    assert_eq!(driver.approve("a"), None);
    driver.event(started());
    let mut list = driver.request().messages.clone();
    assert_eq!(sketch(&list).len(), 3, "{:?}", sketch(&list));
    list.insert(place, listed("n", &[("b", "f", "{}")]));
    driver.event(snapshot(list));
    driver
}

#[test]
fn a_call_listed_before_a_handoff_does_not_run() {
    let mut driver = listed_at(2);
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("b"), driver.phase("b")),
        (0, Phase::Cancelled)
    );
    assert!(driver.answer("b").contains("superseded"));
    let mut driver = listed_at(3);
    finish_run(&mut driver);
    assert_eq!(driver.starts("b"), 1, "what is behind it is new");
}

#[test]
fn a_handoff_replaced_by_its_result_keeps_its_position() {
    for (place, starts) in [(2, 0), (3, 1)] {
        let mut driver = listed_at(place);
        let mut list = driver.request().messages.clone();
        list[2] = answer_to(&list[2].id, "a", "done");
        list.insert(place, listed("n", &[("b", "f", "{}")]));
        driver.event(snapshot(list));
        finish_run(&mut driver);
        assert_eq!(driver.starts("b"), starts);
        assert_eq!(driver.answer("a"), "done");
    }
}

#[test]
fn a_result_whose_call_was_dropped_keeps_its_position() {
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
fn a_call_of_a_failed_run_does_not_run_in_a_renamed_message() {
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

#[cfg(feature = "callouts")]
#[test]
fn a_snapshot_does_not_duplicate_a_markdown_call() {
    for home in ["m", "n"] {
        let mut driver =
            Driver::with(SessionOptions::default().markdown_tools(MarkdownTools::Intercept));
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

/// A list rewrites the first of many messages, and another branch starts far below: that one keeps
/// all of its text, and the shared messages are copied at once.
#[test]
fn shared_messages_are_copied_from_the_first_change_on() {
    const COUNT: usize = 300;
    let entry = |n: usize, parent: Option<usize>| {
        let parent = parent.map(|n| format!("m{n}"));
        let parts = json!([{"type": "text", "text": format!("text {n}")}]);
        json!({"parent": parent, "message": {"id": format!("m{n}"), "role": "user", "parts": parts}})
    };
    let mut messages: Vec<_> = (0..COUNT).map(|n| entry(n, n.checked_sub(1))).collect();
    messages.push(entry(COUNT, Some(COUNT - 2)));
    let tip = format!("m{}", COUNT - 1);
    let mut driver = Driver::new();
    driver.input(Input::Load {
        thread_id: "thread".to_owned(),
        snapshot: json!({"version": 2, "messages": messages, "tip": tip}),
    });
    driver.send("go on");
    driver.event(started());
    let other = message_id(&format!("m{COUNT}"));
    let texts_of = |conversation: &Conversation| {
        let path = conversation.path_to(&other).unwrap();
        let texts = path.into_iter().map(|id| conversation.message(id).unwrap());
        texts.map(|message| message.text()).collect::<Vec<_>>()
    };
    let conversation = driver.session.conversation();
    let (before, work) = (texts_of(conversation), conversation.path_work());
    assert_eq!(before.len(), COUNT);
    let mut list = conversation.received_messages();
    list[1].body = MessageBody::User {
        content: Content::Text("another text".to_owned()),
    };
    driver.event(snapshot(list));
    let conversation = driver.session.conversation();
    assert_eq!(texts_of(conversation), before);
    let now: Vec<_> = conversation.path().take(3).map(|m| m.text()).collect();
    assert_eq!(now, ["text 0", "another text", "text 2"]);
    let places = (conversation.path_work() - work) as usize;
    assert!(places < 10 * COUNT, "{places} places of paths");
}
