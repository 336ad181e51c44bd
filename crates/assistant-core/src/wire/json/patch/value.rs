//! What a patch has to know of a value: is it equal, how deep, how large. Nothing here
//! recurses.

use serde_json::{Number, Value};

use super::{Outcome, PatchErrorKind};

/// Equality as JSON Patch wants it: numbers by their value, objects without regard to order. Takes
/// no longer than `right` is, which is why its keys are looked up in `left`.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
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

/// What a node takes in memory, roughly; the key of a member takes as much again.
pub(super) const NODE: usize = 72;

/// Takes the memory of `value`, roughly, off `left`. Fails where nothing is left, or where more than
/// `depth` containers stand in each other.
pub(super) fn weigh(value: &Value, depth: usize, left: &mut usize) -> Outcome {
    let mut nodes = vec![(value, depth)];
    while let Some((node, depth)) = nodes.pop() {
        let text = match node {
            Value::String(text) => text.len(),
            Value::Object(map) => map.keys().map(|key| NODE + key.len()).sum(),
            _ => 0,
        };
        let rest = left.checked_sub(NODE + text);
        *left = rest.ok_or(PatchErrorKind::OverBudget)?;
        let inner = depth.checked_sub(1).ok_or(PatchErrorKind::TooDeep);
        match node {
            Value::Array(items) => {
                let inner = inner?;
                nodes.extend(items.iter().map(|item| (item, inner)));
            }
            Value::Object(map) => {
                let inner = inner?;
                nodes.extend(map.values().map(|item| (item, inner)));
            }
            _ => {}
        }
    }
    Ok(())
}
