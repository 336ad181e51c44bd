//! Holds back nodes until the user asks for more, so that the number of elements in the page is
//! bounded for any text.

use std::{cell::Cell, collections::VecDeque};

use assistant_core::text::markdown::{Kind, Node};
use web_sys::Element;

use super::{element::NodeContext, make};
use crate::ui::{Labels, focus, show_more_text};

/// The maximum number of blocks of a text that are drawn at first.
pub(super) const BLOCKS: usize = 300;
/// The number of nodes of a text above which no further block is drawn at first.
pub(super) const NODES: usize = 6_000;
/// The maximum number of nodes that one block, or one press of a button, draws.
const NODES_AT_ONCE: usize = 3_000;
/// The size of the text above which no further block is drawn at first, or by one press of a
/// button, in bytes. Code blocks do not count, because the browser skips their layout until they
/// are in view.
pub(super) const TEXT: usize = 128 << 10;
/// The maximum number of cells of a table that are drawn at first.
const CELLS: usize = 2_000;
/// The maximum number of held nodes that one press of a button draws, without their descendants.
const STEP: usize = 100;

/// The attribute with the number of a button.
pub(super) const REST: &str = "data-rest";
/// The selector of the buttons that draw more nodes.
pub(super) const BUTTON: &str = ".la-markdown-more";

/// The nodes of one parent that are not drawn, with the button that draws them.
#[derive(Debug)]
pub(super) struct UndrawnNodes {
    parent: web_sys::Node,
    pub(super) nodes: VecDeque<Node>,
    pub(super) within: NodeContext,
    /// The button that draws more nodes.
    button: Element,
    /// The element that contains the button, in the parent or, for a table, beside the parent.
    outer: Element,
}

/// The number of nodes that may still be drawn at once, and the size of the text drawn since the
/// last refill.
#[derive(Debug)]
pub(super) struct DrawBudget {
    nodes: Cell<usize>,
    text: Cell<usize>,
}

impl DrawBudget {
    pub(super) const fn new() -> Self {
        Self {
            nodes: Cell::new(NODES_AT_ONCE),
            text: Cell::new(0),
        }
    }

    pub(super) fn refill(&self) {
        self.nodes.set(NODES_AT_ONCE);
        self.text.set(0);
    }

    /// Takes one node from the budget. Returns false if the budget is used up.
    pub(super) fn take_node(&self) -> bool {
        let left = self.nodes.get();
        self.nodes.set(left.saturating_sub(1));
        left > 0
    }

    pub(super) fn used_nodes(&self) -> usize {
        NODES_AT_ONCE - self.nodes.get()
    }

    /// Counts the text of a drawn node.
    pub(super) fn count_text(&self, kind: &Kind) {
        self.text
            .set(self.text.get().saturating_add(text_size(kind)));
    }

    pub(super) const fn text(&self) -> usize {
        self.text.get()
    }
}

/// Returns the size of a node's own text, without the text of its children.
fn text_size(kind: &Kind) -> usize {
    match kind {
        Kind::Text(text) | Kind::Code(text) | Kind::Html(text) => text.len(),
        Kind::Math { tex, .. } => tex.len(),
        _ => 0,
    }
}

/// Adds the size of the text of a node and its descendants to `size`. Returns false, without the
/// remaining descendants, once the sum reaches [`TEXT`].
fn try_add_text_size(node: &Node, size: &mut usize) -> bool {
    *size = size.saturating_add(text_size(&node.kind));
    *size < TEXT
        && node
            .children
            .iter()
            .all(|child| try_add_text_size(child, size))
}

/// Returns the maximum number of children of a node that are drawn at first.
pub(super) fn max_children(kind: &Kind, children: &[Node]) -> usize {
    match kind {
        Kind::Table => {
            let columns = children.first().map_or(1, |head| head.children.len());
            (CELLS / columns.max(1)).clamp(5, 200)
        }
        Kind::TableHead | Kind::TableRow => 100,
        Kind::List { .. } => 300,
        _ => 1_000,
    }
}

impl UndrawnNodes {
    /// Adds a button for nodes that are not drawn; `None` if the page creates no element. `outer`
    /// is the element of the parent of the nodes, `inner` the element that contains the children of
    /// the parent.
    pub(super) fn new(
        kind: Option<&Kind>,
        (outer, inner): (&web_sys::Node, &web_sys::Node),
        nodes: Vec<Node>,
        (number, labels): (u32, &Labels),
    ) -> Option<Self> {
        let button = make::create_element("button", "la-button la-markdown-more")?;
        make::set_attribute(&button, "type", "button");
        make::set_attribute(&button, "data-variant", "quiet");
        make::set_attribute(&button, "data-size", "small");
        make::set_attribute(&button, REST, &number.to_string());
        let (tag, place) = match kind {
            Some(Kind::Table) => ("div", outer),
            Some(Kind::List { .. }) => ("li", inner),
            Some(Kind::TableHead | Kind::TableRow) => ("td", inner),
            Some(Kind::Paragraph | Kind::Heading(_)) => ("span", inner),
            _ => ("div", inner),
        };
        let holder = make::create_element(tag, "la-markdown-rest")?;
        make::append(&holder, &button);
        make::append(place, &holder);
        let rest = Self {
            parent: inner.clone(),
            within: kind.map_or(NodeContext::Text, NodeContext::of_children),
            nodes: nodes.into(),
            button,
            outer: holder,
        };
        rest.update_label(labels);
        Some(rest)
    }

    /// Updates the text of the button.
    pub(super) fn update_label(&self, labels: &Labels) {
        let hidden = self.nodes.len();
        let text = show_more_text(labels, self.next_count(), hidden);
        self.button.set_text_content(Some(&text));
        make::set_attribute(&self.outer, "data-hidden", &hidden.to_string());
    }

    /// Returns the number of nodes that the next press of the button draws.
    fn next_count(&self) -> usize {
        let mut size = 0;
        let nodes = self.nodes.iter().take(STEP);
        let before_limit = nodes
            .take_while(|node| try_add_text_size(node, &mut size))
            .count();
        // The node that reaches the limit is drawn as well.
        (before_limit + 1).min(STEP).min(self.nodes.len())
    }

    /// Removes and returns the nodes to draw next.
    pub(super) fn take_next(&mut self) -> Vec<Node> {
        let count = self.next_count();
        self.nodes.drain(..count).collect()
    }

    /// Inserts a drawn node before the button.
    pub(super) fn insert_before_button(&self, node: &web_sys::Node) {
        let before: &web_sys::Node = &self.outer;
        let is_inside = before.parent_node().as_ref() == Some(&self.parent);
        // Fails only if the text is no longer in the page.
        let _ = match is_inside {
            true => self.parent.insert_before(node, Some(before)),
            false => self.parent.append_child(node),
        };
    }

    /// Removes the button, and moves the focus to another element if the button has the focus.
    pub(super) fn remove_button(self) {
        focus::pass_focus_on(&self.outer);
        make::remove(&self.outer);
    }
}
