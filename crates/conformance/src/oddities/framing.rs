//! Test cases with unusual framing of server-sent events.

use serde_json::json;

use crate::malformed::Case;

const START: &str = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
const TEXT: &str = r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","delta":"né 👩‍💻"}"#;
const END: &str = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#;

/// Returns a stream of a start frame, the given frame and an end frame.
fn surround_with_frames(frame: &str) -> String {
    format!("data: {START}\n\n{frame}data: {END}\n\n")
}

pub(super) fn cases() -> Vec<Case> {
    let frames = [
        ("as usual", format!("data: {TEXT}\n\n")),
        ("no space", format!("data:{TEXT}\n\n")),
        ("two spaces", format!("data:  {TEXT}\n\n")),
        ("a tab", format!("data:\t{TEXT}\n\n")),
        ("a space before the colon", format!("data : {TEXT}\n\n")),
        ("capitals", format!("DATA: {TEXT}\n\n")),
        ("indented", format!(" data: {TEXT}\n\n")),
        ("a comment", ": ping\n\n".to_owned()),
        ("a bare colon", ":\n\n".to_owned()),
        ("a comment in a frame", format!(": ping\ndata: {TEXT}\n: pong\n\n")),
        ("other fields", format!("event: x\nid: 1\nretry: 5\ndata: {TEXT}\nfuture: 1\n\n")),
        ("only other fields", "event: x\nid: 1\n\n".to_owned()),
        ("a line without a colon", format!("data\ndata: {TEXT}\n\n")),
        ("an unknown line", format!("hello\ndata: {TEXT}\n\n")),
        ("many blank lines", format!("\n\n\n\ndata: {TEXT}\n\n\n\n\n")),
        ("three newlines", format!("data: {TEXT}\n\n\n")),
        ("two lines", format!("data: {}\n\n", TEXT.replacen(',', ",\ndata: ", 1))),
        ("two lines around a comment", format!("data: {}\n\n", TEXT.replacen(',', ",\n: c\ndata: ", 1))),
        ("a string over two lines", format!("data: {}\n\n", TEXT.replacen("né", "n\ndata:é", 1))),
        ("an empty line of data", format!("data:\ndata: {TEXT}\ndata: \n\n")),
        ("no data", "data:\n\n".to_owned()),
        ("blank data", "data: \n\n".to_owned()),
        ("done", "data: [DONE]\n\n".to_owned()),
        ("not JSON", "data: hello\n\n".to_owned()),
        ("cut JSON", "data: {\"type\":\n\n".to_owned()),
        ("two objects in a frame", format!("data: {TEXT}{TEXT}\n\n")),
        ("two objects in two lines", format!("data: {TEXT}\ndata: {TEXT}\n\n")),
        ("null", "data: null\n\n".to_owned()),
        ("a number", "data: 7\n\n".to_owned()),
        ("a text", "data: \"x\"\n\n".to_owned()),
        ("a list", format!("data: [{TEXT}]\n\n")),
        ("an empty object", "data: {}\n\n".to_owned()),
        ("a number as type", "data: {\"type\":1}\n\n".to_owned()),
        ("no text as type", "data: {\"type\":\"\"}\n\n".to_owned()),
        ("spaces around", format!("data:   {TEXT}   \n\n")),
        ("a field twice", "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":1,\"messageId\":\"m\",\"delta\":\"x\"}\n\n".to_owned()),
        ("escapes", "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"\\u00e9\\ud83d\\ude00\\u0000\\/\"}\n\n".to_owned()),
        ("an escaped name", "data: {\"t\\u0079pe\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"x\"}\n\n".to_owned()),
        ("a raw control character", "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"\u{1}\"}\n\n".to_owned()),
        ("a line separator", "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"\u{2028}\u{85}\"}\n\n".to_owned()),
        ("a byte order mark", format!("\u{feff}data: {TEXT}\n\n")),
        ("a byte order mark in the data", format!("data: \u{feff}{TEXT}\n\n")),
        ("an infinite number", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":1e400}\n\n".to_owned()),
        ("a small number", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":[1e-400,-0,-0.0,1E2,0.1e1]}\n\n".to_owned()),
        ("a large number", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":[18446744073709551616,123456789012345678901234567890]}\n\n".to_owned()),
        ("a number with a zero", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":01}\n\n".to_owned()),
        ("no number", "data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":NaN}\n\n".to_owned()),
        ("a trailing comma", "data: {\"type\":\"RAW\",\"event\":[1,],}\n\n".to_owned()),
        ("depth", format!("data: {{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{}{}}}\n\n", "[".repeat(100), "]".repeat(100))),
        ("half a pair", "data: {\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m\",\"delta\":\"a\\ud83d\"}\n\n".to_owned()),
    ];
    let mut cases: Vec<Case> = Vec::new();
    for (name, frame) in &frames {
        cases.push(create_sse_case(name, surround_with_frames(frame)));
        let last = frame.trim_end_matches('\n');
        cases.push(create_sse_case(
            &format!("{name}, first"),
            format!("{frame}data: {START}\n\ndata: {END}\n\n"),
        ));
        for ending in ["", "\n"] {
            let text = format!("data: {START}\n\ndata: {END}\n\n{last}{ending}");
            cases.push(create_sse_case(
                &format!("{name}, last, ends with {ending:?}"),
                text,
            ));
        }
    }
    for (name, text) in [
        ("empty", String::new()),
        ("blank", "\n\n".to_owned()),
        ("a page", "<html>login</html>".to_owned()),
        (
            "the end without a newline",
            format!("data: {START}\n\ndata: {END}"),
        ),
        (
            "the end without a blank line",
            format!("data: {START}\n\ndata: {END}\n"),
        ),
        (
            "a mark at the start",
            format!("\u{feff}data: {START}\n\ndata: {END}\n\n"),
        ),
        ("a mark alone", "\u{feff}\n\n".to_owned()),
        (
            "a mark before a comment",
            format!("\u{feff}: c\n\ndata: {START}\n\ndata: {END}\n\n"),
        ),
    ] {
        cases.push(create_sse_case(name, text));
    }
    cases
}

fn create_sse_case(name: &str, text: String) -> Case {
    Case {
        name: format!("frames: {name}"),
        case: json!({"rawSse": text, "input": null}),
    }
}
