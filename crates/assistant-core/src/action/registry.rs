//! The registry of actions.
//!
//! Registrations of one name form a stack: the newest enabled registration is active, and removing
//! a registration leaves the others unchanged (rule "names are a stack").

use super::{ActionSpec, Availability};
use crate::event::Tool;

/// Identifies a registration, so that the host can find the handler, renderer and rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegistrationId(pub u64);

/// A registered action.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Registration {
    pub(crate) id: RegistrationId,
    pub(crate) spec: ActionSpec,
}

impl Registration {
    /// Returns the id of the registration.
    #[must_use]
    pub const fn id(&self) -> RegistrationId {
        self.id
    }

    /// Returns the definition.
    #[must_use]
    pub const fn spec(&self) -> &ActionSpec {
        &self.spec
    }
}

/// All registered actions, in order of registration.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    entries: Vec<Registration>,
}

impl Registry {
    /// Adds a registration, or replaces the registration with this id. Returns true if the offered
    /// tools have changed.
    pub(crate) fn register(&mut self, id: RegistrationId, spec: ActionSpec) -> bool {
        let before = self.tools();
        match self.entries.iter_mut().find(|entry| entry.id == id) {
            Some(entry) if entry.spec.name == spec.name => entry.spec = spec,
            _ => {
                self.entries.retain(|entry| entry.id != id);
                self.entries.push(Registration { id, spec });
            }
        }
        before != self.tools()
    }

    /// Removes a registration if it exists. Returns true if the offered tools have changed.
    pub(crate) fn unregister(&mut self, id: RegistrationId) -> bool {
        let before = self.tools();
        self.entries.retain(|entry| entry.id != id);
        before != self.tools()
    }

    /// Returns the registration that answers calls of a name: the newest enabled one. Offered
    /// registrations take precedence over render-only ones.
    #[must_use]
    pub fn active_registration(&self, name: &str) -> Option<&Registration> {
        let mut enabled = self.named(name).filter(|entry| entry.spec.enabled);
        let newest = enabled.next()?;
        if newest.spec.availability == Availability::Offered {
            return Some(newest);
        }
        let acts = |entry: &&Registration| entry.spec.availability == Availability::Offered;
        Some(enabled.find(acts).unwrap_or(newest))
    }

    /// Returns all registrations of a name, enabled or not, newest first.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Registration> {
        let newest_first = self.entries.iter().rev();
        newest_first.filter(move |entry| entry.spec.name == name)
    }

    /// Returns all registrations, enabled or not, in order of registration.
    #[must_use]
    pub fn all(&self) -> &[Registration] {
        &self.entries
    }

    /// Returns the registration with this id.
    #[must_use]
    pub fn get(&self, id: RegistrationId) -> Option<&Registration> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Returns true if another registration has this name.
    #[must_use]
    pub fn clashes(&self, id: RegistrationId, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.id != id && entry.spec.name == name)
    }

    /// Returns the offered actions in order of registration, one for each name.
    #[must_use]
    pub fn offered(&self) -> Vec<&Registration> {
        let mut list: Vec<&Registration> = Vec::new();
        for entry in &self.entries {
            let name = &entry.spec.name;
            if list.iter().any(|other| other.spec.name == *name) {
                continue;
            }
            let newest = self.active_registration(name);
            list.extend(newest.filter(|entry| entry.spec.availability == Availability::Offered));
        }
        list
    }

    /// Returns the tool definitions of the offered actions.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.offered()
            .into_iter()
            .map(|entry| entry.spec.tool())
            .collect()
    }

    /// Returns the action that would run under a name.
    ///
    /// # Errors
    ///
    /// "Action X not found" if nothing is registered or the action is render-only, "Action X has no
    /// handler" if it has no handler.
    pub fn executable(&self, name: &str) -> Result<&Registration, String> {
        match self.active_registration(name) {
            Some(entry) if entry.spec.availability == Availability::RenderOnly => {
                Err(format!("Action {name} not found"))
            }
            Some(entry) if !entry.spec.has_handler => Err(format!("Action {name} has no handler")),
            Some(entry) => Ok(entry),
            None => Err(format!("Action {name} not found")),
        }
    }
}
