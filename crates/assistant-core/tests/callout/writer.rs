//! Written callouts parse back to the same call.

use assistant_core::text::callout::{
    Callout, CalloutOptions, CalloutState, Chunk, parse_with, write,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::cases;

/// Returns all fields of a call except for its source.
fn fields(call: &Callout) -> impl PartialEq + std::fmt::Debug {
    (
        (call.ordinal(), call.id(), call.has_own_id(), call.name()),
        (call.state(), call.input(), call.output()),
        (call.error_text(), call.extra()),
    )
}

/// Sets a field of a call if there is a value for it.
fn set<T>(call: Callout, value: Option<T>, with: fn(Callout, T) -> Callout) -> Callout {
    match value {
        Some(value) => with(call, value),
        None => call,
    }
}

/// Writes a call and parses it back, alone and between other text.
fn round_trip(call: &Callout) -> String {
    let written = write(call).unwrap();
    for text in [
        written.clone(),
        format!("{written}\n\nmore"),
        format!("{written}\nmore"),
    ] {
        let chunks = parse_with(&text, CalloutOptions::default());
        let Some(Chunk::Tool(read)) = chunks.first() else {
            panic!("no call: {text}");
        };
        assert_eq!(fields(read), fields(call), "{text}");
        assert_eq!(read.source(), written, "{text}");
    }
    written
}

#[test]
fn a_callout_is_written_as_readable_yaml() {
    let call = Callout::new("search", "call_123")
        .with_state(CalloutState::OutputAvailable)
        .with_input(json!({"query": "cats", "limit": 3}))
        .with_output(json!({
            "results": [{"title": "All About Cats", "url": "https://example.com/cats"}, [], {}],
            "note": "two\n\n  lines\n",
            "1": "null",
        }))
        .with_extra(Map::from_iter([("durationMs".to_owned(), json!(120))]));
    let expected = r#"
> [!tool search call_123]
> state: output-available
> input:
>   query: cats
>   limit: 3
> output:
>   results:
>     - title: All About Cats
>       url: "https://example.com/cats"
>     - []
>     - {}
>   note: |
>     two
>
>       lines
>   "1": "null"
> durationMs: 120"#;
    assert_eq!(round_trip(&call), expected.trim_start());
}

#[test]
fn names_that_do_not_fit_the_header_are_written_in_the_body() {
    for (name, id) in [
        ("a]b", "c"),
        ("a", "x]"),
        ("two words", "c"),
        ("a=b", "c"),
        ("line\nbreak", "tab\t"),
        ("\"quoted\"", "'"),
        (" leading", "42"),
        ("> [!tool", "\u{feff}"),
        ("\0\u{85}\u{2028}\u{7f}", "e\u{301}"),
    ] {
        round_trip(&Callout::new(name, id));
    }
    assert!(
        write(&Callout::new("a]b", "c"))
            .unwrap()
            .starts_with("> [!tool]\n")
    );
}

#[test]
fn long_keys_are_written_as_explicit_yaml_keys() {
    for key in [
        "k".repeat(1_100),
        "\0".repeat(300),
        "\u{1f408} ".repeat(600),
    ] {
        let extra = Map::from_iter([(key.clone(), json!([{ key.clone(): "v" }]))]);
        let call = Callout::new("search", "c")
            .with_input(json!({ key: { "a": 1 } }))
            .with_extra(extra);
        let written = round_trip(&call);
        assert!(written.contains("\n> ? "), "{written}");
    }
}

#[test]
fn a_call_that_no_callout_can_express_is_refused() {
    let refused = |call: Callout| assert!(write(&call).is_err(), "{call:?}");
    let call = Callout::new("a", "c");
    assert!(write(&call).is_ok());
    refused(Callout::new(" \n", "c"));
    refused(Callout::new("a", ""));
    refused(call.clone().with_error_text(""));
    let reserved = Map::from_iter([("tool_name".to_owned(), Value::Null)]);
    refused(call.clone().with_extra(reserved));
    refused(call.clone().with_input(json!("x".repeat(1 << 18))));
    let deep = (0..70).fold(json!(1), |value, _| json!([value]));
    refused(call.with_output(deep));
}

/// Texts that YAML might interpret differently.
fn tricky() -> impl Strategy<Value = String> {
    let words = [
        "",
        " ",
        "\n",
        "\n\n",
        "a",
        "true",
        "~",
        "No",
        "0x1",
        "1e3",
        ".5",
        "-",
        "- a",
        ": ",
        "a: b",
        " #",
        "#",
        "\"",
        "'",
        "\\",
        "|",
        ">",
        "> [!tool x]",
        "&a",
        "*a",
        "!t",
        "%",
        "@",
        "`",
        "[",
        "]",
        "{",
        "}",
        ",",
        "?",
        "---",
        "...",
        "\t",
        "\r",
        "\u{85}",
        "\u{2028}",
        "\u{2029}",
        "\u{feff}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{7f}",
        "\u{9f}",
        "\u{a0}",
        "\u{3000}",
        "\u{e000}",
        "\u{e0001}",
        "\0",
        "\u{1b}",
        "é",
        "\u{1f408}",
        "<<",
        "=",
    ];
    let word = prop_oneof![4 => prop::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(word, 1..6).prop_map(|words| words.concat())
}

/// Difficult field names for YAML: very long ones, and ones that grow when quoted.
fn key() -> impl Strategy<Value = String> {
    let long = (
        prop::sample::select(vec!["k", "é", "\u{1f408}", "\0", "\"", "\n", "a b", ": "]),
        100_usize..1100,
    );
    let long = long.prop_map(|(text, count)| text.repeat(count));
    prop_oneof![
        8 => tricky(),
        1 => long.clone(),
        1 => (tricky(), long, tricky()).prop_map(|(a, b, c)| a + &b + &c),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        key().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner).prop_map(Value::Object),
        ]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((key(), value), 0..4).prop_map(Map::from_iter)
}

fn state() -> impl Strategy<Value = CalloutState> {
    prop::sample::select(vec![
        CalloutState::InputStreaming,
        CalloutState::InputAvailable,
        CalloutState::OutputError,
    ])
}

prop_compose! {
    fn any_call()(
        name in key(),
        id in key(),
        state in prop::option::of(state()),
        input in prop::option::of(value()),
        output in prop::option::of(value()),
        error_text in prop::option::of(key()),
        extra in object(value()),
    ) -> Callout {
        let call = set(Callout::new(name, id).with_extra(extra), state, Callout::with_state);
        let call = set(call, input, Callout::with_input);
        let call = set(call, output, Callout::with_output);
        set(call, error_text, Callout::with_error_text)
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn any_writable_call_round_trips(call in any_call()) {
        let blank = |text: &str| text.trim().is_empty();
        let sayable = !blank(call.name()) && !blank(call.id()) && !call.error_text().is_some_and(blank);
        match write(&call) {
            Ok(_) => drop(round_trip(&call)),
            Err(error) => prop_assert!(!sayable || error.to_string().ends_with("length"), "{}", error),
        }
        prop_assert!(sayable || write(&call).is_err());
    }
}
