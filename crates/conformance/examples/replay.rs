//! Replays recorded streams and prints the resulting conversation.
//!
//! ```text
//! cargo run -p conformance --example replay -- [--protocol NAME] [--strict] [--each] FILE…
//! ```
//!
//! The protocol is `ag-ui` by default. With `ui-stream` a FILE may also be a list of cases in the
//! form of `fixtures/ui_message_stream.json`; the output then has one line for each case, `{"name",
//! "message"}`, with the message as the AI SDK's `UIMessage`. The rest applies to `ag-ui`.
//!
//! A FILE is a captured `.sse`, or a `.json`: a list of events, or an object with `stream` (such a
//! list) or `rawSse`, and optionally `input` (messages, state, resume, pendingInterrupts). `-` is
//! standard input, which is JSON if it starts with `{` or `[`. Several files are runs of one
//! conversation; with `--each` every file is separate. `--strict` rejects the deviations from AG-UI
//! 1.0 that are otherwise tolerated. Prints one JSON object per file, one per line; the exit status
//! is 0 unless the arguments are invalid or a file cannot be read.

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs};

use assistant_protocols::agui::DecoderOptions;
use assistant_protocols::completions::{Reader, ResponseParams};
use assistant_testkit::replay::{Replay, ReplayInput, Report, ui_stream};
use serde_json::Value;

/// The byte order mark of UTF-8, which some editors write at the start of a file.
const BOM: &[u8] = b"\xEF\xBB\xBF";

const USAGE: &str = "usage: replay [--protocol ag-ui|ui-stream|completions] [--strict] [--each] FILE…   (- is standard input)";

type Fallible<T> = Result<T, Box<dyn Error>>;

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

/// The arguments of the command line: the files, and the options for reading them.
#[derive(Default)]
struct Args {
    protocol: Protocol,
    strict: bool,
    each: bool,
    files: Vec<String>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    #[default]
    AgUi,
    UiStream,
    Completions,
}

impl Args {
    fn parse(given: impl Iterator<Item = String>) -> Option<Self> {
        let mut args = Self::default();
        let mut given = given.peekable();
        while let Some(argument) = given.next() {
            let (flag, value) = match argument.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => (argument.as_str(), None),
            };
            match flag {
                "--strict" => args.strict = true,
                "--each" => args.each = true,
                "--protocol" => {
                    args.protocol = match value.or_else(|| given.next())?.as_str() {
                        "ag-ui" => Protocol::AgUi,
                        "ui-stream" => Protocol::UiStream,
                        "completions" => Protocol::Completions,
                        _ => return None,
                    }
                }
                flag if flag.starts_with("--") => return None,
                _ => args.files.push(argument),
            }
        }
        (!args.files.is_empty()).then_some(args)
    }
}

/// Replays the files and prints the reports. Returns false if a file could not be read or the
/// arguments are invalid.
fn replay_files() -> io::Result<bool> {
    let Some(args) = Args::parse(env::args().skip(1)) else {
        print_error(USAGE);
        return Ok(false);
    };
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = since_1970.map_or(0, |passed| {
        i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
    });
    let mut replay = Replay::new().with_time(now);
    let mut all_read = true;
    let mut out = io::stdout().lock();
    for file in &args.files {
        if args.each {
            replay = Replay::new().with_time(now);
        }
        let played = match args.protocol {
            Protocol::AgUi => replay_agui(file, args.strict, &mut replay),
            Protocol::UiStream => replay_ui_stream(file, &mut replay),
            Protocol::Completions => replay_completions(file, &mut replay),
        };
        match played {
            Ok(lines) => {
                for line in lines {
                    writeln!(out, "{line}")?;
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

fn replay_agui(file: &str, strict: bool, replay: &mut Replay) -> Fallible<Vec<Value>> {
    let options = match strict {
        true => DecoderOptions::strict(),
        false => DecoderOptions::default(),
    };
    let report = Recording::read(file)?.replay(replay, options);
    Ok(vec![report.to_json()])
}

fn replay_ui_stream(file: &str, replay: &mut Replay) -> Fallible<Vec<Value>> {
    let bytes = read_bytes(file)?;
    if is_json(file, &bytes) {
        let mut json: Value = serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(&bytes))?;
        let cases = json.get_mut("vectors").map(Value::take).unwrap_or(json);
        return Ok(match cases {
            Value::Array(cases) => cases.iter().map(ui_stream::replay_case).collect(),
            case => vec![ui_stream::replay_case(&case)],
        });
    }
    let (report, message) = ui_stream::replay_response(replay, &bytes);
    let mut line = report.to_json();
    if let Value::Object(line) = &mut line {
        line.insert("message".to_owned(), message);
    }
    Ok(vec![line])
}

fn replay_completions(file: &str, replay: &mut Replay) -> Fallible<Vec<Value>> {
    let bytes = read_bytes(file)?;
    let reader = Box::new(Reader::new(ResponseParams::default()));
    Ok(vec![replay.read(reader, &bytes).to_json()])
}

fn print_error(sentence: &str) {
    // Without standard error, the message is lost.
    let _ = writeln!(io::stderr(), "{sentence}");
}

fn read_bytes(file: &str) -> io::Result<Vec<u8>> {
    if file != "-" {
        return fs::read(file);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns true if a file contains JSON, by its extension; for standard input, by its first
/// character.
fn is_json(file: &str, bytes: &[u8]) -> bool {
    if file == "-" {
        let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
        return matches!(text.trim_ascii_start(), [b'{' | b'[', ..]);
    }
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// The contents of a file.
struct Recording {
    input: Option<Value>,
    body: RecordingBody,
}

enum RecordingBody {
    Sse(Vec<u8>),
    Events(Vec<Value>),
}

impl Recording {
    fn read(file: &str) -> Fallible<Self> {
        let bytes = read_bytes(file)?;
        let text = bytes.strip_prefix(BOM).unwrap_or(&bytes);
        if is_json(file, &bytes) {
            return Self::from_json(serde_json::from_slice(text)?);
        }
        Ok(Self {
            input: None,
            body: RecordingBody::Sse(bytes),
        })
    }

    fn from_json(mut json: Value) -> Fallible<Self> {
        if let Value::Array(events) = json {
            return Ok(Self {
                input: None,
                body: RecordingBody::Events(events),
            });
        }
        let mut take = |key: &str| json.get_mut(key).map(Value::take).unwrap_or_default();
        let body = match (take("rawSse"), take("stream")) {
            (Value::String(text), _) => RecordingBody::Sse(text.into_bytes()),
            (_, Value::Array(events)) => RecordingBody::Events(events),
            _ => return Err("neither a list 'stream' nor a text 'rawSse' in it".into()),
        };
        let input = Some(take("input")).filter(|input| !input.is_null());
        Ok(Self { input, body })
    }

    fn replay(self, replay: &mut Replay, options: DecoderOptions) -> Report {
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
            RecordingBody::Sse(bytes) => stream.push_bytes(&bytes),
            RecordingBody::Events(events) => {
                for event in events {
                    stream.push_value(event);
                }
            }
        }
        stream.finish()
    }
}
