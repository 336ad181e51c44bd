//! What the agent is offered, and what became of its calls.

use assistant_core::{
    action::{OfferFilter, ToolInfo},
    session::{Input, ToolHistory},
};
use leptos::prelude::*;

use super::Assistant;

impl Assistant {
    /// Narrows what the agent is offered to actions with certain tags or names: a value, a signal or a
    /// closure, read when a run opens. `None` offers everything that is registered and enabled. What
    /// is kept back is refused if the agent calls it anyway; [`Self::execute`] is not narrowed.
    /// The filter stays for as long as the assistant lives, or until another one takes its place.
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
            // Of a signal that is gone, what it said last stays in force.
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

    /// Offers the agent actions of these names, too, until the person speaks, from the next run on.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.offer_too(["check_out"]);
    /// # }
    /// ```
    pub fn offer_too<T: Into<String>>(&self, names: impl IntoIterator<Item = T>) {
        let names = names.into_iter().map(Into::into).collect();
        // Names that are not there are passed over.
        let _ = self.dispatch(Input::Reveal { names });
    }

    /// Lists the actions that are registered and enabled for the agent, in order of registration, with
    /// tags, version and fingerprint, and whether the filter lets them be offered.
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

    /// The calls of the conversation, on all branches, and those that the page made itself: how many
    /// of each tool, and the newest two hundred with arguments, result and times.
    ///
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

    /// A name for this assistant in this page, another one after each load: to tell its own records
    /// from those of other tabs.
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
