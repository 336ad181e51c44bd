//! Which actions are registered, by whom, and which of them is in force.
//!
//! Registrations of one name are a stack: the newest that is enabled is in force, and dropping one
//! removes only itself (rule "names are a stack").

use super::{ActionSpec, Availability};
use crate::event::Tool;

/// Names one registration; the host finds handler, renderer and rules by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegistrationId(pub u64);

/// A registered action.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// The id of the registration.
    pub id: RegistrationId,
    /// What it is.
    pub spec: ActionSpec,
}

/// All registered actions, in order of registration.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    entries: Vec<Registration>,
}

impl Registry {
    /// Adds an action, or puts another in place of the one with this id. Says whether what
    /// the agent is told has changed.
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

    /// Removes a registration, and says whether what the agent is told has changed. Removing one
    /// that is not there does nothing.
    pub(crate) fn unregister(&mut self, id: RegistrationId) -> bool {
        let before = self.tools();
        self.entries.retain(|entry| entry.id != id);
        before != self.tools()
    }

    /// The registration in force under a name: the newest one that is enabled. One that only shows
    /// what the agent does stands behind one that does something.
    #[must_use]
    pub fn in_force(&self, name: &str) -> Option<&Registration> {
        let mut enabled = self.named(name).filter(|entry| entry.spec.enabled);
        let newest = enabled.next()?;
        if newest.spec.availability == Availability::Offered {
            return Some(newest);
        }
        let acts = |entry: &&Registration| entry.spec.availability == Availability::Offered;
        Some(enabled.find(acts).unwrap_or(newest))
    }

    /// All registrations of a name, enabled or not, newest first.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Registration> {
        let newest_first = self.entries.iter().rev();
        newest_first.filter(move |entry| entry.spec.name == name)
    }

    /// All registrations, enabled or not, in their order.
    #[must_use]
    pub fn all(&self) -> &[Registration] {
        &self.entries
    }

    /// The registration with this id.
    #[must_use]
    pub fn get(&self, id: RegistrationId) -> Option<&Registration> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Returns whether another registration has this name already.
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
            let newest = self.in_force(name);
            list.extend(newest.filter(|entry| entry.spec.availability == Availability::Offered));
        }
        list
    }

    /// The definitions of what is offered.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.offered()
            .into_iter()
            .map(|entry| entry.spec.tool())
            .collect()
    }

    /// The action that would run under a name.
    ///
    /// # Errors
    ///
    /// "Action X not found" when nothing is registered or it is only for display, "Action X has no
    /// handler" when nothing stands behind it.
    pub fn executable(&self, name: &str) -> Result<&Registration, String> {
        match self.in_force(name) {
            Some(entry) if entry.spec.availability == Availability::RenderOnly => {
                Err(format!("Action {name} not found"))
            }
            Some(entry) if !entry.spec.has_handler => Err(format!("Action {name} has no handler")),
            Some(entry) => Ok(entry),
            None => Err(format!("Action {name} not found")),
        }
    }
}
