//! Cuts a page that trunk has built in parts: what the page loads at once, and what it fetches when it is wanted.
//!
//! trunk knows no split points (`leptos::wasm_split`, `#[lazy]`, the feature `split` of `leptos-assistant`). As a hook
//! after its build, this program takes the module as cargo has built it, takes it apart, and puts the parts where trunk
//! has put the whole:
//!
//! ```toml
//! # Trunk.toml
//! [[hooks]]
//! stage = "post_build"
//! command = "leptos-assistant-split"
//! command_arguments = ["target/wasm32-unknown-unknown/release/app.wasm"]
//! ```
//!
//! Each part is called by what is in it, and the page fetches it by its SHA-256: a part of another build would call
//! functions that are not there. docs/guide/src/size.md tells how an application is set up for it.
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

/// A value, or what went wrong in a sentence.
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
            cut::cut(&module, &out, &name)?;
        }
        Task::Page {
            module,
            folder,
            optimise,
        } => page::part(&module, &folder, &optimise)?,
    }
    Ok(())
}
