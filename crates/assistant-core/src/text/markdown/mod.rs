//! Parses streamed markdown incrementally into a tree for rendering.
//!
//! [`Markdown`] parses a growing text and reports the changes; [`parse`] parses a whole text at
//! once and returns the same tree. A finished block is parsed again only if a later definition
//! affects it; the open block is parsed with its unfinished markup repaired ([`repair()`]), so that
//! an unclosed `**bold` is already bold.
//!
//! The tree is plain data: addresses are strings, and HTML is kept as written. The view determines
//! which addresses become links or images. The grammar is `CommonMark` with GitHub's extensions, as
//! implemented by `pulldown-cmark`.
//!
//! * `stream` – tracks finished, open and changed blocks; `fence` – the open code block
//! * `pace` – limits on parsing; `shown` – the visible part of the open block
//! * `outline` – block boundaries and definitions
//! * `read` – the grammar; `build` – tree construction; `autolink` – bare addresses
//! * `define` – definitions of links and footnotes, and the blocks that lack them
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
