//! Validates JSON Patch operations. [`assistant_core::json::patch`] applies them.

use serde_json::Value;

use assistant_core::json::fields::{Context, Fault, Path, Read};

/// Returns a valid operation unchanged, including members that RFC 6902 does not define. Fails for
/// an invalid operation. The error is [`Fault::Unknown`] if the operation's `op` is missing or
/// unknown.
pub(super) fn validate_operation(
    value: Value,
    context: &mut Context<'_>,
    path: Path<'_>,
) -> Read<Value> {
    let Value::Object(map) = &value else {
        return Err(context.wrong_type(path, "object", Some(&value)));
    };
    let Some(Value::String(op)) = map.get("op") else {
        return Err(Fault::Unknown);
    };
    let (needs_value, needs_from) = match op.as_str() {
        "add" | "replace" | "test" => (true, false),
        "move" | "copy" => (false, true),
        "remove" => (false, false),
        _ => return Err(Fault::Unknown),
    };
    if needs_from {
        validate_pointer(map.get("from"), context, Path::Key(&path, "from"))?;
    }
    validate_pointer(map.get("path"), context, Path::Key(&path, "path"))?;
    if needs_value && !map.contains_key("value") {
        return Err(context.malformed(Path::Key(&path, "value"), "Invalid input"));
    }
    Ok(value)
}

fn validate_pointer(value: Option<&Value>, context: &Context<'_>, path: Path<'_>) -> Read<()> {
    match value {
        Some(Value::String(text)) if is_pointer(text) => Ok(()),
        Some(Value::String(_)) => Err(context.malformed(
            path,
            "Invalid string: must match pattern /^(\\/([^/~]|~[01])*)*$/",
        )),
        value => Err(context.wrong_type(path, "string", value)),
    }
}

/// Returns true if the text is a JSON Pointer (RFC 6901): an empty text, or a text with `/` before
/// each token and `~` only in `~0` and `~1`.
fn is_pointer(text: &str) -> bool {
    let mut bytes = text.bytes().peekable();
    if bytes.peek().is_some_and(|first| *first != b'/') {
        return false;
    }
    while let Some(byte) = bytes.next() {
        if byte == b'~' && !matches!(bytes.next(), Some(b'0' | b'1')) {
            return false;
        }
    }
    true
}
