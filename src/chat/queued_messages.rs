//! Renders the queued messages of the user, which wait for the end of the running tools, or for an
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
    ui::{Icon, IconButton, LabelName, Words, each, find, focus, memo, when},
};

/// The queued messages, below the last sent message. A queued message becomes an ordinary message
/// when it is sent. Until then, the message can be moved back into the composer, or removed.
#[component]
pub(super) fn QueuedMessages(assistant: Assistant) -> impl IntoView {
    let (queued_messages, queued_condition) = (assistant.queued(), assistant.queued());
    let items = move || queued_messages.with(|list| number_duplicates(list));
    let render_list = move || {
        let assistant = assistant.clone();
        let key = |(number, content): &(usize, Content)| format!("{number} {content:?}");
        each(items.clone(), key, move |(number, content)| {
            render_message(&assistant, number, content)
        })
    };
    when(
        move || queued_condition.with(|list| !list.is_empty()),
        render_list,
    )
}

/// Pairs each message with the number of equal messages before it. The newest of several equal
/// messages is withdrawn first, so the numbers of the other messages stay.
fn number_duplicates(list: &[Content]) -> Vec<(usize, Content)> {
    let equal_before = |index: usize, content: &Content| {
        let earlier_messages = list.get(..index).unwrap_or_default();
        earlier_messages
            .iter()
            .filter(|other| *other == content)
            .count()
    };
    let indexed_messages = list.iter().enumerate();
    let numbered_messages =
        indexed_messages.map(|(index, content)| (equal_before(index, content), content.clone()));
    numbered_messages.collect()
}

fn render_message(assistant: &Assistant, number: usize, content: Content) -> AnyView {
    let words = Words::current();
    let parts = match &content {
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
                {edit_button(assistant, &content, &words)}
                {remove_button(assistant, (number, content), article, &words)}
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
    let content_to_check = content.clone();
    let can_edit = memo(move || {
        slot.get()
            .is_some_and(|composer| composer.can_hold(&content_to_check))
    });
    let (assistant, content, words) = (assistant.clone(), content.clone(), words.clone());
    let render_button = move || {
        let (assistant, content) = (assistant.clone(), content.clone());
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
    (number, content): (usize, Content),
    article: NodeRef<html::Article>,
    words: &Words,
) -> AnyView {
    let assistant = assistant.clone();
    let remove = move |event: MouseEvent| {
        let count_equal =
            |list: &Vec<Content>| list.iter().filter(|other| **other == content).count();
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
