//! Determines the actions that a run offers to the agent: those that are registered, enabled, and
//! not excluded by the application's filter (rule "offered in a run").

use serde_json::{Value, json};

use super::{Cx, Session};
use crate::{
    action::{ActionFingerprint, ActionSpec, OfferFilter, Registration, ToolInfo},
    conversation::{CallDataChange, CallError, CallKey, Change, ErrorKind, ToolCall},
    event::{Object, Tool},
};

impl Session {
    /// Returns the definitions of the tools that the next run offers, in order of registration.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let entries = self.registry.offered().into_iter();
        let offered_entries = entries.filter(|entry| self.is_offered(&entry.spec));
        offered_entries.map(|entry| entry.spec.tool()).collect()
    }

    /// Returns all actions that are registered and enabled for the agent, in order of registration,
    /// including those that the filter excludes.
    #[must_use]
    pub fn list_tools(&self) -> Vec<ToolInfo> {
        let entries = self.registry.offered().into_iter();
        entries
            .map(|entry| ToolInfo::new(&entry.spec, self.is_offered(&entry.spec)))
            .collect()
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

    /// Offers the actions that the agent has requested, even if the filter excludes them, until the
    /// next message from the user. Unknown names are ignored.
    pub(super) fn reveal_actions(&mut self, mut names: Vec<String>, cx: &mut Cx<'_>) {
        names.retain(|name| {
            let is_known = self.registry.active_registration(name).is_some();
            is_known && !self.turn.is_revealed(name)
        });
        if !names.is_empty() {
            self.turn.revealed.extend(names);
            cx.push_change(Change::Registry);
        }
    }

    /// Records the actions that a run offers, and those that the filter excludes. Returns the
    /// definitions of the offered actions.
    pub(super) fn record_offer(&mut self) -> Vec<Tool> {
        let mut tools = Vec::new();
        let mut offer = RunOffer::default();
        for Registration { spec, .. } in self.registry.offered() {
            if self.is_offered(spec) {
                tools.push(spec.tool());
                offer.offered.push((spec.name.clone(), spec.fingerprint()));
            } else {
                offer.held_back.push(spec.name.clone());
            }
        }
        self.turn.offer = offer;
        tools
    }

    /// Records the fingerprint of the call's action in the call, if the call has none. If the
    /// fingerprint that was recorded for a stored call, or offered in its run, differs from that of
    /// the active registration, the call is marked as changed, and the user is asked.
    pub(super) fn record_action_fingerprint(&mut self, key: &CallKey) {
        let Some((call, entry)) = self.call_with_registration(key) else {
            return;
        };
        let current_fingerprint = entry.spec.fingerprint();
        let run_fingerprint = match self.conversation.is_direct_call(key) {
            true => None,
            false => self.turn.offered_fingerprint(&call.name),
        };
        let (fingerprint, has_changed) = match &call.action {
            None => match run_fingerprint {
                Some(recorded) if call.history().is_stored && *recorded != current_fingerprint => {
                    (current_fingerprint, true)
                }
                run_fingerprint => (
                    run_fingerprint.cloned().unwrap_or(current_fingerprint),
                    false,
                ),
            },
            Some(recorded) if call.history().is_stored && *recorded != current_fingerprint => {
                (current_fingerprint, true)
            }
            Some(_) => return,
        };
        self.conversation.edit_call(key, |call| {
            call.action = Some(fingerprint);
            if has_changed {
                call.apply_data_change(CallDataChange::Changed);
            }
        });
    }
}

/// The actions that a run offered, and those that the filter excluded. They are stored with a run
/// in progress, since the page may have other actions when the run is resumed.
#[derive(Debug, Clone, Default)]
pub(super) struct RunOffer {
    /// The names and fingerprints of the offered actions.
    pub(super) offered: Vec<(String, ActionFingerprint)>,
    /// The names of the actions that the filter excluded.
    pub(super) held_back: Vec<String>,
}

impl RunOffer {
    pub(super) fn to_value(&self) -> Value {
        let entry = |(name, fingerprint): &(String, ActionFingerprint)| {
            (name.clone(), fingerprint.as_str().into())
        };
        let entries: Object = self.offered.iter().map(entry).collect();
        json!({"offered": entries, "heldBack": self.held_back})
    }

    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let offered_entries = value.get("offered")?.as_object()?.iter();
        let excluded_names = value.get("heldBack")?.as_array()?.iter();
        let entry = |(name, fingerprint): (&String, &Value)| {
            let fingerprint = ActionFingerprint::parse(fingerprint.as_str()?)?;
            Some((name.clone(), fingerprint))
        };
        Some(Self {
            offered: offered_entries.filter_map(entry).collect(),
            held_back: excluded_names
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

/// Adds the current schema of the action to an error about invalid arguments, if the call was made
/// for another version of the action. Returns the error unchanged otherwise.
pub(super) fn add_current_schema(
    error: CallError,
    entry: &Registration,
    call: &ToolCall,
) -> CallError {
    let current_fingerprint = entry.spec.fingerprint();
    let is_same = call
        .action
        .as_ref()
        .is_none_or(|action| *action == current_fingerprint)
        && !call.has_changed();
    if is_same || error.kind != ErrorKind::InvalidArguments {
        return error;
    }
    CallError {
        message: format!("{}. The action has another schema now.", error.message),
        kind: ErrorKind::SchemaChanged,
        details: Some(serde_json::json!({"schema": entry.spec.parameters})),
    }
}
