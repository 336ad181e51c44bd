//! How markdown is shown: what a host may set.

use std::{fmt, future::Future, sync::Arc};

use futures_util::future::LocalBoxFuture;
use leptos::prelude::use_context;
use send_wrapper::SendWrapper;

type Highlight = dyn Fn(String, String) -> LocalBoxFuture<'static, Vec<Token>>;

/// The options for showing markdown. Provide it by context above the chat:
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
    /// Headings below the chat's own title, nothing highlighted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// By how many levels headings of answers go down, so that the outline of the page stays
    /// right: with 2, which is the default, a first-level heading is an `h3`. None goes below `h6`.
    ///
    /// ```
    /// use leptos_assistant::markdown::MarkdownOptions;
    ///
    /// // The chat stands below an h3 of the page.
    /// let options = MarkdownOptions::new().heading_offset(3);
    /// ```
    #[must_use]
    pub fn heading_offset(mut self, levels: u8) -> Self {
        self.heading_offset = levels;
        self
    }

    /// Gives finished code blocks their colours.
    ///
    /// ```
    /// use leptos_assistant::markdown::{Highlighter, MarkdownOptions, Token};
    ///
    /// fn options() -> MarkdownOptions {
    ///     let plain = |code: String, language: String| async move {
    ///         vec![Token { text: code, class: format!("language-{language}") }]
    ///     };
    ///     MarkdownOptions::new().highlighter(Highlighter::new(plain))
    /// }
    /// ```
    #[must_use]
    pub fn highlighter(mut self, highlighter: Highlighter) -> Self {
        self.highlighter = Some(highlighter);
        self
    }

    /// The options in force here.
    #[must_use]
    pub fn current() -> Self {
        use_context::<Self>().unwrap_or_default()
    }
}

/// Finds the tokens of code. None is built in: a host brings its own, loaded when it is needed.
#[derive(Clone)]
pub struct Highlighter(SendWrapper<Arc<Highlight>>);

impl fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Highlighter")
    }
}

/// A piece of code and the classes it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The code. All tokens joined must be the code as it was given.
    pub text: String,
    /// Names of classes, separated by spaces; may be empty.
    pub class: String,
}

impl Highlighter {
    /// A highlighter from a function of code and language. It is asked once for each finished
    /// block that names its language. If its tokens joined are not the code, the block stays as
    /// it is.
    ///
    /// ```
    /// use leptos_assistant::markdown::{Highlighter, Token};
    ///
    /// let shouting = Highlighter::new(|code: String, language: String| async move {
    ///     vec![Token { text: code, class: format!("shout-{language}") }]
    /// });
    /// ```
    pub fn new<F>(highlight: impl Fn(String, String) -> F + 'static) -> Self
    where
        F: Future<Output = Vec<Token>> + 'static,
    {
        let boxed: Arc<Highlight> = Arc::new(move |code, language| {
            Box::pin(highlight(code, language)) as LocalBoxFuture<'static, Vec<Token>>
        });
        Self(SendWrapper::new(boxed))
    }

    pub(super) fn tokens(
        &self,
        code: String,
        language: String,
    ) -> LocalBoxFuture<'static, Vec<Token>> {
        (self.0)(code, language)
    }
}
