//! The rows of a tree's outline.

use std::collections::HashSet;

use assistant_core::{
    conversation::{Conversation, MessageId, OutlineRow},
    session::Input,
};
use serde_json::{Value, json};

use crate::support::Driver;

pub(super) fn load(messages: &[(String, Option<String>)], tip: &str) -> Driver {
    let entry = |(id, parent): &(String, Option<String>)| {
        json!({
            "parent": parent,
            "message": {"id": id, "role": "user", "parts": [{"type": "text", "text": id}]},
        })
    };
    let messages: Vec<Value> = messages.iter().map(entry).collect();
    let snapshot = json!({"version": 2, "messages": messages, "tip": tip});
    let mut driver = Driver::new();
    let thread_id = "thread".to_owned();
    let refused = driver
        .input(Input::Load {
            thread_id,
            snapshot,
        })
        .refused;
    assert_eq!(refused, None);
    driver
}

pub(super) fn tree(messages: &[(&str, Option<&str>)], tip: &str) -> Driver {
    let owned = messages.iter();
    let owned = owned.map(|(id, parent)| ((*id).to_owned(), parent.map(str::to_owned)));
    load(&owned.collect::<Vec<_>>(), tip)
}

fn lines(rows: &[OutlineRow]) -> Vec<String> {
    let line = |row: &OutlineRow| {
        let shown = if row.is_shown() { "*" } else { "" };
        let ((place, of), (version, count)) = (row.place(), row.version());
        let level = row.level();
        format!(
            "{level} {}{shown} {place}/{of} v{version}/{count}",
            row.id()
        )
    };
    rows.iter().map(line).collect()
}

fn outline(conversation: &Conversation, closed: &[&str]) -> Vec<String> {
    let closed: HashSet<MessageId> = closed.iter().map(|id| MessageId::from(*id)).collect();
    lines(&conversation.outline(&closed))
}

#[test]
fn versions_are_indented_and_their_continuations_aligned() {
    let driver = tree(
        &[
            ("u1", None),
            ("a1", Some("u1")),
            ("a2", Some("u1")),
            ("u2", Some("a1")),
            ("u3", Some("a2")),
            ("v1", None),
        ],
        "u3",
    );
    let conversation = driver.session.conversation();
    assert_eq!(
        outline(conversation, &[]),
        [
            "1 u1* 1/2 v1/2",
            "2 a1 1/4 v1/2",
            "2 u2 2/4 v1/1",
            "2 a2* 3/4 v2/2",
            "2 u3* 4/4 v1/1",
            "1 v1 2/2 v2/2",
        ]
    );
    assert_eq!(
        outline(conversation, &["u1", "a1"]),
        ["1 u1* 1/2 v1/2", "1 v1 2/2 v2/2"],
        "only what branches can be closed"
    );
    let rows = conversation.outline(&HashSet::new());
    assert_eq!((rows[0].branches(), rows[1].branches()), (2, 0));
    assert_eq!((rows[0].above(), rows[4].above()), (None, Some(0)));
    assert_eq!(conversation.subtree_len(&MessageId::from("u1")), 5);
    assert_eq!(conversation.subtree_len(&MessageId::from("nobody")), 0);
}

#[test]
fn a_deep_tree_with_a_branch_at_every_level_needs_no_recursion() {
    let mut messages = vec![("m0".to_owned(), None)];
    for depth in 1..30_000 {
        let parent = Some(format!("m{}", depth - 1));
        messages.push((format!("m{depth}"), parent.clone()));
        messages.push((format!("x{depth}"), parent));
    }
    let driver = load(&messages, "m29999");
    let rows = driver.session.conversation().outline(&HashSet::new());
    assert_eq!(rows.len(), messages.len());
    assert_eq!(rows.iter().map(|row| row.level()).max(), Some(30_000));
}
