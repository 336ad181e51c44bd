//! Replays operations on a branched conversation through a [`Session`], and returns the results.
//!
//! A *vector* is one JSON object, `{"id", "ops", "expect"}`, as in `fixtures/branched.json`, which
//! describes every operation and every member of `expect`. The replay does not depend on the
//! implementation of the tree: actions of a user or an agent are inputs of the session, additions
//! of a server's feed use [`Conversation`]'s own operations.
//!
//! Costs are whole numbers, stored as [`Cost::price_micros`]. `script` implements the agent and the
//! host, `calls` the tools, `import` the loading of conversations, `observe` the compared values.
//!
//! ```
//! use assistant_testkit::replay::branches;
//! use serde_json::json;
//!
//! let report = branches::replay_vector(&json!({
//!     "id": "two",
//!     "ops": [{"op": "add", "id": "u", "role": "user"}, {"op": "add", "id": "a", "role": "assistant"}],
//!     "expect": {"path": ["u", "a"]},
//! }));
//! assert_eq!(report["ok"], true);
//! ```
//!
//! [`Session`]: assistant_core::session::Session
//! [`Cost::price_micros`]: assistant_core::conversation::Cost::price_micros

mod calls;
mod import;
mod observe;
mod script;

use serde_json::{Map, Value, json};

use assistant_core::{
    conversation::{Change, Conversation, MessageId, Sibling},
    event::{Content, Role},
    replay,
    session::{Input, TreeChange},
};
use script::BranchScript;

/// The error code of a failed operation, from [`TreeError::code`] if it is a tree error.
///
/// [`TreeError::code`]: assistant_core::conversation::TreeError::code
type ErrorCode = &'static str;

/// Replays a vector and returns `{"id", "ok", "observed"}`.
///
/// `observed` has the members of the vector's `expect`; `ok` is true if all are equal. A failed
/// operation is listed in `observed.errors`, expected or not. No vector causes a panic: an invalid
/// operation fails with a code.
#[must_use]
pub fn replay_vector(vector: &Value) -> Value {
    let (script, errors) = run_operations(vector.get("ops"), |_| {});
    let none = Map::new();
    let expect = vector.get("expect").and_then(Value::as_object);
    let mut observed = Map::new();
    for (member, wanted) in expect.unwrap_or(&none) {
        let value = match member.as_str() {
            "errors" => Value::Array(errors.clone()),
            member => script.observe_member(member, wanted),
        };
        observed.insert(member.clone(), value);
    }
    if !errors.is_empty() {
        observed.insert("errors".to_owned(), Value::Array(errors));
    }
    let ok = expect.is_some_and(|expect| *expect == observed);
    json!({"id": vector.get("id"), "ok": ok, "observed": observed})
}

/// Replays a list of operations. After each operation, calls `see` with the conversation and its
/// changes.
pub fn replay_operations(ops: &Value, mut see: impl FnMut(&Conversation, &[Change])) {
    run_operations(Some(ops), |script| {
        let changes = script.take_changes();
        see(script.conversation(), &changes);
    });
}

fn run_operations(
    ops: Option<&Value>,
    mut see: impl FnMut(&mut BranchScript),
) -> (BranchScript, Vec<Value>) {
    let mut script = BranchScript::new();
    let mut errors = Vec::new();
    let ops = ops.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (index, op) in ops.iter().enumerate() {
        let next = ops.get(index + 1);
        script.set_limit(next.is_some_and(|next| find_text(next, "op") == Some("step_limit")));
        if let Err(code) = script.execute_operation(op) {
            errors.push(json!({"op_index": index, "code": code}));
        }
        see(&mut script);
    }
    script.finish_run();
    (script, errors)
}

fn find_text<'a>(op: &'a Value, key: &str) -> Option<&'a str> {
    op.get(key).and_then(Value::as_str)
}

fn require_text<'a>(op: &'a Value, key: &str) -> Result<&'a str, ErrorCode> {
    find_text(op, key).ok_or("malformed")
}

fn find_bool(op: &Value, key: &str) -> Option<bool> {
    op.get(key).and_then(Value::as_bool)
}

fn parse_role(op: &Value) -> Result<Role, ErrorCode> {
    Role::parse(require_text(op, "role")?).ok_or("malformed")
}

impl BranchScript {
    fn execute_operation(&mut self, op: &Value) -> Result<(), ErrorCode> {
        match require_text(op, "op")? {
            "add" => self.add_message(op),
            "upsert" => self.upsert_message(op),
            "edit" => self.edit_message(op),
            "edit_in_place" => {
                let content = Content::Text(find_text(op, "text").unwrap_or_default().to_owned());
                let message = self.message_id(require_text(op, "target")?);
                self.change_tree(TreeChange::EditInPlace { message, content })
            }
            "regenerate" => self.regenerate_answer(op),
            "select" => self.select_message(self.message_id(require_text(op, "id")?), false),
            "select_exact" => self.select_message(self.message_id(require_text(op, "id")?), true),
            "next_sibling" => self.switch_version(op, Sibling::Next),
            "prev_sibling" => self.switch_version(op, Sibling::Previous),
            "delete" => {
                let message = self.message_id(require_text(op, "id")?);
                self.change_tree(TreeChange::Delete { message })
            }
            "restore" => self.change_tree(TreeChange::Restore),
            "reparent" => {
                let message = self.message_id(require_text(op, "id")?);
                let parent = find_text(op, "parent").map(|id| self.message_id(id));
                self.change_tree(TreeChange::Reparent { message, parent })
            }
            "import" => self.import_conversation(op),
            "roundtrip" => {
                self.finish_run();
                self.load_conversation(self.export())
            }
            "calls_generated" => self.add_calls(op),
            "call_start" => self.start_call(require_text(op, "call")?),
            "call_done" => self.end_call(op),
            "interject" => self.interject_message(op),
            "stop" => {
                // Having nothing to stop is not an error.
                let _ = self.handle_input(Input::Stop);
                Ok(())
            }
            "step_limit" => self.reach_limit(op),
            _ => Err("unknown_op"),
        }
    }

    fn add_message(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let id = require_text(op, "id")?;
        let role = parse_role(op)?;
        let parent = match op.get("parent") {
            None => self.conversation().tip().cloned(),
            Some(parent) => parent.as_str().map(|id| self.message_id(id)),
        };
        let select = find_bool(op, "select") != Some(false);
        let words = find_text(op, "text").unwrap_or_default();
        let at_tip = self.conversation().run_tip() == parent.as_ref();
        let continues = select && at_tip && !self.conversation().shows_other_branch();
        let is_awaited = self.is_awaited_by_orphan(id);
        let is_agents = role == Role::Assistant && self.conversation().message_count() > 0;
        self.check_unused(id)?;
        if continues && is_agents && !is_awaited && self.is_agents_turn() {
            self.add_agent_text(id, words);
        } else {
            self.finish_run();
            let message = script::create_message(id, role, words);
            let id = self.apply_feed_change(|conversation| {
                replay::add(conversation, message, parent.as_ref())
            })?;
            if select {
                self.show_message(&id, at_tip);
            }
        }
        self.set_cost(id, op)
    }

    fn upsert_message(&mut self, op: &Value) -> Result<(), ErrorCode> {
        self.finish_run();
        let id = self.message_id(require_text(op, "id")?);
        let known = self.conversation().message(&id);
        let words = find_text(op, "text").map(str::to_owned);
        let words = words.or_else(|| known.map(|known| known.text()));
        let known_role = known.map(|known| known.role());
        let role = known_role.map_or_else(|| parse_role(op), Ok)?;
        let mut message = script::create_message(id.as_str(), role, &words.unwrap_or_default());
        replay::set_price(&mut message, op.get("cost").and_then(Value::as_u64));
        let parent = find_text(op, "parent").map(|id| self.message_id(id));
        self.apply_feed_change(|conversation| {
            replay::upsert(conversation, message, parent.as_ref())
        })?;
        match find_bool(op, "select") {
            Some(true) => self.select_message(id, false),
            _ => Ok(()),
        }
    }

    fn edit_message(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let message = self.message_id(require_text(op, "target")?);
        let id = require_text(op, "id")?;
        self.check_unused_unless_wrong_target(id, &message, &[Role::User])?;
        let content = Content::Text(find_text(op, "text").unwrap_or(id).to_owned());
        self.expect_message(id);
        let done = self.change_tree_after_stop(TreeChange::Edit { message, content });
        if done.is_err() {
            self.remove_expected_message();
        }
        done?;
        self.set_cost(id, op)
    }

    fn regenerate_answer(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let message = self.message_id(require_text(op, "target")?);
        let id = require_text(op, "id")?;
        self.check_unused_unless_wrong_target(id, &message, &[Role::Assistant])?;
        self.change_tree_after_stop(TreeChange::Regenerate { message })?;
        self.add_agent_message(id, find_text(op, "text").unwrap_or_default());
        self.set_cost(id, op)
    }

    fn select_message(&mut self, message: MessageId, exact: bool) -> Result<(), ErrorCode> {
        self.change_tree(TreeChange::Select { message, exact })
    }

    fn switch_version(&mut self, op: &Value, to: Sibling) -> Result<(), ErrorCode> {
        let message = self.message_id(require_text(op, "at")?);
        self.change_tree(TreeChange::Switch { message, to })
    }

    /// Sends a message of the user during the agent loop, or after its end.
    fn interject_message(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let id = require_text(op, "id")?;
        self.check_unused(id)?;
        // The agent has not spoken yet, so this is a boundary.
        self.finish_run();
        let words = find_text(op, "text").filter(|words| !words.is_empty());
        let content = Content::Text(words.unwrap_or(id).to_owned());
        self.expect_message(id);
        let done = self.change_tree(TreeChange::Interject { content });
        if done.is_err() {
            self.remove_expected_message();
        }
        done
    }

    /// Stops the loop, as at its limit, and adds a message of the assistant with the text of the
    /// operation.
    fn reach_limit(&mut self, op: &Value) -> Result<(), ErrorCode> {
        let id = require_text(op, "id")?;
        self.check_unused(id)?;
        self.finish_run();
        let _ = self.handle_input(Input::Stop);
        let words = find_text(op, "text").unwrap_or("Exceeded maximum tool iterations.");
        let message = script::create_message(id, Role::Assistant, words);
        let parent = self.conversation().tip().cloned();
        let id = self.apply_feed_change(|conversation| {
            replay::add(conversation, message, parent.as_ref())
        })?;
        self.show_message(&id, true);
        Ok(())
    }
}
