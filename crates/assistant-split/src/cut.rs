//! Splits a module at its split points.

use std::fs;
use std::path::{Path, PathBuf};

use wasm_split_cli_support::{Options, transform};
use wasmparser::{BinaryReaderError, Parser, Payload};

use crate::Outcome;

/// The file name of the splitter's script that fetches parts.
pub(crate) const LINK: &str = "__wasm_split.js";
/// The import that the glue contains if the module has a split point and was not split. No page can
/// load such a module.
pub(crate) const UNCUT: &str = "__wasm_split_placeholder__";
/// The custom sections with symbols and relocations, which the splitter requires.
const NEEDED: [&str; 2] = ["linking", "reloc.CODE"];

/// Splits a module: writes `NAME.wasm` and its parts into a folder, and returns the paths of the
/// parts. Fails if the module cannot be read or has no relocations.
pub(crate) fn split_module(module: &Path, out: &Path, name: &str) -> Outcome<Vec<PathBuf>> {
    let bytes = fs::read(module).map_err(|error| format!("{}: {error}", module.display()))?;
    let sections =
        custom_section_names(&bytes).map_err(|error| format!("{}: {error}", module.display()))?;
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

/// Returns the names of a module's custom sections.
fn custom_section_names(module: &[u8]) -> Result<Vec<&str>, BinaryReaderError> {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CustomSection(section) = payload? {
            names.push(section.name());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

    #[test]
    fn custom_sections_are_listed_by_name() {
        let found = |module: &[u8]| {
            custom_section_names(module)
                .map_err(|error| error.to_string())
                .map(|names| names.join(" "))
        };
        assert_eq!(found(EMPTY), Ok(String::new()));
        // With a type section in between, and a section of more than 127 bytes.
        let long = [b'x'; 200];
        let module = [
            EMPTY,
            b"\0\x05\x04name",
            b"\x01\x01\0",
            b"\0\xcd\x01\x04more",
            &long,
        ]
        .concat();
        assert_eq!(found(&module), Ok("name more".to_owned()));
        assert!(found(b"text").is_err());
        assert!(found(b"\0asm\x01\0\0\0\0\x7f\x01a").is_err());
    }

    #[test]
    fn a_module_without_relocations_is_refused() {
        let folder = std::env::temp_dir().join(format!("split-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for what is temporary");
        let module = folder.join("bare.wasm");
        fs::write(&module, EMPTY).expect("it can be written to");
        let error = split_module(&module, &folder, "bare").expect_err("nothing can be cut");
        assert!(error.contains("--emit-relocs"), "{error}");
        let error = split_module(&folder.join("none.wasm"), &folder, "none").expect_err("no file");
        assert!(error.contains("none.wasm"), "{error}");
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
