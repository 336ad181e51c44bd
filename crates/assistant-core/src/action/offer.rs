//! Which of the registered actions an agent is offered in a run (rule "offered in a run").

use serde_json::{Value, json};

use super::{ActionFingerprint, ActionSpec};

/// Narrows what an agent is offered: to actions with one of these tags or names. An action that is
/// always offered ([`ActionSpec::always_offered`]) stands above it.
///
/// ```
/// use assistant_core::action::{ActionSpec, OfferFilter};
///
/// let filter = OfferFilter::default().tag("cart").name("help");
/// let mut pay = ActionSpec::new("pay", "Pays");
/// assert!(!filter.allows(&pay));
/// pay.tags = vec!["cart".to_owned()];
/// assert!(filter.allows(&pay));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfferFilter {
    /// An action with one of these tags is offered.
    pub tags: Vec<String>,
    /// An action with one of these names is offered.
    pub names: Vec<String>,
}

impl OfferFilter {
    /// Offers what has this tag, too.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Offers the action of this name, too.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }

    /// Returns whether it lets an action be offered.
    #[must_use]
    pub fn allows(&self, spec: &ActionSpec) -> bool {
        spec.always_offered
            || self.names.contains(&spec.name)
            || spec.tags.iter().any(|tag| self.tags.contains(tag))
    }
}

/// An action that an agent is offered or could be.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolInfo {
    /// The action's name.
    pub name: String,
    /// The description.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its version, for people.
    pub version: Option<String>,
    /// Its edition.
    pub fingerprint: ActionFingerprint,
    /// False while the filter keeps it back.
    pub is_offered: bool,
}

impl ToolInfo {
    pub(crate) fn of(spec: &ActionSpec, is_offered: bool) -> Self {
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

    /// Returns the entry for an agent that asks for a list of tools: everything but the schema.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({"name": self.name, "description": self.description, "tags": self.tags, "offered": self.is_offered})
    }
}
