//! Renders the changes of a Markdown tree: finished blocks are not rendered again, open blocks are
//! updated only where the tree has changed.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use assistant_core::text::{
    address::MediaPolicy,
    markdown::{BlockChanges, Kind, Node},
};

use super::{
    code::CodeBlock,
    dom,
    draw_limits::{self, DrawBudget, UndrawnNodes},
    element::{self, NodeContext, NodeElements},
    link,
    options::MarkdownOptions,
};
use crate::ui::{Labels, Words};

/// A renderer of blocks as children of one element.
pub(super) struct BlockPainter {
    root: web_sys::Element,
    words: Words,
    labels: Arc<Labels>,
    options: MarkdownOptions,
    media: Arc<MediaPolicy>,
    /// The number of finished blocks.
    finished: usize,
    /// The number of finished blocks that are drawn, which are the first children of the root.
    drawn: usize,
    /// The open blocks after the finished ones.
    open: Vec<DrawnNode>,
    /// The number of nodes that may still be drawn at once.
    budget: DrawBudget,
    nodes: usize,
    /// The size of the drawn text, in bytes.
    text: usize,
    /// The nodes that are not drawn, by the numbers of their buttons; number 0 for finished blocks.
    rests: RefCell<HashMap<u32, UndrawnNodes>>,
    last_number: Cell<u32>,
}

/// A node in the page, or a block that is not drawn.
struct DrawnNode {
    kind: Kind,
    body: DrawnBody,
    children: Vec<Self>,
    /// The remaining children, which are not drawn.
    held: Vec<Node>,
}

enum DrawnBody {
    Place(NodeElements),
    Code(CodeBlock),
    /// A block that is not drawn.
    Held(Box<Node>),
}

impl DrawnNode {
    /// Returns the node's element in its parent; `None` if the node is not drawn.
    fn outer(&self) -> Option<&web_sys::Node> {
        match &self.body {
            DrawnBody::Place(place) => Some(&place.outer),
            DrawnBody::Code(code) => Some(&code.outer),
            DrawnBody::Held(_) => None,
        }
    }

    fn new_held(node: Node) -> Self {
        Self {
            kind: Kind::Rule,
            body: DrawnBody::Held(Box::new(node)),
            children: Vec::new(),
            held: Vec::new(),
        }
    }

    const fn is_held(&self) -> bool {
        matches!(self.body, DrawnBody::Held(_))
    }

    /// Removes the node from the page.
    fn remove(&self) {
        if let Some(outer) = self.outer() {
            dom::remove(outer);
        }
    }
}

/// The number of the [`UndrawnNodes`] that contains the outermost blocks of the text.
const OF_TEXT: u32 = 0;

impl BlockPainter {
    /// Empties an element, and creates the painter for its content.
    pub(super) fn new(
        root: web_sys::Element,
        words: Words,
        options: MarkdownOptions,
        media: Arc<MediaPolicy>,
    ) -> Self {
        root.set_text_content(None);
        Self {
            root,
            labels: words.now(),
            words,
            options,
            media,
            finished: 0,
            drawn: 0,
            open: Vec::new(),
            budget: DrawBudget::new(),
            nodes: 0,
            text: 0,
            rests: RefCell::default(),
            last_number: Cell::new(OF_TEXT),
        }
    }

    /// Applies changes to the page: appends text, and draws, updates, replaces, finishes and
    /// removes blocks.
    pub(super) fn apply(&mut self, changes: BlockChanges) {
        self.labels = self.words.now();
        for (index, node) in changes.revised {
            self.replace_block(index, node);
        }
        let mut open = std::mem::take(&mut self.open);
        let first = changes.from.saturating_sub(self.finished);
        if let Some(text) = changes.appended {
            let grown = first.checked_sub(1).and_then(|at| open.get_mut(at));
            if let Some(drawn) = grown {
                if !matches!(drawn.body, DrawnBody::Code(_)) {
                    self.text = self.text.saturating_add(text.len());
                }
                self.append_to_open(drawn, &text);
            }
        }
        let held_before = self.count_held_blocks();
        let count = first + changes.blocks.len();
        for (place, node) in changes.blocks.into_iter().enumerate() {
            self.update_or_draw_block(&mut open, first + place, node);
        }
        for removed in open.drain(count.min(open.len())..) {
            removed.remove();
        }
        let finished = changes.finished.saturating_sub(self.finished);
        for done in open.drain(..finished.min(open.len())) {
            self.finished += 1;
            match done.body {
                DrawnBody::Held(node) => self.hold_block(*node),
                _ => {
                    self.drawn += 1;
                    self.finish_node(done);
                }
            }
        }
        self.open = open;
        // Once for all blocks: an agent can send many at once.
        if let Some(rest) = self.rests.borrow().get(&OF_TEXT)
            && rest.nodes.len() != held_before
        {
            rest.update_label(&self.labels);
        }
    }

    /// Counts the finished blocks that are not drawn.
    fn count_held_blocks(&self) -> usize {
        let rests = self.rests.borrow();
        rests.get(&OF_TEXT).map_or(0, |rest| rest.nodes.len())
    }

    /// Adds a finished block to the blocks that are not drawn.
    fn hold_block(&self, node: Node) {
        let mut rests = self.rests.borrow_mut();
        if let Some(rest) = rests.get_mut(&OF_TEXT) {
            rest.nodes.push_back(node);
            return;
        }
        let places = (self.root.as_ref(), self.root.as_ref());
        let rest = UndrawnNodes::new(None, places, vec![node], (OF_TEXT, &self.labels));
        if let Some(rest) = rest {
            rests.insert(OF_TEXT, rest);
        }
    }

    /// Draws the next held nodes of the button with the given number, and removes the button if no
    /// node is left.
    pub(super) fn show_more(&mut self, number: u32) {
        let rest = self.rests.borrow_mut().remove(&number);
        let Some(mut rest) = rest else { return };
        self.labels = self.words.now();
        self.budget.refill();
        for node in rest.take_next() {
            let Some(drawn) = self.draw_node(node, rest.within) else {
                continue;
            };
            if let Some(outer) = drawn.outer() {
                rest.insert_before_button(outer);
            }
            self.drawn += usize::from(number == OF_TEXT);
            self.finish_node(drawn);
        }
        if rest.nodes.is_empty() {
            return rest.remove_button();
        }
        rest.update_label(&self.labels);
        self.rests.borrow_mut().insert(number, rest);
    }

    /// Appends text to an open code block, to a paragraph that is too long to be parsed again, or
    /// to a block that is not drawn.
    fn append_to_open(&self, drawn: &mut DrawnNode, text: &str) {
        match (&mut drawn.body, drawn.children.last_mut()) {
            (DrawnBody::Held(node), _) => append_to_undrawn(node, text),
            (DrawnBody::Code(block), _) => block.append(text),
            (
                _,
                Some(DrawnNode {
                    kind: Kind::Text(shown),
                    body: DrawnBody::Place(place),
                    ..
                }),
            ) => {
                dom::append_text(&place.inner, text);
                shown.push_str(text);
            }
            _ => self.draw_child(
                drawn,
                Node::leaf(Kind::Text(text.to_owned())),
                NodeContext::Block,
            ),
        }
    }

    /// Updates the open block at this position, or draws the block if it is missing. A block beyond
    /// the limits is held back.
    fn update_or_draw_block(&mut self, open: &mut Vec<DrawnNode>, place: usize, node: Node) {
        self.budget.refill();
        if let Some(drawn) = open.get_mut(place) {
            self.update_node(drawn, node, NodeContext::Text);
        } else if self.must_hold(open) {
            open.push(DrawnNode::new_held(node));
        } else if let Some(drawn) = self.draw_node(node, NodeContext::Text) {
            self.nodes += self.budget.used_nodes();
            self.text = self.text.saturating_add(self.budget.text());
            if let Some(outer) = drawn.outer() {
                dom::append(&self.root, outer);
            }
            open.push(drawn);
        }
    }

    /// Returns true if further blocks are held back, because a limit is reached or a block was held
    /// back before.
    fn must_hold(&self, open: &[DrawnNode]) -> bool {
        let held = open.last().is_some_and(DrawnNode::is_held);
        let many = self.drawn + open.len() >= draw_limits::MAX_BLOCKS
            || self.nodes >= draw_limits::MAX_NODES
            || self.text >= draw_limits::MAX_TEXT_BYTES;
        held || many || self.rests.borrow().contains_key(&OF_TEXT)
    }

    /// Replaces a finished block that a late definition changed.
    fn replace_block(&self, index: usize, node: Node) {
        if let Some(place) = index.checked_sub(self.drawn) {
            let mut rests = self.rests.borrow_mut();
            let held = rests.get_mut(&OF_TEXT);
            if let Some(held) = held.and_then(|rest| rest.nodes.get_mut(place)) {
                *held = node;
            }
            return;
        }
        let Ok(place) = u32::try_from(index) else {
            return;
        };
        self.budget.refill();
        let (Some(old), Some(new)) = (
            self.root.child_nodes().item(place),
            self.draw_node(node, NodeContext::Text),
        ) else {
            return;
        };
        if let Some(outer) = new.outer() {
            dom::replace(&old, outer);
        }
        self.finish_node(new);
    }

    fn draw_node(&self, node: Node, within: NodeContext) -> Option<DrawnNode> {
        let Node { kind, children, .. } = node;
        self.budget.count_text(&kind);
        if let Kind::CodeBlock { language, text } = &kind {
            let mut block = CodeBlock::new(language, &self.labels)?;
            block.append(text);
            return Some(DrawnNode {
                kind: without_text(kind),
                body: DrawnBody::Code(block),
                children: Vec::new(),
                held: Vec::new(),
            });
        }
        let place = match &kind {
            Kind::Image { src, title } => {
                return Some(DrawnNode {
                    body: DrawnBody::Place(self.create_image(src, title, &children)?.into()),
                    kind,
                    children: Vec::new(),
                    held: Vec::new(),
                });
            }
            _ => {
                element::create_elements(&kind, within, self.options.heading_offset, &self.labels)?
            }
        };
        link::show_host(&kind, &place.outer, &children);
        let inside = NodeContext::of_children(&kind);
        let most = draw_limits::max_children(&kind, &children);
        let mut drawn = DrawnNode {
            kind,
            body: DrawnBody::Place(place),
            children: Vec::with_capacity(children.len().min(most)),
            held: Vec::new(),
        };
        for child in children {
            self.draw_or_hold_child(&mut drawn, child, (inside, most));
        }
        Some(drawn)
    }

    /// Draws a child, or holds the child back if the budget is used up, the parent has the maximum
    /// number of children, or an earlier child was held back.
    fn draw_or_hold_child(
        &self,
        parent: &mut DrawnNode,
        child: Node,
        (within, most): (NodeContext, usize),
    ) {
        let holds = !parent.held.is_empty() || parent.children.len() >= most;
        match holds || !self.budget.take_node() {
            true => parent.held.push(child),
            false => self.draw_child(parent, child, within),
        }
    }

    fn create_image(
        &self,
        src: &str,
        title: &str,
        description: &[Node],
    ) -> Option<web_sys::Element> {
        link::create_image(src, title, description, &self.labels, &self.media)
    }

    fn draw_child(&self, parent: &mut DrawnNode, child: Node, within: NodeContext) {
        let (DrawnBody::Place(place), Some(child)) = (&parent.body, self.draw_node(child, within))
        else {
            return;
        };
        if let Some(outer) = child.outer() {
            dom::append(&place.inner, outer);
        }
        parent.children.push(child);
    }

    /// Updates a drawn node to another node.
    fn update_node(&self, drawn: &mut DrawnNode, node: Node, within: NodeContext) {
        if let DrawnBody::Held(held) = &mut drawn.body {
            **held = node;
            return;
        }
        match (&drawn.kind, &node.kind, &mut drawn.body) {
            (Kind::Text(old), Kind::Text(new), DrawnBody::Place(place))
            | (Kind::Code(old), Kind::Code(new), DrawnBody::Place(place))
            | (Kind::Html(old), Kind::Html(new), DrawnBody::Place(place)) => {
                dom::update_text(&place.inner, old, new);
                drawn.kind = node.kind;
            }
            (_, Kind::CodeBlock { language, text }, DrawnBody::Code(block))
                if block.has_language(language) =>
            {
                block.update(text);
            }
            (Kind::Link { .. }, Kind::Link { href, title }, DrawnBody::Place(place)) => {
                if drawn.kind != node.kind {
                    link::set_target(&place.outer, href, title);
                }
                link::show_host(&node.kind, &place.outer, &node.children);
                drawn.kind = node.kind;
                self.update_children(drawn, node.children);
            }
            (Kind::Image { .. }, Kind::Image { .. }, _) => self.redraw_node(drawn, node, within),
            (old, new, _) if old == new => self.update_children(drawn, node.children),
            _ => self.redraw_node(drawn, node, within),
        }
    }

    fn redraw_node(&self, drawn: &mut DrawnNode, node: Node, within: NodeContext) {
        if let Some(new) = self.draw_node(node, within) {
            if let (Some(old), Some(new)) = (drawn.outer(), new.outer()) {
                dom::replace(old, new);
            }
            *drawn = new;
        }
    }

    fn update_children(&self, drawn: &mut DrawnNode, children: Vec<Node>) {
        let inside = NodeContext::of_children(&drawn.kind);
        let count = children.len();
        let most = draw_limits::max_children(&drawn.kind, &children);
        drawn.held.clear();
        for (index, child) in children.into_iter().enumerate() {
            match drawn.children.get_mut(index) {
                Some(old) => self.update_node(old, child, inside),
                None => self.draw_or_hold_child(drawn, child, (inside, most)),
            }
        }
        for removed in drawn.children.drain(count.min(drawn.children.len())..) {
            removed.remove();
        }
    }

    /// Finishes a complete block: highlights code, adds buttons for nodes that are not drawn, and
    /// drops the state that was needed for updates.
    fn finish_node(&self, drawn: DrawnNode) {
        let mut left = vec![drawn];
        while let Some(drawn) = left.pop() {
            match drawn.body {
                DrawnBody::Code(block) => block.finish(self.options.highlighter.as_ref()),
                DrawnBody::Place(place) => {
                    self.add_rest_button(&drawn.kind, &place, drawn.held);
                    left.extend(drawn.children);
                }
                DrawnBody::Held(_) => {}
            }
        }
    }

    /// Adds a button for the children of a finished node that are not drawn, if any.
    fn add_rest_button(&self, kind: &Kind, place: &NodeElements, nodes: Vec<Node>) {
        if nodes.is_empty() {
            return;
        }
        let number = self.last_number.get() + 1;
        self.last_number.set(number);
        let places = (&place.outer, &place.inner);
        if let Some(rest) = UndrawnNodes::new(Some(kind), places, nodes, (number, &self.labels)) {
            self.rests.borrow_mut().insert(number, rest);
        }
    }
}

/// Appends text to a node that is not drawn.
fn append_to_undrawn(node: &mut Node, text: &str) {
    match &mut node.kind {
        Kind::CodeBlock { text: code, .. } => code.push_str(text),
        _ => match node.children.last_mut().map(|last| &mut last.kind) {
            Some(Kind::Text(shown)) => shown.push_str(text),
            _ => node.children.push(Node::leaf(Kind::Text(text.to_owned()))),
        },
    }
}

/// Removes the text from a code node, because the page contains the text.
fn without_text(kind: Kind) -> Kind {
    match kind {
        Kind::CodeBlock { language, .. } => Kind::CodeBlock {
            language,
            text: String::new(),
        },
        kind => kind,
    }
}
