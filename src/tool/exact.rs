//! Exact text, with invisible characters made visible.
//!
//! Long text is split into blocks, so that appended and scrolled-out text causes little layout.
//! Nothing is inserted between them: it copies unchanged.

use leptos::{html, prelude::*};
use serde_json::Value;
use wasm_bindgen::JsCast;

use super::pieces::{Detail, Piece, pieces as split};
use crate::{action::ToolCallView, ui::effect};

/// The minimum size of a block, in bytes.
const MIN_BLOCK: usize = 4096;
/// The distance beyond it in which a block may end at a better position, in bytes.
const BOUNDARY_SEARCH: usize = 256;

/// Text with invisible characters shown by their codes instead of taking effect: controls,
/// direction marks, ignorable and blank characters, spaces other than U+0020, long gaps. Letters
/// that do not fit the script of their word show their code as well. So a user approves the text
/// that really runs. really run.
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
    /// The text.
    text: String,
    /// Leaves characters of ordinary writing as they are: no-break and ideographic spaces, joiners
    /// and variation selectors in emoji, letters of several scripts. For text that no decision
    /// depends on.
    #[prop(optional)]
    readable: bool,
) -> impl IntoView {
    let detail = match readable {
        true => Detail::Readable,
        false => Detail::Exact,
    };
    let pieces = |text: &str| pieces(text, detail);
    let mut rest = text.as_str();
    let mut blocks = Vec::new();
    while let Some((block, after)) = cut(rest, 0) {
        blocks.push(view! { <span class="la-exact-block">{pieces(block)}</span> }.into_any());
        rest = after;
    }
    if blocks.is_empty() {
        return pieces(rest);
    }
    blocks.push(view! { <span class="la-exact-block">{pieces(rest)}</span> }.into_any());
    blocks.into_any()
}

/// Renders the arguments of a call while they stream in; only new text is rendered.
#[component]
pub(super) fn ExactArguments(call: ToolCallView<Value>) -> impl IntoView {
    let place = NodeRef::<html::Span>::new();
    effect(move |shown: Option<Shown>| {
        let mut shown = shown.unwrap_or_default();
        let (generation, more) = call.args_beyond(shown.generation, shown.len);
        let Some(place) = place.get() else {
            return shown;
        };
        if generation != shown.generation {
            place.set_text_content(None);
            shown = Shown {
                generation,
                ..Shown::default()
            };
        }
        shown.append(&place, &more);
        shown
    });
    view! { <span node_ref=place></span> }
}

/// The rendered part of a growing text.
#[derive(Default)]
struct Shown {
    generation: u32,
    len: usize,
    /// The last block, and its size in bytes.
    block: Option<web_sys::Element>,
    block_len: usize,
}

impl Shown {
    fn append(&mut self, place: &web_sys::Element, more: &str) {
        self.len += more.len();
        let mut rest = more;
        while let Some((text, after)) = cut(rest, self.block_len) {
            self.write(place, text);
            self.block = None;
            self.block_len = 0;
            rest = after;
        }
        self.write(place, rest);
    }

    fn write(&mut self, place: &web_sys::Element, text: &str) {
        if text.is_empty() {
            return;
        }
        let block = match self.block.take() {
            Some(block) => block,
            None => match element(place, "la-exact-block") {
                Some(block) => block,
                None => return,
            },
        };
        for piece in split(text, Detail::Growing) {
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
            if let Some(mark) = element(&block, "la-control-char") {
                mark.set_text_content(Some(&codes));
            }
        }
        self.block_len += text.len();
        self.block = Some(block);
    }
}

/// Appends text to an element. Neither way can fail for text.
fn append_text(element: &web_sys::Element, text: &str) {
    let last = element.last_child();
    if let Some(node) = last.and_then(|node| node.dyn_into::<web_sys::Text>().ok()) {
        let _ = node.append_data(text);
    } else if let Ok(node) = web_sys::Text::new_with_data(text) {
        let _ = element.append_child(&node);
    }
}

/// Appends a new element.
fn element(parent: &web_sys::Element, class: &str) -> Option<web_sys::Element> {
    let element = parent.owner_document()?.create_element("span").ok()?;
    element.set_class_name(class);
    parent.append_child(&element).ok()?;
    Some(element)
}

/// Splits text once a block with `block_len` bytes is long enough: after a line, else between
/// words, else anywhere. `None` if all of it still fits.
fn cut(text: &str, block_len: usize) -> Option<(&str, &str)> {
    let room = MIN_BLOCK.saturating_sub(block_len);
    if text.len() <= room {
        return None;
    }
    let most = (MIN_BLOCK + BOUNDARY_SEARCH)
        .saturating_sub(block_len)
        .min(text.len());
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at))?;
    let head = text.get(..end)?;
    let after = |c: char| head.rfind(c).map(|at| at + 1).filter(|at| *at > room);
    let good = after('\n').or_else(|| after(' ')).or_else(|| after(','));
    text.split_at_checked(match good {
        Some(at) => at,
        None if most < text.len() => end,
        None => return None,
    })
}

fn pieces(text: &str, detail: Detail) -> AnyView {
    let code = |codes| view! { <span class="la-control-char">{codes}</span> }.into_any();
    let pieces = split(text, detail).into_iter().map(|piece| match piece {
        Piece::Plain(text) => text.to_owned().into_any(),
        Piece::Foreign(letter, codes) => (letter.to_owned(), code(codes)).into_any(),
        Piece::Hidden(codes) => code(codes),
    });
    pieces.collect_view().into_any()
}
