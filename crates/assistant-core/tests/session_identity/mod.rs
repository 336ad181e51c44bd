//! Identity of calls: a call keeps its identity, and the shown version runs, for any rewritten
//! history.

mod asked;
mod deleted;
mod lists;
mod restored;
mod reused;
mod stored;

use assistant_core::{
    conversation::{CallKey, Change, Conversation, Decider, Phase},
    event::{Content, FunctionCall, Message, MessageBody},
    session::{Input, Refusal, TreeChange, Verdict},
};
use serde_json::json;

use crate::support::*;

/// The user's message, as repeated by a server.
fn hi() -> Message {
    let content = Content::Text("hi".to_owned());
    Message::new("id1", MessageBody::User { content })
}

fn listed(id: &str, calls: &[(&str, &str, &str)]) -> Message {
    let call = |(id, name, args): &(&str, &str, &str)| FunctionCall::new(*id, *name, *args);
    let body = MessageBody::Assistant {
        content: None,
        tool_calls: calls.iter().map(call).collect(),
    };
    Message::new(id, body)
}

fn answer_to(id: &str, call: &str, content: &str) -> Message {
    let body = MessageBody::Tool {
        tool_call_id: call.to_owned(),
        content: Content::Text(content.to_owned()),
        error: None,
    };
    Message::new(id, body)
}

/// Approves a card as shown on the screen.
fn click(driver: &mut Driver, call: CallKey, card: &Driver) -> Option<Refusal> {
    let shown = card.shown(call);
    let verdict = Verdict::Approve { args: None };
    let decide = Input::Decide {
        call,
        shown,
        verdict,
        by: Decider::Person,
    };
    driver.input(decide).refused
}

fn reload(driver: &mut Driver) {
    let thread_id = driver.session.thread_id().to_owned();
    let snapshot = driver.session.snapshot();
    let step = driver.input(Input::Restore {
        thread_id,
        snapshot,
        journal: Vec::new(),
    });
    assert_eq!(step.refused, None);
}

fn export(driver: &Driver) -> serde_json::Value {
    driver.session.conversation().export()
}

fn assert_exports_itself(driver: &Driver) {
    let again = Conversation::import(export(driver)).unwrap();
    assert_eq!(again.export(), export(driver));
}

/// A second run; the message `m` belongs to the first.
fn second_run() -> Driver {
    let mut driver = with([action("f")]);
    driver.events(says("m", "well"));
    finish_run(&mut driver);
    driver.send("more");
    driver.event(started());
    driver
}
