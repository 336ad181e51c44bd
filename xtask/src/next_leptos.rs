//! Checks the library against the next version of Leptos, which `Cargo.lock` does not contain.

use std::{env, fs};

use crate::project::{Outcome, Project, read_text};
use crate::test::library_check_command;

/// The version that the library is checked against.
const NEXT: &str = "=0.9.0-rc1";
/// The beginning of the line of the workspace's manifest that requires Leptos.
const LINE: &str = "\nleptos = { version = \"";
/// The lock file of the copy.
const LOCK: &str = "xtask/leptos-next.lock";
/// The members of the workspace that the library consists of.
const MEMBERS: &str = "[\".\", \"crates/assistant-core\", \"crates/assistant-protocols\"]";
/// The folders that the members need, which are linked into the copy.
const FOLDERS: [&str; 4] = ["src", "crates", "tests", "style"];

/// Checks the library for browsers in a copy of the workspace whose manifest requires the next
/// version. `BLESS=1` updates its lock file.
pub(crate) fn check(project: &Project) -> Outcome<()> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let folder = project.target_folder().join("xtask/leptos-next");
    fs::create_dir_all(&folder).map_err(|error| failed("leptos-next", &error))?;
    for name in FOLDERS {
        let link = folder.join(name);
        let source = project.root.join(name);
        // The link may be that of another copy of the project with the same target folder.
        if fs::read_link(&link).ok().as_ref() != Some(&source) {
            let _ = fs::remove_file(&link);
            link_folder(&source, &link).map_err(|error| failed(name, &error))?;
        }
    }
    let manifest = next_manifest(&read_text(&project.root.join("Cargo.toml"))?)
        .ok_or("Cargo.toml does not name Leptos and the members as expected")?;
    let lock = read_text(&project.root.join(LOCK))?;
    for (name, text) in [("Cargo.toml", manifest), ("Cargo.lock", lock)] {
        fs::write(folder.join(name), text).map_err(|error| failed(name, &error))?;
    }
    let features = "csr,math,callouts,ui-stream,completions,records,schemars,german";
    let mut command = library_check_command(project, features);
    command
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", project.target_folder());
    if env::var_os("BLESS").is_none() {
        return project.run(command.arg("--locked"));
    }
    project.run(&mut command)?;
    fs::copy(folder.join("Cargo.lock"), project.root.join(LOCK))
        .map(drop)
        .map_err(|error| failed(LOCK, &error))
}

/// Returns the workspace's manifest with the next version of Leptos and the members of the library;
/// `None` if the manifest does not name them as expected.
fn next_manifest(manifest: &str) -> Option<String> {
    let (before, rest) = manifest.split_once(LINE)?;
    let (_, after) = rest.split_once('"')?;
    let versions = format!("{before}{LINE}{NEXT}\"{after}");
    let (before, rest) = versions.split_once("members = [")?;
    let (_, after) = rest.split_once(']')?;
    Some(format!("{before}members = {MEMBERS}{after}"))
}

#[cfg(unix)]
fn link_folder(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(not(unix))]
fn link_folder(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_dir(from, to)
}

#[cfg(test)]
mod tests {
    use super::next_manifest;

    #[test]
    fn only_leptos_and_the_members_change() {
        let manifest = "[workspace]\nmembers = [\n  \".\",\n  \"demo\",\n]\n\
            leptos = { version = \"0.8.23\", default-features = false }\nserde = \"1\"\n";
        let next = "[workspace]\nmembers = [\".\", \"crates/assistant-core\", \
            \"crates/assistant-protocols\"]\n\
            leptos = { version = \"=0.9.0-rc1\", default-features = false }\nserde = \"1\"\n";
        assert_eq!(next_manifest(manifest).as_deref(), Some(next));
        assert_eq!(next_manifest("[workspace]\n"), None);
    }
}
