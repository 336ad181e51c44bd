//! The rendering options for Markdown.

use std::{fmt, future::Future, sync::Arc};

use futures_util::future::LocalBoxFuture;
use leptos::prelude::use_context;
use send_wrapper::SendWrapper;

type HighlightFn = dyn Fn(String, String) -> LocalBoxFuture<'static, Vec<Token>>;

/// The rendering options for Markdown. An application provides the options by context above the
/// chat:
///
/// ```
/// use leptos::prelude::provide_context;
/// use leptos_assistant::markdown::MarkdownOptions;
///
/// fn set_up() {
///     provide_context(MarkdownOptions::new().heading_offset(3));
/// }
/// ```
#[derive(Debug, Clone)]
pub struct MarkdownOptions {
    pub(super) heading_offset: u8,
    pub(super) highlighter: Option<Highlighter>,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        Self {
            heading_offset: 2,
            highlighter: None,
        }
    }
}

impl MarkdownOptions {
    /// Creates the default options, with headings from `h3` and without a highlighter.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of levels by which headings in answers are lowered, so that the headings fit
    /// the outline of the page: with 2, which is the default, a first-level heading is an `h3`. No
    /// heading is lowered below `h6`.
    #[must_use]
    pub fn heading_offset(mut self, levels: u8) -> Self {
        self.heading_offset = levels;
        self
    }

    /// Sets the highlighter for finished code blocks.
    #[must_use]
    pub fn highlighter(mut self, highlighter: Highlighter) -> Self {
        self.highlighter = Some(highlighter);
        self
    }

    /// Returns the options provided by context, or the default options.
    #[must_use]
    pub fn current() -> Self {
        use_context::<Self>().unwrap_or_default()
    }
}

/// A function that splits code into tokens for syntax highlighting. No highlighter is built in: an
/// application provides a highlighter, which may be loaded on demand. Code of more than 64 KiB, or
/// of more than 10,000 tokens, is not highlighted.
#[derive(Clone)]
pub struct Highlighter(SendWrapper<Arc<HighlightFn>>);

impl fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Highlighter")
    }
}

/// A piece of highlighted code and its CSS classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub(super) text: String,
    pub(super) class: String,
}

impl Token {
    /// Creates a token. The joined texts of all tokens must equal the highlighted code. `class` may
    /// contain several names, separated by spaces, or be empty.
    #[must_use]
    pub fn new(text: impl Into<String>, class: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            class: class.into(),
        }
    }
}

impl Highlighter {
    /// Creates a highlighter from a function that receives the code and the language. The function
    /// is called once for each finished block that names its language. If the joined tokens differ
    /// from the code, the block stays plain.
    ///
    /// ```
    /// use leptos_assistant::markdown::{Highlighter, Token};
    ///
    /// let shouting = Highlighter::new(|code: String, language: String| async move {
    ///     vec![Token::new(code, format!("shout-{language}"))]
    /// });
    /// ```
    pub fn new<F>(highlight: impl Fn(String, String) -> F + 'static) -> Self
    where
        F: Future<Output = Vec<Token>> + 'static,
    {
        let highlight_fn: Arc<HighlightFn> = Arc::new(move |code, language| {
            Box::pin(highlight(code, language)) as LocalBoxFuture<'static, Vec<Token>>
        });
        Self(SendWrapper::new(highlight_fn))
    }

    pub(super) fn tokens(
        &self,
        code: String,
        language: String,
    ) -> LocalBoxFuture<'static, Vec<Token>> {
        (self.0)(code, language)
    }
}
