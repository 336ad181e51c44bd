//! Renders streaming Markdown from the engine's tree, never through HTML.
//!
//! Finished blocks are not rendered again. The open block is updated where the tree has changed:
//! text is appended, and code grows in chunks. `assistant_core::text::markdown` parses the text;
//! `assistant_core::text::address` decides which addresses become links.

mod clicks;
mod code;
mod dom;
mod draw_limits;
mod element;
mod link;
#[cfg(feature = "math")]
mod math;
mod options;
mod paint;
mod wording;

use std::{cell::RefCell, rc::Rc, sync::Arc};

use assistant_core::{
    conversation::{MessageId, Part},
    text::markdown::Markdown,
};
use leptos::{html, prelude::*};

use crate::{
    assistant::Assistant,
    ui::{Words, WorkSlice, effect, floor_char_boundary, in_next_frame, media_policy},
    view::{Mark, PartCell},
};
use paint::BlockPainter;

pub use options::{Highlighter, MarkdownOptions, Token};

/// Renders the text of a part as Markdown while it streams.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{conversation::MessageId, markdown::MarkdownText, use_assistant};
///
/// /// The first part of a message, in a window of your own.
/// #[component]
/// fn First(message: MessageId) -> impl IntoView {
///     let assistant = use_assistant()?;
///     let part = assistant.message(&message)?.parts().get().first().cloned()?;
///     Some(view! { <MarkdownText assistant message part /> })
/// }
/// ```
#[component]
pub fn MarkdownText(
    /// The assistant of the conversation.
    assistant: Assistant,
    /// The id of the message that contains the part.
    message: MessageId,
    /// The text or reasoning part to render.
    part: PartCell,
) -> impl IntoView {
    let words = Words::current();
    let options = MarkdownOptions::current();
    let media = media_policy();
    let root = NodeRef::<html::Div>::new();
    wording::update_on_language_change(&words, root);
    let painter_words = words.clone();
    let current_painter = StoredValue::new_local(None::<Rc<RefCell<BlockPainter>>>);
    let frame_count = RwSignal::new(0_u32);
    effect(move |drawing: Option<Option<StreamedMarkdown>>| {
        let mark = part.mark.get();
        frame_count.track();
        let root = root.get()?;
        let current_drawing = drawing
            .flatten()
            .filter(|drawing| drawing.mark.generation == mark.generation)
            // Parses and draws a text again if the text continues after its end.
            .filter(|drawing| !drawing.ended || mark.len <= drawing.mark.len);
        let mut drawing = current_drawing.unwrap_or_else(|| StreamedMarkdown {
            mark,
            read: 0,
            ended: false,
            reader: Markdown::new(),
            painter: Rc::new(RefCell::new(BlockPainter::new(
                root.into(),
                painter_words.clone(),
                options.clone(),
                Arc::clone(&media),
            ))),
        });
        // Fails only if the text was removed meanwhile.
        let _ = current_painter.try_set_value(Some(Rc::clone(&drawing.painter)));
        drawing.mark = mark;
        drawing.ended |= !mark.open;
        if drawing.draw_new_text(&assistant, &message, part.index) {
            in_next_frame(move || {
                // Fails only if the text was removed meanwhile.
                let _ = frame_count.try_update(|count| *count = count.wrapping_add(1));
            });
        }
        Some(drawing)
    });
    view! {
        <div
            class="la-markdown"
            node_ref=root
            on:click=move |event| {
                if let Some(number) = clicks::handle_click(&event, &words) {
                    current_painter.with_value(|painter| {
                        if let Some(painter) = painter {
                            painter.borrow_mut().show_more(number);
                        }
                    });
                }
            }
        ></div>
    }
}

/// The rendering state of a text that may still grow.
struct StreamedMarkdown {
    mark: Mark,
    /// The length of the parsed text, in bytes.
    read: usize,
    /// True once the text was complete, even if the text continues afterwards.
    ended: bool,
    reader: Markdown,
    painter: Rc<RefCell<BlockPainter>>,
}

/// The maximum size of a piece of text that is parsed before the time is checked, in bytes.
const PIECE_BYTES: usize = 4 << 10;

impl StreamedMarkdown {
    /// Parses and draws the new text piece by piece. Returns true if the rest of the text is
    /// deferred to another frame.
    fn draw_new_text(&mut self, assistant: &Assistant, message: &MessageId, part: usize) -> bool {
        let slice = WorkSlice::begin();
        loop {
            let (reader, start) = (&mut self.reader, self.read);
            let result = assistant.with_conversation(|conversation| {
                match conversation.message(message)?.parts().get(part)? {
                    Part::Text(text) | Part::Reasoning(text) => {
                        let full_text = text.text();
                        let end = floor_char_boundary(full_text, start.saturating_add(PIECE_BYTES));
                        let has_more = end < full_text.len();
                        let piece = full_text.get(..end).unwrap_or(full_text);
                        Some((
                            end,
                            has_more,
                            reader.advance(piece, has_more || text.is_open()),
                        ))
                    }
                    _ => None,
                }
            });
            let Some((end, has_more, changes)) = result.flatten() else {
                return false;
            };
            self.read = end;
            self.painter.borrow_mut().apply(changes);
            if !has_more || slice.is_used_up() {
                return has_more;
            }
        }
    }
}
