//! The shape of JSON Patch operations. Applying them is [`crate::wire::json::patch`]'s business.

use serde_json::Value;

use super::context::{Context, Fault, Path, Read};

/// Checks one operation and hands it on as it came, members beyond RFC 6902 included.
pub(super) fn operation(value: Value, context: &mut Context<'_>, path: Path<'_>) -> Read<Value> {
    let Value::Object(map) = &value else {
        return Err(context.malformed(path, "Invalid input: expected object"));
    };
    let Some(Value::String(op)) = map.get("op") else {
        return Err(context.malformed(Path::Key(&path, "op"), "Invalid input: expected string"));
    };
    let (needs_value, needs_from) = match op.as_str() {
        "add" | "replace" | "test" => (true, false),
        "move" | "copy" => (false, true),
        "remove" => (false, false),
        _ => return Err(Fault::Unknown),
    };
    if needs_value && !map.contains_key("value") {
        return Err(context.malformed(Path::Key(&path, "value"), "Invalid input"));
    }
    if needs_from {
        pointer(map.get("from"), context, Path::Key(&path, "from"))?;
    }
    pointer(map.get("path"), context, Path::Key(&path, "path"))?;
    Ok(value)
}

fn pointer(value: Option<&Value>, context: &Context<'_>, path: Path<'_>) -> Read<()> {
    match value {
        Some(Value::String(text)) if is_pointer(text) => Ok(()),
        Some(Value::String(_)) => Err(context.malformed(path, "Invalid JSON pointer")),
        _ => Err(context.malformed(path, "Invalid input: expected string")),
    }
}

/// RFC 6901: empty, or `/` before each token; `~` only as `~0` and `~1`.
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
