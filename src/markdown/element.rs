//! Creates the DOM elements for each kind of Markdown node.

use assistant_core::text::markdown::{Alert, Align, Kind};
use web_sys::Element;

use super::{dom, link, wording};
use crate::ui::{LabelName, Labels};

/// The elements of a node: the element in the parent, and the element that contains the children.
#[derive(Debug)]
pub(super) struct NodeElements {
    pub(super) outer: web_sys::Node,
    pub(super) inner: web_sys::Node,
}

impl From<Element> for NodeElements {
    fn from(element: Element) -> Self {
        Self {
            inner: element.clone().into(),
            outer: element.into(),
        }
    }
}

impl NodeElements {
    fn new_nested(outer: Element, inner: Element) -> Self {
        dom::append(&outer, &inner);
        Self {
            outer: outer.into(),
            inner: inner.into(),
        }
    }

    fn new_text(text: &str) -> Self {
        let node: web_sys::Node = dom::create_text_node(text).into();
        Self {
            outer: node.clone(),
            inner: node,
        }
    }
}

/// The position of a node: outermost in the text, in a block, or in the head of a table. The
/// outermost block sets the text direction of all its content, because the bar of a quote and the
/// columns of a table depend on the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeContext {
    Text,
    Block,
    TableHead,
}

impl NodeContext {
    /// Returns the context of a node's children.
    pub(super) const fn for_children(kind: &Kind) -> Self {
        match kind {
            Kind::TableHead => Self::TableHead,
            // The children set their own direction, because these nodes begin with a text of the
            // interface.
            Kind::Quote(Some(_)) | Kind::Footnote(_) => Self::Text,
            _ => Self::Block,
        }
    }
}

/// Creates the elements of a node without its children. Returns `None` if an element cannot be
/// created.
pub(super) fn create_elements(
    kind: &Kind,
    within: NodeContext,
    heading_offset: u8,
    labels: &Labels,
) -> Option<NodeElements> {
    Some(match kind {
        Kind::Text(text) => NodeElements::new_text(text),
        Kind::SoftBreak => NodeElements::new_text("\n"),
        Kind::HardBreak => dom::create_element("br", "")?.into(),
        Kind::Code(code) => create_text_container("code", "la-inline-code", code)?,
        Kind::Html(source) => create_text_container("span", "la-html", source)?,
        Kind::Math { tex, display } => create_formula(tex, *display)?.into(),
        Kind::Paragraph => create_block("p", within)?.into(),
        Kind::Heading(level) => {
            create_heading(level.saturating_add(heading_offset), within)?.into()
        }
        Kind::Quote(None) => create_block("blockquote", within)?.into(),
        Kind::Quote(Some(alert)) => create_alert(*alert, labels)?,
        Kind::List { start } => create_list(*start, within)?.into(),
        Kind::Item(task) => create_item(*task, labels)?.into(),
        Kind::Table => create_table(labels, within)?,
        Kind::TableHead => NodeElements::new_nested(
            dom::create_element("thead", "")?,
            dom::create_element("tr", "")?,
        ),
        Kind::TableRow => dom::create_element("tr", "")?.into(),
        Kind::Cell(align) => create_cell(*align, within)?.into(),
        Kind::Rule => dom::create_element("hr", "")?.into(),
        Kind::Emphasis => dom::create_element("em", "")?.into(),
        Kind::Strong => dom::create_element("strong", "")?.into(),
        Kind::Strikethrough => dom::create_element("del", "")?.into(),
        Kind::Link { href, title } => link::create_link(href, title)?.into(),
        Kind::FootnoteReference(label) => create_footnote_reference(label, labels)?.into(),
        Kind::Footnote(label) => create_footnote(label)?,
        // Other functions create images and code blocks. For an unknown kind, only the children are
        // shown.
        _ => dom::create_element("span", "")?.into(),
    })
}

/// Creates an element that contains a text node, which may be changed later.
fn create_text_container(tag: &str, class: &str, text: &str) -> Option<NodeElements> {
    let element = dom::create_element(tag, class)?;
    let text = dom::create_text_node(text);
    dom::append(&element, &text);
    Some(NodeElements {
        outer: element.into(),
        inner: text.into(),
    })
}

/// Creates a formula in a box, which scrolls if the formula is too wide. A formula that cannot be
/// converted, and any formula without the feature `math`, is shown as TeX source.
fn create_formula(tex: &str, display: bool) -> Option<Element> {
    let element = dom::create_element("span", "la-math")?;
    if display {
        dom::set_attribute(&element, "data-display", "");
    }
    #[cfg(feature = "math")]
    if let Some(formula) = super::math::render_formula(tex, display) {
        dom::append(&element, &formula);
        return Some(element);
    }
    element.set_text_content(Some(tex));
    Some(element)
}

fn create_block(tag: &str, within: NodeContext) -> Option<Element> {
    let element = dom::create_element(tag, "")?;
    set_direction(&element, within);
    Some(element)
}

/// Sets the text direction of an outermost block from the text of the block. Any other block
/// inherits the direction.
fn set_direction(element: &Element, within: NodeContext) {
    if within == NodeContext::Text {
        dom::set_attribute(element, "dir", "auto");
    }
}

fn create_heading(level: u8, within: NodeContext) -> Option<Element> {
    let tag = match level {
        ..=1 => "h1",
        2 => "h2",
        3 => "h3",
        4 => "h4",
        5 => "h5",
        _ => "h6",
    };
    create_block(tag, within)
}

fn create_alert(alert: Alert, labels: &Labels) -> Option<NodeElements> {
    let name = match alert {
        Alert::Note => "note",
        Alert::Tip => "tip",
        Alert::Important => "important",
        Alert::Warning => "warning",
        Alert::Caution => "caution",
    };
    let label = wording::alert_label(name, labels);
    let outer = dom::create_element("div", "la-alert")?;
    dom::set_attribute(&outer, "data-alert", name);
    dom::set_attribute(&outer, "role", "note");
    dom::set_attribute(&outer, "aria-label", label);
    dom::append_text_element(&outer, "p", "la-alert-title", label);
    Some(NodeElements::new_nested(
        outer,
        dom::create_element("div", "la-alert-body")?,
    ))
}

fn create_list(start: Option<u64>, within: NodeContext) -> Option<Element> {
    let Some(start) = start else {
        return create_block("ul", within);
    };
    let element = create_block("ol", within)?;
    if start != 1 {
        dom::set_attribute(&element, "start", &start.to_string());
    }
    Some(element)
}

fn create_item(task: Option<bool>, labels: &Labels) -> Option<Element> {
    let Some(is_done) = task else {
        return dom::create_element("li", "");
    };
    let element = dom::create_element("li", "la-task")?;
    let mark = dom::create_element("span", "la-task-mark")?;
    let label = if is_done {
        dom::set_attribute(&mark, "data-done", "");
        labels.text(LabelName::TaskDone)
    } else {
        labels.text(LabelName::TaskOpen)
    };
    dom::set_attribute(&mark, "role", "img");
    dom::set_attribute(&mark, "aria-label", label);
    dom::append(&element, &mark);
    Some(element)
}

/// Creates a table in a scrollable box, which is reachable by keyboard. The box has the direction
/// of the table, so that the box shows the first column before the user scrolls.
fn create_table(labels: &Labels, within: NodeContext) -> Option<NodeElements> {
    let outer = dom::create_element("div", "la-table")?;
    set_direction(&outer, within);
    dom::set_attribute(&outer, "tabindex", "0");
    dom::set_attribute(&outer, "role", "group");
    dom::set_attribute(&outer, "aria-label", labels.text(LabelName::Table));
    Some(NodeElements::new_nested(
        outer,
        dom::create_element("table", "")?,
    ))
}

fn create_cell(align: Align, within: NodeContext) -> Option<Element> {
    let in_head = within == NodeContext::TableHead;
    let element = dom::create_element(if in_head { "th" } else { "td" }, "")?;
    if in_head {
        dom::set_attribute(&element, "scope", "col");
    }
    let alignment = match align {
        Align::None => return Some(element),
        Align::Left => "left",
        Align::Center => "center",
        Align::Right => "right",
    };
    dom::set_attribute(&element, "data-align", alignment);
    Some(element)
}

/// Creates the reference to a footnote as a button, not a link, because a link would change the
/// address of the host's page.
fn create_footnote_reference(label: &str, labels: &Labels) -> Option<Element> {
    let outer = dom::create_element("sup", "la-footnote-reference")?;
    let button = dom::create_text_element("button", "la-footnote-button", label)?;
    dom::set_attribute(&button, "type", "button");
    dom::set_attribute(&button, "data-footnote", label);
    dom::set_attribute(
        &button,
        "aria-label",
        &wording::footnote_label(label, labels),
    );
    dom::append(&outer, &button);
    Some(outer)
}

fn create_footnote(label: &str) -> Option<NodeElements> {
    let outer = dom::create_element("div", "la-footnote")?;
    dom::set_attribute(&outer, "data-footnote", label);
    dom::set_attribute(&outer, "role", "note");
    dom::set_attribute(&outer, "tabindex", "-1");
    dom::append_text_element(&outer, "span", "la-footnote-label", label);
    Some(NodeElements::new_nested(
        outer,
        dom::create_element("div", "la-footnote-body")?,
    ))
}
