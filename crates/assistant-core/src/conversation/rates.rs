//! Calculates exact prices of token usage, from the price of a million tokens of each kind.

use super::{Amount, AmountError, Conversation, Cost, Message, MessageId};
use crate::event::TokenUsage;

/// The prices of a million tokens of a model.
///
/// ```
/// use assistant_core::conversation::Rates;
/// use assistant_core::event::TokenUsage;
///
/// let rates = Rates::per_million("3.00", "15.00")?.cache_reads("0.1")?;
/// let usage = TokenUsage {
///     input_tokens: Some(1_000_000),
///     cached_input_tokens: Some(100_000),
///     ..TokenUsage::default()
/// };
/// assert_eq!(rates.price(&usage).to_string(), "3.03");
/// # Ok::<(), assistant_core::conversation::AmountError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    input: Amount,
    output: Amount,
    cache_read: Amount,
    cache_write: Amount,
    cached_in_input: bool,
}

impl Rates {
    /// Creates rates from the prices of a million input and output tokens, as decimal numbers.
    /// Cached tokens cost as much as other input tokens until a different price is set.
    ///
    /// # Errors
    ///
    /// Fails if a text is not a decimal number, or has more than nine digits after the point.
    pub fn per_million(input: &str, output: &str) -> Result<Self, AmountError> {
        let parse_price = |text: &str| -> Result<Amount, AmountError> {
            let price: Amount = text.parse()?;
            price.is_price().then_some(price).ok_or(AmountError)
        };
        let (input, output) = (parse_price(input)?, parse_price(output)?);
        Ok(Self {
            input,
            output,
            cache_read: input,
            cache_write: input,
            cached_in_input: false,
        })
    }

    /// Sets the price of tokens read from a cache, as a multiple of the price of input tokens.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a decimal number, or if the price has more than nine digits after
    /// the decimal point.
    pub fn cache_reads(mut self, times: &str) -> Result<Self, AmountError> {
        self.cache_read = self.multiply_input_price(times)?;
        Ok(self)
    }

    /// Sets the price of tokens written to a cache, as a multiple of the price of input tokens.
    ///
    /// # Errors
    ///
    /// Fails under the same conditions as [`Self::cache_reads`].
    pub fn cache_writes(mut self, times: &str) -> Result<Self, AmountError> {
        self.cache_write = self.multiply_input_price(times)?;
        Ok(self)
    }

    /// Declares that the reported number of input tokens includes the cached tokens, as with some
    /// providers.
    #[must_use]
    pub const fn cached_in_input(mut self) -> Self {
        self.cached_in_input = true;
        self
    }

    fn multiply_input_price(&self, times: &str) -> Result<Amount, AmountError> {
        let price = self.input.checked_mul(times.parse()?);
        price.filter(|price| price.is_price()).ok_or(AmountError)
    }

    /// Returns the price of a token usage. Unknown token counts count as zero.
    #[must_use]
    pub fn price(&self, usage: &TokenUsage) -> Amount {
        let read_tokens = usage.cached_input_tokens.unwrap_or(0);
        let written_tokens = usage.cache_write_input_tokens.unwrap_or(0);
        let mut input_tokens = usage.input_tokens.unwrap_or(0);
        if self.cached_in_input {
            input_tokens = input_tokens
                .saturating_sub(read_tokens)
                .saturating_sub(written_tokens);
        }
        let output_tokens = usage.output_tokens.unwrap_or(0);
        let counts = [
            (self.input, input_tokens),
            (self.output, output_tokens),
            (self.cache_read, read_tokens),
            (self.cache_write, written_tokens),
        ];
        let prices = counts.map(|(rate, count)| rate.price_of(count));
        prices.into_iter().fold(Amount::ZERO, Amount::plus)
    }
}

impl Cost {
    /// Returns the exact price of all tokens. `rates` returns the rates for a usage; a usage
    /// without rates costs nothing. Returns `None` if no usage is known.
    #[must_use]
    pub fn priced(&self, mut rates: impl FnMut(&TokenUsage) -> Option<Rates>) -> Option<Amount> {
        let prices = self.usage.iter().map(|usage| {
            let rates = rates(usage);
            rates.map_or(Amount::ZERO, |rates| rates.price(usage))
        });
        prices.reduce(Amount::plus)
    }
}

impl Conversation {
    /// Returns the sum of the costs of the messages with these ids. Unknown ids are ignored.
    #[must_use]
    pub fn cost_of<'a>(&self, messages: impl IntoIterator<Item = &'a MessageId>) -> Cost {
        sum_costs(messages.into_iter().filter_map(|id| self.message(id)))
    }

    /// Adds up the costs of the shown messages.
    #[must_use]
    pub fn path_cost(&self) -> Cost {
        sum_costs(self.path())
    }

    /// Adds up the costs of the messages from the first message to this one. The sum is empty if no
    /// message has this id.
    #[must_use]
    pub fn cost_up_to(&self, id: &MessageId) -> Cost {
        let chain = self.path_to(id).unwrap_or_default();
        self.cost_of(chain)
    }

    /// Adds up the costs of the messages on all branches.
    #[must_use]
    pub fn tree_cost(&self) -> Cost {
        sum_costs(self.all_messages())
    }
}

fn sum_costs<'a>(messages: impl Iterator<Item = &'a Message>) -> Cost {
    let mut cost = Cost::default();
    for message in messages {
        cost.add(&message.cost);
    }
    cost
}
