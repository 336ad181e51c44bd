//! Computes the fingerprints of calls as they are shown to the user.

use serde_json::{Value, json};

use crate::{
    action::{ActionSpec, Execution, Policy},
    conversation::{Fingerprint, ToolCall},
};

/// Returns the fingerprint of the shown part of a call: its name, its exact effective arguments,
/// the rules of the action that would run, and the preview of the call's changes.
pub(super) fn fingerprint_call(call: &ToolCall, spec: Option<&ActionSpec>) -> Fingerprint {
    let preview = call.preview().map(|preview| match preview {
        Ok(value) => json!([value]),
        Err(reason) => reason.as_str().into(),
    });
    let rules = spec.map_or(Value::Null, |spec| {
        json!([
            spec.parameters,
            matches!(spec.approval, Policy::Never),
            matches!(spec.execution, Execution::Agent),
            spec.validate,
            spec.has_handler,
            preview.filter(|_| spec.has_preview),
            spec.version,
        ])
    });
    let args = call.effective_args().ok_or_else(|| call.args_text());
    Fingerprint::new(&call.name, args, &rules)
}
