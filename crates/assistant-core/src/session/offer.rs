//! What an agent is offered in a run: what is registered and enabled, as far as the application's
//! filter lets it (rule "offered in a run").

use super::{Cx, Session};
use crate::{
    action::{ActionSpec, OfferFilter, Registration, ToolInfo},
    conversation::{CallError, CallKey, Change, ErrorKind, ToolCall},
    event::Tool,
};

impl Session {
    /// The definitions of what the agent is offered in the next run.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        let all = self.registry.offered().into_iter();
        let offered = all.filter(|entry| self.offers(&entry.spec));
        offered.map(|entry| entry.spec.tool()).collect()
    }

    /// Everything that is registered and enabled for the agent, in order of registration, with what
    /// the filter keeps back.
    #[must_use]
    pub fn list_tools(&self) -> Vec<ToolInfo> {
        let all = self.registry.offered().into_iter();
        all.map(|entry| ToolInfo::of(&entry.spec, self.offers(&entry.spec)))
            .collect()
    }

    /// The filter in force, if there is one.
    #[must_use]
    pub const fn offer_filter(&self) -> Option<&OfferFilter> {
        self.filter.as_ref()
    }

    fn offers(&self, spec: &ActionSpec) -> bool {
        let filter = self.filter.as_ref();
        filter.is_none_or(|filter| filter.allows(spec)) || self.turn.is_revealed(&spec.name)
    }

    pub(super) fn set_filter(&mut self, filter: Option<OfferFilter>, cx: &mut Cx<'_>) {
        if self.filter != filter {
            self.filter = filter;
            cx.change(Change::Registry);
        }
    }

    /// The agent asked for actions that the filter keeps back: it is offered them until the person
    /// speaks.
    pub(super) fn reveal(&mut self, mut names: Vec<String>, cx: &mut Cx<'_>) {
        names.retain(|name| {
            let known = self.registry.in_force(name).is_some();
            known && !self.turn.is_revealed(name)
        });
        if !names.is_empty() {
            self.turn.reveal(names);
            cx.change(Change::Registry);
        }
    }

    /// Remembers what a run offers, and gives the definitions.
    pub(super) fn note_offered(&mut self) -> Vec<Tool> {
        let all = self.registry.offered();
        let (mut tools, mut offered, mut held_back) = (Vec::new(), Vec::new(), Vec::new());
        for Registration { spec, .. } in all {
            if self.offers(spec) {
                tools.push(spec.tool());
                offered.push((spec.name.clone(), spec.fingerprint()));
            } else {
                held_back.push(spec.name.clone());
            }
        }
        self.turn.set_offered(offered, held_back);
        tools
    }

    /// Notes under which edition of its action a call was made. A call out of a store that was made
    /// under another one than is in force has changed: a person is asked.
    pub(super) fn note_edition(&mut self, key: &CallKey) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let Some(now) = self
            .registration_for(call)
            .map(|entry| entry.spec.fingerprint())
        else {
            return;
        };
        let told = match self.conversation.is_direct(key) {
            true => None,
            false => self.turn.offered_as(&call.name),
        };
        let (edition, changed) = match &call.action {
            None => (told.cloned().unwrap_or(now), false),
            Some(then) if call.lasting.is_stored && *then != now => (now, true),
            Some(_) => return,
        };
        self.conversation.edit_call(key, |call| {
            call.action = Some(edition);
            call.lasting.changed |= changed;
        });
    }
}

/// The error of a call to something that is not registered.
pub(super) fn not_found(name: &str) -> CallError {
    CallError {
        message: format!("Action {name} not found"),
        kind: ErrorKind::UnknownTool,
        details: None,
    }
}

/// What is told of a call to something that the filter keeps back.
pub(super) fn not_offered(name: &str) -> CallError {
    CallError {
        message: format!("Action {name} is not offered in this run"),
        kind: ErrorKind::UnknownTool,
        details: None,
    }
}

/// Arguments that do not fit: where they were made for another schema, the agent is told the one in
/// force.
pub(super) fn under_another_schema(
    error: CallError,
    entry: &Registration,
    call: &ToolCall,
) -> CallError {
    let now = entry.spec.fingerprint();
    let same = call.action.as_ref().is_none_or(|then| *then == now) && !call.lasting.changed;
    if same || error.kind != ErrorKind::InvalidArguments {
        return error;
    }
    CallError {
        message: format!("{}. The action has another schema now.", error.message),
        kind: ErrorKind::SchemaChanged,
        details: Some(serde_json::json!({"schema": entry.spec.parameters})),
    }
}
