//! Defines actions as plain data, without handlers.

use std::fmt;

use serde_json::{Value, json};

use super::{CallLimits, GrantBounds, Remembering};
use crate::event::Tool;

/// An action as plain data: its definition for the agent, and the rules for its calls.
///
/// ```
/// use assistant_core::action::{ActionSpec, CallLimits, GrantBounds, Policy};
/// use serde_json::json;
///
/// // An approval may be remembered for five calls within an hour, each of at most 50 euros.
/// let bounds = GrantBounds::default().uses(5).lasts_ms(3_600_000).up_to("/euros", 50);
/// let action = ActionSpec::new("pay", "Pays a bill")
///     .with_parameters(json!({"type": "object", "properties": {"euros": {"type": "number"}}}))
///     .with_approval(Policy::Always)
///     .with_grant_bounds(bounds)
///     .with_limits(CallLimits::default().calls(2, 60_000).concurrent(1));
/// assert!(action.check().is_ok());
/// // Providers refuse names with spaces.
/// assert!(ActionSpec::new("pay a bill", "Pays a bill").check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ActionSpec {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Value,
    pub(crate) version: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) always_offered: bool,
    pub(crate) has_handler: bool,
    pub(crate) availability: Availability,
    pub(crate) enabled: bool,
    pub(crate) approval: Policy,
    pub(crate) only_user_approves: bool,
    pub(crate) remembering: Remembering,
    pub(crate) grant_bounds: GrantBounds,
    pub(crate) has_preview: bool,
    pub(crate) execution: Execution,
    pub(crate) exclusive: bool,
    pub(crate) eager: bool,
    pub(crate) idempotent: bool,
    pub(crate) detached: bool,
    pub(crate) timeout_ms: Option<u32>,
    pub(crate) limits: CallLimits,
    pub(crate) validate: bool,
    pub(crate) encoding: ResultEncoding,
}

impl ActionSpec {
    /// Creates an action without a handler, which requires no approval. The schema of its arguments
    /// is an object without properties.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters: json!({"type": "object", "properties": {}}),
            version: None,
            tags: Vec::new(),
            always_offered: false,
            has_handler: false,
            availability: Availability::Offered,
            enabled: true,
            approval: Policy::Never,
            only_user_approves: false,
            remembering: Remembering::AnyArguments,
            grant_bounds: GrantBounds::default(),
            has_preview: false,
            execution: Execution::Client,
            exclusive: false,
            eager: false,
            idempotent: false,
            detached: false,
            timeout_ms: None,
            limits: CallLimits::default(),
            validate: true,
            encoding: ResultEncoding::Json,
        }
    }

    /// Returns the definition that is sent to the agent.
    #[must_use]
    pub fn tool(&self) -> Tool {
        Tool {
            name: self.name.clone(),
            description: self.description.clone(),
            parameters: Some(self.parameters.clone()),
            metadata: None,
        }
    }

    /// Checks that the action can be registered with its name and schema.
    ///
    /// # Errors
    ///
    /// Fails if the name is empty, is longer than 128 characters or contains a character other than
    /// ASCII letters, digits, `_`, `-` and `.`. Also fails if the schema is not valid or does not
    /// describe an object.
    pub fn check(&self) -> Result<(), InvalidAction> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let has_valid_name =
            !self.name.is_empty() && self.name.len() <= 128 && self.name.chars().all(is_allowed);
        let fault = match has_valid_name {
            true => find_fault(&self.parameters),
            false => Some(DefinitionFault::Name),
        };
        match fault {
            None => Ok(()),
            Some(fault) => Err(InvalidAction {
                name: self.name.clone(),
                fault,
            }),
        }
    }

    /// Returns the name of the action. [`Self::check`] fails unless the name consists of 1 to 128
    /// ASCII letters, digits, `_`, `-` and `.`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description for the model.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Sets [`Self::description`].
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Returns the JSON Schema of the arguments.
    #[must_use]
    pub const fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// Sets [`Self::parameters`].
    #[must_use]
    pub fn with_parameters(mut self, parameters: Value) -> Self {
        self.parameters = parameters;
        self
    }

    /// Returns the version, if the action has a version. The version is displayed and is part of
    /// the fingerprint of the action ([`Self::fingerprint`]).
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Sets [`Self::version`].
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Returns the tags by which a filter selects the action ([`super::OfferFilter`]). Tags are not
    /// sent to agents.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// Sets [`Self::tags`].
    #[must_use]
    pub fn with_tags(mut self, tags: Vec<String>) -> Self {
        self.tags = tags;
        self
    }

    /// Returns true if the action passes every filter ([`super::OfferFilter`]).
    #[must_use]
    pub const fn is_always_offered(&self) -> bool {
        self.always_offered
    }

    /// Sets [`Self::is_always_offered`].
    #[must_use]
    pub const fn with_always_offered(mut self, always_offered: bool) -> Self {
        self.always_offered = always_offered;
        self
    }

    /// Returns true if the action has a handler.
    #[must_use]
    pub const fn has_handler(&self) -> bool {
        self.has_handler
    }

    /// Sets [`Self::has_handler`].
    #[must_use]
    pub const fn with_handler(mut self, has_handler: bool) -> Self {
        self.has_handler = has_handler;
        self
    }

    /// Returns the availability of the action to the agent.
    #[must_use]
    pub const fn availability(&self) -> Availability {
        self.availability
    }

    /// Sets [`Self::availability`].
    #[must_use]
    pub const fn with_availability(mut self, availability: Availability) -> Self {
        self.availability = availability;
        self
    }

    /// Returns true if the action can be offered and its calls can start. When an action is
    /// disabled, its running calls continue and its cards remain.
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Sets [`Self::is_enabled`].
    #[must_use]
    pub const fn with_enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Returns the rule for asking the user before a call runs.
    #[must_use]
    pub const fn approval(&self) -> Policy {
        self.approval
    }

    /// Sets [`Self::approval`].
    #[must_use]
    pub const fn with_approval(mut self, approval: Policy) -> Self {
        self.approval = approval;
        self
    }

    /// Returns true if only the user, and not the application's code, can approve calls of the
    /// action.
    #[must_use]
    pub const fn only_user_approves(&self) -> bool {
        self.only_user_approves
    }

    /// Sets [`Self::only_user_approves`].
    #[must_use]
    pub const fn with_only_user_approves(mut self, only_user_approves: bool) -> Self {
        self.only_user_approves = only_user_approves;
        self
    }

    /// Returns the widest scope in which an approval may be remembered (rule "remembered
    /// approvals").
    #[must_use]
    pub const fn remembering(&self) -> &Remembering {
        &self.remembering
    }

    /// Sets [`Self::remembering`].
    #[must_use]
    pub fn with_remembering(mut self, remembering: Remembering) -> Self {
        self.remembering = remembering;
        self
    }

    /// Returns the widest bounds of a remembered approval, which the user may narrow.
    #[must_use]
    pub const fn grant_bounds(&self) -> &GrantBounds {
        &self.grant_bounds
    }

    /// Sets [`Self::grant_bounds`].
    #[must_use]
    pub fn with_grant_bounds(mut self, grant_bounds: GrantBounds) -> Self {
        self.grant_bounds = grant_bounds;
        self
    }

    /// Returns true if the action can preview a call's changes before the user is asked (rule
    /// "preview").
    #[must_use]
    pub const fn has_preview(&self) -> bool {
        self.has_preview
    }

    /// Sets [`Self::has_preview`].
    #[must_use]
    pub const fn with_preview(mut self, has_preview: bool) -> Self {
        self.has_preview = has_preview;
        self
    }

    /// Returns the side that runs the action: the page or the agent.
    #[must_use]
    pub const fn execution(&self) -> Execution {
        self.execution
    }

    /// Sets [`Self::execution`].
    #[must_use]
    pub const fn with_execution(mut self, execution: Execution) -> Self {
        self.execution = execution;
        self
    }

    /// Returns true if no other call starts while a call of the action runs, except calls that the
    /// handler of the action makes (rule "order of calls").
    #[must_use]
    pub const fn is_exclusive(&self) -> bool {
        self.exclusive
    }

    /// Sets [`Self::is_exclusive`].
    #[must_use]
    pub const fn with_exclusive(mut self, exclusive: bool) -> Self {
        self.exclusive = exclusive;
        self
    }

    /// Returns true if a call of the action runs as soon as its arguments are complete. The option
    /// is intended for cheap, idempotent reads (rule "start of a tool").
    #[must_use]
    pub const fn is_eager(&self) -> bool {
        self.eager
    }

    /// Sets [`Self::is_eager`].
    #[must_use]
    pub const fn with_eager(mut self, eager: bool) -> Self {
        self.eager = eager;
        self
    }

    /// Returns true if running a call twice has the same effect as running it once. After a reload,
    /// such a call may run again without a new approval (rule "after a reload").
    #[must_use]
    pub const fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// Sets [`Self::is_idempotent`].
    #[must_use]
    pub const fn with_idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// Returns true if calls of the action continue after the component that registered the action
    /// has been removed (rule "unmounting").
    #[must_use]
    pub const fn is_detached(&self) -> bool {
        self.detached
    }

    /// Sets [`Self::is_detached`].
    #[must_use]
    pub const fn with_detached(mut self, detached: bool) -> Self {
        self.detached = detached;
        self
    }

    /// Returns the time limit of the handler in milliseconds, or `None` if the time is not limited.
    /// A handler that exceeds the limit counts as failed.
    #[must_use]
    pub const fn timeout_ms(&self) -> Option<u32> {
        self.timeout_ms
    }

    /// Sets [`Self::timeout_ms`].
    #[must_use]
    pub const fn with_timeout_ms(mut self, timeout_ms: u32) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }

    /// Returns the limits on the calls of the action.
    #[must_use]
    pub const fn limits(&self) -> CallLimits {
        self.limits
    }

    /// Sets [`Self::limits`].
    #[must_use]
    pub const fn with_limits(mut self, limits: CallLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns true if arguments are validated against [`Self::parameters`] before all other
    /// checks.
    #[must_use]
    pub const fn validates(&self) -> bool {
        self.validate
    }

    /// Sets [`Self::validates`].
    #[must_use]
    pub const fn with_validate(mut self, validate: bool) -> Self {
        self.validate = validate;
        self
    }

    /// Returns the encoding of a handler's value in the tool message.
    #[must_use]
    pub const fn encoding(&self) -> ResultEncoding {
        self.encoding
    }

    /// Sets [`Self::encoding`].
    #[must_use]
    pub const fn with_encoding(mut self, encoding: ResultEncoding) -> Self {
        self.encoding = encoding;
        self
    }
}

/// Returns the first reason why a schema cannot describe arguments, or `None` if no such reason is
/// found. Only the outermost members of the schema are checked.
fn find_fault(schema: &Value) -> Option<DefinitionFault> {
    let Value::Object(schema) = schema else {
        return Some(DefinitionFault::Schema("it must be an object"));
    };
    let is_object = |value: &Value| {
        value == "object"
            || value
                .as_array()
                .is_some_and(|value| value.contains(&"object".into()))
    };
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    let is_schema_map = |value: &Value| {
        value
            .as_object()
            .is_some_and(|value| value.values().all(is_schema))
    };
    let is_name_list = |value: &Value| {
        value
            .as_array()
            .is_some_and(|value| value.iter().all(Value::is_string))
    };
    let satisfies =
        |keyword: &str, check: &dyn Fn(&Value) -> bool| schema.get(keyword).is_none_or(check);
    if !satisfies("type", &is_object) {
        return Some(DefinitionFault::Schema(
            "`type` must be \"object\": arguments are one",
        ));
    }
    if !satisfies("properties", &is_schema_map) {
        return Some(DefinitionFault::Schema(
            "`properties` must be an object of schemas",
        ));
    }
    (!satisfies("required", &is_name_list)).then_some(DefinitionFault::Schema(
        "`required` must be a list of names",
    ))
}

/// The error for an action that providers would refuse because of its name or schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidAction {
    name: String,
    fault: DefinitionFault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DefinitionFault {
    Name,
    Schema(&'static str),
}

impl fmt::Display for InvalidAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.fault {
            DefinitionFault::Name => write!(
                f,
                "'{name}' is no name for an action: 1 to 128 letters, digits, '_', '-' or '.' are"
            ),
            DefinitionFault::Schema(fault) => {
                write!(
                    f,
                    "The schema of action '{name}' is no schema of arguments: {fault}"
                )
            }
        }
    }
}

impl std::error::Error for InvalidAction {}

/// The availability of an action to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// The action is offered to the agent.
    Offered,
    /// The action only renders calls that the agent itself runs. The action is never offered, and
    /// never runs in the page.
    RenderOnly,
}

/// The rule for asking the user before an action runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The user is never asked.
    Never,
    /// The user is asked before each call.
    Always,
    /// The host determines from the arguments whether the user is asked.
    Ask,
}

impl Policy {
    /// Returns the name of the rule in remembered approvals.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
            Self::Ask => "ask",
        }
    }
}

/// The side that runs a call of an action when the call may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// The page runs the action's handler.
    Client,
    /// The agent runs the action after it has read `approved` in the call's tool message, and does
    /// not run the action after `denied`. The variant is for agents that end their run at such a
    /// call and have no approval mechanism of their own. Agents that request approval by interrupts
    /// do not need the variant.
    Agent,
}

/// The encoding of a handler's value in a tool message (rule "results on the wire").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultEncoding {
    /// Every value is written as JSON text, so a string is quoted.
    Json,
    /// A string is written without quotes, and any other value is written as JSON text.
    Text,
}

impl ResultEncoding {
    /// Encodes the value of a handler as the text of a tool message.
    #[must_use]
    pub fn encode(self, value: &Value) -> String {
        match (self, value) {
            (Self::Text, Value::String(text)) => text.clone(),
            _ => value.to_string(),
        }
    }
}

/// Reads actions from a list of tool definitions, `[{name, description, parameters?}]`. The
/// definitions contain no handlers; handlers are attached later, by name.
///
/// Invalid entries are skipped. The second returned list describes each invalid entry.
#[must_use]
pub fn definitions_from_json(list: &[Value]) -> (Vec<ActionSpec>, Vec<String>) {
    let mut actions = Vec::new();
    let mut problems = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        match parse_definition(entry) {
            Ok(action) => actions.push(action),
            Err(reason) => problems.push(format!("entry {index}: {reason}")),
        }
    }
    (actions, problems)
}

fn parse_definition(entry: &Value) -> Result<ActionSpec, String> {
    let name = entry.get("name").and_then(Value::as_str);
    let name = name.ok_or("a tool definition is an object with a text 'name'")?;
    let description = entry.get("description").and_then(Value::as_str);
    let mut action = ActionSpec::new(name, description.unwrap_or_default());
    match entry.get("parameters") {
        None | Some(Value::Null) => {}
        Some(schema @ Value::Object(_)) => action.parameters = schema.clone(),
        Some(_) => return Err(format!("the 'parameters' of '{name}' are no schema object")),
    }
    action.check().map_err(|error| error.to_string())?;
    Ok(action)
}
