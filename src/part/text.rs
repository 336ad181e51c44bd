//! A text part.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use super::StreamingText;
use crate::{assistant::Assistant, view::PartCell};

pub(super) fn view(assistant: Assistant, message: MessageId, part: PartCell) -> AnyView {
    view! {
        <div class="la-part la-text message-content">
            <StreamingText assistant message part />
        </div>
    }
    .into_any()
}
