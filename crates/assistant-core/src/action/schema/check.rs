//! Traverses a schema and an instance, dispatches keywords, and tracks references, evaluated
//! locations and violations. The keywords are implemented in `object`, `array`, `scalar` and
//! `combine`.

use core::{fmt, mem};

use serde_json::{Map, Value};

use super::budget::Budget;
use super::message::{
    MAX_MESSAGE_LEN, MAX_PATH_LEN, QuotedName, format_bounded, format_limit, push_pointer_step,
};
use super::refs::{ResolvedSchema, SchemaIndex};
use super::{MAX_VIOLATIONS, PatternHost, Violation};

/// The maximum number of schema faults that are listed.
const MAX_FAULTS: usize = 4;

/// The positions of the evaluated properties or items of one instance. These annotations are used
/// by `unevaluatedProperties` and `unevaluatedItems`.
#[derive(Default)]
pub(super) struct EvaluatedPositions {
    all: bool,
    marks: Vec<bool>,
}

impl EvaluatedPositions {
    pub(super) fn mark(&mut self, position: usize) {
        if self.marks.len() <= position {
            self.marks.resize(position + 1, false);
        }
        if let Some(mark) = self.marks.get_mut(position) {
            *mark = true;
        }
    }

    pub(super) fn mark_all(&mut self) {
        self.all = true;
    }

    pub(super) fn contains(&self, position: usize) -> bool {
        self.all || self.marks.get(position).copied().unwrap_or(false)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.all |= other.all;
        for (position, _) in other
            .marks
            .iter()
            .enumerate()
            .filter(|(_, evaluated)| **evaluated)
        {
            self.mark(position);
        }
    }
}

/// The state of one validation.
pub(super) struct Validation<'a, 'h> {
    pub(super) budget: Budget,
    index: SchemaIndex<'a>,
    /// The dynamic scope: the entered resources, outermost first. The last entry is the current
    /// resource.
    scope: Vec<usize>,
    patterns: &'h mut dyn PatternHost,
    path: String,
    /// The number of nested calls that need only the verdict. Violations are recorded only if the
    /// number is 0.
    quiet: usize,
    found: Vec<Violation>,
    faults: Vec<Violation>,
    /// The keyword that is being applied, and the value of the keyword.
    current_keyword: Option<(&'a str, &'a Value)>,
}

impl<'a, 'h> Validation<'a, 'h> {
    pub(super) fn new(schema: &'a Value, patterns: &'h mut dyn PatternHost) -> Self {
        Self {
            budget: Budget::new(),
            index: SchemaIndex::new(schema),
            scope: vec![0],
            patterns,
            path: String::new(),
            quiet: 0,
            found: Vec::new(),
            faults: Vec::new(),
            current_keyword: None,
        }
    }

    /// Returns at most [`MAX_VIOLATIONS`] violations, in this order: faults of the schema, an
    /// exceeded budget, violations of the instance. `is_valid` is the verdict of the traversal. If
    /// the verdict is false and no reason was recorded, the result is one general violation.
    pub(super) fn finish(self, is_valid: bool) -> Vec<Violation> {
        let mut violations = self.faults;
        if let Some(reason) = self.budget.exceeded() {
            violations.push(Violation {
                path: String::new(),
                keyword: "limit",
                limit: String::new(),
                message: reason.into(),
            });
        }
        violations.extend(self.found);
        if !is_valid && violations.is_empty() {
            let message = "does not fit the schema".into();
            violations.push(Violation {
                path: String::new(),
                keyword: "schema",
                limit: String::new(),
                message,
            });
        }
        violations.truncate(MAX_VIOLATIONS);
        violations
    }

    /// Applies a schema to an instance, and returns true if the instance fits the schema. If the
    /// instance does not fit, violations are recorded, unless only the verdict is needed. If
    /// `evaluated` is `Some`, the evaluated positions are marked in it.
    pub(super) fn apply(
        &mut self,
        schema: &'a Value,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        if !self.budget.spend(1) {
            return false;
        }
        match schema {
            Value::Bool(true) => true,
            Value::Bool(false) => self.record_violation("false", format_args!("is not allowed")),
            Value::Object(map) => {
                if !self.budget.descend() {
                    return false;
                }
                let depth = self.scope.len();
                if map.contains_key("$id") {
                    self.budget.spend(self.index.resource_count());
                    self.scope.extend(self.index.resource_at(schema));
                }
                let is_valid = self.apply_keywords(map, instance, evaluated);
                self.scope.truncate(depth);
                self.budget.ascend();
                is_valid
            }
            _ => self.record_schema_fault(format_args!(
                "the schema is not valid: an object, true or false was expected"
            )),
        }
    }

    /// Applies a schema like [`apply`](Self::apply), without recording violations.
    pub(super) fn test_schema(
        &mut self,
        schema: &'a Value,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        self.quiet += 1;
        let is_valid = self.apply(schema, instance, evaluated);
        self.quiet -= 1;
        is_valid
    }

    /// Applies a schema like [`apply`](Self::apply), and returns the violations to the caller
    /// instead of recording them.
    pub(super) fn try_apply(
        &mut self,
        schema: &'a Value,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> Result<(), Vec<Violation>> {
        let outer_violations = mem::take(&mut self.found);
        let is_valid = self.apply(schema, instance, evaluated);
        let violations = mem::replace(&mut self.found, outer_violations);
        if is_valid { Ok(()) } else { Err(violations) }
    }

    fn apply_keywords(
        &mut self,
        schema: &'a Map<String, Value>,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        if !self.budget.spend(schema.len()) {
            return false;
        }
        let unevaluated_schema = match instance {
            Value::Object(_) => schema.get("unevaluatedProperties"),
            Value::Array(_) => schema.get("unevaluatedItems"),
            _ => None,
        };
        let Some(unevaluated_schema) = unevaluated_schema else {
            return self.apply_each_keyword(schema, instance, evaluated);
        };
        // Only the locations that this schema itself evaluates count, so they are marked
        // separately.
        let mut own_positions = EvaluatedPositions::default();
        let is_valid = self.apply_each_keyword(schema, instance, Some(&mut own_positions));
        if let Some(evaluated) = evaluated {
            evaluated.mark_all();
        }
        let is_rest_valid = match instance {
            _ if !self.should_continue(is_valid) => false,
            Value::Object(object) => {
                self.apply_unevaluated_properties(unevaluated_schema, object, &own_positions)
            }
            Value::Array(items) => {
                self.apply_unevaluated_items(unevaluated_schema, items, &own_positions)
            }
            _ => true,
        };
        is_valid && is_rest_valid
    }

    fn apply_each_keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let outer_keyword = self.current_keyword;
        let mut is_valid = true;
        for (keyword, value) in schema {
            self.current_keyword = Some((keyword, value));
            is_valid &=
                self.apply_keyword(schema, keyword, value, instance, evaluated.as_deref_mut());
            if !self.should_continue(is_valid) {
                is_valid = false;
                break;
            }
        }
        self.current_keyword = outer_keyword;
        is_valid
    }

    fn apply_keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        keyword: &str,
        value: &'a Value,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        match keyword {
            "$ref" => self.apply_reference(value, false, instance, evaluated),
            "$dynamicRef" => self.apply_reference(value, true, instance, evaluated),
            "allOf" => self.apply_all_of(value, instance, evaluated),
            "anyOf" => self.apply_any_of(value, instance, evaluated),
            "oneOf" => self.apply_one_of(value, instance, evaluated),
            "not" => self.apply_not(value, instance),
            "if" => self.apply_if_then_else(schema, value, instance, evaluated),
            "type" => self.apply_type(value, instance),
            "enum" => self.apply_enum(value, instance),
            "const" => self.apply_const(value, instance),
            _ => match instance {
                Value::Object(object) => {
                    self.apply_object_keyword(schema, keyword, value, instance, object, evaluated)
                }
                Value::Array(items) => {
                    self.apply_array_keyword(schema, keyword, value, items, evaluated)
                }
                Value::String(text) => self.apply_string_keyword(keyword, value, text),
                Value::Number(number) => self.apply_number_keyword(keyword, value, number),
                Value::Null | Value::Bool(_) => true,
            },
        }
    }

    fn apply_reference(
        &mut self,
        reference: &'a Value,
        dynamic: bool,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let Value::String(reference) = reference else {
            return true;
        };
        let Some(mut target) = self.resolve(reference) else {
            return self.record_schema_fault(format_args!(
                "the schema refers to {}, which is not there",
                QuotedName(reference)
            ));
        };
        if let (true, Some(name)) = (dynamic, target.dynamic) {
            for &resource in &self.scope {
                if !self.budget.spend(1 + self.index.anchor_count(resource)) {
                    return false;
                }
                if let Some(anchor) = self.index.find_dynamic_anchor(resource, name) {
                    target = anchor;
                    break;
                }
            }
        }
        let depth = self.scope.len();
        self.scope.push(target.resource);
        let is_valid = self.apply(target.schema, instance, evaluated);
        self.scope.truncate(depth);
        is_valid
    }

    /// Resolves `reference` against the current resource. Returns `None` if the schema is not found
    /// or the budget is exceeded.
    pub(super) fn resolve(&mut self, reference: &'a str) -> Option<ResolvedSchema<'a>> {
        let current_resource = self.scope.last().copied().unwrap_or(0);
        let candidate_count =
            self.index.resource_count() + self.index.anchor_count(current_resource);
        if !(self.budget.spend(candidate_count) && self.budget.spend_text(reference)) {
            return None;
        }
        self.index.resolve_reference(current_resource, reference)
    }

    /// Returns true if the host finds `pattern` in `text`. Returns `None` if the host cannot
    /// evaluate the pattern or the budget is exceeded.
    pub(super) fn match_pattern(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let is_within_budget = self.budget.spend_text(pattern) && self.budget.spend_text(text);
        if is_within_budget {
            self.patterns.pattern_matches(pattern, text)
        } else {
            None
        }
    }

    /// Records a violation, unless only the verdict is needed, the traversal is stopped, or the
    /// maximum number of violations is reached. Always returns false.
    pub(super) fn record_violation(
        &mut self,
        keyword: &'static str,
        message: fmt::Arguments<'_>,
    ) -> bool {
        if !self.is_quiet() && !self.is_stopped() && self.found.len() < MAX_VIOLATIONS {
            let path = format_bounded(format_args!("{}", self.path), MAX_PATH_LEN);
            // The limit is empty if the violation belongs to a keyword other than the current
            // keyword.
            let current_keyword = self
                .current_keyword
                .filter(|(current, _)| *current == keyword);
            self.found.push(Violation {
                path,
                keyword,
                limit: current_keyword
                    .map(|(_, limit_value)| format_limit(keyword, limit_value))
                    .unwrap_or_default(),
                message: format_bounded(message, MAX_MESSAGE_LEN),
            });
        }
        false
    }

    /// Records a fault of the schema itself, unless the maximum number of faults is reached. A
    /// schema with a fault has no valid instance, even if the fault is inside a `not`. Always
    /// returns true, so that no other violation is reported for this location.
    pub(super) fn record_schema_fault(&mut self, message: fmt::Arguments<'_>) -> bool {
        if !self.is_stopped() && self.faults.len() < MAX_FAULTS {
            let path = format_bounded(format_args!("{}", self.path), MAX_PATH_LEN);
            let fault = Violation {
                path,
                keyword: "schema",
                limit: String::new(),
                message: format_bounded(message, MAX_MESSAGE_LEN),
            };
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
        true
    }

    /// Records violations that [`try_apply`](Self::try_apply) returned, up to the maximum number.
    /// Always returns false.
    pub(super) fn record_violations(&mut self, violations: Vec<Violation>) -> bool {
        let remaining = MAX_VIOLATIONS.saturating_sub(self.found.len());
        self.found.extend(violations.into_iter().take(remaining));
        false
    }

    /// Runs `work` with `step` appended to the path, and returns the result of `work`. The path
    /// stays unchanged while only the verdict is needed.
    pub(super) fn with_path_step(
        &mut self,
        step: &dyn fmt::Display,
        work: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        let length = self.path.len();
        if !self.is_quiet() {
            push_pointer_step(&mut self.path, step);
        }
        let is_valid = work(self);
        self.path.truncate(length);
        is_valid
    }

    /// Returns the JSON Pointer to the current location in the instance, without the steps that
    /// were made while only the verdict was needed.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet > 0
    }

    /// Returns true if the traversal is not stopped and must continue, because no violation has
    /// been found or because all violations are needed.
    pub(super) fn should_continue(&self, is_valid: bool) -> bool {
        !self.is_stopped() && (is_valid || !self.is_quiet())
    }

    /// Applies `apply` to each item, and returns true if all results are true. Stops at the first
    /// false result if only the verdict is needed. Returns false if the budget is exceeded.
    pub(super) fn check_each<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut apply: impl FnMut(&mut Self, T) -> bool,
    ) -> bool {
        let mut is_valid = true;
        for item in items {
            is_valid &= apply(self, item);
            if !self.should_continue(is_valid) {
                return false;
            }
        }
        is_valid
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.budget.exceeded().is_some()
    }
}
