//! Selects the registered actions that an agent is offered in a run (rule "offered in a run").

use serde_json::{Value, json};

use super::{ActionFingerprint, ActionSpec};

/// A filter that limits the offered actions to those with one of its tags or names. Actions with
/// [`ActionSpec::is_always_offered`] pass every filter.
///
/// ```
/// use assistant_core::action::{ActionSpec, OfferFilter};
///
/// let filter = OfferFilter::default().tag("cart").name("help");
/// let pay = ActionSpec::new("pay", "Pays");
/// assert!(!filter.allows(&pay));
/// assert!(filter.allows(&pay.with_tags(vec!["cart".to_owned()])));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OfferFilter {
    /// The tags whose actions pass the filter.
    pub(crate) tags: Vec<String>,
    /// The names of actions that pass the filter.
    pub(crate) names: Vec<String>,
}

impl OfferFilter {
    /// Permits the actions with a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Permits the action with a name.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }

    /// Returns true if an action passes the filter.
    #[must_use]
    pub fn allows(&self, spec: &ActionSpec) -> bool {
        spec.always_offered
            || self.names.contains(&spec.name)
            || spec.tags.iter().any(|tag| self.tags.contains(tag))
    }
}

/// A registered action, with a flag that is true if the agent is offered the action.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolInfo {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The JSON Schema of the arguments.
    pub(crate) parameters: Value,
    pub(crate) tags: Vec<String>,
    pub(crate) version: Option<String>,
    pub(crate) fingerprint: ActionFingerprint,
    pub(crate) is_offered: bool,
}

impl ToolInfo {
    /// Returns the action's version for display, if it has one.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the action's fingerprint.
    #[must_use]
    pub const fn fingerprint(&self) -> &ActionFingerprint {
        &self.fingerprint
    }

    /// Returns true if the agent is offered the action.
    #[must_use]
    pub const fn is_offered(&self) -> bool {
        self.is_offered
    }

    /// Returns the action's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the action's tags.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    pub(crate) fn new(spec: &ActionSpec, is_offered: bool) -> Self {
        Self {
            name: spec.name.clone(),
            description: spec.description.clone(),
            parameters: spec.parameters.clone(),
            tags: spec.tags.clone(),
            version: spec.version.clone(),
            fingerprint: spec.fingerprint(),
            is_offered,
        }
    }

    /// Returns the action as JSON without its schema, for an agent that asks for a list of tools.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "description": self.description, "tags": self.tags, "offered": self.is_offered})
    }
}
