//! Markdown that is still being written, as a tree that views render.
//!
//! The tree is data: text stays text, addresses stay strings, HTML of the source is dropped. What
//! may become a link or an image is decided where it is drawn.

mod tree;

pub use tree::{Alert, Align, Kind, Node};
