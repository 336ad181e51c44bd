//! Elements and texts, made without a detour through HTML.

use leptos::prelude::document;
use wasm_bindgen::JsCast;

/// An element with a class. The names of tags are our own, so this does not fail.
pub(super) fn element(tag: &str, class: &str) -> Option<web_sys::Element> {
    let element = document().create_element(tag).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    Some(element)
}

/// An element with a class and a text.
pub(super) fn labelled(tag: &str, class: &str, text: &str) -> Option<web_sys::Element> {
    let element = element(tag, class)?;
    element.set_text_content(Some(text));
    Some(element)
}

/// An element with a class and a text, at the end of another.
pub(super) fn append_labelled(parent: &web_sys::Element, tag: &str, class: &str, text: &str) {
    if let Some(element) = labelled(tag, class, text) {
        append(parent, &element);
    }
}

pub(super) fn text(text: &str) -> web_sys::Text {
    document().create_text_node(text)
}

/// Sets an attribute. Its name is our own, so this does not fail.
pub(super) fn set(element: &web_sys::Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Appends a node to one that takes any; that does not fail.
pub(super) fn append(parent: &web_sys::Node, child: &web_sys::Node) {
    let _ = parent.append_child(child);
}

/// Puts a node in place of another.
pub(super) fn replace(old: &web_sys::Node, new: &web_sys::Node) {
    if let Some(parent) = old.parent_node() {
        // Fails only if the old one is no child of its parent.
        let _ = parent.replace_child(new, old);
    }
}

pub(super) fn remove(node: &web_sys::Node) {
    if let Some(parent) = node.parent_node() {
        let _ = parent.remove_child(node);
    }
}

/// Adds text at the end of a text node, so that a selection and the layout of what stands there
/// stay.
pub(super) fn append_text(node: &web_sys::Node, text: &str) {
    if let Some(node) = node.dyn_ref::<web_sys::CharacterData>() {
        // Appending to a text node fails for no text.
        let _ = node.append_data(text);
    }
}

/// Brings a text node from what it shows to another text; growth is appended.
pub(super) fn update_text(node: &web_sys::Node, old: &str, new: &str) {
    match new.strip_prefix(old) {
        Some("") => {}
        Some(more) => append_text(node, more),
        None => node.set_node_value(Some(new)),
    }
}
