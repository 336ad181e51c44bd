//! Creates the elements of each kind of node.

use assistant_core::text::markdown::{Alert, Align, Kind};
use web_sys::Element;

use super::{link, make, wording};
use crate::ui::Labels;

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
    fn nested(outer: Element, inner: Element) -> Self {
        make::append(&outer, &inner);
        Self {
            outer: outer.into(),
            inner: inner.into(),
        }
    }

    fn text(text: &str) -> Self {
        let node: web_sys::Node = make::create_text_node(text).into();
        Self {
            outer: node.clone(),
            inner: node,
        }
    }
}

/// The context of a node. The outermost block sets the text direction of all its content, because
/// the bar of a quote and the columns of a table depend on the direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeContext {
    Text,
    Block,
    TableHead,
}

impl NodeContext {
    /// Returns the context of a node's children.
    pub(super) const fn of_children(kind: &Kind) -> Self {
        match kind {
            Kind::TableHead => Self::TableHead,
            // These begin with a text of the interface.
            Kind::Quote(Some(_)) | Kind::Footnote(_) => Self::Text,
            _ => Self::Block,
        }
    }
}

/// Creates the elements of a node without its children; `None` if the page creates no element.
pub(super) fn create_elements(
    kind: &Kind,
    within: NodeContext,
    heading_offset: u8,
    labels: &Labels,
) -> Option<NodeElements> {
    Some(match kind {
        Kind::Text(text) => NodeElements::text(text),
        Kind::SoftBreak => NodeElements::text("\n"),
        Kind::HardBreak => make::create_element("br", "")?.into(),
        Kind::Code(code) => text_element("code", "la-inline-code", code)?,
        Kind::Html(source) => text_element("span", "la-html", source)?,
        Kind::Math { tex, display } => formula(tex, *display)?.into(),
        Kind::Paragraph => block("p", within)?.into(),
        Kind::Heading(level) => heading(level.saturating_add(heading_offset), within)?.into(),
        Kind::Quote(None) => block("blockquote", within)?.into(),
        Kind::Quote(Some(alert)) => alert_box(*alert, labels)?,
        Kind::List { start } => list(*start, within)?.into(),
        Kind::Item(task) => item(*task, labels)?.into(),
        Kind::Table => table(labels, within)?,
        Kind::TableHead => NodeElements::nested(
            make::create_element("thead", "")?,
            make::create_element("tr", "")?,
        ),
        Kind::TableRow => make::create_element("tr", "")?.into(),
        Kind::Cell(align) => cell(*align, within)?.into(),
        Kind::Rule => make::create_element("hr", "")?.into(),
        Kind::Emphasis => make::create_element("em", "")?.into(),
        Kind::Strong => make::create_element("strong", "")?.into(),
        Kind::Strikethrough => make::create_element("del", "")?.into(),
        Kind::Link { href, title } => link::link(href, title)?.into(),
        Kind::FootnoteReference(label) => footnote_reference(label, labels)?.into(),
        Kind::Footnote(label) => footnote(label)?,
        // Images and code are made elsewhere; an unknown kind is shown by its children.
        _ => make::create_element("span", "")?.into(),
    })
}

/// Creates an element that contains a text node, which may be changed later.
fn text_element(tag: &str, class: &str, text: &str) -> Option<NodeElements> {
    let element = make::create_element(tag, class)?;
    let text = make::create_text_node(text);
    make::append(&element, &text);
    Some(NodeElements {
        outer: element.into(),
        inner: text.into(),
    })
}

/// Creates a formula in a box, which scrolls if the formula is too wide. A formula that cannot be
/// converted, and any formula without the feature `math`, is shown as TeX source.
fn formula(tex: &str, display: bool) -> Option<Element> {
    let element = make::create_element("span", "la-math")?;
    if display {
        make::set_attribute(&element, "data-display", "");
    }
    #[cfg(feature = "math")]
    if let Some(formula) = super::math::render_formula(tex, display) {
        make::append(&element, &formula);
        return Some(element);
    }
    element.set_text_content(Some(tex));
    Some(element)
}

fn block(tag: &str, within: NodeContext) -> Option<Element> {
    let element = make::create_element(tag, "")?;
    set_direction(&element, within);
    Some(element)
}

/// Sets the direction of an outermost block from its text; any other block inherits its direction.
fn set_direction(element: &Element, within: NodeContext) {
    if within == NodeContext::Text {
        make::set_attribute(element, "dir", "auto");
    }
}

fn heading(level: u8, within: NodeContext) -> Option<Element> {
    let tag = match level {
        ..=1 => "h1",
        2 => "h2",
        3 => "h3",
        4 => "h4",
        5 => "h5",
        _ => "h6",
    };
    block(tag, within)
}

fn alert_box(alert: Alert, labels: &Labels) -> Option<NodeElements> {
    let name = match alert {
        Alert::Note => "note",
        Alert::Tip => "tip",
        Alert::Important => "important",
        Alert::Warning => "warning",
        Alert::Caution => "caution",
    };
    let word = wording::alert_label(name, labels);
    let outer = make::create_element("div", "la-alert")?;
    make::set_attribute(&outer, "data-alert", name);
    make::set_attribute(&outer, "role", "note");
    make::set_attribute(&outer, "aria-label", word);
    make::append_text_element(&outer, "p", "la-alert-title", word);
    Some(NodeElements::nested(
        outer,
        make::create_element("div", "la-alert-body")?,
    ))
}

fn list(start: Option<u64>, within: NodeContext) -> Option<Element> {
    let Some(start) = start else {
        return block("ul", within);
    };
    let element = block("ol", within)?;
    if start != 1 {
        make::set_attribute(&element, "start", &start.to_string());
    }
    Some(element)
}

fn item(task: Option<bool>, labels: &Labels) -> Option<Element> {
    let Some(done) = task else {
        return make::create_element("li", "");
    };
    let element = make::create_element("li", "la-task")?;
    let mark = make::create_element("span", "la-task-mark")?;
    let word = if done {
        make::set_attribute(&mark, "data-done", "");
        &labels.task_done
    } else {
        &labels.task_open
    };
    make::set_attribute(&mark, "role", "img");
    make::set_attribute(&mark, "aria-label", word);
    make::append(&element, &mark);
    Some(element)
}

/// Creates a table in a scrollable box, which is reachable by keyboard. The box has the direction
/// of the table, so that the box shows the first column.
fn table(labels: &Labels, within: NodeContext) -> Option<NodeElements> {
    let outer = make::create_element("div", "la-table")?;
    set_direction(&outer, within);
    make::set_attribute(&outer, "tabindex", "0");
    make::set_attribute(&outer, "role", "group");
    make::set_attribute(&outer, "aria-label", &labels.table);
    Some(NodeElements::nested(
        outer,
        make::create_element("table", "")?,
    ))
}

fn cell(align: Align, within: NodeContext) -> Option<Element> {
    let in_head = within == NodeContext::TableHead;
    let element = make::create_element(if in_head { "th" } else { "td" }, "")?;
    if in_head {
        make::set_attribute(&element, "scope", "col");
    }
    let alignment = match align {
        Align::None => return Some(element),
        Align::Left => "left",
        Align::Center => "center",
        Align::Right => "right",
    };
    make::set_attribute(&element, "data-align", alignment);
    Some(element)
}

/// Creates the reference to a footnote as a button, not a link, because a link would change the
/// address of the host's page.
fn footnote_reference(label: &str, labels: &Labels) -> Option<Element> {
    let outer = make::create_element("sup", "la-footnote-reference")?;
    let button = make::create_text_element("button", "la-footnote-button", label)?;
    make::set_attribute(&button, "type", "button");
    make::set_attribute(&button, "data-footnote", label);
    make::set_attribute(
        &button,
        "aria-label",
        &wording::footnote_label(label, labels),
    );
    make::append(&outer, &button);
    Some(outer)
}

fn footnote(label: &str) -> Option<NodeElements> {
    let outer = make::create_element("div", "la-footnote")?;
    make::set_attribute(&outer, "data-footnote", label);
    make::set_attribute(&outer, "role", "note");
    make::set_attribute(&outer, "tabindex", "-1");
    make::append_text_element(&outer, "span", "la-footnote-label", label);
    Some(NodeElements::nested(
        outer,
        make::create_element("div", "la-footnote-body")?,
    ))
}
