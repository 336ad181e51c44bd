//! Decodes and encodes token usage.

use serde_json::Value;

use super::from_store;
use crate::event::{TokenUsage, fault::ProtocolError};
use crate::json::fields::{Context, Fields, Path, Read, Writer};

/// Decodes stored token usage.
///
/// # Errors
/// Fails if a known field has a wrong value.
pub fn usage_from_value(value: Value) -> Result<TokenUsage, ProtocolError> {
    from_store(value, "usage", usage)
}

/// Decodes token usage at a location of an event or a document.
///
/// # Errors
/// Fails if a known field has a wrong value.
pub fn usage(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<TokenUsage> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let usage = TokenUsage {
        provider: f.opt_text(context, "provider"),
        model: f.opt_text(context, "model"),
        input_tokens: read_count(f, context, "inputTokens"),
        output_tokens: read_count(f, context, "outputTokens"),
        total_tokens: read_count(f, context, "totalTokens"),
        reasoning_tokens: read_count(f, context, "reasoningTokens"),
        cached_input_tokens: read_count(f, context, "cachedInputTokens"),
        cache_write_input_tokens: read_count(f, context, "cacheWriteInputTokens"),
    };
    fields.close(context, usage)
}

fn read_count(f: &mut Fields<'_>, context: &mut Context<'_>, key: &'static str) -> Option<u64> {
    let number = f.opt_integer(context, key, 0)?;
    u64::try_from(number).ok()
}

/// Encodes token usage for a store.
#[must_use]
pub fn usage_to_value(usage: &TokenUsage) -> Value {
    let mut w = Writer::default();
    w.opt_text("provider", usage.provider.as_deref());
    w.opt_text("model", usage.model.as_deref());
    w.opt_count("inputTokens", usage.input_tokens);
    w.opt_count("outputTokens", usage.output_tokens);
    w.opt_count("totalTokens", usage.total_tokens);
    w.opt_count("reasoningTokens", usage.reasoning_tokens);
    w.opt_count("cachedInputTokens", usage.cached_input_tokens);
    w.opt_count("cacheWriteInputTokens", usage.cache_write_input_tokens);
    w.into_value()
}
