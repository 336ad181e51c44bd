//! Defines the tree of a markdown text.

/// A node: a block, an inline or a leaf, with its children.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// The kind of the node, with its values.
    pub kind: Kind,
    /// The children, in order; empty for leaves.
    pub children: Vec<Self>,
}

/// The kind of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A leaf: text as it is shown.
    Text(String),
    /// A leaf: code within a line.
    Code(String),
    /// A leaf: a formula, in TeX.
    Math {
        /// The TeX source of the formula.
        tex: String,
        /// True if the formula is displayed on separate lines.
        display: bool,
    },
    /// A leaf: a possible line break.
    SoftBreak,
    /// A leaf: a line break.
    HardBreak,
    /// A paragraph of inlines.
    Paragraph,
    /// A heading of inlines, level 1 to 6.
    Heading(u8),
    /// A quote of blocks, or an alert.
    Quote(Option<Alert>),
    /// A leaf: a block of code.
    CodeBlock {
        /// The first word after the fence, as written. It may be empty.
        language: String,
        /// The code, which ends with a line break unless it is empty or still being written.
        text: String,
    },
    /// A list of items.
    List {
        /// The first number; `None` for bullets.
        start: Option<u64>,
    },
    /// A list item with blocks, or with inlines in a tight list. `Some` is the state of the check
    /// box of a task list item.
    Item(Option<bool>),
    /// A table: a head, then rows.
    Table,
    /// The head of a table: cells.
    TableHead,
    /// A row of a table: cells.
    TableRow,
    /// A cell of inlines.
    Cell(Align),
    /// A leaf: a thematic break.
    Rule,
    /// A leaf: HTML as written, a block or inline. HTML is never interpreted: a view shows it as
    /// text or omits it.
    Html(String),
    /// Emphasised inlines.
    Emphasis,
    /// Strongly emphasised inlines.
    Strong,
    /// Crossed-out inlines.
    Strikethrough,
    /// A link around inlines. The address is not checked.
    Link {
        /// The address; empty while the text of the link is streaming.
        href: String,
        /// The title of the link; empty if the link has none.
        title: String,
    },
    /// An image, with inlines as the alternative text. The address is not checked.
    Image {
        /// The address of the image.
        src: String,
        /// The title of the image; empty if the image has none.
        title: String,
    },
    /// A leaf: a reference to a footnote, by its label.
    FootnoteReference(String),
    /// A footnote of blocks, by its label.
    Footnote(String),
}

/// The kind of an alert (`> [!NOTE]`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are GitHub's")]
pub enum Alert {
    Note,
    Tip,
    Important,
    Warning,
    Caution,
}

/// The alignment of a table's column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Align {
    #[default]
    None,
    Left,
    Center,
    Right,
}

impl Node {
    /// Creates a node without children.
    #[must_use]
    pub fn leaf(kind: Kind) -> Self {
        Self {
            kind,
            children: Vec::new(),
        }
    }
}
