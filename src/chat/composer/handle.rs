//! Lets the application read and set the text of a composer, and focus its text box.

use leptos::{html, prelude::*};

/// A handle that reads and sets the text of a composer, and focuses its text box.
///
/// Inside of a composer, [`use_composer`](super::use_composer) returns the handle. Outside of a
/// composer, create a handle and pass it to [`ChatWindow`](crate::ChatWindow) or
/// [`ComposerRoot`](super::ComposerRoot). A text that is set before the composer is mounted is
/// shown once the composer is mounted. The text is kept as long as the handle exists, even if the
/// composer is unmounted.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ChatWindow, chat::ComposerHandle};
///
/// #[component]
/// fn Help() -> impl IntoView {
///     let composer = ComposerHandle::new();
///     let ask = move |_| {
///         composer.set_text("Why did the last deployment fail? ");
///         composer.focus();
///     };
///     view! {
///         <button on:click=ask>"Ask about it"</button>
///         <p>{move || composer.text().chars().count()} " characters"</p>
///         <ChatWindow composer />
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ComposerHandle {
    text: RwSignal<String>,
    input: NodeRef<html::Textarea>,
}

impl Default for ComposerHandle {
    fn default() -> Self {
        Self::new()
    }
}

impl ComposerHandle {
    /// Creates a handle for a composer that is mounted later. The handle belongs to the component
    /// that creates it.
    #[must_use]
    pub fn new() -> Self {
        Self {
            text: RwSignal::new(String::new()),
            input: NodeRef::new(),
        }
    }

    /// Returns the text of the box. In a reactive closure, the value is tracked.
    #[must_use]
    pub fn text(&self) -> String {
        self.text.try_get().unwrap_or_default()
    }

    /// Replaces the text of the box. Nothing is sent.
    pub fn set_text(&self, text: impl Into<String>) {
        let text = text.into();
        if let Some(element) = self.element() {
            element.set_value(&text);
            resize_to_text(&element);
        }
        self.store_text(text);
    }

    /// Focuses the text box, if it is in the page.
    pub fn focus(&self) {
        if let Some(element) = self.element() {
            // The result is ignored, because focusing an element in the page cannot fail.
            let _ = element.focus();
        }
    }

    /// Returns the text box, if it is in the page.
    pub(super) fn element(&self) -> Option<web_sys::HtmlTextAreaElement> {
        self.input.try_get_untracked().flatten()
    }

    /// Returns the signal of the text, which has the lifetime of the handle.
    pub(super) const fn text_signal(&self) -> RwSignal<String> {
        self.text
    }

    pub(super) const fn input(&self) -> NodeRef<html::Textarea> {
        self.input
    }

    /// Stores the text of the box for [`text`](Self::text), without changing the box.
    pub(super) fn store_text(&self, text: String) {
        // The result is ignored, because the call fails only if the handle was disposed.
        let _ = self.text.try_set(text);
    }

    pub(super) fn current_text(&self) -> String {
        match self.element() {
            Some(element) => element.value(),
            None => self.text.try_get_untracked().unwrap_or_default(),
        }
    }
}

/// Resizes the box to its text, in browsers without `field-sizing`.
pub(super) fn resize_to_text(element: &web_sys::HtmlTextAreaElement) {
    if web_sys::css::supports_with_value("field-sizing", "content").unwrap_or(false) {
        return;
    }
    let style = web_sys::HtmlElement::style(element);
    // The results are ignored, because setting a custom property cannot fail.
    let _ = style.set_property("--la-composer-height", "auto");
    let height = format!("{}px", element.scroll_height());
    let _ = style.set_property("--la-composer-height", &height);
}
