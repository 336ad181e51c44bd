//! Approvals that a person wants remembered, so that they are not asked again.
//!
//! A remembered approval is bound to what was approved: the action's name and rules, and as much of
//! the arguments as the person or the action says. What is another in any of it is asked about.
//! Neighbour: [`crate::session`], which holds them and lets calls start by them.

use std::fmt;

use serde_json::{Value, json};

use super::{
    ActionSpec, ArgMaximum, Execution, GrantBounds, Policy, Remembering,
    bounds::{maxima_from_value, maxima_to_value},
};
use crate::{conversation::Decider, event::Object, wire::json::canonical::canonical};

/// The most approvals that are remembered; of more, the oldest are asked about again.
const MOST: usize = 256;

/// The longest one that is remembered, in bytes: rules and arguments.
const LONGEST: usize = 256 * 1024;

/// For how long an approval is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RememberScope {
    /// In the conversation in which it was given.
    Conversation,
    /// As long as the session lasts: in a browser, until the page goes.
    Session,
    /// Until it is revoked, if the host keeps it.
    Always,
}

impl RememberScope {
    /// The word in stored approvals.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Session => "session",
            Self::Always => "always",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        let all = [Self::Conversation, Self::Session, Self::Always];
        all.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// The part of a decision that holds for later calls.
#[derive(Debug, Clone, PartialEq)]
pub struct Remember {
    /// For how long.
    pub scope: RememberScope,
    /// True if it is also for other arguments than those that were approved, as far as the action
    /// lets it ([`Remembering`]).
    pub any_args: bool,
    /// Bounds that are narrower than those of the action; what is wider counts as the action's.
    pub bounds: GrantBounds,
}

impl Remember {
    /// Remembers an approval within the bounds of the action.
    ///
    /// ```
    /// use assistant_core::action::{GrantBounds, Remember, RememberScope};
    ///
    /// let twice = Remember::new(RememberScope::Session, true).bounded(GrantBounds::default().uses(2));
    /// ```
    #[must_use]
    pub fn new(scope: RememberScope, any_args: bool) -> Self {
        Self {
            scope,
            any_args,
            bounds: GrantBounds::default(),
        }
    }

    /// The same within narrower bounds.
    #[must_use]
    pub fn bounded(mut self, bounds: GrantBounds) -> Self {
        self.bounds = bounds;
        self
    }
}

/// The arguments that a remembered approval is for.
#[derive(Debug, Clone, PartialEq)]
pub enum RememberedArgs {
    /// Any.
    Any,
    /// Those in which these fields are the same; a field that is not here is to be absent.
    Fields(Object),
    /// These.
    Exactly(Value),
}

/// An approval that a person wants remembered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RememberedApproval {
    /// Names it.
    pub id: String,
    /// The action's name.
    pub name: String,
    /// For how long it is remembered.
    pub scope: RememberScope,
    /// The conversation in which it was given.
    pub thread_id: String,
    /// The one who gave it.
    pub by: Decider,
    /// For which arguments.
    pub args: RememberedArgs,
    /// When it was given, in milliseconds since 1970.
    pub allowed_at: i64,
    /// The number of later calls for which it holds; any number for `None`.
    pub uses: Option<u32>,
    /// The number of calls that have used it, as far as is known here.
    pub used: u32,
    /// Until when it holds, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// The greatest values of arguments.
    pub maxima: Vec<ArgMaximum>,
    /// The rules of the action by which the person was asked.
    rules: String,
}

impl RememberedApproval {
    /// Remembers the approval of a call with these arguments; `None` where the action does not let
    /// it, or where there is too much to keep.
    pub(crate) fn new(
        spec: &ActionSpec,
        args: &Value,
        what: &Remember,
        (by, id, thread_id, allowed_at): (Decider, String, String, i64),
    ) -> Option<Self> {
        let kept = match (&spec.remembering, what.any_args) {
            (Remembering::Never, _) => return None,
            (Remembering::SameArguments, _) | (_, false) => RememberedArgs::Exactly(args.clone()),
            // What has no fields has none that could be the same.
            (Remembering::SameFields(_), true) if !args.is_object() => {
                RememberedArgs::Exactly(args.clone())
            }
            (Remembering::SameFields(names), true) => {
                RememberedArgs::Fields(picked(names, args).collect())
            }
            (Remembering::AnyArguments, true) => RememberedArgs::Any,
        };
        let bounds = spec.grant_bounds.narrowed(&what.bounds);
        let maxima = bounds.maxima;
        // What holds for these arguments alone would never hold.
        let exact = matches!(kept, RememberedArgs::Exactly(_));
        if exact && !maxima.iter().all(|maximum| maximum.holds(args)) {
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
            scope: what.scope,
            thread_id,
            args: kept,
            allowed_at,
            rules: rules_of(spec),
        };
        approval.fits().then_some(approval)
    }

    /// Returns whether it is about a call of this action with these arguments now, whether or not a
    /// use is left.
    pub(crate) fn is_about(
        &self,
        spec: &ActionSpec,
        args: &Value,
        (thread_id, now): (&str, i64),
    ) -> bool {
        let here = self.scope != RememberScope::Conversation || self.thread_id == thread_id;
        here && !self.is_expired(now)
            && self.name == spec.name
            && spec.remembering != Remembering::Never
            && (self.by == Decider::Person || !spec.only_user_approves)
            && self.covers(spec, args)
            && self.maxima.iter().all(|maximum| maximum.holds(args))
            && self.rules == rules_of(spec)
    }

    /// Returns whether its time is over. A clock that was set back does not prolong it.
    #[must_use]
    pub fn is_expired(&self, now: i64) -> bool {
        self.expires_at
            .is_some_and(|at| now >= at || now < self.allowed_at)
    }

    /// The number of calls that may still use it; `None` for any number.
    #[must_use]
    pub fn uses_left(&self) -> Option<u32> {
        Some(self.uses?.saturating_sub(self.used))
    }

    /// Returns whether a use is left.
    pub(crate) fn has_use(&self) -> bool {
        self.uses_left() != Some(0)
    }

    /// The same after one more call has used it.
    pub(crate) fn after_use(&self) -> Self {
        let mut after = self.clone();
        after.used = after.used.saturating_add(1);
        after
    }

    /// Returns whether another record says the same of what was allowed, however often it was used.
    pub(crate) fn is_same_grant(&self, other: &Self) -> bool {
        let mut other = other.clone();
        other.used = self.used;
        *self == other
    }

    fn covers(&self, spec: &ActionSpec, args: &Value) -> bool {
        match (&self.args, &spec.remembering) {
            (RememberedArgs::Exactly(kept), _) => canonical(kept) == canonical(args),
            (RememberedArgs::Fields(kept), Remembering::SameFields(names)) if args.is_object() => {
                let now: Object = picked(names, args).collect();
                canonical(&Value::Object(kept.clone())) == canonical(&Value::Object(now))
            }
            (RememberedArgs::Any, Remembering::AnyArguments) => true,
            _ => false,
        }
    }

    /// Returns whether it is about the same as another one, but for when it was given.
    fn is_like(&self, other: &Self) -> bool {
        let at =
            |one: &Self| (one.scope == RememberScope::Conversation).then(|| one.thread_id.clone());
        self.name == other.name
            && self.by == other.by
            && self.scope == other.scope
            && at(self) == at(other)
            && self.args == other.args
            && self.rules == other.rules
    }

    fn fits(&self) -> bool {
        let args = match &self.args {
            RememberedArgs::Any => 0,
            RememberedArgs::Fields(fields) => canonical(&Value::Object(fields.clone())).len(),
            RememberedArgs::Exactly(args) => canonical(args).len(),
        };
        self.rules.len().saturating_add(args) <= LONGEST
    }

    /// The approval as JSON, for a host that keeps it.
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
        let mut put = |key: &str, value: Value| drop(object.insert(key.to_owned(), value));
        if self.by != Decider::Person {
            put("by", self.by.as_str().into());
        }
        if let Some(uses) = self.uses {
            put("uses", uses.into());
            put("used", self.used.into());
        }
        if let Some(at) = self.expires_at {
            put("expiresAt", at.into());
        }
        if !self.maxima.is_empty() {
            put("maxima", maxima_to_value(&self.maxima));
        }
        value
    }

    /// Reads what [`Self::to_value`] wrote; `None` for anything else, which allows nothing then.
    ///
    /// ```
    /// use assistant_core::action::RememberedApproval;
    /// use serde_json::json;
    ///
    /// assert!(RememberedApproval::from_value(&json!({"toolName": "pay"})).is_none());
    /// ```
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
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
        // A bound that cannot be read is none that could be kept.
        let count = |key: &str| match value.get(key) {
            None => Some(None),
            Some(count) => Some(Some(u32::try_from(count.as_u64()?).ok()?)),
        };
        let uses = count("uses")?;
        let used = match (uses, count("used")?) {
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
            by: Decider::of_grant(value.get("by"))?,
            id: text("id")?,
            name: text("toolName")?,
            scope: RememberScope::parse(&text("scope")?)?,
            thread_id: text("threadId")?,
            args,
            allowed_at: value.get("allowedAt")?.as_i64()?,
            rules: text("rules")?,
        };
        approval.fits().then_some(approval)
    }
}

fn picked<'a>(names: &'a [String], args: &'a Value) -> impl Iterator<Item = (String, Value)> + 'a {
    let of = move |name: &String| Some((name.clone(), args.get(name)?.clone()));
    names.iter().filter_map(of)
}

/// What of an action an approval is bound to: all that decides what a person is asked, and what they
/// read about it.
fn rules_of(spec: &ActionSpec) -> String {
    let policy = match spec.approval {
        Policy::Never => "never",
        Policy::Always => "always",
        Policy::Ask => "ask",
    };
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
        policy,
        remembering,
        spec.grant_bounds.to_value(),
        spec.execution == Execution::Agent,
        spec.validate,
        spec.has_handler,
    ]))
}

/// The approvals that are remembered, oldest first.
#[derive(Clone, Default)]
pub(crate) struct RememberedApprovals {
    list: Vec<RememberedApproval>,
}

impl fmt::Debug for RememberedApprovals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.list.iter().map(|one| (&one.name, &one.args));
        f.debug_list().entries(names).finish()
    }
}

impl RememberedApprovals {
    pub(crate) fn list(&self) -> &[RememberedApproval] {
        &self.list
    }

    pub(crate) fn add(&mut self, approval: RememberedApproval) {
        self.list
            .retain(|other| !other.is_like(&approval) && other.id != approval.id);
        self.list.push(approval);
        let over = self.list.len().saturating_sub(MOST);
        self.list.drain(..over);
    }

    /// Forgets one; says which it was.
    pub(crate) fn remove(&mut self, id: &str) -> Option<RememberedApproval> {
        let place = self.list.iter().position(|one| one.id == id)?;
        Some(self.list.remove(place))
    }

    /// The approval that lets a call start, if one has a use left.
    pub(crate) fn find(
        &self,
        spec: &ActionSpec,
        args: &Value,
        at: (&str, i64),
    ) -> Option<&RememberedApproval> {
        let mut newest = self.list.iter().rev();
        newest.find(|one| one.has_use() && one.is_about(spec, args, at))
    }

    pub(crate) fn get(&self, id: &str) -> Option<&RememberedApproval> {
        self.list.iter().find(|one| one.id == id)
    }

    /// Notes that an approval was used at least so often. A count never goes back.
    pub(crate) fn note_used(&mut self, id: &str, used: u32) {
        let mut known = self.list.iter_mut();
        if let Some(known) = known.find(|one| one.id == id) {
            known.used = known.used.max(used);
        }
    }

    /// Drops what lets nothing start any more.
    pub(crate) fn drop_spent(&mut self, now: i64) {
        self.list
            .retain(|one| one.has_use() && !one.is_expired(now));
    }
}
