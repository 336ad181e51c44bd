//! Markdown that is still being written.

mod stream;
mod support;
