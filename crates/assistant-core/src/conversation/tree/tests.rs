//! Random operations on a tree of numbers.

use proptest::prelude::*;

use super::{MessageId, Tree};

/// An operation on the tree. Numbers select existing items, modulo the number of items.
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

fn op() -> impl Strategy<Value = Op> {
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

/// A tree, and the number of items that were ever created.
#[derive(Debug, Default)]
struct World {
    tree: Tree<u32>,
    last: u32,
}

impl World {
    fn fresh(&mut self) -> (MessageId, u32) {
        self.last += 1;
        (format!("m{}", self.last).into(), self.last)
    }

    fn nth(&self, number: usize) -> Option<MessageId> {
        let ids: Vec<_> = self.tree.nodes().map(|(_, node)| node.id.clone()).collect();
        let at = number.checked_rem(ids.len())?;
        ids.get(at).cloned()
    }

    /// Returns the numbers of the nodes on the path of runs, without removed ones.
    fn path(&self) -> Vec<usize> {
        let path = self.tree.path().iter().copied();
        path.filter(|ix| self.tree.node(*ix).is_some()).collect()
    }

    fn on_path(&self, place: usize) -> Option<usize> {
        let path = self.path();
        let at = place.checked_rem(path.len())?;
        path.get(at).copied()
    }

    /// Returns the items of every branch except the one that runs write on, from the root to its
    /// leaf.
    fn other_branches(&self) -> Vec<Vec<u32>> {
        let tip = self.tree.tip();
        let leaves = self
            .tree
            .nodes()
            .filter(|(_, node)| node.children.is_empty());
        let others = leaves.map(|(ix, _)| ix).filter(|ix| Some(*ix) != tip);
        let mut branches: Vec<_> = others.map(|ix| self.items(ix)).collect();
        branches.sort();
        branches
    }

    fn items(&self, ix: usize) -> Vec<u32> {
        let chain = self.tree.chain_to(ix).into_iter();
        chain
            .filter_map(|ix| Some(self.tree.node(ix)?.item))
            .collect()
    }

    /// Returns everything that readers see of the tree: each item with its parent, its children in
    /// order, and the paths.
    fn reading(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let nodes: Vec<_> = self
            .tree
            .parents_first()
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

    fn carry_out(&mut self, op: &Op) {
        match *op {
            Op::Append => {
                let (id, item) = self.fresh();
                let (ix, _) = self.tree.append(id, item);
                self.tree.gather_orphans(ix);
            }
            Op::Join { parent, missing } => {
                let (id, item) = self.fresh();
                let parent = match missing {
                    true => Some(MessageId::from(format!("m{}", self.last + 3))),
                    false => parent.and_then(|parent| self.nth(parent)),
                };
                if self.tree.check_cycle(&id, parent.as_ref()).is_ok() {
                    self.tree.add_below(id, item, parent.as_ref());
                }
            }
            Op::Insert { before } => {
                self.tree.close_gaps();
                let before = self.on_path(before);
                let next = self
                    .tree
                    .node_after(before)
                    .map(|next| self.tree.unshare(next).0);
                let (id, item) = self.fresh();
                self.tree.insert_after(before, next, id, item);
            }
            Op::Select { item, exact, write } => {
                if let Some(id) = self.nth(item) {
                    assert_eq!(self.tree.select(&id, exact, write), Ok(()));
                }
            }
            Op::ShowRun => self.tree.show_run_branch(),
            Op::WriteWhereShown => self.tree.set_run_branch_to_shown(),
            Op::Change { place } => {
                let Some(ix) = self.on_path(place) else {
                    return;
                };
                let before = self.other_branches();
                let (own, _) = self.tree.unshare(ix);
                self.last += 1;
                *self.tree.item_mut(own).unwrap() = self.last;
                assert!(
                    self.tree.is_on_path(own),
                    "what a run changes is on its path"
                );
                let after = self.other_branches();
                let kept = before.iter().all(|branch| after.contains(branch));
                assert!(kept, "{before:?} became {after:?}");
            }
            Op::TakeOut { place } => {
                let own = self.on_path(place).map(|ix| self.tree.unshare(ix).0);
                if let Some(ix) = own
                    && let Some(node) = self.tree.unlink_node(ix)
                {
                    self.tree.close_path_at(ix, &node);
                }
            }
            Op::Leave { place } => {
                self.tree.close_gaps();
                if let Some(ix) = self.on_path(place).map(|ix| self.tree.unshare(ix).0) {
                    self.tree.move_to_own_branch(ix);
                    self.tree.remove_from_paths(|left| left == ix);
                }
            }
            Op::Reparent { item, parent } => {
                let parent = parent.and_then(|parent| self.nth(parent));
                if let Some(id) = self.nth(item) {
                    // Refused where it would be below itself.
                    let _ = self.tree.reparent(&id, parent.as_ref());
                }
            }
            Op::Delete { item, undo, write } => {
                let Some(ix) = self.nth(item).and_then(|id| self.tree.find(&id)) else {
                    return;
                };
                self.tree.close_gaps();
                let before = self.reading();
                let removed = self.tree.delete(ix);
                if undo {
                    assert!(self.tree.is_sound());
                    assert!(self.tree.can_restore(&removed));
                    self.tree.restore(removed, write);
                    if write {
                        assert_eq!(self.reading(), before);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_operation_keeps_the_tree_sound(ops in proptest::collection::vec(op(), 1..48)) {
        let mut world = World::default();
        for (at, op) in ops.iter().enumerate() {
            world.carry_out(op);
            prop_assert!(world.tree.is_sound(), "after {:?}", ops.get(..=at));
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
