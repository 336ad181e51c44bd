//! Walks schema and instance, dispatches keywords, and tracks references, evaluated locations and
//! violations. The keywords are implemented in `object`, `array`, `scalar` and `combine`.

use core::{fmt, mem};

use serde_json::{Map, Value};

use super::budget::Budget;
use super::message::{
    MAX_MESSAGE, MAX_PATH, QuotedName, format_bounded, format_limit, push_pointer_step,
};
use super::refs::{ResolvedSchema, SchemaIndex};
use super::{MAX_VIOLATIONS, PatternHost, Violation};

/// The maximum number of schema faults that are listed.
const MAX_FAULTS: usize = 4;

/// The evaluated properties (by position) or items of one instance: the annotations that
/// `unevaluatedProperties` and `unevaluatedItems` depend on.
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
    /// The dynamic scope: the entered resources, outermost first; the last is the current one.
    scope: Vec<usize>,
    patterns: &'h mut dyn PatternHost,
    path: String,
    /// Above zero if only the verdict is needed, so that no violations are recorded.
    quiet: usize,
    found: Vec<Violation>,
    faults: Vec<Violation>,
    /// The current keyword and its value.
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

    /// Returns the violations, at most [`MAX_VIOLATIONS`]: faults of the schema, an exceeded
    /// budget, then violations of the instance. `fits` is the verdict of the walk; if it is false
    /// without a recorded reason, the result is one general violation.
    pub(super) fn finish(self, fits: bool) -> Vec<Violation> {
        let mut all = self.faults;
        if let Some(why) = self.budget.exceeded() {
            all.push(Violation {
                path: String::new(),
                keyword: "limit",
                limit: String::new(),
                message: why.into(),
            });
        }
        all.extend(self.found);
        if !fits && all.is_empty() {
            let message = "does not fit the schema".into();
            all.push(Violation {
                path: String::new(),
                keyword: "schema",
                limit: String::new(),
                message,
            });
        }
        all.truncate(MAX_VIOLATIONS);
        all
    }

    /// Applies a schema to an instance, and returns true if the instance fits. Otherwise,
    /// violations are recorded, unless only the verdict is needed. Marks the evaluated positions in
    /// `evaluated`, if given.
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
                let fits = self.apply_keywords(map, instance, evaluated);
                self.scope.truncate(depth);
                self.budget.ascend();
                fits
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
        let fits = self.apply(schema, instance, evaluated);
        self.quiet -= 1;
        fits
    }

    /// Applies a schema like [`apply`](Self::apply), and returns the violations to the caller
    /// instead of recording them.
    pub(super) fn try_apply(
        &mut self,
        schema: &'a Value,
        instance: &Value,
        evaluated: Option<&mut EvaluatedPositions>,
    ) -> Result<(), Vec<Violation>> {
        let outer = mem::take(&mut self.found);
        let fits = self.apply(schema, instance, evaluated);
        let found = mem::replace(&mut self.found, outer);
        if fits { Ok(()) } else { Err(found) }
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
        let rest = match instance {
            Value::Object(_) => schema.get("unevaluatedProperties"),
            Value::Array(_) => schema.get("unevaluatedItems"),
            _ => None,
        };
        let Some(rest) = rest else {
            return self.apply_each_keyword(schema, instance, evaluated);
        };
        // Only locations evaluated by this schema itself count, so it gets marks of its own.
        let mut own = EvaluatedPositions::default();
        let fits = self.apply_each_keyword(schema, instance, Some(&mut own));
        if let Some(evaluated) = evaluated {
            evaluated.mark_all();
        }
        let rest_fits = match instance {
            _ if !self.should_continue(fits) => false,
            Value::Object(object) => self.apply_unevaluated_properties(rest, object, &own),
            Value::Array(items) => self.apply_unevaluated_items(rest, items, &own),
            _ => true,
        };
        fits && rest_fits
    }

    fn apply_each_keyword(
        &mut self,
        schema: &'a Map<String, Value>,
        instance: &Value,
        mut evaluated: Option<&mut EvaluatedPositions>,
    ) -> bool {
        let outer = self.current_keyword;
        let mut fits = true;
        for (keyword, value) in schema {
            self.current_keyword = Some((keyword, value));
            fits &= self.apply_keyword(schema, keyword, value, instance, evaluated.as_deref_mut());
            if !self.should_continue(fits) {
                fits = false;
                break;
            }
        }
        self.current_keyword = outer;
        fits
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
                if let Some(outer) = self.index.find_dynamic_anchor(resource, name) {
                    target = outer;
                    break;
                }
            }
        }
        let depth = self.scope.len();
        self.scope.push(target.resource);
        let fits = self.apply(target.schema, instance, evaluated);
        self.scope.truncate(depth);
        fits
    }

    /// Resolves `reference` against the current resource; `None` if the schema is not found or the
    /// budget is exceeded.
    pub(super) fn resolve(&mut self, reference: &'a str) -> Option<ResolvedSchema<'a>> {
        let here = self.scope.last().copied().unwrap_or(0);
        let known = self.index.resource_count() + self.index.anchor_count(here);
        if !(self.budget.spend(known) && self.budget.spend_text(reference)) {
            return None;
        }
        self.index.resolve_reference(here, reference)
    }

    /// Returns true if the host finds `pattern` in `text`; `None` if the host cannot evaluate the
    /// pattern or the budget is exceeded.
    pub(super) fn match_pattern(&mut self, pattern: &str, text: &str) -> Option<bool> {
        let within = self.budget.spend_text(pattern) && self.budget.spend_text(text);
        if within {
            self.patterns.pattern_matches(pattern, text)
        } else {
            None
        }
    }

    /// Records a violation, unless only the verdict is needed, the walk is stopped, or the maximum
    /// number is reached. Always returns false.
    pub(super) fn record_violation(
        &mut self,
        keyword: &'static str,
        message: fmt::Arguments<'_>,
    ) -> bool {
        if !self.is_quiet() && !self.is_stopped() && self.found.len() < MAX_VIOLATIONS {
            let path = format_bounded(format_args!("{}", self.path), MAX_PATH);
            // The violation may belong to another keyword than the current one.
            let current_keyword = self
                .current_keyword
                .filter(|(looked_at, _)| *looked_at == keyword);
            self.found.push(Violation {
                path,
                keyword,
                limit: current_keyword
                    .map(|(_, limit_value)| format_limit(keyword, limit_value))
                    .unwrap_or_default(),
                message: format_bounded(message, MAX_MESSAGE),
            });
        }
        false
    }

    /// Records a fault of the schema itself, up to the maximum number. The instance then never
    /// fits, wherever the fault is in the schema (a `not` must not invert it), and nothing else is
    /// reported for this location. Always returns true.
    pub(super) fn record_schema_fault(&mut self, message: fmt::Arguments<'_>) -> bool {
        if !self.is_stopped() && self.faults.len() < MAX_FAULTS {
            let path = format_bounded(format_args!("{}", self.path), MAX_PATH);
            let fault = Violation {
                path,
                keyword: "schema",
                limit: String::new(),
                message: format_bounded(message, MAX_MESSAGE),
            };
            if !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
        true
    }

    /// Records violations that [`try_apply`](Self::try_apply) returned, up to the maximum number.
    /// Always returns false.
    pub(super) fn record_violations(&mut self, found: Vec<Violation>) -> bool {
        let room = MAX_VIOLATIONS.saturating_sub(self.found.len());
        self.found.extend(found.into_iter().take(room));
        false
    }

    /// Runs `work` with `step` appended to the path, and returns its result. The path stays
    /// unchanged while only the verdict is needed.
    pub(super) fn with_path_step(
        &mut self,
        step: &dyn fmt::Display,
        work: &mut dyn FnMut(&mut Self) -> bool,
    ) -> bool {
        let length = self.path.len();
        if !self.is_quiet() {
            push_pointer_step(&mut self.path, step);
        }
        let fits = work(self);
        self.path.truncate(length);
        fits
    }

    /// Returns the JSON Pointer of the current instance location, without the steps that were made
    /// while only the verdict was needed.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.quiet > 0
    }

    /// Returns true while the walk is not stopped and needs to continue: the verdict is open, or
    /// violations are needed as well.
    pub(super) fn should_continue(&self, fits: bool) -> bool {
        !self.is_stopped() && (fits || !self.is_quiet())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.budget.exceeded().is_some()
    }
}
