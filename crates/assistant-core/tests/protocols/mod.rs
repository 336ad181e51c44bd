//! The same scenes with agents of every protocol, with the same final conversation. The bytes are
//! those of a server of the protocol, the requests those that it would receive.

mod answered;
mod asked;
mod bad_input;
mod completions;
mod cut_off;
mod faults;
mod normal;
mod random;
mod reattach;
mod reattach_recorded;
mod reload;
mod resumed;
mod scenes;
mod ui_stream;
mod wires;

use std::rc::Rc;

use assistant_core::{
    action::ActionSpec,
    event::{Diagnostic, Event},
    limits::Limits,
    session::{Failure, FailureKind, Input, SessionOptions, StreamEnd},
};
use assistant_protocols::{
    Protocol, Request,
    stream::{Read, Sink},
};
use serde_json::Value;

use self::wires::Response;
use crate::support::{Driver, HistoryWriter};

/// Reads a JSON file of `fixtures/`.
fn fixture(name: &str) -> Value {
    let path = format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The output of a reader.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Sink for Log {
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

/// Creates a session for agents of a protocol.
fn driver_of(protocol: &Rc<dyn Protocol>) -> Driver {
    let options = SessionOptions::default().with_agent(protocol.traits());
    let mut driver = Driver::with(options);
    driver.protocol = HistoryWriter(Some(Rc::clone(protocol)));
    driver
}

/// A session with an agent of a protocol.
pub(crate) struct Talk {
    pub(crate) driver: Driver,
    pub(crate) protocol: Rc<dyn Protocol>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Talk {
    pub(crate) fn new(protocol: Box<dyn Protocol>) -> Self {
        let protocol: Rc<dyn Protocol> = protocol.into();
        Self {
            driver: driver_of(&protocol),
            protocol,
            diagnostics: Vec::new(),
        }
    }

    /// Returns the body of the newest request.
    pub(crate) fn body(&self) -> Value {
        match self.protocol.request(self.driver.request()) {
            Request::Post { body, .. } => serde_json::from_str(&body).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Reads the beginning of a response, without its end. Returns `None` for events, which need no
    /// reader.
    pub(crate) fn begin_answer(&mut self, response: impl Into<Response>) -> Option<Box<dyn Read>> {
        let bytes = match response.into() {
            Response::Bytes(bytes) => bytes,
            Response::Events(events) => {
                self.driver.events(events);
                return None;
            }
        };
        let mut reader = self
            .protocol
            .decoder(self.driver.request(), &Limits::default());
        for piece in bytes.chunks(7) {
            let mut log = Log::default();
            reader.push(piece, &mut log);
            self.take(log);
        }
        Some(reader)
    }

    /// Plays a whole response to the newest request.
    pub(crate) fn answer(&mut self, response: impl Into<Response>) {
        let Some(reader) = self.begin_answer(response) else {
            self.driver.close();
            return;
        };
        let run = self.driver.run();
        let mut log = Log::default();
        let ending = reader.finish(&mut log);
        self.take(log);
        let end = match ending.error {
            Some(error) => {
                StreamEnd::Failed(Failure::new(FailureKind::Protocol, error.to_string()))
            }
            None => StreamEnd::Closed,
        };
        self.driver.input(Input::RunClosed { run, end });
    }

    /// Reloads the page, with only the stored data. The page registers its actions before, as
    /// components do.
    pub(crate) fn reload(&mut self, actions: &[ActionSpec]) {
        let stored = self.driver.session.snapshot();
        let text = serde_json::to_string(&stored).unwrap();
        let starts = self.driver.commits.iter().map(|(_, entry)| entry);
        let journal = starts.chain(&self.driver.records).cloned().collect();
        let mut driver = driver_of(&self.protocol);
        driver.host.ids = self.driver.host.ids + 1_000;
        self.driver = driver;
        for spec in actions {
            self.driver.register(spec.clone());
        }
        self.driver.input(Input::Restore {
            thread_id: "thread".to_owned(),
            snapshot: serde_json::from_str(&text).unwrap(),
            journal,
        });
    }

    fn take(&mut self, log: Log) {
        self.diagnostics.extend(log.diagnostics);
        for event in log.events {
            self.driver.event(event);
        }
    }
}
