//! Decodes and encodes interrupts.

use serde_json::Value;

use super::from_store;
use crate::event::{Interrupt, fault::ProtocolError};
use crate::json::fields::{Context, Fields, Path, Read, Writer};

/// Decodes a stored interrupt.
///
/// # Errors
/// Fails if a required field is missing, or if a known field has an invalid value.
pub fn interrupt_from_value(value: Value) -> Result<Interrupt, ProtocolError> {
    from_store(value, "interrupt", interrupt)
}

/// Decodes an interrupt at a location in an event or a document.
///
/// # Errors
/// Fails if a required field is missing, or if a known field has an invalid value.
pub fn interrupt(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Interrupt> {
    let mut fields = Fields::of(value, context, path)?;
    let reader = &mut fields;
    let subagent_run_id = reader.opt_text(context, "subagentRunId");
    let id = reader.text(context, "id");
    let interrupt = Interrupt {
        reason: reader.text(context, "reason"),
        message: reader.opt_text(context, "message"),
        tool_call_id: reader.opt_text(context, "toolCallId"),
        response_schema: reader.opt_record(context, "responseSchema"),
        expires_at: reader.opt_text(context, "expiresAt"),
        metadata: reader.opt_record(context, "metadata"),
        subagent_run_id,
        id,
    };
    fields.close(context, interrupt)
}

/// Encodes an interrupt as JSON.
#[must_use]
pub fn interrupt_to_value(interrupt: &Interrupt) -> Value {
    let mut writer = Writer::default();
    writer.text("id", &interrupt.id);
    writer.text("reason", &interrupt.reason);
    writer.opt_text("message", interrupt.message.as_deref());
    writer.opt_text("toolCallId", interrupt.tool_call_id.as_deref());
    writer.opt_object("responseSchema", interrupt.response_schema.as_ref());
    writer.opt_text("expiresAt", interrupt.expires_at.as_deref());
    writer.opt_text("subagentRunId", interrupt.subagent_run_id.as_deref());
    writer.opt_object("metadata", interrupt.metadata.as_ref());
    writer.into_value()
}
