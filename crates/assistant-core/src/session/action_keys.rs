//! Finds action lists and edited actions by the JSON keys that `LangChain`'s middleware for Python
//! and for JavaScript uses.

use serde_json::Value;

use crate::event::Object;

/// The JSON keys of action lists and of their answers, in snake case or in camel case.
#[derive(Debug, PartialEq)]
pub(super) struct ActionListKeys {
    pub(super) requests: &'static str,
    pub(super) reviews: &'static str,
    pub(super) action_name: &'static str,
    pub(super) allowed_decisions: &'static str,
    pub(super) args_schema: &'static str,
    pub(super) edited_action: &'static str,
}

/// The keys that the middleware for Python uses.
const SNAKE_CASE: ActionListKeys = ActionListKeys {
    requests: "action_requests",
    reviews: "review_configs",
    action_name: "action_name",
    allowed_decisions: "allowed_decisions",
    args_schema: "args_schema",
    edited_action: "edited_action",
};

/// The keys that the middleware for JavaScript uses.
const CAMEL_CASE: ActionListKeys = ActionListKeys {
    requests: "actionRequests",
    reviews: "reviewConfigs",
    action_name: "actionName",
    allowed_decisions: "allowedDecisions",
    args_schema: "argsSchema",
    edited_action: "editedAction",
};

/// The keys in both spellings. An answer uses the spelling of its list.
static SPELLINGS: [ActionListKeys; 2] = [SNAKE_CASE, CAMEL_CASE];

/// Finds the list of actions in an interrupt's metadata. Returns the keys of the list, its actions,
/// and the agent's rules for the actions; `None` if the metadata has no action.
pub(super) fn find_action_list(
    metadata: Option<&Object>,
) -> Option<(&'static ActionListKeys, Vec<Value>, Vec<Value>)> {
    let candidates = candidate_objects(metadata);
    let list_at = |object: &Object, key: &str| object.get(key)?.as_array().cloned();
    let mut lists = candidates
        .iter()
        .flat_map(|object| SPELLINGS.iter().map(move |keys| (object, keys)))
        .filter_map(|(object, keys)| {
            let requests = list_at(object, keys.requests).filter(|list| !list.is_empty())?;
            Some((keys, requests, list_at(object, keys.reviews)))
        });
    let (keys, requests, reviews) = lists.next()?;
    let reviews = reviews.or_else(|| {
        candidates
            .iter()
            .find_map(|object| list_at(object, keys.reviews))
    });
    Some((keys, requests, reviews.unwrap_or_default()))
}

/// Returns the edited action in a decision of an answer, in either spelling; `None` if the decision
/// has no edit.
pub(super) fn edited_action(decision: &Value) -> Option<&Value> {
    SPELLINGS
        .iter()
        .find_map(|keys| decision.get(keys.edited_action))
}

/// Returns the objects that may contain the list: the metadata itself, the metadata's `value`, and
/// `langgraph.raw`, where the adapter of `LangGraph` puts the value of an interrupt.
fn candidate_objects(metadata: Option<&Object>) -> Vec<&Object> {
    let value_in = |object: Option<_>| Object::get(object?, "value")?.as_object();
    let raw_value =
        metadata.and_then(|metadata| metadata.get("langgraph")?.get("raw")?.as_object());
    let objects = [metadata, value_in(metadata), raw_value, value_in(raw_value)];
    objects.into_iter().flatten().collect()
}
