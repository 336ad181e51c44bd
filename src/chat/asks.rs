//! What waits for the person and has no place in a message.

use leptos::prelude::*;

use crate::{assistant::Assistant, tool::of_the_page, ui::memo};

/// How many calls that the page makes itself wait for the person.
pub(super) fn own_asks(assistant: &Assistant) -> Memo<usize> {
    let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
    memo(move || keys.with(|keys| of_the_page(&assistant, keys).len()))
}
