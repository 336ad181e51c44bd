//! Builds the pages of `examples/` with the packed npm package: `react` and `vue`, built by Vite,
//! and `static`, which needs no build tool.

use std::fs;
use std::path::Path;

use crate::project::{Outcome, Project};

/// The folder of the packed package, from which the pages import it.
const PACK: &str = "target/xtask/pack";
const INSTALLED: &str = "node_modules/leptos-assistant";
/// The pages that Vite builds.
const BUILT: [&str; 2] = ["react", "vue"];
/// The page that is also built in development mode, with React's strict checks.
const STRICT: &str = "react";

/// Builds the pages into `dist`, with the npm package in `dist/embed`.
pub(crate) fn build(project: &Project) -> Outcome<()> {
    eprintln!("xtask: building the pages with the packed package into dist");
    install_package(project)?;
    for page in BUILT {
        run_vite(project, page, page, "production")?;
    }
    run_vite(
        project,
        STRICT,
        &format!("{STRICT}-development"),
        "development",
    )?;
    project.remove_folder("dist/static")?;
    project.copy_folder("examples/static", "dist/static")?;
    copy_tree(
        &project.root.join(INSTALLED),
        &project.root.join("dist/static/assistant"),
    )
}

/// Packs the npm package as for publishing, and unpacks it into `node_modules`, from which the
/// pages import it.
fn install_package(project: &Project) -> Outcome<()> {
    project.remove_folder(PACK)?;
    let pack = project.root.join(PACK);
    fs::create_dir_all(&pack).map_err(|error| format!("{PACK}: {error}"))?;
    let mut npm = project.command("npm");
    npm.args([
        "pack",
        "./dist/embed",
        "--silent",
        "--pack-destination",
        PACK,
    ]);
    let packed = project.required_output(&mut npm)?;
    let archive = format!("{PACK}/{}", packed.trim());
    project.run(project.command("tar").args(["-xzf", &archive, "-C", PACK]))?;
    project.remove_folder(INSTALLED)?;
    fs::rename(pack.join("package"), project.root.join(INSTALLED))
        .map_err(|error| format!("{INSTALLED}: {error}"))
}

fn run_vite(project: &Project, page: &str, name: &str, mode: &str) -> Outcome<()> {
    let mut vite = project.command("vite");
    vite.args(["build", &format!("examples/{page}"), "--mode", mode])
        .args(["--outDir", &format!("../../dist/{name}"), "--emptyOutDir"])
        .args(["--logLevel", "warn"])
        .env("NODE_ENV", mode);
    project.run(&mut vite)
}

/// Copies a folder recursively.
fn copy_tree(from: &Path, to: &Path) -> Outcome<()> {
    let fault = |error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(fault)?;
    for entry in fs::read_dir(from).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_tree(&path, &copy)?;
        } else {
            fs::copy(&path, &copy).map_err(fault)?;
        }
    }
    Ok(())
}
