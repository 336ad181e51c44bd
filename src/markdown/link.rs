//! Renders links and images. Links show the host of their target, and unsafe addresses are dropped.

use assistant_core::text::{
    address::{self, MediaPolicy},
    markdown::{Kind, Node},
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::dom;
use crate::ui::{LabelName, Labels, display_host};

/// Creates a link. If the address is not safe, the element has no target and shows plain text.
pub(super) fn create_link(href: &str, title: &str) -> Option<Element> {
    let element = dom::create_element("a", "")?;
    set_target(&element, href, title);
    Some(element)
}

/// Sets the target and the tooltip of a link. If the address is not safe, removes both.
pub(super) fn set_target(element: &web_sys::Node, href: &str, title: &str) {
    let Some(element) = element.dyn_ref::<Element>() else {
        return;
    };
    let Some(safe_link) = address::safe_href(href) else {
        for name in ["class", "href", "target", "rel", "title"] {
            // Removing an attribute cannot fail.
            let _ = element.remove_attribute(name);
        }
        return;
    };
    dom::set_attribute(element, "class", "la-link");
    dom::set_attribute(element, "href", safe_link.href());
    dom::set_attribute(element, "target", "_blank");
    dom::set_attribute(element, "rel", "noopener noreferrer nofollow");
    let tooltip = if title.is_empty() {
        safe_link.href().to_owned()
    } else {
        format!("{title}\n{}", safe_link.href())
    };
    dom::set_attribute(element, "title", &tooltip);
}

/// Shows the host beside a link whose text is not an address on that host, because the model writes
/// the text and could name a different host. Hides the host beside any other link. Does nothing for
/// nodes that are not links.
pub(super) fn show_host(kind: &Kind, element: &web_sys::Node, children: &[Node]) {
    if let (Kind::Link { href, .. }, Some(element)) = (kind, element.dyn_ref::<Element>()) {
        let text = is_text(children).then(|| plain_text(children));
        show_host_beside(element, href, text.as_deref());
    }
}

/// Returns true if nodes show their plain text and nothing else, such as an image or a formula,
/// which can show any text.
fn is_text(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| match &node.kind {
        Kind::Text(_) | Kind::Code(_) | Kind::SoftBreak | Kind::HardBreak => true,
        Kind::Emphasis | Kind::Strong | Kind::Strikethrough => is_text(&node.children),
        _ => false,
    })
}

/// Shows the host beside a link, unless its text is an address on that host. `text` is `None` for a
/// link that shows something else than text.
fn show_host_beside(element: &Element, href: &str, text: Option<&str>) {
    let safe_link = address::safe_href(href);
    match safe_link.as_ref().and_then(display_host) {
        Some(host) if !text.is_some_and(|text| is_on_host(text, &host)) => {
            // The attribute is usually set already; an unchanged attribute is not written again.
            if element.get_attribute("data-host").as_ref() != Some(&host) {
                dom::set_attribute(element, "data-host", &host);
            }
        }
        _ => {
            // Removing an attribute cannot fail.
            let _ = element.remove_attribute("data-host");
        }
    }
}

/// Returns true if a text is the host itself, or an address on that host.
fn is_on_host(words: &str, host: &str) -> bool {
    let text = words.to_ascii_lowercase();
    let text = text.trim();
    let text = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"))
        .unwrap_or(text);
    let host = host.to_ascii_lowercase();
    match text.strip_prefix(host.as_str()) {
        Some(rest) => rest.is_empty() || rest.starts_with(['/', '?', '#', ':']),
        None => false,
    }
}

/// Returns the text of nodes, without formatting.
pub(super) fn plain_text(nodes: &[Node]) -> String {
    let mut text = String::new();
    let mut pending_nodes: Vec<&Node> = nodes.iter().rev().collect();
    while let Some(node) = pending_nodes.pop() {
        match &node.kind {
            Kind::Text(part) | Kind::Code(part) => text.push_str(part),
            Kind::SoftBreak | Kind::HardBreak => text.push(' '),
            _ => pending_nodes.extend(node.children.iter().rev()),
        }
    }
    text
}

/// Creates an image if the media policy allows its address. Otherwise creates a note with a link to
/// the address, labelled with the description, the title or the address of the image.
pub(super) fn create_image(
    src: &str,
    title: &str,
    description: &[Node],
    labels: &Labels,
    policy: &MediaPolicy,
) -> Option<Element> {
    let description = plain_text(description);
    let name = if description.is_empty() {
        title
    } else {
        &description
    };
    if let Some(src) = address::media_src(src, policy) {
        let element = dom::create_element("img", "la-image")?;
        dom::set_attribute(&element, "alt", name);
        dom::set_attribute(&element, "loading", "lazy");
        dom::set_attribute(&element, "decoding", "async");
        dom::set_attribute(&element, "referrerpolicy", "no-referrer");
        dom::set_attribute(&element, "src", &src);
        return Some(element);
    }
    let element = dom::create_element("span", "la-image-chip")?;
    dom::append_text_element(&element, "span", "", labels.text(LabelName::ImageNotShown));
    let name = if name.trim().is_empty() { src } else { name };
    let link = dom::create_text_element("a", "", name)?;
    set_target(&link, src, title);
    show_host_beside(&link, src, Some(name));
    dom::append(&element, &link);
    Some(element)
}
