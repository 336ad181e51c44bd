//! A session with an open run that receives the events of a reader, as in the browser layer.

use std::hint::black_box;

use assistant_core::action::{RegistrationId, schema::PatternHost};
use assistant_core::conversation::Change;
use assistant_core::event::{Content, Diagnostic, Event};
use assistant_core::limits::Limits;
use assistant_core::observe::Observers;
use assistant_core::session::{
    Answer, Effect, Host, Input, PolicyQuestion, RunKey, Session, SessionOptions,
};
use assistant_protocols::agui::Sink;
use serde_json::Value;

/// A conversation with an open run.
pub(crate) struct Chat {
    session: Session,
    host: ImmediateHost,
    run: RunKey,
    /// The observers, which are notified of every change.
    pub(crate) observers: Observers<Change>,
}

impl Chat {
    pub(crate) fn new() -> Self {
        // More messages and calls than in the longest stream, so that no limit ends the run.
        let limits = Limits::default().with_messages(100_000).with_calls(100_000);
        let mut session = Session::new("t", SessionOptions::default().limits(limits));
        let mut host = ImmediateHost::default();
        let content = Content::Text("go".to_owned());
        let step = session.handle(Input::Send { content }, &mut host);
        let run = step.effects.iter().find_map(|effect| match effect {
            Effect::PrepareRun { run } => Some(*run),
            _ => None,
        });
        if let Some(run) = run {
            session.handle(Input::OpenRun { run }, &mut host);
        }
        Self {
            session,
            host,
            run: run.unwrap(),
            observers: Observers::default(),
        }
    }

    /// Returns true if there are messages besides the question.
    pub(crate) fn has_answer(&self) -> bool {
        self.session.conversation().received_messages().len() > 1
    }

    /// Returns true if the run is open.
    pub(crate) const fn is_streaming(&self) -> bool {
        self.session.is_streaming()
    }
}

impl Sink for Chat {
    fn event(&mut self, event: Event) {
        let event = Box::new(event);
        let input = Input::Event {
            run: self.run,
            event,
        };
        let step = black_box(self.session.handle(input, &mut self.host));
        if !self.observers.is_empty() {
            for change in &step.changes {
                assert!(self.observers.notify(change).is_empty());
            }
        }
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic) {
        let input = Input::Diagnostic { diagnostic };
        black_box(self.session.handle(input, &mut self.host));
    }
}

/// A host that requires no approval and answers without delay.
#[derive(Default)]
struct ImmediateHost {
    ids: u64,
}

impl PatternHost for ImmediateHost {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for ImmediateHost {
    fn now(&mut self) -> i64 {
        0
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        self.ids.to_string()
    }

    fn needs_approval(&mut self, _: PolicyQuestion<'_>) -> Answer<bool> {
        Answer::Now(false)
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}
