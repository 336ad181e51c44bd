//! A text part: what a person wrote as it is, what an agent wrote as markdown.

use assistant_core::conversation::MessageId;
#[cfg(feature = "markdown")]
use assistant_core::event::Role;
use leptos::prelude::*;

use super::StreamingText;
#[cfg(feature = "markdown")]
use crate::markdown::MarkdownText;
use crate::{assistant::Assistant, view::PartCell};

pub(super) fn view(assistant: Assistant, message: MessageId, part: PartCell) -> AnyView {
    #[cfg(feature = "markdown")]
    if is_of_agent(&assistant, &message) {
        return view! {
            <div class="la-part la-answer message-content">
                <MarkdownText assistant message part />
            </div>
        }
        .into_any();
    }
    view! {
        <div class="la-part la-text message-content">
            <StreamingText assistant message part />
        </div>
    }
    .into_any()
}

#[cfg(feature = "markdown")]
fn is_of_agent(assistant: &Assistant, message: &MessageId) -> bool {
    let role =
        assistant.with_conversation(|conversation| Some(conversation.message(message)?.role));
    role.flatten() == Some(Role::Assistant)
}
