//! Lists the public surface of a crate as text, for `cargo xtask test --only lint`.
//!
//! `surface list FILE` prints the listing of a file that rustdoc has written as JSON. With other
//! arguments, the program runs rustdoc with unstable options enabled. cargo calls the program
//! through the variable `RUSTDOC`, because `RUSTC_BOOTSTRAP` for cargo itself would recompile all
//! dependencies.

use std::{
    env,
    ffi::OsString,
    io::{self, Write as _},
    process::{Command, ExitCode},
};

use public_api::{Builder, Error};

/// The advice for a file that the crate public-api cannot read.
const UNKNOWN_FORMAT: &str = ". The rustdoc of this Rust writes another format than public-api \
    reads: use the Rust that crates/surface/Cargo.toml names, or another version of public-api";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let done = match arguments.as_slice() {
        [list, file] if list == "list" => list_items(file),
        _ => return run_rustdoc(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let _ = writeln!(io::stderr(), "surface: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the items of a crate, one per line, without derived and automatic implementations and
/// builders of components.
fn list_items(file: &OsString) -> Result<(), String> {
    // Derived and automatic implementations follow from the types, and builders of components from
    // their properties.
    let api = Builder::from_rustdoc_json(file)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|error| {
            let advice = match error {
                Error::SerdeJsonError(_) => UNKNOWN_FORMAT,
                _ => "",
            };
            format!("{}: {error}{advice}", file.display())
        })?;
    let mut listing = String::new();
    for item in api.items() {
        let line = item.to_string();
        if !line.contains("PropsBuilder") {
            listing.push_str(&line);
            listing.push('\n');
        }
    }
    let mut output = io::stdout().lock();
    output
        .write_all(listing.as_bytes())
        .map_err(|error| error.to_string())
}

fn run_rustdoc(arguments: &[OsString]) -> ExitCode {
    let status = Command::new("rustdoc")
        .args(arguments)
        .env("RUSTC_BOOTSTRAP", "1")
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "surface: rustdoc cannot be started: {error}");
            ExitCode::FAILURE
        }
    }
}
