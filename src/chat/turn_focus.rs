//! Moves the focus between turns by keyboard: the list is a tab stop, and Up, Down, Home and End
//! move the focus over the mounted turns. If the focused turn extends beyond the edge of the list,
//! the arrow key first scrolls the list.

use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::scroll::ScrollState;
use crate::ui::{after, focus::focus_in_place, has_modifier};

const TURN_SELECTOR: &str = ".la-turn";
/// The delay, in milliseconds, after which the list has mounted the blocks that come into view.
const MOUNT_MS: u32 = 60;

/// Moves the focus between turns in response to a key, if the list or a turn itself has the focus.
pub(super) fn handle_key(scroll: ScrollState, event: &KeyboardEvent) {
    let Some(scroller) = scroll.scroller.get_untracked() else {
        return;
    };
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let Some(target) = target.filter(|_| !has_modifier(event)) else {
        return;
    };
    let is_on_turn = target.matches(TURN_SELECTOR).unwrap_or_default();
    if !is_on_turn && !target.is_same_node(Some(&scroller)) {
        return;
    }
    let turns = visible_turns(&scroller);
    let current_index = is_on_turn.then(|| {
        turns
            .iter()
            .position(|turn| turn.is_same_node(Some(&target)))
    });
    let current_index = current_index.flatten();
    match event.key().as_str() {
        "ArrowUp" => {
            if current_index.is_some() && is_clipped(&scroller, &target, true) {
                return;
            }
            let previous_index = current_index.map_or_else(
                || turns.len().checked_sub(1),
                |current_index| current_index.checked_sub(1),
            );
            focus_turn(event, previous_index.and_then(|index| turns.get(index)));
        }
        "ArrowDown" => {
            if current_index.is_none() || is_clipped(&scroller, &target, false) {
                return;
            }
            focus_turn(
                event,
                current_index.and_then(|current_index| turns.get(current_index + 1)),
            );
        }
        "Home" => {
            scroller.set_scroll_top(0);
            event.prevent_default();
            focus_turn_after_mount(scroller.into(), true);
        }
        // Does not let the browser scroll to the end, because the end may move during the
        // scrolling.
        "End" => {
            scroll.jump_to_end();
            event.prevent_default();
            focus_turn_after_mount(scroller.into(), false);
        }
        _ => {}
    }
}

fn visible_turns(scroller: &Element) -> Vec<HtmlElement> {
    let Ok(list) = scroller.query_selector_all(TURN_SELECTOR) else {
        return Vec::new();
    };
    let turns = (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok());
    turns
        .filter(|turn: &HtmlElement| turn.offset_height() > 0)
        .collect()
}

/// Returns true if a turn extends by more than one pixel beyond the upper edge of the list (if
/// `above` is true) or beyond the lower edge (if `above` is false).
fn is_clipped(scroller: &Element, turn: &Element, above: bool) -> bool {
    let (list, turn) = (
        scroller.get_bounding_client_rect(),
        turn.get_bounding_client_rect(),
    );
    match above {
        true => turn.top() < list.top() - 1.0,
        false => turn.bottom() > list.bottom() + 1.0,
    }
}

fn focus_turn(event: &KeyboardEvent, turn: Option<&HtmlElement>) {
    if let Some(turn) = turn {
        event.prevent_default();
        // The result is ignored, because focusing an element in the page cannot fail.
        let _ = turn.focus();
    }
}

/// Focuses the first or the last mounted turn after a delay, in which the list mounts that turn.
fn focus_turn_after_mount(scroller: Element, first: bool) {
    after(MOUNT_MS, move || {
        let turns = visible_turns(&scroller);
        let turn = if first { turns.first() } else { turns.last() };
        if let Some(turn) = turn {
            focus_in_place(turn);
        }
    });
}
