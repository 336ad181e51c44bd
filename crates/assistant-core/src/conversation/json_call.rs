//! Reads and writes tool calls as JSON, in the form `{type: "tool-call", toolCallId, toolName,
//! state, input, …}`.

use serde_json::Value;

use super::{
    AllowedEarlier, Author, CallApproval, CallError, CallKey, CallResult, Decider, Decision,
    ErrorKind, FormatError, History, Origin, Phase, Review, ToolCall, UseCountState,
    after_reload::LastStart,
    json_fields::{
        JsonFormat, collect_unknown_fields, take_bool, take_flag, take_int, take_object,
        take_required_text, take_text, write_unknown_fields,
    },
    outcome::{CallEnd, EndedCall},
    state::State,
};
use crate::{
    action::ActionFingerprint,
    event::{Content, Object},
    json::{fields::Writer, form},
};

const CALL_FIELDS: &str = "type toolCallId toolName state lifecycle input argsText editedInput \
    cleanInput approval allowedEarlier deniedBefore output result unlisted error createdAt endedAt \
    origin encryptedValue metadata key run by changed started starts voidStarts unknownOutcome \
    asked action extra";
const RESULT_FIELDS: &str =
    "messageId content error sent encryptedValue subagentRunId metadata extra";
const APPROVAL_FIELDS: &str = "decision reason by interruptId handedOffBy extra";

/// Writes the fields of a call to the JSON object of its part.
pub(super) fn write_call(call: &ToolCall, out: &mut Writer, format: JsonFormat) {
    out.text("toolCallId", &call.id);
    out.text("toolName", &call.name);
    out.text("state", call.phase().as_str());
    let lifecycle = call.state().stored_state_name(call.phase());
    out.opt_text("lifecycle", lifecycle);
    let text = call.args_text();
    // Arguments that were cut off are written only as text, so that they are not read as complete.
    let is_cut_off = call.is_cut_off();
    let to_json_text = |args: &Value| -> String { args.to_string() };
    let exact_args = call
        .partial_args()
        .filter(|args| to_json_text(args) == text);
    let exact_args = exact_args.filter(|_| !is_cut_off);
    if let Some(args) = exact_args.or(call.args()).filter(|_| !text.is_empty()) {
        out.put("input", args.clone());
    }
    if exact_args.is_none() && (!text.is_empty() || is_cut_off) {
        out.text("argsText", text);
    }
    if let Some(args) = call.edited_args() {
        out.put("editedInput", args.clone());
    }
    if let Some(args) = call.clean_args() {
        out.put("cleanInput", args.clone());
    }
    let hand_off_id = match call.state() {
        State::HandedOff { message, .. } => Some(message.on_record().as_str()),
        _ => None,
    };
    if call.approval().is_some() || hand_off_id.is_some() {
        let approval = call.approval().cloned().unwrap_or_default();
        out.put("approval", write_approval(&approval, hand_off_id, format));
    }
    if let Some(earlier_approval) = call
        .allowed_earlier()
        .filter(|_| format == JsonFormat::Whole)
    {
        let mut grant = Writer::default();
        grant.text("id", &earlier_approval.id);
        grant.opt_int("at", Some(earlier_approval.at));
        let decider = Some(earlier_approval.by).filter(|decider| *decider != Decider::Person);
        grant.opt_text("by", decider.map(Decider::as_str));
        out.put("allowedEarlier", grant.into_value());
    }
    out.flag(
        "deniedBefore",
        call.denied_before() && format == JsonFormat::Whole,
    );
    if let Some(result) = call.result() {
        out.put("output", result.value.clone());
        let is_sent = call.is_delivered();
        if is_sent || *result != create_default_result(&call.id, result.value.clone()) {
            out.put("result", write_result(result, is_sent, format));
        }
    }
    out.flag("unlisted", call.is_unlisted());
    if let Some(error) = call.error() {
        out.put("error", write_error(error));
    }
    let created_at = Some(call.created_at).filter(|at| *at != 0);
    out.opt_int("createdAt", created_at);
    out.opt_int("endedAt", call.ended_at());
    out.opt_text("origin", call.origin.as_str());
    out.opt_text("encryptedValue", call.encrypted_value.as_deref());
    let metadata = Some(&call.metadata).filter(|metadata| !metadata.is_empty());
    out.opt_object("metadata", metadata);
    if format == JsonFormat::Whole {
        out.opt_count("key", Some(call.key().number()));
        out.opt_count("run", call.run);
        out.flag("started", call.was_started());
        write_history(&call.history(), out);
        let action = call.action.as_ref();
        out.opt_text("action", action.map(ActionFingerprint::as_str));
    }
    if let State::Ended(outcome) = call.state() {
        let author = Some(outcome.by).filter(|author| *author != Author::Record);
        out.opt_text("by", author.map(Author::as_str));
    }
    write_unknown_fields(out, &call.extra, CALL_FIELDS, format);
}

pub(super) fn read_call(mut from: Object, format: JsonFormat) -> Result<ToolCall, FormatError> {
    let id = take_required_text(&mut from, "toolCallId", "tool call")?;
    let name = take_required_text(&mut from, "toolName", "tool call")?;
    let state = take_required_text(&mut from, "state", "tool call")?;
    let phase =
        Phase::parse(&state).ok_or_else(|| FormatError::new("tool call has an unknown 'state'"))?;
    let created_at = take_int(&mut from, "createdAt").unwrap_or(0);
    let mut call = ToolCall::new(id, name, created_at);
    let input = from.shift_remove("input");
    let text = take_text(&mut from, "argsText");
    // If only the text of the arguments is stored, the arguments were cut off, even if the text is
    // valid JSON.
    let was_cut_off = format == JsonFormat::Whole && text.is_some() && input.is_none();
    let text = text.or_else(|| input.map(|input| input.to_string()));
    call.set_args_text(&text.unwrap_or_default());
    if phase != Phase::InputStreaming {
        call.end_args();
    }
    if was_cut_off {
        call.discard_args_value();
    }
    let edited_args = from.shift_remove("editedInput");
    let clean_args = from.shift_remove("cleanInput");
    let output = from.shift_remove("output");
    let mut is_sent = true;
    let result = match (output, take_object(&mut from, "result")) {
        (None, None) => None,
        (output, result) => {
            let mut result = result.unwrap_or_default();
            is_sent = take_bool(&mut result, "sent").unwrap_or(false);
            let output = output.unwrap_or(Value::Null);
            Some(read_result(&call.id, output, result)?)
        }
    };
    let phase = match result.is_some() && !phase.is_final() {
        true => Phase::OutputAvailable,
        false => phase,
    };
    // A field is read only if the state of the call uses it. Other fields stay in `from` and are
    // stored unchanged.
    let has_approval = phase != Phase::InputStreaming;
    let approval = has_approval.then(|| take_object(&mut from, "approval"));
    let (approval, hand_off_id) = approval.flatten().map(read_approval).unzip();
    let hand_off_id = hand_off_id.flatten();
    let (mut error, mut ended_at, mut is_unlisted) = (None, None, false);
    if phase.is_final() {
        error = take_object(&mut from, "error").map(read_error);
        ended_at = take_int(&mut from, "endedAt");
        is_unlisted = take_flag(&mut from, "unlisted");
    }
    if let Some(origin) = take_text(&mut from, "origin") {
        // If the origin is unknown, the call is only displayed, because another version wrote it.
        call.origin = Origin::parse(&origin).unwrap_or(Origin::Text);
    }
    let author = take_text(&mut from, "by").and_then(|name| Author::parse(&name));
    let author = author.unwrap_or(Author::Record);
    let mut review = Review {
        approval,
        edited_args,
        clean_args,
        ..Review::default()
    };
    if format == JsonFormat::Whole {
        review.allowed_earlier = from
            .shift_remove("allowedEarlier")
            .as_ref()
            .and_then(read_allowed_earlier);
        review.denied_before = take_flag(&mut from, "deniedBefore");
        review.history = read_history(&mut from);
    }
    let review = Box::new(review);
    let state = match CallEnd::from_phase(phase) {
        Some(end) => State::Ended(Box::new(EndedCall {
            result,
            error,
            at: ended_at,
            unlisted: is_unlisted,
            review,
            ..EndedCall::new(end, author, is_sent)
        })),
        None => {
            let name = take_text(&mut from, "lifecycle");
            let state = State::from_stored(name.as_deref(), phase, review, hand_off_id);
            state.ok_or_else(|| FormatError::new("tool call has an unknown 'lifecycle'"))?
        }
    };
    call.state = state.after_reload(LastStart::Unrecorded);
    if format == JsonFormat::Whole {
        let key = from.shift_remove("key").and_then(|key| key.as_u64());
        call.key = CallKey::new(key.unwrap_or(0));
        call.run = from.shift_remove("run").and_then(|run| run.as_u64());
        let action = take_text(&mut from, "action");
        call.action = action.as_deref().and_then(ActionFingerprint::parse);
    }
    call.encrypted_value = take_text(&mut from, "encryptedValue");
    call.metadata = take_object(&mut from, "metadata").unwrap_or_default();
    call.extra = collect_unknown_fields(from);
    Ok(call)
}

fn write_history(history: &History, out: &mut Writer) {
    let optional_count = |count: u32, least: u32| (count >= least).then_some(count.into());
    out.opt_count("starts", optional_count(history.starts, 2));
    out.opt_count("voidStarts", optional_count(history.void_starts, 1));
    out.flag("unknownOutcome", history.unknown_outcome);
    out.flag("asked", history.must_be_asked);
    out.flag("changed", history.changed);
}

fn read_history(from: &mut Object) -> History {
    let default_starts = u32::from(take_flag(from, "started"));
    let mut take_count = |name: &str| u32::try_from(take_int(from, name)?).ok();
    let (starts, void_starts) = (take_count("starts"), take_count("voidStarts"));
    History {
        starts: starts.unwrap_or(default_starts),
        void_starts: void_starts.unwrap_or(0),
        unknown_outcome: take_flag(from, "unknownOutcome"),
        changed: take_flag(from, "changed"),
        must_be_asked: take_flag(from, "asked"),
        is_stored: true,
    }
}

fn write_approval(approval: &CallApproval, hand_off_id: Option<&str>, format: JsonFormat) -> Value {
    let mut writer = Writer::default();
    match &approval.decision {
        Some(Decision::Approved) => writer.text("decision", "approved"),
        Some(Decision::Denied { reason }) => {
            writer.text("decision", "denied");
            writer.opt_text("reason", reason.as_deref());
        }
        None => {}
    }
    let decider = approval.by.filter(|_| approval.decision.is_some());
    writer.opt_text("by", decider.map(Decider::as_str));
    writer.opt_text("interruptId", approval.interrupt_id.as_deref());
    writer.opt_text("handedOffBy", hand_off_id);
    write_unknown_fields(&mut writer, &approval.extra, APPROVAL_FIELDS, format);
    writer.into_value()
}

/// Reads an approval, and the id of the tool message that hands the call off to the agent, if there
/// is such a message.
fn read_approval(mut from: Object) -> (CallApproval, Option<String>) {
    let decision = match take_text(&mut from, "decision").as_deref() {
        Some("approved") => Some(Decision::Approved),
        Some("denied") => Some(Decision::Denied {
            reason: take_text(&mut from, "reason"),
        }),
        Some(other) => {
            from.insert("decision".to_owned(), other.into());
            None
        }
        None => None,
    };
    let decider = take_text(&mut from, "by");
    let interrupt_id = take_text(&mut from, "interruptId");
    let hand_off_id = take_text(&mut from, "handedOffBy");
    let approval = CallApproval {
        decision,
        by: decider.as_deref().and_then(Decider::parse),
        interrupt_id,
        shown: None,
        extra: collect_unknown_fields(from),
    };
    (approval, hand_off_id)
}

/// Reads the remembered approval of a stored call. The state of counting its use is not restored,
/// because the call is checked again.
fn read_allowed_earlier(from: &Value) -> Option<AllowedEarlier> {
    Some(AllowedEarlier {
        id: from.get("id")?.as_str()?.to_owned(),
        at: from.get("at")?.as_i64()?,
        by: Decider::from_grant(from.get("by"))?,
        count: UseCountState::No,
    })
}

fn write_error(error: &CallError) -> Value {
    let mut writer = Writer::default();
    writer.text("message", &error.message);
    writer.text("kind", error.kind.as_str());
    if let Some(details) = &error.details {
        writer.put("details", details.clone());
    }
    writer.into_value()
}

fn read_error(mut from: Object) -> CallError {
    CallError {
        message: take_text(&mut from, "message").unwrap_or_default(),
        kind: ErrorKind::parse(&take_text(&mut from, "kind").unwrap_or_default()),
        details: from.shift_remove("details"),
    }
}

impl CallResult {
    /// Returns the fields of the result as JSON, without the value. The journal stores this form.
    pub(crate) fn to_value(&self) -> Value {
        write_result(self, false, JsonFormat::Whole)
    }

    /// Parses a result from its value and the other fields that [`Self::to_value`] wrote.
    pub(crate) fn from_parts(value: Value, rest: Object) -> Result<Self, FormatError> {
        read_result("", value, rest)
    }
}

/// Returns the result of a call for which only an `output` is stored.
fn create_default_result(call: &str, value: Value) -> CallResult {
    CallResult::new(format!("{call}-result"), value.to_string(), value)
}

fn write_result(result: &CallResult, sent: bool, format: JsonFormat) -> Value {
    let mut writer = Writer::default();
    writer.text("messageId", &result.message_id);
    writer.put("content", form::content_to_value(&result.content));
    writer.opt_text("error", result.error.as_deref());
    writer.put("sent", sent.into());
    writer.opt_text("encryptedValue", result.encrypted_value.as_deref());
    writer.opt_text("subagentRunId", result.subagent_run_id.as_deref());
    writer.opt_object("metadata", result.metadata.as_ref());
    write_unknown_fields(&mut writer, &result.extra, RESULT_FIELDS, format);
    writer.into_value()
}

fn read_result(call: &str, value: Value, mut from: Object) -> Result<CallResult, FormatError> {
    let content = match from.shift_remove("content") {
        Some(content) => {
            form::content_from_value(content).map_err(|e| FormatError(e.to_string()))?
        }
        None => Content::Text(value.to_string()),
    };
    Ok(CallResult {
        message_id: take_text(&mut from, "messageId").unwrap_or_else(|| format!("{call}-result")),
        content,
        error: take_text(&mut from, "error"),
        value,
        encrypted_value: take_text(&mut from, "encryptedValue"),
        subagent_run_id: take_text(&mut from, "subagentRunId"),
        metadata: take_object(&mut from, "metadata"),
        extra: collect_unknown_fields(from),
    })
}
