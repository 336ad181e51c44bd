//! Plays recorded AG-UI streams and prints what the conversation becomes.
//!
//! ```text
//! cargo run -p assistant-core --example replay -- [--strict] [--each] FILE…
//! ```
//!
//! A FILE is a captured `.sse`, or a `.json`: a list of events, or an object with `stream` (such a
//! list) or `rawSse`, and optionally `input` (messages, state, resume, pendingInterrupts). `-` is
//! standard input; it is JSON if it starts with `{` or `[`. Several files are runs of one conversation; with `--each` every file
//! stands alone. `--strict` holds the agent to the letter of AG-UI 1.0. One JSON object a file, one
//! a line; the exit status is 0 unless a file cannot be read.

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use assistant_core::replay::{Replay, ReplayInput, Report};
use assistant_core::wire::agui::DecoderOptions;
use serde_json::Value;

/// What some editors put before a text.
const BOM: &[u8] = b"\xEF\xBB\xBF";

const USAGE: &str = "usage: replay [--strict] [--each] FILE…   (- is standard input)";

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // Nobody reads on.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Whether all files could be read.
fn run() -> io::Result<bool> {
    let (flags, files): (Vec<String>, Vec<String>) = env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    let known = |flag: &String| matches!(flag.as_str(), "--strict" | "--each");
    if files.is_empty() || !flags.iter().all(known) {
        complain(USAGE);
        return Ok(false);
    }
    let has = |name: &str| flags.iter().any(|flag| flag == name);
    let options = if has("--strict") {
        DecoderOptions::strict()
    } else {
        DecoderOptions::default()
    };
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since_1970.map_or(0, |passed| {
        i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
    });
    let mut replay = Replay::new().at(now);
    let mut all_read = true;
    let mut out = io::stdout().lock();
    for file in &files {
        if has("--each") {
            replay = Replay::new().at(now);
        }
        match Recording::read(file) {
            Ok(recording) => {
                let report = recording.play(&mut replay, options);
                writeln!(out, "{}", report.to_json())?;
            }
            Err(error) => {
                complain(&format!("{file}: {error}"));
                all_read = false;
            }
        }
    }
    out.flush()?;
    Ok(all_read)
}

fn complain(sentence: &str) {
    // Where there is no standard error, there is nobody to tell.
    let _ = writeln!(io::stderr(), "{sentence}");
}

/// What a file holds.
struct Recording {
    input: Option<Value>,
    body: Body,
}

enum Body {
    Sse(Vec<u8>),
    Events(Vec<Value>),
}

impl Recording {
    fn read(file: &str) -> Fallible<Self> {
        let mut bytes = Vec::new();
        if file == "-" {
            io::stdin().read_to_end(&mut bytes)?;
        } else {
            bytes = fs::read(file)?;
        }
        let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
        let is_json = match file {
            "-" => matches!(text.trim_ascii_start(), [b'{' | b'[', ..]),
            file => Path::new(file)
                .extension()
                .is_some_and(|ending| ending.eq_ignore_ascii_case("json")),
        };
        if is_json {
            return Self::from_json(serde_json::from_slice(text)?);
        }
        Ok(Self {
            input: None,
            body: Body::Sse(bytes),
        })
    }

    fn from_json(mut json: Value) -> Fallible<Self> {
        if let Value::Array(events) = json {
            return Ok(Self {
                input: None,
                body: Body::Events(events),
            });
        }
        let mut take = |key: &str| json.get_mut(key).map(Value::take).unwrap_or_default();
        let body = match (take("rawSse"), take("stream")) {
            (Value::String(text), _) => Body::Sse(text.into_bytes()),
            (_, Value::Array(events)) => Body::Events(events),
            _ => return Err("neither a list 'stream' nor a text 'rawSse' in it".into()),
        };
        let input = Some(take("input")).filter(|input| !input.is_null());
        Ok(Self { input, body })
    }

    fn play(self, replay: &mut Replay, options: DecoderOptions) -> Report {
        let (input, refusal) = match self.input.map(ReplayInput::from_json) {
            None => (ReplayInput::default(), None),
            Some(Ok(input)) => (input, None),
            // Such a request is never sent.
            Some(Err(error)) => (ReplayInput::default(), Some(error)),
        };
        let mut stream = replay.stream(input, options);
        if let Some(error) = refusal {
            stream.fail(error);
        }
        match self.body {
            Body::Sse(bytes) => stream.push_bytes(&bytes),
            Body::Events(events) => {
                for event in events {
                    stream.push_value(event);
                }
            }
        }
        stream.finish()
    }
}
