//! The prices of tokens, and the cost of a conversation.

use std::rc::Rc;

use assistant_core::{conversation::Cost, event::TokenUsage};
use leptos::prelude::*;

use super::Assistant;

/// Methods for prices and costs.
impl Assistant {
    /// Sets the prices of tokens. The rule returns the price of token usage in millionths of the
    /// currency (a code such as `EUR`), or `None` if the price of the model is unknown. From then
    /// on, answers show their cost.
    ///
    /// ```no_run
    /// use leptos_assistant::{conversation::Rates, use_assistant};
    ///
    /// let assistant = use_assistant().expect("below a provider");
    /// let rates = Rates::per_million("3.00", "15.00").expect("two numbers");
    /// assistant.set_prices("USD", move |usage| Some(rates.price(usage).micros()));
    /// ```
    pub fn set_prices(
        &self,
        currency: impl Into<String>,
        rule: impl Fn(&TokenUsage) -> Option<u64> + 'static,
    ) {
        self.runtime().set_prices(currency.into(), Rc::new(rule));
    }

    /// Returns the tokens, the time and the price of the branch that is shown, as a signal.
    #[must_use]
    pub fn cost(&self) -> ArcSignal<Cost> {
        let assistant = self.clone();
        ArcSignal::derive(move || {
            // The activity is tracked, because the cost of a run is known only after the run has
            // ended.
            assistant.view().activity.track();
            assistant.view().messages.track();
            let cost = assistant.with_conversation(|conversation| conversation.path_cost());
            cost.unwrap_or_default()
        })
    }
}
