//! Applies the keywords that combine schemas: `allOf`, `anyOf`, `oneOf`, `not` and `if`.
//!
//! If no alternative fits, the violations of the closest alternative are reported. If none is close
//! or several are equally close, a single violation names the alternatives.

use serde_json::{Map, Value};

use super::Violation;
use super::check::{EvaluatedPositions, Validation};

/// The maximum number of alternatives that a message names.
const MAX_NAMED: usize = 8;

/// The total weight of violations from which an alternative counts as not intended.
const MISS_THRESHOLD: usize = 1000;

/// The result of trying alternatives.
#[derive(Default)]
struct AlternativesOutcome {
    fitting: usize,
    /// The violations of the closest alternative so far.
    closest: Vec<Violation>,
    miss: Option<usize>,
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
        let mut fits = true;
        for schema in schemas {
            fits &= self.apply(schema, instance, evaluated.as_deref_mut());
            if !self.should_continue(fits) {
                return false;
            }
        }
        fits
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
        // If annotations are collected, every fitting alternative contributes.
        let enough = if evaluated.is_some() { usize::MAX } else { 1 };
        let outcome = self.try_alternatives(schemas, instance, evaluated.as_deref_mut(), enough);
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
        let evaluated = if self.is_quiet() {
            None
        } else {
            self.describe_schema(schema)
        };
        match evaluated {
            Some(evaluated) => {
                self.record_violation("not", format_args!("must not be {evaluated}"))
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
        let mut marks = evaluated.as_ref().map(|_| EvaluatedPositions::default());
        let branch = if self.test_schema(condition, instance, marks.as_mut()) {
            if let (Some(evaluated), Some(marks)) = (evaluated.as_deref_mut(), &marks) {
                evaluated.merge(marks);
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

    /// Applies alternatives until `enough` of them fit or the budget is exceeded. Returns the
    /// number of fitting alternatives and the violations of the closest other alternative.
    fn try_alternatives(
        &mut self,
        schemas: &'a [Value],
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
        enough: usize,
    ) -> AlternativesOutcome {
        let mut outcome = AlternativesOutcome::default();
        for schema in schemas {
            let mut marks = evaluated.as_ref().map(|_| EvaluatedPositions::default());
            match self.try_apply(schema, instance, marks.as_mut()) {
                Ok(()) => {
                    outcome.fitting += 1;
                    if let (Some(evaluated), Some(marks)) = (evaluated.as_deref_mut(), &marks) {
                        evaluated.merge(marks);
                    }
                }
                Err(found) => outcome.keep_closest(found, self.path()),
            }
            if outcome.fitting >= enough || self.is_stopped() {
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
        // The evaluated locations are unknown, so the rest is not reported.
        if let Some(evaluated) = evaluated {
            evaluated.mark_all();
        }
        if self.is_quiet() || self.is_stopped() {
            return false;
        }
        let meant = outcome.miss.is_some_and(|miss| miss < MISS_THRESHOLD) && !outcome.tied;
        if (meant || schemas.len() == 1) && !outcome.closest.is_empty() {
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

    /// Describes the alternatives, such as "a string or null"; `None` if one of them has no
    /// description or only the verdict is needed.
    fn describe_alternatives(&mut self, schemas: &'a [Value]) -> Option<String> {
        if self.is_quiet() {
            return None;
        }
        let mut names: Vec<String> = Vec::new();
        for schema in schemas.iter().take(MAX_NAMED) {
            let name = self.describe_schema(schema)?;
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if schemas.len() > MAX_NAMED {
            names.push("…".into());
        }
        Some(names.join(" or "))
    }

    /// Returns a non-empty list of schemas; `None` for any other value, which is recorded as a
    /// fault of the schema.
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
    /// Keeps `found` if it weighs less than all previous violations, and records a tie if it weighs
    /// as much as the closest.
    fn keep_closest(&mut self, found: Vec<Violation>, path: &str) {
        let miss = found
            .iter()
            .map(|violation| weigh_violation(violation, path))
            .sum();
        match self.miss {
            Some(closest) if closest < miss => {}
            Some(closest) if closest == miss => self.tied = true,
            _ => {
                self.miss = Some(miss);
                self.closest = found;
                self.tied = false;
            }
        }
    }
}

/// Returns the weight of a violation as evidence that an alternative was not intended. A violation
/// by the type or value of the location itself weighs most, followed by a `const` further down,
/// such as a tag (`"kind": "circle"`).
fn weigh_violation(violation: &Violation, path: &str) -> usize {
    let below = violation.path.len().saturating_sub(path.len());
    match violation.keyword {
        "type" | "const" | "enum" | "false" if below == 0 => MISS_THRESHOLD,
        "const" => 100,
        "enum" => 20,
        "type" | "required" | "additionalProperties" | "unevaluatedProperties" => 3,
        _ => 1,
    }
}
