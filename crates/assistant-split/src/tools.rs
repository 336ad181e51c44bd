//! Finds and runs wasm-bindgen and wasm-opt, from PATH or from trunk's cache.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

/// Returns the path of a program on PATH or in trunk's cache; `None` if it is not installed.
pub(crate) fn find_program(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join(&file));
    on_path
        .chain(cached_paths(program, &file))
        .find(|path| path.is_file())
}

/// Returns the possible paths of a program in trunk's cache, most recently modified first.
fn cached_paths(program: &str, file: &str) -> Vec<PathBuf> {
    let home = || env::var_os("HOME").map(PathBuf::from);
    let cache = match env::consts::OS {
        "windows" => env::var_os("LOCALAPPDATA").map(|p| Path::new(&p).join("trunkrs/trunk/cache")),
        "macos" => home().map(|home| home.join("Library/Caches/dev.trunkrs.trunk")),
        _ => env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| home().map(|home| home.join(".cache")))
            .map(|cache| cache.join("trunk")),
    };
    let entries = cache.and_then(|cache| fs::read_dir(cache).ok());
    let mut versions: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with(&format!("{program}-"))
        })
        .collect();
    versions.sort_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok());
    let folders = versions.iter().rev().map(fs::DirEntry::path);
    folders
        .flat_map(|folder| [folder.join(file), folder.join("bin").join(file)])
        .collect()
}

/// Runs a command. Fails if the command cannot be started, or ends with another status than
/// success.
pub(crate) fn run_command(command: &mut Command) -> Outcome<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|error| format!("{program} does not start: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program}: {status}"))
    }
}
