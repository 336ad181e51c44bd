//! Parses markdown with tool callouts and prints its chunks.
//!
//! ```text
//! cargo run -p conformance --example callouts -- [--split N] [--query TEXT] [--fences] FILE
//! ```
//!
//! `-` is standard input. Prints one JSON object: `chunks`, with texts joined, and their stream
//! `events`. `--split N` feeds the text in pieces of N characters, `--query TEXT` is the user's
//! message (it counts as usage), `--fences` also parses code fences whose first word is `tool`.
//! Problems of callouts are printed to standard error; the exit status is 0 unless the arguments
//! are invalid or the file cannot be read.

use std::error::Error;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::{env, fs};

use assistant_core::text::callout::{CalloutOptions, Chunk, Parser, create_stream_chunks};
use serde_json::{Value, json};

const USAGE: &str =
    "usage: callouts [--split N] [--query TEXT] [--fences] FILE   (- is standard input)";

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

fn run() -> Fallible<()> {
    let job = Arguments::parse(env::args().skip(1))?;
    let text = job.read_input()?;
    let chunks = job.parse_text(&text);
    let events = create_stream_chunks(&chunks, &job.query, &text);
    let chunks: Vec<Value> = chunks.iter().map(Chunk::to_json).collect();
    let events: Vec<Value> = events.iter().map(|event| event.to_json()).collect();
    let result = json!({"chunks": chunks, "events": events});
    match writeln!(io::stdout(), "{result}") {
        // The reader has closed the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

fn print_error(sentence: &str) {
    // Without standard error, the message is lost.
    let _ = writeln!(io::stderr(), "{sentence}");
}

/// The parsed command line.
#[derive(Default)]
struct Arguments {
    file: String,
    query: String,
    split: Option<usize>,
    options: CalloutOptions,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut job = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--split" => {
                    let count: usize = arguments.next().ok_or(USAGE)?.parse()?;
                    job.split = Some(count.max(1));
                }
                "--query" => job.query = arguments.next().ok_or(USAGE)?,
                "--fences" => job.options = job.options.with_fences(),
                flag if flag.starts_with("--") => return Err(USAGE.into()),
                _ if job.file.is_empty() => job.file = argument,
                _ => return Err(USAGE.into()),
            }
        }
        if job.file.is_empty() {
            return Err(USAGE.into());
        }
        Ok(job)
    }

    /// Reads the file or standard input. Invalid UTF-8 is replaced, as in stream decoders.
    fn read_input(&self) -> Fallible<String> {
        let mut bytes = Vec::new();
        if self.file == "-" {
            io::stdin().read_to_end(&mut bytes)?;
        } else {
            bytes = fs::read(&self.file).map_err(|error| format!("{}: {error}", self.file))?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn parse_text(&self, text: &str) -> Vec<Chunk> {
        let mut parser = Parser::new(self.options);
        let mut chunks = Vec::new();
        for piece in self.split_text(text) {
            chunks.extend(parser.push(&piece));
        }
        chunks.extend(parser.end());
        for diagnostic in parser.take_diagnostics() {
            print_error(diagnostic.message());
        }
        join_text_chunks(chunks)
    }

    fn split_text(&self, text: &str) -> Vec<String> {
        let Some(count) = self.split else {
            return vec![text.to_owned()];
        };
        let characters: Vec<char> = text.chars().collect();
        characters
            .chunks(count)
            .map(|piece| piece.iter().collect())
            .collect()
    }
}

/// Joins adjacent text chunks.
fn join_text_chunks(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut out: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match (out.last_mut(), chunk) {
            (Some(Chunk::Text(before)), Chunk::Text(text)) => before.push_str(&text),
            (_, chunk) => out.push(chunk),
        }
    }
    out
}
