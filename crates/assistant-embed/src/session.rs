//! Parses the options of a chat's session, which `npm/options.js` has validated.

use assistant_core::limits::Limits;
use leptos_assistant::{Leftovers, QuestionLimits, SessionOptions, StopCondition};
use serde_json::Value;

use crate::json::{self, TooDeep};

/// The parsed options, and the initial conversation if the page provides one.
pub(crate) struct ParsedSession {
    pub(crate) options: SessionOptions,
    pub(crate) initial: Option<Value>,
}

impl ParsedSession {
    /// Parses the JSON text `{options?, limits?, initial?}`. Returns the defaults if the text is
    /// missing. Fails like [`json::parse`].
    pub(crate) fn parse(text: Option<String>) -> Result<Self, TooDeep> {
        let value = text.map_or(Ok(Value::Null), |text| json::parse(&text))?;
        let mut options = value
            .get("options")
            .map_or_else(Default::default, parse_options);
        if let Some(limits) = value.get("limits") {
            options = options.limits(parse_limits(limits));
        }
        let initial_conversation = value.get("initial").cloned();
        Ok(Self {
            options,
            initial: initial_conversation,
        })
    }
}

fn parse_options(value: &Value) -> SessionOptions {
    type FlagSetter = fn(SessionOptions, bool) -> SessionOptions;
    const FLAGS: [(&str, FlagSetter); 6] = [
        ("sequential", SessionOptions::sequential),
        ("eager", SessionOptions::eager),
        ("autoDeny", SessionOptions::auto_deny),
        ("rememberApprovals", SessionOptions::remember_approvals),
        ("interjections", SessionOptions::interjections),
        ("forkThread", SessionOptions::fork_thread),
    ];
    let mut options = SessionOptions::default();
    for (name, set) in FLAGS {
        if let Some(flag) = value.get(name).and_then(Value::as_bool) {
            options = set(options, flag);
        }
    }
    if let Some(condition) = value.get("stopWhen") {
        options = options.stop_when(parse_stop_condition(condition));
    }
    if let Some(questions) = value.get("questions") {
        options = options.questions(parse_question_limits(questions));
    }
    match value.get("leftovers").and_then(Value::as_str) {
        Some("drop") => options.leftovers(Leftovers::Drop),
        Some("send") => options.leftovers(Leftovers::Send),
        _ => options,
    }
}

/// Parses `{perRun, perMinute}`. A missing limit keeps its default, and `null` is no limit.
fn parse_question_limits(value: &Value) -> QuestionLimits {
    let mut limits = QuestionLimits::default();
    if let Some(limit) = value.get("perRun") {
        limits = limits.per_run(as_u32(limit));
    }
    if let Some(limit) = value.get("perMinute") {
        limits = limits.per_minute(as_u32(limit));
    }
    limits
}

/// Parses `{runCount}`, `{hasToolCall}`, `{repeatedCalls}`, `{rule}`, `{any}` or `{all}`. Returns a
/// condition that stops after 10 runs for any other object.
fn parse_stop_condition(value: &Value) -> StopCondition {
    let read_number = |name: &str| value.get(name).and_then(as_u32);
    let read_text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let read_list = |name: &str| {
        let list = value.get(name)?.as_array()?;
        Some(list.iter().map(parse_stop_condition).collect())
    };
    None.or_else(|| read_number("runCount").map(StopCondition::RunCount))
        .or_else(|| read_text("hasToolCall").map(StopCondition::HasToolCall))
        .or_else(|| read_number("repeatedCalls").map(StopCondition::RepeatedCalls))
        .or_else(|| read_text("rule").map(StopCondition::Rule))
        .or_else(|| read_list("any").map(StopCondition::Any))
        .or_else(|| read_list("all").map(StopCondition::All))
        .unwrap_or(StopCondition::RunCount(10))
}

fn parse_limits(value: &Value) -> Limits {
    let default_limits = Limits::default();
    let read_limit = |name: &str, default: usize| {
        let number = value.get(name).and_then(Value::as_u64);
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.unwrap_or(default)
    };
    default_limits
        .with_run_bytes(read_limit("runBytes", default_limits.run_bytes()))
        .with_event_bytes(read_limit("eventBytes", default_limits.event_bytes()))
        .with_message_bytes(read_limit("messageBytes", default_limits.message_bytes()))
        .with_argument_bytes(read_limit("argumentBytes", default_limits.argument_bytes()))
        .with_id_bytes(read_limit("idBytes", default_limits.id_bytes()))
        .with_name_bytes(read_limit("nameBytes", default_limits.name_bytes()))
        .with_state_bytes(read_limit("stateBytes", default_limits.state_bytes()))
        .with_activity_bytes(read_limit("activityBytes", default_limits.activity_bytes()))
        .with_patch_copied_bytes(read_limit(
            "patchCopiedBytes",
            default_limits.patch_copied_bytes(),
        ))
        .with_patch_shifted_values(read_limit(
            "patchShiftedValues",
            default_limits.patch_shifted_values(),
        ))
        .with_messages(read_limit("messages", default_limits.messages()))
        .with_calls(read_limit("calls", default_limits.calls()))
        .with_interrupts(read_limit("interrupts", default_limits.interrupts()))
        .with_choices(read_limit("choices", default_limits.choices()))
        .with_notices(read_limit("notices", default_limits.notices()))
        .with_diagnostics(read_limit("diagnostics", default_limits.diagnostics()))
        .with_side_event_bytes(read_limit(
            "sideEventBytes",
            default_limits.side_event_bytes(),
        ))
}

fn as_u32(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_are_parsed_and_missing_ones_take_defaults() {
        let text = r#"{"options": {"sequential": true, "questions": {"perRun": 3},
            "stopWhen": {"any": [{"runCount": 4}, {"rule": "budget"}]}}, "initial": []}"#;
        let session = ParsedSession::parse(Some(text.to_owned())).expect("the text is JSON");
        let stop_when = StopCondition::Any(vec![
            StopCondition::RunCount(4),
            StopCondition::Rule("budget".to_owned()),
        ]);
        let expected = SessionOptions::default()
            .sequential(true)
            .questions(QuestionLimits::default().per_run(3))
            .stop_when(stop_when);
        assert_eq!(format!("{:?}", session.options), format!("{expected:?}"));
        assert!(session.initial.is_some());
        let default_session = ParsedSession::parse(None).expect("missing text is valid");
        let expected = SessionOptions::default();
        assert_eq!(
            format!("{:?}", default_session.options),
            format!("{expected:?}")
        );
        assert!(default_session.initial.is_none());
    }

    #[test]
    fn a_missing_question_limit_keeps_its_default_and_null_removes_it() {
        let default_limits = QuestionLimits::default();
        let cases = [
            (json!({}), default_limits),
            (json!({"perMinute": 5}), default_limits.per_minute(5)),
            (json!({"perRun": null}), default_limits.per_run(None)),
            (
                json!({"perRun": 0, "perMinute": null}),
                default_limits.per_run(0).per_minute(None),
            ),
        ];
        for (value, expected) in cases {
            assert_eq!(parse_question_limits(&value), expected, "{value}");
        }
    }
}
