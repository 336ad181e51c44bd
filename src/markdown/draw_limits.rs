//! Holds back nodes until the user asks for more, so that the number of elements in the page is
//! bounded for any text.

use std::{cell::Cell, collections::VecDeque};

use assistant_core::text::markdown::{Kind, Node};
use web_sys::Element;

use super::{dom, element::NodeContext};
use crate::ui::{Labels, focus, show_more_text};

/// The number of drawn blocks of a text at which no further block is drawn at first.
pub(super) const MAX_BLOCKS: usize = 300;
/// The number of drawn nodes of a text at which no further block is drawn at first.
pub(super) const MAX_NODES: usize = 6_000;
/// The maximum number of nodes that are drawn for one block, or for one press of a button.
const MAX_NODES_AT_ONCE: usize = 3_000;
/// The size of the drawn text, in bytes, at which no further block is drawn at first, and at which
/// one press of a button draws no further node. The text of code blocks does not count, because the
/// browser skips the layout of code blocks until they are in view.
pub(super) const MAX_TEXT_BYTES: usize = 128 << 10;
/// The maximum number of cells of a table that are drawn at first.
const MAX_TABLE_CELLS: usize = 2_000;
/// The maximum number of held nodes that one press of a button draws, not counting descendants.
const MAX_NODES_PER_PRESS: usize = 100;

/// The attribute that contains the number of a button that draws more nodes.
pub(super) const NUMBER_ATTRIBUTE: &str = "data-rest";
/// The selector of the buttons that draw more nodes.
pub(super) const BUTTON_SELECTOR: &str = ".la-markdown-more";

/// The nodes of one parent that are not drawn, with the button that draws them.
#[derive(Debug)]
pub(super) struct UndrawnNodes {
    parent: web_sys::Node,
    pub(super) nodes: VecDeque<Node>,
    pub(super) within: NodeContext,
    /// The button that draws more nodes.
    button: Element,
    /// The element that contains the button. For a table, the element follows the parent; otherwise
    /// the element is a child of the parent.
    outer: Element,
}

/// The number of nodes that may still be drawn in a block or for a press of a button, and the size
/// of the text drawn there.
#[derive(Debug)]
pub(super) struct DrawBudget {
    nodes: Cell<usize>,
    text: Cell<usize>,
}

impl DrawBudget {
    pub(super) const fn new() -> Self {
        Self {
            nodes: Cell::new(MAX_NODES_AT_ONCE),
            text: Cell::new(0),
        }
    }

    pub(super) fn refill(&self) {
        self.resume(0, 0);
    }

    /// Refills the budget for a block in which nodes and text were already drawn.
    pub(super) fn resume(&self, drawn_nodes: usize, drawn_text: usize) {
        self.nodes
            .set(MAX_NODES_AT_ONCE.saturating_sub(drawn_nodes));
        self.text.set(drawn_text);
    }

    /// Returns nodes and text that were removed from the page.
    pub(super) fn give_back(&self, (nodes, text): (usize, usize)) {
        self.nodes.set(
            self.nodes
                .get()
                .saturating_add(nodes)
                .min(MAX_NODES_AT_ONCE),
        );
        self.text.set(self.text.get().saturating_sub(text));
    }

    /// Takes one node from the budget. Returns false if the budget is used up.
    pub(super) fn take_node(&self) -> bool {
        let remaining_nodes = self.nodes.get();
        self.nodes.set(remaining_nodes.saturating_sub(1));
        remaining_nodes > 0
    }

    pub(super) fn used_nodes(&self) -> usize {
        MAX_NODES_AT_ONCE - self.nodes.get()
    }

    /// Adds the size of the own text of a drawn node to the size of the drawn text.
    pub(super) fn count_text(&self, kind: &Kind) {
        self.text
            .set(self.text.get().saturating_add(text_size(kind)));
    }

    pub(super) const fn text(&self) -> usize {
        self.text.get()
    }
}

/// Returns the size of a node's own text in bytes, without the text of its children. The text of a
/// code block counts as empty.
pub(super) fn text_size(kind: &Kind) -> usize {
    match kind {
        Kind::Text(text) | Kind::Code(text) | Kind::Html(text) => text.len(),
        Kind::Math { tex, .. } => tex.len(),
        _ => 0,
    }
}

/// Adds the size of the text of a node and its descendants to `size`. Stops and returns false once
/// the sum reaches [`MAX_TEXT_BYTES`].
fn try_add_text_size(node: &Node, size: &mut usize) -> bool {
    *size = size.saturating_add(text_size(&node.kind));
    *size < MAX_TEXT_BYTES
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
            (MAX_TABLE_CELLS / columns.max(1)).clamp(5, 200)
        }
        Kind::TableHead | Kind::TableRow => 100,
        Kind::List { .. } => 300,
        _ => 1_000,
    }
}

impl UndrawnNodes {
    /// Adds a button for nodes that are not drawn. Returns `None` if an element cannot be created.
    /// `outer` is the element of the nodes' parent, and `inner` is the element that contains the
    /// parent's children.
    pub(super) fn new(
        kind: Option<&Kind>,
        (outer, inner): (&web_sys::Node, &web_sys::Node),
        nodes: Vec<Node>,
        (number, labels): (u32, &Labels),
    ) -> Option<Self> {
        let button = dom::create_element("button", "la-button la-markdown-more")?;
        dom::set_attribute(&button, "type", "button");
        dom::set_attribute(&button, "data-variant", "quiet");
        dom::set_attribute(&button, "data-size", "small");
        dom::set_attribute(&button, NUMBER_ATTRIBUTE, &number.to_string());
        let (tag, container_parent) = match kind {
            Some(Kind::Table) => ("div", outer),
            Some(Kind::List { .. }) => ("li", inner),
            Some(Kind::TableHead | Kind::TableRow) => ("td", inner),
            Some(Kind::Paragraph | Kind::Heading(_)) => ("span", inner),
            _ => ("div", inner),
        };
        let container = dom::create_element(tag, "la-markdown-rest")?;
        dom::append(&container, &button);
        dom::append(container_parent, &container);
        let undrawn_nodes = Self {
            parent: inner.clone(),
            within: kind.map_or(NodeContext::Text, NodeContext::for_children),
            nodes: nodes.into(),
            button,
            outer: container,
        };
        undrawn_nodes.update_label(labels);
        Some(undrawn_nodes)
    }

    /// Updates the text of the button and the number of hidden nodes.
    pub(super) fn update_label(&self, labels: &Labels) {
        let hidden_count = self.nodes.len();
        let text = show_more_text(labels, self.next_count(), hidden_count);
        self.button.set_text_content(Some(&text));
        dom::set_attribute(&self.outer, "data-hidden", &hidden_count.to_string());
    }

    /// Returns the number of nodes that the next press of the button draws.
    fn next_count(&self) -> usize {
        let mut size = 0;
        let nodes = self.nodes.iter().take(MAX_NODES_PER_PRESS);
        let before_limit = nodes
            .take_while(|node| try_add_text_size(node, &mut size))
            .count();
        // Adds 1, because the node that reaches the limit is drawn as well.
        (before_limit + 1)
            .min(MAX_NODES_PER_PRESS)
            .min(self.nodes.len())
    }

    /// Removes and returns the nodes to draw next.
    pub(super) fn take_next(&mut self) -> Vec<Node> {
        let count = self.next_count();
        self.nodes.drain(..count).collect()
    }

    /// Inserts a drawn node before the button or, for a table, at the end of the parent.
    pub(super) fn insert_before_button(&self, node: &web_sys::Node) {
        let container: &web_sys::Node = &self.outer;
        let is_inside = container.parent_node().as_ref() == Some(&self.parent);
        // Fails only if the text is no longer in the page.
        let _ = match is_inside {
            true => self.parent.insert_before(node, Some(container)),
            false => self.parent.append_child(node),
        };
    }

    /// Removes the button, and moves the focus to another element if the button has the focus.
    pub(super) fn remove_button(self) {
        focus::pass_focus_on(&self.outer);
        dom::remove(&self.outer);
    }
}
