//! Renders a message of the user until the engine is loaded. The message looks the same as in the
//! conversation, which later replaces this rendering.

use assistant_core::event::{Content, ContentPart, PartBody};
use leptos::{html::span, prelude::*};

use crate::{
    chat::queued_messages::render_text_part,
    ui::{Icon, LabelName, Words, fresh_id},
};

/// Renders the user's message as a turn.
pub(super) fn view(words: &Words, content: &Content) -> AnyView {
    let parts = match content {
        Content::Text(text) => render_text_part(text),
        Content::Parts(parts) => {
            let parts = parts.iter().map(|part| match &part.body {
                PartBody::Text(text) => render_text_part(text),
                PartBody::Media { .. } => render_file_name(part),
            });
            parts.collect_view().into_any()
        }
    };
    let heading_id = format!("la-turn-{}", fresh_id());
    view! {
        <article class="la-turn" aria-labelledby=heading_id.clone() data-of="user" data-newest="">
            <h3 class="la-visually-hidden" id=heading_id.clone()>{words.text(LabelName::You)}</h3>
            <div class="la-message" data-role="user">
                <div class="la-message-parts">{parts}</div>
            </div>
            // This element reserves the space of the buttons that the message will have. The inner
            // element is not constant HTML in the view, because the browser would have to parse
            // such HTML, which Trusted Types forbid.
            <div class="la-message-bar" data-of="user">{span().class("la-bar-room")}</div>
        </article>
    }
    .into_any()
}

/// Renders the name of a file, because the code for its preview is not fetched yet.
fn render_file_name(part: &ContentPart) -> AnyView {
    let name = part.metadata.as_ref().and_then(|more| more.get("filename"));
    let name = name.and_then(serde_json::Value::as_str).unwrap_or_default();
    let name = name.to_owned();
    view! {
        <p class="la-message-note">
            {Icon::Clip.view()} <bdi>{name}</bdi>
        </p>
    }
    .into_any()
}
