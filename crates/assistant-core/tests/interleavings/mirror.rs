//! A view that reads only what the changes name, compared with a view rebuilt from scratch.

use std::collections::BTreeMap;

use assistant_core::{
    conversation::{
        Author, CallEventKind, CallKey, Change, Conversation, Message, MessageId, Part, Phase,
        ToolCall,
    },
    session::{Output, Session},
};
use serde_json::Value;

/// The displayed parts of a message; a call is identified only.
#[derive(Debug, Clone, PartialEq)]
struct Card {
    marks: String,
    parts: Vec<String>,
}

/// The displayed state of a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Mirror {
    path: Vec<MessageId>,
    parents: BTreeMap<MessageId, Option<MessageId>>,
    messages: BTreeMap<MessageId, Card>,
    calls: BTreeMap<CallKey, String>,
    /// The phases of calls after the previous step.
    phases: BTreeMap<CallKey, Phase>,
    /// The stored form of each message.
    stored: BTreeMap<MessageId, Value>,
    state: Value,
    interrupts: String,
    notices: String,
    queue: String,
    tools: String,
    remembered: String,
    thread: String,
}

impl Mirror {
    /// Reads everything.
    pub(super) fn rebuilt(session: &Session) -> Self {
        let conversation = session.conversation();
        let mut mirror = Self::default();
        for message in conversation.all_messages() {
            mirror.read_message(message.id(), conversation);
            mirror.read_parent(message.id(), conversation);
            mirror.store(message.id(), session);
        }
        mirror.phases = phases(session);
        mirror.read_path(conversation);
        mirror.state = conversation.state().clone();
        mirror.interrupts = format!("{:?}", session.interrupts());
        mirror.notices = format!("{:?}", session.notices());
        mirror.queue = format!("{:?}", session.queued());
        mirror.tools = format!("{:?}", session.registry().tools());
        mirror.remembered = format!("{:?}", session.remembered_approvals());
        mirror.thread = session.thread_id().to_owned();
        mirror
    }

    /// Applies the changes of a step.
    pub(super) fn follow(&mut self, output: &Output, session: &Session) {
        self.follow_phases(output, session);
        let conversation = session.conversation();
        for change in &output.changes {
            self.store_changed(change, session);
            match change {
                Change::Thread => *self = Self::rebuilt(session),
                Change::Path => self.read_path(conversation),
                Change::MessageAdded(id) => {
                    self.read_message(id, conversation);
                    self.read_parent(id, conversation);
                }
                Change::MessageMoved(id) => self.read_parent(id, conversation),
                Change::MessageRemoved(id) => {
                    // The id may exist again by now.
                    self.messages.remove(id);
                    self.parents.remove(id);
                    self.read_message(id, conversation);
                    self.read_parent(id, conversation);
                }
                Change::Message(id) => self.read_message(id, conversation),
                Change::PartAdded { message, part } | Change::PartGrew { message, part } => {
                    self.read_part(message, *part, conversation);
                }
                Change::Call(key) => self.read_call(*key, conversation),
                Change::State => self.state = conversation.state().clone(),
                Change::Interrupts => self.interrupts = format!("{:?}", session.interrupts()),
                Change::Notices => self.notices = format!("{:?}", session.notices()),
                Change::Queue => self.queue = format!("{:?}", session.queued()),
                Change::Registry => self.tools = format!("{:?}", session.registry().tools()),
                Change::Remembered => {
                    self.remembered = format!("{:?}", session.remembered_approvals());
                }
                Change::Run | Change::Steps => {}
            }
        }
    }

    /// Compares the events of calls with the changes of their phases.
    fn follow_phases(&mut self, output: &Output, session: &Session) {
        let before = std::mem::replace(&mut self.phases, phases(session));
        if output.changes.contains(&Change::Thread) {
            return;
        }
        // Calls that came with their history did not end here: copies on other branches have no
        // events.
        for event in output.calls.iter().filter(|event| event.before().is_none()) {
            let ended_here =
                matches!(event.kind(), CallEventKind::Ended { by, .. } if *by == Author::Page);
            assert!(!ended_here, "{event:?}");
        }
        let changes = output.phase_changes();
        for (key, now) in &self.phases {
            let event = changes.iter().find(|event| event.call_key() == *key);
            let calls = &output.calls;
            if let Some(was) = before.get(key) {
                let is_change = stage(*now).is_some() && stage(*was) != stage(*now);
                let is_reported = event.is_some_and(|event| stage(event.phase()).is_some());
                assert_eq!(
                    is_reported, is_change,
                    "{key:?}: {was:?}, {now:?}, {calls:?}"
                );
            }
            if let Some(event) = event.filter(|event| stage(event.phase()).is_some()) {
                assert_eq!(event.phase(), *now, "{key:?}, {calls:?}");
            }
        }
    }

    /// Compares the mirror with the rebuilt view.
    pub(super) fn check(&self, session: &Session, output: &Output) {
        let rebuilt = Self::rebuilt(session);
        let changes = &output.changes;
        assert_eq!(self.path, rebuilt.path, "the path, after {changes:?}");
        assert_eq!(
            self.messages, rebuilt.messages,
            "messages, after {changes:?}"
        );
        assert_eq!(
            self.stored, rebuilt.stored,
            "what is stored, after {changes:?}"
        );
        assert_eq!(self.parents, rebuilt.parents, "parents, after {changes:?}");
        for (key, call) in &rebuilt.calls {
            assert_eq!(
                self.calls.get(key),
                Some(call),
                "{key:?}, after {changes:?}"
            );
        }
        assert_eq!(self.state, rebuilt.state, "the state, after {changes:?}");
        assert_eq!(self.interrupts, rebuilt.interrupts, "after {changes:?}");
        assert_eq!(self.notices, rebuilt.notices, "after {changes:?}");
        assert_eq!(self.queue, rebuilt.queue, "after {changes:?}");
        assert_eq!(self.tools, rebuilt.tools, "after {changes:?}");
        assert_eq!(self.remembered, rebuilt.remembered, "after {changes:?}");
        assert_eq!(self.thread, rebuilt.thread, "after {changes:?}");
    }

    /// Writes the messages of a change, as an incremental store does.
    fn store_changed(&mut self, change: &Change, session: &Session) {
        match change {
            Change::MessageAdded(id)
            | Change::MessageMoved(id)
            | Change::MessageRemoved(id)
            | Change::Message(id)
            | Change::PartAdded { message: id, .. }
            | Change::PartGrew { message: id, .. } => self.store(id, session),
            Change::Call(key) => {
                if let Some(message) = session.conversation().message_of_call(key) {
                    self.store(message.id(), session);
                }
            }
            _ => {}
        }
    }

    fn store(&mut self, id: &MessageId, session: &Session) {
        match session.snapshot_message(id) {
            Some(message) => self.stored.insert(id.clone(), message),
            None => self.stored.remove(id),
        };
    }

    fn read_path(&mut self, conversation: &Conversation) {
        self.path = conversation.path().map(|m| m.id().clone()).collect();
    }

    fn read_parent(&mut self, id: &MessageId, conversation: &Conversation) {
        if conversation.message(id).is_some() {
            let parent = conversation.parent(id).cloned();
            self.parents.insert(id.clone(), parent);
        }
    }

    fn read_message(&mut self, id: &MessageId, conversation: &Conversation) {
        let Some(message) = conversation.message(id) else {
            return;
        };
        let parts = message.parts().iter().map(part).collect();
        let marks = marks(message);
        self.messages.insert(id.clone(), Card { marks, parts });
        self.read_new_calls(message, conversation);
    }

    fn read_part(&mut self, id: &MessageId, place: usize, conversation: &Conversation) {
        let (Some(message), Some(card)) = (conversation.message(id), self.messages.get_mut(id))
        else {
            return;
        };
        let Some(fresh) = message.parts().get(place) else {
            return;
        };
        match card.parts.get_mut(place) {
            Some(shown) => *shown = part(fresh),
            None => card.parts.push(part(fresh)),
        }
        self.read_new_calls(message, conversation);
    }

    /// Reads a call when it first appears, and later when a change names it.
    fn read_new_calls(&mut self, message: &Message, conversation: &Conversation) {
        for call in conversation.calls_in(message) {
            let known = self.calls.entry(call.key());
            known.or_insert_with(|| card(call));
        }
    }

    fn read_call(&mut self, key: CallKey, conversation: &Conversation) {
        if let Some(call) = conversation.call(&key) {
            self.calls.insert(key, card(call));
        }
    }
}

fn marks(message: &Message) -> String {
    format!(
        "{:?} {:?} {:?} {:?}",
        message.role(),
        message.cut(),
        message.author(),
        message.disputed()
    )
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(part) | Part::Reasoning(part) => {
            format!("{} {} {:?}", part.generation(), part.is_open(), part.text())
        }
        Part::Call(key) => format!("{key:?}"),
        other => format!("{other:?}"),
    }
}

fn card(call: &ToolCall) -> String {
    format!(
        "{} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {} {}",
        call.id(),
        call.name(),
        call.args_text(),
        call.args(),
        call.phase(),
        call.result(),
        call.answered_by(),
        call.approval(),
        call.edited_args(),
        call.error(),
        call.is_delivered(),
        call.has_changed(),
    )
}

/// Returns the phases of all calls.
fn phases(session: &Session) -> BTreeMap<CallKey, Phase> {
    let conversation = session.conversation();
    let messages = conversation.all_messages();
    let calls = messages.flat_map(|message| conversation.calls_in(message));
    let calls = calls.chain(conversation.direct_calls());
    calls.map(|call| (call.key(), call.phase())).collect()
}

/// Returns the event of a phase for observers, if there is one.
const fn stage(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::ApprovalRequested => Some("asked"),
        Phase::Running => Some("runs"),
        phase if phase.is_final() => Some("ended"),
        _ => None,
    }
}
