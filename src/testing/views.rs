//! Provides the views that renderers receive, without a rendered window.

use assistant_core::conversation::{CallKey, MessageId};
use leptos::prelude::GetUntracked;

use crate::{
    action::ToolCallView,
    assistant::{Assistant, PartHandle},
};

/// Returns the view that the renderer of a call would receive, with streaming arguments. Returns
/// `None` if the call does not exist.
///
/// ```
/// use leptos_assistant::{CallKey, ToolCallView, testing::call_view, use_assistant};
///
/// fn card(call: ToolCallView) -> String {
///     format!("{}: {}", call.name(), call.status().as_str())
/// }
///
/// # fn test(key: CallKey) {
/// let assistant = use_assistant().expect("below a provider");
/// let call = call_view(&assistant, &key).expect("the agent has called something");
/// assert_eq!(card(call), "add_project: complete");
/// # }
/// ```
#[must_use]
pub fn call_view(assistant: &Assistant, key: &CallKey) -> Option<ToolCallView> {
    assistant.tool_call(key)
}

/// Returns the handle that the renderer of a part would receive. Returns `None` if the part does
/// not exist.
///
/// ```
/// use leptos_assistant::{Assistant, testing::part_handle};
///
/// # fn test(assistant: &Assistant) {
/// use leptos::prelude::*;
///
/// let first = assistant.messages().with(|messages| messages[0].id().clone());
/// let part = part_handle(assistant, &first, 0).expect("it has a part");
/// assert_eq!(part.text(), "Hello");
/// # }
/// ```
#[must_use]
pub fn part_handle(assistant: &Assistant, message: &MessageId, index: usize) -> Option<PartHandle> {
    let parts = assistant.message(message)?.parts.get_untracked();
    let cell = parts.get(index)?.clone();
    Some(PartHandle::new(assistant, message.clone(), cell))
}
