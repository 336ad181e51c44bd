//! The positions of messages in the drawing of a tree.

use std::collections::HashSet;

use assistant_core::conversation::{Drawing, OutlineRow};
use proptest::prelude::*;

use super::outline::{load, tree};

fn rows(messages: &[(&str, Option<&str>)]) -> Vec<OutlineRow> {
    let driver = tree(messages, messages[0].0);
    driver.session.conversation().outline(&HashSet::new())
}

fn places(rows: &[OutlineRow]) -> Vec<String> {
    let drawing = Drawing::of(rows);
    let place = |(at, row): (usize, &OutlineRow)| {
        let spot = drawing.spot(at).unwrap();
        let parent = spot.parent().map(|parent| rows[parent].id().to_string());
        let parent = parent.unwrap_or_default();
        format!("{} {},{} {parent}", row.id(), spot.column(), spot.line())
    };
    rows.iter().enumerate().map(place).collect()
}

#[test]
fn a_message_is_drawn_centred_above_its_children() {
    let rows = rows(&[
        ("q", None),
        ("a", Some("q")),
        ("a1", Some("a")),
        ("b", Some("q")),
        ("c", Some("q")),
        ("r", None),
    ]);
    assert_eq!(
        places(&rows),
        [
            "q 1,0 ", "a 0,1 q", "a1 0,2 a", "b 1,1 q", "c 2,1 q", "r 3,0 "
        ]
    );
    let drawing = Drawing::of(&rows);
    assert_eq!((drawing.columns(), drawing.lines()), (4, 3));
    let part = drawing.visible_part(&(1.5..2.5), &(0..2), 100);
    let ids = |list: &[usize]| {
        let ids = list.iter().map(|at| rows[*at].id().to_string());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(part.rows()), ["q", "b", "c"]);
    assert_eq!(ids(part.connectors()), ["a", "b", "c", "a1"]);
}

#[test]
fn a_closed_branch_is_drawn_without_its_children() {
    let driver = tree(
        &[("q", None), ("a", Some("q")), ("b", Some("q")), ("r", None)],
        "q",
    );
    let rows = driver
        .session
        .conversation()
        .outline(&HashSet::from(["q".into()]));
    assert_eq!(places(&rows), ["q 0,0 ", "r 1,0 "]);
}

#[test]
fn a_large_tree_is_drawn_without_recursion_and_clipped_to_the_view() {
    // One path is 30,000 deep; the others fan out at its root.
    let deep = (1..30_000).map(|at| (format!("m{at}"), Some(format!("m{}", at - 1))));
    let wide = (30_000..100_000).map(|at| (format!("m{at}"), Some("m0".to_owned())));
    let all: Vec<_> = [("m0".to_owned(), None)]
        .into_iter()
        .chain(deep)
        .chain(wide)
        .collect();
    let driver = load(&all, "m0");
    let rows = driver.session.conversation().outline(&HashSet::new());
    let drawing = Drawing::of(&rows);
    assert_eq!((drawing.columns(), drawing.lines()), (70_001, 30_000));
    let part = drawing.visible_part(&(5_000.0..5_010.0), &(0..12), 400);
    assert_eq!(part.rows().len(), 10);
    assert!(
        part.connectors().len() < 20 + 2 * 12,
        "{}",
        part.connectors().len()
    );
    let part = drawing.visible_part(&(0.0..70_001.0), &(0..30_000), 400);
    assert!(part.rows().len() <= 400 && part.connectors().len() <= 402);
}

proptest! {
    /// Items in a row do not overlap, every item is below its parent, and the visible part equals a
    /// search of all rows.
    #[test]
    fn drawn_messages_do_not_overlap_and_the_visible_part_is_complete(
        parents in prop::collection::vec(0..40_usize, 1..40),
        (left, wide) in (0.0..8.0_f64, 0.5..6.0_f64),
        (top, high) in (0..6_usize, 1..6_usize),
    ) {
        let name = |at: usize| format!("m{at}");
        let parent = |at: usize, parent: usize| match parent % (at + 1) {
            0 => None,
            other => Some(name(other - 1)),
        };
        let all = parents.iter().enumerate();
        let all: Vec<_> = all.map(|(at, of)| (name(at), parent(at, *of))).collect();
        let driver = load(&all, "m0");
        let conversation = driver.session.conversation();
        let rows = conversation.outline(&HashSet::new());
        let drawing = Drawing::of(&rows);
        let spots: Vec<_> = (0..rows.len()).map(|at| drawing.spot(at).unwrap()).collect();
        for (at, spot) in spots.iter().enumerate() {
            let above = conversation.parent(rows[at].id());
            prop_assert_eq!(spot.parent().map(|parent| rows[parent].id()), above);
            let line = spot.parent().map_or(0, |parent| spots[parent].line() + 1);
            prop_assert_eq!(spot.line(), line);
            for other in &spots[at + 1..] {
                prop_assert!(other.line() != spot.line() || other.column() >= spot.column() + 1.0);
            }
        }
        let part = drawing.visible_part(&(left..left + wide), &(top..top + high), usize::MAX);
        let is_in = |at: &usize| {
            let spot = &spots[*at];
            (top..top + high).contains(&spot.line())
                && spot.column() < left + wide
                && spot.column() + 1.0 > left
        };
        let mut found = part.rows().to_vec();
        found.sort_unstable();
        let expected: Vec<usize> = (0..rows.len()).filter(is_in).collect();
        prop_assert_eq!(found, expected);
        // The edges of visible rows include those to each item and from each visible item.
        for at in (0..rows.len()).filter(is_in) {
            prop_assert_eq!(part.connectors().contains(&at), spots[at].parent().is_some());
        }
    }
}
