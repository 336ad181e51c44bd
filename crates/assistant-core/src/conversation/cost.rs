//! Defines the cost of a message: the tokens, time and price of the runs that ended with the
//! message.
//!
//! Values that the agent does not report are unknown, and are not estimated (rule "usage").

use serde_json::Value;

use crate::{
    event::{Object, TokenUsage},
    json::{fields::Writer, form},
};

/// The maximum number of models for which a message stores tokens.
const MAX_MODELS: usize = 16;

/// The tokens, time and price of one or more runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    pub(crate) usage: Vec<TokenUsage>,
    pub(crate) duration_ms: Option<u64>,
    pub(crate) waited_ms: Option<u64>,
    pub(crate) price_micros: Option<u64>,
}

impl Cost {
    /// Returns the numbers of tokens, with one entry for each provider and model.
    #[must_use]
    pub fn usage(&self) -> &[TokenUsage] {
        &self.usage
    }

    /// Returns the duration in milliseconds, including the time of tools and of questions to the
    /// user. Returns `None` if the duration is unknown.
    #[must_use]
    pub const fn duration_ms(&self) -> Option<u64> {
        self.duration_ms
    }

    /// Returns the part of the duration that was spent waiting for the user, in milliseconds.
    /// Returns `None` if no time was spent waiting, or if the time is unknown.
    #[must_use]
    pub const fn waited_ms(&self) -> Option<u64> {
        self.waited_ms
    }

    /// Returns the price in millionths of the host's currency, or `None` if the price is unknown.
    /// The price is an integer, so sums are exact.
    #[must_use]
    pub const fn price_micros(&self) -> Option<u64> {
        self.price_micros
    }

    /// Returns true if tokens, duration and price are unknown.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.usage.is_empty() && self.duration_ms.is_none() && self.price_micros.is_none()
    }

    /// Merges a newer report. Counts that the report omits are kept, and the duration is never
    /// decreased.
    pub(super) fn merge_report(&mut self, report: Self) {
        if !report.usage.is_empty() {
            self.usage = merge_usage(std::mem::take(&mut self.usage), report.usage);
        }
        self.duration_ms = self.duration_ms.max(report.duration_ms);
        self.price_micros = report.price_micros.or(self.price_micros);
    }

    /// Adds the tokens of each model, the durations and the price of another cost. If the list of
    /// models is full, the tokens of further models are discarded.
    pub fn add(&mut self, other: &Self) {
        for usage in &other.usage {
            self.add_usage(usage);
        }
        add_to_count(&mut self.duration_ms, other.duration_ms);
        add_to_count(&mut self.waited_ms, other.waited_ms);
        add_to_count(&mut self.price_micros, other.price_micros);
    }

    fn add_usage(&mut self, usage: &TokenUsage) {
        let has_room = self.usage.len() < MAX_MODELS;
        let is_same_model = |known: &&mut TokenUsage| {
            known.provider == usage.provider && known.model == usage.model
        };
        match self.usage.iter_mut().find(is_same_model) {
            Some(known) => {
                add_to_count(&mut known.input_tokens, usage.input_tokens);
                add_to_count(&mut known.output_tokens, usage.output_tokens);
                add_to_count(&mut known.total_tokens, usage.total_tokens);
                add_to_count(&mut known.reasoning_tokens, usage.reasoning_tokens);
                add_to_count(&mut known.cached_input_tokens, usage.cached_input_tokens);
                add_to_count(
                    &mut known.cache_write_input_tokens,
                    usage.cache_write_input_tokens,
                );
            }
            None if has_room => self.usage.push(usage.clone()),
            None => {}
        }
    }

    /// Returns the sum of the tokens of all models, or `None` if no tokens are known.
    #[must_use]
    pub fn total_usage(&self) -> Option<TokenUsage> {
        let entries = self.usage.iter();
        let sum_field =
            |field: fn(&TokenUsage) -> Option<u64>| sum_counts(entries.clone().map(field));
        let usage = TokenUsage {
            provider: None,
            model: None,
            input_tokens: sum_field(|usage| usage.input_tokens),
            output_tokens: sum_field(|usage| usage.output_tokens),
            total_tokens: sum_field(|usage| usage.total_tokens),
            reasoning_tokens: sum_field(|usage| usage.reasoning_tokens),
            cached_input_tokens: sum_field(|usage| usage.cached_input_tokens),
            cache_write_input_tokens: sum_field(|usage| usage.cache_write_input_tokens),
        };
        (usage != TokenUsage::default()).then_some(usage)
    }

    /// Returns the known number of input tokens, or `None` if the number is unknown for all models.
    #[must_use]
    pub fn input_tokens(&self) -> Option<u64> {
        sum_counts(self.usage.iter().map(|usage| usage.input_tokens))
    }

    /// Returns the known number of output tokens, or `None` if the number is unknown for all
    /// models.
    #[must_use]
    pub fn output_tokens(&self) -> Option<u64> {
        sum_counts(self.usage.iter().map(|usage| usage.output_tokens))
    }

    /// Returns the number of all tokens. Returns `None` if no tokens are known, or if a model has
    /// neither a known total nor known numbers of both input and output tokens.
    #[must_use]
    pub fn total_tokens(&self) -> Option<u64> {
        let total_of = |usage: &TokenUsage| {
            let input_and_output =
                || Some(usage.input_tokens?.saturating_add(usage.output_tokens?));
            usage.total_tokens.or_else(input_and_output)
        };
        let totals: Option<Vec<u64>> = self.usage.iter().map(total_of).collect();
        sum_counts(totals?.into_iter().map(Some))
    }

    pub(super) fn write_fields(&self, out: &mut Writer) {
        out.opt_list("usage", &self.usage, form::usage_to_value);
        out.opt_count("durationMs", self.duration_ms);
        out.opt_count("waitedMs", self.waited_ms);
        out.opt_count("priceMicros", self.price_micros);
    }

    /// Removes the fields of a stored cost from an object, and returns the cost. Invalid values are
    /// treated as unknown.
    pub(super) fn take_fields(from: &mut Object) -> Self {
        let mut cost = Self::default();
        if let Some(Value::Array(list)) = from.shift_remove("usage") {
            let usage = list
                .into_iter()
                .filter_map(|entry| form::usage_from_value(entry).ok());
            cost.usage = usage.take(MAX_MODELS).collect();
        }
        let ms = from.shift_remove("durationMs");
        cost.duration_ms = ms.and_then(|ms| ms.as_u64());
        let ms = from.shift_remove("waitedMs");
        cost.waited_ms = ms.and_then(|ms| ms.as_u64());
        let price = from.shift_remove("priceMicros");
        cost.price_micros = price.and_then(|price| price.as_u64());
        cost
    }
}

/// Merges a newer report of usage into the known usage, count by count for each model. A report
/// without a provider and a model contains the totals of all models and replaces the known usage.
/// Counts that such a report omits are taken from the known sums.
fn merge_usage(known: Vec<TokenUsage>, report: Vec<TokenUsage>) -> Vec<TokenUsage> {
    let is_total = |usage: &TokenUsage| usage.provider.is_none() && usage.model.is_none();
    let sum_of_models = |known: Vec<TokenUsage>| match <[TokenUsage; 1]>::try_from(known) {
        Ok([only]) => Some(only),
        Err(usage) => Cost {
            usage,
            ..Cost::default()
        }
        .total_usage(),
    };
    if report.iter().any(is_total) || known.iter().all(is_total) {
        return match (sum_of_models(known), <[TokenUsage; 1]>::try_from(report)) {
            (Some(known), Ok([report])) => vec![fill_missing_counts(report, known)],
            (_, Ok([report])) => vec![report],
            (_, Err(report)) => report,
        };
    }
    let mut merged_usage = known;
    for usage in report {
        let is_same_model = |known: &&mut TokenUsage| {
            known.provider == usage.provider && known.model == usage.model
        };
        let has_room = merged_usage.len() < MAX_MODELS;
        match merged_usage.iter_mut().find(is_same_model) {
            Some(known) => *known = fill_missing_counts(usage, std::mem::take(known)),
            None if has_room => merged_usage.push(usage),
            None => {}
        }
    }
    merged_usage
}

/// Returns the newer report. Counts that the newer report omits are taken from the known report.
fn fill_missing_counts(report: TokenUsage, known: TokenUsage) -> TokenUsage {
    TokenUsage {
        provider: report.provider.or(known.provider),
        model: report.model.or(known.model),
        input_tokens: report.input_tokens.or(known.input_tokens),
        output_tokens: report.output_tokens.or(known.output_tokens),
        total_tokens: report.total_tokens.or(known.total_tokens),
        reasoning_tokens: report.reasoning_tokens.or(known.reasoning_tokens),
        cached_input_tokens: report.cached_input_tokens.or(known.cached_input_tokens),
        cache_write_input_tokens: report
            .cache_write_input_tokens
            .or(known.cache_write_input_tokens),
    }
}

fn add_to_count(known: &mut Option<u64>, count: Option<u64>) {
    if let Some(count) = count {
        *known = Some(known.unwrap_or_default().saturating_add(count));
    }
}

fn sum_counts(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.flatten().reduce(u64::saturating_add)
}
