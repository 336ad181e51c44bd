//! Renders the queued messages of the user, which wait for a boundary between tools, or for an
//! answer to the agent.

use assistant_core::{
    event::{Content, PartBody},
    session::TreeChange,
};
use leptos::{ev::MouseEvent, html, prelude::*};
use wasm_bindgen::JsCast;

use super::composer::ComposerSlot;
use crate::{
    assistant::Assistant,
    part::show_file,
    ui::{Icon, IconButton, Words, each, find, focus, memo, when},
};

/// The queued messages, below the last sent message. A queued message becomes an ordinary message
/// when it is sent. Until then, the message can be moved back into the composer, or removed.
#[component]
pub(super) fn QueuedMessages(assistant: Assistant) -> impl IntoView {
    let queued = assistant.queued();
    let some = assistant.queued();
    let items = move || queued.with(|list| number_duplicates(list));
    let list = move || {
        let assistant = assistant.clone();
        let key = |(nth, content): &(usize, Content)| format!("{nth} {content:?}");
        each(items.clone(), key, move |(nth, content)| {
            bubble(&assistant, nth, content)
        })
    };
    when(move || some.with(|list| !list.is_empty()), list)
}

/// Pairs each message with the number of equal messages before it. The newest of several equal
/// messages is withdrawn first, so the numbers of the others stay.
fn number_duplicates(list: &[Content]) -> Vec<(usize, Content)> {
    let equal_before = |place: usize, content: &Content| {
        let before = list.get(..place).unwrap_or_default();
        before.iter().filter(|other| *other == content).count()
    };
    let places = list.iter().enumerate();
    let numbered = places.map(|(place, content)| (equal_before(place, content), content.clone()));
    numbered.collect()
}

fn bubble(assistant: &Assistant, nth: usize, content: Content) -> AnyView {
    let words = Words::current();
    let parts = match &content {
        Content::Text(text) => text_part(text),
        Content::Parts(parts) => {
            let parts = parts.iter().map(|part| match &part.body {
                PartBody::Text(text) => text_part(text),
                PartBody::Media { .. } => {
                    view! { <div class="la-part la-files">{show_file(part)}</div> }.into_any()
                }
            });
            parts.collect_view().into_any()
        }
    };
    let article = NodeRef::<html::Article>::new();
    view! {
        <article
            class="la-message"
            data-role="user"
            data-pending=""
            aria-label=words.attr(|l| &l.you)
            node_ref=article
        >
            <div class="la-message-parts">{parts}</div>
            <div class="la-queued">
                <p class="la-message-note">
                    {Icon::Clock.view()} <span>{words.text(|l| &l.message_queued)}</span>
                </p>
                {edit_button(assistant, &content, &words)}
                {remove_button(assistant, (nth, content), article, &words)}
            </div>
        </article>
    }
    .into_any()
}

/// Renders the button that moves a message back into the composer of the window, if the composer
/// can hold the message.
fn edit_button(assistant: &Assistant, content: &Content, words: &Words) -> AnyView {
    let Some(slot) = use_context::<ComposerSlot>() else {
        return ().into_any();
    };
    let held = content.clone();
    let fits = memo(move || slot.get().is_some_and(|composer| composer.can_hold(&held)));
    let (assistant, content, words) = (assistant.clone(), content.clone(), words.clone());
    let button = move || {
        let (assistant, content) = (assistant.clone(), content.clone());
        let edit = move |_: MouseEvent| {
            let composer = untrack(|| slot.get());
            // A message that was sent meanwhile stays where it is.
            if let Some(composer) = composer
                && withdraw_message(&assistant, &content)
            {
                composer.restore_message(&content);
            }
        };
        IconButton::new(|l| &l.edit_message, Icon::Pencil, edit).view(&words)
    };
    when(move || fits.get(), button).into_any()
}

/// Renders the button that removes a message.
fn remove_button(
    assistant: &Assistant,
    (nth, content): (usize, Content),
    article: NodeRef<html::Article>,
    words: &Words,
) -> AnyView {
    let assistant = assistant.clone();
    let remove = move |event: MouseEvent| {
        let equal = |list: &Vec<Content>| list.iter().filter(|other| **other == content).count();
        let stays = assistant.queued().with_untracked(equal) > nth + 1;
        // Of several equal messages the newest is removed: this one keeps its place and the focus.
        if !withdraw_message(&assistant, &content) || stays {
            return;
        }
        let Some(article) = article.get_untracked() else {
            return;
        };
        let queued = |other: Option<web_sys::Element>| {
            other.filter(|other| other.has_attribute("data-pending"))
        };
        let next = queued(article.next_element_sibling())
            .or_else(|| queued(article.previous_element_sibling()))
            .and_then(|next| find(&next, ".la-queued-remove"));
        match next.and_then(|next| next.dyn_into::<web_sys::HtmlElement>().ok()) {
            Some(next) => {
                // Focusing an element in the page cannot fail.
                let _ = next.focus();
            }
            None => focus::focus_after_removal(&article, event.detail() == 0),
        }
    };
    IconButton {
        class: "la-button la-queued-remove",
        ..IconButton::new(|l| &l.remove, Icon::Trash, remove)
    }
    .view(words)
}

/// Removes a message from the queue. Returns false if the message was sent meanwhile.
fn withdraw_message(assistant: &Assistant, content: &Content) -> bool {
    let content = content.clone();
    let change = TreeChange::Withdraw { content };
    assistant.branches().change(change).is_ok()
}

/// Renders a text of the user that is not in the conversation yet.
pub(super) fn text_part(text: &str) -> AnyView {
    let text = text.to_owned();
    view! {
        <div class="la-part la-text message-content">
            <p class="la-text-block" dir="auto">{text}</p>
        </div>
    }
    .into_any()
}
