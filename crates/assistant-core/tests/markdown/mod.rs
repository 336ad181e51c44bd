//! Streamed markdown.

mod repair;
mod spec;
mod stream;
mod support;
mod work;
