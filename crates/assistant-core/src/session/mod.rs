//! Defines the session, which consists of one conversation and the state machine that determines
//! the next steps.
//!
//! A session performs no I/O. [`Session::handle`] takes an [`Input`] and returns an [`Output`] with
//! changes and effects. The session is plain data (`Clone + Debug`), so a test can copy it, crash
//! it and continue with the copy. Synchronous questions go to the [`Host`].
//!
//! A session consists of independent parts: `turn` (the run and its loop), `interrupts` (questions
//! of agents), and `notices`. The history and the check of a call are stored in the call, as one
//! state. The following modules use these parts:
//!
//! * `send` handles messages of the user; `run` starts runs of the agent, `events` handles the
//!   events of runs, `settle` handles the end of runs; `summary` describes the turn.
//! * `prepare`, `execute` and `start` check calls, run them and record results, as `policy`
//!   decides; `call_events` collects the events of calls in conversations that are opened or
//!   replaced, `audit` converts events to records.
//! * `approve` handles decisions of the user, `remembered_approval` applies them to later calls,
//!   `uses` counts these uses, `interrupt_flow` handles interrupts, `legacy_interrupt` parses
//!   interrupts of an older dialect; `agent_call` handles calls that the agent runs.
//! * `branch` changes the tree and queues messages during a run, `fork` assigns thread ids to
//!   branches, `thread` replaces the conversation and continues its calls, `load` loads a stored
//!   conversation, `restore` continues after a reload, with the `journal`; `pieces` splits
//!   snapshots for stores that write only changes.
//! * `intake` limits content from agents, `attention` limits questions to the user, `stop` ends
//!   runs and calls early, `cut_off` handles answers that a limit of the model cut off, `notice`
//!   shows notices to the user.

mod action_keys;
mod action_list;
mod agent_call;
mod answer_format;
mod approve;
mod attention;
mod audit;
mod branch;
mod branch_interrupts;
mod call_events;
mod clock;
mod cut_off;
mod direct_call;
mod effect;
mod event_class;
mod events;
mod execute;
mod expiry;
mod fork;
mod history;
mod host;
mod input;
mod intake;
mod interrupt_answer;
mod interrupt_card;
mod interrupt_flow;
mod interrupts;
mod journal;
mod legacy_interrupt;
mod limits;
mod load;
mod notice;
mod offer;
mod options;
mod pieces;
mod policy;
mod prepare;
mod preview;
mod refusal;
mod remembered_approval;
#[cfg(feature = "replay")]
mod replay;
mod restore;
mod run;
mod send;
mod settle;
mod start;
mod steps;
mod stop;
mod stored_calls;
mod stored_interrupts;
mod stream_end;
mod summary;
mod thread;
mod turn;
mod uses;

pub use crate::id::{CommitId, InvocationId, RunKey, Ticket, TimerId};
pub use action_list::{ActionDecision, DecisionKind, RequestedAction};
pub use audit::AuditEntry;
pub use effect::{Effect, Invocation, Output, PreviewRequest};
#[cfg(feature = "replay")]
pub(crate) use expiry::parse_iso8601;
pub use history::{ToolHistory, ToolRecord};
pub use host::{Answer, Host, PolicyQuestion, Swap};
pub use input::{Input, TreeChange, Verdict};
pub use interrupts::OpenInterrupt;
pub use journal::JournalEntry;
pub use notice::{Notice, NoticeAction, NoticeId, NoticeKind};
pub use options::{AgentTraits, Leftovers, QuestionLimits, SessionOptions, StopCondition};
pub use pieces::assemble_snapshot;
pub use refusal::Refusal;
pub use stored_calls::{ClaimOutcome, StoredCalls};
pub use stream_end::{Failure, FailureKind, StreamEnd};
pub use summary::{AgentStep, FinishReason, RunSummary, TurnSummary};

use serde_json::Value;

use crate::{
    action::{ApprovalList, OfferFilter, RegistrationId, Registry},
    conversation::{CallKey, Change, Conversation, Decider, Fingerprint, State},
    event::{Content, ContextItem, Diagnostic, Event, Object},
    order::SortedMap,
};

/// A conversation and its loop.
///
/// ```
/// use assistant_core::action::{RegistrationId, schema::PatternHost};
/// use assistant_core::session::{
///     Answer, Effect, Host, Input, PolicyQuestion, Refusal, Session, SessionOptions,
/// };
/// use serde_json::Value;
///
/// #[derive(Default)]
/// struct Page {
///     ids: u32,
/// }
///
/// impl PatternHost for Page {
///     fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
///         None
///     }
/// }
///
/// impl Host for Page {
///     fn now(&mut self) -> i64 {
///         0
///     }
///     fn new_id(&mut self) -> String {
///         self.ids += 1;
///         format!("id-{}", self.ids)
///     }
///     fn needs_approval(&mut self, _: PolicyQuestion<'_>) -> Answer<bool> {
///         Answer::Now(true)
///     }
///     fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
///         None
///     }
/// }
///
/// let mut page = Page::default();
/// let mut session = Session::new("order-17", SessionOptions::default());
/// let output = session.handle(Input::Send { content: "Hello".into() }, &mut page);
/// let Some(&Effect::PrepareRun { run }) = output.effects.first() else { unreachable!() };
/// // The request is built when the page is ready.
/// let output = session.handle(Input::OpenRun { run }, &mut page);
/// let Some(Effect::OpenRun { input, .. }) = output.effects.first() else { unreachable!() };
/// assert_eq!(input.messages.len(), 1);
/// // Until the run has ended, further messages are refused.
/// let output = session.handle(Input::Send { content: "Hello?".into() }, &mut page);
/// assert_eq!(output.refused, Some(Refusal::Busy));
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    thread_id: String,
    conversation: Conversation,
    registry: Registry,
    /// The filter for the offered actions.
    filter: Option<OfferFilter>,
    options: SessionOptions,
    context: SortedMap<u64, ContextItem>,
    forwarded_props: Value,
    turn: turn::Turn,
    /// The newest message that the server has received under each thread id, if branches have
    /// thread ids of their own.
    threads: fork::KnownThreads,
    interrupts: interrupts::Interrupts,
    notices: notice::Notices,
    remembered: ApprovalList,
    starts: limits::StartTimes,
    attention: attention::QuestionHistory,
    pending_uses: Vec<uses::PendingUse>,
    intake: intake::ReceivedAmounts,
    last_number: u64,
    /// The records of the newest finished calls of the page itself, oldest first.
    past_direct: Vec<ToolRecord>,
    /// True if the conversation is open in another session and read-only in this session.
    following: bool,
    /// True in a replay that reads no requests. Requests are then sent without messages, since each
    /// request would contain the whole history.
    blank_requests: bool,
}

/// The context of one input: the host, the time, and the output.
struct Cx<'a> {
    host: &'a mut dyn Host,
    now: i64,
    /// The author of the decision, if the input is a decision.
    by: Option<Decider>,
    output: Output,
}

impl Cx<'_> {
    /// Records a change to data other than the conversation, which records its own changes.
    fn push_change(&mut self, change: Change) {
        self.output.changes.push(change);
    }

    fn push_effect(&mut self, effect: Effect) {
        self.output.effects.push(effect);
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.output.refused = Some(refusal);
    }

    fn warn(&mut self, code: &'static str, message: String) {
        self.output.diagnostics.push(Diagnostic::new(code, message));
    }
}

impl Session {
    /// Creates a session with a new, empty conversation.
    #[must_use]
    pub fn new(thread_id: impl Into<String>, options: SessionOptions) -> Self {
        let mut session = Self {
            thread_id: thread_id.into(),
            conversation: Conversation::new(),
            registry: Registry::default(),
            filter: None,
            past_direct: Vec::new(),
            options,
            context: SortedMap::new(),
            forwarded_props: Value::Object(Object::new()),
            turn: turn::Turn::default(),
            threads: fork::KnownThreads::default(),
            interrupts: interrupts::Interrupts::default(),
            notices: notice::Notices::default(),
            remembered: ApprovalList::default(),
            starts: limits::StartTimes::default(),
            attention: attention::QuestionHistory::default(),
            pending_uses: Vec::new(),
            intake: intake::ReceivedAmounts::default(),
            last_number: 0,
            following: false,
            blank_requests: false,
        };
        session.conversation = session.empty_conversation();
        session
    }

    /// Handles an input and returns the changes and effects.
    ///
    /// The caller must carry out the effects in order, after this method has returned.
    pub fn handle(&mut self, input: Input, host: &mut dyn Host) -> Output {
        self.run_in_context(host, |session, cx| {
            cx.by = input.decider();
            session.dispatch_input(input, cx);
        })
    }

    fn run_in_context(
        &mut self,
        host: &mut dyn Host,
        act: impl FnOnce(&mut Self, &mut Cx<'_>),
    ) -> Output {
        let now = host.now();
        let was_running = self.turn.is_running();
        let mut cx = Cx {
            host,
            now,
            by: None,
            output: Output::default(),
        };
        act(self, &mut cx);
        if was_running && self.turn.is_running() {
            self.limit_diagnostics(&mut cx.output.diagnostics);
        }
        cx.by = None;
        if !self.following {
            self.select_branch_interrupts(&mut cx);
            self.assign_interrupt_branches(&mut cx);
            self.advance_calls_and_loop(&mut cx);
            self.update_turn_clock(&mut cx);
        }
        let Output { changes, calls, .. } = &mut cx.output;
        calls.append(&mut self.conversation.take_call_events());
        let own_changes = std::mem::replace(changes, self.conversation.take_changes());
        changes.extend(own_changes);
        if changes.contains(&Change::Thread) {
            self.add_resumed_events(&mut cx.output);
        }
        cx.output
    }

    fn dispatch_input(&mut self, input: Input, cx: &mut Cx<'_>) {
        if self.following && input.is_for_owner() {
            return cx.refuse(Refusal::Elsewhere);
        }
        match input {
            Input::Send { content } => self.send_message(content, cx),
            Input::Decide {
                call,
                shown,
                verdict,
                ..
            } => self.decide_call(&call, &shown, verdict, cx),
            Input::ForgetApproval { id } => self.revoke_approval(&id, cx),
            Input::RestoreApprovals { approvals } => self.restore_approvals(approvals, cx),
            Input::SyncApprovals { approvals } => self.sync_approvals(approvals, cx),
            Input::ApprovalSwapped { ticket, outcome } => {
                self.handle_approval_swap(ticket, outcome, cx);
            }
            Input::Answer {
                interrupt_id,
                shown,
                status,
                payload,
                ..
            } => self.answer_shown_interrupt(&interrupt_id, &shown, (status, payload), cx),
            Input::DecideActions {
                interrupt_id,
                shown,
                decisions,
                ..
            } => self.decide_actions(&interrupt_id, &shown, &decisions, cx),
            Input::GiveUp { interrupt_id } => self.give_up_interrupt(&interrupt_id, cx),
            Input::DenyAll { .. } => self.deny_all(cx),
            Input::ShowHeldBack => self.show_held_back_interrupts(cx),
            Input::Stop => self.stop(cx),
            Input::Retry => self.retry_run(cx),
            Input::Continue => self.continue_after_limit(cx),
            Input::Resume => self.resume_run(cx),
            Input::Dismiss { notice } => self.dismiss_notice(notice, cx),
            Input::NewThread => self.start_new_thread(cx),
            Input::Load {
                thread_id,
                snapshot,
            } => self.load_conversation(thread_id, snapshot, cx),
            Input::Restore {
                thread_id,
                snapshot,
                journal,
            } => self.restore(thread_id, snapshot, journal, cx),
            Input::Follow {
                thread_id,
                snapshot,
            } => self.follow_conversation(thread_id, snapshot, cx),
            Input::SetNotice { kind, message } => self.set_notice(kind, message, cx),
            Input::Execute {
                request,
                name,
                args,
                within,
            } => self.start_direct_call(request, name, (&args, within), cx),
            Input::Tree { change } => self.apply_tree_change(change, cx),
            Input::Register { id, spec } => self.register_action(id, *spec, cx),
            Input::Unregister { id } => self.unregister_action(id, cx),
            Input::Offer { filter } => self.set_offer_filter(filter, cx),
            Input::Reveal { names } => self.reveal_actions(names, cx),
            Input::SetContext { owner, item } => match item {
                Some(item) => self.context.insert(owner, item),
                None => drop(self.context.remove(&owner)),
            },
            Input::SetState { state } => self.conversation.set_state(state),
            Input::SetForwardedProps { props } => self.forwarded_props = props,
            Input::OpenRun { run } => self.send_request(run, cx),
            #[cfg(feature = "records")]
            Input::Update { update } => self.apply_server_update(*update, cx),
            Input::Event { run, event } => self.handle_event(run, *event, cx),
            Input::Diagnostic { diagnostic } => cx.output.diagnostics.push(diagnostic),
            Input::RunClosed { run, end } => self.close_run(run, end, cx),
            Input::Committed { commit, outcome } => self.handle_commit(commit, outcome, cx),
            Input::PolicyAnswer { ticket, ask } => self.handle_policy_answer(ticket, ask, cx),
            Input::Previewed { ticket, outcome } => self.handle_preview(ticket, outcome, cx),
            Input::PermissionAnswer { ticket, outcome } => {
                self.handle_permission_answer(ticket, outcome, cx);
            }
            Input::Progress {
                invocation,
                progress,
            } => self.set_progress(invocation, progress),
            Input::Preliminary { invocation, value } => {
                self.set_preliminary_result(invocation, value);
            }
            Input::Asking {
                invocation,
                is_open,
            } => {
                self.turn.clock.record_handler_question(invocation, is_open);
            }
            Input::Finished {
                invocation,
                outcome,
            } => self.handle_handler_end(invocation, outcome, cx),
            Input::Timer { timer } => self.handle_timer(timer, cx),
        }
    }

    /// Returns the conversation's id.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns true if the conversation is open in another session and read-only in this session.
    #[must_use]
    pub const fn is_following(&self) -> bool {
        self.following
    }

    /// Returns the conversation.
    #[must_use]
    pub const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the registered actions.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the notices, oldest first.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        self.notices.list()
    }

    /// Returns the open interrupts of agents on the run branch, oldest first.
    #[must_use]
    pub fn interrupts(&self) -> &[OpenInterrupt] {
        &self.interrupts.list
    }

    /// Returns a summary of the turn since the last user message.
    #[must_use]
    pub const fn summary(&self) -> &TurnSummary {
        &self.turn.summary
    }

    /// Returns the user messages that have not been sent yet: messages that wait until an answer to
    /// the agent has been sent, and interjected messages.
    #[must_use]
    pub fn queued(&self) -> &[Content] {
        &self.turn.queue
    }

    /// Returns the raw, custom, step, subagent and reasoning boundary events from the agent, newest
    /// last. At most 256 events are stored, and their size is limited by
    /// `Limits::side_event_bytes`.
    #[must_use]
    pub fn side_events(&self) -> &[Event] {
        &self.turn.side_events
    }

    /// Returns true while a run is in progress.
    #[must_use]
    pub const fn is_streaming(&self) -> bool {
        self.turn.is_running()
    }

    /// Returns true if anything is in progress in the conversation: a run, a call that the loop
    /// waits for, or an unanswered interrupt. Calls of the page itself do not count.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.turn.is_running() || self.interrupts.has_unanswered() || self.has_calls_under_way()
    }

    fn has_calls_under_way(&self) -> bool {
        self.conversation.has_open_call(State::is_awaited_by_loop)
    }

    /// Returns true if no run is in progress, and an interrupt or a call on the run branch waits
    /// for the user. Other calls may be running at the same time.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        !self.turn.is_running()
            && (self.interrupts.has_unanswered()
                || self.conversation.has_open_call(State::is_asked))
    }

    /// Returns the keys of the calls that wait for a decision of the user: first the calls on the
    /// run branch, in order of appearance, then the calls of the page itself.
    #[must_use]
    pub fn pending_approvals(&self) -> Vec<CallKey> {
        let is_asked = |key: &CallKey| {
            let call = self.conversation.call(key);
            call.is_some_and(|call| call.phase() == crate::conversation::Phase::ApprovalRequested)
        };
        let mut keys = self.conversation.active_calls();
        keys.extend(self.direct_call_keys());
        keys.retain(is_asked);
        keys
    }

    /// Returns the names of the tools whose calls are running on the run branch, in the page or in
    /// the agent, in order of appearance.
    #[must_use]
    pub fn running_tools(&self) -> Vec<String> {
        let keys = self.conversation.active_calls();
        let calls = keys.iter().filter_map(|key| self.conversation.call(key));
        calls
            .filter(|call| call.phase() == crate::conversation::Phase::Running)
            .map(|call| call.name.clone())
            .collect()
    }

    /// Returns the fingerprint of a call as it is shown now, including the agent's questions about
    /// the call; `None` if the call does not exist. A decision contains this fingerprint, and an
    /// approval is refused if the call has changed since.
    #[must_use]
    pub fn fingerprint(&self, key: &CallKey) -> Option<Fingerprint> {
        let call_fingerprint = self.call_fingerprint(key)?;
        let interrupts = self.interrupts.unanswered_on_card(key);
        let questions = interrupts.map(|open| open.fingerprint(&self.conversation));
        Some(Fingerprint::from_card(
            call_fingerprint,
            &questions.collect::<Vec<_>>(),
        ))
    }

    /// Returns the fingerprint of a call without the agent's questions about the call.
    fn call_fingerprint(&self, key: &CallKey) -> Option<Fingerprint> {
        let call = self.conversation.call(key)?;
        let spec = match call.state() {
            state if state.is_interrupted() => None,
            _ => self
                .registry
                .active_registration(&call.name)
                .map(|entry| &entry.spec),
        };
        Some(Fingerprint::from_call(call, spec))
    }

    /// Returns the fingerprint of an open interrupt as it is shown now; `None` if no interrupt with
    /// this id is open. The fingerprint covers everything that the agent sent with the interrupt,
    /// and the interrupted call. An answer contains this fingerprint, and is refused if the
    /// interrupt has changed since.
    #[must_use]
    pub fn question_fingerprint(&self, interrupt_id: &str) -> Option<Fingerprint> {
        let open = self.interrupts.find(interrupt_id)?;
        Some(open.fingerprint(&self.conversation))
    }

    /// Returns a number that is unique in this session.
    fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn register_action(
        &mut self,
        id: RegistrationId,
        spec: crate::action::ActionSpec,
        cx: &mut Cx<'_>,
    ) {
        if let Err(error) = spec.check() {
            return cx.refuse(Refusal::InvalidAction(error));
        }
        let is_new = self
            .registry
            .get(id)
            .is_none_or(|entry| entry.spec.name != spec.name);
        if is_new && self.registry.clashes(id, &spec.name) {
            cx.warn(
                "action-name-clash",
                format!(
                    "'{}' is registered more than once: the newest is active",
                    spec.name
                ),
            );
        }
        let (name, is_enabled) = (spec.name.clone(), spec.enabled);
        if self.registry.register(id, spec) {
            cx.push_change(Change::Registry);
        }
        match is_enabled {
            true => self.recheck_calls_of_action(&name, cx),
            false => self.recheck_rule_calls(id, cx),
        }
    }

    fn unregister_action(&mut self, id: RegistrationId, cx: &mut Cx<'_>) {
        self.cancel_registration_handlers(id, cx);
        if self.registry.unregister(id) {
            cx.push_change(Change::Registry);
        }
        self.recheck_rule_calls(id, cx);
    }
}
