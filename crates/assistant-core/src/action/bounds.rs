//! Defines the bounds of remembered approvals: scope, number of uses, lifetime and maximum argument
//! values.
//!
//! An action declares the widest bounds that it permits. The user may narrow these bounds, but not
//! widen them. The module `remember` enforces the bounds.

use std::cmp::Ordering;

use serde_json::{Number, Value, json};

use super::schema;

/// The maximum number of argument maxima in one approval.
const MAX_ARG_MAXIMA: usize = 16;

/// The bounds of a remembered approval: number of uses, lifetime and greatest argument values.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct GrantBounds {
    pub(crate) uses: Option<u32>,
    pub(crate) lasts_ms: Option<i64>,
    pub(crate) maxima: Vec<ArgMaximum>,
}

/// The greatest permitted value of a numeric argument.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ArgMaximum {
    pub(crate) pointer: String,
    pub(crate) max: Number,
}

impl GrantBounds {
    /// Returns the maximum number of later calls that may start under the approval, or `None` if
    /// the number is not limited.
    #[must_use]
    pub const fn max_uses(&self) -> Option<u32> {
        self.uses
    }

    /// Returns the lifetime of the approval in milliseconds, or `None` if the lifetime is not
    /// limited.
    #[must_use]
    pub const fn max_duration_ms(&self) -> Option<i64> {
        self.lasts_ms
    }

    /// Returns the greatest permitted values of arguments.
    #[must_use]
    pub fn maxima(&self) -> &[ArgMaximum] {
        &self.maxima
    }

    /// Limits the number of later calls that may start under the approval.
    #[must_use]
    pub const fn uses(mut self, count: u32) -> Self {
        self.uses = Some(count);
        self
    }

    /// Limits the lifetime of the approval to `ms` milliseconds.
    #[must_use]
    pub const fn lasts_ms(mut self, ms: i64) -> Self {
        self.lasts_ms = Some(ms);
        self
    }

    /// Limits the approval to calls in which the argument at a JSON Pointer is a number of at most
    /// `max`. If the argument has a limit already, the smaller limit applies.
    #[must_use]
    pub fn up_to(mut self, pointer: impl Into<String>, max: impl Into<Number>) -> Self {
        let maximum = ArgMaximum {
            pointer: pointer.into(),
            max: max.into(),
        };
        self.add_maximum(maximum);
        self
    }

    /// Replaces the greatest permitted value of the argument at a JSON Pointer. The new value may
    /// be greater than the previous value.
    #[must_use]
    pub fn with_maximum(mut self, pointer: impl Into<String>, max: impl Into<Number>) -> Self {
        let pointer = pointer.into();
        self.maxima.retain(|existing| existing.pointer != pointer);
        self.up_to(pointer, max)
    }

    /// Returns the intersection of two bounds: for each limit, the narrower of the two values.
    #[must_use]
    pub fn narrowed(&self, by: &Self) -> Self {
        let mut bounds = self.clone();
        bounds.uses = min_bound(self.uses, by.uses);
        bounds.lasts_ms = min_bound(self.lasts_ms, by.lasts_ms);
        for maximum in &by.maxima {
            bounds.add_maximum(maximum.clone());
        }
        bounds
    }

    /// Returns the greatest permitted value of the argument at a JSON Pointer, or `None` if the
    /// argument is not limited.
    #[must_use]
    pub fn maximum(&self, pointer: &str) -> Option<Number> {
        let mut maxima = self.maxima.iter();
        let maximum = maxima.find(|maximum| maximum.pointer == pointer)?;
        Some(maximum.max.clone())
    }

    fn add_maximum(&mut self, maximum: ArgMaximum) {
        let mut maxima = self.maxima.iter_mut();
        match maxima.find(|existing| existing.pointer == maximum.pointer) {
            Some(existing) if existing.is_above(&maximum.max) => existing.max = maximum.max,
            Some(_) => {}
            None => self.maxima.push(maximum),
        }
    }

    /// Serializes the bounds for the fingerprint of an action.
    pub(crate) fn to_value(&self) -> Value {
        json!([self.uses, self.lasts_ms, maxima_to_value(&self.maxima)])
    }
}

fn min_bound<T: Ord + Copy>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl ArgMaximum {
    /// Returns a JSON Pointer to the argument.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the greatest permitted value of the argument.
    #[must_use]
    pub const fn max(&self) -> &Number {
        &self.max
    }

    fn is_above(&self, number: &Number) -> bool {
        schema::compare_numbers(&self.max, number) == Ordering::Greater
    }

    /// Returns true if the argument exists, is a number, and is not above the maximum.
    pub(crate) fn is_satisfied_by(&self, args: &Value) -> bool {
        let number = args.pointer(&self.pointer).and_then(Value::as_number);
        number.is_some_and(|number| schema::compare_numbers(number, &self.max) != Ordering::Greater)
    }
}

pub(super) fn maxima_to_value(maxima: &[ArgMaximum]) -> Value {
    let maximum_to_json =
        |maximum: &ArgMaximum| json!({"pointer": maximum.pointer, "max": maximum.max});
    maxima.iter().map(maximum_to_json).collect()
}

/// Reads maxima written by [`maxima_to_value`]. Returns `None` if any entry is invalid or there are
/// more than 16 entries.
pub(super) fn maxima_from_value(value: &Value) -> Option<Vec<ArgMaximum>> {
    let list = value
        .as_array()
        .filter(|list| list.len() <= MAX_ARG_MAXIMA)?;
    let read_maximum = |entry: &Value| {
        Some(ArgMaximum {
            pointer: entry.get("pointer")?.as_str()?.to_owned(),
            max: entry.get("max")?.as_number()?.clone(),
        })
    };
    list.iter().map(read_maximum).collect()
}

/// The widest scope in which an approval of an action may be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remembering {
    /// Approvals are never remembered.
    Never,
    /// An approval covers only calls with the arguments that were approved.
    SameArguments,
    /// An approval may cover all calls with the same values in the named fields.
    SameFields(Vec<String>),
    /// An approval may cover calls with any arguments.
    AnyArguments,
}
