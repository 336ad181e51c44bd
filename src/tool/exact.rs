//! Text exactly as it is, with what the eye cannot see made visible.
//!
//! Long text lies in blocks, so that what is added to its end, and what is out of view, costs the
//! browser nothing for the rest. Nothing is added between them: it copies as it is.

use leptos::{html, prelude::*};
use serde_json::Value;
use wasm_bindgen::JsCast;

use crate::action::ToolCallView;

/// How long a block is at least, in bytes.
const BLOCK: usize = 4096;
/// How far beyond that a block looks for a good place to end, in bytes.
const LOOK: usize = 256;

/// Text in which control and direction characters are shown by their code instead of taking
/// effect, so that a person approves what will really run.
#[component]
pub fn ExactText(
    /// The text.
    text: String,
) -> impl IntoView {
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

/// The arguments of a call as the agent writes them, growing with them: nothing is drawn twice.
#[component]
pub(super) fn ExactArguments(call: ToolCallView<Value>) -> impl IntoView {
    let place = NodeRef::<html::Span>::new();
    Effect::new(move |shown: Option<Shown>| {
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

/// What of a growing text is drawn.
#[derive(Default)]
struct Shown {
    generation: u32,
    len: usize,
    /// The block at the end, and how long it is.
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
        for piece in split(text) {
            match piece {
                Piece::Plain(text) => append_text(&block, text),
                Piece::Hidden(codes) => {
                    if let Some(mark) = element(&block, "la-control-char") {
                        mark.set_text_content(Some(&codes));
                    }
                }
            }
        }
        self.block_len += text.len();
        self.block = Some(block);
    }
}

/// Adds to the text at the end of an element. Neither way fails for text.
fn append_text(element: &web_sys::Element, text: &str) {
    let last = element.last_child();
    if let Some(node) = last.and_then(|node| node.dyn_into::<web_sys::Text>().ok()) {
        let _ = node.append_data(text);
    } else if let Ok(node) = web_sys::Text::new_with_data(text) {
        let _ = element.append_child(&node);
    }
}

/// A new element at the end of another.
fn element(parent: &web_sys::Element, class: &str) -> Option<web_sys::Element> {
    let element = parent.owner_document()?.create_element("span").ok()?;
    element.set_class_name(class);
    parent.append_child(&element).ok()?;
    Some(element)
}

/// Divides text where the block that it goes to, and that holds so much already, is long enough:
/// after a line, else between words, else anywhere. `None` if all of it still belongs there.
fn cut(text: &str, block_len: usize) -> Option<(&str, &str)> {
    let room = BLOCK.saturating_sub(block_len);
    if text.len() <= room {
        return None;
    }
    let most = (BLOCK + LOOK).saturating_sub(block_len).min(text.len());
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

fn pieces(text: &str) -> AnyView {
    let pieces = split(text).into_iter().map(|piece| match piece {
        Piece::Plain(text) => text.to_owned().into_any(),
        Piece::Hidden(codes) => view! { <span class="la-control-char">{codes}</span> }.into_any(),
    });
    pieces.collect_view().into_any()
}

enum Piece<'a> {
    Plain(&'a str),
    /// Characters that stand together, by their codes.
    Hidden(String),
}

fn split(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let hidden = is_hidden(first);
        let end = rest.find(|c| is_hidden(c) != hidden).unwrap_or(rest.len());
        let (run, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(if hidden {
            let codes = run.chars().map(|c| format!("U+{:04X}", u32::from(c)));
            Piece::Hidden(codes.collect::<Vec<_>>().join(" "))
        } else {
            Piece::Plain(run)
        });
        rest = after;
    }
    pieces
}

/// Whether a text holds what the eye cannot see.
pub(super) fn has_hidden(text: &str) -> bool {
    text.contains(is_hidden)
}

/// Controls other than line break and tab, direction marks, invisible joiners and fillers.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}
