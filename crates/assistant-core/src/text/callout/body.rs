//! Parses the body of a callout as a YAML mapping with known fields.

use serde_json::Value;

use super::{Callout, CalloutOptions, CalloutState, header::Header, yaml};
use crate::event::Object;

/// The tool name for a callout that contains no name.
pub(super) const DEFAULT_NAME: &str = "tool";

const ID_KEYS: [&str; 5] = ["toolCallId", "tool_call_id", "callId", "id", "toolCall"];
const NAME_KEYS: [&str; 4] = ["toolName", "tool_name", "name", "tool"];
const ERROR_KEYS: [&str; 3] = ["errorText", "error_text", "error"];

/// Returns true for the keys of fields that callouts define. Other fields are preserved unchanged.
pub(super) fn is_known_field(key: &str) -> bool {
    let key_lists = [
        &ID_KEYS[..],
        &NAME_KEYS,
        &ERROR_KEYS,
        &["state", "input", "output"],
    ];
    key_lists.iter().any(|keys| keys.contains(&key))
}

/// A call parsed from the header and the body of a callout.
pub(super) struct ParsedBody {
    pub(super) call: Callout,
    /// The written state, if it is not a known state.
    pub(super) unknown_state: Option<String>,
}

/// Returns the body lines of a callout without quote marks. `has_end` is true if the last line
/// closes a fence; this line is then omitted.
pub(super) fn body_lines(source: &str, is_fence: bool, has_end: bool) -> Vec<&str> {
    let mut lines: Vec<&str> = source.split('\n').skip(1).collect();
    if has_end {
        lines.pop();
    }
    for line in &mut lines {
        *line = line.strip_suffix('\r').unwrap_or(line);
        if !is_fence {
            let text = line.trim_start_matches(' ');
            let text = text.strip_prefix('>').unwrap_or(text);
            *line = text.strip_prefix(BLANKS).unwrap_or(text);
        }
    }
    lines
}

/// Parses the body lines, which must not contain quote marks. Without an id in the header or the
/// body, the id of the call is empty; without a name, the name is [`DEFAULT_NAME`]. Fails with a
/// message for the author of the callout.
pub(super) fn parse_body(
    header: Header,
    lines: &[&str],
    options: &CalloutOptions,
) -> Result<ParsedBody, String> {
    let depth = options.max_depth.min(CalloutOptions::DEPTH_LIMIT);
    let mut fields = yaml::read_mapping(&dedent(lines), depth)?;
    let id = header
        .id
        .or_else(|| first_convertible(&fields, &ID_KEYS, convert_name_or_id));
    let name = header
        .name
        .or_else(|| first_convertible(&fields, &NAME_KEYS, convert_name_or_id));
    let error_text = first_convertible(&fields, &ERROR_KEYS, convert_error_text);
    let state = fields.shift_remove("state").map(|state| match state {
        Value::String(word) => CalloutState::parse(&word).ok_or(word),
        other => Err(other.to_string()),
    });
    let (state, unknown_state) = match state {
        None => (None, None),
        Some(Ok(state)) => (Some(state), None),
        Some(Err(word)) => (None, Some(word)),
    };
    let input = fields.shift_remove("input");
    let output = fields.shift_remove("output");
    fields.retain(|key, _| !is_known_field(key));
    let call = Callout {
        ordinal: 0,
        has_own_id: id.is_some(),
        id: id.unwrap_or_default(),
        name: name.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
        state,
        input,
        output,
        error_text,
        extra: fields,
        source: String::new(),
    };
    Ok(ParsedBody {
        call,
        unknown_state,
    })
}

/// Returns the converted value of the first key in `keys` whose value `convert` accepts. Returns
/// `None` if there is no such key.
fn first_convertible(
    fields: &Object,
    keys: &[&str],
    convert: fn(&Value) -> Option<String>,
) -> Option<String> {
    keys.iter()
        .find_map(|key| fields.get(*key).and_then(convert))
}

/// Converts a name or an id to text. Returns `None` if the value is a blank string, or neither a
/// string nor an integer.
fn convert_name_or_id(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// Converts an error to text. Returns `None` if the value is a blank string, null or false.
fn convert_error_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Null | Value::Bool(false) => None,
        other => Some(other.to_string()),
    }
}

/// Joins the lines without their common indentation.
fn dedent(lines: &[&str]) -> String {
    let is_blank = |line: &str| line.trim_matches(BLANKS).is_empty();
    let mut common_indent: Option<&str> = None;
    for line in lines.iter().filter(|line| !is_blank(line)) {
        let indent = line.len() - line.trim_start_matches(BLANKS).len();
        let indent = line.get(..indent).unwrap_or_default();
        let shared_len = common_indent.map_or(indent.len(), |common_indent| {
            let pairs = common_indent.bytes().zip(indent.bytes());
            pairs.take_while(|(left, right)| left == right).count()
        });
        common_indent = indent.get(..shared_len);
    }
    let common_indent = common_indent.unwrap_or_default();
    let mut text = String::new();
    for line in lines {
        text.push_str(line.strip_prefix(common_indent).unwrap_or_default());
        text.push('\n');
    }
    text
}

const BLANKS: [char; 2] = [' ', '\t'];
