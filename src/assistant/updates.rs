//! Provides records of a conversation's changes to the host, and applies records from a server that
//! runs the loop itself (rule "records").

use assistant_core::{
    observe::ObserverResult,
    records::Update,
    session::{Input, Refusal},
};

use super::Assistant;
use crate::ui::Subscription;

/// Access to the records of a conversation's changes.
impl Assistant {
    /// Returns the handle to the records of this conversation's changes.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let updates = assistant.updates();
    /// // The observer is called for the life of the assistant.
    /// updates.observe(|update| leptos::logging::log!("{}", update.to_json())).forget();
    /// # }
    /// ```
    #[must_use]
    pub fn updates(&self) -> Updates {
        Updates(self.clone())
    }
}

/// The outgoing and incoming records of a conversation's changes ([`Assistant::updates`]).
#[derive(Debug, Clone)]
pub struct Updates(Assistant);

impl Updates {
    /// Calls `observer` with a record whenever a message is complete or changes, and when a call
    /// becomes pending, is executed or ends, until the subscription is dropped. Streaming text is
    /// not recorded. The host may forward records over any socket, in the format of
    /// [`Update::to_json`].
    pub fn observe<R: ObserverResult>(
        &self,
        observer: impl Fn(&Update) -> R + 'static,
    ) -> Subscription {
        self.0.runtime().on_update(observer)
    }

    /// Applies a record from a server that runs the loop itself: the tree is updated, and nothing
    /// runs in this page. Records may arrive in any order, twice, or not at all. A record that
    /// names a conversation applies only to the conversation with that id: its `convId` is the
    /// provider's `thread_id`.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, records::Update};
    /// # fn example(assistant: &Assistant, frame: &serde_json::Value) {
    /// if let Some(update) = Update::from_json(frame) {
    ///     assistant.updates().apply(update).ok();
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a run of this session is in progress, if the record belongs to a different
    /// conversation ([`Refusal::OtherConversation`]), or if the tree does not allow the change.
    pub fn apply(&self, update: Update) -> Result<(), Refusal> {
        let update = Box::new(update);
        self.0.dispatch(Input::Update { update })
    }
}
