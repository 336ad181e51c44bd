//! Decodes the outcomes of calls: requested and answered approvals, results, failures.

use serde_json::Value;

use super::{
    Decoder,
    chunk::{extend, opt, opt_text, text},
    tools::{forget_state, notes},
};
use crate::stream::Sink;
use assistant_core::event::{Extension, Object, Settlement, fault::quote};

impl Decoder {
    pub(super) fn ask(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let approval_id = text(&mut chunk, "approvalId")?;
        let place = self.find(&text(&mut chunk, "toolCallId")?)?;
        let mut approval = Object::new();
        approval.insert("id".to_owned(), approval_id.into());
        let renamed = [
            ("approvalDescriptor", "descriptor"),
            ("reason", "requestReason"),
            ("signature", "signature"),
        ];
        for (from, to) in renamed {
            if let Some(value) = opt(&mut chunk, from) {
                approval.insert(to.to_owned(), value);
            }
        }
        if let Some(value) = chunk.shift_remove("inputSchemaInput") {
            approval.insert("inputSchemaInput".to_owned(), value);
        }
        if chunk.get("isAutomatic") == Some(&Value::Bool(true)) {
            approval.insert("isAutomatic".to_owned(), true.into());
        }
        self.answer.ask(place, approval.clone());
        self.note(
            place,
            [("approval".to_owned(), Value::Object(approval))],
            sink,
        );
        Ok(())
    }

    pub(super) fn answer_approval(
        &mut self,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let id = text(&mut chunk, "approvalId")?;
        let Some(Value::Bool(approved)) = chunk.shift_remove("approved") else {
            return Err("it does not say whether it was approved".to_owned());
        };
        let unknown = || format!("no approval '{}' was asked for", quote(&id));
        let place = self.answer.call_by_approval(&id).ok_or_else(unknown)?;
        let mut notes = notes(&mut chunk, "callProviderMetadata", false);
        let Some(call) = self.answer.calls.get_mut(place) else {
            return Ok(());
        };
        let approval = call.approval.get_or_insert_default();
        approval.insert("approved".to_owned(), approved.into());
        if let Some(reason) = opt(&mut chunk, "reason") {
            approval.insert("reason".to_owned(), reason);
        }
        notes.insert("approval".to_owned(), Value::Object(approval.clone()));
        self.note(place, notes, sink);
        Ok(())
    }

    /// Ends a call with the first of `output`, `result` and `content` that has a value. For
    /// `tool-result`, `result` is tried first.
    pub(super) fn settle(
        &mut self,
        kind: &str,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let place = self.find(&text(&mut chunk, "toolCallId")?)?;
        let order = match kind {
            "tool-result" => ["result", "output", "content"],
            _ => ["output", "result", "content"],
        };
        let output = order.iter().find_map(|key| opt(&mut chunk, key));
        let output = output.unwrap_or_default();
        let preliminary = chunk.shift_remove("preliminary");
        let is_preliminary = preliminary == Some(Value::Bool(true));
        if is_preliminary
            && self
                .answer
                .calls
                .get(place)
                .is_some_and(|call| call.settled)
        {
            return Err("the call has its result".to_owned());
        }
        let mut notes = notes(&mut chunk, "resultProviderMetadata", false);
        notes.insert("inputEncoding".to_owned(), Value::Null);
        notes.insert("preliminary".to_owned(), preliminary.unwrap_or_default());
        let settlement = match is_preliminary {
            true => Settlement::Preliminary(output),
            false => Settlement::Output(output),
        };
        self.settle_as(place, notes, settlement, sink);
        Ok(())
    }

    pub(super) fn fail(&mut self, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        let place = self.find(&text(&mut chunk, "toolCallId")?)?;
        let error_text = match opt_text(&mut chunk, "errorText") {
            Some(error_text) => error_text,
            None => match opt(&mut chunk, "error") {
                Some(Value::String(error_text)) => error_text,
                Some(error_text) => error_text.to_string(),
                None => return Err("it has no text 'errorText'".to_owned()),
            },
        };
        let mut notes = notes(&mut chunk, "resultProviderMetadata", false);
        forget_state(&mut notes);
        self.settle_as(place, notes, Settlement::Error(error_text), sink);
        Ok(())
    }

    pub(super) fn settle_as(
        &mut self,
        place: usize,
        notes: Object,
        settlement: Settlement,
        sink: &mut dyn Sink,
    ) {
        if !notes.is_empty() {
            self.note(place, notes, sink);
        }
        let Some(call) = self.answer.calls.get_mut(place) else {
            return;
        };
        call.settled |= !matches!(settlement, Settlement::Preliminary(_));
        let tool_call_id = call.id.clone();
        let message_id = format!("{tool_call_id}-result");
        extend(
            sink,
            Extension::CallSettled {
                tool_call_id,
                message_id,
                settlement,
            },
        );
    }
}
