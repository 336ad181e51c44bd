//! How an application writes along: reads the text, sets it, puts the focus there.

use leptos::{html, prelude::*};

/// The text of a composer, for an application: it reads it, sets it and puts the focus there.
///
/// Inside of a composer [`use_composer`](super::use_composer) finds it. From anywhere else: make one, and give it to
/// [`ChatWindow`](crate::ChatWindow) or [`ComposerRoot`](super::ComposerRoot). What is set before
/// the composer is there stands in it then, and a text outlives its composer as long as the handle.
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
    /// A handle for a composer that is still to come. It belongs to the component that makes it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::{ChatWindow, chat::ComposerHandle};
    /// # #[component]
    /// # fn Page() -> impl IntoView {
    /// let composer = ComposerHandle::new();
    /// view! { <ChatWindow composer /> }
    /// # }
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            text: RwSignal::new(String::new()),
            input: NodeRef::new(),
        }
    }

    /// Returns the text of the box. A reactive closure that reads it runs again when it changes.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::{ChatWindow, chat::ComposerHandle};
    /// # #[component]
    /// # fn Page() -> impl IntoView {
    /// let composer = ComposerHandle::new();
    /// let left = move || 500_usize.saturating_sub(composer.text().len());
    /// view! { <ChatWindow composer /> <p>{left} " left"</p> }
    /// # }
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        self.text.try_get().unwrap_or_default()
    }

    /// Writes something in place of what is there. Nothing is sent.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::{ChatWindow, chat::ComposerHandle};
    /// # #[component]
    /// # fn Page() -> impl IntoView {
    /// let composer = ComposerHandle::new();
    /// let ask = move |_| composer.set_text("What does this mean?");
    /// view! { <button on:click=ask>"Ask"</button> <ChatWindow composer /> }
    /// # }
    /// ```
    pub fn set_text(&self, text: impl Into<String>) {
        let text = text.into();
        if let Some(element) = self.element() {
            element.set_value(&text);
            grow(&element);
        }
        self.note(text);
    }

    /// Puts the focus into the box, where it is in the page.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::{ChatWindow, chat::ComposerHandle};
    /// # #[component]
    /// # fn Page() -> impl IntoView {
    /// let composer = ComposerHandle::new();
    /// view! { <button on:click=move |_| composer.focus()>"Ask"</button> <ChatWindow composer /> }
    /// # }
    /// ```
    pub fn focus(&self) {
        if let Some(element) = self.element() {
            // Focusing an element that is in the page does not fail.
            let _ = element.focus();
        }
    }

    /// The box, where it is in the page.
    pub(super) fn element(&self) -> Option<web_sys::HtmlTextAreaElement> {
        self.input.try_get_untracked().flatten()
    }

    pub(super) const fn input(&self) -> NodeRef<html::Textarea> {
        self.input
    }

    /// Takes in what stands in the box by now.
    pub(super) fn note(&self, text: String) {
        // Nobody follows the text of a handle that is gone.
        let _ = self.text.try_set(text);
    }

    pub(super) fn written(&self) -> String {
        match self.element() {
            Some(element) => element.value(),
            None => self.text.try_get_untracked().unwrap_or_default(),
        }
    }
}

/// Lets the box grow with its text where the browser does not do it by itself.
pub(super) fn grow(element: &web_sys::HtmlTextAreaElement) {
    if web_sys::css::supports_with_value("field-sizing", "content").unwrap_or(false) {
        return;
    }
    let style = web_sys::HtmlElement::style(element);
    // Setting a custom property does not fail.
    let _ = style.set_property("--la-composer-height", "auto");
    let height = format!("{}px", element.scroll_height());
    let _ = style.set_property("--la-composer-height", &height);
}
