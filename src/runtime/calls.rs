//! What a page hears of calls: that a person is asked, that a call started, that it ended.
//!
//! Made from the phases that an input changes, and told once the session is free again, before the
//! effects of the input are carried out.

use std::{cell::RefCell, collections::HashMap, fmt, rc::Weak};

use assistant_core::{
    conversation::{CallKey, Change, Phase, Status, ToolCall},
    observe::{Heard, ObserverId, Observers},
    session::{Effect, JournalEntry, Output},
};
use send_wrapper::SendWrapper;

use super::Runtime;

/// Something that happened to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallEvent {
    /// The call.
    pub call: CallKey,
    /// The tool's name.
    pub name: String,
    /// The event.
    pub kind: CallEventKind,
}

/// An event in the life of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallEventKind {
    /// A person is asked whether it may run.
    ApprovalAsked,
    /// Its handler runs, or the agent runs the tool.
    Started,
    /// It has come to its last phase: done, failed, denied, skipped or cancelled.
    Ended(Phase),
}

/// Who listens, and the phases that they know.
#[derive(Default)]
pub(super) struct CallEvents {
    known: RefCell<HashMap<CallKey, Known>>,
    observers: Observers<CallEvent>,
}

struct Known {
    name: String,
    phase: Phase,
}

/// Keeps an observer subscribed. Dropping it unsubscribes.
#[must_use = "dropping it unsubscribes at once"]
pub struct Subscription(SendWrapper<Entry>);

struct Entry {
    runtime: Weak<Runtime>,
    id: ObserverId,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Subscription").field(&self.0.id).finish()
    }
}

impl Subscription {
    /// Keeps the observer for as long as the assistant lives.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// // For as long as the assistant lives.
    /// assistant.on_call_event(|event| leptos::logging::log!("{}", event.name)).forget();
    /// # }
    /// ```
    pub fn forget(self) {
        let mut entry = self.0.take();
        entry.runtime = Weak::new();
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.call_events.observers.remove(self.id);
        }
    }
}

impl Runtime {
    pub(crate) fn on_call_event<R: Heard>(
        &self,
        observer: impl Fn(&CallEvent) -> R + 'static,
    ) -> Subscription {
        Subscription(SendWrapper::new(Entry {
            runtime: self.weak(),
            id: self.call_events.observers.add(observer),
        }))
    }

    /// What one input did to calls. `executed` is the name of the action that the page asked
    /// for in it: such a call may be over before anybody could read its name.
    pub(super) fn call_events(&self, output: &Output, executed: Option<String>) -> Vec<CallEvent> {
        let mut known = self.call_events.known.borrow_mut();
        let mut events = Vec::new();
        let ended = output.effects.iter().filter_map(|effect| match effect {
            Effect::Record {
                entry: JournalEntry::Finished { call, phase, .. },
            } => Some((*call, *phase)),
            _ => None,
        });
        let ended: Vec<(CallKey, Phase)> = ended.collect();
        if output.changes.contains(&Change::Thread) {
            let gone = std::mem::take(&mut *known).into_iter();
            let open = gone
                .filter(|(_, was)| matches!(was.phase, Phase::ApprovalRequested | Phase::Running));
            events.extend(open.map(|(call, was)| CallEvent {
                call,
                name: was.name,
                kind: CallEventKind::Ended(Phase::Cancelled),
            }));
            self.take_in_history(&mut known, &ended);
        }
        let changed = output.changes.iter().filter_map(|change| match change {
            Change::Call(key) => Some(*key),
            _ => None,
        });
        for key in changed {
            let now = self.read(|session| {
                let call = session.conversation().call(&key)?;
                Some((call.phase(), named(call, known.get(&key))))
            });
            // A call of the page is gone as soon as it is answered.
            let over = || ended.iter().find(|(call, _)| *call == key);
            let now = now.flatten().or_else(|| Some((over()?.1, None)));
            let Some((phase, name)) = now else { continue };
            let old = known.get(&key).map(|known| known.phase);
            if old == Some(phase) {
                continue;
            }
            let name = name
                .or_else(|| known.get(&key).map(|known| known.name.clone()))
                .or_else(|| executed.clone())
                .unwrap_or_default();
            if let Some(kind) = kind_of(old, phase) {
                let (call, name) = (key, name.clone());
                events.push(CallEvent { call, name, kind });
            }
            known.insert(key, Known { name, phase });
        }
        events
    }

    /// What ended in a conversation before it was opened here is no news.
    fn take_in_history(&self, known: &mut HashMap<CallKey, Known>, now: &[(CallKey, Phase)]) {
        self.read(|session| {
            let conversation = session.conversation();
            let history = conversation.call_history().into_iter();
            for key in history.filter(|key| now.iter().all(|(call, _)| call != key)) {
                if let Some(call) = conversation.call(&key) {
                    let (name, phase) = (call.name.clone(), call.phase());
                    known.insert(key, Known { name, phase });
                }
            }
        });
    }

    pub(super) fn tell_calls(&self, events: &[CallEvent]) {
        for event in events {
            self.observers_failed(self.call_events.observers.tell(event));
        }
    }
}

/// The name of a call, if it is not the known one.
fn named(call: &ToolCall, known: Option<&Known>) -> Option<String> {
    known
        .is_none_or(|known| known.name != call.name)
        .then(|| call.name.clone())
}

fn kind_of(old: Option<Phase>, new: Phase) -> Option<CallEventKind> {
    let is_over = |phase: Phase| matches!(phase.status(), Status::Complete | Status::Failed);
    match new {
        Phase::ApprovalRequested => Some(CallEventKind::ApprovalAsked),
        Phase::Running => Some(CallEventKind::Started),
        phase if is_over(phase) && !old.is_some_and(is_over) => Some(CallEventKind::Ended(phase)),
        _ => None,
    }
}
