//! Tracks the action and rules that each open call was checked against.
//!
//! The history of a call is in its state, which moves with it (`crate::conversation::state`). This
//! module keeps only the inputs of a check, by which it is determined whether the check still
//! holds.

use serde_json::{Value, json};

use crate::{
    action::{ActionSpec, Execution, Policy, RegistrationId, ResultEncoding},
    conversation::{CallKey, Fingerprint, ToolCall},
    order::Sorted,
};

/// The checks of open calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    checks: Sorted<CallKey, Box<Check>>,
    /// Request numbers of the calls that the page makes itself.
    requests: Sorted<CallKey, u64>,
    /// The calls whose handlers requested them.
    parents: Sorted<CallKey, CallKey>,
}

/// The inputs of a call's check. Another component may take over if its rules are the same.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) binding: Binding,
    pub(super) registration: Option<RegistrationId>,
    pub(super) eager: bool,
    pub(super) exclusive: bool,
    pub(super) encoding: ResultEncoding,
    pub(super) execution: Execution,
}

impl Check {
    /// Creates the check of a call without an action here.
    pub(super) const fn without_action(binding: Binding, eager: bool) -> Self {
        Self {
            binding,
            registration: None,
            eager,
            exclusive: false,
            encoding: ResultEncoding::Json,
            execution: Execution::Client,
        }
    }
}

/// The subject of a check: name and arguments of the call, and the rules of its action.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Binding {
    name: String,
    args_text: String,
    rules: Option<Rules>,
}

impl Binding {
    pub(super) fn of(call: &ToolCall, spec: Option<&ActionSpec>) -> Self {
        Self {
            name: call.name.clone(),
            args_text: call.args_text().to_owned(),
            rules: spec.map(Rules::of),
        }
    }
}

/// The properties of an action that a check depends on.
#[derive(Debug, Clone, PartialEq)]
struct Rules {
    parameters: Value,
    version: Option<String>,
    approval: Policy,
    execution: Execution,
    validate: bool,
    has_handler: bool,
}

impl Rules {
    fn of(spec: &ActionSpec) -> Self {
        Self {
            parameters: spec.parameters.clone(),
            version: spec.version.clone(),
            approval: spec.approval,
            execution: spec.execution,
            validate: spec.validate,
            has_handler: spec.has_handler,
        }
    }
}

/// Fingerprints the shown part of a call: its name, its exact effective arguments, the rules of the
/// action that would run, and the preview of its changes.
pub(super) fn fingerprint(call: &ToolCall, spec: Option<&ActionSpec>) -> Fingerprint {
    let preview = call.preview().map(|preview| match preview {
        Ok(value) => json!([value]),
        Err(reason) => reason.as_str().into(),
    });
    let rules = spec.map_or(Value::Null, |spec| {
        json!([
            spec.parameters,
            matches!(spec.approval, Policy::Never),
            matches!(spec.execution, Execution::Agent),
            spec.validate,
            spec.has_handler,
            preview.filter(|_| spec.has_preview),
            spec.version,
        ])
    });
    let args = call.effective_args().ok_or_else(|| call.args_text());
    Fingerprint::of(&call.name, args, &rules)
}

impl Calls {
    pub(super) fn get(&self, key: &CallKey) -> Option<&Check> {
        self.checks.get(key).map(|check| &**check)
    }

    pub(super) fn insert(&mut self, key: CallKey, check: Check) {
        self.checks.insert(key, Box::new(check));
    }

    pub(super) fn forget(&mut self, key: &CallKey) {
        self.checks.remove(key);
    }

    /// Forgets the checks of all calls except those of the page itself.
    pub(super) fn clear(&mut self) {
        let requests = &self.requests;
        self.checks.retain(|key| requests.contains(key));
    }

    /// Records the page's request for a call.
    pub(super) fn note_request(&mut self, key: CallKey, request: u64) {
        self.requests.insert(key, request);
    }

    pub(super) fn note_parent(&mut self, key: CallKey, parent: CallKey) {
        self.parents.insert(key, parent);
    }

    /// Returns the calls whose handlers led to a call, nearest first.
    pub(super) fn ancestors(&self, key: &CallKey) -> impl Iterator<Item = CallKey> {
        std::iter::successors(self.parents.get(key).copied(), |key| {
            self.parents.get(key).copied()
        })
    }

    /// Returns the open calls that the handler of a call requested.
    pub(super) fn children(&self, key: &CallKey) -> Vec<CallKey> {
        let all = self.parents.iter();
        let its = all.filter(|(_, parent)| *parent == key);
        its.map(|(child, _)| child).collect()
    }

    /// Takes the request of a call that has ended.
    pub(super) fn fulfil(&mut self, key: &CallKey) -> Option<u64> {
        self.parents.remove(key);
        self.requests.remove(key)
    }

    /// Sets another registration with the same rules for a call.
    pub(super) fn take_over(&mut self, key: &CallKey, registration: Option<RegistrationId>) {
        if let Some(check) = self.checks.get_mut(key) {
            check.registration = registration;
        }
    }

    pub(super) fn any_eager(&self) -> bool {
        self.checks.iter().any(|(_, check)| check.eager)
    }

    /// Returns the calls of a registration.
    pub(super) fn of_registration(&self, id: RegistrationId) -> Vec<CallKey> {
        let all = self.checks.iter();
        let its = all.filter(|(_, check)| check.registration == Some(id));
        its.map(|(key, _)| key).collect()
    }
}
