//! Merges JSON objects.

use serde_json::Value;

use crate::event::Object;

/// Merges `source` into `target`. Objects are merged recursively; other values are replaced. The
/// keys `__proto__`, `constructor` and `prototype` are ignored, as in the AI SDK, because they would
/// change a JavaScript prototype. The cost is proportional to `source`.
///
/// # Examples
///
/// ```
/// use assistant_core::{event::Object, json::merge::merge_object};
/// use serde_json::{from_str, json, to_value};
///
/// let mut target: Object = from_str(r#"{"usage": {"input": 3}, "model": "small"}"#)?;
/// let source: Object = from_str(r#"{"usage": {"output": 4}, "model": "large"}"#)?;
/// merge_object(&mut target, source);
///
/// let merged = json!({"usage": {"input": 3, "output": 4}, "model": "large"});
/// assert_eq!(to_value(target)?, merged);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn merge_object(target: &mut Object, source: Object) {
    for (key, value) in source {
        if matches!(key.as_str(), "__proto__" | "constructor" | "prototype") {
            continue;
        }
        match (target.get_mut(&key), value) {
            (Some(Value::Object(target)), Value::Object(source)) => merge_object(target, source),
            (_, value) => {
                target.insert(key, value);
            }
        }
    }
}
