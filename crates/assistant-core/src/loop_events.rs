//! Reports the loop of runs and tool calls as events, in the order of each iteration: the
//! assistant's message, its tool calls, their starts and results, then the next message, and at the
//! end one final response.
//!
//! [`LoopEvents`] derives the events from the changes of a session. A host passes the events to
//! callbacks, or to a [`LoopObserver`], which has a method for each event.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::{
    conversation::{Author, CallKey, Change, Conversation, Cost, Message, MessageId, Part, Phase},
    event::Role,
    session::{FinishReason, Session},
};

/// An event of the loop. An event contains the ids of messages and the keys of calls; their
/// contents are in the conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoopEvent {
    /// A message from the user joined the chat.
    UserMessage {
        /// The id of the message.
        message: MessageId,
    },
    /// A message that the user sent during the loop joined the chat between two steps of the loop.
    Interjection {
        /// The id of the message.
        message: MessageId,
    },
    /// A message of the assistant is complete, or a complete message has changed.
    AssistantMessage {
        /// The id of the message.
        message: MessageId,
        /// True for a new message, false for a changed message.
        is_new: bool,
    },
    /// A message of the assistant requests tool calls; none of them has started.
    ToolCalls {
        /// The id of the message.
        message: MessageId,
        /// The keys of the calls, in the order of the message.
        calls: Vec<CallKey>,
    },
    /// A tool has started: either a handler of the page, or a tool that the agent runs itself.
    ToolStarted {
        /// The key of the call.
        call: CallKey,
        /// The tool's name.
        name: String,
    },
    /// A call has ended, with or without a result.
    ToolExecuted {
        /// The key of the call.
        call: CallKey,
        /// The tool's name.
        name: String,
        /// The phase in which the call ended.
        phase: Phase,
    },
    /// The loop has ended.
    FinalResponse {
        /// The id of the assistant's last message, if there is one.
        message: Option<MessageId>,
        /// The reason for the end of the loop.
        reason: FinishReason,
        /// The usage, time and price of the last message, as far as they are known.
        cost: Cost,
    },
}

/// Callbacks for the events of the loop. Each callback is optional, and may fail without any effect
/// on the loop or on other observers.
///
/// ```
/// use assistant_core::{
///     conversation::{CallKey, Phase},
///     loop_events::LoopObserver,
/// };
///
/// struct Failures(std::cell::Cell<u32>);
///
/// impl LoopObserver for Failures {
///     fn tool_executed(&self, _: CallKey, _: &str, phase: Phase) -> Result<(), String> {
///         self.0.set(self.0.get() + u32::from(phase == Phase::OutputError));
///         Ok(())
///     }
/// }
/// ```
#[expect(
    unused_variables,
    clippy::missing_errors_doc,
    reason = "the defaults do nothing, and every method fails as its implementation says"
)]
pub trait LoopObserver {
    /// Receives a [`LoopEvent::UserMessage`].
    fn user_message(&self, message: &MessageId) -> Result<(), String> {
        Ok(())
    }

    /// Receives an [`LoopEvent::Interjection`].
    fn interjection(&self, message: &MessageId) -> Result<(), String> {
        Ok(())
    }

    /// Receives an [`LoopEvent::AssistantMessage`].
    fn assistant_message(&self, message: &MessageId, is_new: bool) -> Result<(), String> {
        Ok(())
    }

    /// Receives a [`LoopEvent::ToolCalls`].
    fn tool_calls(&self, message: &MessageId, calls: &[CallKey]) -> Result<(), String> {
        Ok(())
    }

    /// Receives a [`LoopEvent::ToolStarted`].
    fn tool_started(&self, call: CallKey, name: &str) -> Result<(), String> {
        Ok(())
    }

    /// Receives a [`LoopEvent::ToolExecuted`].
    fn tool_executed(&self, call: CallKey, name: &str, phase: Phase) -> Result<(), String> {
        Ok(())
    }

    /// Receives a [`LoopEvent::FinalResponse`].
    fn final_response(
        &self,
        message: Option<&MessageId>,
        reason: FinishReason,
        cost: &Cost,
    ) -> Result<(), String> {
        Ok(())
    }
}

impl LoopEvent {
    /// Calls the method of an observer for this event.
    ///
    /// # Errors
    ///
    /// Fails if the observer's method fails.
    pub fn notify(&self, observer: &(impl LoopObserver + ?Sized)) -> Result<(), String> {
        match self {
            Self::UserMessage { message } => observer.user_message(message),
            Self::Interjection { message } => observer.interjection(message),
            Self::AssistantMessage { message, is_new } => {
                observer.assistant_message(message, *is_new)
            }
            Self::ToolCalls { message, calls } => observer.tool_calls(message, calls),
            Self::ToolStarted { call, name } => observer.tool_started(*call, name),
            Self::ToolExecuted { call, name, phase } => observer.tool_executed(*call, name, *phase),
            Self::FinalResponse {
                message,
                reason,
                cost,
            } => observer.final_response(message.as_ref(), *reason, cost),
        }
    }
}

/// The last stage of a call that was reported to observers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReportedStage {
    Generated,
    Started,
    Executed,
}

/// A converter that derives the events of the loop from the changes of a session. The host passes
/// [`Output::changes`](crate::session::Output::changes) to [`Self::record`] after each input.
#[derive(Debug, Clone, Default)]
pub struct LoopEvents {
    /// The hash of the contents of each reported message.
    messages: HashMap<MessageId, u64>,
    calls: HashMap<CallKey, ReportedStage>,
    /// The messages that are still being written.
    open: Vec<MessageId>,
    /// The id of the run whose end was reported as the end of the loop.
    ended: Option<String>,
}

impl LoopEvents {
    /// Creates the converter for a session. The existing contents of the session are not reported.
    /// A message that is still being written is reported when it is complete.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let conversation = session.conversation();
        let mut events = Self::default();
        for message in conversation.all_messages() {
            if conversation.is_being_written(&message.id) {
                events.open.push(message.id.clone());
                continue;
            }
            events
                .messages
                .insert(message.id.clone(), hash_message(message));
            let calls = conversation.calls_in(message);
            let stages = calls.map(|call| (call.key(), stage_of(call.phase())));
            events.calls.extend(stages);
        }
        if session.summary().finish.is_some() {
            let newest_run = session.summary().runs.last();
            events.ended = newest_run.map(|run| run.run_id.clone());
        }
        events
    }

    /// Returns the events for the changes of one input. If the changes open a different
    /// conversation, the result is empty.
    pub fn record(&mut self, session: &Session, changes: &[Change]) -> Vec<LoopEvent> {
        if changes.contains(&Change::Thread) {
            *self = Self::of(session);
            return Vec::new();
        }
        if changes.is_empty() {
            return Vec::new();
        }
        let conversation = session.conversation();
        let mut changed_ids = std::mem::take(&mut self.open);
        changed_ids.extend(changes.iter().filter_map(|change| match change {
            Change::MessageAdded(id) | Change::Message(id) => Some(id.clone()),
            Change::PartAdded { message, .. } | Change::PartGrew { message, .. } => {
                Some(message.clone())
            }
            Change::Call(key) => {
                let message = conversation.message_of_call(key);
                message.map(|message| message.id.clone())
            }
            _ => None,
        }));
        let mut events = Vec::new();
        let mut visited_ids = HashSet::new();
        for id in changed_ids {
            if visited_ids.insert(id.clone())
                && let Some(message) = conversation.message(&id)
            {
                self.record_message(conversation, message, &mut events);
            }
        }
        events.extend(self.record_loop_end(session));
        events
    }

    fn record_message(
        &mut self,
        conversation: &Conversation,
        message: &Message,
        events: &mut Vec<LoopEvent>,
    ) {
        let (id, interjected) = (&message.id, message.interjected);
        match (message.role, message.author) {
            (Role::User, Author::Page) => {
                if self.messages.insert(id.clone(), 0).is_none() {
                    let message = id.clone();
                    events.push(match interjected {
                        true => LoopEvent::Interjection { message },
                        false => LoopEvent::UserMessage { message },
                    });
                }
                return;
            }
            (Role::Assistant, _) => {}
            _ => return,
        }
        let mut calls = conversation.calls_in(message);
        let is_complete = !message.is_streaming() && !conversation.is_being_written(id);
        if !is_complete {
            self.open.push(id.clone());
            if calls.all(|call| stage_of(call.phase()) == ReportedStage::Generated) {
                return;
            }
        }
        if message.parts.is_empty() {
            return;
        }
        let hash = hash_message(message);
        let previous_hash = self.messages.insert(id.clone(), hash);
        if previous_hash != Some(hash) {
            events.push(LoopEvent::AssistantMessage {
                message: id.clone(),
                is_new: previous_hash.is_none(),
            });
        }
        self.record_calls(conversation, message, events);
    }

    fn record_calls(
        &mut self,
        conversation: &Conversation,
        message: &Message,
        events: &mut Vec<LoopEvent>,
    ) {
        let message_calls = || conversation.calls_in(message);
        let keys = message_calls().map(|call| call.key());
        let new_keys: Vec<CallKey> = keys.filter(|key| !self.calls.contains_key(key)).collect();
        self.calls
            .extend(new_keys.iter().map(|key| (*key, ReportedStage::Generated)));
        if !new_keys.is_empty() {
            events.push(LoopEvent::ToolCalls {
                message: message.id.clone(),
                calls: new_keys,
            });
        }
        for call in message_calls() {
            let (key, name, stage) = (call.key(), call.name.clone(), stage_of(call.phase()));
            let Some(previous_stage) = self.calls.insert(key, stage) else {
                continue;
            };
            match (previous_stage, stage) {
                (ReportedStage::Executed, _) => drop(self.calls.insert(key, previous_stage)),
                (ReportedStage::Generated, ReportedStage::Started) => {
                    events.push(LoopEvent::ToolStarted { call: key, name });
                }
                (_, ReportedStage::Executed) => events.push(LoopEvent::ToolExecuted {
                    call: key,
                    name,
                    phase: call.phase(),
                }),
                _ => {}
            }
        }
    }

    fn record_loop_end(&mut self, session: &Session) -> Option<LoopEvent> {
        let summary = session.summary();
        let reason = summary.finish?;
        let run_id = &summary.runs.last()?.run_id;
        let is_open = reason == FinishReason::Interrupt || session.is_busy();
        if is_open || self.ended.as_ref() == Some(run_id) {
            return None;
        }
        self.ended = Some(run_id.clone());
        let newest_first = session.conversation().run_path().rev();
        let mut answer_messages = newest_first.take_while(|message| !message.is_from_user());
        let last_message = answer_messages.find(|message| message.role == Role::Assistant);
        Some(LoopEvent::FinalResponse {
            message: last_message.map(|message| message.id.clone()),
            reason,
            cost: last_message
                .map(|message| message.cost.clone())
                .unwrap_or_default(),
        })
    }
}

const fn stage_of(phase: Phase) -> ReportedStage {
    match phase {
        Phase::Running => ReportedStage::Started,
        phase if phase.is_final() => ReportedStage::Executed,
        _ => ReportedStage::Generated,
    }
}

/// Hashes the parts of a message: texts by their content, calls by their keys, and other parts only
/// by their count.
fn hash_message(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in &message.parts {
        match part {
            Part::Text(text) | Part::Reasoning(text) => text.text.hash(&mut hasher),
            Part::Call(key) => key.hash(&mut hasher),
            _ => 0_u8.hash(&mut hasher),
        }
    }
    hasher.finish()
}
