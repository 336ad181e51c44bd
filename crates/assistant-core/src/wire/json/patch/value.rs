//! What a patch has to know of a value: is it equal, how deep, how large. Never recurses deeper
//! than it was told to look.

use serde_json::{Number, Value};

/// Equality as JSON Patch wants it: numbers by their value, objects without regard to order.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    let mut pairs = vec![(left, right)];
    while let Some(pair) = pairs.pop() {
        match pair {
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                pairs.extend(left.iter().zip(right));
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                for (key, left) in left {
                    let Some(right) = right.get(key) else {
                        return false;
                    };
                    pairs.push((left, right));
                }
            }
            (Value::Number(left), Value::Number(right)) if numbers_equal(left, right) => {}
            (Value::Array(_) | Value::Object(_) | Value::Number(_), _) => return false,
            (left, right) if left == right => {}
            _ => return false,
        }
    }
    true
}

fn numbers_equal(left: &Number, right: &Number) -> bool {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.as_f64() == right.as_f64(),
        _ => false,
    }
}

/// The number as an integer, if it is one that an integer type of JSON libraries holds.
fn integer(number: &Number) -> Option<i128> {
    let small = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    small.or_else(|| {
        let float = number.as_f64()?;
        let whole = float.fract() == 0.0 && float.abs() < 1e20;
        // In this range the conversion is exact.
        whole.then_some(float as i128)
    })
}

/// Whether no more than `depth` containers stand in each other.
pub(super) fn is_at_most(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| is_at_most(item, depth - 1)),
        Value::Object(map) => depth > 0 && map.values().all(|item| is_at_most(item, depth - 1)),
        _ => true,
    }
}

/// The number of nodes plus the bytes of their text; counted no further than just over `limit`.
pub(super) fn size(value: &Value, limit: usize) -> usize {
    let mut size = 0;
    let mut nodes = vec![value];
    while let Some(node) = nodes.pop() {
        size += 1;
        match node {
            Value::String(text) => size += text.len(),
            Value::Array(items) => nodes.extend(items),
            Value::Object(map) => {
                size += map.keys().map(String::len).sum::<usize>();
                nodes.extend(map.values());
            }
            _ => {}
        }
        if size > limit {
            break;
        }
    }
    size
}
