//! Replaces the conversation with a different one (rule "several conversations"), and continues the
//! calls of a restored conversation.
//!
//! The module `load` handles an exported conversation, and `restore` handles a stored session.

use serde_json::Value;

use super::{
    Cx, Effect, NoticeAction, NoticeKind, Refusal, Session, interrupts::Interrupts,
    offer::RunOffer, turn::Turn,
};
use crate::{
    conversation::{CallKey, Change, Conversation, State, ToolCall},
    event::Content,
    json::form,
};

impl Session {
    pub(super) fn start_new_thread(&mut self, cx: &mut Cx<'_>) {
        let thread_id = cx.host.new_id();
        self.replace_conversation(thread_id, self.empty_conversation(), cx);
    }

    /// Shows a conversation that is open in another tab, without continuing its calls.
    pub(super) fn follow_conversation(
        &mut self,
        thread_id: String,
        snapshot: Value,
        cx: &mut Cx<'_>,
    ) {
        let empty_conversation = self.empty_conversation();
        let pending = self.replace_with_stored(thread_id, snapshot, empty_conversation, cx);
        if let Some(pending) = pending {
            self.following = true;
            self.requeue_messages(pending.queued, cx);
        }
    }

    /// Replaces this conversation with a stored conversation, which is read into the given empty
    /// conversation, and returns the pending data of the stored conversation. Refuses an invalid
    /// snapshot and returns `None`.
    pub(super) fn replace_with_stored(
        &mut self,
        thread_id: String,
        mut snapshot: Value,
        empty_conversation: Conversation,
        cx: &mut Cx<'_>,
    ) -> Option<PendingData> {
        let mut take = |key: &str| snapshot.as_object_mut()?.shift_remove(key);
        let (queued_messages, interrupts) = (take("queued"), take("interrupts"));
        match empty_conversation.load_json(snapshot) {
            Ok(conversation) => self.replace_conversation(thread_id, conversation, cx),
            Err(error) => {
                cx.refuse(Refusal::InvalidSnapshot(error.to_string()));
                return None;
            }
        }
        Some(PendingData {
            queued: parse_contents(queued_messages),
            interrupts,
        })
    }

    pub(super) fn requeue_messages(&mut self, queued: Vec<Content>, cx: &mut Cx<'_>) {
        for content in queued {
            self.turn.queue.push(content);
        }
        self.add_queued_messages(false, cx);
    }

    pub(super) fn offer_to_send_results(&mut self, cx: &mut Cx<'_>) {
        if !self.undelivered_call_keys().is_empty() && !self.is_busy() {
            let message = "The assistant hasn't seen the last results.".to_owned();
            let action = Some(NoticeAction::Continue);
            self.notify(NoticeKind::ResultsReady, message, action, cx);
        }
    }

    /// Returns the conversation as JSON for [`super::Input::Load`], with unsent messages and open
    /// interrupts.
    #[must_use]
    pub fn export(&self) -> Value {
        self.add_pending_data(self.conversation.export())
    }

    /// Adds the pending data to the JSON of the conversation.
    pub(super) fn add_pending_data(&self, mut value: Value) -> Value {
        let Value::Object(object) = &mut value else {
            return value;
        };
        if !self.turn.queue.is_empty() {
            let queue = self.turn.queue.iter().map(form::content_to_value);
            object.insert("queued".to_owned(), queue.collect());
        }
        if let Some(interrupts) = self.interrupts_to_value() {
            object.insert("interrupts".to_owned(), interrupts);
        }
        value
    }

    /// Creates an empty conversation that parses texts according to the options.
    pub(super) fn empty_conversation(&self) -> Conversation {
        #[cfg(feature = "callouts")]
        let conversation = Conversation::reading(self.options.markdown_tools)
            .with_fence_callouts(self.options.markdown_fences);
        #[cfg(not(feature = "callouts"))]
        let conversation = Conversation::new();
        let mut conversation =
            conversation.with_agent_user_messages(self.options.agent_user_messages);
        conversation.set_limits(self.options.limits);
        conversation
    }

    fn replace_conversation(
        &mut self,
        thread_id: String,
        conversation: Conversation,
        cx: &mut Cx<'_>,
    ) {
        for key in self.direct_call_keys() {
            self.give_up_call(&key, None, cx);
        }
        // A followed conversation is not ended here, since it continues in another tab.
        if !std::mem::take(&mut self.following) {
            self.end_and_archive_conversation(cx);
        }
        self.thread_id = thread_id;
        self.conversation = conversation;
        if !self.interrupts.list.is_empty() {
            cx.push_change(Change::Interrupts);
        }
        self.interrupts = Interrupts::default();
        self.turn = Turn::default();
        self.infer_threads();
        self.attention.reset_for_thread();
        self.past_direct.clear();
        self.clear_notices(cx);
        cx.push_change(Change::Thread);
        cx.push_change(Change::Path);
        cx.push_change(Change::State);
        cx.push_change(Change::Queue);
    }

    fn end_and_archive_conversation(&mut self, cx: &mut Cx<'_>) {
        self.end_run_and_calls(cx);
        let last_events = self.conversation.take_last_call_events(&self.thread_id);
        cx.output.calls.extend(last_events);
        cx.output.calls.extend(self.open_call_events());
        if self.conversation.message_count() > 0 {
            cx.push_effect(Effect::Archive {
                thread_id: self.thread_id.clone(),
                snapshot: self.export(),
            });
        }
    }

    /// Treats every action that is registered and enabled for the agent as offered, since the
    /// current filter does not apply to earlier calls.
    pub(super) fn treat_all_actions_as_offered(&mut self) {
        let entries = self.registry.offered().into_iter();
        let actions = entries.map(|entry| (entry.spec.name.clone(), entry.spec.fingerprint()));
        self.turn.offer = RunOffer {
            offered: actions.collect(),
            held_back: Vec::new(),
        };
    }

    /// Continues the open calls of a restored session: questions are asked again, and denials
    /// remain. Calls that were running without a recorded start, calls of a failed run, and calls
    /// that the agent asked about in a question that was not stored are answered as interrupted. Any
    /// other call whose start is in the journal is checked again, and the user is asked before its
    /// handler runs a second time, unless the action is idempotent. Unchecked calls of an older run
    /// are answered as superseded.
    pub(super) fn resume_calls(&mut self, cx: &mut Cx<'_>) {
        self.treat_all_actions_as_offered();
        for key in self.conversation.active_calls() {
            self.resume_call(&key, cx);
        }
        self.turn.looping = self.has_calls_under_way();
    }

    /// Resumes reading an answer that was in progress when the page was closed. Calls of that
    /// answer that have not started in the page wait until the answer has ended; if the agent
    /// replays its events, calls that were complete before the reload are checked at once. Other
    /// calls are continued as in [`Self::resume_calls`]. The results of the earlier request count
    /// as delivered once the run has started. `offer` contains the actions that the run offered.
    /// Calls of other actions stay with the agent, even if the page has registered those actions
    /// since. Without an offer, every enabled action counts as offered if the agent replays its
    /// events.
    pub(super) fn resume_answer(&mut self, offer: Option<RunOffer>, cx: &mut Cx<'_>) {
        let undelivered_keys = self.undelivered_call_keys();
        if self.options.agent.replays {
            match &offer {
                Some(offer) => self.turn.offer = offer.clone(),
                None => self.treat_all_actions_as_offered(),
            }
        }
        for key in self.conversation.active_calls() {
            let Some(call) = self.conversation.call(&key) else {
                continue;
            };
            if self.was_checked_in_run(call) {
                self.check_reloaded_call(&key, cx);
            } else if !self.waits_for_resumed_run(call) && !self.delegate_stored_remote_call(&key) {
                self.resume_call(&key, cx);
            }
        }
        // The resumed run was already counted before the reload, so its entry is replaced.
        let counted_run = self
            .options
            .agent
            .replays
            .then(|| self.turn.summary.runs.pop());
        self.begin_run(true, cx);
        if let Some(run) = self.turn.run_mut() {
            run.carries = undelivered_keys;
            run.keeps_offer = offer.is_some();
        }
        if let Some(offer) = offer {
            self.turn.offer = offer;
        }
        if let Some(base) = counted_run.flatten().and_then(|run| run.base) {
            self.turn.update_run_summary(|run| run.base = Some(base));
        }
    }

    /// Returns true if the run that is being resumed completed the call before the reload, and the
    /// call has neither started nor been asked about by the agent. The events of such a call are
    /// not applied again, so the call is checked at once.
    fn was_checked_in_run(&self, call: &ToolCall) -> bool {
        let is_checked = matches!(
            call.state(),
            State::Open(_) | State::Asked(_) | State::Allowed(_)
        );
        let is_of_resumed_run =
            self.options.agent.replays && self.conversation.is_of_newest_run(call);
        is_of_resumed_run && is_checked && !call.was_started() && !call.was_asked_by_agent()
    }

    fn waits_for_resumed_run(&self, call: &ToolCall) -> bool {
        let state = call.state();
        let is_open = match state {
            State::Streaming(_) | State::Open(_) | State::Remote { .. } => true,
            State::Denied { .. } => self.options.agent.replays,
            _ => false,
        };
        let is_of_run = self.conversation.is_of_newest_run(call);
        (is_open && !call.was_started() && is_of_run) || call.may_await_agent()
    }

    fn resume_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        if self.is_interrupted(key) || self.delegate_remote_call_if_agent_waits(key) {
            return;
        }
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        let is_pending = matches!(
            call.state(),
            State::Open(_) | State::Asked(_) | State::Allowed(_) | State::Denied { .. }
        );
        let has_run_succeeded = self.conversation.run_succeeded(call);
        if !is_pending || call.was_asked_by_agent() || has_run_succeeded == Some(false) {
            return self.give_up_call(key, Some("interrupted"), cx);
        }
        if matches!(call.state(), State::Denied { .. }) {
            return;
        }
        let is_old = has_run_succeeded.is_some() && !self.conversation.is_of_newest_run(call);
        if is_old && matches!(call.state(), State::Open(_)) && !call.has_unknown_outcome() {
            return self.give_up_call(key, Some("superseded"), cx);
        }
        self.check_reloaded_call(key, cx);
    }

    /// Checks a call again after a reload. Asks the user if the call had waited for a decision, if
    /// its run is unknown, or if the fingerprint of its action is unknown.
    fn check_reloaded_call(&mut self, key: &CallKey, cx: &mut Cx<'_>) {
        let Some(call) = self.conversation.call(key) else {
            return;
        };
        // The user is asked again about calls that waited for a decision. The user is also asked
        // about calls whose run or action's fingerprint is unknown, since they may be outdated.
        let has_run = self.conversation.run_succeeded(call).is_some();
        let is_known = has_run && call.action.is_some();
        let is_asked = matches!(call.state(), State::Asked(_)) || !is_known;
        self.check_loaded_call(key, is_asked, cx);
    }
}

/// The unsent messages and the open interrupts of a stored conversation.
pub(super) struct PendingData {
    pub(super) queued: Vec<Content>,
    pub(super) interrupts: Option<Value>,
}

/// Parses the unsent messages. Invalid messages are skipped.
fn parse_contents(value: Option<Value>) -> Vec<Content> {
    let Some(Value::Array(list)) = value else {
        return Vec::new();
    };
    let parse = |value| form::content_from_value(value).ok();
    list.into_iter().filter_map(parse).collect()
}
