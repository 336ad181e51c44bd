//! Stores the registered actions.
//!
//! Registrations of one name form a stack: the newest enabled registration is active, except that
//! offered registrations take precedence over render-only registrations. Removing a registration
//! leaves the other registrations unchanged (rule "names are a stack").

use rustc_hash::FxHashMap;

use super::{ActionSpec, Availability};
use crate::event::Tool;

/// The id of a registration, by which the host finds the handler, renderer and rules of the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegistrationId(u64);

impl RegistrationId {
    /// Creates an id from a number that the host uses for one registration only.
    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self(id)
    }

    /// Returns the id as a number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A registered action.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Registration {
    pub(crate) id: RegistrationId,
    pub(crate) spec: ActionSpec,
    /// The position of the registration in the order of registration.
    order: u64,
}

impl Registration {
    /// Returns the id of the registration.
    #[must_use]
    pub const fn id(&self) -> RegistrationId {
        self.id
    }

    /// Returns the definition of the action.
    #[must_use]
    pub const fn spec(&self) -> &ActionSpec {
        &self.spec
    }
}

/// All registered actions. A page may have hundreds of actions, so adding an action does not
/// iterate over the actions of other names.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    /// The registrations of each name, oldest first. No list is empty.
    stacks: FxHashMap<String, Vec<Registration>>,
    /// The name of each registration.
    names: FxHashMap<RegistrationId, String>,
    /// The registrations with their positions, in order of registration.
    sequence: Vec<(u64, RegistrationId)>,
    /// The number of registrations that have been added, including those that were removed.
    count: u64,
}

impl Registry {
    /// Adds a registration, or replaces the registration with this id. Returns true if the offered
    /// tools have changed.
    pub(crate) fn register(&mut self, id: RegistrationId, spec: ActionSpec) -> bool {
        let is_renamed = self.names.get(&id).is_some_and(|name| *name != spec.name);
        let has_removal_changed_tools = is_renamed && self.unregister(id);
        let name = spec.name.clone();
        let old_tool = self.offered_tool(&name);
        let stack = self.stacks.entry(name.clone()).or_default();
        match stack.iter_mut().find(|entry| entry.id == id) {
            Some(entry) => entry.spec = spec,
            None => {
                let order = self.count;
                self.count += 1;
                stack.push(Registration { id, spec, order });
                self.names.insert(id, name.clone());
                self.sequence.push((order, id));
            }
        }
        has_removal_changed_tools || old_tool != self.offered_tool(&name)
    }

    /// Removes a registration if it exists. Returns true if the offered tools or their order have
    /// changed.
    pub(crate) fn unregister(&mut self, id: RegistrationId) -> bool {
        let Some(name) = self.names.remove(&id) else {
            return false;
        };
        let (old_position, old_tool) = (self.position(&name), self.offered_tool(&name));
        if let Some(stack) = self.stacks.get_mut(&name) {
            let index = stack.iter().position(|entry| entry.id == id);
            let removed_order = index.map(|index| stack.remove(index).order);
            if stack.is_empty() {
                self.stacks.remove(&name);
            }
            let sequence_index = removed_order
                .map(|order| self.sequence.binary_search_by_key(&order, |(at, _)| *at));
            if let Some(Ok(sequence_index)) = sequence_index {
                self.sequence.remove(sequence_index);
            }
        }
        let new_position = self.position(&name);
        old_tool != self.offered_tool(&name)
            || old_tool.is_some()
                && old_position != new_position
                && self.has_offered_tool_between(old_position, new_position)
    }

    /// Returns the position of a name in the order of registration, or `None` if no action has the
    /// name.
    fn position(&self, name: &str) -> Option<u64> {
        Some(self.stacks.get(name)?.first()?.order)
    }

    /// Returns true if an offered tool has a position after `first` and before `last`. Returns
    /// false if `last` is `None`.
    fn has_offered_tool_between(&self, first: Option<u64>, last: Option<u64>) -> bool {
        let is_between = |name: &&String| {
            let position = self.position(name);
            first < position && position < last
        };
        let mut names = self.stacks.keys().filter(is_between);
        names.any(|name| self.offered_tool(name).is_some())
    }

    /// Returns the definition of the tool that is offered under a name, or `None` if no
    /// registration of the name is active or the active registration is render-only.
    fn offered_tool(&self, name: &str) -> Option<Tool> {
        let active = self.active_registration(name)?;
        let is_offered = active.spec.availability == Availability::Offered;
        is_offered.then(|| active.spec.tool())
    }

    /// Returns the registration that handles calls of a name: the newest enabled registration.
    /// Offered registrations take precedence over render-only registrations. Returns `None` if no
    /// registration of the name is enabled.
    #[must_use]
    pub fn active_registration(&self, name: &str) -> Option<&Registration> {
        let mut enabled_entries = self.named(name).filter(|entry| entry.spec.enabled);
        let newest_entry = enabled_entries.next()?;
        if newest_entry.spec.availability == Availability::Offered {
            return Some(newest_entry);
        }
        let is_offered = |entry: &&Registration| entry.spec.availability == Availability::Offered;
        Some(enabled_entries.find(is_offered).unwrap_or(newest_entry))
    }

    /// Returns all registrations of a name, enabled or not, newest first.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Registration> {
        self.stacks.get(name).into_iter().flatten().rev()
    }

    /// Returns all registrations, enabled or not, in order of registration.
    #[must_use]
    pub fn all(&self) -> Vec<&Registration> {
        let ids = self.sequence.iter().map(|(_, id)| *id);
        ids.filter_map(|id| self.get(id)).collect()
    }

    /// Returns the registration with this id, if it exists.
    #[must_use]
    pub fn get(&self, id: RegistrationId) -> Option<&Registration> {
        self.named(self.names.get(&id)?)
            .find(|entry| entry.id == id)
    }

    /// Returns true if a registration with an id other than `id` has this name.
    #[must_use]
    pub fn clashes(&self, id: RegistrationId, name: &str) -> bool {
        self.named(name).any(|entry| entry.id != id)
    }

    /// Returns the active registrations of the offered actions, one for each name, in the order in
    /// which the names were registered.
    #[must_use]
    pub fn offered(&self) -> Vec<&Registration> {
        let first_of_name = |(order, id): &(u64, RegistrationId)| {
            let name = self.names.get(id)?;
            (self.position(name) == Some(*order)).then_some(name)
        };
        let names = self.sequence.iter().filter_map(first_of_name);
        let active_entries = names.filter_map(|name| self.active_registration(name));
        active_entries
            .filter(|entry| entry.spec.availability == Availability::Offered)
            .collect()
    }

    /// Returns the tool definitions of the offered actions.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.offered()
            .into_iter()
            .map(|entry| entry.spec.tool())
            .collect()
    }

    /// Returns the registration of the action that would run under a name.
    ///
    /// # Errors
    ///
    /// Returns "Action X not found" if no registration is enabled or the action is render-only, and
    /// "Action X has no handler" if the action has no handler.
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
