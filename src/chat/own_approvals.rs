//! Counts pending approvals that belong to no message.

use leptos::prelude::*;

use crate::{assistant::Assistant, tool::page_call_keys, ui::memo};

/// Returns a signal with the number of calls that the page itself has started and that wait for the
/// user.
pub(super) fn count_own_approvals(assistant: &Assistant) -> Memo<usize> {
    let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
    memo(move || keys.with(|keys| page_call_keys(&assistant, keys).len()))
}
