//! Rules that the vectors do not cover, or only in part.

use assistant_core::text::callout::{CalloutOptions, Chunk, Parser, parse_with};
use serde_json::json;

use super::{calls, read_pieces};

fn ids(text: &str) -> Vec<String> {
    let calls = calls(text);
    calls.iter().map(|call| call.id().to_owned()).collect()
}

fn header(args: &str) -> (String, String) {
    let call = calls(&format!("> [!tool {args}]")).remove(0);
    (call.name().to_owned(), call.id().to_owned())
}

#[test]
fn headers_give_the_name_and_id_of_the_call() {
    let named = |name: &str, id: &str| (name.to_owned(), id.to_owned());
    assert_eq!(
        header("name=\"two words\" id='a b'"),
        named("two words", "a b")
    );
    assert_eq!(header("name=\"open id=b"), named("\"open", "b"));
    assert_eq!(header("name='a'b id=''"), named("'a'b", "tool-call-1"));
    assert_eq!(header("name= id= a b c"), named("a", "b"));
    assert_eq!(header("id=x a b"), header("a b id=x"));
    assert_eq!(header("a name=x id=y"), named("x", "y"));
    assert_eq!(header("name=x name=y =z ="), named("x", "tool-call-1"));
    assert_eq!(header("\t a\tb\t"), named("a", "b"));
}

#[test]
fn lines_that_resemble_headers_are_text() {
    for text in [
        "> [!tools]",
        "> [!tool a] b",
        ">  [!tool a]",
        ">\t[!tool a]",
        "> > [!tool a]",
        ">> [!tool a]",
        "* > [!tool a]",
        "1. > [!tool a]",
        "> \\[!tool a]",
        "    > [!tool a]",
        "x > [!tool a]",
        "> [!tool a",
        "> [!tool\na]",
        "\u{feff}> [!tool a]",
    ] {
        assert_eq!(ids(text), [""; 0], "{text}");
    }
}

#[test]
fn callouts_inside_code_fences_are_text() {
    for text in [
        "```\n> [!tool a]\n```",
        "````\n```\n> [!tool a]\n````",
        "```\n~~~\n> [!tool a]\n```",
        "   ~~~ sh `\n> [!tool a]\n~~~~  ",
        "> ```\n> [!tool a]\n> ```",
        "- ```sh\n  > [!tool a]\n  ```",
        "1) ~~~\n\n   > [!tool a]\n",
        "``` x\n    ```\n> [!tool a]\n``` x\n> [!tool a]",
    ] {
        assert_eq!(ids(text), [""; 0], "{text}");
    }
    for text in [
        "```\n```\n> [!tool a]",
        "`` `\n> [!tool a]",
        "``` a ` b\n> [!tool a]",
        "    ```\n> [!tool a]",
        "```\r\n```\r\n> [!tool a]\r\n",
        "> ```\n\n> [!tool a]",
        "> ```\n> ```\n> [!tool a]",
        "- ```sh\n  ls\n  ```\n> [!tool a]",
        "- ```sh\n  ls\n> [!tool a]",
        "12. ```\n    ls\n    ```\n\n> [!tool a]",
        "-     ```\n> [!tool a]",
    ] {
        assert_eq!(ids(text), ["tool-call-1"], "{text}");
    }
}

#[test]
fn a_callout_ends_with_its_block_quote() {
    let text = "> [!tool a]\n> output: 1\n>\n> x: 2\n>\ty: 3\n   > z: 4\n\n> not: it";
    let chunks = parse_with(text, CalloutOptions::default());
    let [Chunk::Tool(call), Chunk::Text(rest)] = &*chunks else {
        panic!("{chunks:?}");
    };
    assert_eq!(call.output(), Some(&json!(1)));
    assert_eq!(json!(call.extra()), json!({"x": 2, "y": 3, "z": 4}));
    assert_eq!(rest, "\n\n> not: it");
    assert_eq!(format!("{}{rest}", call.source()), text);
}

#[test]
fn crlf_line_endings_are_part_of_their_lines() {
    let chunks = parse_with(
        "a\r\n> [!tool a]\r\n> output: |\r\n>   x\r\n>   y\r\nb",
        CalloutOptions::default(),
    );
    let [Chunk::Text(before), Chunk::Tool(call), Chunk::Text(after)] = &*chunks else {
        panic!("{chunks:?}");
    };
    assert_eq!((before.as_str(), after.as_str()), ("a\r\n", "\nb"));
    assert_eq!(call.output(), Some(&json!("x\ny\n")));
}

#[test]
fn scalars_follow_the_yaml_core_schema() {
    let body = "> [!tool a]\n> input: [~, Null, TRUE, no, 012, +5, 0o17, 0x1F, .5, 1., 1e2, 18446744073709551615, \
                1_000, 0b1, .nan, 2001-01-01, '1', !!str 1, !!float 1, ! 2, !!int 3, <<, =, \
                !<tag:yaml.org,2002:str> 4]";
    let expected = json!([
        null,
        null,
        true,
        "no",
        12,
        5,
        15,
        31,
        0.5,
        1.0,
        100.0,
        18446744073709551615_u64,
        "1_000",
        "0b1",
        null,
        "2001-01-01",
        "1",
        "1",
        1.0,
        "2",
        3,
        "<<",
        "=",
        "4"
    ]);
    assert_eq!(calls(body).remove(0).input(), Some(&expected));
    for bad in [
        "!!int x",
        "!!null 1",
        "!!binary aGk=",
        "!local 1",
        "!!set {a}",
        "!<tag:x> 1",
        "!!map [1]",
    ] {
        assert_eq!(
            ids(&format!("> [!tool a]\n> input: {bad}")),
            [""; 0],
            "{bad}"
        );
    }
}

/// Arguments that were written as JSON in ASCII, as Python does.
#[test]
fn surrogate_pairs_of_json_are_characters() {
    let inputs = [
        (r#""a \ud83d\ude00 b""#, json!("a 😀 b")),
        (
            r#"{"x": "\uD83D\uDE00\u00e9\ud83d\ude00"}"#,
            json!({"x": "😀é😀"}),
        ),
        // The escaped backslash begins no escape, and plain text has none.
        (
            r#"["\\ud83d\\ude00", "\ud83d\ude00"]"#,
            json!(["\\ud83d\\ude00", "😀"]),
        ),
        (r"\ud83d\ude00", json!(r"\ud83d\ude00")),
    ];
    for (written, expected) in inputs {
        let body = format!("> [!tool a]\n> input: {written}");
        assert_eq!(calls(&body).remove(0).input(), Some(&expected), "{written}");
    }
    for lone in [r#""\ud83d""#, r#""\ude00\ud83d""#, r#""\ud83dx""#] {
        let body = format!("> [!tool a]\n> input: {lone}");
        assert_eq!(ids(&body), [""; 0], "{lone}");
    }
}

#[test]
fn bodies_that_are_not_a_mapping_are_text() {
    for bad in [
        "- a",
        "text",
        "42",
        "null",
        "a: 1\n> a: 2",
        "input: {x: 1, x: 2}",
        "a: 1\n> ---\n> b: 2",
        "a: 1\n> ...\n> b",
        "? [a]\n> : 1",
        "? {a: 1}\n> : 1",
        "\"a",
        "a: b: c",
        "a:\n>\t\t- b",
        "}",
        "@a",
    ] {
        assert_eq!(ids(&format!("> [!tool a]\n> {bad}")), [""; 0], "{bad}");
    }
    for good in [
        "---\n> a: 1",
        "# nothing",
        "",
        "   ",
        "a: 1\n> ...",
        "1: a\n> true: b\n> ~: c",
    ] {
        assert_eq!(
            ids(&format!("> [!tool a]\n> {good}")),
            ["tool-call-1"],
            "{good}"
        );
    }
    let call = calls("> [!tool a]\n> 1: a\n> true: b\n> ~: c").remove(0);
    assert_eq!(
        json!(call.extra()),
        json!({"1": "a", "true": "b", "~": "c"})
    );
}

#[test]
fn the_first_nonblank_alias_of_a_field_is_used() {
    let call = calls("> [!tool]\n> errorText: ' '\n> error_text: null\n> error: [1, x]\n> id: '  '\n> toolCall: 7\n> name: [a]\n> tool: t").remove(0);
    assert_eq!((call.id(), call.name()), ("7", "t"));
    assert_eq!(call.error_text(), Some("[1,\"x\"]"));
    assert!(call.extra().is_empty());
    assert_eq!(
        calls("> [!tool]\n> error: false").remove(0).error_text(),
        None
    );
    assert_eq!(
        calls("> [!tool]\n> error: 500").remove(0).error_text(),
        Some("500")
    );
    for field in ["errorText", "error_text", "error"] {
        let call = calls(&format!("> [!tool]\n> {field}: true\n> output: 1")).remove(0);
        assert_eq!(call.error_text(), Some("true"), "{field}");
    }
    assert_eq!(ids("> [!tool]\n> id: 1.5"), ["tool-call-1"]);
}

#[test]
fn generated_ids_avoid_earlier_ids_and_count_every_callout() {
    let text = "> [!tool a tool-call-2]\n> [!tool b]\n> [!tool c]\n> - bad\n> [!tool d]\n> [!tool e tool-call-6]\n\
                > [!tool f]\n> [!tool g tool-call-6-2]\n";
    assert_eq!(
        ids(text),
        [
            "tool-call-2",
            "tool-call-2-2",
            "tool-call-4",
            "tool-call-6",
            "tool-call-6-2",
            "tool-call-6-2"
        ]
    );
}

#[test]
fn malformed_callouts_are_reported_as_diagnostics() {
    let mut parser = Parser::new(CalloutOptions::default());
    let mut chunks = parser.push("> [!tool a]\n> state: done\n> [!tool b]\n> x: 1\n> x: 2\n\n");
    chunks.extend(parser.end());
    let diagnostics = parser.take_diagnostics();
    let codes: Vec<&str> = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code())
        .collect();
    assert_eq!(codes, ["unknown-state", "callout-is-text"]);
    assert!(
        diagnostics[0].message().contains("'done'"),
        "{}",
        diagnostics[0].message()
    );
    assert!(
        diagnostics[1].message().contains("'x'"),
        "{}",
        diagnostics[1].message()
    );
    // The following text is a new one.
    assert_eq!(
        parser.push("> [!tool]\n."),
        read_pieces(["> [!tool]\n."], CalloutOptions::default())
    );
}

/// The same call in the three dialects.
const DIALECTS: [&str; 3] = [
    "> [!tool search call_123]\n> state: output-available\n> input:\n>   query: cats",
    "```tool search call_123\nstate: output-available\ninput:\n  query: cats\n```",
    "~~~ Tool\n{\"toolCallId\": \"call_123\", \"toolName\": \"search\",\n \"state\": \"output-available\", \"input\": {\"query\": \"cats\"}}\n~~~~",
];

#[test]
fn tool_fences_are_callouts_when_enabled() {
    let options = CalloutOptions::default().with_fences();
    let read = |text: &str| {
        let chunks = read_pieces([text], options);
        chunks.iter().map(Chunk::to_json).collect::<Vec<_>>()
    };
    let wanted = read(&format!("Before\n\n{}\n\nafter", DIALECTS[0]));
    for dialect in DIALECTS {
        let text = format!("Before\n\n{dialect}\n\nafter");
        assert_eq!(read(&text), wanted, "{text}");
        let without = read_pieces([&*text], CalloutOptions::default());
        assert_eq!(without.len(), if dialect == DIALECTS[0] { 3 } else { 1 });
        // A callout without an end extends to the end of the text.
        assert_eq!(read(dialect), read(dialect.trim_end_matches(['`', '~'])));
    }
    for text in [
        "```toolbox\n```",
        "```tool a ` b\n```",
        "```tool\n- a\n```",
        "````\n```tool a\n```\n````",
    ] {
        assert_eq!(
            read(text),
            [json!({"type": "text", "value": text})],
            "{text}"
        );
    }
    assert_eq!(read("> [!tool a b]\n```tool c d\n```").len(), 3);
}

#[test]
fn only_a_possible_header_is_held_back() {
    let mut parser = Parser::new(CalloutOptions::default());
    let mut shown = String::new();
    let mut push = |delta: &str| {
        for chunk in parser.push(delta) {
            shown.push_str(chunk.source());
        }
        std::mem::take(&mut shown)
    };
    assert_eq!(push("a "), "a ");
    assert_eq!(push("> [!tool"), "> [!tool");
    assert_eq!(push("\n  "), "\n");
    assert_eq!(push(" "), "");
    assert_eq!(push(" "), "    ");
    assert_eq!(push("\n> q"), "\n> q");
    assert_eq!(push("\n>"), "\n");
    assert_eq!(push("\n"), ">\n");
    assert_eq!(push("```\n  > [!tool a]"), "```\n  > [!tool a]");
    assert_eq!(push("\n```"), "\n```");
    assert_eq!(push("\n> [!tool a]\r"), "\n");
    assert_eq!(push("x"), "> [!tool a]\rx");
}
