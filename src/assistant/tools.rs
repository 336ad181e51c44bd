//! Lists the tools and their calls, and selects the tools that are offered to the agent.

use assistant_core::{
    action::{OfferFilter, ToolInfo},
    conversation::{CallKey, Conversation, Phase},
    event::Tool,
    session::{Input, ToolHistory},
};
use leptos::prelude::*;

use super::Assistant;

/// Access to the tools that are offered to the agent.
impl Assistant {
    /// Returns the tools of the assistant: the actions offered to the agent, and their calls.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let tools = assistant.tools();
    /// let (offered, running) = (tools.offered(), tools.running());
    /// let status = move || format!("{} offered, {} running", offered.with(Vec::len), running.with(Vec::len));
    /// # }
    /// ```
    #[must_use]
    pub fn tools(&self) -> Tools {
        Tools(self.clone())
    }
}

/// The tools of an assistant ([`Assistant::tools`]).
#[derive(Debug, Clone)]
pub struct Tools(Assistant);

impl Tools {
    /// Returns the tools offered to the agent, as a signal.
    #[must_use]
    pub fn offered(&self) -> ArcReadSignal<Vec<Tool>> {
        self.0.view().tools.read_only()
    }

    /// Returns the names of the tools that are running, in this page or remotely, as a signal.
    #[must_use]
    pub fn running(&self) -> ArcReadSignal<Vec<String>> {
        self.0.view().running.read_only()
    }

    /// Returns the keys of the calls that are running, in this page or remotely, in order of
    /// appearance, as a signal.
    #[must_use]
    pub fn running_calls(&self) -> ArcSignal<Vec<CallKey>> {
        let assistant = self.0.clone();
        ArcSignal::derive(move || {
            assistant.view().running.track();
            let active_calls = assistant.with_conversation(Conversation::active_calls);
            let is_running = |key: &CallKey| {
                let cell = assistant.call(key);
                cell.is_some_and(|cell| cell.phase.get() == Phase::Running)
            };
            active_calls
                .unwrap_or_default()
                .into_iter()
                .filter(is_running)
                .collect()
        })
    }

    /// Limits the actions that are offered to the agent, by tags or names. The filter is a value, a
    /// signal or a closure, and is read when a run opens. `None` offers all actions that are
    /// registered and enabled. The agent's calls to other actions are refused;
    /// [`Assistant::execute`] ignores the filter. The filter applies for the life of the assistant,
    /// or until it is replaced.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::OfferFilter;
    ///
    /// let in_cart = RwSignal::new(false);
    /// assistant.tools().offer_only(move || in_cart.get().then(|| OfferFilter::default().tag("cart")));
    /// # }
    /// ```
    pub fn offer_only<M>(&self, filter: impl IntoReactiveValue<Signal<Option<OfferFilter>>, M>) {
        self.set_offer_filter(filter.into_reactive_value());
    }

    fn set_offer_filter(&self, filter: Signal<Option<OfferFilter>>) {
        let assistant = self.0.weak();
        let apply_filter = move || {
            // If the signal is disposed, nothing is dispatched, and the last value remains in use.
            if let (Some(assistant), Some(filter)) =
                (assistant.upgrade(), filter.try_get_untracked())
            {
                // The result is ignored, because the session never refuses this input.
                let _ = assistant.dispatch(Input::Offer { filter });
            }
        };
        apply_filter();
        self.0.runtime().set_filter_source(apply_filter);
    }

    /// Offers the named actions to the agent in addition to those that the filter selects, from the
    /// next run on, until the user's next message.
    pub fn offer_also<T: Into<String>>(&self, names: impl IntoIterator<Item = T>) {
        let names = names.into_iter().map(Into::into).collect();
        // The result is ignored, because the session skips unknown names and never refuses this
        // input.
        let _ = self.0.dispatch(Input::Reveal { names });
    }

    /// Lists the actions that are registered and enabled for the agent, in order of registration,
    /// with their tags, version and fingerprint, and whether the filter offers each action.
    #[must_use]
    pub fn list(&self) -> Vec<ToolInfo> {
        self.0
            .read(assistant_core::session::Session::list_tools)
            .unwrap_or_default()
    }

    /// Returns the history of the calls in the conversation, on all branches, and of the calls by
    /// the page itself: the number of calls for each tool, and the newest 200 calls with arguments,
    /// result and times.
    #[must_use]
    pub fn history(&self) -> ToolHistory {
        self.0
            .read(assistant_core::session::Session::tool_history)
            .unwrap_or_default()
    }
}
