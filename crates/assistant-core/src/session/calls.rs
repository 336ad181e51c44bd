//! What the page made of the calls that are open: which action answers for each, by which rules.
//!
//! What happened to a call stands in its state, which moves with it
//! (`crate::conversation::state`). Here is only what a judgement depends on, so that it can be told
//! whether one still holds.

use serde_json::{Value, json};

use crate::{
    action::{ActionSpec, Execution, Policy, RegistrationId, ResultEncoding},
    conversation::{CallKey, Fingerprint, ToolCall},
    order::Sorted,
};

/// The judgements about open calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    judgements: Sorted<CallKey, Box<Judgement>>,
    /// Who waits for the calls that the page makes itself.
    requests: Sorted<CallKey, u64>,
    /// The calls whose handlers asked for them.
    parents: Sorted<CallKey, CallKey>,
}

/// What a call was judged by. Another component may take over as long as its rules are the same.
#[derive(Debug, Clone)]
pub(super) struct Judgement {
    pub(super) binding: Binding,
    pub(super) registration: Option<RegistrationId>,
    pub(super) eager: bool,
    pub(super) exclusive: bool,
    pub(super) encoding: ResultEncoding,
    pub(super) execution: Execution,
}

impl Judgement {
    /// Nothing here answers for the call.
    pub(super) const fn of_nobody(binding: Binding, eager: bool) -> Self {
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

/// What a judgement was made for: the words of the call, and the rules of its action.
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

/// What of an action a judgement depends on.
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

/// What a person sees of a call: its name, its exact effective arguments, the rules of the action
/// that would run, and what it says that would change.
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
    pub(super) fn get(&self, key: &CallKey) -> Option<&Judgement> {
        self.judgements.get(key).map(|judgement| &**judgement)
    }

    pub(super) fn insert(&mut self, key: CallKey, judgement: Judgement) {
        self.judgements.insert(key, Box::new(judgement));
    }

    pub(super) fn forget(&mut self, key: &CallKey) {
        self.judgements.remove(key);
    }

    /// Forgets the judgements about all calls but those that the page makes itself.
    pub(super) fn clear(&mut self) {
        let requests = &self.requests;
        self.judgements.retain(|key| requests.contains(key));
    }

    /// Somebody on the page waits for a call.
    pub(super) fn note_request(&mut self, key: CallKey, request: u64) {
        self.requests.insert(key, request);
    }

    pub(super) fn note_parent(&mut self, key: CallKey, parent: CallKey) {
        self.parents.insert(key, parent);
    }

    /// The calls whose handlers led to a call, the nearest first.
    pub(super) fn ancestors(&self, key: &CallKey) -> impl Iterator<Item = CallKey> {
        std::iter::successors(self.parents.get(key).copied(), |key| {
            self.parents.get(key).copied()
        })
    }

    /// The open calls that the handler of a call asked for.
    pub(super) fn children(&self, key: &CallKey) -> Vec<CallKey> {
        let all = self.parents.iter();
        let its = all.filter(|(_, parent)| *parent == key);
        its.map(|(child, _)| child).collect()
    }

    /// Who waited for a call that has ended.
    pub(super) fn fulfil(&mut self, key: &CallKey) -> Option<u64> {
        self.parents.remove(key);
        self.requests.remove(key)
    }

    /// Another registration with the same rules answers for a call now.
    pub(super) fn take_over(&mut self, key: &CallKey, registration: Option<RegistrationId>) {
        if let Some(judgement) = self.judgements.get_mut(key) {
            judgement.registration = registration;
        }
    }

    pub(super) fn any_eager(&self) -> bool {
        self.judgements.iter().any(|(_, judgement)| judgement.eager)
    }

    /// The calls that a registration answers for.
    pub(super) fn of_registration(&self, id: RegistrationId) -> Vec<CallKey> {
        let all = self.judgements.iter();
        let its = all.filter(|(_, judgement)| judgement.registration == Some(id));
        its.map(|(key, _)| key).collect()
    }
}
