//! The current labels, and texts that follow the current language.

use std::sync::Arc;

use leptos::prelude::*;

use super::{
    LabelName, dynamic,
    labels::{Labels, Word},
};

/// Provides labels to all components below, as a signal or a closure. When the labels change, texts
/// are updated in place, and no component is remounted.
///
/// Constant labels may be provided as `provide_context(Arc::new(labels))` instead, which makes the
/// texts static. A signal takes precedence if both are provided.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ChatWindow, LabelName, Labels, provide_labels};
///
/// #[component]
/// fn Chat(german: RwSignal<bool>) -> impl IntoView {
///     provide_labels(move || match german.get() {
///         true => Labels::default().with([(LabelName::Send, "Senden"), (LabelName::Stop, "Anhalten")]),
///         false => Labels::default(),
///     });
///     view! { <ChatWindow /> }
/// }
/// ```
pub fn provide_labels<M>(labels: impl IntoReactiveValue<Signal<Labels>, M>) {
    let labels = labels.into_reactive_value();
    // The labels are shared, so that they are copied only once for each change of the language.
    let shared_labels = ArcMemo::new_with_compare(move |_| Arc::new(labels.get()), |_, _| true);
    provide_shared_labels(shared_labels.into());
}

/// Provides shared labels like [`provide_labels`], without copying the labels.
///
/// ```
/// use std::sync::Arc;
///
/// use leptos::prelude::*;
/// use leptos_assistant::{ChatWindow, Labels, provide_shared_labels};
///
/// #[component]
/// fn Chat(labels: ArcRwSignal<Arc<Labels>>) -> impl IntoView {
///     provide_shared_labels(labels.into());
///     view! { <ChatWindow /> }
/// }
/// ```
pub fn provide_shared_labels(labels: Signal<Arc<Labels>>) {
    provide_context(LiveLabels(labels));
}

/// The context that [`provide_labels`] provides, with labels that may change.
#[derive(Clone, Copy)]
pub(crate) struct LiveLabels(Signal<Arc<Labels>>);

thread_local! {
    static ENGLISH: Arc<Labels> = Arc::default();
}

/// The labels of the nearest provider: constant, or replaced when the language changes.
#[derive(Clone)]
pub(crate) enum Words {
    Fixed(Arc<Labels>),
    Live(LiveLabels),
}

/// A closure that returns the text of an attribute in the current language.
pub(crate) type AttrText = Box<dyn FnMut() -> Word + Send>;

impl Words {
    pub(crate) fn current() -> Self {
        match use_context::<LiveLabels>() {
            Some(labels) => Self::Live(labels),
            None => Self::Fixed(use_context().unwrap_or_else(english)),
        }
    }

    /// Returns true if the language may change.
    #[cfg(feature = "markdown")]
    pub(crate) const fn may_change(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Returns the current labels; tracked when called in a reactive closure.
    pub(crate) fn get(&self) -> Arc<Labels> {
        match self {
            Self::Fixed(labels) => Arc::clone(labels),
            // The English labels are used if the signal is disposed, which also disposes every view
            // below the provider.
            Self::Live(labels) => labels.0.try_get().unwrap_or_else(english),
        }
    }

    /// Returns the current labels without tracking them.
    pub(crate) fn now(&self) -> Arc<Labels> {
        untrack(|| self.get())
    }

    /// Returns one label; tracked when called in a reactive closure.
    pub(crate) fn word(&self, label: LabelName) -> Word {
        match self {
            Self::Fixed(labels) => labels.text(label).clone(),
            Self::Live(_) => self.get().text(label).clone(),
        }
    }

    /// Renders one label as text.
    pub(crate) fn text(&self, label: LabelName) -> AnyView {
        let words = self.clone();
        match self {
            Self::Fixed(labels) => labels.text(label).clone().into_any(),
            Self::Live(_) => dynamic(move || words.word(label)).into_any(),
        }
    }

    /// Returns one label as the value of an attribute.
    pub(crate) fn attr(&self, label: LabelName) -> AttrText {
        let words = self.clone();
        Box::new(move || words.word(label))
    }
}

fn english() -> Arc<Labels> {
    ENGLISH.with(Arc::clone)
}

impl Labels {
    /// Returns the current labels without tracking them.
    #[must_use]
    pub fn current() -> Arc<Self> {
        Words::current().now()
    }
}
