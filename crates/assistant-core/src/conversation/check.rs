//! Defines the check of a call: the facts on which the permission to start the call was based.
//!
//! A check is part of the review in a call's state ([`super::Review`]), and is discarded with that
//! state. The check is valid while the call and the rules of its action equal its [`CheckSubject`].

use serde_json::Value;

use crate::action::{ActionSpec, Execution, Policy, RegistrationId, ResultEncoding};

/// The check of a call: the subject of the check, and the properties of the call's action that
/// later steps need. A component that registers an action with the same rules may take over the
/// call; what the functions of the earlier component permitted does not count then.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Check {
    pub(crate) binding: CheckSubject,
    pub(crate) registration: Option<RegistrationId>,
    pub(crate) eager: bool,
    pub(crate) exclusive: bool,
    pub(crate) encoding: ResultEncoding,
    pub(crate) execution: Execution,
}

impl Check {
    /// Creates the check of a call for which no action is registered.
    pub(crate) const fn without_action(binding: CheckSubject, eager: bool) -> Self {
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

/// The subject of a check: the name and arguments of the call, and the rules of its action.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckSubject {
    name: String,
    args_text: String,
    rules: Option<CheckedRules>,
}

impl CheckSubject {
    pub(crate) fn new(name: &str, args_text: &str, spec: Option<&ActionSpec>) -> Self {
        Self {
            name: name.to_owned(),
            args_text: args_text.to_owned(),
            rules: spec.map(CheckedRules::from_spec),
        }
    }
}

/// The properties of an action that a check depends on.
#[derive(Debug, Clone, PartialEq)]
struct CheckedRules {
    parameters: Value,
    version: Option<String>,
    approval: Policy,
    only_user_approves: bool,
    has_preview: bool,
    execution: Execution,
    validate: bool,
    has_handler: bool,
}

impl CheckedRules {
    fn from_spec(spec: &ActionSpec) -> Self {
        Self {
            parameters: spec.parameters.clone(),
            version: spec.version.clone(),
            approval: spec.approval,
            only_user_approves: spec.only_user_approves,
            has_preview: spec.has_preview,
            execution: spec.execution,
            validate: spec.validate,
            has_handler: spec.has_handler,
        }
    }
}
