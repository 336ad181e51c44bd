//! Markdown that is still being written.

mod repair;
mod spec;
mod stream;
mod support;
mod work;
