//! Creates and changes DOM nodes without HTML strings.

use leptos::prelude::document;
use wasm_bindgen::JsCast;

/// Creates an element, and sets its class unless `class` is empty. Never returns `None`, because all
/// tag names are valid constants.
pub(super) fn create_element(tag: &str, class: &str) -> Option<web_sys::Element> {
    let element = document().create_element(tag).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    Some(element)
}

/// Creates an element with a class and a text.
pub(super) fn create_text_element(tag: &str, class: &str, text: &str) -> Option<web_sys::Element> {
    let element = create_element(tag, class)?;
    element.set_text_content(Some(text));
    Some(element)
}

/// Appends an element with a class and a text.
pub(super) fn append_text_element(parent: &web_sys::Element, tag: &str, class: &str, text: &str) {
    if let Some(element) = create_text_element(tag, class, text) {
        append(parent, &element);
    }
}

pub(super) fn create_text_node(text: &str) -> web_sys::Text {
    document().create_text_node(text)
}

/// Sets an attribute. Does not fail, because all attribute names are valid constants.
pub(super) fn set_attribute(element: &web_sys::Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Appends a node to a parent that accepts children. Does not fail for such a parent.
pub(super) fn append(parent: &web_sys::Node, child: &web_sys::Node) {
    let _ = parent.append_child(child);
}

pub(super) fn replace(old: &web_sys::Node, new: &web_sys::Node) {
    if let Some(parent) = old.parent_node() {
        // Fails only if the old node is not a child of its parent.
        let _ = parent.replace_child(new, old);
    }
}

pub(super) fn remove(node: &web_sys::Node) {
    if let Some(parent) = node.parent_node() {
        let _ = parent.remove_child(node);
    }
}

/// Appends to a text node. The selection and the layout of the existing text do not change.
pub(super) fn append_text(node: &web_sys::Node, text: &str) {
    if let Some(node) = node.dyn_ref::<web_sys::CharacterData>() {
        // Appending to a text node cannot fail.
        let _ = node.append_data(text);
    }
}

/// Updates a text node. If the text has only grown, only the new text is appended.
pub(super) fn update_text(node: &web_sys::Node, old: &str, new: &str) {
    match new.strip_prefix(old) {
        Some("") => {}
        Some(more) => append_text(node, more),
        None => node.set_node_value(Some(new)),
    }
}
