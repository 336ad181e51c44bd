//! Measures a session that parses many callouts in the text of one message.

use assistant_core::action::{RegistrationId, schema::PatternHost};
use assistant_core::conversation::MarkdownTools;
use assistant_core::event::Content;
use assistant_core::limits::Limits;
use assistant_core::session::{
    Answer, Effect, Host, Input, PolicyQuestion, RunKey, Session, SessionOptions, StreamEnd,
};
use assistant_protocols::agui::Decoder;

use super::*;

/// A host that requires no approval.
#[derive(Default)]
pub(super) struct Page(u64);

impl PatternHost for Page {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for Page {
    fn now(&mut self) -> i64 {
        0
    }

    fn new_id(&mut self) -> String {
        self.0 += 1;
        format!("id{}", self.0)
    }

    fn needs_approval(&mut self, _: PolicyQuestion<'_>) -> Answer<bool> {
        Answer::Now(false)
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}

/// Returns the events of an answer whose text contains `count` callouts, in pieces.
fn answer_events(count: usize) -> Vec<Value> {
    let callout = |n| format!("> [!tool a c{n:05}]\n> input: {{a: 1}}\n\n");
    let text: String = (0..count).map(callout).collect();
    let mut events = vec![
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TEXT_MESSAGE_START", "messageId": "m"}),
    ];
    for piece in text.as_bytes().chunks(1_000) {
        let delta = std::str::from_utf8(piece).unwrap();
        events.push(json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta}));
    }
    events.push(json!({"type": "TEXT_MESSAGE_END", "messageId": "m"}));
    events.push(json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}));
    events
}

/// Plays the events in a session, up to the request with the results of the calls.
fn play_session(markdown_tools: MarkdownTools, events: Vec<Value>) {
    let (mut session, mut page) = (
        Session::new(
            "t",
            SessionOptions::default()
                .markdown_tools(markdown_tools)
                // More calls than a run may have by default.
                .limits(Limits::default().with_calls(usize::MAX)),
        ),
        Page::default(),
    );
    let mut newest: Option<RunKey> = None;
    let mut input = |input: Input| {
        let mut effects = session.handle(input, &mut page).effects;
        effects.retain(|effect| matches!(effect, Effect::PrepareRun { .. }));
        if let Some(Effect::PrepareRun { run }) = effects.pop() {
            newest = Some(run);
            session.handle(Input::OpenRun { run }, &mut page);
        }
        newest
    };
    let content = Content::Text("go".to_owned());
    let run = input(Input::Send { content }).unwrap();
    let (mut decoder, mut read) = (Decoder::new(DecoderOptions::default()), Vec::new());
    for event in events {
        decoder.push_value(event, &mut read).unwrap();
    }
    for event in read {
        let event = Box::new(event);
        input(Input::Event { run, event });
    }
    let end = StreamEnd::Closed;
    let next = input(Input::RunClosed { run, end });
    assert_eq!(
        next != Some(run),
        markdown_tools == MarkdownTools::Intercept
    );
}

#[test]
fn a_message_with_many_callouts_is_parsed_in_linear_work() {
    for tools in [MarkdownTools::Display, MarkdownTools::Intercept] {
        let what = format!("{tools:?}");
        assert_linear_work(&what, answer_events, |events| play_session(tools, events));
    }
}
