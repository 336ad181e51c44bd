//! Checks that operations on large trees, and drawing them, cost work proportional to the size.

use std::collections::HashSet;

use assistant_core::{
    conversation::{Conversation, MessageId},
    records::Update,
    session::{Input, Session, SessionOptions, TreeChange},
};
use assistant_testkit::replay::branches;

use super::{callouts::Page, *};

/// Creates a tree in which each second message has two versions below it, so that half of the tree
/// is branches.
fn create_tree(count: usize) -> Conversation {
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
fn importing_exporting_and_drawing_a_tree_take_linear_work() {
    assert_linear_work("importing", |count| count, |count| drop(create_tree(count)));
    assert_linear_work("exporting", create_tree, |tree| drop(tree.export()));
    assert_linear_work("an outline", create_tree, |tree| {
        assert_eq!(tree.outline(&HashSet::new()).len(), tree.message_count());
    });
}

/// Creates the updates of a chain of messages, each the child of the previous one.
fn create_chain(count: usize) -> Vec<Update> {
    let update = |n: usize| {
        let parent = n.checked_sub(1).map(|n| format!("m{n}"));
        let source = if n.is_multiple_of(2) {
            "user"
        } else {
            "assistant"
        };
        let blocks = json!([{"content": "hi"}]);
        Update::from_json(&json!({
            "messageId": format!("m{n}"), "parentId": parent, "source": source,
            "contentBlocks": blocks, "timestamp": n,
        }))
    };
    (0..count).map(|n| update(n).unwrap()).collect()
}

#[test]
fn feeding_a_chain_of_updates_takes_linear_work() {
    assert_linear_work("feeding a chain", create_chain, |updates| {
        let count = updates.len();
        let mut session = Session::new("t", SessionOptions::default());
        for update in updates {
            let update = Box::new(update);
            let output = session.handle(Input::Update { update }, &mut Page::default());
            assert_eq!(output.refused, None);
        }
        assert_eq!(session.conversation().path().count(), count);
        assert!(session.conversation().path_work() < 4 * count as u64);
    });
}

#[test]
fn showing_a_branch_costs_only_its_difference() {
    let work = |count: usize| {
        let mut session = Session::new("t", SessionOptions::default());
        for update in create_chain(count) {
            let update = Box::new(update);
            session.handle(Input::Update { update }, &mut Page::default());
        }
        let before = session.conversation().path_work();
        // Versions near the end of a long path.
        for n in 0..50 {
            let newest = json!({
                "messageId": format!("v{n}"), "parentId": format!("m{}", count - 2),
                "contentBlocks": [{"content": "again"}],
            });
            let update = Box::new(Update::from_json(&newest).unwrap());
            session.handle(Input::Update { update }, &mut Page::default());
            let change = TreeChange::Select {
                message: format!("v{n}").into(),
                exact: false,
            };
            assert_eq!(
                session
                    .handle(Input::Tree { change }, &mut Page::default())
                    .refused,
                None
            );
        }
        session.conversation().path_work() - before
    };
    assert_eq!(work(1_000), work(4_000), "whatever the length of the path");
}

#[test]
fn replaying_operations_takes_linear_work() {
    let vector = |count: usize| {
        let add = |n: usize| {
            let parent = n.checked_sub(1).map(|n| format!("m{n}"));
            let role = if n.is_multiple_of(2) {
                "user"
            } else {
                "assistant"
            };
            json!({"op": "add", "id": format!("m{n}"), "role": role, "parent": parent})
        };
        let mut ops: Vec<Value> = (0..count).map(add).collect();
        ops.extend((0..count / 100).flat_map(|n| {
            [
                json!({"op": "add", "id": format!("v{n}"), "role": "user", "parent": format!("m{}", count - 1)}),
                json!({"op": "delete", "id": format!("v{n}")}),
            ]
        }));
        json!({"ops": ops, "expect": {"count": count, "errors": []}})
    };
    assert_linear_work("replaying a chain", vector, |vector| {
        assert_eq!(branches::replay_vector(&vector)["ok"], true);
    });
}

#[test]
fn importing_a_deeply_nested_tree_needs_no_recursion() {
    let mut tree = json!({"id": "m29999", "role": "user", "content": "hi"});
    for n in (0..29_999).rev() {
        let mut above = json!({"id": format!("m{n}"), "role": "user", "content": "hi"});
        // Moved: to copy a deep value takes a deep stack.
        above["children"] = Value::Array(vec![tree]);
        tree = above;
    }
    let conversation = Conversation::import(tree).unwrap();
    assert_eq!(conversation.path().count(), 30_000);
}

/// Checks that an unrealistically large tree exhausts neither the stack nor the time.
#[test]
fn a_tree_of_100_000_messages_and_depth_30_000_can_be_imported() {
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
