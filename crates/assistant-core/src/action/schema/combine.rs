//! Applies the keywords that combine schemas: `allOf`, `anyOf`, `oneOf`, `not` and `if`.
//!
//! If the instance fits no alternative, the violations of the closest alternative are reported. If
//! no alternative is close, or several are equally close, a single violation lists the
//! alternatives.

use serde_json::{Map, Value};

use super::Violation;
use super::check::{EvaluatedPositions, Validation};

/// The maximum number of alternatives that a message lists.
const MAX_LISTED_ALTERNATIVES: usize = 8;

/// The minimum total weight of violations at which an alternative counts as not intended.
const UNINTENDED_WEIGHT: usize = 1000;

/// The result of applying alternatives.
#[derive(Default)]
struct AlternativesOutcome {
    fitting: usize,
    /// The violations of the closest alternative so far.
    closest: Vec<Violation>,
    /// The total weight of the violations in `closest`.
    weight: Option<usize>,
    /// True if several alternatives have the weight `weight`.
    tied: bool,
}

impl<'a> Validation<'a, '_> {
    pub(super) fn apply_all_of(
        &mut self,
        schemas: &'a Value,
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Some(schemas) = self.read_schema_list(schemas) else {
            return true;
        };
        self.check_each(schemas, |check, schema| {
            check.apply(schema, instance, evaluated.as_deref_mut())
        })
    }

    pub(super) fn apply_any_of(
        &mut self,
        schemas: &'a Value,
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Some(schemas) = self.read_schema_list(schemas) else {
            return true;
        };
        // If annotations are collected, all alternatives are applied, because every fitting
        // alternative contributes annotations.
        let max_fitting = if evaluated.is_some() { usize::MAX } else { 1 };
        let outcome =
            self.try_alternatives(schemas, instance, evaluated.as_deref_mut(), max_fitting);
        outcome.fitting > 0 || self.report_no_match("anyOf", schemas, outcome, evaluated)
    }

    pub(super) fn apply_one_of(
        &mut self,
        schemas: &'a Value,
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Some(schemas) = self.read_schema_list(schemas) else {
            return true;
        };
        let outcome = self.try_alternatives(schemas, instance, evaluated.as_deref_mut(), 2);
        match outcome.fitting {
            0 => self.report_no_match("oneOf", schemas, outcome, evaluated),
            1 => true,
            _ => match self.describe_alternatives(schemas) {
                Some(names) => self.record_violation(
                    "oneOf",
                    format_args!("must fit only one of these, but fits several: {names}"),
                ),
                None => self.record_violation(
                    "oneOf",
                    format_args!("must fit only one of {} alternatives", schemas.len()),
                ),
            },
        }
    }

    pub(super) fn apply_not(&mut self, schema: &'a Value, instance: &Value) -> bool {
        if !self.test_schema(schema, instance, None) {
            return true;
        }
        let description = if self.is_quiet() {
            None
        } else {
            self.describe_schema(schema)
        };
        match description {
            Some(description) => {
                self.record_violation("not", format_args!("must not be {description}"))
            }
            None => {
                self.record_violation("not", format_args!("must not be as the schema excludes"))
            }
        }
    }

    pub(super) fn apply_if_then_else(
        &mut self,
        schema: &'a Map<String, Value>,
        condition: &'a Value,
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let mut positions = evaluated.as_ref().map(|_| EvaluatedPositions::default());
        let branch = if self.test_schema(condition, instance, positions.as_mut()) {
            if let (Some(evaluated), Some(positions)) = (evaluated.as_deref_mut(), &positions) {
                evaluated.merge(positions);
            }
            "then"
        } else {
            "else"
        };
        match schema.get(branch) {
            Some(branch) => self.apply(branch, instance, evaluated),
            None => true,
        }
    }

    /// Applies alternatives until `max_fitting` of them fit or the budget is exceeded. Returns the
    /// number of fitting alternatives and the violations of the closest alternative that does not
    /// fit.
    fn try_alternatives(
        &mut self,
        schemas: &'a [Value],
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
        max_fitting: usize,
    ) -> AlternativesOutcome {
        let mut outcome = AlternativesOutcome::default();
        for schema in schemas {
            let mut positions = evaluated.as_ref().map(|_| EvaluatedPositions::default());
            match self.try_apply(schema, instance, positions.as_mut()) {
                Ok(()) => {
                    outcome.fitting += 1;
                    if let (Some(evaluated), Some(positions)) =
                        (evaluated.as_deref_mut(), &positions)
                    {
                        evaluated.merge(positions);
                    }
                }
                Err(violations) => outcome.keep_closest(violations, self.path()),
            }
            if outcome.fitting >= max_fitting || self.is_stopped() {
                break;
            }
        }
        outcome
    }

    fn report_no_match(
        &mut self,
        keyword: &'static str,
        schemas: &'a [Value],
        outcome: AlternativesOutcome,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        // All locations are marked as evaluated, because the evaluated locations are unknown and
        // must not be reported as unevaluated.
        if let Some(evaluated) = evaluated {
            evaluated.mark_all();
        }
        if self.is_quiet() || self.is_stopped() {
            return false;
        }
        let is_intended = outcome
            .weight
            .is_some_and(|weight| weight < UNINTENDED_WEIGHT)
            && !outcome.tied;
        if (is_intended || schemas.len() == 1) && !outcome.closest.is_empty() {
            return self.record_violations(outcome.closest);
        }
        match self.describe_alternatives(schemas) {
            Some(names) => self.record_violation(keyword, format_args!("must be {names}")),
            None => self.record_violation(
                keyword,
                format_args!(
                    "must fit one of {} alternatives, but fits none",
                    schemas.len()
                ),
            ),
        }
    }

    /// Describes the alternatives, such as "a string or null". Returns `None` if an alternative has
    /// no description or only the verdict is needed.
    fn describe_alternatives(&mut self, schemas: &'a [Value]) -> Option<String> {
        if self.is_quiet() {
            return None;
        }
        let mut names: Vec<String> = Vec::new();
        for schema in schemas.iter().take(MAX_LISTED_ALTERNATIVES) {
            let name = self.describe_schema(schema)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if schemas.len() > MAX_LISTED_ALTERNATIVES {
            names.push("…".into());
        }
        Some(names.join(" or "))
    }

    /// Returns `value` as a non-empty list of schemas. For any other value, records a fault of the
    /// schema and returns `None`.
    fn read_schema_list(&mut self, value: &'a Value) -> Option<&'a [Value]> {
        match value {
            Value::Array(schemas) if !schemas.is_empty() => Some(schemas),
            _ => {
                let expected = "a list of schemas was expected";
                self.record_schema_fault(format_args!("the schema is not valid: {expected}"));
                None
            }
        }
    }
}

impl AlternativesOutcome {
    /// Stores `violations` if their weight is less than that of the closest alternative so far, and
    /// records a tie if the weights are equal.
    fn keep_closest(&mut self, violations: Vec<Violation>, path: &str) {
        let weight = violations
            .iter()
            .map(|violation| weigh_violation(violation, path))
            .sum();
        match self.weight {
            Some(closest) if closest < weight => {}
            Some(closest) if closest == weight => self.tied = true,
            _ => {
                self.weight = Some(weight);
                self.closest = violations;
                self.tied = false;
            }
        }
    }
}

/// Returns the weight of a violation as evidence that an alternative was not intended. A violation
/// of `type`, `const`, `enum` or `false` at the location itself has the greatest weight, followed
/// by a `const` at a deeper location, such as a tag (`"kind": "circle"`).
fn weigh_violation(violation: &Violation, path: &str) -> usize {
    let extra_len = violation.path.len().saturating_sub(path.len());
    match violation.keyword {
        "type" | "const" | "enum" | "false" if extra_len == 0 => UNINTENDED_WEIGHT,
        "const" => 100,
        "enum" => 20,
        "type" | "required" | "additionalProperties" | "unevaluatedProperties" => 3,
        _ => 1,
    }
}
