//! Runs the reference client in a process, to which cases are sent through a pipe.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/reference");

/// The reference client in a separate process.
pub struct Reference {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Reference {
    pub fn start() -> Option<Self> {
        if !Path::new(FOLDER)
            .join("node_modules/@ag-ui/client")
            .is_dir()
        {
            let required = std::env::var_os("AGUI_REFERENCE").is_some();
            assert!(
                !required,
                "the reference client is not installed in {FOLDER}"
            );
            eprintln!("not compared: `npm ci` in {FOLDER} installs the reference client");
            return None;
        }
        let mut process = Command::new("node")
            .arg("reference.mjs")
            .current_dir(FOLDER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs");
        let input = process.stdin.take().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        Some(Self {
            process,
            input,
            output,
        })
    }

    pub fn play(&mut self, case: &Value) -> Value {
        writeln!(self.input, "{case}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("the reference client answers")
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
