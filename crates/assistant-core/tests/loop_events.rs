//! Events of the loop: their order in each iteration, and the observers that receive them.

use std::{cell::RefCell, rc::Rc};

use assistant_core::{
    action::ToolError,
    conversation::{CallKey, Cost, MessageId, Phase},
    event::{Content, EventKind, TokenUsage},
    loop_events::{LoopEvent, LoopEvents, LoopObserver},
    session::{FinishReason, Input, Output, SessionOptions, TreeChange},
};
use serde_json::json;

use crate::support::*;

/// A session whose loop events are logged as words.
struct Logged {
    driver: Driver,
    events: LoopEvents,
    log: Vec<String>,
}

fn word(driver: &Driver, event: &LoopEvent) -> String {
    let conversation = driver.session.conversation();
    let text = |id: &MessageId| conversation.message(id).unwrap().text();
    let call = |key: &CallKey| conversation.call(key).unwrap().id().to_owned();
    match event {
        LoopEvent::UserMessage { message } => format!("user {}", text(message)),
        LoopEvent::Interjection { message } => format!("interjection {}", text(message)),
        LoopEvent::AssistantMessage { message, is_new } => {
            format!("{} {message}", if *is_new { "created" } else { "updated" })
        }
        LoopEvent::ToolCalls { calls, .. } => {
            let ids: Vec<String> = calls.iter().map(call).collect();
            format!("calls {}", ids.join(" "))
        }
        LoopEvent::ToolStarted { call: key, .. } => format!("started {}", call(key)),
        LoopEvent::ToolExecuted {
            call: key, phase, ..
        } => {
            format!("executed {} {}", call(key), phase.as_str())
        }
        LoopEvent::FinalResponse {
            message,
            reason,
            cost,
        } => {
            let message = message
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let tokens = cost.output_tokens().unwrap_or_default();
            format!("final {message} {reason:?} {tokens}")
        }
        other => format!("{other:?}"),
    }
}

impl Logged {
    fn new(options: SessionOptions) -> Self {
        let mut driver = Driver::with(options);
        driver.register(action("f"));
        let events = LoopEvents::of(&driver.session);
        Self {
            driver,
            events,
            log: Vec::new(),
        }
    }

    fn note(&mut self, step: Output) {
        for event in self.events.record(&self.driver.session, &step.changes) {
            self.log.push(word(&self.driver, &event));
        }
    }

    fn events(&mut self, events: impl IntoIterator<Item = EventKind>) {
        for event in events {
            let step = self.driver.event(event);
            self.note(step);
        }
    }

    fn run(&mut self, events: impl IntoIterator<Item = EventKind>, output_tokens: u64) {
        self.events([started()]);
        self.events(events);
        let usage = TokenUsage {
            output_tokens: Some(output_tokens),
            ..TokenUsage::default()
        };
        self.events([EventKind::RunFinished {
            thread_id: "thread".to_owned(),
            run_id: "run".to_owned(),
            result: None,
            outcome: None,
            usage: vec![usage],
        }]);
        let step = self.driver.close();
        self.note(step);
    }

    fn send(&mut self, text: &str) {
        let step = self.driver.send(text);
        self.note(step);
    }

    /// Takes the log since the last call.
    fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.log)
    }
}

fn two_calls() -> Vec<EventKind> {
    let mut events = says("m1", "Let me see.");
    for id in ["c1", "c2"] {
        events.extend([start_in(id, "f", Some("m1")), args(id, "{}"), end(id)]);
    }
    events
}

#[test]
fn iterations_are_reported_in_order_with_one_final_response() {
    let mut chat = Logged::new(SessionOptions::default().sequential(true));
    chat.send("go");
    chat.run(two_calls(), 3);
    let step = chat.driver.returns("c1", json!(1));
    chat.note(step);
    let step = chat
        .driver
        .handler_ends("c2", Err(ToolError::new("no luck")));
    chat.note(step);
    chat.run(says("m2", "Done."), 5);
    let expected = [
        "user go",
        "created m1",
        "calls c1 c2",
        "started c1",
        "executed c1 output-available",
        "started c2",
        "executed c2 output-error",
        "created m2",
        "final m2 Stop 5",
    ];
    assert_eq!(chat.take(), expected);
    // Nothing is repeated by a later change or turn.
    let state = json!({"theme": "dark"});
    let step = chat.driver.input(Input::SetState { state });
    assert_ne!(step.changes, []);
    chat.note(step);
    assert_eq!(chat.take(), [""; 0]);
    chat.send("more");
    chat.run(says("m3", "Again."), 1);
    assert_eq!(chat.take(), ["user more", "created m3", "final m3 Stop 1"]);
}

#[test]
fn concurrent_calls_are_reported_before_one_starts() {
    let mut chat = Logged::new(SessionOptions::default());
    chat.send("go");
    chat.run(two_calls(), 0);
    let log = chat.take();
    assert_eq!(log[..3], ["user go", "created m1", "calls c1 c2"]);
    assert_eq!(log[3..], ["started c1", "started c2"]);
}

#[test]
fn an_interjection_and_a_stop_are_reported() {
    let mut chat = Logged::new(SessionOptions::default().sequential(true));
    chat.send("go");
    chat.run(two_calls(), 0);
    let content = Content::Text("only one".to_owned());
    let change = TreeChange::Interject { content };
    let step = chat.driver.input(Input::Tree { change });
    chat.note(step);
    chat.take();
    let step = chat.driver.returns("c1", json!(1));
    chat.note(step);
    let log = chat.take();
    assert!(log.contains(&"executed c2 skipped".to_owned()), "{log:?}");
    assert!(log.contains(&"interjection only one".to_owned()), "{log:?}");
    assert!(
        !log.iter().any(|event| event.starts_with("final")),
        "{log:?}"
    );
    let step = chat.driver.input(Input::Stop);
    chat.note(step);
    assert_eq!(chat.take(), ["final  Stopped 0"]);
}

#[test]
fn loading_a_conversation_reports_no_events() {
    let mut chat = Logged::new(SessionOptions::default());
    chat.send("go");
    chat.run(says("m1", "Hello."), 0);
    let snapshot = chat.driver.session.export();
    chat.take();
    let thread_id = "other".to_owned();
    let step = chat.driver.input(Input::Load {
        thread_id,
        snapshot,
    });
    chat.note(step);
    assert_eq!(chat.take(), [""; 0]);
    chat.send("more");
    chat.run(says("m2", "Again."), 0);
    assert_eq!(chat.take(), ["user more", "created m2", "final m2 Stop 0"]);
}

/// An observer with two of the callbacks.
#[derive(Default)]
struct TwoCallbacks(Rc<RefCell<Vec<String>>>);

impl LoopObserver for TwoCallbacks {
    fn tool_started(&self, _: CallKey, name: &str) -> Result<(), String> {
        self.0.borrow_mut().push(format!("started {name}"));
        Ok(())
    }

    fn final_response(
        &self,
        message: Option<&MessageId>,
        reason: FinishReason,
        _: &Cost,
    ) -> Result<(), String> {
        Err(format!("{message:?} {reason:?}"))
    }
}

#[test]
fn every_callback_is_optional() {
    let observer = TwoCallbacks::default();
    let mut driver = with([action("f")]);
    driver.events(calls("c1", "f", "{}"));
    let call = driver.key("c1");
    let name = "f".to_owned();
    let started = LoopEvent::ToolStarted {
        call,
        name: name.clone(),
    };
    let executed = LoopEvent::ToolExecuted {
        call,
        name,
        phase: Phase::OutputAvailable,
    };
    let user = LoopEvent::UserMessage {
        message: "u".into(),
    };
    for event in [started, executed, user] {
        assert_eq!(event.notify(&observer), Ok(()));
    }
    assert_eq!(*observer.0.borrow(), ["started f"]);
    let end = LoopEvent::FinalResponse {
        message: None,
        reason: FinishReason::Stop,
        cost: Cost::default(),
    };
    assert_eq!(end.notify(&observer), Err("None Stop".to_owned()));
}
