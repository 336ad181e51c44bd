//! `cargo xtask demo | test | dist | examples | bench | style`: installs the required tools, then
//! runs a task.
//!
//! Each task is one module; `tools` installs the tools, `project` runs programs. Nothing here is
//! published.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line program talks to its terminal"
)]

mod bench;
mod blocks;
mod browsers;
mod budget;
mod claims;
mod codes;
mod cycles;
mod demo;
mod dist;
mod examples;
mod fault;
mod file_sizes;
mod identifiers;
mod imports;
mod languages;
mod layout;
mod module;
mod names;
mod next_leptos;
mod oldest;
mod on_request;
mod options;
mod packed;
mod parity;
mod parts;
mod project;
mod prose;
mod rooms;
mod rules;
mod source;
mod style;
mod surface;
mod tables;
mod tally;
mod test;
mod test_names;
mod tools;

use std::process::ExitCode;

use crate::options::Task;
use crate::project::{Outcome, Project};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task of the command line. Returns false if the task was completed and has found faults.
fn run() -> Outcome<bool> {
    let task = options::parse(std::env::args().skip(1))?;
    let project = Project::find()?;
    match task {
        Task::Help => println!("{}", options::HELP),
        Task::Demo(options) => demo::run(&project, &options)?,
        Task::Dist(true) => {
            dist::build_package(&project, dist::Effort::Tests)?;
            packed::build(&project)?;
        }
        Task::Dist(false) => dist::run(&project)?,
        Task::Examples => examples::build(&project)?,
        Task::Style => style::write_joined_sheet(&project)?,
        Task::Bench(options) => bench::run(&project, &options)?,
        Task::Test(parts, browser) => return test::run(&project, &parts, browser),
    }
    Ok(true)
}
