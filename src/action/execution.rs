//! Sets the execution options of an action.

use assistant_core::action::{Availability, Execution, ResultEncoding};

use super::ToolAction;

impl<Args> ToolAction<Args> {
    /// Makes the action render calls that the agent runs itself. The action is never offered to the
    /// agent, and never runs on the page.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("web_search", "Searches the web")
    ///     .render_only()
    ///     .render(|call| view! { <p>{move || call.args_text()}</p> });
    /// ```
    #[must_use]
    pub fn render_only(mut self) -> Self {
        self.spec = self.spec.with_availability(Availability::RenderOnly);
        self
    }

    /// Leaves the execution of calls to the agent, and never runs a handler. The user's decision is
    /// sent as the call's tool message (`approved` or `denied`), and the agent's own result
    /// completes the call. The option is for agents that end their run at such a call and have no
    /// approval of their own. Together with [`ToolAction::render_only`], the option requires
    /// approval for one of the agent's own tools.
    ///
    /// ```
    /// use leptos_assistant::{ToolAction, Approval};
    ///
    /// let action = ToolAction::new("fetch_weather", "Look up the weather of a city")
    ///     .render_only()
    ///     .approval(Approval::Always)
    ///     .run_by_agent();
    /// ```
    #[must_use]
    pub fn run_by_agent(mut self) -> Self {
        self.spec = self.spec.with_execution(Execution::Agent);
        self
    }

    /// Runs each call of the action alone. While such a call runs, no other call of any action
    /// starts, except the calls that its handler makes.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.spec = self.spec.with_exclusive(true);
        self
    }

    /// Runs the action as soon as its arguments are complete, before the run is over. Only cheap,
    /// idempotent reads should use this option.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.spec = self.spec.with_eager(true);
        self
    }

    /// Marks the action as safe to run twice. If the page was reloaded or crashed while the handler
    /// ran, the outcome of the call is unknown. An idempotent action then runs again automatically;
    /// for any other action, the user decides. The option requires a store
    /// ([`AssistantProvider`](crate::AssistantProvider)).
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.spec = self.spec.with_idempotent(true);
        self
    }

    /// Lets running handlers continue when their component is unmounted. Such handlers must not
    /// capture values that the component owns.
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.spec = self.spec.with_detached(true);
        self
    }

    /// Limits the duration of the handler to `ms` milliseconds. By default, there is no limit.
    #[must_use]
    pub fn timeout_ms(mut self, ms: u32) -> Self {
        self.spec = self.spec.with_timeout_ms(ms);
        self
    }

    /// Sets the tags by which a filter selects the action
    /// ([`Tools::offer_only`](crate::Tools::offer_only)). The agent does not receive the tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.spec = self
            .spec
            .with_tags(tags.into_iter().map(Into::into).collect());
        self
    }

    /// Offers the action regardless of the filter.
    #[must_use]
    pub fn always_offered(mut self) -> Self {
        self.spec = self.spec.with_always_offered(true);
        self
    }

    /// Sets the version of the action. The version is recorded with each call. A stored call of a
    /// different version needs approval before it runs (rule "editions of an action").
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.spec = self.spec.with_version(version);
        self
    }

    /// Sends string results as plain text instead of quoted JSON.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// // The agent reads It is "done", not "It is \"done\"".
    /// let action = ToolAction::new("state", "").handler(|| "It is \"done\"").text_result();
    /// ```
    #[must_use]
    pub fn text_result(mut self) -> Self {
        self.spec = self.spec.with_encoding(ResultEncoding::Text);
        self
    }

    /// Disables the validation of the arguments. The handler must then validate the arguments.
    #[must_use]
    pub fn unchecked(mut self) -> Self {
        self.spec = self.spec.with_validate(false);
        self
    }
}
