//! Renders streaming text. New text is appended to the text node, and existing text is not set
//! again.

use assistant_core::conversation::{MessageId, Part};
use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;

use crate::{
    assistant::Assistant,
    ui::{effect, split_at_block_end},
    view::{Mark, PartCell},
};

/// Renders the text of a part as plain text while it streams.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{conversation::MessageId, part::StreamingText, use_assistant};
///
/// /// The first part of a message, in a window of your own.
/// #[component]
/// fn First(message: MessageId) -> impl IntoView {
///     let assistant = use_assistant()?;
///     let part = assistant.message(&message)?.parts().get().first().cloned()?;
///     Some(view! { <StreamingText assistant message part /> })
/// }
/// ```
#[component]
pub fn StreamingText(
    /// The assistant of the conversation.
    assistant: Assistant,
    /// The id of the message that contains the part.
    message: MessageId,
    /// The text or reasoning part to render.
    part: PartCell,
) -> impl IntoView {
    let block = NodeRef::<html::P>::new();
    effect(move |previous: Option<RenderedPart>| {
        let mark = part.mark.get();
        let mut rendered_part = previous.unwrap_or_default();
        if let Some(block) = block.get() {
            rendered_part.update_text(&block, mark, |len| {
                text_after(&assistant, &message, part.index, len)
            });
        }
        rendered_part
    });
    view! { <p class="la-text-block" dir="auto" node_ref=block></p> }
}

/// The text node to which new text is appended, and the mark of the text in the page.
#[derive(Default)]
struct RenderedPart {
    /// The last text node, and its size in bytes. A long text has several nodes, each in an element
    /// of its own, so that appending text causes little layout work.
    node: Option<(SendWrapper<web_sys::Text>, usize)>,
    mark: Mark,
}

impl RenderedPart {
    /// Appends the new text to the page. `suffix` returns the text after a number of bytes. A text
    /// that was replaced is rendered from its start.
    fn update_text(
        &mut self,
        block: &web_sys::HtmlElement,
        mark: Mark,
        suffix: impl Fn(usize) -> Option<String>,
    ) {
        if self.node.is_none() || self.mark.generation != mark.generation {
            block.set_text_content(None);
            self.node = append_text_node(block);
            self.mark = Mark {
                generation: mark.generation,
                ..Mark::default()
            };
        }
        let text = suffix(self.mark.len).unwrap_or_default();
        self.mark.len += text.len();
        let mut rest = text.as_str();
        while let Some((head, tail)) = split_at_block_end(rest, self.node_size()) {
            self.append(head);
            self.node = append_text_piece(block);
            rest = tail;
        }
        self.append(rest);
    }

    fn node_size(&self) -> usize {
        self.node.as_ref().map_or(0, |(_, size)| *size)
    }

    fn append(&mut self, text: &str) {
        if let Some((node, size)) = &mut self.node {
            *size += text.len();
            // Appending to a text node cannot fail.
            let _ = node.append_data(text);
        }
    }
}

/// Appends an empty text node, and returns the node with its size, which is 0. Returns `None` if
/// the node cannot be appended.
fn append_text_node(parent: &web_sys::Element) -> Option<(SendWrapper<web_sys::Text>, usize)> {
    let node = document().create_text_node("");
    parent.append_child(&node).ok()?;
    Some((SendWrapper::new(node), 0))
}

/// Appends an element with an empty text node, and returns the text node with its size, which is 0.
/// Returns `None` if a node cannot be created or appended.
fn append_text_piece(block: &web_sys::Element) -> Option<(SendWrapper<web_sys::Text>, usize)> {
    let element = document().create_element("span").ok()?;
    element.set_class_name("la-text-piece");
    block.append_child(&element).ok()?;
    append_text_node(&element)
}

/// Returns the text of the part after the first `len` bytes. Returns `None` if there is no such
/// text.
fn text_after(assistant: &Assistant, id: &MessageId, part: usize, len: usize) -> Option<String> {
    assistant
        .with_conversation(
            |conversation| match conversation.message(id)?.parts().get(part)? {
                Part::Text(part) | Part::Reasoning(part) => part
                    .text()
                    .get(len..)
                    .filter(|new| !new.is_empty())
                    .map(str::to_owned),
                _ => None,
            },
        )
        .flatten()
}
