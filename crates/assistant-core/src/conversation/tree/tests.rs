//! Tests the tree with random operations. The items of the tree are numbers.

use proptest::prelude::*;

use super::{MessageId, Tree};

/// An operation on the tree. The numbers in an operation select existing items, modulo the number
/// of items.
#[derive(Debug, Clone)]
enum Op {
    Append,
    Join {
        parent: Option<usize>,
        missing: bool,
    },
    Insert {
        before: usize,
    },
    Select {
        item: usize,
        exact: bool,
        write: bool,
    },
    ShowRun,
    WriteWhereShown,
    Change {
        place: usize,
    },
    TakeOut {
        place: usize,
    },
    Leave {
        place: usize,
    },
    Reparent {
        item: usize,
        parent: Option<usize>,
    },
    Delete {
        item: usize,
        undo: bool,
        write: bool,
    },
}

fn operation() -> impl Strategy<Value = Op> {
    let number = || 0_usize..64;
    prop_oneof![
        4 => Just(Op::Append),
        2 => (proptest::option::of(number()), proptest::bool::weighted(0.2))
            .prop_map(|(parent, missing)| Op::Join { parent, missing }),
        1 => number().prop_map(|before| Op::Insert { before }),
        3 => (number(), any::<bool>(), any::<bool>())
            .prop_map(|(item, exact, write)| Op::Select { item, exact, write }),
        1 => Just(Op::ShowRun),
        1 => Just(Op::WriteWhereShown),
        3 => number().prop_map(|place| Op::Change { place }),
        2 => number().prop_map(|place| Op::TakeOut { place }),
        1 => number().prop_map(|place| Op::Leave { place }),
        1 => (number(), proptest::option::of(number()))
            .prop_map(|(item, parent)| Op::Reparent { item, parent }),
        1 => (number(), any::<bool>(), any::<bool>())
            .prop_map(|(item, undo, write)| Op::Delete { item, undo, write }),
    ]
}

/// A tree, and the number of items that have been created.
#[derive(Debug, Default)]
struct TestTree {
    tree: Tree<u32>,
    last: u32,
}

impl TestTree {
    fn new_item(&mut self) -> (MessageId, u32) {
        self.last += 1;
        (format!("m{}", self.last).into(), self.last)
    }

    fn nth_id(&self, number: usize) -> Option<MessageId> {
        let ids: Vec<_> = self.tree.nodes().map(|(_, node)| node.id.clone()).collect();
        let index = number.checked_rem(ids.len())?;
        ids.get(index).cloned()
    }

    /// Returns the numbers of the nodes on the path of runs, without gaps.
    fn path(&self) -> Vec<usize> {
        let path = self.tree.path().iter().copied();
        path.filter(|ix| self.tree.node(*ix).is_some()).collect()
    }

    fn path_node(&self, place: usize) -> Option<usize> {
        let path = self.path();
        let index = place.checked_rem(path.len())?;
        path.get(index).copied()
    }

    /// Returns the items of every branch except the branch on which runs write, from the root to
    /// the leaf.
    fn other_branches(&self) -> Vec<Vec<u32>> {
        let tip = self.tree.tip();
        let leaves = self
            .tree
            .nodes()
            .filter(|(_, node)| node.children.is_empty());
        let other_leaves = leaves.map(|(ix, _)| ix).filter(|ix| Some(*ix) != tip);
        let mut branches: Vec<_> = other_leaves.map(|ix| self.items(ix)).collect();
        branches.sort();
        branches
    }

    fn items(&self, ix: usize) -> Vec<u32> {
        let chain = self.tree.chain_to(ix).into_iter();
        chain
            .filter_map(|ix| Some(self.tree.node(ix)?.item))
            .collect()
    }

    /// Returns all observable data of the tree: each item with its parent and its ordered children,
    /// and the paths.
    fn snapshot(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let nodes: Vec<_> = self
            .tree
            .nodes_in_preorder()
            .map(|node| {
                (
                    node.id.clone(),
                    node.item,
                    node.parent,
                    node.children.clone(),
                )
            })
            .collect();
        let roots = self.tree.roots().to_vec();
        (nodes, roots, self.path(), self.tree.shown_path().to_vec())
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::Append => {
                let (id, item) = self.new_item();
                let (ix, _) = self.tree.append(id, item);
                self.tree.gather_orphans(ix);
            }
            Op::Join { parent, missing } => {
                let (id, item) = self.new_item();
                let parent = match missing {
                    true => Some(MessageId::from(format!("m{}", self.last + 3))),
                    false => parent.and_then(|parent| self.nth_id(parent)),
                };
                if self.tree.check_cycle(&id, parent.as_ref()).is_ok() {
                    self.tree.add_below(id, item, parent.as_ref());
                }
            }
            Op::Insert { before } => {
                self.tree.close_gaps();
                let previous = self.path_node(before);
                let next = self
                    .tree
                    .node_after(previous)
                    .map(|next| self.tree.unshare(next).0);
                let (id, item) = self.new_item();
                self.tree.insert_after(previous, next, id, item);
            }
            Op::Select { item, exact, write } => {
                if let Some(id) = self.nth_id(item) {
                    assert_eq!(self.tree.select(&id, exact, write), Ok(()));
                }
            }
            Op::ShowRun => self.tree.show_run_branch(),
            Op::WriteWhereShown => self.tree.set_run_branch_to_shown(),
            Op::Change { place } => {
                let Some(ix) = self.path_node(place) else {
                    return;
                };
                let branches_before = self.other_branches();
                let (unshared_ix, _) = self.tree.unshare(ix);
                self.last += 1;
                *self.tree.item_mut(unshared_ix).unwrap() = self.last;
                assert!(
                    self.tree.is_on_path(unshared_ix),
                    "what a run changes is on its path"
                );
                let branches_after = self.other_branches();
                let are_kept = branches_before
                    .iter()
                    .all(|branch| branches_after.contains(branch));
                assert!(are_kept, "{branches_before:?} became {branches_after:?}");
            }
            Op::TakeOut { place } => {
                let unshared_ix = self.path_node(place).map(|ix| self.tree.unshare(ix).0);
                if let Some(ix) = unshared_ix
                    && let Some(node) = self.tree.unlink_node(ix)
                {
                    self.tree.close_path_at(ix, &node);
                }
            }
            Op::Leave { place } => {
                self.tree.close_gaps();
                if let Some(ix) = self.path_node(place).map(|ix| self.tree.unshare(ix).0) {
                    self.tree.move_to_own_branch(ix);
                    self.tree.remove_from_paths(|left| left == ix);
                }
            }
            Op::Reparent { item, parent } => {
                let parent = parent.and_then(|parent| self.nth_id(parent));
                if let Some(id) = self.nth_id(item) {
                    // The error is ignored, because the operation fails if the item would become
                    // its own descendant.
                    let _ = self.tree.reparent(&id, parent.as_ref());
                }
            }
            Op::Delete { item, undo, write } => {
                let Some(ix) = self.nth_id(item).and_then(|id| self.tree.find(&id)) else {
                    return;
                };
                self.tree.close_gaps();
                let snapshot_before = self.snapshot();
                let removed_branch = self.tree.delete(ix);
                if undo {
                    assert!(self.tree.is_sound());
                    assert!(self.tree.can_restore(&removed_branch));
                    self.tree.restore(removed_branch, write);
                    if write {
                        assert_eq!(self.snapshot(), snapshot_before);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_keeps_the_tree_sound(ops in proptest::collection::vec(operation(), 1..48)) {
        let mut test_tree = TestTree::default();
        for (index, op) in ops.iter().enumerate() {
            test_tree.apply(op);
            prop_assert!(test_tree.tree.is_sound(), "after {:?}", ops.get(..=index));
        }
    }
}

#[test]
fn a_taken_id_gets_a_suffix() {
    let mut tree = Tree::default();
    tree.append("m".into(), 1);
    let (ix, id) = tree.append("m".into(), 2);
    assert_eq!(
        (id.as_str(), tree.node(ix).map(|node| node.item)),
        ("m~2", Some(2))
    );
}

#[test]
fn a_cycle_of_parents_is_refused() {
    let mut tree = Tree::default();
    for (id, item) in [("a", 1), ("b", 2)] {
        assert!(tree.add_unlinked(id.into(), item).is_some());
    }
    let links = [(Some("b".into()), None), (Some("a".into()), None)];
    assert!(!tree.link_nodes(&links));
}
