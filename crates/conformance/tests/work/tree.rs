//! Large trees: the cost of operations and of drawing is proportional to the size.

use std::collections::HashSet;

use assistant_core::conversation::{Conversation, MessageId};

use super::*;

/// Creates a tree in which each pair of messages is followed by two versions, so that half of it is
/// branches.
fn tree(count: usize) -> Conversation {
    let parent = |n: usize| match n {
        0 => None,
        _ if n % 4 == 3 => Some(n - 2),
        _ => Some(n - 1),
    };
    let entry = |n: usize| {
        let role = if n.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        json!({
            "parent": parent(n).map(|n| format!("m{n:06}")),
            "message": {"id": format!("m{n:06}"), "role": role, "parts": [{"type": "text", "text": "hi"}]},
        })
    };
    let messages: Value = (0..count).map(entry).collect();
    let snapshot = json!({"version": 2, "messages": messages, "tip": format!("m{:06}", count - 1)});
    Conversation::import(snapshot).unwrap()
}

#[test]
fn a_tree_is_read_written_and_drawn_in_proportion_to_it() {
    grows_with_its_input("importing", |count| count, |count| drop(tree(count)));
    grows_with_its_input("exporting", tree, |tree| drop(tree.export()));
    grows_with_its_input("an outline", tree, |tree| {
        assert_eq!(tree.outline(&HashSet::new()).len(), tree.message_count());
    });
}

/// An unrealistically large tree: neither the stack nor the time is exhausted.
#[test]
fn a_hundred_thousand_messages_thirty_thousand_deep_are_no_matter() {
    let parent = |n: usize| match n {
        0 => None,
        _ if n < 30_000 => Some(n - 1),
        _ => Some(n % 30_000),
    };
    let entry = |n: usize| {
        let text = json!([{"type": "text", "text": "hi"}]);
        json!({
            "parent": parent(n).map(|n| format!("m{n}")),
            "message": {"id": format!("m{n}"), "role": "user", "parts": text},
        })
    };
    let messages: Value = (0..100_000).map(entry).collect();
    let tree =
        Conversation::import(json!({"version": 2, "messages": messages, "tip": "m29999"})).unwrap();
    assert_eq!(tree.path().count(), 30_000);
    assert_eq!(tree.outline(&HashSet::new()).len(), 100_000);
    assert_eq!(tree.subtree_len(&MessageId::from("m0")), 100_000);
    let again = Conversation::import(tree.export()).unwrap();
    assert_eq!(again.message_count(), 100_000);
}
