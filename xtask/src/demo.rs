//! `cargo xtask demo`: builds the demo and serves it. The server, xtask/serve.mjs, prints one line
//! to standard output.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::options::DemoOptions;
use crate::project::{Outcome, Project, remap_local_paths, start_error};
use crate::style;

/// The minimum version of Node.js, which runs the server.
const NODE: (u32, u32) = (18, 17);

/// Builds and serves the demo until it is stopped.
pub(crate) fn run(project: &Project, options: &DemoOptions) -> Outcome<()> {
    project.need_node(NODE)?;
    let root = if options.release {
        "dist/demo"
    } else {
        "dist/dev"
    };
    build(project, root, options.release)?;
    let mut server = project.command("node");
    server
        .args(["xtask/serve.mjs", "--root", root])
        .stdout(Stdio::inherit());
    if let Some(port) = options.port {
        server.arg("--port").arg(port.to_string());
    }
    for (name, value) in [
        ("--agent", &options.agent),
        ("--protocol", &options.protocol),
        ("--model", &options.model),
    ] {
        if let Some(value) = value {
            server.arg(name).arg(value);
        }
    }
    replace_process(&mut server)
}

/// Builds the demo with trunk into a folder. With `release`, the page is optimized for size.
pub(crate) fn build(project: &Project, folder: &str, release: bool) -> Outcome<()> {
    project.need_wasm_target()?;
    project.need_page_builders()?;
    if release {
        project.need_node_modules()?;
    }
    // trunk builds offline, so that it never downloads a tool itself; the crates have to be fetched
    // before.
    project.run(project.cargo().args(["fetch", "--locked"]))?;
    style::write_joined_sheet(project)?;
    eprintln!("xtask: building the demo into {folder}");
    let mut trunk = project.command("trunk");
    trunk
        .arg("build")
        .arg("--dist")
        .arg(Path::new(folder))
        .env("TRUNK_OFFLINE", "true")
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // trunk parses any value of the common variable NO_COLOR as one of its own flags and fails.
        .env_remove("NO_COLOR");
    if release {
        remap_local_paths(trunk.arg("--release"));
    }
    project.run(&mut trunk)
}

/// Replaces this process with the server, so that stopping the process stops the server. Returns
/// only if the server cannot be started.
#[cfg(unix)]
fn replace_process(server: &mut Command) -> Outcome<()> {
    use std::os::unix::process::CommandExt;
    let error = server.exec();
    Err(start_error(server, &error))
}

#[cfg(not(unix))]
fn replace_process(server: &mut Command) -> Outcome<()> {
    let status = server
        .status()
        .map_err(|error| start_error(server, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the server ended: {status}"))
    }
}
