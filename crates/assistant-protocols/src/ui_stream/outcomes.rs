//! Decodes the outcomes of calls: approval requests and their answers, results, and failures.

use serde_json::Value;

use super::{
    Decoder,
    chunk::{send_extension, take_opt, take_opt_text, take_text},
    tools::{clear_state_fields, take_stored_fields},
};
use crate::stream::Sink;
use assistant_core::event::{Extension, Object, Settlement, fault::quote};

impl Decoder {
    pub(super) fn record_approval_request(
        &mut self,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let approval_id = take_text(&mut chunk, "approvalId")?;
        let position = self.find_call(&take_text(&mut chunk, "toolCallId")?)?;
        let mut approval = Object::new();
        approval.insert("id".to_owned(), approval_id.into());
        let renamed_fields = [
            ("approvalDescriptor", "descriptor"),
            ("reason", "requestReason"),
            ("signature", "signature"),
        ];
        for (from, to) in renamed_fields {
            if let Some(value) = take_opt(&mut chunk, from) {
                approval.insert(to.to_owned(), value);
            }
        }
        if let Some(value) = chunk.shift_remove("inputSchemaInput") {
            approval.insert("inputSchemaInput".to_owned(), value);
        }
        if chunk.get("isAutomatic") == Some(&Value::Bool(true)) {
            approval.insert("isAutomatic".to_owned(), true.into());
        }
        self.answer.set_approval(position, approval.clone());
        self.store_fields(
            position,
            [("approval".to_owned(), Value::Object(approval))],
            sink,
        );
        Ok(())
    }

    pub(super) fn record_approval_response(
        &mut self,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let id = take_text(&mut chunk, "approvalId")?;
        let Some(Value::Bool(approved)) = chunk.shift_remove("approved") else {
            return Err("it does not say whether it was approved".to_owned());
        };
        let unknown_approval_error = || format!("no approval '{}' was asked for", quote(&id));
        let position = self
            .answer
            .find_call_by_approval(&id)
            .ok_or_else(unknown_approval_error)?;
        let mut notes = take_stored_fields(&mut chunk, "callProviderMetadata", false);
        let Some(call) = self.answer.calls.get_mut(position) else {
            return Ok(());
        };
        let approval = call.approval.get_or_insert_default();
        approval.insert("approved".to_owned(), approved.into());
        if let Some(reason) = take_opt(&mut chunk, "reason") {
            approval.insert("reason".to_owned(), reason);
        }
        notes.insert("approval".to_owned(), Value::Object(approval.clone()));
        self.store_fields(position, notes, sink);
        Ok(())
    }

    /// Reports the output of a call. The output is the first of `output`, `result` and `content`
    /// that has a value, or null if none has one. For `tool-result`, `result` is tried first. A
    /// preliminary output does not end the call, and is rejected for a call that has ended.
    pub(super) fn settle_call(
        &mut self,
        kind: &str,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let position = self.find_call(&take_text(&mut chunk, "toolCallId")?)?;
        let output_keys = match kind {
            "tool-result" => ["result", "output", "content"],
            _ => ["output", "result", "content"],
        };
        let output = output_keys.iter().find_map(|key| take_opt(&mut chunk, key));
        let output = output.unwrap_or_default();
        let preliminary = chunk.shift_remove("preliminary");
        let is_preliminary = preliminary == Some(Value::Bool(true));
        if is_preliminary
            && self
                .answer
                .calls
                .get(position)
                .is_some_and(|call| call.settled)
        {
            return Err("the call has its result".to_owned());
        }
        let mut notes = take_stored_fields(&mut chunk, "resultProviderMetadata", false);
        notes.insert("inputEncoding".to_owned(), Value::Null);
        notes.insert("preliminary".to_owned(), preliminary.unwrap_or_default());
        let settlement = match is_preliminary {
            true => Settlement::Preliminary(output),
            false => Settlement::Output(output),
        };
        self.send_settlement(position, notes, settlement, sink);
        Ok(())
    }

    pub(super) fn fail_call(
        &mut self,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let position = self.find_call(&take_text(&mut chunk, "toolCallId")?)?;
        let error_text = match take_opt_text(&mut chunk, "errorText") {
            Some(error_text) => error_text,
            None => match take_opt(&mut chunk, "error") {
                Some(Value::String(error_text)) => error_text,
                Some(error_text) => error_text.to_string(),
                None => return Err("it has no text 'errorText'".to_owned()),
            },
        };
        let mut notes = take_stored_fields(&mut chunk, "resultProviderMetadata", false);
        clear_state_fields(&mut notes);
        self.send_settlement(position, notes, Settlement::Error(error_text), sink);
        Ok(())
    }

    pub(super) fn send_settlement(
        &mut self,
        position: usize,
        notes: Object,
        settlement: Settlement,
        sink: &mut dyn Sink,
    ) {
        if !notes.is_empty() {
            self.store_fields(position, notes, sink);
        }
        let Some(call) = self.answer.calls.get_mut(position) else {
            return;
        };
        call.settled |= !matches!(settlement, Settlement::Preliminary(_));
        let tool_call_id = call.id.clone();
        let message_id = format!("{tool_call_id}-result");
        send_extension(
            sink,
            Extension::CallSettled {
                tool_call_id,
                message_id,
                settlement,
            },
        );
    }
}
