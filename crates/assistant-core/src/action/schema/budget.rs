//! Limits the work and the depth of one validation. `check` and `equality` spend the budget.

/// The maximum number of steps. Each applied schema or keyword and each examined property or item
/// costs about one step.
const MAX_STEPS: usize = 1_000_000;

/// The maximum nesting of schemas (references included) or of values.
const MAX_DEPTH: usize = 256;

/// The number of bytes of text that cost one step to hash, compare or count.
const BYTES_PER_STEP: usize = 32;

/// The remaining budget, and the reason why the budget was exceeded, if it was exceeded.
pub(super) struct Budget {
    steps: usize,
    depth: usize,
    exceeded: Option<&'static str>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            steps: MAX_STEPS,
            depth: MAX_DEPTH,
            exceeded: None,
        }
    }

    /// Subtracts `steps` from the budget. Returns false if these steps exceed the budget, or if the
    /// budget was exceeded before.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        match self.steps.checked_sub(steps) {
            Some(remaining) if self.exceeded.is_none() => {
                self.steps = remaining;
                true
            }
            _ => self.exceed("the check was given up: schema and value ask for too much work"),
        }
    }

    /// Subtracts the steps for reading `text` once from the budget. Returns false in the same cases
    /// as [`spend`](Self::spend).
    pub(super) fn spend_text(&mut self, text: &str) -> bool {
        self.spend(1 + text.len() / BYTES_PER_STEP)
    }

    /// Descends one level of nesting. If the level is too deep, marks the budget as exceeded and
    /// returns false. If the result is true, the caller must call [`ascend`](Self::ascend) once.
    pub(super) fn descend(&mut self) -> bool {
        match self.depth.checked_sub(1) {
            Some(remaining) => {
                self.depth = remaining;
                true
            }
            None => self.exceed(
                "the check was given up: the schema refers to itself without end, or nests too deeply",
            ),
        }
    }

    pub(super) fn ascend(&mut self) {
        self.depth += 1;
    }

    /// Returns the reason why the budget is exceeded, or `None` if the budget is not exceeded.
    pub(super) fn exceeded(&self) -> Option<&'static str> {
        self.exceeded
    }

    fn exceed(&mut self, reason: &'static str) -> bool {
        self.exceeded.get_or_insert(reason);
        false
    }
}
