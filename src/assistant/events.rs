//! Observes events of a conversation for the lifetime of a component.

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use assistant_core::{
    conversation::{CallEvent, CallKey, Conversation, Message, MessageId, Phase},
    event::Role,
    observe::ObserverResult,
    session::{Notice, NoticeId},
};
use leptos::prelude::*;

use super::{Assistant, assistant_or_log_error};
use crate::{ui::effect, view::MessageList};

/// An event in a conversation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AssistantEvent {
    /// A message is complete. A message of the agent is complete once its text has ended.
    Message {
        /// The id of the message.
        id: MessageId,
        /// The role of the author. Messages that the agent attributes to the user have the role of
        /// the assistant.
        role: Role,
    },
    /// The user is asked to approve a call.
    ApprovalAsked {
        /// The key of the call.
        call: CallKey,
        /// The tool's name.
        name: String,
    },
    /// A call has started: its handler runs, or the agent runs the tool.
    CallStarted {
        /// The key of the call.
        call: CallKey,
        /// The tool's name.
        name: String,
    },
    /// A call has reached its final phase: done, failed, denied, skipped or cancelled.
    CallEnded {
        /// The key of the call.
        call: CallKey,
        /// The tool's name.
        name: String,
        /// The final phase.
        phase: Phase,
    },
    /// An error that the user is notified of.
    Error(Notice),
}

type EventObserver = Rc<dyn Fn(&AssistantEvent)>;

/// Calls `observer` for events from now on, as long as the component lives, for example to play
/// sounds or to count failures. The contents of a conversation that is opened are not reported.
///
/// The observer may use the assistant; changes that the observer makes take effect after the
/// reported event. The observer may return a `Result`: an error does not affect other observers or
/// the conversation, and is reported as the diagnostic `observer-failed`.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantEvent, use_assistant_events};
///
/// #[component]
/// fn Failures() -> impl IntoView {
///     let failed = RwSignal::new(0);
///     use_assistant_events(move |event| {
///         if let AssistantEvent::Error(_) = event {
///             failed.update(|count| *count += 1);
///         }
///     });
///     view! { <p>{failed} " failures"</p> }
/// }
/// ```
pub fn use_assistant_events<R: ObserverResult>(observer: impl Fn(&AssistantEvent) -> R + 'static) {
    let Some(assistant) = assistant_or_log_error("use_assistant_events") else {
        return;
    };
    let weak_assistant = assistant.weak();
    observe_events(
        assistant,
        Rc::new(move |event| {
            if let (Err(failure), Some(assistant)) =
                (observer(event).into_result(), weak_assistant.upgrade())
            {
                assistant.runtime().report_observer_failures(vec![failure]);
            }
        }),
    );
}

fn observe_events(assistant: Assistant, observer: EventObserver) {
    let call_observer = Rc::clone(&observer);
    let subscription =
        assistant.on_call_event(move |event| call_observer(&convert_call_event(event)));
    on_cleanup(move || drop(subscription));
    observe_errors(&assistant, Rc::clone(&observer));
    observe_messages(assistant, observer);
}

fn convert_call_event(event: &CallEvent) -> AssistantEvent {
    let (call, name) = (event.call_key(), event.name().to_owned());
    match event.phase() {
        Phase::ApprovalRequested => AssistantEvent::ApprovalAsked { call, name },
        Phase::Running => AssistantEvent::CallStarted { call, name },
        phase => AssistantEvent::CallEnded { call, name, phase },
    }
}

fn observe_errors(assistant: &Assistant, observer: EventObserver) {
    let notices = assistant.notices();
    let collect_ids = |list: &Vec<Notice>| list.iter().map(|notice| notice.id()).collect();
    let initial_ids: HashSet<NoticeId> = notices.with_untracked(collect_ids);
    effect(move |previous_ids: Option<HashSet<NoticeId>>| {
        let previous_ids = previous_ids.unwrap_or_else(|| initial_ids.clone());
        let list = notices.get();
        let is_new = |notice: &&Notice| notice.is_failure() && !previous_ids.contains(&notice.id());
        for notice in list.iter().filter(is_new) {
            untrack(|| observer(&AssistantEvent::Error(notice.clone())));
        }
        collect_ids(&list)
    });
}

/// The messages that have been listed so far: those that existed when the conversation was opened,
/// which are not reported, and later messages, which are reported once they are complete.
struct KnownMessages {
    thread: u64,
    edition: u64,
    known: HashSet<MessageId>,
    /// The messages that are not complete yet.
    open: Vec<(MessageId, Role)>,
}

impl KnownMessages {
    /// Creates a state in which all listed messages and the messages of other branches are known,
    /// because they belong to the opened conversation.
    fn new(assistant: &Assistant, list: &MessageList) -> Self {
        let mut known: HashSet<_> = list.iter().map(|entry| entry.id.clone()).collect();
        let ids_of_other_branches = |conversation: &Conversation| -> Vec<MessageId> {
            let shown_ids: HashSet<_> = conversation.path().map(Message::id).collect();
            let ids = conversation.all_messages().map(Message::id);
            ids.filter(|id| !shown_ids.contains(id)).cloned().collect()
        };
        known.extend(
            assistant
                .with_conversation(ids_of_other_branches)
                .into_iter()
                .flatten(),
        );
        Self {
            thread: list.thread(),
            edition: list.edition(),
            known,
            open: Vec::new(),
        }
    }

    fn add_new_messages(&mut self, assistant: &Assistant, list: &MessageList) {
        if self.thread != list.thread() {
            *self = Self::new(assistant, list);
            return;
        }
        // If the edition is unchanged, the list has only grown at its end, so the loop can stop at
        // the first known message.
        let has_only_grown = self.edition == list.edition();
        self.edition = list.edition();
        let mut new_messages = Vec::new();
        for entry in list.iter().rev() {
            let is_known = self.known.contains(&entry.id);
            if is_known && has_only_grown {
                break;
            }
            if !is_known {
                new_messages.push((entry.id.clone(), entry.role));
            }
        }
        self.known
            .extend(new_messages.iter().map(|(id, _)| id.clone()));
        self.open.extend(new_messages.into_iter().rev());
    }
}

fn observe_messages(assistant: Assistant, observer: EventObserver) {
    let messages = assistant.messages();
    // The state is not borrowed while the observer runs, because the observer may cause the next
    // event.
    let initial_messages = messages.with_untracked(|list| KnownMessages::new(&assistant, list));
    let known_messages = RefCell::new(initial_messages);
    effect(move |_| {
        let complete_messages = {
            let mut known = known_messages.borrow_mut();
            messages.with(|list| known.add_new_messages(&assistant, list));
            let mut open_messages = std::mem::take(&mut known.open);
            open_messages.retain(|(id, _)| assistant.message(id).is_some());
            let (complete_messages, incomplete_messages): (Vec<_>, Vec<_>) = open_messages
                .into_iter()
                .partition(|(id, _)| is_complete(&assistant, id));
            known.open = incomplete_messages;
            complete_messages
        };
        for (id, role) in complete_messages {
            untrack(|| observer(&AssistantEvent::Message { id, role }));
        }
    });
}

/// Returns true if a message has content and is not streaming any more. In an effect, the value is
/// tracked.
fn is_complete(assistant: &Assistant, id: &MessageId) -> bool {
    let message = assistant.message(id);
    message.is_some_and(|message| !message.streaming.get() && !message.empty.get())
}
