//! Defines the tree of a markdown text.

/// A node of the tree, which is a block, an inline or a leaf, with its children.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// The kind of the node, with its values.
    pub kind: Kind,
    /// The children, in order. A leaf has no children.
    pub children: Vec<Self>,
}

/// The kind of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A leaf with text as it is shown.
    Text(String),
    /// A leaf with code within a line.
    Code(String),
    /// A leaf with a formula in TeX.
    Math {
        /// The TeX source of the formula.
        tex: String,
        /// True if the formula is displayed on separate lines.
        display: bool,
    },
    /// A leaf for a possible line break.
    SoftBreak,
    /// A leaf for a line break.
    HardBreak,
    /// A paragraph of inlines.
    Paragraph,
    /// A heading of inlines, with a level from 1 to 6.
    Heading(u8),
    /// A quote of blocks, which is an alert if the value is `Some`.
    Quote(Option<Alert>),
    /// A leaf with a block of code.
    CodeBlock {
        /// The first word after the fence, as written. The word may be empty.
        language: String,
        /// The code, which ends with a line break unless it is empty or still being written.
        text: String,
    },
    /// A list of items.
    List {
        /// The first number, or `None` for a list with bullets.
        start: Option<u64>,
    },
    /// A list item with blocks, or with inlines in a tight list. For a task list item, the value is
    /// `Some` with the state of the check box.
    Item(Option<bool>),
    /// A table, which consists of a head and rows.
    Table,
    /// A head of table cells.
    TableHead,
    /// A row of table cells.
    TableRow,
    /// A cell of inlines.
    Cell(Align),
    /// A leaf for a thematic break.
    Rule,
    /// A leaf with HTML as written, as a block or an inline. The HTML is never interpreted. A view
    /// shows the HTML as text or omits it.
    Html(String),
    /// Emphasised inlines.
    Emphasis,
    /// Strongly emphasised inlines.
    Strong,
    /// Crossed-out inlines.
    Strikethrough,
    /// A link around inlines. The address is not checked.
    Link {
        /// The address, which is empty while the text of the link is streaming.
        href: String,
        /// The title of the link, which is empty if the link has no title.
        title: String,
    },
    /// An image, with inlines as the alternative text. The address is not checked.
    Image {
        /// The address of the image.
        src: String,
        /// The title of the image, which is empty if the image has no title.
        title: String,
    },
    /// A leaf that refers to a footnote by its label.
    FootnoteReference(String),
    /// A footnote of blocks, with its label.
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

/// The alignment of a table column.
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
