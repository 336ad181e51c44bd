//! Renders code blocks: a header with the language and a copy button, and the code in chunks of a
//! few lines, so that appending code causes little layout work. The code is highlighted once the
//! block is complete.

use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::{
    dom,
    options::{Highlighter, Token},
};
use crate::ui::{LabelName, Labels, floor_char_boundary};

/// The size of a chunk, in bytes, after which the next line begins a new chunk.
const CHUNK_BYTES: usize = 2048;
/// The maximum size of a chunk without a line break, in bytes. A longer line is split into chunks,
/// because the time for layout grows with the length of the line.
const MAX_CHUNK_BYTES: usize = 16 << 10;

/// The maximum size of code that is highlighted, in bytes, and the maximum number of its tokens.
/// Each token is an element, and the browser lays out all of them at once.
const MAX_HIGHLIGHTED: (usize, usize) = (64 << 10, 10_000);

/// A code block in the page.
#[derive(Debug)]
pub(super) struct CodeBlock {
    pub(super) outer: web_sys::Element,
    code: web_sys::Element,
    language: String,
    /// The text node of the last chunk, and the size of the chunk in bytes.
    chunk: Option<(web_sys::Text, usize)>,
}

impl CodeBlock {
    pub(super) fn new(language: &str, labels: &Labels) -> Option<Self> {
        let outer = dom::create_element("div", "la-code-block")?;
        let head = dom::create_element("div", "la-code-head")?;
        dom::append_text_element(&head, "span", "la-code-language", language);
        let button = dom::create_element("button", "la-code-copy")?;
        dom::set_attribute(&button, "type", "button");
        let label = dom::create_text_element("span", "", labels.text(LabelName::Copy))?;
        dom::set_attribute(&label, "aria-live", "polite");
        dom::append(&button, &label);
        dom::append(&head, &button);
        let pre = dom::create_element("pre", "la-code")?;
        // The code scrolls horizontally, so its element must be reachable by keyboard.
        dom::set_attribute(&pre, "tabindex", "0");
        dom::set_attribute(&pre, "dir", "ltr");
        if !language.is_empty() {
            dom::set_attribute(&pre, "aria-label", language);
            dom::set_attribute(&pre, "role", "group");
        }
        let code = dom::create_element("code", "")?;
        dom::append(&pre, &code);
        dom::append(&outer, &head);
        dom::append(&outer, &pre);
        Some(Self {
            outer,
            code,
            language: language.to_owned(),
            chunk: None,
        })
    }

    pub(super) fn has_language(&self, language: &str) -> bool {
        self.language == language
    }

    pub(super) fn append(&mut self, mut code: &str) {
        while !code.is_empty() {
            self.chunk.take_if(|(_, filled)| *filled >= MAX_CHUNK_BYTES);
            let len = match &self.chunk {
                Some((_, filled)) => bytes_to_append(code, *filled),
                None => bytes_to_append(code, 0),
            };
            let (first, rest) = code.split_at_checked(len).unwrap_or((code, ""));
            self.append_to_chunk(first);
            if !rest.is_empty() {
                self.chunk = None;
            }
            code = rest;
        }
    }

    fn append_to_chunk(&mut self, text: &str) {
        if let Some((node, filled)) = &mut self.chunk {
            *filled += text.len();
            // Appending to a text node cannot fail.
            let _ = node.append_data(text);
            return;
        }
        let Some(chunk) = dom::create_element("span", "la-code-piece") else {
            return;
        };
        let node = dom::create_text_node(text);
        dom::append(&chunk, &node);
        dom::append(&self.code, &chunk);
        self.chunk = Some((node, text.len()));
    }

    /// Updates the code in the page. If the code has only grown, only the new code is appended.
    pub(super) fn update(&mut self, code: &str) {
        let displayed_code = self.code.text_content().unwrap_or_default();
        if let Some(more) = code.strip_prefix(displayed_code.as_str()) {
            self.append(more);
        } else {
            self.code.set_text_content(None);
            self.chunk = None;
            self.append(code);
        }
    }

    /// Highlights the code of the complete block, if there is a highlighter, the block names its
    /// language, and the code is not too long.
    pub(super) fn finish(self, highlighter: Option<&Highlighter>) {
        let Some(highlighter) = highlighter.filter(|_| !self.language.is_empty()) else {
            return;
        };
        let code = self.code.text_content().unwrap_or_default();
        let (max_bytes, max_tokens) = MAX_HIGHLIGHTED;
        if code.len() > max_bytes {
            return;
        }
        let tokens = highlighter.tokens(code.clone(), self.language.clone());
        spawn_local(async move {
            let tokens = tokens.await;
            if tokens.len() <= max_tokens {
                apply_tokens(&self.code, &code, &tokens);
            }
        });
    }
}

/// Returns the number of bytes of a text to append to a chunk of `filled` bytes. The appended text
/// ends at the first line break that fills the chunk to [`CHUNK_BYTES`]. Without such a line break,
/// as many bytes as fit into [`MAX_CHUNK_BYTES`] are appended.
fn bytes_to_append(text: &str, filled: usize) -> usize {
    let missing_len = CHUNK_BYTES.saturating_sub(filled);
    let max_len = floor_char_boundary(text, MAX_CHUNK_BYTES.saturating_sub(filled).max(4));
    let head = text.get(..max_len).unwrap_or(text);
    let mut lines = head.match_indices('\n').map(|(index, _)| index + 1);
    lines.find(|end| *end >= missing_len).unwrap_or(max_len)
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
        let node = dom::create_text_node(&token.text);
        if token.class.is_empty() {
            dom::append(&fragment, &node);
        } else if let Some(span) = dom::create_element("span", &token.class) {
            dom::append(&span, &node);
            dom::append(&fragment, &span);
        }
    }
    element.set_text_content(None);
    dom::append(element, fragment.unchecked_ref());
}
