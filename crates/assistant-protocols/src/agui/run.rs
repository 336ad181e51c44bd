//! Decodes run input and outcomes.

use serde_json::Value;

use super::PROTOCOL_VERSION;
use assistant_core::event::fault::{ProtocolError, quote};
use assistant_core::event::{
    ContextItem, Diagnostic, Object, Outcome, ResumeEntry, ResumeStatus, RunInput, Tool,
};
use assistant_core::json::fields::{Context, Fault, Fields, Path, Read, text};
use assistant_core::json::form;

/// Decodes an entry of `resume` in a run input. An entry is the answer to one interrupt.
///
/// # Errors
///
/// Fails if a required field is missing or a known field has an invalid value.
pub fn resume_entry_from_value(value: Value) -> Result<ResumeEntry, ProtocolError> {
    form::from_store(value, "resume entry", read_resume_entry)
}

/// Reads the input of a run, which `RUN_STARTED` may echo.
pub(super) fn read_run_input(
    value: Value,
    context: &mut Context<'_>,
    path: Path<'_>,
) -> Read<RunInput> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let empty_object = || Value::Object(Object::new());
    let thread_id = f.text(context, "threadId");
    let run_id = f.text(context, "runId");
    // The version of the client that sent the request is read and discarded, because it has no
    // effect.
    f.opt_text(context, "protocolVersion");
    let input = RunInput {
        thread_id,
        run_id,
        parent_run_id: f.opt_text(context, "parentRunId"),
        resumes: false,
        // `null` is accepted, because the protocol permits it in this optional field only.
        state: f.nullable("state").unwrap_or_else(empty_object),
        messages: f.list(context, "messages", form::message),
        history: None,
        tools: f.opt_list(context, "tools", read_tool).unwrap_or_default(),
        context: f
            .opt_list(context, "context", read_context_item)
            .unwrap_or_default(),
        forwarded_props: f
            .opt(context, "forwardedProps")
            .unwrap_or_else(empty_object),
        resume: f
            .opt_list(context, "resume", read_resume_entry)
            .unwrap_or_default(),
    };
    fields.close(context, input)
}

fn read_tool(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Tool> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let tool = Tool {
        name: f.text(context, "name"),
        description: f.text(context, "description"),
        parameters: f.opt(context, "parameters"),
        metadata: f.opt_record(context, "metadata"),
    };
    fields.close(context, tool)
}

fn read_context_item(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<ContextItem> {
    let mut fields = Fields::of(value, context, path)?;
    let description = fields.text(context, "description");
    let value = fields.text(context, "value");
    let item = ContextItem::new(description, value);
    fields.close(context, item)
}

fn read_resume_entry(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<ResumeEntry> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let interrupt_id = f.text(context, "interruptId");
    let status = f.word(
        context,
        "status",
        &[
            ("resolved", ResumeStatus::Resolved),
            ("cancelled", ResumeStatus::Cancelled),
        ],
    )?;
    let mut entry = ResumeEntry::new(interrupt_id, status);
    entry.payload = f.opt(context, "payload");
    entry.metadata = f.opt_record(context, "metadata");
    fields.close(context, entry)
}

/// Reads the outcome of a run.
pub(super) fn read_outcome(
    value: Value,
    context: &mut Context<'_>,
    path: Path<'_>,
) -> Read<Outcome> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let outcome = match f.kind("type").as_str() {
        "success" => Outcome::Success {
            pending_tool_call_ids: f.opt_list(context, "pendingToolCallIds", text),
        },
        "interrupt" => {
            let interrupts = f.list(context, "interrupts", form::interrupt);
            if interrupts.is_empty() {
                let path = f.path();
                let path = Path::Key(&path, "interrupts");
                let fault = context.malformed(path, "Too small: expected array to have >=1 items");
                f.fail(fault);
            }
            Outcome::Interrupt { interrupts }
        }
        "cancelled" => Outcome::Cancelled,
        _ => return Err(Fault::Unknown),
    };
    fields.close(context, outcome)
}

/// Checks the outcome of a subagent, and returns an object with its known fields.
pub(super) fn read_subagent_outcome(
    value: Value,
    context: &mut Context<'_>,
    path: Path<'_>,
) -> Read<Value> {
    let mut fields = Fields::of(value, context, path)?;
    let f = &mut fields;
    let kind = f.kind("type");
    let mut outcome = Object::new();
    match kind.as_str() {
        "success" => {}
        "suspended" => {
            if let Some(ids) = f.opt_list(context, "interruptIds", text) {
                outcome.insert("interruptIds".to_owned(), Value::from(ids));
            }
        }
        _ => return Err(Fault::Unknown),
    }
    outcome.shift_insert(0, "type".to_owned(), Value::String(kind));
    fields.close(context, Value::Object(outcome))
}

/// Adds a diagnostic if the agent's version of the protocol is newer than [`PROTOCOL_VERSION`] or
/// cannot be parsed. The version has no other effect.
pub(super) fn check_protocol_version(version: &str, context: &mut Context<'_>) {
    let agent_version = parse_version(version);
    if agent_version.is_some() && agent_version <= parse_version(PROTOCOL_VERSION) {
        return;
    }
    let version = quote(version);
    let message = if agent_version.is_some() {
        format!(
            "The agent speaks AG-UI {version}, newer than {PROTOCOL_VERSION}: what it says beyond that is dropped."
        )
    } else {
        format!(
            "The agent declares a protocolVersion that this client cannot interpret: '{version}'."
        )
    };
    context.report(Diagnostic::new("version", message));
}

fn parse_version(text: &str) -> Option<(u64, u64)> {
    let (major, minor) = text.split_once('.')?;
    let parse_number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // A number that overflows is replaced by the largest number, so that the version counts as
        // newer.
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    Some((parse_number(major)?, parse_number(minor)?))
}
