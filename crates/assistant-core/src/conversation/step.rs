//! The steps of a run as reported by the agent, stored with the last message of the run.

use serde_json::{Value, json};

use crate::event::Object;

/// The maximum number of steps that are recorded for a run and that a message stores.
pub(crate) const MAX_STEPS: usize = 128;

/// A step of a run, as reported by the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentStep {
    pub(crate) name: String,
    pub(crate) finished: bool,
    pub(crate) failure: Option<String>,
}

impl AgentStep {
    /// Returns the step's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the agent has reported the end of the step.
    #[must_use]
    pub const fn finished(&self) -> bool {
        self.finished
    }

    /// Returns the error of the subagent that executed the step, if the step failed.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub(super) fn to_json(&self) -> Value {
        json!({"name": self.name, "finished": self.finished, "failure": self.failure})
    }

    fn from_json(value: &Value) -> Option<Self> {
        let text_field = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            name: text_field("name")?,
            finished: value.get("finished")?.as_bool()?,
            failure: text_field("failure"),
        })
    }
}

/// Removes the stored steps from an object and returns them, up to [`MAX_STEPS`]. Steps that cannot
/// be read are skipped.
pub(super) fn take_steps(from: &mut Object) -> Vec<AgentStep> {
    let steps = from.shift_remove("steps");
    let list = steps.as_ref().and_then(Value::as_array);
    let valid_steps = list.into_iter().flatten().filter_map(AgentStep::from_json);
    valid_steps.take(MAX_STEPS).collect()
}
