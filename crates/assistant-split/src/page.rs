//! Splits the module of a page that trunk has built.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::link::{self, LinkedPart};
use crate::{Outcome, cut, digest, tools};

/// Splits the module of the page in a folder, and replaces the files of the page. Does nothing if
/// the module has no split point; fails for a debug build that has one.
pub(crate) fn split_page(module: &Path, folder: &Path, optimise: &[String]) -> Outcome<()> {
    let name = module
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = find_file_stem(folder, &name)?;
    let glue = read_text(&folder.join(format!("{stem}.js")))?;
    if !glue.contains(cut::UNCUT) {
        println!("leptos-assistant-split: {name} has no split point, so it stays whole");
        return Ok(());
    }
    if env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "debug") {
        return Err(format!(
            "this is a debug build of {name} with a split point, which no page can load whole: leave the feature \
             `split` to release builds"
        ));
    }
    let work = module.with_extension("split");
    if work.exists() {
        fs::remove_dir_all(&work).map_err(|error| describe_io_error(&work, &error))?;
    }
    let cut = cut::split_module(module, &work, &stem)?;
    let whole = size_in_kb(&folder.join(format!("{stem}_bg.wasm")))?;
    run_wasm_bindgen(&work, &stem)?;
    let mut parts = Vec::new();
    for path in cut {
        parts.push(optimize_part(&path, &stem, optimise)?);
    }
    let rest = work.join("bound").join(format!("{stem}_bg.wasm"));
    optimize(&rest, optimise)?;
    let files = create_page_files(&work, &stem, &parts)?;
    write_page(folder, files, &parts)?;
    let sizes: Vec<String> = parts
        .iter()
        .map(|part| format!("{} {} KB", part.is, part.bytes.len() / 1024))
        .collect();
    println!(
        "leptos-assistant-split: {stem}_bg.wasm {} KB ({whole} KB as a whole), {}",
        size_in_kb(&rest)?,
        sizes.join(", "),
    );
    Ok(())
}

/// Returns the file name that trunk gave the page's module and glue, without `_bg.wasm` and `.js`.
/// The name may end with a hash. Fails if the folder contains no such module, or several.
fn find_file_stem(folder: &Path, name: &str) -> Outcome<String> {
    let entries = fs::read_dir(folder).map_err(|error| describe_io_error(folder, &error))?;
    let files: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let is_hash = |hash: &str| !hash.is_empty() && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let of_name = |stem: &str| {
        let rest = stem.strip_prefix(name)?;
        let fits = rest.is_empty() || rest.strip_prefix('-').is_some_and(is_hash);
        fits.then(|| stem.to_owned())
    };
    let mut found = files
        .iter()
        .filter_map(|file| of_name(file.strip_suffix("_bg.wasm")?));
    match (found.next(), found.next()) {
        (Some(one), None) if files.contains(&format!("{one}.js")) => Ok(one),
        (None, _) | (Some(_), None) => Err(format!(
            "{} has no {name}.js with its {name}_bg.wasm",
            folder.display()
        )),
        (Some(one), Some(other)) => Err(format!(
            "{} has both {one}_bg.wasm and {other}_bg.wasm: empty it first",
            folder.display()
        )),
    }
}

/// Runs wasm-bindgen on the first part of the module.
fn run_wasm_bindgen(work: &Path, name: &str) -> Outcome<()> {
    let program = tools::find_program("wasm-bindgen").ok_or(
        "wasm-bindgen is not there; install it in the version of your Cargo.lock: \
         cargo install wasm-bindgen-cli --version VERSION",
    )?;
    // Parts find shared items by the names that the linker assigns.
    let flags = [
        "--target",
        "web",
        "--no-typescript",
        "--keep-lld-exports",
        "--no-demangle",
    ];
    let mut bindgen = Command::new(program);
    bindgen.args(flags).args(["--out-name", name, "--out-dir"]);
    bindgen.arg(work.join("bound"));
    tools::run_command(bindgen.arg(work.join(format!("{name}.wasm"))))
}

/// Optimizes a module in place with wasm-opt. Only prints a message if wasm-opt is not installed.
fn optimize(module: &Path, flags: &[String]) -> Outcome<()> {
    let Some(program) = tools::find_program("wasm-opt") else {
        eprintln!(
            "leptos-assistant-split: wasm-opt is not there, so {} stays as large as it is",
            module.display()
        );
        return Ok(());
    };
    let mut optimise = Command::new(program);
    optimise.args(flags).arg(module).arg("-o").arg(module);
    tools::run_command(&mut optimise)
}

/// Optimizes a part, and returns the part with its content-addressed name.
fn optimize_part(path: &Path, name: &str, flags: &[String]) -> Outcome<LinkedPart> {
    optimize(path, flags)?;
    let bytes = fs::read(path).map_err(|error| describe_io_error(path, &error))?;
    let file = |end: fn(&Path) -> Option<&std::ffi::OsStr>| {
        end(path).map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    let stem = file(Path::file_stem);
    let stem = stem.strip_prefix("split_").unwrap_or(&stem);
    Ok(LinkedPart {
        was: file(Path::file_name),
        is: format!("{name}-{stem}-{}.wasm", digest::short_hash(&bytes)),
        bytes,
    })
}

/// Returns the names and contents of the page's other files: the first part of the module, its
/// glue, and the script that fetches the other parts.
fn create_page_files(
    work: &Path,
    name: &str,
    parts: &[LinkedPart],
) -> Outcome<Vec<(String, Vec<u8>)>> {
    let script = link::link_script(&read_text(&work.join(cut::LINK))?, parts)?;
    let called = format!("{name}-parts-{}.js", digest::short_hash(script.as_bytes()));
    let glue = read_text(&work.join("bound").join(format!("{name}.js")))?;
    let import = format!("from \"./{}\"", cut::LINK);
    let glue = link::replace_exactly(&glue, &import, &format!("from \"./{called}\""), 1)?;
    let module = format!("{name}_bg.wasm");
    let bound = work.join("bound").join(&module);
    let rest = fs::read(&bound).map_err(|error| describe_io_error(&bound, &error))?;
    Ok(vec![
        (called, script.into_bytes()),
        (format!("{name}.js"), glue.into_bytes()),
        (module, rest),
    ])
}

/// Writes the files and parts to the page's folder, and replaces the digests in its HTML files.
fn write_page(folder: &Path, files: Vec<(String, Vec<u8>)>, parts: &[LinkedPart]) -> Outcome<()> {
    let mut digests = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        if let Ok(old) = fs::read(&path) {
            digests.extend(
                digest::all_integrities(&old)
                    .into_iter()
                    .zip(digest::all_integrities(&bytes)),
            );
        }
        fs::write(&path, bytes).map_err(|error| describe_io_error(&path, &error))?;
    }
    for part in parts {
        let path = folder.join(&part.is);
        fs::write(&path, &part.bytes).map_err(|error| describe_io_error(&path, &error))?;
    }
    let entries = fs::read_dir(folder).map_err(|error| describe_io_error(folder, &error))?;
    let pages = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "html"));
    for page in pages {
        let old = read_text(&page)?;
        let new = digests
            .iter()
            .fold(old.clone(), |page, (from, to)| page.replace(from, to));
        if new != old {
            fs::write(&page, new).map_err(|error| describe_io_error(&page, &error))?;
        }
    }
    Ok(())
}

fn read_text(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| describe_io_error(path, &error))
}

/// Returns a file's size in units of 1024 bytes, rounded down.
fn size_in_kb(path: &Path) -> Outcome<u64> {
    let data = fs::metadata(path).map_err(|error| describe_io_error(path, &error))?;
    Ok(data.len() / 1024)
}

fn describe_io_error(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a temporary folder with these files.
    fn create_folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let folder = env::temp_dir().join(format!("split-page-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for what is temporary");
        for (file, text) in files {
            fs::write(folder.join(file), text).expect("it can be written to");
        }
        folder
    }

    #[test]
    fn the_staged_files_of_trunk_are_found_with_or_without_a_hash() {
        let plain = create_folder("plain", &[("app.js", ""), ("app_bg.wasm", "")]);
        assert_eq!(find_file_stem(&plain, "app"), Ok("app".to_owned()));
        assert!(
            find_file_stem(&plain, "other").is_err_and(|message| message.contains("no other.js"))
        );
        let hashed = create_folder(
            "hashed",
            &[
                ("app-0a1b.js", ""),
                ("app-0a1b_bg.wasm", ""),
                ("app-worker_bg.wasm", ""),
            ],
        );
        assert_eq!(find_file_stem(&hashed, "app"), Ok("app-0a1b".to_owned()));
        fs::write(hashed.join("app-ff_bg.wasm"), "").expect("it can be written to");
        assert!(
            find_file_stem(&hashed, "app").is_err_and(|message| message.contains("empty it first"))
        );
        for folder in [plain, hashed] {
            fs::remove_dir_all(folder).expect("it can be removed");
        }
    }

    #[test]
    fn a_page_without_split_points_is_not_changed() {
        let page = create_folder("whole", &[("app.js", "export {}"), ("app_bg.wasm", "")]);
        // The module is not even read.
        assert_eq!(split_page(Path::new("app.wasm"), &page, &[]), Ok(()));
        fs::remove_dir_all(page).expect("it can be removed");
    }

    #[test]
    fn a_page_with_uncut_split_points_and_no_module_is_an_error() {
        let glue = format!("import * as import1 from \"{}\"", cut::UNCUT);
        let page = create_folder("uncut", &[("app.js", &glue), ("app_bg.wasm", "")]);
        let done = split_page(&page.join("app.wasm"), &page, &[]);
        assert!(done.is_err_and(|message| message.contains("app.wasm")));
        fs::remove_dir_all(page).expect("it can be removed");
    }

    #[test]
    fn digests_in_the_page_are_replaced_by_those_of_the_parts() {
        let [_, old, _] = digest::all_integrities(b"whole");
        let [_, new, _] = digest::all_integrities(b"rest");
        let html = format!("<link rel=\"modulepreload\" integrity=\"{old}\"><p>{old}x</p>");
        let page = create_folder("digests", &[("index.html", &html), ("app.js", "whole")]);
        let files = vec![
            ("app.js".to_owned(), b"rest".to_vec()),
            ("app-parts-1.js".to_owned(), b"script".to_vec()),
        ];
        let part = LinkedPart {
            was: "a.wasm".to_owned(),
            is: "app-a-1.wasm".to_owned(),
            bytes: b"part".to_vec(),
        };
        write_page(&page, files, &[part]).expect("there is room");
        let html = read_text(&page.join("index.html")).expect("it is there");
        assert!(html.contains(&new) && !html.contains(&old), "{html}");
        assert_eq!(read_text(&page.join("app.js")), Ok("rest".to_owned()));
        assert_eq!(read_text(&page.join("app-a-1.wasm")), Ok("part".to_owned()));
        assert_eq!(
            read_text(&page.join("app-parts-1.js")),
            Ok("script".to_owned())
        );
        fs::remove_dir_all(page).expect("it can be removed");
    }
}
