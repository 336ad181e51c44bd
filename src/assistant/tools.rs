//! The tools offered to the agent, and the history of its calls.

use assistant_core::{
    action::{OfferFilter, ToolInfo},
    session::{Input, ToolHistory},
};
use leptos::prelude::*;

use super::Assistant;

impl Assistant {
    /// Narrows the actions that are offered to the agent by tags or names: a value, a signal or a
    /// closure, read when a run opens. `None` offers everything that is registered and enabled. The
    /// agent's calls to other actions are refused; [`Self::execute`] is not narrowed. The filter
    /// stays for the life of the assistant, or until it is replaced.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::OfferFilter;
    ///
    /// let in_cart = RwSignal::new(false);
    /// assistant.offer_only(move || in_cart.get().then(|| OfferFilter::default().tag("cart")));
    /// # }
    /// ```
    pub fn offer_only<M>(&self, filter: impl IntoReactiveValue<Signal<Option<OfferFilter>>, M>) {
        self.offer(filter.into_reactive_value());
    }

    fn offer(&self, filter: Signal<Option<OfferFilter>>) {
        let assistant = self.weak();
        let read = move || {
            // After the signal is disposed, its last value stays active.
            if let (Some(assistant), Some(filter)) =
                (assistant.upgrade(), filter.try_get_untracked())
            {
                // A filter is never refused.
                let _ = assistant.dispatch(Input::Offer { filter });
            }
        };
        read();
        self.runtime().set_filter_source(read);
    }

    /// Also offers the agent actions of these names, from the next run on, until the user's next
    /// message.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.offer_too(["check_out"]);
    /// # }
    /// ```
    pub fn offer_too<T: Into<String>>(&self, names: impl IntoIterator<Item = T>) {
        let names = names.into_iter().map(Into::into).collect();
        // Unknown names are ignored.
        let _ = self.dispatch(Input::Reveal { names });
    }

    /// Lists the actions that are registered and enabled for the agent, in order of registration,
    /// with tags, version and fingerprint, and whether the filter offers them.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// for tool in assistant.list_tools() {
    ///     leptos::logging::log!("{} {:?} {}", tool.name, tool.tags, tool.is_offered);
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn list_tools(&self) -> Vec<ToolInfo> {
        self.read(assistant_core::session::Session::list_tools)
            .unwrap_or_default()
    }

    /// Returns the calls of the conversation, on all branches, and those of the page itself: the
    /// count for each tool, and the newest two hundred with arguments, result and times.
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let history = assistant.tool_history();
    /// leptos::logging::log!("{} calls, {} of web_search", history.total, history.count("web_search"));
    /// # }
    /// ```
    #[must_use]
    pub fn tool_history(&self) -> ToolHistory {
        self.read(assistant_core::session::Session::tool_history)
            .unwrap_or_default()
    }

    /// Returns an id for this assistant in this page. It changes with each load, and distinguishes
    /// records of this page from those of other tabs.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// let id: String = assistant.client_id().to_owned();
    /// # }
    /// ```
    #[must_use]
    pub fn client_id(&self) -> &str {
        self.runtime().client_id()
    }
}
