//! Markdown that is still being written, as a tree that views render.
//!
//! [`Markdown`] reads a text on while it grows and says what is new; [`parse`] reads a whole text
//! at once and gives the same tree. Blocks that are finished are never read again; the open block
//! is read with its unfinished markup repaired ([`repair()`]), so that half a `**bold` is bold already.
//!
//! The tree is data: text stays text, addresses stay strings, HTML stays as it was written. What
//! may become a link or an image is decided where it is drawn. The grammar is `CommonMark` with
//! GitHub's extensions, by `pulldown-cmark`.
//!
//! * `stream` – what is finished, what is open, what changed; `fence` – the open code block
//! * `pace` – how much is read, and how often again; `shown` – what is shown of the open block
//! * `outline` – where blocks begin and what they define
//! * `read` – the grammar; `build` – from its events to the tree; `autolink` – addresses that stand bare in the text
//! * `define` – definitions of links and footnotes, and the blocks that wait for them
//! * `repair` – unfinished markup

mod autolink;
mod build;
mod define;
mod fence;
mod outline;
mod pace;
mod read;
mod repair;
mod shown;
mod stream;
mod tree;

pub use repair::repair;
pub use stream::{BlockChanges, Markdown, parse};
pub use tree::{Alert, Align, Kind, Node};
