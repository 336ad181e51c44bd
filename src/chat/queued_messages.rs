//! Renders the queued messages of the user, which wait for the end of the running tools, or for an
//! answer to the agent.

use std::sync::Arc;

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
    ui::{Icon, IconButton, LabelName, Words, each, find, focus, fresh_id, memo, when},
};

/// A queued message. Its content may hold large files, so it is shared and no part of the key.
#[derive(Clone)]
struct QueuedMessage {
    key: String,
    /// The number of equal messages before this one.
    number: usize,
    content: Arc<Content>,
}

/// The queued messages, below the last sent message. A queued message becomes an ordinary message
/// when it is sent. Until then, the message can be moved back into the composer, or removed.
#[component]
pub(super) fn QueuedMessages(assistant: Assistant) -> impl IntoView {
    let (queued_messages, queued_condition) = (assistant.queued(), assistant.queued());
    let render_list = move || {
        let (assistant, queued_messages) = (assistant.clone(), queued_messages.clone());
        let known_messages = StoredValue::new(Vec::new());
        let items = move || {
            let list = queued_messages
                .with(|list| known_messages.with_value(|known| update_messages(known, list)));
            known_messages.set_value(list.clone());
            list
        };
        each(
            items,
            |message| message.key.clone(),
            move |message| render_message(&assistant, message),
        )
    };
    when(
        move || queued_condition.with(|list| !list.is_empty()),
        render_list,
    )
}

/// Returns the messages of a changed queue. A message that was already in the queue keeps its key.
/// The newest of several equal messages is withdrawn first, so the other messages keep their
/// numbers.
fn update_messages(known_messages: &[QueuedMessage], queue: &[Content]) -> Vec<QueuedMessage> {
    let mut messages: Vec<QueuedMessage> = Vec::with_capacity(queue.len());
    for content in queue {
        let is_equal = |message: &&QueuedMessage| *message.content == *content;
        let number = messages.iter().filter(is_equal).count();
        let known_message = known_messages.iter().filter(is_equal).nth(number);
        messages.push(known_message.cloned().unwrap_or_else(|| QueuedMessage {
            key: fresh_id(),
            number,
            content: Arc::new(content.clone()),
        }));
    }
    messages
}

fn render_message(assistant: &Assistant, message: QueuedMessage) -> AnyView {
    let words = Words::current();
    let parts = match &*message.content {
        Content::Text(text) => render_text_part(text),
        Content::Parts(parts) => {
            let parts = parts.iter().map(|part| match &part.body {
                PartBody::Text(text) => render_text_part(text),
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
            aria-label=words.attr(LabelName::You)
            node_ref=article
        >
            <div class="la-message-parts">{parts}</div>
            <div class="la-queued">
                <p class="la-message-note">
                    {Icon::Clock.view()} <span>{words.text(LabelName::MessageQueued)}</span>
                </p>
                {edit_button(assistant, &message.content, &words)}
                {remove_button(assistant, message, article, &words)}
            </div>
        </article>
    }
    .into_any()
}

/// Renders the button that moves a message back into the composer of the window, if the composer
/// can hold the message.
fn edit_button(assistant: &Assistant, content: &Arc<Content>, words: &Words) -> AnyView {
    let Some(slot) = use_context::<ComposerSlot>() else {
        return ().into_any();
    };
    let content_to_check = Arc::clone(content);
    let can_edit = memo(move || {
        slot.get()
            .is_some_and(|composer| composer.can_hold(&content_to_check))
    });
    let (assistant, content, words) = (assistant.clone(), Arc::clone(content), words.clone());
    let render_button = move || {
        let (assistant, content) = (assistant.clone(), Arc::clone(&content));
        let edit = move |_: MouseEvent| {
            let composer = untrack(|| slot.get());
            // The message is restored only if it was withdrawn, because a message that was already
            // sent stays in the conversation.
            if let Some(composer) = composer
                && withdraw_message(&assistant, &content)
            {
                composer.restore_message(&content);
            }
        };
        IconButton::new(LabelName::EditMessage, Icon::Pencil, edit).view(&words)
    };
    when(move || can_edit.get(), render_button).into_any()
}

/// Renders the button that removes a message.
fn remove_button(
    assistant: &Assistant,
    message: QueuedMessage,
    article: NodeRef<html::Article>,
    words: &Words,
) -> AnyView {
    let assistant = assistant.clone();
    let QueuedMessage {
        number, content, ..
    } = message;
    let remove = move |event: MouseEvent| {
        let count_equal =
            |list: &Vec<Content>| list.iter().filter(|other| **other == *content).count();
        let has_equal_after = assistant.queued().with_untracked(count_equal) > number + 1;
        // Of several equal messages the newest is removed, so the pressed button stays and keeps
        // the focus.
        if !withdraw_message(&assistant, &content) || has_equal_after {
            return;
        }
        let Some(article) = article.get_untracked() else {
            return;
        };
        let if_queued = |other: Option<web_sys::Element>| {
            other.filter(|other| other.has_attribute("data-pending"))
        };
        let next_button = if_queued(article.next_element_sibling())
            .or_else(|| if_queued(article.previous_element_sibling()))
            .and_then(|next_button| find(&next_button, ".la-queued-remove"));
        match next_button
            .and_then(|next_button| next_button.dyn_into::<web_sys::HtmlElement>().ok())
        {
            Some(next_button) => {
                // The result is ignored, because focusing an element in the page cannot fail.
                let _ = next_button.focus();
            }
            None => focus::focus_after_removal(&article, event.detail() == 0),
        }
    };
    IconButton {
        class: "la-button la-queued-remove",
        ..IconButton::new(LabelName::Remove, Icon::Trash, remove)
    }
    .view(words)
}

/// Removes a message from the queue. Returns false if the message was already sent.
fn withdraw_message(assistant: &Assistant, content: &Content) -> bool {
    let content = content.clone();
    let change = TreeChange::Withdraw { content };
    assistant.branches().change(change).is_ok()
}

/// Renders a text of the user that is not in the conversation yet.
pub(super) fn render_text_part(text: &str) -> AnyView {
    let text = text.to_owned();
    view! {
        <div class="la-part la-text message-content">
            <p class="la-text-block" dir="auto">{text}</p>
        </div>
    }
    .into_any()
}
