//! Streaming text: growth is appended to the text node, existing text is not set again.

use assistant_core::conversation::{MessageId, Part};
use leptos::{html, prelude::*};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;

use crate::{
    assistant::Assistant,
    ui::effect,
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
///     let part = assistant.message(&message)?.parts.get().first().cloned()?;
///     Some(view! { <StreamingText assistant message part /> })
/// }
/// ```
#[component]
pub fn StreamingText(
    /// The assistant of the conversation.
    assistant: Assistant,
    /// The message.
    message: MessageId,
    /// The part.
    part: PartCell,
) -> impl IntoView {
    let block = NodeRef::<html::P>::new();
    effect(move |shown: Option<Shown>| {
        let mark = part.mark.get();
        let mut shown = shown.unwrap_or_default();
        if let Some(block) = block.get() {
            shown.follow(&block, mark, |len| {
                suffix(&assistant, &message, part.index, len)
            });
        }
        shown
    });
    view! { <p class="la-text-block" dir="auto" node_ref=block></p> }
}

/// The text node, and how much of the text is in it.
#[derive(Default)]
struct Shown {
    node: Option<SendWrapper<web_sys::Text>>,
    mark: Mark,
}

impl Shown {
    fn follow(
        &mut self,
        block: &web_sys::HtmlElement,
        mark: Mark,
        suffix: impl Fn(usize) -> Option<String>,
    ) {
        let node = match self.node.take() {
            Some(node) if self.mark.generation == mark.generation => node,
            _ => {
                block.set_text_content(Some("\u{200b}"));
                let node = block.first_child().and_then(|node| node.dyn_into().ok());
                let Some(node) = node.map(SendWrapper::<web_sys::Text>::new) else {
                    return;
                };
                node.set_data("");
                self.mark = Mark {
                    generation: mark.generation,
                    ..Mark::default()
                };
                node
            }
        };
        if let Some(text) = suffix(self.mark.len) {
            self.mark.len += text.len();
            // Appending to a text node cannot fail.
            let _ = node.append_data(&text);
        }
        self.node = Some(node);
    }
}

/// Returns the text of the part after the first `len` bytes.
fn suffix(assistant: &Assistant, id: &MessageId, part: usize, len: usize) -> Option<String> {
    assistant
        .with_conversation(
            |conversation| match conversation.message(id)?.parts.get(part)? {
                Part::Text(part) | Part::Reasoning(part) => part
                    .text
                    .get(len..)
                    .filter(|new| !new.is_empty())
                    .map(str::to_owned),
                _ => None,
            },
        )
        .flatten()
}
