//! Records of what happens, in and out: for a host that forwards them, or that receives them from a
//! server which runs the loop itself.

use assistant_core::{
    observe::Heard,
    records::Update,
    session::{Input, Refusal},
};

use super::Assistant;

impl Assistant {
    /// Calls back with a record whenever a message is complete or changes, and when a call is
    /// pending, executed or over. Text is not recorded while it streams in. The host may forward
    /// records over any socket, as [`Update::to_json`] writes them.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.on_update(|update| leptos::logging::log!("{}", update.to_json()));
    /// # }
    /// ```
    pub fn on_update<R: Heard>(&self, observer: impl Fn(&Update) -> R + 'static) {
        self.runtime().on_update(observer);
    }

    /// Takes in a record from a server that runs the loop itself: the tree follows, and nothing
    /// runs here. Records may come in any order, twice, or not at all.
    ///
    /// ```
    /// # use leptos_assistant::{Assistant, engine::records::Update};
    /// # fn example(assistant: &Assistant, frame: &serde_json::Value) {
    /// if let Some(update) = Update::from_json(frame) {
    ///     assistant.take_update(update).ok();
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// While a run of this session is under way, or when the tree does not allow it.
    pub fn take_update(&self, update: Update) -> Result<(), Refusal> {
        let update = Box::new(update);
        self.dispatch(Input::Update { update })
    }
}
