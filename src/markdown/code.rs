//! Renders code blocks: a header with the language and a copy button, and the code in chunks of a
//! few lines, so that appending causes little layout. The code is highlighted once the block is
//! complete.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::{
    make,
    options::{Highlighter, Token},
};
use crate::ui::{Labels, floor_char_boundary};

/// The size from which the next line begins a new chunk, in bytes.
const PIECE: usize = 2048;
/// The maximum size of a chunk without a line break, in bytes. A longer line is split into chunks,
/// because the time for layout grows with the length of the line.
const LONGEST_LINE: usize = 16 << 10;

/// A code block in the page.
#[derive(Debug)]
pub(super) struct CodeBlock {
    pub(super) outer: web_sys::Element,
    code: web_sys::Element,
    language: String,
    /// The last chunk, and its size in bytes.
    piece: Option<(web_sys::Text, usize)>,
}

impl CodeBlock {
    pub(super) fn new(language: &str, labels: &Labels) -> Option<Self> {
        let outer = make::create_element("div", "la-code-block")?;
        let head = make::create_element("div", "la-code-head")?;
        make::append_text_element(&head, "span", "la-code-language", language);
        let button = make::create_element("button", "la-code-copy")?;
        make::set_attribute(&button, "type", "button");
        let word = make::create_text_element("span", "", &labels.copy)?;
        make::set_attribute(&word, "aria-live", "polite");
        make::append(&button, &word);
        make::append(&head, &button);
        let pre = make::create_element("pre", "la-code")?;
        // It scrolls sideways, so it must be reachable by keyboard.
        make::set_attribute(&pre, "tabindex", "0");
        make::set_attribute(&pre, "dir", "ltr");
        if !language.is_empty() {
            make::set_attribute(&pre, "aria-label", language);
            make::set_attribute(&pre, "role", "group");
        }
        let code = make::create_element("code", "")?;
        make::append(&pre, &code);
        make::append(&outer, &head);
        make::append(&outer, &pre);
        Some(Self {
            outer,
            code,
            language: language.to_owned(),
            piece: None,
        })
    }

    pub(super) fn has_language(&self, language: &str) -> bool {
        self.language == language
    }

    pub(super) fn append(&mut self, mut code: &str) {
        while !code.is_empty() {
            self.piece.take_if(|(_, filled)| *filled >= LONGEST_LINE);
            let now = match &self.piece {
                Some((_, filled)) => bytes_to_append(code, *filled),
                None => bytes_to_append(code, 0),
            };
            let (first, rest) = code.split_at_checked(now).unwrap_or((code, ""));
            self.append_to_chunk(first);
            if !rest.is_empty() {
                self.piece = None;
            }
            code = rest;
        }
    }

    fn append_to_chunk(&mut self, text: &str) {
        if let Some((node, filled)) = &mut self.piece {
            *filled += text.len();
            // Appending to a text node cannot fail.
            let _ = node.append_data(text);
            return;
        }
        let Some(piece) = make::create_element("span", "la-code-piece") else {
            return;
        };
        let node = make::create_text_node(text);
        make::append(&piece, &node);
        make::append(&self.code, &piece);
        self.piece = Some((node, text.len()));
    }

    /// Updates the shown code, by appending where possible.
    pub(super) fn update(&mut self, code: &str) {
        let shown = self.code.text_content().unwrap_or_default();
        if let Some(more) = code.strip_prefix(shown.as_str()) {
            self.append(more);
        } else {
            self.code.set_text_content(None);
            self.piece = None;
            self.append(code);
        }
    }

    /// Highlights the code of the complete block, if there is a highlighter and the block names its
    /// language.
    pub(super) fn finish(self, highlighter: Option<&Highlighter>) {
        let Some(highlighter) = highlighter.filter(|_| !self.language.is_empty()) else {
            return;
        };
        let code = self.code.text_content().unwrap_or_default();
        let tokens = highlighter.tokens(code.clone(), self.language.clone());
        spawn_local(async move {
            apply_tokens(&self.code, &code, &tokens.await);
        });
    }
}

/// Returns the number of bytes of a text to append to a chunk of `filled` bytes: up to the first
/// line break that fills the chunk to [`PIECE`] bytes, or else as many as fit into
/// [`LONGEST_LINE`].
fn bytes_to_append(text: &str, filled: usize) -> usize {
    let room = PIECE.saturating_sub(filled);
    let most = floor_char_boundary(text, LONGEST_LINE.saturating_sub(filled).max(4));
    let head = text.get(..most).unwrap_or(text);
    let mut lines = head.match_indices('\n').map(|(at, _)| at + 1);
    lines.find(|end| *end >= room).unwrap_or(most)
}

/// Replaces the plain code with highlighted tokens, if the joined tokens equal the code.
fn apply_tokens(element: &web_sys::Element, code: &str, tokens: &[Token]) {
    let mut rest = code;
    for token in tokens {
        match rest.strip_prefix(token.text.as_str()) {
            Some(more) => rest = more,
            None => return,
        }
    }
    if !rest.is_empty() || tokens.is_empty() {
        return;
    }
    let fragment = leptos::prelude::document().create_document_fragment();
    for token in tokens {
        let node = make::create_text_node(&token.text);
        if token.class.is_empty() {
            make::append(&fragment, &node);
        } else if let Some(span) = make::create_element("span", &token.class) {
            make::append(&span, &node);
            make::append(&fragment, &span);
        }
    }
    element.set_text_content(None);
    make::append(element, fragment.unchecked_ref());
}
