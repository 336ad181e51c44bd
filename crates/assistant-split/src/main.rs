//! Splits the module of a page that trunk has built into the part that is loaded at once, and parts
//! that are fetched on demand.
//!
//! trunk does not support split points (`leptos::wasm_split`, `#[lazy]`, the feature `split` of
//! `leptos-assistant`). As a hook after its build, this program splits the module that cargo has
//! built, and replaces trunk's module with the parts:
//!
//! ```toml
//! # Trunk.toml
//! [[hooks]]
//! stage = "post_build"
//! command = "leptos-assistant-split"
//! command_arguments = ["target/wasm32-unknown-unknown/release/app.wasm"]
//! ```
//!
//! Each part has a content-addressed name, and the page fetches it with its SHA-256 digest: a part
//! of another build would call missing functions. docs/guide/src/size.md describes the setup of an
//! application.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program talks to its terminal"
)]

mod arguments;
mod cut;
mod digest;
mod link;
mod page;
mod tools;

use std::process::ExitCode;

use crate::arguments::Task;

/// A value, or an error message.
type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("leptos-assistant-split: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    match arguments::parse(std::env::args().skip(1))? {
        Task::Help => println!("{}", arguments::HELP),
        Task::Parts { module, out, name } => {
            cut::split_module(&module, &out, &name)?;
        }
        Task::Page {
            module,
            folder,
            optimise,
        } => page::split_page(&module, &folder, &optimise)?,
    }
    Ok(())
}
