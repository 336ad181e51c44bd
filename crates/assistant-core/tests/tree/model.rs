//! The tree compared with a simple model: the shown branch after each action of the user.

use std::collections::BTreeMap;

use assistant_core::{
    conversation::{Conversation, MessageId, Sibling},
    session::{Input, TreeChange},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Driver;

/// A user's action on a message, by its number.
#[derive(Debug, Clone, Copy)]
enum Act {
    Select { message: usize, exact: bool },
    Switch { message: usize, next: bool },
    Delete { message: usize },
    Restore,
}

/// Parents, children in order, and the child through which each message was shown last. Message 0
/// is the root.
#[derive(Debug, Default, Clone)]
struct Model {
    parents: BTreeMap<usize, usize>,
    children: BTreeMap<usize, Vec<usize>>,
    chosen: BTreeMap<usize, usize>,
    path: Vec<usize>,
    /// The last deletion, and the state before it.
    deleted: Option<(usize, Box<Self>)>,
}

impl Model {
    fn of(parents: &[usize]) -> Self {
        let mut model = Self::default();
        for (place, parent) in parents.iter().enumerate() {
            let parent = parent % (place + 1);
            model.parents.insert(place + 1, parent);
            model.children.entry(parent).or_default().push(place + 1);
        }
        model
    }

    fn siblings(&self, message: usize) -> &[usize] {
        &self.children[&self.parents[&message]]
    }

    fn chain(&self, message: usize) -> Vec<usize> {
        let mut chain = vec![message];
        while let Some(parent) = self.parents.get(&chain[0]).filter(|parent| **parent != 0) {
            chain.insert(0, *parent);
        }
        chain
    }

    fn through(&self, message: usize) -> Vec<usize> {
        let mut path = self.chain(message);
        while let Some(children) = self
            .children
            .get(&path[path.len() - 1])
            .filter(|c| !c.is_empty())
        {
            let tip = path[path.len() - 1];
            let remembered = self
                .chosen
                .get(&tip)
                .filter(|child| children.contains(child));
            path.push(*remembered.unwrap_or(&children[children.len() - 1]));
        }
        path
    }

    fn show(&mut self, path: Vec<usize>) {
        let mut parent = 0;
        for message in &path {
            self.chosen.insert(parent, *message);
            parent = *message;
        }
        self.path = path;
    }

    /// Applies an action; returns false if it is not possible.
    fn act(&mut self, act: Act) -> bool {
        match act {
            Act::Select { message, exact } if self.parents.contains_key(&message) => {
                let path = if exact {
                    self.chain(message)
                } else {
                    self.through(message)
                };
                self.show(path);
            }
            Act::Switch { message, next } if self.parents.contains_key(&message) => {
                let siblings = self.siblings(message);
                let place = siblings.iter().position(|other| *other == message).unwrap();
                let other = if next {
                    Some(place + 1)
                } else {
                    place.checked_sub(1)
                };
                let Some(other) = other.and_then(|place| siblings.get(place)).copied() else {
                    return false;
                };
                let path = self.through(other);
                self.show(path);
            }
            Act::Delete { message } if self.parents.contains_key(&message) => self.delete(message),
            Act::Restore => return self.restore(),
            _ => return false,
        }
        true
    }

    fn restore(&mut self) -> bool {
        let Some((message, before)) = self.deleted.take() else {
            return false;
        };
        let parent = before.parents[&message];
        if before.chosen.get(&parent) == Some(&message) {
            self.chosen.insert(parent, message);
        }
        self.parents = before.parents;
        self.children = before.children;
        let path = match before.path.contains(&message) {
            true => before.path,
            false => self.path.clone(),
        };
        self.show(path);
        true
    }

    fn delete(&mut self, message: usize) {
        let mut before = self.clone();
        before.deleted = None;
        self.deleted = Some((message, Box::new(before)));
        let (siblings, parent) = (self.siblings(message), self.parents[&message]);
        let place = siblings.iter().position(|other| *other == message).unwrap();
        let heir = place.checked_sub(1).map(|before| siblings[before]);
        let heir = heir.or_else(|| siblings.get(place + 1).copied());
        let shown = self.path.contains(&message);
        self.children.get_mut(&parent).unwrap().remove(place);
        let mut doomed = vec![message];
        while let Some(removed) = doomed.pop() {
            self.parents.remove(&removed);
            doomed.extend(self.children.remove(&removed).unwrap_or_default());
        }
        if shown {
            let path = match heir {
                Some(heir) => self.through(heir),
                None if parent == 0 => Vec::new(),
                None => self.chain(parent),
            };
            self.show(path);
        }
    }
}

fn name(message: usize) -> MessageId {
    MessageId::from(format!("m{message}"))
}

/// Creates a session with the tree, which shows the branch through its first message.
fn session(model: &Model) -> Driver {
    let entry = |(message, parent): (&usize, &usize)| {
        let text = json!({"type": "text", "text": format!("{message}")});
        json!({
            "parent": (*parent != 0).then(|| name(*parent).to_string()),
            "message": {"id": name(*message).to_string(), "role": "user", "parts": [text]},
        })
    };
    let messages: Vec<Value> = model.parents.iter().map(entry).collect();
    let tip = model.path.last().map(|tip| name(*tip).to_string());
    let snapshot = json!({"version": 2, "messages": messages, "tip": tip});
    let mut driver = Driver::new();
    let thread_id = "thread".to_owned();
    assert_eq!(
        driver
            .input(Input::Load {
                thread_id,
                snapshot
            })
            .refused,
        None
    );
    driver
}

fn compare(conversation: &Conversation, model: &Model) {
    let path: Vec<MessageId> = conversation.path().map(|m| m.id().clone()).collect();
    assert_eq!(
        path,
        model.path.iter().map(|m| name(*m)).collect::<Vec<_>>()
    );
    assert_eq!(conversation.message_count(), model.parents.len());
    assert!(conversation.is_sound());
    let expected = model
        .deleted
        .as_ref()
        .map(|(message, before)| (name(*message), before.parents.len() - model.parents.len()));
    let last = conversation.last_deleted();
    assert_eq!(last.map(|(id, count)| (id.clone(), count)), expected);
    for (message, parent) in &model.parents {
        let siblings = model.siblings(*message).iter().map(|m| name(*m));
        let found = conversation.siblings(&name(*message));
        assert!(found.into_iter().cloned().eq(siblings));
        let above = conversation.parent(&name(*message)).cloned();
        assert_eq!(above, (*parent != 0).then(|| name(*parent)));
        let place = model
            .siblings(*message)
            .iter()
            .position(|m| m == message)
            .unwrap();
        let version = (place + 1, model.siblings(*message).len());
        assert_eq!(conversation.version(&name(*message)), Some(version));
    }
}

/// Exports everything except the chosen branches, which a deletion changes.
fn exported(driver: &Driver) -> Value {
    let mut exported = driver.session.export();
    for entry in exported["messages"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("chosen");
    }
    exported
}

fn act() -> impl Strategy<Value = Act> {
    let message = 1..24_usize;
    prop_oneof![
        3 => (message.clone(), any::<bool>()).prop_map(|(message, exact)| Act::Select { message, exact }),
        3 => (message.clone(), any::<bool>()).prop_map(|(message, next)| Act::Switch { message, next }),
        1 => message.prop_map(|message| Act::Delete { message }),
        1 => Just(Act::Restore),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn branch_actions_match_a_simple_model(
        parents in prop::collection::vec(0..24_usize, 1..20),
        acts in prop::collection::vec(act(), 1..40),
    ) {
        let mut model = Model::of(&parents);
        let first = model.through(1);
        model.show(first);
        let mut driver = session(&model);
        // Branches chosen before an import are not part of the model.
        driver.input(Input::Tree { change: TreeChange::Select { message: name(1), exact: false } });
        compare(driver.session.conversation(), &model);
        for act in acts {
            let change = match act {
                Act::Select { message, exact } => TreeChange::Select { message: name(message), exact },
                Act::Switch { message, next } => TreeChange::Switch {
                    message: name(message),
                    to: if next { Sibling::Next } else { Sibling::Previous },
                },
                Act::Delete { message } => TreeChange::Delete { message: name(message) },
                Act::Restore => TreeChange::Restore,
            };
            let before = exported(&driver);
            let refused = driver.input(Input::Tree { change }).refused;
            if refused.is_none() && matches!(act, Act::Delete { .. }) {
                let mut other = driver.clone();
                other.input(Input::Tree { change: TreeChange::Restore });
                prop_assert_eq!(exported(&other), before);
            }
            prop_assert_eq!(refused.is_none(), model.act(act), "{:?}", act);
            compare(driver.session.conversation(), &model);
        }
    }
}
