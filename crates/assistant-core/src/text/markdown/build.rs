//! Builds the tree from the events of `pulldown-cmark`.
//!
//! The tree is never deeper than [`MAX_DEPTH`], so that it can be traversed by recursion.

use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, LinkType, Tag};

use super::{
    autolink,
    define::Definitions,
    tree::{Alert, Align, Kind, Node},
};

/// The maximum nesting of block containers. Deeper containers are flattened into their parent.
const MAX_CONTAINER_DEPTH: usize = 40;
/// The maximum nesting of nodes of any kind. Deeper nodes are flattened into their parent.
const MAX_DEPTH: usize = 64;
/// The maximum number of cells that are added to the short rows of a table.
const MAX_PADDING: usize = 4096;

/// A builder that creates the tree from the events of the parser.
pub(super) struct TreeBuilder<'a> {
    known: &'a Definitions,
    done: Vec<Node>,
    /// The open nodes, outermost first.
    open: Vec<Node>,
    /// An entry for each open tag, which is true if the tag has its own node.
    tags: Vec<bool>,
    /// The number of open nodes that are links or images.
    links: usize,
    aligns: Vec<Alignment>,
    column: usize,
    /// The number of cells that were added to the current table.
    padding: usize,
}

impl<'a> TreeBuilder<'a> {
    pub(super) fn new(known: &'a Definitions) -> Self {
        Self {
            known,
            done: Vec::new(),
            open: Vec::new(),
            tags: Vec::new(),
            links: 0,
            aligns: Vec::new(),
            column: 0,
            padding: 0,
        }
    }

    /// Returns the URL and the title of a link or image. If a label has several definitions, the
    /// first definition applies, even if it is in an earlier part of the text.
    fn link_target(
        &self,
        link_type: LinkType,
        href: CowStr<'_>,
        title: CowStr<'_>,
        label: &str,
    ) -> (String, String) {
        match link_type {
            LinkType::Email => return (autolink::mailto_href(&href), String::new()),
            LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut => {
                if let Some((href, title)) = self.known.link(label) {
                    return (href.to_owned(), title.to_owned());
                }
            }
            _ => {}
        }
        (href.into_string(), title.into_string())
    }

    pub(super) fn push_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start_tag(tag),
            Event::End(_) => self.end_tag(),
            Event::Text(text) => self.push_text(&text),
            Event::Code(code) => self.push_leaf(Kind::Code(code.into_string())),
            Event::InlineMath(tex) => self.push_leaf(Kind::Math {
                tex: tex.into_string(),
                display: false,
            }),
            Event::DisplayMath(tex) => self.push_leaf(Kind::Math {
                tex: tex.into_string(),
                display: true,
            }),
            Event::Html(html) => self.push_text(&html),
            Event::InlineHtml(html) => self.push_leaf(if is_break_tag(&html) {
                Kind::HardBreak
            } else {
                Kind::Html(html.into_string())
            }),
            Event::FootnoteReference(label) => {
                self.push_leaf(Kind::FootnoteReference(label.into_string()));
            }
            Event::SoftBreak => self.push_leaf(Kind::SoftBreak),
            Event::HardBreak => self.push_leaf(Kind::HardBreak),
            Event::Rule => self.push_leaf(Kind::Rule),
            Event::TaskListMarker(checked) => {
                for node in self.open.iter_mut().rev().take(2) {
                    if let Kind::Item(task) = &mut node.kind {
                        *task = Some(checked);
                    }
                }
            }
        }
    }

    fn siblings(&mut self) -> &mut Vec<Node> {
        match self.open.last_mut() {
            Some(parent) => &mut parent.children,
            None => &mut self.done,
        }
    }

    fn push_leaf(&mut self, kind: Kind) {
        self.siblings().push(Node::leaf(kind));
    }

    fn push_text(&mut self, more: &str) {
        if let Some(Node {
            kind: Kind::CodeBlock { text, .. } | Kind::Html(text),
            ..
        }) = self.open.last_mut()
        {
            text.push_str(more);
        } else if let Some(Node {
            kind: Kind::Text(text),
            ..
        }) = self.siblings().last_mut()
        {
            text.push_str(more);
        } else if !more.is_empty() {
            self.push_leaf(Kind::Text(more.to_owned()));
        }
    }

    fn start_tag(&mut self, tag: Tag<'_>) {
        let is_container = matches!(
            tag,
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Item | Tag::FootnoteDefinition(_)
        );
        let limit = if is_container {
            MAX_CONTAINER_DEPTH
        } else {
            MAX_DEPTH
        };
        let kind = self.convert_tag(tag).filter(|_| self.open.len() < limit);
        self.tags.push(kind.is_some());
        if let Some(kind) = kind {
            self.links += usize::from(is_link(&kind));
            self.open.push(Node::leaf(kind));
        }
    }

    fn convert_tag(&mut self, tag: Tag<'_>) -> Option<Kind> {
        Some(match tag {
            Tag::Paragraph => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(level as u8),
            Tag::BlockQuote(kind) => Kind::Quote(kind.map(convert_alert)),
            Tag::CodeBlock(CodeBlockKind::Indented) => create_code_block("", String::new()),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => create_code_block(&info, String::new()),
            Tag::HtmlBlock => Kind::Html(String::new()),
            Tag::List(start) => Kind::List { start },
            Tag::Item => Kind::Item(None),
            Tag::FootnoteDefinition(label) => Kind::Footnote(label.into_string()),
            Tag::Table(aligns) => {
                self.aligns = aligns;
                self.padding = 0;
                Kind::Table
            }
            Tag::TableHead => {
                self.column = 0;
                Kind::TableHead
            }
            Tag::TableRow => {
                self.column = 0;
                Kind::TableRow
            }
            Tag::TableCell => {
                self.column += 1;
                Kind::Cell(convert_alignment(self.aligns.get(self.column - 1)))
            }
            Tag::Emphasis => Kind::Emphasis,
            Tag::Strong => Kind::Strong,
            Tag::Strikethrough => Kind::Strikethrough,
            Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            } => {
                let (href, title) = self.link_target(link_type, dest_url, title, &id);
                Kind::Link { href, title }
            }
            Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            } => {
                let (src, title) = self.link_target(link_type, dest_url, title, &id);
                Kind::Image { src, title }
            }
            // Other tags are not part of the grammar. Their content is added to the parent.
            _ => return None,
        })
    }

    fn end_tag(&mut self) {
        if self.tags.pop() != Some(true) {
            return;
        }
        let Some(mut node) = self.open.pop() else {
            return;
        };
        if node.kind == Kind::TableRow {
            self.limit_padding(&mut node.children);
        }
        self.links -= usize::from(is_link(&node.kind));
        if self.links == 0 && !is_link(&node.kind) {
            autolink::link_addresses(&mut node.children);
        }
        self.siblings().push(node);
    }

    /// Limits the number of empty cells that fill short rows, since a wide head over many short
    /// rows would produce an excessive number of cells. Beyond the limit, rows stay short.
    fn limit_padding(&mut self, cells: &mut Vec<Node>) {
        let written_len = cells.iter().rposition(|cell| !cell.children.is_empty());
        let written_len = written_len.map_or(0, |last| last + 1);
        self.padding += cells.len() - written_len;
        if self.padding > MAX_PADDING {
            cells.truncate(written_len.max(1));
        }
    }

    pub(super) fn finish(mut self) -> Vec<Node> {
        while !self.tags.is_empty() {
            self.end_tag();
        }
        self.done
    }
}

fn is_link(kind: &Kind) -> bool {
    matches!(kind, Kind::Link { .. } | Kind::Image { .. })
}

/// Creates a code block from the info string of its fence.
pub(super) fn create_code_block(info: &str, text: String) -> Kind {
    let language = info.split_whitespace().next().unwrap_or_default();
    Kind::CodeBlock {
        language: language.to_owned(),
        text,
    }
}

/// Returns true for `<br>` and `<br/>`, the only HTML tag that is interpreted.
fn is_break_tag(html: &str) -> bool {
    html.split_at_checked(3).is_some_and(|(name, rest)| {
        name.eq_ignore_ascii_case("<br") && rest.trim_start_matches([' ', '/']) == ">"
    })
}

fn convert_alert(kind: BlockQuoteKind) -> Alert {
    match kind {
        BlockQuoteKind::Note => Alert::Note,
        BlockQuoteKind::Tip => Alert::Tip,
        BlockQuoteKind::Important => Alert::Important,
        BlockQuoteKind::Warning => Alert::Warning,
        BlockQuoteKind::Caution => Alert::Caution,
    }
}

fn convert_alignment(align: Option<&Alignment>) -> Align {
    match align {
        Some(Alignment::Left) => Align::Left,
        Some(Alignment::Center) => Align::Center,
        Some(Alignment::Right) => Align::Right,
        Some(Alignment::None) | None => Align::None,
    }
}
