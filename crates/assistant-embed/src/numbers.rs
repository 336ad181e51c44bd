//! Finds the integers that a JavaScript `number` may not represent exactly.
//!
//! For example, the user approves `9007199254740993`, but `JSON.parse` returns `9007199254740992`.
//! So these integers are passed in addition to the arguments, each with its path and its digits,
//! and `npm/foreign.js` inserts them in the form that the action expects.

use serde_json::{Number, Value, json};

/// The largest safe integer of JavaScript, `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Returns the path and the digits of each integer beyond [`MAX_SAFE`]. A path is a JSON array of
/// keys and indices.
pub(crate) fn rounded_integers(args: &Value) -> Vec<(Value, String)> {
    let mut found = Vec::new();
    collect_rounded(args, &mut Vec::new(), &mut found);
    found
}

/// Returns pairs of path and digits as one JSON array.
pub(crate) fn into_json(found: Vec<(Value, String)>) -> Value {
    found
        .into_iter()
        .map(|(path, digits)| json!([path, digits]))
        .collect()
}

fn collect_rounded(value: &Value, path: &mut Vec<Value>, found: &mut Vec<(Value, String)>) {
    match value {
        Value::Number(number) if is_rounded(number) => {
            found.push((Value::Array(path.clone()), number.to_string()));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push(index.into());
                collect_rounded(item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                path.push(key.as_str().into());
                collect_rounded(field, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns true for an integer beyond [`MAX_SAFE`], which JavaScript may round. False for numbers
/// with a fraction or an exponent, which are doubles in Rust, too.
fn is_rounded(number: &Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(whole), _) => whole > MAX_SAFE,
        (None, Some(negative)) => negative.unsigned_abs() > MAX_SAFE,
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
        let found = into_json(rounded_integers(&args));
        let expected = json!([
            [["id"], "9007199254740993"],
            [["list", 1, "n"], "-9007199254740993"],
            [["max"], "18446744073709551615"],
            [["__proto__", 0], "9223372036854775807"],
        ]);
        assert_eq!(found, expected);
        assert_eq!(
            into_json(rounded_integers(&json!(9_007_199_254_740_993_u64))),
            json!([[[], "9007199254740993"]])
        );
    }
}
