//! Takes a module apart at its split points.

use std::fs;
use std::path::{Path, PathBuf};

use wasm_split_cli_support::{Options, transform};

use crate::Outcome;

/// The script that fetches parts, as the splitter calls it.
pub(crate) const LINK: &str = "__wasm_split.js";
/// What glue asks for where its module was not cut: no page can load it.
pub(crate) const UNCUT: &str = "__wasm_split_placeholder__";
/// The sections that say where things lie in a module, for who takes it apart.
const NEEDED: [&str; 2] = ["linking", "reloc.CODE"];

/// Writes `NAME.wasm` and what is cut out of it into a folder, and tells what was cut out.
pub(crate) fn cut(module: &Path, out: &Path, name: &str) -> Outcome<Vec<PathBuf>> {
    let bytes = fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
    let sections =
        sections(&bytes).ok_or_else(|| format!("{} is no WebAssembly module", module.display()))?;
    if let Some(missing) = NEEDED.iter().find(|name| !sections.contains(*name)) {
        return Err(format!(
            "{} cannot be taken apart: it has no section `{missing}`. Link it with --emit-relocs (in build.rs: \
             cargo:rustc-link-arg=--emit-relocs), and without `strip` in its profile",
            module.display()
        ));
    }
    let rest = out.join(format!("{name}.wasm"));
    let main = format!("./{name}.js");
    let mut options = Options::new(&bytes);
    options.output_dir = out;
    options.main_out_path = &rest;
    options.main_module = &main;
    let cut = transform(options).map_err(|error| format!("{}: {error:#}", module.display()))?;
    Ok(cut.split_modules)
}

/// The names of a module's custom sections; nothing for what is no module.
fn sections(module: &[u8]) -> Option<Vec<&str>> {
    let mut rest = module.strip_prefix(b"\0asm\x01\0\0\0")?;
    let mut names = Vec::new();
    while let Some((kind, after)) = rest.split_first() {
        let (length, after) = number(after)?;
        let (section, after) = after.split_at_checked(length)?;
        if *kind == 0 {
            let (length, section) = number(section)?;
            names.push(std::str::from_utf8(section.get(..length)?).ok()?);
        }
        rest = after;
    }
    Some(names)
}

/// A number as modules write them: seven bits a byte, the lowest first.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        number |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(at + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn custom_sections_are_found_by_their_names() {
        assert_eq!(sections(EMPTY), Some(vec![]));
        // A section of types in between, and one of more than 127 bytes.
        let long = [b'x'; 200];
        let module = [
            EMPTY,
            b"\0\x05\x04name",
            b"\x01\x01\0",
            b"\0\xc9\x01\x00",
            &long,
        ]
        .concat();
        assert_eq!(sections(&module), Some(vec!["name", ""]));
        assert_eq!(sections(b"text"), None);
        assert_eq!(sections(b"\0asm\x01\0\0\0\0\x7f\x01a"), None);
    }

    #[test]
    fn a_module_that_does_not_tell_where_things_lie_is_refused() {
        let folder = std::env::temp_dir().join(format!("split-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for what is temporary");
        let module = folder.join("bare.wasm");
        fs::write(&module, EMPTY).expect("it can be written to");
        let error = cut(&module, &folder, "bare").expect_err("nothing can be cut");
        assert!(error.contains("--emit-relocs"), "{error}");
        let error = cut(&folder.join("none.wasm"), &folder, "none").expect_err("no file");
        assert!(error.contains("none.wasm"), "{error}");
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
