//! The same scenes with agents of every protocol: they end in the same conversation. The bytes are
//! what a server of the protocol would send, the requests what it would get.

mod completions;
mod random;
mod scenes;
mod ui_stream;
mod wires;

use assistant_core::{
    codec::{Codec, Request},
    event::{Diagnostic, Event},
    session::{Failure, FailureKind, Input, SessionOptions, StreamEnd},
    wire::stream::{Read, Sink},
};
use serde_json::Value;

use crate::support::Driver;

/// What a reader gives.
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

/// A session whose agent speaks by a codec.
pub(crate) struct Talk {
    pub(crate) driver: Driver,
    pub(crate) codec: Box<dyn Codec>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Talk {
    pub(crate) fn new(codec: Box<dyn Codec>) -> Self {
        let mut options = SessionOptions::default();
        codec.adapt(&mut options);
        Self {
            driver: Driver::with(options),
            codec,
            diagnostics: Vec::new(),
        }
    }

    /// The body of the newest request.
    pub(crate) fn body(&self) -> Value {
        match self.codec.request(self.driver.request()) {
            Request::Post { body, .. } => serde_json::from_str(&body).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Reads the beginning of a response; nothing says that it is over.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> Box<dyn Read> {
        let mut reader = self.codec.reader(self.driver.request());
        for piece in bytes.chunks(7) {
            let mut log = Log::default();
            reader.push(piece, &mut log);
            self.take(log);
        }
        reader
    }

    /// Plays a whole response to the newest request.
    pub(crate) fn answer(&mut self, bytes: &[u8]) {
        let reader = self.hear(bytes);
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

    fn take(&mut self, log: Log) {
        self.diagnostics.extend(log.diagnostics);
        for event in log.events {
            self.driver.event(event);
        }
    }
}
