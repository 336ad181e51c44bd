//! Random operations on random trees: invariants for any order.

use std::collections::BTreeMap;

use assistant_core::conversation::{Change, Conversation, MessageId};
use assistant_testkit::replay::branches;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Few ids, so that operations collide.
fn id() -> impl Strategy<Value = String> {
    (0..12_u8).prop_map(|number| format!("m{number}"))
}

fn role() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("user"), Just("assistant"), Just("system")]
}

fn op() -> impl Strategy<Value = Value> {
    let join = (
        prop_oneof![Just("add"), Just("upsert"), Just("upsert")],
        id(),
        role(),
        prop::option::of(id()),
        any::<bool>(),
    );
    let one = (
        prop_oneof![Just("select"), Just("select_exact"), Just("delete")],
        id(),
    );
    prop_oneof![
        4 => join.prop_map(|(op, id, role, parent, select)| {
            json!({"op": op, "id": id, "role": role, "parent": parent, "select": select})
        }),
        1 => (id(), role()).prop_map(|(id, role)| json!({"op": "add", "id": id, "role": role})),
        2 => one.prop_map(|(op, id)| json!({"op": op, "id": id})),
        2 => (id(), prop::option::of(id()))
            .prop_map(|(id, parent)| json!({"op": "reparent", "id": id, "parent": parent})),
        1 => (prop_oneof![Just("edit"), Just("regenerate")], id(), id())
            .prop_map(|(op, target, id)| json!({"op": op, "target": target, "id": id})),
        1 => (prop_oneof![Just("next_sibling"), Just("prev_sibling")], id())
            .prop_map(|(op, at)| json!({"op": op, "at": at})),
        1 => Just(json!({"op": "roundtrip"})),
    ]
}

fn step() -> impl Strategy<Value = Value> {
    let call = || (0..6_u8).prop_map(|number| format!("c{number}"));
    prop_oneof![
        6 => op(),
        2 => (id(), call(), call()).prop_map(|(id, one, two)| {
            json!({"op": "calls_generated", "assistant": id, "calls": [one, two]})
        }),
        2 => (prop_oneof![Just("call_start"), Just("call_done")], call())
            .prop_map(|(op, call)| json!({"op": op, "call": call})),
        1 => id().prop_map(|id| json!({"op": "interject", "id": id})),
        1 => Just(json!({"op": "stop"})),
        1 => (id(), id()).prop_map(|(id, _)| json!({"op": "step_limit", "id": id})),
    ]
}

/// The state of a reader that follows only the reported changes.
#[derive(Debug, Default, PartialEq)]
struct Mirror {
    parents: BTreeMap<MessageId, Option<MessageId>>,
    path: Vec<MessageId>,
}

impl Mirror {
    fn of(conversation: &Conversation) -> Self {
        let ids = conversation.all_messages().map(|message| message.id());
        Self {
            parents: ids
                .map(|id| (id.clone(), conversation.parent(id).cloned()))
                .collect(),
            path: conversation.path().map(|m| m.id().clone()).collect(),
        }
    }

    fn follow(&mut self, conversation: &Conversation, changes: &[Change]) {
        for change in changes {
            match change {
                Change::Path => self.path = Self::of(conversation).path,
                Change::Thread => *self = Self::of(conversation),
                Change::MessageRemoved(id) => {
                    self.parents.remove(id);
                }
                Change::MessageAdded(id) | Change::MessageMoved(id) => {
                    // Items that are gone by now are reported later in the list.
                    let parent = conversation.parent(id).cloned();
                    self.parents.insert(id.clone(), parent);
                }
                _ => {}
            }
        }
    }
}

/// Returns the readable state of the whole tree.
fn sketch(conversation: &Conversation) -> Value {
    let names = |ids: Vec<&MessageId>| -> Value { ids.iter().map(|id| id.as_str()).collect() };
    let nodes: serde_json::Map<String, Value> = conversation
        .all_messages()
        .map(|message| {
            let children = names(conversation.children(Some(message.id())));
            let parent = conversation.parent(message.id()).map(MessageId::as_str);
            let awaits = conversation.missing_parent(message.id());
            let awaits = awaits.map(MessageId::as_str);
            let node = json!({"parent": parent, "children": children, "awaits": awaits});
            (message.id().as_str().to_owned(), node)
        })
        .collect();
    let path: Vec<&MessageId> = conversation.path().map(|message| message.id()).collect();
    json!({"nodes": nodes, "roots": names(conversation.children(None)), "path": names(path)})
}

fn check(conversation: &Conversation) {
    assert!(conversation.is_sound());
    let count = conversation.message_count();
    let mut reached = 0;
    let mut next = conversation.children(None);
    while let Some(id) = next.pop() {
        reached += 1;
        assert!(reached <= count, "a message is reached twice");
        next.extend(conversation.children(Some(id)));
        let path = conversation.path_to(id).unwrap();
        assert_eq!(path.last(), Some(&id));
        assert!(conversation.parent(path[0]).is_none());
        for pair in path.windows(2) {
            assert_eq!(conversation.parent(pair[1]), Some(pair[0]));
        }
        assert!(conversation.siblings(id).contains(&id));
    }
    assert_eq!(reached, count);
    let path: Vec<&MessageId> = conversation.path().map(|message| message.id()).collect();
    if let Some(tip) = conversation.tip() {
        assert_eq!(conversation.path_to(tip).unwrap(), path);
    } else {
        assert!(path.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_tree_stays_sound_and_its_changes_are_complete(ops in prop::collection::vec(op(), 1..40)) {
        let mut mirror = Mirror::default();
        branches::replay_operations(&json!(ops), |conversation, changes| {
            check(conversation);
            mirror.follow(conversation, changes);
            assert_eq!(mirror, Mirror::of(conversation));
            let exported = conversation.export();
            let back = Conversation::import(exported.clone()).unwrap();
            check(&back);
            assert_eq!(sketch(conversation), sketch(&back));
            assert_eq!(exported, back.export());
        });
    }

    #[test]
    fn a_tree_stays_sound_while_calls_run(ops in prop::collection::vec(step(), 1..40)) {
        let mut mirror = Mirror::default();
        branches::replay_operations(&json!(ops), |conversation, changes| {
            check(conversation);
            mirror.follow(conversation, changes);
            assert_eq!(mirror, Mirror::of(conversation));
            let back = Conversation::import(conversation.export()).unwrap();
            check(&back);
            assert_eq!(sketch(conversation), sketch(&back));
            assert_eq!(back.export(), Conversation::import(back.export()).unwrap().export());
            assert_eq!(conversation.export(), back.export());
        });
    }

    #[test]
    fn siblings_stay_in_creation_order(ops in prop::collection::vec(op(), 1..40)) {
        // A moved message becomes the last child, so operations that move are excluded, and so are
        // early arrivals.
        let ops: Vec<Value> = ops
            .into_iter()
            .filter(|op| !matches!(op["op"].as_str(), Some("reparent" | "upsert" | "roundtrip")))
            .collect();
        branches::replay_operations(&json!(ops), |conversation, _| {
            let created: Vec<&MessageId> = conversation.all_messages().map(|m| m.id()).collect();
            let place = |id: &MessageId| created.iter().position(|other| *other == id);
            for id in &created {
                let siblings = conversation.siblings(id);
                assert!(siblings.is_sorted_by_key(|sibling| place(sibling)));
            }
        });
    }
}
