//! Replays operations on branched conversations and prints the results.
//!
//! ```text
//! cargo run -p conformance --example tree -- FILE…
//! ```
//!
//! A FILE is an object with a list `vectors`, such a list, or one vector: `{"id", "ops",
//! "expect"}`, as described in `fixtures/branched.json`. `-` is standard input. Prints one JSON
//! object per vector, one per line: `{"id", "ok", "observed"}`. The exit status is 0 unless the
//! arguments are invalid or a file cannot be read.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::{env, fs};

use assistant_testkit::replay::branches;
use serde_json::Value;

const USAGE: &str = "usage: tree FILE…   (- is standard input)";

fn main() -> ExitCode {
    match replay_files() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // The reader has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Replays the files and prints the results. Returns false if a file could not be read or the
/// arguments are invalid.
fn replay_files() -> io::Result<bool> {
    let files: Vec<String> = env::args().skip(1).collect();
    if files.is_empty() || files.iter().any(|file| file.starts_with("--")) {
        print_error(USAGE);
        return Ok(false);
    }
    let mut all_read = true;
    let mut out = io::stdout().lock();
    for file in &files {
        match read_vectors(file) {
            Ok(vectors) => {
                for vector in &vectors {
                    writeln!(out, "{}", branches::replay_vector(vector))?;
                }
            }
            Err(error) => {
                print_error(&format!("{file}: {error}"));
                all_read = false;
            }
        }
    }
    out.flush()?;
    Ok(all_read)
}

fn print_error(sentence: &str) {
    // Without standard error, the message is lost.
    let _ = writeln!(io::stderr(), "{sentence}");
}

fn read_vectors(file: &str) -> io::Result<Vec<Value>> {
    let mut bytes = Vec::new();
    if file == "-" {
        io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(file)?;
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let mut json: Value = serde_json::from_slice(text)?;
    let vectors = json.get_mut("vectors").map(Value::take);
    Ok(match vectors.unwrap_or(json) {
        Value::Array(vectors) => vectors,
        vector => vec![vector],
    })
}
