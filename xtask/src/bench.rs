//! `cargo xtask bench`: measures the cost of an event natively, then the cost of the built demo in
//! Chromium compared with a bare page. Both measurements print tables to standard output, which
//! docs/benchmarks.md explains. The measurements are in crates/conformance/benches and in bench/.

use std::process::Stdio;

use crate::demo;
use crate::dist::{self, Effort};
use crate::options::BenchOptions;
use crate::project::{Outcome, Project};

/// The minimum version of Node.js, which runs the script that controls the browser.
const NODE: (u32, u32) = (20, 11);

/// Runs the requested measurements.
pub(crate) fn run(project: &Project, options: &BenchOptions) -> Outcome<()> {
    if options.native {
        run_native(project)?;
    }
    if options.browser {
        run_in_browser(project, options)?;
    }
    Ok(())
}

fn run_native(project: &Project) -> Outcome<()> {
    let mut command = project.cargo();
    command
        .args(["bench", "-p", "conformance", "--bench", "agui"])
        .stdout(Stdio::inherit());
    project.run(&mut command)
}

fn run_in_browser(project: &Project, options: &BenchOptions) -> Outcome<()> {
    project.need_node(NODE)?;
    project.need_node_modules()?;
    let chromium = project.need_chromium()?;
    demo::build(project, "dist/demo", true)?;
    dist::build_package(project, Effort::Shipped)?;
    let mut node = project.command("node");
    node.arg("bench/run.mjs")
        .env("CHROMIUM", &chromium)
        .stdout(Stdio::inherit());
    if let Some(runs) = options.runs {
        node.arg("--runs").arg(runs.to_string());
    }
    if let Some(file) = &options.json {
        // The command runs in the project's folder, which may differ from the current one.
        let file = std::path::absolute(file).map_err(|error| format!("{file}: {error}"))?;
        node.arg("--json").arg(file);
    }
    project.run(&mut node)
}
