//! The texts of a chat, which the page may change while the chat is mounted.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_assistant::{LabelName, Labels, provide_shared_labels};
use wasm_bindgen::{JsCast, JsValue};

use crate::window_options::get_property;

/// The name, the greeting and the labels of one chat.
#[derive(Clone, Default)]
pub(crate) struct Texts {
    label: ArcRwSignal<String>,
    /// The greeting, or `None` for the default greeting of the labels.
    greeting: ArcRwSignal<Option<String>>,
    labels: ArcRwSignal<Arc<Labels>>,
}

impl Texts {
    pub(crate) fn parse(options: &JsValue) -> Self {
        let texts = Self::default();
        texts.update(options);
        texts
    }

    /// Replaces all texts with those in `options`. A missing text is reset to its default.
    pub(crate) fn update(&self, options: &JsValue) {
        let label = get_property(options, "label")
            .as_string()
            .unwrap_or_default();
        self.label.set(label);
        self.greeting
            .set(get_property(options, "greeting").as_string());
        let labels = parse_labels(&get_property(options, "texts"));
        let language = get_property(options, "language").as_string();
        self.labels
            .set(Arc::new(labels.in_language(language.unwrap_or_default())));
    }

    /// Provides the labels to the components of the chat.
    pub(crate) fn provide(&self) {
        provide_shared_labels(self.labels.clone().into());
    }

    pub(crate) fn label(&self) -> Signal<String> {
        self.label.clone().into()
    }

    pub(crate) fn greeting(&self) -> Signal<String> {
        let (greeting, labels) = (self.greeting.clone(), self.labels.clone());
        Signal::derive(move || {
            let greeting = greeting.get();
            greeting
                .unwrap_or_else(|| labels.with(|labels| labels.get(LabelName::Greeting).to_owned()))
        })
    }
}

/// Reads labels from an array that contains the texts in the order of [`LabelName::ALL`], followed
/// by those of [`Labels::REASONS`]. For an entry that is not a string, the English text is kept.
fn parse_labels(list: &JsValue) -> Labels {
    let labels = Labels::default();
    let Some(list) = list.dyn_ref::<js_sys::Array>() else {
        return labels;
    };
    let mut texts = list.iter().map(|text| text.as_string());
    let label_texts = LabelName::ALL.iter().copied().zip(texts.by_ref());
    let labels = labels.with(label_texts.filter_map(|(label, text)| Some((label, text?))));
    let reasons = Labels::REASONS.into_iter().zip(texts);
    labels.with_reasons(reasons.filter_map(|(key, text)| Some((key, text?))))
}
