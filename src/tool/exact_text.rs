//! Renders exact text, and the exact arguments of calls, with invisible characters made visible.
//!
//! Long text is split into blocks, so that the browser does little layout work when text is
//! appended or scrolled out of view. Nothing is inserted between the blocks, so copying does not
//! change the text.

use leptos::{html, prelude::*};
use serde_json::Value;
use wasm_bindgen::JsCast;

use super::{
    json_text::format_json,
    text_pieces::{EscapeMode, Piece, PieceSplitter, split_pieces},
};
use crate::{
    action::ToolCallView,
    ui::{LabelName, Words, WorkSlice, dynamic, effect, in_next_frame, memo, split_at_block_end},
};

/// The minimum number of bytes that are appended in one frame, even if the time of the frame is
/// used up.
const MIN_FRAME_BYTES: usize = 64 << 10;

/// Text in which invisible characters are shown by their codes and have no effect: controls,
/// direction marks, ignorable and blank characters, spaces other than U+0020, long gaps. Letters
/// that do not fit the script of their word are also shown with their codes. So the text that a
/// user approves is exactly the text that the call receives.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ToolCallView, tool::ExactText};
/// use serde_json::Value;
///
/// /// Shows the payee of a call, with nothing hidden in the name.
/// #[component]
/// fn Payee(call: ToolCallView<Value>) -> impl IntoView {
///     move || {
///         let name = call.args_value().and_then(|args| Some(args["to"].as_str()?.to_owned()));
///         view! { <ExactText text=name.unwrap_or_default() /> }
///     }
/// }
/// ```
#[component]
pub fn ExactText(
    /// The text to show.
    text: String,
    /// True if characters of ordinary writing are shown unchanged: no-break and ideographic spaces,
    /// joiners and variation selectors in emoji, letters of several scripts. Use this option for
    /// text that no decision depends on.
    #[prop(optional)]
    readable: bool,
) -> impl IntoView {
    let escape_mode = match readable {
        true => EscapeMode::Readable,
        false => EscapeMode::Exact,
    };
    let splitter = PieceSplitter::new(&text, escape_mode);
    let mut rest = text.as_str();
    let mut blocks = Vec::new();
    while let Some((block, remainder)) = split_at_block_end(rest, 0) {
        let start = text.len() - rest.len();
        let pieces = piece_views(splitter.pieces(start..start + block.len()));
        blocks.push(view! { <span class="la-exact-block">{pieces}</span> }.into_any());
        rest = remainder;
    }
    let pieces = piece_views(splitter.pieces(text.len() - rest.len()..text.len()));
    if blocks.is_empty() {
        return pieces;
    }
    blocks.push(view! { <span class="la-exact-block">{pieces}</span> }.into_any());
    blocks.into_any()
}

/// Renders the arguments of a call while they stream in; only new text is rendered.
#[component]
pub(super) fn ExactArguments(call: ToolCallView<Value>) -> impl IntoView {
    let container = NodeRef::<html::Span>::new();
    let frames = RwSignal::new(0_u32);
    effect(move |rendered: Option<RenderedText>| {
        frames.track();
        let mut rendered = rendered.unwrap_or_default();
        let (generation, new_text) = call.args_text_after(rendered.generation, rendered.len);
        let Some(container) = container.get() else {
            return rendered;
        };
        if generation != rendered.generation {
            container.set_text_content(None);
            rendered = RenderedText {
                generation,
                ..RenderedText::default()
            };
        }
        if rendered.append(&container, &new_text) {
            in_next_frame(move || {
                // The result is ignored, because the signal may have been disposed together with
                // the text.
                let _ = frames.try_update(|count| *count = count.wrapping_add(1));
            });
        }
        rendered
    });
    view! { <span node_ref=container></span> }
}

/// The rendered part of a growing text.
#[derive(Default)]
struct RenderedText {
    generation: u32,
    len: usize,
    /// The last block, to which text is appended; `None` if the next text begins a block.
    block: Option<web_sys::Element>,
    block_len: usize,
}

impl RenderedText {
    /// Appends text block by block. Returns true if the rest of the text is deferred to another
    /// frame.
    fn append(&mut self, container: &web_sys::Element, new_text: &str) -> bool {
        let slice = WorkSlice::begin();
        let mut rest = new_text;
        while let Some((text, remainder)) = split_at_block_end(rest, self.block_len) {
            self.append_to_block(container, text);
            self.block = None;
            self.block_len = 0;
            rest = remainder;
            let written = new_text.len() - rest.len();
            if written >= MIN_FRAME_BYTES && slice.is_used_up() {
                self.len += written;
                return true;
            }
        }
        self.append_to_block(container, rest);
        self.len += new_text.len();
        false
    }

    fn append_to_block(&mut self, container: &web_sys::Element, text: &str) {
        if text.is_empty() {
            return;
        }
        let block = match self.block.take() {
            Some(block) => block,
            None => match append_span(container, "la-exact-block") {
                Some(block) => block,
                None => return,
            },
        };
        for piece in split_pieces(text, EscapeMode::Growing) {
            let codes = match piece {
                Piece::Plain(text) => {
                    append_text(&block, text);
                    continue;
                }
                Piece::Foreign(letter, code) => {
                    append_text(&block, letter);
                    code
                }
                Piece::Hidden(codes) => codes,
            };
            if let Some(mark) = append_span(&block, "la-control-char") {
                mark.set_text_content(Some(&codes));
            }
        }
        self.block_len += text.len();
        self.block = Some(block);
    }
}

/// Appends text to an element: to the last child if the child is a text node, or else as a new text
/// node.
fn append_text(element: &web_sys::Element, text: &str) {
    let last = element.last_child();
    if let Some(node) = last.and_then(|node| node.dyn_into::<web_sys::Text>().ok()) {
        let _ = node.append_data(text);
    } else if let Ok(node) = web_sys::Text::new_with_data(text) {
        let _ = element.append_child(&node);
    }
}

/// Appends a new `<span>` with a class to an element. Returns `None` if the browser cannot create
/// the `<span>`.
fn append_span(parent: &web_sys::Element, class: &str) -> Option<web_sys::Element> {
    let element = parent.owner_document()?.create_element("span").ok()?;
    element.set_class_name(class);
    parent.append_child(&element).ok()?;
    Some(element)
}

fn piece_views(pieces: Vec<Piece<'_>>) -> AnyView {
    let render_code = |codes| view! { <span class="la-control-char">{codes}</span> }.into_any();
    let views = pieces.into_iter().map(|piece| match piece {
        Piece::Plain(text) => text.to_owned().into_any(),
        Piece::Foreign(letter, codes) => (letter.to_owned(), render_code(codes)).into_any(),
        Piece::Hidden(codes) => render_code(codes),
    });
    views.collect_view().into_any()
}

/// Renders the exact arguments of a call: as formatted JSON, or as the received text if the text is
/// not a complete value. `end` follows the arguments.
pub(super) fn arguments(call: ToolCallView<Value>, end: Option<AnyView>) -> AnyView {
    let text = memo(move || match call.args_value() {
        Some(args) => format_json(&args),
        None => call.args_text(),
    });
    let text = dynamic(move || view! { <ExactText text=text.get() /> });
    arguments_block(text.into_any(), end)
}

/// Renders a block with the given arguments, followed by `end`.
pub(super) fn arguments_block(text: AnyView, end: Option<AnyView>) -> AnyView {
    view! {
        <pre
            class="la-code"
            dir="ltr"
            data-kind="arguments"
            tabindex="0"
            role="group"
            aria-label=Words::current().attr(LabelName::Arguments)
        >
            {text}
            {end}
        </pre>
    }
    .into_any()
}
