//! Provides the state of an assistant as signals. The modules `conversations`, `branches` and
//! `tools` contain the signals of these topics.

use assistant_core::{
    conversation::{CallKey, Conversation, MessageId},
    event::{Content, Event},
    session::{AgentStep, Notice, OpenInterrupt, TurnSummary},
};
use leptos::prelude::*;
use serde_json::Value;

use super::{Assistant, ToolCallView};
use crate::view::{Activity, CallCell, MessageCell, MessageList};

/// Methods that return the signals and the contents of the conversation.
impl Assistant {
    /// Returns the messages of the chat, oldest first, as a signal.
    #[must_use]
    pub fn messages(&self) -> ArcReadSignal<MessageList> {
        self.view().messages.read_only()
    }

    /// Returns the signals of one message. Returns `None` if there is no such message.
    #[must_use]
    pub fn message(&self, id: &MessageId) -> Option<MessageCell> {
        self.read(|session| self.view().message(id, session))
            .flatten()
    }

    /// Returns the text of one message, without reasoning, files and calls, as a signal that
    /// changes while the text streams in.
    ///
    /// ```no_run
    /// use leptos::prelude::*;
    /// use leptos_assistant::use_assistant;
    ///
    /// #[component]
    /// fn Log() -> impl IntoView {
    ///     let assistant = use_assistant()?;
    ///     let messages = assistant.messages();
    ///     Some(view! {
    ///         <For each=move || messages.get().to_vec() key=|entry| entry.id().clone() let:entry>
    ///             <p data-role=entry.role().as_str()>{assistant.message_text(entry.id())}</p>
    ///         </For>
    ///     })
    /// }
    /// ```
    #[must_use]
    pub fn message_text(&self, id: &MessageId) -> ArcSignal<String> {
        let (assistant, id, cell) = (self.clone(), id.clone(), self.message(id));
        ArcSignal::derive(move || {
            if let Some(cell) = &cell {
                cell.parts
                    .with(|parts| parts.iter().for_each(|part| part.mark.track()));
            }
            let text = assistant.with_conversation(|c| Some(c.message(&id)?.text()));
            text.flatten().unwrap_or_default()
        })
    }

    /// Returns the activity of the chat, as a signal.
    #[must_use]
    pub fn activity(&self) -> ArcReadSignal<Activity> {
        self.view().activity.read_only()
    }

    /// Returns the notices, oldest first, as a signal.
    #[must_use]
    pub fn notices(&self) -> ArcReadSignal<Vec<Notice>> {
        self.view().notices.read_only()
    }

    /// Returns the steps that the agent reports in the current run, as a signal. The steps of a
    /// finished run belong to the message of the run
    /// ([`MessageCell::steps`](crate::view::MessageCell::steps)); if the run left no message, the
    /// steps stay in this signal until the user's next message.
    #[must_use]
    pub fn agent_steps(&self) -> ArcReadSignal<Vec<AgentStep>> {
        self.view().agent_steps.read_only()
    }

    /// Returns the state shared with the agent, as a signal. The state is copied only when it is
    /// read.
    #[must_use]
    pub fn state(&self) -> ArcSignal<Value> {
        let (assistant, changes) = (self.clone(), self.view().state.clone());
        ArcSignal::derive(move || {
            changes.track();
            let state = assistant.with_conversation(|conversation| conversation.state().clone());
            state.unwrap_or_default()
        })
    }

    /// Returns the interrupts whose answers the agent waits for, as a signal.
    #[must_use]
    pub fn interrupts(&self) -> ArcReadSignal<Vec<OpenInterrupt>> {
        self.view().interrupts.read_only()
    }

    /// Returns the keys of the calls that wait for the user's decision, oldest first, as a signal.
    #[must_use]
    pub fn pending_approvals(&self) -> ArcReadSignal<Vec<CallKey>> {
        self.view().approvals.read_only()
    }

    /// Returns the user's messages that wait until an answer to the agent has been sent, as a
    /// signal.
    #[must_use]
    pub fn queued(&self) -> ArcReadSignal<Vec<Content>> {
        self.view().queued.read_only()
    }

    /// Returns the conversation's id, as a signal.
    #[must_use]
    pub fn thread_id(&self) -> ArcReadSignal<String> {
        self.view().thread_id.read_only()
    }

    /// Returns the signals of one call. Returns `None` if there is no such call.
    #[must_use]
    pub fn call(&self, key: &CallKey) -> Option<CallCell> {
        self.read(|session| self.view().call(key, session))
            .flatten()
    }

    /// Returns a view of one call: name, arguments, phase, result, and the user's decisions.
    /// Returns `None` if there is no such call.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// for key in assistant.pending_approvals().get() {
    ///     let name = assistant.tool_call(&key).map(|call| call.name());
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn tool_call(&self, key: &CallKey) -> Option<ToolCallView> {
        self.call(key)?;
        Some(ToolCallView::new(self, *key).with_streamed_args(true))
    }

    /// Returns the raw, custom, step, subagent and reasoning boundary events of the agent, newest
    /// last, for the application to interpret. At most 256 events are kept, within the limit
    /// `side_event_bytes`.
    #[must_use]
    pub fn side_events(&self) -> Vec<Event> {
        self.read(|session| session.side_events().to_vec())
            .unwrap_or_default()
    }

    /// Calls `read` with the conversation. Returns `None` only while the session calls a function
    /// of the application, such as a stop rule.
    pub fn with_conversation<R>(&self, read: impl FnOnce(&Conversation) -> R) -> Option<R> {
        self.read(|session| read(session.conversation()))
    }

    /// Returns a summary of the current turn, as a signal. A turn begins with a message of the
    /// user.
    #[must_use]
    pub fn summary(&self) -> ArcSignal<TurnSummary> {
        let assistant = self.clone();
        ArcSignal::derive(move || {
            // All of these signals are tracked, because the summary changes with each of them.
            let view = assistant.view();
            view.runs.track();
            view.activity.track();
            view.messages.track();
            view.running.track();
            let summary = assistant.read(|session| session.summary().clone());
            summary.unwrap_or_default()
        })
    }
}
