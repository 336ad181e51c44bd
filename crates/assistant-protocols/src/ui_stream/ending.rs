//! Determines the open approvals and the token usage at the end of a response.

use serde_json::{Value, json};

use super::{Decoder, answer::ReceivedCall};
use assistant_core::event::{Interrupt, Object, TokenUsage};

impl Decoder {
    /// Returns an interrupt for each approval request that has no answer in the stream and whose
    /// call has no outcome.
    pub(super) fn open_interrupts(&self) -> Vec<Interrupt> {
        let open_approvals = self.answer.calls.iter().filter_map(|call| {
            let approval = call.approval.as_ref().filter(|_| !call.settled)?;
            let is_open = !approval.contains_key("approved");
            is_open.then_some((call, approval))
        });
        let read_text = |approval: &Object, key: &str| {
            let text = approval.get(key).and_then(Value::as_str);
            text.map(str::to_owned)
        };
        let to_interrupt = |(call, approval): (&ReceivedCall, &Object)| Interrupt {
            id: read_text(approval, "id").unwrap_or_default(),
            reason: "tool_approval".to_owned(),
            message: read_text(approval, "requestReason"),
            tool_call_id: Some(call.id.clone()),
            response_schema: answer_schema(),
            expires_at: None,
            subagent_run_id: None,
            metadata: Some(approval.clone()),
        };
        open_approvals.map(to_interrupt).collect()
    }

    /// Returns the token usage that the server reports in the answer's metadata, in the AI SDK's
    /// format. Returns an empty list if no input, output or total tokens are reported.
    pub(super) fn reported_usage(&self) -> Vec<TokenUsage> {
        let Some(usage_fields) = &self.usage else {
            return Vec::new();
        };
        let metadata = self.answer.metadata.as_ref();
        let read_count = |path: &str| usage_fields.pointer(path).and_then(Value::as_u64);
        let usage = TokenUsage {
            provider: None,
            model: metadata
                .and_then(|metadata| metadata.get("model")?.as_str())
                .map(str::to_owned),
            input_tokens: read_count("/inputTokens"),
            output_tokens: read_count("/outputTokens"),
            total_tokens: read_count("/totalTokens"),
            reasoning_tokens: read_count("/outputTokenDetails/reasoningTokens")
                .or_else(|| read_count("/reasoningTokens")),
            cached_input_tokens: read_count("/inputTokenDetails/cacheReadTokens")
                .or_else(|| read_count("/cachedInputTokens")),
            cache_write_input_tokens: read_count("/inputTokenDetails/cacheWriteTokens"),
        };
        let is_known = usage.input_tokens.is_some()
            || usage.output_tokens.is_some()
            || usage.total_tokens.is_some();
        is_known.then_some(usage).into_iter().collect()
    }
}

/// Returns the JSON schema of the answer to an approval request.
fn answer_schema() -> Option<Object> {
    let schema = json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
        "required": ["approved"],
    });
    schema.as_object().cloned()
}
