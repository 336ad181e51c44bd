//! Compares JSON values for `const`, `enum` and `uniqueItems`. Numbers are compared by value, and
//! objects are compared regardless of key order. All work is charged to the budget.

use core::cmp::Ordering;

use serde_json::Value;

use super::budget::Budget;
use super::numbers;

/// Returns true if two values are equal and the budget is not exceeded.
pub(super) fn is_equal(a: &Value, b: &Value, budget: &mut Budget) -> bool {
    if !budget.spend(1) {
        return false;
    }
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => numbers::compare(a, b) == Ordering::Equal,
        (Value::String(a), Value::String(b)) => budget.spend_text(a) && a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len()
                && run_one_level_down(budget, &mut |budget| {
                    a.iter().zip(b).all(|(a, b)| is_equal(a, b, budget))
                })
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && run_one_level_down(budget, &mut |budget| {
                    a.iter().all(|(key, a)| {
                        budget.spend_text(key) && b.get(key).is_some_and(|b| is_equal(a, b, budget))
                    })
                })
        }
        (a, b) => a == b,
    }
}

/// Finds the first item that repeats an earlier item, and returns the positions of the earlier item
/// and of the item that repeats it. Returns `None` if all items differ or the budget is exceeded.
///
/// Items are stored in a hash table, so a list without repeats takes time proportional to its size.
/// The cost of collisions is charged to the budget.
pub(super) fn find_first_repeat(items: &[Value], budget: &mut Budget) -> Option<(usize, usize)> {
    let slot_count = (items.len() * 2).next_power_of_two();
    let mut table: Vec<Option<(usize, u64)>> = vec![None; slot_count];
    for (position, item) in items.iter().enumerate() {
        let hash = hash_value(item, budget);
        let mut slot = hash as usize & (slot_count - 1);
        while let Some((earlier_position, earlier_hash)) = table.get(slot).copied().flatten() {
            if !budget.spend(1) {
                return None;
            }
            let is_repeat = earlier_hash == hash
                && items
                    .get(earlier_position)
                    .is_some_and(|earlier_item| is_equal(earlier_item, item, budget));
            if is_repeat {
                return Some((earlier_position, position));
            }
            slot = (slot + 1) & (slot_count - 1);
        }
        if let Some(free_slot) = table.get_mut(slot) {
            *free_slot = Some((position, hash));
        }
    }
    None
}

/// Hashes a value. Equal values have equal hashes unless the budget is exceeded.
fn hash_value(value: &Value, budget: &mut Budget) -> u64 {
    if !budget.spend(1) {
        return 0;
    }
    match value {
        Value::Null => 1,
        Value::Bool(flag) => 2 + u64::from(*flag),
        Value::Number(number) => mix_hash(4, numbers::hash_key(number)),
        Value::String(text) => hash_text(text, budget),
        Value::Array(items) => {
            let mut sum = 5;
            run_one_level_down(budget, &mut |budget| {
                sum = items
                    .iter()
                    .fold(sum, |sum, item| mix_hash(sum, hash_value(item, budget)));
                true
            });
            sum
        }
        Value::Object(map) => {
            // The hashes of the members are added, because key order is not significant.
            let mut sum = 6_u64;
            run_one_level_down(budget, &mut |budget| {
                for (key, value) in map {
                    let entry = mix_hash(hash_text(key, budget), hash_value(value, budget));
                    sum = sum.wrapping_add(entry);
                }
                true
            });
            mix_hash(6, sum)
        }
    }
}

fn hash_text(text: &str, budget: &mut Budget) -> u64 {
    if !budget.spend_text(text) {
        return 0;
    }
    text.bytes().fold(7, |sum, byte| mix_hash(sum, byte.into()))
}

/// Mixes `more` into the hash `sum`, and spreads the high bits of the product to the low bits that
/// choose a slot.
fn mix_hash(sum: u64, more: u64) -> u64 {
    let product = (sum.rotate_left(5) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}

/// Runs `work` one level deeper and returns the result of `work`. Returns false if the maximum
/// depth is exceeded.
fn run_one_level_down(budget: &mut Budget, work: &mut dyn FnMut(&mut Budget) -> bool) -> bool {
    if !budget.descend() {
        return false;
    }
    let result = work(budget);
    budget.ascend();
    result
}
