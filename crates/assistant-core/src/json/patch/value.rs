//! Compares and measures values without recursion.

use serde_json::{Map, Number, Value};

use super::{PatchErrorKind, PatchResult};

/// Compares values as JSON Patch requires: numbers are compared by value, and objects regardless of
/// the order of their keys. The comparison takes time proportional to the size of `right`, since
/// the keys of `right` are looked up in `left`.
pub(super) fn are_equal(left: &Value, right: &Value) -> bool {
    let mut pairs = vec![(left, right)];
    while let Some(pair) = pairs.pop() {
        match pair {
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                pairs.extend(left.iter().zip(right));
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                for (key, right) in right {
                    let Some(left) = left.get(key) else {
                        return false;
                    };
                    pairs.push((left, right));
                }
            }
            (Value::Number(left), Value::Number(right)) if are_numbers_equal(left, right) => {}
            (Value::Array(_) | Value::Object(_) | Value::Number(_), _) => return false,
            (left, right) if left == right => {}
            _ => return false,
        }
    }
    true
}

fn are_numbers_equal(left: &Number, right: &Number) -> bool {
    match (as_integer(left), as_integer(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.as_f64() == right.as_f64(),
        _ => false,
    }
}

/// Returns the number as an integer; `None` if the number has a fraction or a magnitude of at least
/// 1e20.
fn as_integer(number: &Number) -> Option<i128> {
    let integer = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    integer.or_else(|| {
        let float = number.as_f64()?;
        let is_exact_integer = float.fract() == 0.0 && float.abs() < 1e20;
        // The conversion is exact, since every whole float below 1e20 fits in an `i128`.
        is_exact_integer.then_some(float as i128)
    })
}

/// The approximate memory of a node in bytes, without the text of the node. The key of a member
/// takes the same amount, without the text of the key.
pub(super) const NODE_SIZE: usize = 72;

/// Subtracts the approximate memory of `value` from `remaining`. Fails if `remaining` does not
/// suffice, or if more than `depth` containers are nested.
pub(super) fn subtract_size(value: &Value, depth: usize, remaining: &mut usize) -> PatchResult {
    let mut nodes = vec![(value, depth)];
    while let Some((node, depth)) = nodes.pop() {
        let text_len = match node {
            Value::String(text) => text.len(),
            Value::Object(map) => map.keys().map(|key| NODE_SIZE + key.len()).sum(),
            _ => 0,
        };
        let difference = remaining.checked_sub(NODE_SIZE + text_len);
        *remaining = difference.ok_or(PatchErrorKind::OverBudget)?;
        let inner_depth = depth.checked_sub(1).ok_or(PatchErrorKind::TooDeep);
        match node {
            Value::Array(items) => {
                let inner_depth = inner_depth?;
                nodes.extend(items.iter().map(|item| (item, inner_depth)));
            }
            Value::Object(map) => {
                let inner_depth = inner_depth?;
                nodes.extend(map.values().map(|item| (item, inner_depth)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the approximate memory of a value, in bytes.
pub(crate) fn size_of(value: &Value) -> usize {
    let mut remaining = usize::MAX;
    // The result is ignored, since no value exceeds these limits.
    let _ = subtract_size(value, usize::MAX, &mut remaining);
    usize::MAX - remaining
}

/// Returns the approximate memory of an object, in bytes.
pub(crate) fn size_of_object(object: &Map<String, Value>) -> usize {
    let members = object.iter();
    let members = members.map(|(key, value)| NODE_SIZE + key.len() + size_of(value));
    NODE_SIZE + members.sum::<usize>()
}
