//! `cargo xtask examples`: builds the applications of `examples/`: pages for the browser in
//! `dist/NAME`, the server of `leptos-ssr` with its page, and the relay. The board is built as for
//! production, in two parts; the other applications are not optimized.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::parts;
use crate::project::{Outcome, Project, remap_local_paths};
use crate::style;

/// The applications that are rendered only in the browser.
const PAGES: [&str; 3] = ["headless", "orders", "routes"];
/// The application whose module is split and optimized, as for production.
const SHIPPED: &str = "board";
const SERVER: &str = "leptos-ssr";
const RELAY: &str = "relay";
const BROWSER: [&str; 2] = ["--target", "wasm32-unknown-unknown"];

/// Builds all examples.
pub(crate) fn build(project: &Project) -> Outcome<()> {
    project.need_wasm_target()?;
    project.need_page_builders()?;
    eprintln!("xtask: building the applications of examples/ into dist");
    // Together, so that shared dependencies are built once.
    let mut cargo = project.cargo();
    cargo.arg("build").args(BROWSER);
    for page in PAGES {
        cargo.args(["-p", page]);
    }
    project.run(&mut cargo)?;
    style::write_joined_sheet(project)?;
    for page in PAGES {
        let folder = format!("dist/{page}");
        let module = module_path(project, "debug", page);
        run_wasm_bindgen(project, &module, &folder)?;
        project.copy_folder(&format!("examples/{page}/static"), &folder)?;
        project.copy_file(style::ALL, &format!("{folder}/all.css"))?;
    }
    build_split_page(project)?;
    // A hydrated page must be built like the server, without type erasure of views: otherwise the
    // markers in the page would differ.
    let mut cargo = project.cargo();
    cargo
        .args(["build", "-p", SERVER, "--lib"])
        .args(["--no-default-features", "--features", "hydrate"])
        .args(BROWSER)
        .env("RUSTFLAGS", "");
    project.run(&mut cargo)?;
    let module = module_path(project, "debug", "leptos_ssr");
    run_wasm_bindgen(project, &module, &format!("dist/{SERVER}/pkg"))?;
    project.run(project.cargo().args(["build", "-p", SERVER]))?;
    // Built alone, as it is by its users.
    project.run(project.cargo().args(["build", "-p", RELAY]))
}

/// Returns the path of the built server of `leptos-ssr`.
pub(crate) fn server_path(project: &Project) -> PathBuf {
    project.target_folder().join("debug").join(SERVER)
}

/// Returns the path of the built relay.
pub(crate) fn relay_path(project: &Project) -> PathBuf {
    project.target_folder().join("debug").join(RELAY)
}

/// Builds the page of the application whose module is split.
fn build_split_page(project: &Project) -> Outcome<()> {
    project.need_node_modules()?;
    let mut cargo = project.cargo();
    cargo
        .args(["build", "-p", SHIPPED, "--profile", "wasm"])
        .args(["--features", "split"])
        .args(BROWSER);
    remap_local_paths(&mut cargo);
    project.run(&mut cargo)?;
    let folder = format!("dist/{SHIPPED}");
    // Parts of the previous build have other names.
    project.remove_folder(&folder)?;
    let module = module_path(project, "wasm", SHIPPED);
    run_wasm_bindgen(project, &module, &folder)?;
    project.copy_folder(&format!("examples/{SHIPPED}/static"), &folder)?;
    project.copy_file(style::ALL, &format!("{folder}/all.css"))?;
    let mut split = parts::splitter_command(project);
    project.run(split.arg(module).args(["--dist", &folder]))
}

/// Returns the path of a WebAssembly module that cargo has built.
fn module_path(project: &Project, profile: &str, name: &str) -> PathBuf {
    project
        .target_folder()
        .join("wasm32-unknown-unknown")
        .join(profile)
        .join(format!("{name}.wasm"))
}

/// Runs wasm-bindgen on a module, with its output in a folder.
fn run_wasm_bindgen(project: &Project, module: &Path, folder: &str) -> Outcome<()> {
    let args = ["--target", "web", "--no-typescript", "--out-dir", folder].map(OsStr::new);
    let mut bindgen = project.command("wasm-bindgen");
    project.run(bindgen.args(args).arg(module))
}
