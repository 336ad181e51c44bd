//! Determines the actions that a run offers to the agent: those that are registered, enabled, and
//! not excluded by the application's filter (rule "offered in a run").

use serde_json::{Value, json};

use super::{Cx, Session};
use crate::{
    action::{ActionFingerprint, ActionSpec, OfferFilter, Registration, ToolInfo},
    conversation::{CallError, CallKey, Change, ErrorKind, Note, ToolCall},
    event::{Object, Tool},
};

impl Session {
    /// Returns the definitions of the tools that the next run offers, in order of registration.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let all = self.registry.offered().into_iter();
        let offered = all.filter(|entry| self.is_offered(&entry.spec));
        offered.map(|entry| entry.spec.tool()).collect()
    }

    /// Returns all actions that are registered and enabled for the agent, in order of registration,
    /// including those that the filter excludes.
    #[must_use]
    pub fn list_tools(&self) -> Vec<ToolInfo> {
        let all = self.registry.offered().into_iter();
        all.map(|entry| ToolInfo::new(&entry.spec, self.is_offered(&entry.spec)))
            .collect()
    }

    /// Returns the application's filter, if one is set.
    #[must_use]
    pub const fn offer_filter(&self) -> Option<&OfferFilter> {
        self.filter.as_ref()
    }

    fn is_offered(&self, spec: &ActionSpec) -> bool {
        let filter = self.filter.as_ref();
        filter.is_none_or(|filter| filter.allows(spec)) || self.turn.is_revealed(&spec.name)
    }

    pub(super) fn set_offer_filter(&mut self, filter: Option<OfferFilter>, cx: &mut Cx<'_>) {
        if self.filter != filter {
            self.filter = filter;
            cx.push_change(Change::Registry);
        }
    }

    /// Offers excluded actions that the agent has requested, until the next message of the user.
    /// Unknown names are ignored.
    pub(super) fn reveal_actions(&mut self, mut names: Vec<String>, cx: &mut Cx<'_>) {
        names.retain(|name| {
            let known = self.registry.active_registration(name).is_some();
            known && !self.turn.is_revealed(name)
        });
        if !names.is_empty() {
            self.turn.reveal_actions(names);
            cx.push_change(Change::Registry);
        }
    }

    /// Records the actions that a run offers, and those that the filter excludes. Returns the
    /// definitions of the offered ones.
    pub(super) fn record_offer(&mut self) -> Vec<Tool> {
        let all = self.registry.offered();
        let (mut tools, mut offered, mut held_back) = (Vec::new(), Vec::new(), Vec::new());
        for Registration { spec, .. } in all {
            if self.is_offered(spec) {
                tools.push(spec.tool());
                offered.push((spec.name.clone(), spec.fingerprint()));
            } else {
                held_back.push(spec.name.clone());
            }
        }
        self.turn.offer = RunOffer { offered, held_back };
        tools
    }

    /// Records the fingerprint of the action that a call was made for, if the call has none. If a
    /// stored call, or the run that made it, has another fingerprint than the active registration,
    /// its action has changed, and the user is asked.
    pub(super) fn record_action_fingerprint(&mut self, key: &CallKey) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let Some(now) = self
            .registration_for(call)
            .map(|entry| entry.spec.fingerprint())
        else {
            return;
        };
        let offered = match self.conversation.is_direct_call(key) {
            true => None,
            false => self.turn.offered_fingerprint(&call.name),
        };
        let (edition, changed) = match &call.action {
            None => match offered {
                Some(then) if call.history().is_stored && *then != now => (now, true),
                offered => (offered.cloned().unwrap_or(now), false),
            },
            Some(then) if call.history().is_stored && *then != now => (now, true),
            Some(_) => return,
        };
        self.conversation.edit_call(key, |call| {
            call.action = Some(edition);
            if changed {
                call.apply_note(Note::Changed);
            }
        });
    }
}

/// The actions that a run offered, and those that the filter excluded. They are stored with a run in
/// progress: the page may have others when the run is resumed.
#[derive(Debug, Clone, Default)]
pub(super) struct RunOffer {
    /// The names and fingerprints of the offered actions.
    pub(super) offered: Vec<(String, ActionFingerprint)>,
    /// The names of the actions that the filter excluded.
    pub(super) held_back: Vec<String>,
}

impl RunOffer {
    pub(super) fn to_value(&self) -> Value {
        let offered = self.offered.iter();
        let offered = offered.map(|(name, edition)| (name.clone(), edition.as_str().into()));
        let offered: Object = offered.collect();
        json!({"offered": offered, "heldBack": self.held_back})
    }

    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let offered = value.get("offered")?.as_object()?.iter();
        let held_back = value.get("heldBack")?.as_array()?.iter();
        let edition = |(name, edition): (&String, &Value)| {
            Some((name.clone(), ActionFingerprint::parse(edition.as_str()?)?))
        };
        Some(Self {
            offered: offered.filter_map(edition).collect(),
            held_back: held_back
                .filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect(),
        })
    }
}

/// Returns the error for a call of an unregistered action.
pub(super) fn not_found_error(name: &str) -> CallError {
    CallError::new(ErrorKind::UnknownTool, format!("Action {name} not found"))
}

/// Returns the error for a call of an action that the filter excludes.
pub(super) fn not_offered_error(name: &str) -> CallError {
    CallError::new(
        ErrorKind::UnknownTool,
        format!("Action {name} is not offered in this run"),
    )
}

/// Adds the current schema to an error about arguments that were written for another schema.
/// Returns other errors unchanged.
pub(super) fn add_current_schema(
    error: CallError,
    entry: &Registration,
    call: &ToolCall,
) -> CallError {
    let now = entry.spec.fingerprint();
    let same = call.action.as_ref().is_none_or(|then| *then == now) && !call.has_changed();
    if same || error.kind != ErrorKind::InvalidArguments {
        return error;
    }
    CallError {
        message: format!("{}. The action has another schema now.", error.message),
        kind: ErrorKind::SchemaChanged,
        details: Some(serde_json::json!({"schema": entry.spec.parameters})),
    }
}
