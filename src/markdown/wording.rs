//! Updates the interface texts in rendered Markdown in place when the language changes, so that the
//! selection, the focus and the scroll position are preserved.

use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::dom;
use crate::ui::{LabelName, Labels, Word, Words, effect};

/// A selector, the attribute that contains a label, and the label. Without an attribute, the label
/// is the text of the element.
type LabelledText = (&'static str, Option<&'static str>, LabelName);

const LABELLED_TEXTS: [LabelledText; 5] = [
    (".la-code-copy > span", None, LabelName::Copy),
    (".la-image-chip > span", None, LabelName::ImageNotShown),
    (".la-table", Some(NAME_ATTRIBUTE), LabelName::Table),
    (".la-task-mark", Some(NAME_ATTRIBUTE), LabelName::TaskOpen),
    (
        ".la-task-mark[data-done]",
        Some(NAME_ATTRIBUTE),
        LabelName::TaskDone,
    ),
];

const NAME_ATTRIBUTE: &str = "aria-label";

/// Updates the interface texts below an element when the language changes.
pub(super) fn update_on_language_change(words: &Words, root: NodeRef<html::Div>) {
    if !words.may_change() {
        return;
    }
    let words = words.clone();
    effect(move |previous: Option<()>| {
        let labels = words.get();
        // The first run has nothing to update, because the text is drawn in the current language.
        if let (Some(()), Some(root)) = (previous, root.get_untracked()) {
            update_labels(&root, &labels);
        }
    });
}

fn update_labels(root: &Element, labels: &Labels) {
    for (selector, attribute, label) in LABELLED_TEXTS {
        let label = labels.text(label);
        for_each_element(root, selector, &|element| match attribute {
            Some(attribute) => dom::set_attribute(element, attribute, label),
            None => element.set_text_content(Some(label)),
        });
    }
    for_each_element(root, ".la-alert", &|element| {
        let label = alert_label(
            &element.get_attribute("data-alert").unwrap_or_default(),
            labels,
        );
        dom::set_attribute(element, NAME_ATTRIBUTE, label);
        if let Some(title) = element.first_element_child() {
            title.set_text_content(Some(label));
        }
    });
    for_each_element(root, ".la-footnote-button", &|element| {
        let label = element.get_attribute("data-footnote").unwrap_or_default();
        dom::set_attribute(element, NAME_ATTRIBUTE, &footnote_label(&label, labels));
    });
}

fn for_each_element(root: &Element, selector: &str, set_label: &dyn Fn(&Element)) {
    let Ok(elements) = root.query_selector_all(selector) else {
        return;
    };
    for index in 0..elements.length() {
        if let Some(element) = elements.item(index).and_then(|node| node.dyn_into().ok()) {
            set_label(&element);
        }
    }
}

/// Returns the label of the alert with the given name.
pub(super) fn alert_label<'a>(name: &str, labels: &'a Labels) -> &'a Word {
    match name {
        "tip" => labels.text(LabelName::AlertTip),
        "important" => labels.text(LabelName::AlertImportant),
        "warning" => labels.text(LabelName::AlertWarning),
        "caution" => labels.text(LabelName::AlertCaution),
        _ => labels.text(LabelName::AlertNote),
    }
}

/// Returns the accessible name of a button that leads to a footnote.
pub(super) fn footnote_label(label: &str, labels: &Labels) -> String {
    format!("{} {label}", labels.text(LabelName::Footnote))
}
