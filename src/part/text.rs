//! Renders text parts: text from the user as plain text, and text from the agent as Markdown if the
//! feature `markdown` is enabled.

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;

use super::StreamingText;
#[cfg(feature = "markdown")]
use crate::markdown::MarkdownText;
use crate::{assistant::Assistant, view::PartCell};

pub(super) fn view(assistant: Assistant, message: MessageId, part: PartCell) -> AnyView {
    let role =
        assistant.with_conversation(|conversation| Some(conversation.message(&message)?.role()));
    if role.flatten() == Some(Role::Assistant) {
        let prose = agent_text(assistant, message, part);
        return view! { <div class="la-part la-answer message-content">{prose}</div> }.into_any();
    }
    view! {
        <div class="la-part la-text message-content">
            <StreamingText assistant message part />
        </div>
    }
    .into_any()
}

/// Renders text from the agent as Markdown.
#[cfg(feature = "markdown")]
pub(super) fn agent_text(assistant: Assistant, message: MessageId, part: PartCell) -> AnyView {
    view! { <MarkdownText assistant message part /> }.into_any()
}

/// Renders text from the agent as plain text.
#[cfg(not(feature = "markdown"))]
pub(super) fn agent_text(assistant: Assistant, message: MessageId, part: PartCell) -> AnyView {
    view! { <div class="la-text"><StreamingText assistant message part /></div> }.into_any()
}
