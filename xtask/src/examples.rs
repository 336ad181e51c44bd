//! `cargo xtask examples`: the applications of `examples/`, unoptimised: pages for the browser in `dist/NAME`, and the
//! server of `leptos-ssr` with the page that it serves.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::project::{Outcome, Project};
use crate::style;

/// Those that are rendered in the browser alone.
const PAGES: [&str; 3] = ["board", "headless", "routes"];
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
        bind(project, &format!("{page}.wasm"), &folder)?;
        project.copy_folder(&format!("examples/{page}/static"), &folder)?;
        project.copy(style::ALL, &format!("{folder}/all.css"))?;
    }
    // A page that is taken over must be built as the server is, which erases no views: what is written into the page to
    // tell its places apart would differ.
    let mut cargo = project.cargo();
    cargo
        .args(["build", "-p", SERVER, "--lib"])
        .args(["--no-default-features", "--features", "hydrate"])
        .args(BROWSER)
        .env("RUSTFLAGS", "");
    project.run(&mut cargo)?;
    bind(project, "leptos_ssr.wasm", &format!("dist/{SERVER}/pkg"))?;
    project.run(project.cargo().args(["build", "-p", SERVER]))
}

/// Where the server of `leptos-ssr` is.
pub(crate) fn server(project: &Project) -> PathBuf {
    project.target_folder().join("debug").join(SERVER)
}

/// Makes what a page loads of a module.
fn bind(project: &Project, module: &str, folder: &str) -> Outcome<()> {
    let built = project
        .target_folder()
        .join("wasm32-unknown-unknown/debug")
        .join(module);
    let args = ["--target", "web", "--no-typescript", "--out-dir", folder].map(OsStr::new);
    let mut bindgen = project.command("wasm-bindgen");
    project.run(bindgen.args(args).arg(built))
}
