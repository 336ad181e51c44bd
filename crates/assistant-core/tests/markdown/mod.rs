//! Markdown that is still being written.

mod mend;
mod spec;
mod stream;
mod support;
mod work;
