//! `cargo xtask bench`: measures the cost of an event natively, then the cost of the built demo in
//! Chromium compared with a bare page. Both measurements print tables to standard output, which
//! docs/benchmarks.md explains; `--write` also writes them into that page. The measurements are in
//! crates/conformance/benches and in bench/.

use std::fs;
use std::process::{Command, Stdio};

use crate::demo;
use crate::dist::{self, Effort};
use crate::options::BenchOptions;
use crate::project::{Outcome, Project, read_text};
use crate::tables;

/// The page with the tables.
const PAGE: &str = "docs/benchmarks.md";
/// The minimum version of Node.js, which runs the script that controls the browser.
const NODE: (u32, u32) = (20, 11);

/// Runs the requested measurements.
pub(crate) fn run(project: &Project, options: &BenchOptions) -> Outcome<()> {
    let mut output = String::new();
    if options.native {
        let mut command = project.cargo();
        command.args(["bench", "-p", "conformance", "--bench", "agui"]);
        output += &run_and_print(project, &mut command)?;
    }
    if options.browser {
        output += &run_in_browser(project, options)?;
    }
    if options.write {
        write_tables(project, &output)?;
    }
    Ok(())
}

/// Runs a command, prints its output, and returns the output.
fn run_and_print(project: &Project, command: &mut Command) -> Outcome<String> {
    let output = project.required_output(command.stderr(Stdio::inherit()))?;
    print!("{output}");
    Ok(output)
}

fn write_tables(project: &Project, output: &str) -> Outcome<()> {
    let date = project.required_output(project.command("date").arg("+%F"))?;
    let path = project.root.join(PAGE);
    let page = tables::replace_tables(&read_text(&path)?, output, date.trim())?;
    fs::write(&path, page).map_err(|error| format!("{PAGE}: {error}"))
}

/// Returns the output of the measurements in a browser.
fn run_in_browser(project: &Project, options: &BenchOptions) -> Outcome<String> {
    project.need_node(NODE)?;
    project.need_node_modules()?;
    let chromium = project.need_chromium()?;
    demo::build(project, "dist/demo", true)?;
    dist::build_package(project, Effort::Shipped)?;
    let mut node = project.command("node");
    node.arg("bench/run.mjs").env("CHROMIUM", &chromium);
    if let Some(runs) = options.runs {
        node.arg("--runs").arg(runs.to_string());
    }
    if let Some(file) = &options.json {
        // The command runs in the project's folder, which may differ from the current one.
        let file = std::path::absolute(file).map_err(|error| format!("{file}: {error}"))?;
        node.arg("--json").arg(file);
    }
    run_and_print(project, &mut node)
}
