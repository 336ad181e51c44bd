//! Decodes and encodes interrupts.

use serde_json::Value;

use super::from_store;
use crate::event::{Interrupt, fault::ProtocolError};
use crate::json::fields::{Context, Fields, Path, Read, Writer};

/// Decodes a stored interrupt.
///
/// # Errors
/// Fails if a known field is missing or has a wrong value.
pub fn interrupt_from_value(value: Value) -> Result<Interrupt, ProtocolError> {
    from_store(value, "interrupt", interrupt)
}

/// Decodes an interrupt at a location of an event or a document.
///
/// # Errors
/// Fails if a known field is missing or has a wrong value.
pub fn interrupt(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Interrupt> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let subagent_run_id = f.opt_text(context, "subagentRunId");
    let id = f.text(context, "id");
    let interrupt = Interrupt {
        reason: f.text(context, "reason"),
        message: f.opt_text(context, "message"),
        tool_call_id: f.opt_text(context, "toolCallId"),
        response_schema: f.opt_record(context, "responseSchema"),
        expires_at: f.opt_text(context, "expiresAt"),
        metadata: f.opt_record(context, "metadata"),
        subagent_run_id,
        id,
    };
    fields.close(context, interrupt)
}

/// Encodes an interrupt.
#[must_use]
pub fn interrupt_to_value(interrupt: &Interrupt) -> Value {
    let mut w = Writer::default();
    w.text("id", &interrupt.id);
    w.text("reason", &interrupt.reason);
    w.opt_text("message", interrupt.message.as_deref());
    w.opt_text("toolCallId", interrupt.tool_call_id.as_deref());
    w.opt_object("responseSchema", interrupt.response_schema.as_ref());
    w.opt_text("expiresAt", interrupt.expires_at.as_deref());
    w.opt_text("subagentRunId", interrupt.subagent_run_id.as_deref());
    w.opt_object("metadata", interrupt.metadata.as_ref());
    w.into_value()
}
