//! Who runs an action, when, and for how long.

use assistant_core::action::{Availability, Execution, ResultEncoding};

use super::ToolAction;

impl<Args> ToolAction<Args> {
    /// Only shows what the agent does itself: never offered, never run here.
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
        self.spec.availability = Availability::RenderOnly;
        self
    }

    /// The agent runs it, not the page: what the person decides goes to the agent as the call's
    /// tool message, `approved` or `denied`, and the agent's own result completes the call. For
    /// agents that end their run at such a call and have no approval of their own; a handler is not
    /// run. Together with [`ToolAction::render_only`] it asks about one of the agent's own tools.
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
        self.spec.execution = Execution::Agent;
        self
    }

    /// Never runs at the same time as another action.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("reindex", "Rebuilds the index").exclusive();
    /// ```
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.spec.exclusive = true;
        self
    }

    /// Runs as soon as its arguments are complete, before the run is over. Only for cheap,
    /// idempotent reads.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("time", "Tells the time").handler(|| "12:00").eager();
    /// ```
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.spec.eager = true;
        self
    }

    /// May run twice without harm. Where the page was loaded again, or crashed, while the handler ran,
    /// nobody knows whether it came to its end: an idempotent action runs again by itself, of any
    /// other the person is asked. It needs a store
    /// ([`AssistantProvider`](crate::AssistantProvider)).
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("get_weather", "Looks up the weather")
    ///     .handler(|| "Sunny")
    ///     .idempotent();
    /// ```
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.spec.idempotent = true;
        self
    }

    /// Goes on when its component goes; the handler must capture nothing that the component owns.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// async fn upload() -> Result<(), String> {
    ///     Ok(())
    /// }
    ///
    /// let action = ToolAction::new("upload", "Uploads the file").handler(upload).detached();
    /// ```
    #[must_use]
    pub fn detached(mut self) -> Self {
        self.spec.detached = true;
        self
    }

    /// Gives the handler up after some milliseconds; without it, it may take as long as it likes.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("ping", "Asks the server").handler(|| "pong").timeout_ms(5_000);
    /// ```
    #[must_use]
    pub fn timeout_ms(mut self, ms: u32) -> Self {
        self.spec.timeout_ms = Some(ms);
        self
    }

    /// Words by which a filter finds it ([`Assistant::offer_only`](crate::Assistant::offer_only)); the
    /// agent is not told.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("check_out", "Buys what is in the cart").tags(["cart"]);
    /// ```
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.spec.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Offered whatever filter is in force.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("help", "Says what one can do here").always_offered();
    /// ```
    #[must_use]
    pub fn always_offered(mut self) -> Self {
        self.spec.always_offered = true;
        self
    }

    /// Says which version of the action this is. It stands in records, and a call that was stored under
    /// another one is asked about before it runs (rule "editions of an action").
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("pay", "Pays a bill").version("2");
    /// ```
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.spec.version = Some(version.into());
        self
    }

    /// Sends string results as they are instead of quoted.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// // The agent reads It is "done", not "It is \"done\"".
    /// let action = ToolAction::new("state", "").handler(|| "It is \"done\"").text_result();
    /// ```
    #[must_use]
    pub fn text_result(mut self) -> Self {
        self.spec.encoding = ResultEncoding::Text;
        self
    }

    /// Leaves checking the arguments to the handler.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    ///
    /// let action = ToolAction::new("note", "Takes anything")
    ///     .handler(|note: serde_json::Value| note.to_string())
    ///     .unchecked();
    /// ```
    #[must_use]
    pub fn unchecked(mut self) -> Self {
        self.spec.validate = false;
        self
    }
}
