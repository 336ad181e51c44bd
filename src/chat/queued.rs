//! Messages of the user that wait until an answer to the agent was sent.

use assistant_core::event::{Content, PartBody};
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    part::show_file,
    ui::{Icon, Words, each, when},
};

/// The queued messages, below the last one that was sent. Each becomes an ordinary message when it
/// is sent.
#[component]
pub(super) fn Queued(assistant: Assistant) -> impl IntoView {
    let queued = assistant.queued();
    let some = assistant.queued();
    let items = move || queued.with(|list| list.iter().cloned().enumerate().collect::<Vec<_>>());
    let list = move || {
        let key =
            |(place, content): &(usize, Content)| format!("{place} {}", content.display_text());
        each(items.clone(), key, |(_, content)| bubble(&content))
    };
    when(move || some.with(|list| !list.is_empty()), list)
}

fn bubble(content: &Content) -> AnyView {
    let words = Words::current();
    let parts = match content {
        Content::Text(text) => said(text),
        Content::Parts(parts) => {
            let parts = parts.iter().map(|part| match &part.body {
                PartBody::Text(text) => said(text),
                PartBody::Media { .. } => {
                    view! { <div class="la-part la-files">{show_file(part)}</div> }.into_any()
                }
            });
            parts.collect_view().into_any()
        }
    };
    view! {
        <article
            class="la-message"
            data-role="user"
            data-pending=""
            aria-label=words.attr(|l| &l.you)
        >
            <div class="la-message-parts">{parts}</div>
            <p class="la-message-note">
                {Icon::Clock.view()} <span>{words.text(|l| &l.message_queued)}</span>
            </p>
        </article>
    }
    .into_any()
}

fn said(text: &str) -> AnyView {
    let text = text.to_owned();
    view! {
        <div class="la-part la-text message-content">
            <p class="la-text-block" dir="auto">{text}</p>
        </div>
    }
    .into_any()
}
