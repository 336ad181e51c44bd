//! Tests of the reader of a whole response: the result does not depend on how the bytes are split,
//! and a truncated response is not a violation.

use assistant_core::limits::Limits;
use assistant_protocols::agui::{FinishedResponse, Reader, Sink};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// The output of a reader, in order.
#[derive(Debug, Default, PartialEq)]
struct Log {
    events: Vec<Event>,
    /// The codes of the diagnostics, each with the number of events before it.
    notes: Vec<(usize, &'static str)>,
}

impl Sink for Log {
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.notes.push((self.events.len(), diagnostic.code()));
    }
}

fn read_with<'a>(
    mut reader: Reader,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Log, FinishedResponse) {
    let mut log = Log::default();
    for piece in pieces {
        reader.push(piece, &mut log);
    }
    let ending = reader.finish(&mut log);
    (log, ending)
}

fn read<'a>(strict: bool, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Log, FinishedResponse) {
    read_with(Reader::new(decoder_options(strict)), pieces)
}

fn read_text(text: &str) -> (Log, FinishedResponse) {
    read(false, [text.as_bytes()])
}

fn write_frame(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn run_started_frame() -> String {
    write_frame(&json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}))
}

fn run_finished_frame() -> String {
    write_frame(&json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}))
}

fn text_frame(delta: &str) -> String {
    write_frame(&json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": delta}))
}

fn read_recordings() -> Vec<Vec<u8>> {
    let files = list_files("agui-captures", ".sse");
    files.iter().map(|path| fs::read(path).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn events_do_not_depend_on_how_the_bytes_are_split(
        cuts in vec(any::<prop::sample::Index>(), 0..40),
        which in any::<prop::sample::Index>(),
        end in any::<prop::sample::Index>(),
        strict in any::<bool>(),
    ) {
        let recordings = read_recordings();
        let bytes = &recordings[which.index(recordings.len())];
        let bytes = &bytes[..=end.index(bytes.len())];
        let whole = read(strict, [bytes]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(&read(strict, pieces), &whole);
        prop_assert_eq!(&read(strict, bytes.chunks(1)), &whole);
        prop_assert_ne!(whole.1.end, End::Failed, "where a response ends breaks no rule");
    }
}

#[test]
fn a_response_that_ends_in_the_middle_of_a_frame_is_truncated() {
    let head = run_started_frame() + &text_frame("So far");
    let last = text_frame("né 👩‍💻")
        .replace("né", r"n\u00e9 \ud83d\ude00 \ud83d")
        .replace("}", r#","timestamp":-1.5e3,"a":[true,null,{}]}"#);
    for strict in [true, false] {
        // Only the blank line is missing, so the frame is complete.
        for cut in 1..=last.len() - 3 {
            let (log, ending) = read(strict, [head.as_bytes(), &last.as_bytes()[..cut]]);
            assert_eq!((ending.end, ending.error), (End::Truncated, None), "{cut}");
            assert!(ending.mid_frame, "{cut}");
            // The chunk's start and its first words.
            assert_eq!(log.events.len(), 3, "{cut}");
            assert_eq!(log.notes, [(3, "cut-frame")], "{cut}");
        }
    }
}

#[test]
fn a_last_frame_without_its_blank_line_is_read() {
    for end in ["", "\n", "\r", "\r\n"] {
        let text = run_started_frame() + run_finished_frame().trim_end() + end;
        let (log, ending) = read_text(&text);
        assert_eq!((log.events.len(), log.notes), (2, vec![]));
        assert_eq!((ending.end, ending.mid_frame), (End::Complete, false));
    }
    let half = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"\ud83d"}"#;
    let (log, ending) = read_text(&format!("{}data: {half}", run_started_frame()));
    assert_eq!(log.events.len(), 4, "a lone surrogate is no cut");
    assert!(!ending.mid_frame);
    let (log, ending) = read_text(&format!(
        "{}data: [DONE]",
        run_started_frame() + &run_finished_frame()
    ));
    assert_eq!(log.notes, [(2, "done-mark")]);
    assert_eq!((ending.end, ending.mid_frame), (End::Complete, false));
}

#[test]
fn a_cut_frame_after_run_finished_leaves_the_run_complete() {
    let text = run_started_frame() + &run_finished_frame() + "data: {\"type\":\"RUN_ST";
    let (log, ending) = read_text(&text);
    assert_eq!(log.events.len(), 2);
    assert_eq!((ending.end, ending.mid_frame), (End::Complete, true));
    let (log, ending) = read_text(&(run_started_frame() + &run_finished_frame() + ": bye"));
    assert_eq!(log.notes, []);
    assert!(!ending.mid_frame, "a comment is no frame");
}

#[test]
fn an_invalid_last_frame_without_a_blank_line_fails_the_stream() {
    for (data, code) in [
        ("oops", "invalid-json"),
        (r#"{"type":"RUN_STARTED",}"#, "invalid-json"),
        ("[]", "invalid-frame"),
        ("{}", "invalid-frame"),
        (r#"{"type":"TEXT_MESSAGE_START"}"#, "malformed"),
    ] {
        let (_, ending) = read_text(&format!("{}data: {data}", run_started_frame()));
        assert_eq!(ending.end, End::Failed, "{data}");
        assert_eq!(ending.error.unwrap().code(), code, "{data}");
        assert!(!ending.mid_frame, "{data}");
    }
    let (_, ending) = read_text(&format!("{}data: oops\n\n", run_started_frame()));
    assert_eq!(ending.error.unwrap().code(), "invalid-json");
}

#[test]
fn events_before_a_failure_are_kept_and_later_ones_ignored() {
    let text = run_started_frame() + "data: oops\n\n" + &text_frame("late");
    let mut log = Log::default();
    let mut reader = Reader::new(DecoderOptions::default());
    reader.push(text.as_bytes(), &mut log);
    assert!(reader.has_failed());
    reader.push(text_frame("later").as_bytes(), &mut log);
    reader.push_value(json!({"type": "RUN_ERROR", "message": "x"}), &mut log);
    reader.fail(ProtocolError::new("caller", "too late"));
    let ending = reader.finish(&mut log);
    assert_eq!(log.events.len(), 1);
    assert_eq!(ending.error.unwrap().code(), "invalid-json");
}

#[test]
fn an_oversized_frame_fails_and_flushes_held_text() {
    let held = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"a\ud83d"}"#;
    let text = format!(
        "{}data: {held}\n\ndata: {}",
        run_started_frame(),
        "x".repeat(300)
    );
    let limits = Limits::default().with_event_bytes(200);
    let reader = Reader::new(DecoderOptions::default()).with_limits(&limits);
    let (log, ending) = read_with(reader, [text.as_bytes()]);
    assert_eq!(ending.end, End::Failed);
    assert_eq!(ending.error.unwrap().code(), "event-limit");
    let Some(EventKind::TextMessageContent { delta, .. }) =
        log.events.last().map(|event| &event.kind)
    else {
        panic!("{log:?}")
    };
    assert!(delta.ends_with('\u{fffd}'), "{delta:?}");
}

#[test]
fn diagnostics_of_a_frame_precede_its_events() {
    let note = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"x","name":null}"#;
    let (log, _) = read_text(&format!(
        "{}data: {note}\n\n{}",
        run_started_frame(),
        run_finished_frame()
    ));
    assert_eq!(log.notes, [(1, "null-optional")]);
}

/// Checks that a deeply nested frame ends the stream with an error instead of overflowing the
/// stack.
#[test]
fn a_too_deeply_nested_frame_is_invalid_json() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for depth in [200, 100_000] {
            let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            let frame = format!("data: {{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{deep}}}\n\n");
            let (log, ending) = read_text(&format!(
                "{}{frame}{}",
                run_started_frame(),
                run_finished_frame()
            ));
            assert_eq!(log.events.len(), 1);
            assert_eq!(ending.end, End::Failed);
            let error = ending.error.unwrap();
            assert_eq!(error.code(), "invalid-json");
            assert!(error.message().contains("recursion limit"), "{error:?}");
        }
    }
}

#[test]
fn an_html_page_or_json_document_is_not_a_stream() {
    let page = "<!doctype html><title>Sign in</title>";
    let bodies = [
        (page, "a page (HTML)"),
        ("\u{feff}\r\n <html>", "a page (HTML)"),
        (
            r#"{"error": {"message": "No credit left"}}"#,
            "No credit left",
        ),
        (r#"[{"type": "RUN_STARTED"}]"#, "a JSON document"),
    ];
    for (body, expected) in bodies {
        for strict in [false, true] {
            for pieces in [vec![body.as_bytes()], body.as_bytes().chunks(1).collect()] {
                let (log, ending) = read(strict, pieces);
                assert_eq!(log, Log::default(), "{body}");
                assert_eq!(ending.end, End::Failed, "{body}");
                let error = ending.error.unwrap();
                assert_eq!(error.code(), "not-a-stream", "{body}");
                assert!(error.to_string().contains(expected), "{body}: {error}");
            }
        }
    }
}
