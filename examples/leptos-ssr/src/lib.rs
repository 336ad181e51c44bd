//! A library with a librarian: an application that a server renders and the browser hydrates.
//!
//! The pages and the chat are in `app`, the shared types and the server functions in `books`, the
//! agent that plays the librarian in `librarian`. `main.rs` is the server.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

mod app;
mod books;
mod librarian;

pub use app::{App, shell};

/// Hydrates the page in the browser.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_body(App);
}
