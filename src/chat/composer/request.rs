//! Finds the open request that the text of a composer can deny.

use assistant_core::conversation::CallKey;
use leptos::prelude::*;

use crate::{action::ToolCallView, assistant::Assistant, ui::memo};

/// Returns a signal with the open request that the user can deny with a reason; `None` if no
/// request or several requests are open, or if the only request cannot run, has an unknown outcome,
/// or accepts no reason.
pub(super) fn sole_deniable_request(assistant: &Assistant) -> Memo<Option<CallKey>> {
    let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
    memo(move || {
        let key = keys.with(|keys| match keys.as_slice() {
            [key] => Some(*key),
            _ => None,
        })?;
        let call: ToolCallView = assistant.tool_call(&key)?;
        let takes = call.can_run() && !call.has_unknown_outcome() && call.approval_takes().reason;
        takes.then_some(key)
    })
}
