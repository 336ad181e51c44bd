//! Runs the session of a vector, with a scripted agent and a host that executes effects
//! immediately.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::ErrorCode;
use assistant_core::{
    action::{ActionSpec, Policy, RegistrationId, schema::PatternHost},
    conversation::{Author, Change, Conversation, Message, MessageId, TreeError},
    event::{Event, EventKind, Role},
    replay,
    session::{
        Answer, Effect, Host, Input, InvocationId, Output, PolicyQuestion, Refusal, RunKey,
        Session, SessionOptions, StopCondition, StreamEnd, TreeChange, TurnSummary,
    },
};

/// The name of the only action.
pub(super) const TOOL: &str = "tool";

/// A session with its host, and the names that the vector gives messages.
#[derive(Debug)]
pub(super) struct BranchScript {
    pub(super) session: Session,
    host: ScriptHost,
    run: Option<RunKey>,
    /// The started handlers, by the agent's ids of their calls.
    pub(super) handlers: HashMap<String, InvocationId>,
    /// The vector's names for user messages that the session has not created yet.
    awaited: VecDeque<String>,
    /// The session's message ids, by the vector's names.
    names: HashMap<String, MessageId>,
    changes: Vec<Change>,
}

/// A host without a clock, which creates sequential ids and requires approval of every call.
#[derive(Debug, Default)]
struct ScriptHost {
    ids: u64,
    limit: bool,
}

impl PatternHost for ScriptHost {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for ScriptHost {
    fn now(&mut self) -> i64 {
        0
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("\u{1}{}", self.ids)
    }

    fn needs_approval(&mut self, _: PolicyQuestion<'_>) -> Answer<bool> {
        Answer::Now(true)
    }

    fn stops(&mut self, _: &str, _: &TurnSummary) -> bool {
        self.limit
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}

/// Creates a message with text, as a server's feed does.
pub(super) fn create_message(id: &str, role: Role, words: &str) -> Message {
    replay::create_text_message(id, role, words)
}

fn error_code(refusal: &Refusal) -> ErrorCode {
    match refusal {
        Refusal::Tree(error) => error.code(),
        Refusal::Busy => "busy",
        Refusal::ApprovalsPending => "approvals_pending",
        _ => "refused",
    }
}

impl BranchScript {
    pub(super) fn new() -> Self {
        let options = SessionOptions::default().stop_when(StopCondition::Rule("limit".to_owned()));
        let mut script = Self {
            session: Session::new("vector", options),
            host: ScriptHost::default(),
            run: None,
            handlers: HashMap::new(),
            awaited: VecDeque::new(),
            names: HashMap::new(),
            changes: Vec::new(),
        };
        replay::leave_requests_empty(&mut script.session);
        // Calls wait for an approval, which represents their start.
        let spec = ActionSpec::new(TOOL, "Does what the vector says.")
            .with_handler(true)
            .with_approval(Policy::Always)
            .with_validate(false);
        let _ = script.handle_input(Input::Register {
            id: RegistrationId::new(1),
            spec: Box::new(spec),
        });
        script
    }

    pub(super) const fn has_open_run(&self) -> bool {
        self.run.is_some()
    }

    pub(super) const fn conversation(&self) -> &Conversation {
        self.session.conversation()
    }

    /// Returns and forgets the changes since this method was called last.
    pub(super) fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    pub(super) fn export(&self) -> Value {
        self.session.export()
    }

    /// Sets whether the loop ends before its next run.
    pub(super) const fn set_limit(&mut self, limit: bool) {
        self.host.limit = limit;
    }

    /// Returns the session's message id for a name of the vector; the name itself if the session
    /// uses it as the id.
    pub(super) fn message_id(&self, id: &str) -> MessageId {
        self.names.get(id).cloned().unwrap_or_else(|| id.into())
    }

    /// Returns the vector's name for a message id of the session; the id itself if the vector has
    /// no other name for it.
    pub(super) fn name_of<'a>(&'a self, id: &'a MessageId) -> &'a str {
        let mut names = self.names.iter();
        let named = names.find(|(_, named)| *named == id);
        named.map_or(id.as_str(), |(name, _)| name)
    }

    /// Removes all names, because another conversation is loaded.
    pub(super) fn forget_names(&mut self) {
        self.names.clear();
    }

    /// Records the vector's name for the next user message that the session creates.
    pub(super) fn expect_message(&mut self, id: &str) {
        self.awaited.push_back(id.to_owned());
    }

    pub(super) fn remove_expected_message(&mut self) {
        self.awaited.pop_back();
    }

    pub(super) fn check_unused(&self, id: &str) -> Result<(), ErrorCode> {
        let waits = self.awaited.iter().any(|name| name == id);
        match waits || self.conversation().message(&self.message_id(id)).is_some() {
            true => Err(TreeError::DuplicateId.code()),
            false => Ok(()),
        }
    }

    /// Returns an error if an id is in use. Succeeds if the target does not exist or has another
    /// role, which the session then reports.
    pub(super) fn check_unused_unless_wrong_target(
        &self,
        id: &str,
        target: &MessageId,
        roles: &[Role],
    ) -> Result<(), ErrorCode> {
        match self.conversation().message(target) {
            Some(target) if roles.contains(&target.role()) => self.check_unused(id),
            _ => Ok(()),
        }
    }

    /// Passes an input to the session and executes the effects. Fails if the session refuses the
    /// input.
    pub(super) fn handle_input(&mut self, input: Input) -> Result<(), ErrorCode> {
        let output = self.session.handle(input, &mut self.host);
        self.execute_effects(output)
    }

    fn execute_effects(&mut self, output: Output) -> Result<(), ErrorCode> {
        for change in &output.changes {
            if let Change::MessageAdded(id) = change {
                self.record_added_message(id);
            }
        }
        self.changes.extend(output.changes);
        let refused = output.refused.as_ref().map(error_code);
        for effect in output.effects {
            match effect {
                Effect::PrepareRun { run } => {
                    let _ = self.handle_input(Input::OpenRun { run });
                }
                Effect::OpenRun { run, .. } => self.run = Some(run),
                Effect::AbortRun { .. } => self.run = None,
                Effect::Commit { commit, .. } => {
                    let outcome = Ok(());
                    let _ = self.handle_input(Input::Committed { commit, outcome });
                }
                Effect::Invoke(invocation) => {
                    self.handlers
                        .insert(invocation.call_id().to_owned(), invocation.id());
                }
                Effect::Record { .. }
                | Effect::CancelHandler { .. }
                | Effect::StartTimer { .. }
                | Effect::Executed { .. }
                | Effect::StoreApprovals { .. }
                | Effect::SwapApproval { .. }
                | Effect::Preview(_)
                | Effect::Archive { .. } => {}
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Assigns the next awaited name, if any, to a user message that the session has created.
    fn record_added_message(&mut self, id: &MessageId) {
        let message = self.conversation().message(id);
        let is_written_by_user = message.is_some_and(|message| {
            message.role() == Role::User && message.author() == Author::Page
        });
        let is_named = self.names.values().any(|named| named == id);
        if is_written_by_user && !is_named {
            let named = self.awaited.pop_front();
            self.names.extend(named.map(|name| (name, id.clone())));
        }
    }

    /// Applies a change of the user to the tree, after ending the agent's run.
    pub(super) fn change_tree(&mut self, change: TreeChange) -> Result<(), ErrorCode> {
        self.finish_run();
        self.handle_input(Input::Tree { change })
    }

    /// Applies a change like [`Self::change_tree`]. If the session refuses it because something is
    /// open, stops everything and tries again.
    pub(super) fn change_tree_after_stop(&mut self, change: TreeChange) -> Result<(), ErrorCode> {
        match self.change_tree(change.clone()) {
            Err("busy" | "approvals_pending") => {
                let _ = self.handle_input(Input::Stop);
                self.change_tree(change)
            }
            done => done,
        }
    }

    /// Applies a change of a server's feed to the tree.
    pub(super) fn apply_feed_change<T>(
        &mut self,
        act: impl FnOnce(&mut Conversation) -> Result<T, TreeError>,
    ) -> Result<T, ErrorCode> {
        let conversation = replay::conversation_mut(&mut self.session);
        let done = act(conversation).map_err(TreeError::code);
        self.changes.append(&mut replay::take_changes(conversation));
        done
    }

    /// Shows a message. With `continues`, or if the session is idle, runs continue below the
    /// message.
    pub(super) fn show_message(&mut self, id: &MessageId, continues: bool) {
        let write = continues || !self.session.is_busy();
        let _ = self.apply_feed_change(|conversation| replay::select(conversation, id, write));
    }

    pub(super) fn set_cost(&mut self, id: &str, op: &Value) -> Result<(), ErrorCode> {
        let id = self.message_id(id);
        let cost = op.get("cost").and_then(Value::as_u64);
        let known = self.conversation().message(&id).filter(|_| cost.is_some());
        let Some(mut message) = known.cloned() else {
            return Ok(());
        };
        replay::set_price(&mut message, cost);
        self.apply_feed_change(|conversation| replay::upsert(conversation, message, None))?;
        Ok(())
    }

    /// Returns true if an orphan waits for a parent with this name, so that only a feed can add the
    /// message.
    pub(super) fn is_awaited_by_orphan(&self, id: &str) -> bool {
        let conversation = self.conversation();
        let mut orphans = conversation.orphans().into_iter();
        let id = self.message_id(id);
        orphans.any(|orphan| conversation.missing_parent(orphan) == Some(&id))
    }

    /// Returns true if the agent may send events: its run is open, or the session is idle.
    pub(super) fn is_agents_turn(&self) -> bool {
        self.run.is_some() || !self.session.is_busy()
    }

    /// Adds text of the agent. Ends the open run first if the newest message is an answer, so that
    /// the text begins a new run.
    pub(super) fn add_agent_text(&mut self, id: &str, words: &str) {
        let has_spoken = self.conversation().run_path().next_back();
        if has_spoken.is_some_and(|newest| newest.role() == Role::Assistant) {
            self.finish_run();
        }
        self.add_agent_message(id, words);
    }

    /// Adds a message of the agent to the open run, or to a new run.
    pub(super) fn add_agent_message(&mut self, id: &str, words: &str) {
        self.begin_run();
        let message_id = id.to_owned();
        self.handle_event(EventKind::TextMessageStart {
            message_id: message_id.clone(),
            role: None,
            name: None,
        });
        self.handle_event(EventKind::TextMessageContent {
            message_id: message_id.clone(),
            delta: words.to_owned(),
        });
        self.handle_event(EventKind::TextMessageEnd { message_id });
    }

    pub(super) fn begin_run(&mut self) {
        if self.run.is_none() {
            let output = replay::open_run(&mut self.session, &mut self.host);
            let _ = self.execute_effects(output);
            self.handle_event(EventKind::run_started("vector", "run"));
        }
    }

    pub(super) fn handle_event(&mut self, kind: EventKind) {
        if let Some(run) = self.run {
            let event = Box::new(Event::from(kind));
            let _ = self.handle_input(Input::Event { run, event });
        }
    }

    /// Ends the agent's run, if one is open.
    pub(super) fn finish_run(&mut self) {
        self.handle_event(EventKind::RunFinished {
            thread_id: "vector".to_owned(),
            run_id: "run".to_owned(),
            result: None,
            outcome: None,
            usage: Vec::new(),
        });
        if let Some(run) = self.run.take() {
            let end = StreamEnd::Closed;
            let _ = self.handle_input(Input::RunClosed { run, end });
        }
    }
}
