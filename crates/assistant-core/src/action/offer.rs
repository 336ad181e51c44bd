//! Selects the registered actions that are offered to an agent in a run (rule "offered in a run").

use serde_json::{Value, json};

use super::{ActionFingerprint, ActionSpec};

/// A filter that limits the offered actions to those with one of the listed tags or names. Actions
/// with [`ActionSpec::is_always_offered`] pass every filter.
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
    /// The tags of actions that pass the filter.
    pub(crate) tags: Vec<String>,
    /// The names of actions that pass the filter.
    pub(crate) names: Vec<String>,
}

impl OfferFilter {
    /// Adds a tag to the filter. Actions with the tag pass the filter.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Adds a name to the filter. The action with the name passes the filter.
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

/// A description of a registered action, with a flag that is true if the action is offered to the
/// agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolInfo {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) version: Option<String>,
    pub(crate) fingerprint: ActionFingerprint,
    pub(crate) is_offered: bool,
}

impl ToolInfo {
    /// Returns the action's version for display, if the action has a version.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the action's fingerprint.
    #[must_use]
    pub const fn fingerprint(&self) -> &ActionFingerprint {
        &self.fingerprint
    }

    /// Returns true if the action is offered to the agent.
    #[must_use]
    pub const fn is_offered(&self) -> bool {
        self.is_offered
    }

    /// Returns the action's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the action's description.
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
            tags: spec.tags.clone(),
            version: spec.version.clone(),
            fingerprint: spec.fingerprint(),
            is_offered,
        }
    }

    /// Returns the action as a JSON object without the schema of its arguments, for an agent that
    /// requests a list of tools.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "description": self.description, "tags": self.tags, "offered": self.is_offered})
    }
}
