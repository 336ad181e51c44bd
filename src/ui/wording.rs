//! The words in force at a place of the page, and texts that follow them into another language.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    dynamic,
    labels::{Labels, Word},
};

/// Gives the words to all components below, as a signal or a closure: what is drawn follows it, and
/// nothing is mounted again.
///
/// Words that never change may be given as `provide_context(Arc::new(labels))` instead, which makes
/// their texts plain ones. A signal goes first where both are given.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ChatWindow, Labels, provide_labels};
///
/// #[component]
/// fn Chat(german: RwSignal<bool>) -> impl IntoView {
///     provide_labels(move || match german.get() {
///         true => Labels { send: "Senden".into(), stop: "Anhalten".into(), ..Labels::default() },
///         false => Labels::default(),
///     });
///     view! { <ChatWindow /> }
/// }
/// ```
pub fn provide_labels<M>(labels: impl IntoReactiveValue<Signal<Labels>, M>) {
    let labels = labels.into_reactive_value();
    // Copied once for each language, and by those alone who switch.
    let shared = ArcMemo::new_with_compare(move |_| Arc::new(labels.get()), |_, _| true);
    provide_context(Live(shared.into()));
}

/// What [`provide_labels`] provides.
#[derive(Clone, Copy)]
pub(crate) struct Live(Signal<Arc<Labels>>);

thread_local! {
    static ENGLISH: Arc<Labels> = Arc::default();
}

/// The words in force at a place of the page.
#[derive(Clone)]
pub(crate) enum Words {
    Fixed(Arc<Labels>),
    Live(Live),
}

/// A text that an attribute follows.
pub(crate) type AttrText = Box<dyn FnMut() -> Word + Send>;

impl Words {
    pub(crate) fn current() -> Self {
        match use_context::<Live>() {
            Some(labels) => Self::Live(labels),
            None => Self::Fixed(use_context().unwrap_or_else(english)),
        }
    }

    /// Whether another language may come.
    #[cfg(feature = "markdown")]
    pub(crate) const fn may_change(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// All of them as they are now, to be put into sentences; who asks inside a reactive closure
    /// follows them.
    pub(crate) fn get(&self) -> Arc<Labels> {
        match self {
            Self::Fixed(labels) => Arc::clone(labels),
            // They are gone when what drew with them goes.
            Self::Live(labels) => labels.0.try_get().unwrap_or_else(english),
        }
    }

    /// The same, without following them.
    pub(crate) fn now(&self) -> Arc<Labels> {
        untrack(|| self.get())
    }

    /// One of them; who asks inside a reactive closure follows it.
    pub(crate) fn word(&self, of: fn(&Labels) -> &Word) -> Word {
        match self {
            Self::Fixed(labels) => of(labels).clone(),
            Self::Live(_) => of(&self.get()).clone(),
        }
    }

    /// One of them as text.
    pub(crate) fn text(&self, of: fn(&Labels) -> &Word) -> AnyView {
        let words = self.clone();
        match self {
            Self::Fixed(labels) => of(labels).clone().into_any(),
            Self::Live(_) => dynamic(move || words.word(of)).into_any(),
        }
    }

    /// One of them as the value of an attribute.
    pub(crate) fn attr(&self, of: fn(&Labels) -> &Word) -> AttrText {
        let words = self.clone();
        Box::new(move || words.word(of))
    }
}

fn english() -> Arc<Labels> {
    ENGLISH.with(Arc::clone)
}

impl Labels {
    /// The words in force here, as they are now.
    #[must_use]
    pub fn current() -> Arc<Self> {
        Words::current().now()
    }
}
