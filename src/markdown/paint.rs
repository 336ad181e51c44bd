//! Renders the changes of the tree: finished blocks are never touched again, open blocks change
//! only where the tree does.

use std::sync::Arc;

use assistant_core::text::{
    address::MediaPolicy,
    markdown::{BlockChanges, Kind, Node},
};

use super::{
    code::CodeBlock,
    element::{self, Place, Within},
    link, make,
    options::MarkdownOptions,
};
use crate::ui::{Labels, Words};

/// Renders blocks as children of one element.
pub(super) struct Painter {
    root: web_sys::Element,
    words: Words,
    labels: Arc<Labels>,
    options: MarkdownOptions,
    media: Arc<MediaPolicy>,
    /// The number of finished blocks. They are the first children of the root.
    finished: usize,
    /// The open blocks after them.
    open: Vec<Drawn>,
}

/// A node in the page.
struct Drawn {
    kind: Kind,
    body: Body,
    children: Vec<Self>,
}

enum Body {
    Place(Place),
    Code(CodeBlock),
}

impl Drawn {
    fn outer(&self) -> &web_sys::Node {
        match &self.body {
            Body::Place(place) => &place.outer,
            Body::Code(code) => &code.outer,
        }
    }
}

impl Painter {
    /// Creates a painter for an element, which is emptied.
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
            open: Vec::new(),
        }
    }

    /// Applies the changes of a text.
    pub(super) fn apply(&mut self, changes: BlockChanges) {
        self.labels = self.words.now();
        for (index, node) in changes.revised {
            self.revise(index, node);
        }
        let mut open = std::mem::take(&mut self.open);
        let first = changes.from.saturating_sub(self.finished);
        if let Some(text) = changes.appended {
            let grown = first.checked_sub(1).and_then(|at| open.get_mut(at));
            if let Some(drawn) = grown {
                self.grow(drawn, &text);
            }
        }
        let count = first + changes.blocks.len();
        for (place, node) in changes.blocks.into_iter().enumerate() {
            self.put(&mut open, first + place, node);
        }
        for removed in open.drain(count.min(open.len())..) {
            make::remove(removed.outer());
        }
        let finished = changes.finished.saturating_sub(self.finished);
        for done in open.drain(..finished.min(open.len())) {
            self.finished += 1;
            finish(done, &self.options);
        }
        self.open = open;
    }

    /// Appends text to a code block, or to a paragraph that is too long to be parsed again.
    fn grow(&self, drawn: &mut Drawn, text: &str) {
        match (&mut drawn.body, drawn.children.last_mut()) {
            (Body::Code(block), _) => block.append(text),
            (
                _,
                Some(Drawn {
                    kind: Kind::Text(shown),
                    body: Body::Place(place),
                    ..
                }),
            ) => {
                make::append_text(&place.inner, text);
                shown.push_str(text);
            }
            _ => self.add(
                drawn,
                Node::leaf(Kind::Text(text.to_owned())),
                Within::Block,
            ),
        }
    }

    /// Draws an open block, or updates the one at this position.
    fn put(&self, open: &mut Vec<Drawn>, place: usize, node: Node) {
        if let Some(drawn) = open.get_mut(place) {
            self.patch(drawn, node, Within::Text);
        } else if let Some(drawn) = self.draw(node, Within::Text) {
            make::append(&self.root, drawn.outer());
            open.push(drawn);
        }
    }

    /// Replaces a finished block that a late definition changed.
    fn revise(&self, index: usize, node: Node) {
        let Ok(place) = u32::try_from(index) else {
            return;
        };
        let (Some(old), Some(new)) = (
            self.root.child_nodes().item(place),
            self.draw(node, Within::Text),
        ) else {
            return;
        };
        make::replace(&old, new.outer());
        finish(new, &self.options);
    }

    fn draw(&self, node: Node, within: Within) -> Option<Drawn> {
        let Node { kind, children } = node;
        if let Kind::CodeBlock { language, text } = &kind {
            let mut block = CodeBlock::new(language, &self.labels)?;
            block.append(text);
            return Some(Drawn {
                kind: without_text(kind),
                body: Body::Code(block),
                children: Vec::new(),
            });
        }
        let place = match &kind {
            Kind::Image { src, title } => {
                return Some(Drawn {
                    body: Body::Place(self.image(src, title, &children)?.into()),
                    kind,
                    children: Vec::new(),
                });
            }
            _ => element::place(&kind, within, self.options.heading_offset, &self.labels)?,
        };
        link::show_host(&kind, &place.outer, &children);
        let inside = Within::of(&kind);
        let mut drawn = Drawn {
            kind,
            body: Body::Place(place),
            children: Vec::with_capacity(children.len()),
        };
        for child in children {
            self.add(&mut drawn, child, inside);
        }
        Some(drawn)
    }

    fn image(&self, src: &str, title: &str, words: &[Node]) -> Option<web_sys::Element> {
        link::image(src, title, words, &self.labels, &self.media)
    }

    fn add(&self, parent: &mut Drawn, child: Node, within: Within) {
        let (Body::Place(place), Some(child)) = (&parent.body, self.draw(child, within)) else {
            return;
        };
        make::append(&place.inner, child.outer());
        parent.children.push(child);
    }

    /// Updates a drawn node to another node.
    fn patch(&self, drawn: &mut Drawn, node: Node, within: Within) {
        match (&drawn.kind, &node.kind, &mut drawn.body) {
            (Kind::Text(old), Kind::Text(new), Body::Place(place))
            | (Kind::Code(old), Kind::Code(new), Body::Place(place))
            | (Kind::Html(old), Kind::Html(new), Body::Place(place)) => {
                make::update_text(&place.inner, old, new);
                drawn.kind = node.kind;
            }
            (_, Kind::CodeBlock { language, text }, Body::Code(block)) if block.is_in(language) => {
                block.update(text);
            }
            (Kind::Link { .. }, Kind::Link { href, title }, Body::Place(place)) => {
                if drawn.kind != node.kind {
                    link::lead(&place.outer, href, title);
                }
                link::show_host(&node.kind, &place.outer, &node.children);
                drawn.kind = node.kind;
                self.patch_children(drawn, node.children);
            }
            (Kind::Image { .. }, Kind::Image { .. }, _) => self.redraw(drawn, node, within),
            (old, new, _) if old == new => self.patch_children(drawn, node.children),
            _ => self.redraw(drawn, node, within),
        }
    }

    fn redraw(&self, drawn: &mut Drawn, node: Node, within: Within) {
        if let Some(new) = self.draw(node, within) {
            make::replace(drawn.outer(), new.outer());
            *drawn = new;
        }
    }

    fn patch_children(&self, drawn: &mut Drawn, children: Vec<Node>) {
        let inside = Within::of(&drawn.kind);
        let count = children.len();
        for (index, child) in children.into_iter().enumerate() {
            match drawn.children.get_mut(index) {
                Some(old) => self.patch(old, child, inside),
                None => self.add(drawn, child, inside),
            }
        }
        for removed in drawn.children.drain(count.min(drawn.children.len())..) {
            make::remove(removed.outer());
        }
    }
}

/// Drops the text of code, which is kept in the page only.
fn without_text(kind: Kind) -> Kind {
    match kind {
        Kind::CodeBlock { language, .. } => Kind::CodeBlock {
            language,
            text: String::new(),
        },
        kind => kind,
    }
}

/// Highlights the code of a complete block, and drops the state that was needed to change it.
fn finish(drawn: Drawn, options: &MarkdownOptions) {
    let mut rest = vec![drawn];
    while let Some(drawn) = rest.pop() {
        match drawn.body {
            Body::Code(block) => block.finish(options.highlighter.as_ref()),
            Body::Place(_) => rest.extend(drawn.children),
        }
    }
}
