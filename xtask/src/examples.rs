//! `cargo xtask examples`: the applications of `examples/`: pages for the browser in `dist/NAME`, and the server of
//! `leptos-ssr` with the page that it serves. The board is built as it would be shipped, in two parts; the others are not
//! optimised.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::parts;
use crate::project::{Outcome, Project, without_own_paths};
use crate::style;

/// Those that are rendered in the browser alone.
const PAGES: [&str; 2] = ["headless", "routes"];
/// The one whose module comes in parts.
const SHIPPED: &str = "board";
const SERVER: &str = "leptos-ssr";
const BROWSER: [&str; 2] = ["--target", "wasm32-unknown-unknown"];

/// Builds all of them.
pub(crate) fn build(project: &Project) -> Outcome<()> {
    project.need_wasm_target()?;
    project.need_page_builders()?;
    eprintln!("xtask: building the applications of examples/ into dist");
    // Together, so that what they depend on is built once for all.
    let mut cargo = project.cargo();
    cargo.arg("build").args(BROWSER);
    for page in PAGES {
        cargo.args(["-p", page]);
    }
    project.run(&mut cargo)?;
    style::write(project)?;
    for page in PAGES {
        let folder = format!("dist/{page}");
        let module = built(project, "debug", page);
        bind(project, &module, &folder)?;
        project.copy_folder(&format!("examples/{page}/static"), &folder)?;
        project.copy(style::ALL, &format!("{folder}/all.css"))?;
    }
    shipped(project)?;
    // A page that is taken over must be built as the server is, which erases no views: what is written into the page to
    // tell its places apart would differ.
    let mut cargo = project.cargo();
    cargo
        .args(["build", "-p", SERVER, "--lib"])
        .args(["--no-default-features", "--features", "hydrate"])
        .args(BROWSER)
        .env("RUSTFLAGS", "");
    project.run(&mut cargo)?;
    let module = built(project, "debug", "leptos_ssr");
    bind(project, &module, &format!("dist/{SERVER}/pkg"))?;
    project.run(project.cargo().args(["build", "-p", SERVER]))
}

/// Where the server of `leptos-ssr` is.
pub(crate) fn server(project: &Project) -> PathBuf {
    project.target_folder().join("debug").join(SERVER)
}

/// Builds the page that comes in parts.
fn shipped(project: &Project) -> Outcome<()> {
    project.need_node_modules()?;
    let mut cargo = project.cargo();
    cargo
        .args(["build", "-p", SHIPPED, "--profile", "wasm"])
        .args(["--features", "split"])
        .args(BROWSER);
    without_own_paths(&mut cargo);
    project.run(&mut cargo)?;
    let folder = format!("dist/{SHIPPED}");
    // The parts of the build before have other names.
    let path = project.root.join(&folder);
    if path.exists() {
        fs::remove_dir_all(&path).map_err(|error| format!("{folder}: {error}"))?;
    }
    let module = built(project, "wasm", SHIPPED);
    bind(project, &module, &folder)?;
    project.copy_folder(&format!("examples/{SHIPPED}/static"), &folder)?;
    project.copy(style::ALL, &format!("{folder}/all.css"))?;
    let mut split = parts::splitter(project);
    project.run(split.arg(module).args(["--dist", &folder]))
}

/// Where cargo has put a module.
fn built(project: &Project, profile: &str, name: &str) -> PathBuf {
    project
        .target_folder()
        .join("wasm32-unknown-unknown")
        .join(profile)
        .join(format!("{name}.wasm"))
}

/// Makes what a page loads of a module.
fn bind(project: &Project, module: &Path, folder: &str) -> Outcome<()> {
    let args = ["--target", "web", "--no-typescript", "--out-dir", folder].map(OsStr::new);
    let mut bindgen = project.command("wasm-bindgen");
    project.run(bindgen.args(args).arg(module))
}
