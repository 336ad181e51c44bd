//! Remembers approvals, under which later calls start without asking the user again.
//!
//! An approval is bound to the action's name and rules, and to the part of the arguments that the
//! user or the action chose. For a call with another name, other rules or other values in this
//! part, the user is asked again. [`crate::session`] stores the approvals and applies them to
//! calls.

use std::fmt;

use serde_json::{Value, json};

use super::{
    ActionSpec, ArgMaximum, Decider, Execution, GrantBounds, Remembering,
    bounds::{maxima_from_value, maxima_to_value},
};
use crate::{event::Object, json::canonical::canonical};

/// The maximum number of remembered approvals. If the number is exceeded, the oldest approvals are
/// dropped.
const MAX_REMEMBERED: usize = 256;

/// The maximum size of the rules and arguments of a remembered approval, in bytes.
const MAX_APPROVAL_LEN: usize = 256 * 1024;

/// The lifetime of a remembered approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RememberScope {
    /// The lifetime of the conversation in which the approval was given.
    Conversation,
    /// The lifetime of the session. In a browser, the session ends when the page is closed.
    Session,
    /// The time until the approval is revoked, provided that the host stores the approval.
    Always,
}

impl RememberScope {
    /// Returns the name that is used in stored approvals.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Session => "session",
            Self::Always => "always",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let scopes = [Self::Conversation, Self::Session, Self::Always];
        scopes.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// The part of a decision that applies to later calls.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Remember {
    /// The lifetime of the approval.
    pub(crate) scope: RememberScope,
    /// True if the approval also covers arguments other than those approved, as far as the action
    /// permits ([`Remembering`]).
    pub(crate) any_args: bool,
    /// The bounds of the approval. Bounds wider than those of the action are reduced to those of
    /// the action.
    pub(crate) bounds: GrantBounds,
}

impl Remember {
    /// Creates a request to remember the approval for `scope`, within the bounds of the action. If
    /// `any_args` is true, the approval also covers arguments other than those approved, as far as
    /// the action permits.
    #[must_use]
    pub fn new(scope: RememberScope, any_args: bool) -> Self {
        Self {
            scope,
            any_args,
            bounds: GrantBounds::default(),
        }
    }

    /// Sets bounds that are narrower than those of the action.
    #[must_use]
    pub fn bounded(mut self, bounds: GrantBounds) -> Self {
        self.bounds = bounds;
        self
    }
}

/// The arguments that a remembered approval covers.
#[derive(Debug, Clone, PartialEq)]
pub enum RememberedArgs {
    /// All arguments.
    Any,
    /// Arguments with the same values in these fields. A field that the action names but that is
    /// missing here must also be missing in the arguments.
    Fields(Object),
    /// Only arguments that are equal to this value.
    Exactly(Value),
}

/// An approval that is remembered for later calls.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RememberedApproval {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) scope: RememberScope,
    /// The id of the conversation in which the approval was given.
    pub(crate) thread_id: String,
    pub(crate) by: Decider,
    pub(crate) args: RememberedArgs,
    pub(crate) allowed_at: i64,
    pub(crate) uses: Option<u32>,
    pub(crate) used: u32,
    pub(crate) expires_at: Option<i64>,
    pub(crate) maxima: Vec<ArgMaximum>,
    /// The serialized rules of the action at the time of the approval.
    rules: String,
}

impl RememberedApproval {
    /// Returns the party that gave the approval.
    #[must_use]
    pub const fn by(&self) -> Decider {
        self.by
    }

    /// Returns the approval's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the action's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the approval's lifetime.
    #[must_use]
    pub const fn scope(&self) -> RememberScope {
        self.scope
    }

    /// Returns the arguments that the approval covers.
    #[must_use]
    pub const fn args(&self) -> &RememberedArgs {
        &self.args
    }

    /// Returns the time of the approval, in milliseconds since 1970.
    #[must_use]
    pub const fn allowed_at(&self) -> i64 {
        self.allowed_at
    }

    /// Returns the maximum number of later calls under the approval, or `None` if the number is not
    /// limited.
    #[must_use]
    pub const fn uses(&self) -> Option<u32> {
        self.uses
    }

    /// Returns the number of calls that have used the approval.
    #[must_use]
    pub const fn used(&self) -> u32 {
        self.used
    }

    /// Returns the time at which the approval expires, in milliseconds since 1970. Returns `None`
    /// if the approval does not expire.
    #[must_use]
    pub const fn expires_at(&self) -> Option<i64> {
        self.expires_at
    }

    /// Returns the greatest permitted values of arguments.
    #[must_use]
    pub fn maxima(&self) -> &[ArgMaximum] {
        &self.maxima
    }

    /// Creates the approval of a call with these arguments. Returns `None` if the action does not
    /// permit the approval, if the exact arguments exceed a maximum, or if the approval is too
    /// large to store.
    pub(crate) fn new(
        spec: &ActionSpec,
        args: &Value,
        request: &Remember,
        (by, id, thread_id, allowed_at): (Decider, String, String, i64),
    ) -> Option<Self> {
        let remembered_args = match (&spec.remembering, request.any_args) {
            (Remembering::Never, _) => return None,
            (Remembering::SameArguments, _) | (_, false) => RememberedArgs::Exactly(args.clone()),
            // Arguments that are not an object have no fields, so the whole value is compared.
            (Remembering::SameFields(_), true) if !args.is_object() => {
                RememberedArgs::Exactly(args.clone())
            }
            (Remembering::SameFields(names), true) => {
                RememberedArgs::Fields(pick_args(names, args).collect())
            }
            (Remembering::AnyArguments, true) => RememberedArgs::Any,
        };
        let bounds = spec.grant_bounds.narrowed(&request.bounds);
        let maxima = bounds.maxima;
        // No approval is created if its exact arguments exceed a maximum, because it could never be
        // used.
        let is_exact = matches!(remembered_args, RememberedArgs::Exactly(_));
        if is_exact && !maxima.iter().all(|maximum| maximum.is_satisfied_by(args)) {
            return None;
        }
        let approval = Self {
            id,
            by,
            uses: bounds.uses,
            used: 0,
            expires_at: bounds
                .lasts_ms
                .map(|ms| allowed_at.saturating_add(ms.max(0))),
            maxima,
            name: spec.name.clone(),
            scope: request.scope,
            thread_id,
            args: remembered_args,
            allowed_at,
            rules: serialize_rules(spec),
        };
        approval.is_storable().then_some(approval)
    }

    /// Returns true if the approval covers a call of this action with these arguments in the
    /// conversation `thread_id` at the time `now`, regardless of the remaining uses.
    pub(crate) fn is_valid_for(
        &self,
        spec: &ActionSpec,
        args: &Value,
        (thread_id, now): (&str, i64),
    ) -> bool {
        let is_in_scope = self.scope != RememberScope::Conversation || self.thread_id == thread_id;
        is_in_scope
            && !self.is_expired(now)
            && self.name == spec.name
            && spec.remembering != Remembering::Never
            && (self.by == Decider::Person || !spec.only_user_approves)
            && self.has_covered_args(spec, args)
            && self
                .maxima
                .iter()
                .all(|maximum| maximum.is_satisfied_by(args))
            && self.rules == serialize_rules(spec)
    }

    /// Returns true if the approval has expired. An approval with a time of expiry also counts as
    /// expired if `now` is before the time of the approval, so a clock that is set back extends an
    /// approval by at most the time for which the approval has been valid.
    #[must_use]
    pub fn is_expired(&self, now: i64) -> bool {
        self.expires_at
            .is_some_and(|at| now >= at || now < self.allowed_at)
    }

    /// Returns the number of remaining uses, or `None` if the number is not limited.
    #[must_use]
    pub fn uses_left(&self) -> Option<u32> {
        Some(self.uses?.saturating_sub(self.used))
    }

    /// Returns true if a use of the approval remains, or if the number of uses is not limited.
    pub(crate) fn has_uses_left(&self) -> bool {
        self.uses_left() != Some(0)
    }

    /// Returns a copy of the approval with the number of uses increased by 1.
    pub(crate) fn with_use_counted(&self) -> Self {
        let mut approval = self.clone();
        approval.used = approval.used.saturating_add(1);
        approval
    }

    /// Returns true if another approval is equal to this approval, apart from the number of counted
    /// uses.
    pub(crate) fn is_same_grant(&self, other: &Self) -> bool {
        let mut approval = other.clone();
        approval.used = self.used;
        *self == approval
    }

    fn has_covered_args(&self, spec: &ActionSpec, args: &Value) -> bool {
        match (&self.args, &spec.remembering) {
            (RememberedArgs::Exactly(allowed), _) => canonical(allowed) == canonical(args),
            (RememberedArgs::Fields(allowed), Remembering::SameFields(names))
                if args.is_object() =>
            {
                let current_fields: Object = pick_args(names, args).collect();
                canonical(&Value::Object(allowed.clone()))
                    == canonical(&Value::Object(current_fields))
            }
            (RememberedArgs::Any, Remembering::AnyArguments) => true,
            _ => false,
        }
    }

    /// Returns true if the approval covers the same calls as another approval, regardless of time
    /// and bounds. A new approval replaces an older approval with the same coverage.
    fn has_same_coverage(&self, other: &Self) -> bool {
        let thread_id_of = |approval: &Self| {
            (approval.scope == RememberScope::Conversation).then(|| approval.thread_id.clone())
        };
        self.name == other.name
            && self.by == other.by
            && self.scope == other.scope
            && thread_id_of(self) == thread_id_of(other)
            && self.args == other.args
            && self.rules == other.rules
    }

    fn is_storable(&self) -> bool {
        let args_len = match &self.args {
            RememberedArgs::Any => 0,
            RememberedArgs::Fields(fields) => canonical(&Value::Object(fields.clone())).len(),
            RememberedArgs::Exactly(args) => canonical(args).len(),
        };
        self.rules.len().saturating_add(args_len) <= MAX_APPROVAL_LEN
    }

    /// Returns the approval as JSON, for a host that stores approvals.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let args = match &self.args {
            RememberedArgs::Any => json!({"any": true}),
            RememberedArgs::Fields(fields) => json!({"fields": fields}),
            RememberedArgs::Exactly(args) => json!({"exactly": args}),
        };
        let mut value = json!({
            "id": self.id,
            "toolName": self.name,
            "scope": self.scope.as_str(),
            "threadId": self.thread_id,
            "args": args,
            "allowedAt": self.allowed_at,
            "rules": self.rules,
        });
        let Value::Object(object) = &mut value else {
            return value;
        };
        let mut insert_field = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
        if self.by != Decider::Person {
            insert_field("by", self.by.as_str().into());
        }
        if let Some(uses) = self.uses {
            insert_field("uses", uses.into());
            insert_field("used", self.used.into());
        }
        if let Some(at) = self.expires_at {
            insert_field("expiresAt", at.into());
        }
        if !self.maxima.is_empty() {
            insert_field("maxima", maxima_to_value(&self.maxima));
        }
        value
    }

    /// Parses a value written by [`Self::to_value`]. Returns `None` for any other value.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        let read_text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let args = value
            .get("args")?
            .as_object()
            .filter(|args| args.len() == 1)?;
        let args = match args.iter().next()? {
            (key, Value::Bool(true)) if key == "any" => RememberedArgs::Any,
            (key, Value::Object(fields)) if key == "fields" => {
                RememberedArgs::Fields(fields.clone())
            }
            (key, args) if key == "exactly" => RememberedArgs::Exactly(args.clone()),
            _ => return None,
        };
        // An approval with an unreadable bound is dropped, since the bound could not be enforced.
        let read_count = |key: &str| match value.get(key) {
            None => Some(None),
            Some(count) => Some(Some(u32::try_from(count.as_u64()?).ok()?)),
        };
        let uses = read_count("uses")?;
        let used = match (uses, read_count("used")?) {
            (Some(_), used) => used?,
            (None, None) => 0,
            (None, Some(_)) => return None,
        };
        let expires_at = match value.get("expiresAt") {
            None => None,
            Some(at) => Some(at.as_i64()?),
        };
        let maxima = match value.get("maxima") {
            None => Vec::new(),
            Some(maxima) => maxima_from_value(maxima)?,
        };
        let approval = Self {
            uses,
            used,
            expires_at,
            maxima,
            by: Decider::from_grant(value.get("by"))?,
            id: read_text("id")?,
            name: read_text("toolName")?,
            scope: RememberScope::parse(&read_text("scope")?)?,
            thread_id: read_text("threadId")?,
            args,
            allowed_at: value.get("allowedAt")?.as_i64()?,
            rules: read_text("rules")?,
        };
        approval.is_storable().then_some(approval)
    }
}

fn pick_args<'a>(
    names: &'a [String],
    args: &'a Value,
) -> impl Iterator<Item = (String, Value)> + 'a {
    let pick = move |name: &String| Some((name.clone(), args.get(name)?.clone()));
    names.iter().filter_map(pick)
}

/// Serializes the properties of an action to which an approval is bound: those that determine
/// whether the user is asked, and the text of the question.
fn serialize_rules(spec: &ActionSpec) -> String {
    let remembering = match &spec.remembering {
        Remembering::Never => json!("never"),
        Remembering::SameArguments => json!("same"),
        Remembering::SameFields(names) => json!(names),
        Remembering::AnyArguments => json!("any"),
    };
    canonical(&json!([
        spec.description,
        spec.version,
        spec.parameters,
        spec.approval.as_str(),
        remembering,
        spec.grant_bounds.to_value(),
        spec.execution == Execution::Agent,
        spec.validate,
        spec.has_handler,
    ]))
}

/// The remembered approvals, oldest first.
#[derive(Clone, Default)]
pub(crate) struct ApprovalList {
    list: Vec<RememberedApproval>,
}

impl fmt::Debug for ApprovalList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .list
            .iter()
            .map(|approval| (&approval.name, &approval.args));
        f.debug_list().entries(names).finish()
    }
}

impl ApprovalList {
    pub(crate) fn list(&self) -> &[RememberedApproval] {
        &self.list
    }

    pub(crate) fn add(&mut self, approval: RememberedApproval) {
        self.list
            .retain(|other| !other.has_same_coverage(&approval) && other.id != approval.id);
        self.list.push(approval);
        let excess = self.list.len().saturating_sub(MAX_REMEMBERED);
        self.list.drain(..excess);
    }

    /// Removes the approval with an id and returns the approval. Returns `None` if no approval has
    /// the id.
    pub(crate) fn remove(&mut self, id: &str) -> Option<RememberedApproval> {
        let index = self.list.iter().position(|approval| approval.id == id)?;
        Some(self.list.remove(index))
    }

    /// Returns the newest approval under which a call may start, if such an approval exists.
    pub(crate) fn find(
        &self,
        spec: &ActionSpec,
        args: &Value,
        at: (&str, i64),
    ) -> Option<&RememberedApproval> {
        let mut newest_first = self.list.iter().rev();
        newest_first
            .find(|approval| approval.has_uses_left() && approval.is_valid_for(spec, args, at))
    }

    pub(crate) fn get(&self, id: &str) -> Option<&RememberedApproval> {
        self.list.iter().find(|approval| approval.id == id)
    }

    /// Records that at least `used` calls have used an approval. The count never decreases.
    pub(crate) fn record_uses(&mut self, id: &str, used: u32) {
        let mut approvals = self.list.iter_mut();
        if let Some(approval) = approvals.find(|approval| approval.id == id) {
            approval.used = approval.used.max(used);
        }
    }

    /// Removes approvals that are used up or expired.
    pub(crate) fn remove_spent(&mut self, now: i64) {
        self.list
            .retain(|approval| approval.has_uses_left() && !approval.is_expired(now));
    }
}
