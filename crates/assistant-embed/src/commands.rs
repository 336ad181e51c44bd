//! Calls the methods of a chat's handle by their names in camel case, with arguments as a JSON
//! list.

use assistant_core::{
    action::{GrantBounds, Remember, RememberScope},
    conversation::{MessageId, Sibling},
    json::form,
    session::{NoticeId, TreeChange},
};
use assistant_protocols::agui;
use leptos::prelude::*;
#[cfg(feature = "full")]
use leptos_assistant::records::Update;
use leptos_assistant::{Assistant, CallKey, OfferFilter, Refusal, ToolInfo};
use serde_json::{Value, json};

use crate::{
    json::{self, TooDeep},
    state,
};

/// The arguments of a method, as a JSON list that `npm/handle.js` has checked.
pub(crate) struct Args(Value);

impl Args {
    /// Parses the list. Fails like [`json::parse`].
    pub(crate) fn parse(text: &str) -> Result<Self, TooDeep> {
        json::parse(text).map(Self)
    }

    pub(crate) fn value(&self, index: usize) -> Value {
        self.0.get(index).cloned().unwrap_or_default()
    }

    pub(crate) fn text(&self, index: usize) -> String {
        let text = self.0.get(index).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    }

    fn optional_text(&self, index: usize) -> Option<String> {
        self.0.get(index)?.as_str().map(str::to_owned)
    }

    fn number(&self, index: usize) -> u64 {
        self.0
            .get(index)
            .and_then(Value::as_u64)
            .unwrap_or(u64::MAX)
    }

    fn message_id(&self, index: usize) -> MessageId {
        self.text(index).as_str().into()
    }

    fn texts(&self, index: usize) -> Vec<String> {
        parse_texts(self.0.get(index))
    }

    /// Returns the key of the call whose number is the argument at `index`. Fails if no call has
    /// this number.
    fn call_key(&self, index: usize, chat: &Assistant) -> Result<CallKey, String> {
        let number = self.number(index);
        let key = chat.with_conversation(|conversation| state::find_call_key(conversation, number));
        key.flatten()
            .ok_or_else(|| "There is no such call".to_owned())
    }
}

/// Calls the method with the given name and returns its result. Fails if the method is unknown or
/// refused, or if an argument is invalid.
pub(crate) fn run_method(chat: &Assistant, name: &str, args: &Args) -> Result<Value, String> {
    if let Some(outcome) = run_query(chat, name, args) {
        return outcome;
    }
    let outcome = match run_decision(chat, name, args)? {
        Some(outcome) => outcome,
        None => run_command(chat, name, args)?,
    };
    outcome
        .map(|()| Value::Null)
        .map_err(|refusal| refusal.to_string())
}

/// Calls a method that only reads the state of the chat. Returns `None` for other methods.
fn run_query(chat: &Assistant, name: &str, args: &Args) -> Option<Result<Value, String>> {
    Some(Ok(match name {
        "call" => {
            let number = args.number(0);
            let call = chat.with_conversation(|conversation| {
                let key = state::find_call_key(conversation, number)?;
                state::call_to_json(conversation, &key)
            });
            call.flatten().unwrap_or_default()
        }
        "messageText" => chat
            .message_text(&args.message_id(0))
            .get_untracked()
            .into(),
        "version" => match chat.branches().version(&args.message_id(0)).get_untracked() {
            Some((number, count)) => json!([number, count]),
            None => Value::Null,
        },
        "toolHistory" => state::history_to_json(&chat.tools().history()),
        "listTools" => chat.tools().list().iter().map(ToolInfo::to_value).collect(),
        "sideEvents" => chat
            .side_events()
            .iter()
            .map(agui::event_to_value)
            .collect(),
        "clientId" => chat.client_id().into(),
        "export" => chat.export(),
        _ => return untrack(|| state::state_value(chat, name)).map(Ok),
    }))
}

/// Calls a method that decides about a call or an interrupt. Returns `None` for other methods.
fn run_decision(
    chat: &Assistant,
    name: &str,
    args: &Args,
) -> Result<Option<Result<(), Refusal>>, String> {
    Ok(Some(match name {
        "approve" => chat.approve(&args.call_key(0, chat)?),
        "approveWith" => chat.approve_with(&args.call_key(0, chat)?, args.value(1)),
        "approveAndRemember" => {
            let edited_args = Some(args.value(1)).filter(|args| !args.is_null());
            chat.approve_and_remember(
                &args.call_key(0, chat)?,
                edited_args,
                parse_remember(&args.value(2)),
            )
        }
        "deny" => chat.deny(&args.call_key(0, chat)?, args.optional_text(1)),
        "denyAllAndStop" => chat.deny_all_and_stop(),
        "answer" => {
            let payload = Some(args.value(1)).filter(|payload| !payload.is_null());
            chat.answer(&args.text(0), payload)
        }
        "giveUp" => chat.give_up(&args.text(0)),
        _ => return Ok(None),
    }))
}

fn run_command(chat: &Assistant, name: &str, args: &Args) -> Result<Result<(), Refusal>, String> {
    let parse_content =
        || form::content_from_value(args.value(0)).map_err(|error| error.to_string());
    match name {
        "send" => return Ok(chat.send(args.text(0))),
        "sendContent" => return Ok(chat.send(parse_content()?)),
        "interject" => return Ok(chat.interject(args.text(0))),
        "interjectContent" => return Ok(chat.interject(parse_content()?)),
        "stop" => return Ok(chat.stop()),
        "retry" => return Ok(chat.retry()),
        "continueLoop" => return Ok(chat.continue_loop()),
        "showHeldBack" => return Ok(chat.show_held_back()),
        "edit" => return Ok(chat.edit(&args.message_id(0), args.text(1))),
        "regenerate" => return Ok(chat.regenerate(&args.message_id(0))),
        "showVersion" => {
            return Ok(chat
                .branches()
                .show(&args.message_id(0), parse_sibling(&args.text(1))));
        }
        "changeTree" => return Ok(chat.branches().change(parse_tree_change(&args.value(0)))),
        "openConversation" => return Ok(chat.conversations().open(&args.text(0))),
        #[cfg(feature = "full")]
        "applyUpdate" => {
            let update = Update::from_json(&args.value(0));
            let update = update.ok_or("The update is neither of a message nor of a call")?;
            return Ok(chat.updates().apply(update));
        }
        #[cfg(not(feature = "full"))]
        "applyUpdate" => return Err("Only leptos-assistant/full applies updates".to_owned()),
        "import" => return Ok(chat.import(args.value(0))),
        "showRunBranch" => chat.branches().show_run(),
        "newConversation" => chat.new_conversation(),
        "listConversations" => chat.conversations().refresh(),
        "renameConversation" => chat.conversations().rename(&args.text(0), args.text(1)),
        "deleteConversation" => chat.conversations().delete(&args.text(0)),
        "restoreConversation" => chat.conversations().restore(&args.text(0)),
        "useHere" => chat.conversations().use_here(),
        "dismiss" => chat.dismiss(NoticeId::new(args.number(0))),
        "setState" => chat.set_state(args.value(0)),
        "setForwardedProps" => chat.set_forwarded_props(args.value(0)),
        "forgetApproval" => chat.remembered_approvals().revoke(&args.text(0)),
        "offerAlso" => chat.tools().offer_also(args.texts(0)),
        "offerOnly" => {
            let filter = parse_filter(&args.value(0));
            chat.tools().offer_only(move || filter.clone());
        }
        _ => return Err(format!("A chat has no method {name}")),
    }
    Ok(Ok(()))
}

fn parse_sibling(word: &str) -> Sibling {
    match word {
        "previous" => Sibling::Previous,
        _ => Sibling::Next,
    }
}

/// Parses `{select, exact?}`, `{switch, to}` or `{delete}`. Any other object is read as
/// `{showRun}`.
fn parse_tree_change(value: &Value) -> TreeChange {
    let read_id = |name: &str| value.get(name)?.as_str().map(MessageId::from);
    if let Some(message) = read_id("select") {
        let is_exact = value.get("exact") == Some(&Value::Bool(true));
        return TreeChange::Select {
            message,
            exact: is_exact,
        };
    }
    if let Some(message) = read_id("switch") {
        let sibling = parse_sibling(value.get("to").and_then(Value::as_str).unwrap_or_default());
        return TreeChange::Switch {
            message,
            to: sibling,
        };
    }
    match read_id("delete") {
        Some(message) => TreeChange::Delete { message },
        None => TreeChange::ShowRun,
    }
}

/// Parses `{scope, anyArgs?, uses?, lasts?, upTo?}`. Without a known scope, the approval applies to
/// the conversation.
pub(crate) fn parse_remember(value: &Value) -> Remember {
    let scope = match value.get("scope").and_then(Value::as_str) {
        Some("always") => RememberScope::Always,
        Some("session") => RememberScope::Session,
        _ => RememberScope::Conversation,
    };
    let any_args = value.get("anyArgs") == Some(&Value::Bool(true));
    let mut bounds = GrantBounds::default();
    if let Some(uses) = value.get("uses").and_then(Value::as_u64) {
        bounds = bounds.uses(u32::try_from(uses).unwrap_or(u32::MAX));
    }
    if let Some(ms) = value.get("lasts").and_then(Value::as_i64) {
        bounds = bounds.lasts_ms(ms);
    }
    let maxima = value.get("upTo").and_then(Value::as_object);
    for (pointer, max) in maxima.into_iter().flatten() {
        if let Some(max) = max.as_number() {
            bounds = bounds.up_to(pointer, max.clone());
        }
    }
    Remember::new(scope, any_args).bounded(bounds)
}

fn parse_filter(value: &Value) -> Option<OfferFilter> {
    let names = parse_texts(value.get("names"));
    let tags = parse_texts(value.get("tags"));
    let filter = names
        .into_iter()
        .fold(OfferFilter::default(), OfferFilter::name);
    let filter = tags.into_iter().fold(filter, OfferFilter::tag);
    value.is_object().then_some(filter)
}

fn parse_texts(list: Option<&Value>) -> Vec<String> {
    let texts = list.and_then(Value::as_array).into_iter().flatten();
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}
