//! Renders the changes of a Markdown tree: finished blocks are not rendered again, and open blocks
//! are updated only where the tree has changed.

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

/// A renderer that draws blocks as the children of one element.
pub(super) struct BlockPainter {
    root: web_sys::Element,
    words: Words,
    labels: Arc<Labels>,
    options: MarkdownOptions,
    media: Arc<MediaPolicy>,
    /// The number of finished blocks.
    finished_count: usize,
    /// The number of finished blocks that are drawn, which are the first children of the root.
    drawn_count: usize,
    /// The open blocks, which follow the finished blocks.
    open: Vec<OpenBlock>,
    /// The budget of nodes and text that may be drawn until the next refill.
    budget: DrawBudget,
    /// The number of drawn nodes of the finished blocks.
    nodes: usize,
    /// The size of the drawn text of the finished blocks, in bytes.
    text: usize,
    /// The nodes that are not drawn, by the numbers of their buttons. Number 0 is for the finished
    /// blocks of the text.
    undrawn_by_number: RefCell<HashMap<u32, UndrawnNodes>>,
    last_number: Cell<u32>,
}

/// A block that may still change.
struct OpenBlock {
    node: DrawnNode,
    /// The number of drawn nodes.
    nodes: usize,
    /// The size of the drawn text, in bytes.
    text: usize,
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
    /// Returns the element of the node in the page. Returns `None` if the node is not drawn.
    fn outer(&self) -> Option<&web_sys::Node> {
        match &self.body {
            DrawnBody::Place(elements) => Some(&elements.outer),
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

    /// Returns the number of drawn nodes, and the size of their text in bytes.
    fn counts(&self) -> (usize, usize) {
        let own_counts = (1, draw_limits::text_size(&self.kind));
        let child_counts = self.children.iter().map(Self::counts);
        child_counts.fold(own_counts, |(nodes, text), (child_nodes, child_text)| {
            (nodes + child_nodes, text + child_text)
        })
    }

    /// Removes the node from the page.
    fn remove(&self) {
        if let Some(outer) = self.outer() {
            dom::remove(outer);
        }
    }
}

/// The number of the [`UndrawnNodes`] that contains the outermost blocks of the text.
const ROOT_NUMBER: u32 = 0;

impl BlockPainter {
    /// Empties an element, and creates a painter for the content of the element.
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
            finished_count: 0,
            drawn_count: 0,
            open: Vec::new(),
            budget: DrawBudget::new(),
            nodes: 0,
            text: 0,
            undrawn_by_number: RefCell::default(),
            last_number: Cell::new(ROOT_NUMBER),
        }
    }

    /// Applies changes to the page: appends text, and draws, updates, replaces, finishes and
    /// removes blocks.
    pub(super) fn apply(&mut self, changes: BlockChanges) {
        self.labels = self.words.now();
        for (index, node) in changes.revised {
            self.replace_block(index, node);
        }
        let mut open_blocks = std::mem::take(&mut self.open);
        let first_index = changes.from.saturating_sub(self.finished_count);
        if let Some(text) = changes.appended {
            let grown_node = first_index
                .checked_sub(1)
                .and_then(|at| open_blocks.get_mut(at));
            if let Some(block) = grown_node {
                if !matches!(block.node.body, DrawnBody::Code(_)) {
                    block.text = block.text.saturating_add(text.len());
                }
                self.append_to_open(&mut block.node, &text);
            }
        }
        let old_held_count = self.count_held_blocks();
        let count = first_index + changes.blocks.len();
        for (index, node) in changes.blocks.into_iter().enumerate() {
            self.update_or_draw_block(&mut open_blocks, first_index + index, node);
        }
        for removed in open_blocks.drain(count.min(open_blocks.len())..) {
            removed.node.remove();
        }
        let newly_finished_count = changes.finished.saturating_sub(self.finished_count);
        for finished in open_blocks.drain(..newly_finished_count.min(open_blocks.len())) {
            self.finished_count += 1;
            self.nodes = self.nodes.saturating_add(finished.nodes);
            self.text = self.text.saturating_add(finished.text);
            match finished.node.body {
                DrawnBody::Held(node) => self.hold_block(*node),
                _ => {
                    self.drawn_count += 1;
                    self.finish_node(finished.node);
                }
            }
        }
        self.open = open_blocks;
        // Updates the label once for all blocks, because an agent can send many blocks at once.
        if let Some(undrawn_nodes) = self.undrawn_by_number.borrow().get(&ROOT_NUMBER)
            && undrawn_nodes.nodes.len() != old_held_count
        {
            undrawn_nodes.update_label(&self.labels);
        }
    }

    /// Counts the finished blocks that are not drawn.
    fn count_held_blocks(&self) -> usize {
        let undrawn_by_number = self.undrawn_by_number.borrow();
        undrawn_by_number
            .get(&ROOT_NUMBER)
            .map_or(0, |undrawn_nodes| undrawn_nodes.nodes.len())
    }

    /// Adds a finished block to the blocks that are not drawn.
    fn hold_block(&self, node: Node) {
        let mut undrawn_by_number = self.undrawn_by_number.borrow_mut();
        if let Some(undrawn_nodes) = undrawn_by_number.get_mut(&ROOT_NUMBER) {
            undrawn_nodes.nodes.push_back(node);
            return;
        }
        let elements = (self.root.as_ref(), self.root.as_ref());
        let undrawn_nodes =
            UndrawnNodes::new(None, elements, vec![node], (ROOT_NUMBER, &self.labels));
        if let Some(undrawn_nodes) = undrawn_nodes {
            undrawn_by_number.insert(ROOT_NUMBER, undrawn_nodes);
        }
    }

    /// Draws the next held nodes of the button with the given number, and removes the button if no
    /// node is left.
    pub(super) fn show_more(&mut self, number: u32) {
        let undrawn_nodes = self.undrawn_by_number.borrow_mut().remove(&number);
        let Some(mut undrawn_nodes) = undrawn_nodes else {
            return;
        };
        self.labels = self.words.now();
        self.budget.refill();
        for node in undrawn_nodes.take_next() {
            let Some(drawn_node) = self.draw_node(node, undrawn_nodes.within) else {
                continue;
            };
            if let Some(outer) = drawn_node.outer() {
                undrawn_nodes.insert_before_button(outer);
            }
            self.drawn_count += usize::from(number == ROOT_NUMBER);
            self.finish_node(drawn_node);
        }
        if undrawn_nodes.nodes.is_empty() {
            return undrawn_nodes.remove_button();
        }
        undrawn_nodes.update_label(&self.labels);
        self.undrawn_by_number
            .borrow_mut()
            .insert(number, undrawn_nodes);
    }

    /// Appends text to an open code block, to a paragraph that is too long to be parsed again, or
    /// to a block that is not drawn.
    fn append_to_open(&self, drawn_node: &mut DrawnNode, text: &str) {
        match (&mut drawn_node.body, drawn_node.children.last_mut()) {
            (DrawnBody::Held(node), _) => append_to_undrawn(node, text),
            (DrawnBody::Code(block), _) => block.append(text),
            (
                _,
                Some(DrawnNode {
                    kind: Kind::Text(displayed_text),
                    body: DrawnBody::Place(elements),
                    ..
                }),
            ) => {
                dom::append_text(&elements.inner, text);
                displayed_text.push_str(text);
            }
            _ => self.draw_child(
                drawn_node,
                Node::leaf(Kind::Text(text.to_owned())),
                NodeContext::Block,
            ),
        }
    }

    /// Updates the open block at `index`, or draws the block if the block is missing. A block
    /// beyond the limits is held back.
    fn update_or_draw_block(&self, open: &mut Vec<OpenBlock>, index: usize, node: Node) {
        if let Some(block) = open.get_mut(index) {
            self.budget.resume(block.nodes, block.text);
            self.update_node(&mut block.node, node, NodeContext::Text);
            (block.nodes, block.text) = (self.budget.used_nodes(), self.budget.text());
            return;
        }
        self.budget.refill();
        let drawn_node = match self.must_hold(open) {
            true => Some(DrawnNode::new_held(node)),
            false => self.draw_node(node, NodeContext::Text),
        };
        let Some(node) = drawn_node else {
            return;
        };
        if let Some(outer) = node.outer() {
            dom::append(&self.root, outer);
        }
        open.push(OpenBlock {
            node,
            nodes: self.budget.used_nodes(),
            text: self.budget.text(),
        });
    }

    /// Returns true if a further block must be held back, because a limit is reached or a block was
    /// held back before.
    fn must_hold(&self, open: &[OpenBlock]) -> bool {
        let was_held = open.last().is_some_and(|block| block.node.is_held());
        if was_held || self.undrawn_by_number.borrow().contains_key(&ROOT_NUMBER) {
            return true;
        }
        let open_nodes: usize = open.iter().map(|block| block.nodes).sum();
        let open_text: usize = open.iter().map(|block| block.text).sum();
        self.drawn_count + open.len() >= draw_limits::MAX_BLOCKS
            || self.nodes + open_nodes >= draw_limits::MAX_NODES
            || self.text + open_text >= draw_limits::MAX_TEXT_BYTES
    }

    /// Replaces a finished block that a later definition in the text has changed.
    fn replace_block(&self, index: usize, node: Node) {
        if let Some(undrawn_index) = index.checked_sub(self.drawn_count) {
            let mut undrawn_by_number = self.undrawn_by_number.borrow_mut();
            let undrawn_nodes = undrawn_by_number.get_mut(&ROOT_NUMBER);
            let old_node =
                undrawn_nodes.and_then(|undrawn_nodes| undrawn_nodes.nodes.get_mut(undrawn_index));
            if let Some(old_node) = old_node {
                *old_node = node;
            }
            return;
        }
        let Ok(child_index) = u32::try_from(index) else {
            return;
        };
        self.budget.refill();
        let (Some(old_node), Some(new_node)) = (
            self.root.child_nodes().item(child_index),
            self.draw_node(node, NodeContext::Text),
        ) else {
            return;
        };
        if let Some(outer) = new_node.outer() {
            dom::replace(&old_node, outer);
        }
        self.finish_node(new_node);
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
        let elements = match &kind {
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
        link::show_host(&kind, &elements.outer, &children);
        let child_context = NodeContext::for_children(&kind);
        let max_children = draw_limits::max_children(&kind, &children);
        let mut drawn_node = DrawnNode {
            kind,
            body: DrawnBody::Place(elements),
            children: Vec::with_capacity(children.len().min(max_children)),
            held: Vec::new(),
        };
        for child in children {
            self.draw_or_hold_child(&mut drawn_node, child, (child_context, max_children));
        }
        Some(drawn_node)
    }

    /// Draws a child, or holds the child back if the budget is used up, the parent has the maximum
    /// number of children, or an earlier child was held back.
    fn draw_or_hold_child(
        &self,
        parent: &mut DrawnNode,
        child: Node,
        (within, max_children): (NodeContext, usize),
    ) {
        let is_full = !parent.held.is_empty() || parent.children.len() >= max_children;
        match is_full || !self.budget.take_node() {
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
        let (DrawnBody::Place(elements), Some(child)) =
            (&parent.body, self.draw_node(child, within))
        else {
            return;
        };
        if let Some(outer) = child.outer() {
            dom::append(&elements.inner, outer);
        }
        parent.children.push(child);
    }

    /// Updates a drawn or held node with the content of `node`.
    fn update_node(&self, drawn_node: &mut DrawnNode, node: Node, within: NodeContext) {
        if let DrawnBody::Held(held_node) = &mut drawn_node.body {
            **held_node = node;
            return;
        }
        match (&drawn_node.kind, &node.kind, &mut drawn_node.body) {
            (Kind::Text(old), Kind::Text(new), DrawnBody::Place(elements))
            | (Kind::Code(old), Kind::Code(new), DrawnBody::Place(elements))
            | (Kind::Html(old), Kind::Html(new), DrawnBody::Place(elements)) => {
                dom::update_text(&elements.inner, old, new);
                self.budget.give_back((0, old.len()));
                self.budget.count_text(&node.kind);
                drawn_node.kind = node.kind;
            }
            (_, Kind::CodeBlock { language, text }, DrawnBody::Code(block))
                if block.has_language(language) =>
            {
                block.update(text);
            }
            (Kind::Link { .. }, Kind::Link { href, title }, DrawnBody::Place(elements)) => {
                if drawn_node.kind != node.kind {
                    link::set_target(&elements.outer, href, title);
                }
                link::show_host(&node.kind, &elements.outer, &node.children);
                drawn_node.kind = node.kind;
                self.update_children(drawn_node, node.children);
            }
            (Kind::Image { .. }, Kind::Image { .. }, _) => {
                self.redraw_node(drawn_node, node, within);
            }
            (old, new, _) if old == new => self.update_children(drawn_node, node.children),
            _ => self.redraw_node(drawn_node, node, within),
        }
    }

    fn redraw_node(&self, drawn_node: &mut DrawnNode, node: Node, within: NodeContext) {
        // The node itself keeps its place in the budget.
        let (nodes, text) = drawn_node.counts();
        self.budget.give_back((nodes - 1, text));
        if let Some(new_node) = self.draw_node(node, within) {
            if let (Some(old_node), Some(new_node)) = (drawn_node.outer(), new_node.outer()) {
                dom::replace(old_node, new_node);
            }
            *drawn_node = new_node;
        }
    }

    fn update_children(&self, drawn_node: &mut DrawnNode, children: Vec<Node>) {
        let child_context = NodeContext::for_children(&drawn_node.kind);
        let count = children.len();
        let max_children = draw_limits::max_children(&drawn_node.kind, &children);
        drawn_node.held.clear();
        for (index, child) in children.into_iter().enumerate() {
            match drawn_node.children.get_mut(index) {
                Some(old) => self.update_node(old, child, child_context),
                None => self.draw_or_hold_child(drawn_node, child, (child_context, max_children)),
            }
        }
        for removed in drawn_node
            .children
            .drain(count.min(drawn_node.children.len())..)
        {
            self.budget.give_back(removed.counts());
            removed.remove();
        }
    }

    /// Finishes a complete block: highlights code, adds buttons for nodes that are not drawn, and
    /// drops the state that was needed for updates.
    fn finish_node(&self, drawn_node: DrawnNode) {
        let mut pending_nodes = vec![drawn_node];
        while let Some(drawn_node) = pending_nodes.pop() {
            match drawn_node.body {
                DrawnBody::Code(block) => block.finish(self.options.highlighter.as_ref()),
                DrawnBody::Place(elements) => {
                    self.add_more_button(&drawn_node.kind, &elements, drawn_node.held);
                    pending_nodes.extend(drawn_node.children);
                }
                DrawnBody::Held(_) => {}
            }
        }
    }

    /// Adds a button for the children of a finished node that are not drawn, if there are such
    /// children.
    fn add_more_button(&self, kind: &Kind, elements: &NodeElements, nodes: Vec<Node>) {
        if nodes.is_empty() {
            return;
        }
        let number = self.last_number.get() + 1;
        self.last_number.set(number);
        let outer_and_inner = (&elements.outer, &elements.inner);
        let undrawn_nodes =
            UndrawnNodes::new(Some(kind), outer_and_inner, nodes, (number, &self.labels));
        if let Some(undrawn_nodes) = undrawn_nodes {
            self.undrawn_by_number
                .borrow_mut()
                .insert(number, undrawn_nodes);
        }
    }
}

/// Appends text to a node that is not drawn.
fn append_to_undrawn(node: &mut Node, text: &str) {
    match &mut node.kind {
        Kind::CodeBlock { text: code, .. } => code.push_str(text),
        _ => match node.children.last_mut().map(|last| &mut last.kind) {
            Some(Kind::Text(last_text)) => last_text.push_str(text),
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
