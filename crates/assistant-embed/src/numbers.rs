//! Finds the integers that a JavaScript `number` may not represent exactly.
//!
//! For example, the user approves `9007199254740993`, but `JSON.parse` returns `9007199254740992`.
//! Therefore these integers are passed in addition to the arguments, each with its path and its
//! digits, and `npm/foreign.js` inserts them in the form that the action expects.

use serde_json::{Number, Value, json};

/// The largest safe integer of JavaScript, `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Returns the path and the digits of each integer whose absolute value is larger than
/// [`MAX_SAFE_INTEGER`]. A path is a JSON array of keys and indices.
pub(crate) fn rounded_integers(args: &Value) -> Vec<(Value, String)> {
    let mut integers = Vec::new();
    collect_rounded(args, &mut Vec::new(), &mut integers);
    integers
}

/// Returns the pairs of path and digits as one JSON array.
pub(crate) fn into_json(integers: Vec<(Value, String)>) -> Value {
    integers
        .into_iter()
        .map(|(path, digits)| json!([path, digits]))
        .collect()
}

fn collect_rounded(value: &Value, path: &mut Vec<Value>, integers: &mut Vec<(Value, String)>) {
    match value {
        Value::Number(number) if is_rounded(number) => {
            integers.push((Value::Array(path.clone()), number.to_string()));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                collect_rounded(item, path, integers);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                path.push(key.as_str().into());
                collect_rounded(field, path, integers);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns true for an integer whose absolute value is larger than [`MAX_SAFE_INTEGER`], so that
/// JavaScript may round it. Returns false for numbers with a fraction or an exponent, which are
/// also doubles in Rust.
fn is_rounded(number: &Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(integer), _) => integer > MAX_SAFE_INTEGER,
        (None, Some(integer)) => integer.unsigned_abs() > MAX_SAFE_INTEGER,
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, json};

    use super::{into_json, rounded_integers};

    #[test]
    fn integers_beyond_doubles_are_found_with_their_paths() {
        let args = r#"{"id": 9007199254740993, "list": [1, {"n": -9007199254740993}], "max": 18446744073709551615,
            "safe": 9007199254740991, "float": 1e20, "__proto__": [9223372036854775807], "text": "9007199254740993"}"#;
        let args = from_str(args).unwrap_or_default();
        let integers = into_json(rounded_integers(&args));
        let expected = json!([
            [["id"], "9007199254740993"],
            [["list", 1, "n"], "-9007199254740993"],
            [["max"], "18446744073709551615"],
            [["__proto__", 0], "9223372036854775807"],
        ]);
        assert_eq!(integers, expected);
        assert_eq!(
            into_json(rounded_integers(&json!(9_007_199_254_740_993_u64))),
            json!([[[], "9007199254740993"]])
        );
    }
}
