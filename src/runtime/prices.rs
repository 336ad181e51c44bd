//! Determines the prices of tokens with a function of the application.

use std::{cell::RefCell, rc::Rc};

use assistant_core::event::TokenUsage;

use super::Runtime;

/// A function that returns the price of token usage, in millionths of the currency. Returns `None`
/// if the price is unknown.
pub(crate) type PriceRule = Rc<dyn Fn(&TokenUsage) -> Option<u64>>;

/// The application's price rule, and the currency of its prices.
#[derive(Default)]
pub(super) struct Prices {
    rule: RefCell<Option<PriceRule>>,
    currency: RefCell<String>,
}

impl Runtime {
    pub(crate) fn set_prices(&self, currency: String, rule: PriceRule) {
        self.prices.currency.replace(currency);
        self.prices.rule.replace(Some(rule));
    }

    /// Returns the currency of the prices. Returns an empty string if the application has set no
    /// prices.
    pub(crate) fn currency(&self) -> String {
        self.prices.currency.borrow().clone()
    }

    pub(super) fn price_of(&self, usage: &TokenUsage) -> Option<u64> {
        let rule = self.prices.rule.borrow().clone();
        rule.and_then(|rule| rule(usage))
    }
}
