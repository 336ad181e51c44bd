//! Records of changes: for a host that forwards them, or that receives them from a server which
//! runs the loop itself.

use assistant_core::{
    observe::ObserverResult,
    records::Update,
    session::{Input, Refusal},
};

use super::Assistant;

impl Assistant {
    /// Calls back with a record whenever a message is complete or changes, and when a call is
    /// pending, executed or over. Streaming text is not recorded. The host may forward records over
    /// any socket, in the format of [`Update::to_json`].
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.on_update(|update| leptos::logging::log!("{}", update.to_json()));
    /// # }
    /// ```
    pub fn on_update<R: ObserverResult>(&self, observer: impl Fn(&Update) -> R + 'static) {
        self.runtime().on_update(observer);
    }

    /// Applies a record from a server that runs the loop itself: the tree is updated, and nothing
    /// runs here. Records may arrive in any order, twice, or not at all. A record that names a
    /// conversation applies to that one only: the provider's `thread_id` is its `convId`.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, records::Update};
    /// # fn example(assistant: &Assistant, frame: &serde_json::Value) {
    /// if let Some(update) = Update::from_json(frame) {
    ///     assistant.take_update(update).ok();
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails while a run of this session is in progress, for a record of another conversation
    /// ([`Refusal::OtherConversation`]), or if the tree does not allow it.
    pub fn take_update(&self, update: Update) -> Result<(), Refusal> {
        let update = Box::new(update);
        self.dispatch(Input::Update { update })
    }
}
