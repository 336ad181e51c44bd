//! What the model thought, behind a summary.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use super::StreamingText;
use crate::{
    assistant::Assistant,
    chat::{Icon, Labels},
    view::PartCell,
};

pub(super) fn view(assistant: Assistant, message: MessageId, part: PartCell) -> AnyView {
    let labels = Labels::current();
    let mark = part.mark.clone();
    let (thinking, thought) = (labels.thinking.clone(), labels.reasoning.clone());
    let title = move || {
        if mark.get().open {
            thinking.clone()
        } else {
            thought.clone()
        }
    };
    view! {
        <details class="la-part la-reasoning">
            <summary class="la-reasoning-summary">{Icon::chevron()}<span>{title}</span></summary>
            <div class="la-reasoning-text">
                <StreamingText assistant message part />
            </div>
        </details>
    }
    .into_any()
}
