//! Decodes and encodes token usage.

use serde_json::Value;

use super::from_store;
use crate::event::{TokenUsage, fault::ProtocolError};
use crate::json::fields::{Context, Fields, Path, Read, Writer};

/// Decodes stored token usage.
///
/// # Errors
/// Fails if a known field has an invalid value.
pub fn usage_from_value(value: Value) -> Result<TokenUsage, ProtocolError> {
    from_store(value, "usage", usage)
}

/// Decodes token usage at a location in an event or a document.
///
/// # Errors
/// Fails if a known field has an invalid value.
pub fn usage(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<TokenUsage> {
    let mut fields = Fields::of(value, context, path)?;
    let reader = &mut fields;
    let usage = TokenUsage {
        provider: reader.opt_text(context, "provider"),
        model: reader.opt_text(context, "model"),
        input_tokens: read_count(reader, context, "inputTokens"),
        output_tokens: read_count(reader, context, "outputTokens"),
        total_tokens: read_count(reader, context, "totalTokens"),
        reasoning_tokens: read_count(reader, context, "reasoningTokens"),
        cached_input_tokens: read_count(reader, context, "cachedInputTokens"),
        cache_write_input_tokens: read_count(reader, context, "cacheWriteInputTokens"),
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
    let mut writer = Writer::default();
    writer.opt_text("provider", usage.provider.as_deref());
    writer.opt_text("model", usage.model.as_deref());
    writer.opt_count("inputTokens", usage.input_tokens);
    writer.opt_count("outputTokens", usage.output_tokens);
    writer.opt_count("totalTokens", usage.total_tokens);
    writer.opt_count("reasoningTokens", usage.reasoning_tokens);
    writer.opt_count("cachedInputTokens", usage.cached_input_tokens);
    writer.opt_count("cacheWriteInputTokens", usage.cache_write_input_tokens);
    writer.into_value()
}
