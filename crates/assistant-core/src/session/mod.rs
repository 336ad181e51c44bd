//! The session: one conversation, and everything that decides what happens next in it.
//!
//! A state machine without I/O. [`Session::handle`] takes an [`Input`] and gives back an [`Output`]:
//! what changed, and what must be done outside. It is plain data (`Clone + Debug`), so a test can
//! copy it, crash it and go on with the copy. What it may ask while handling is behind [`Host`].
//!
//! A session is put together from parts that do not reach into each other: `calls` (judgements about
//! open calls), `turn` (the run and its loop), `interrupts` (what agents wait for), `notices`. What
//! happened to a call stands in the call itself, as one state. What is done with the parts:
//!
//! * `send` takes what the person says; `run` starts runs of the agent, `events` takes in what they
//!   say, `settle` says what follows their end, `summary` what happened.
//! * `prepare`, `execute` and `start` bring calls from "complete" to "answered", as `policy` decides; `call_events` has
//!   the events of calls in conversations that are opened or replaced, `audit` makes records of events.
//! * `approve` takes what a person decides, `remembered` what of it holds for later calls, `uses` how often, `gate` what an agent waits for; `agent_call` has what
//!   the agent runs.
//! * `branch` takes what a person does to the tree, `thread` exchanges the conversation, `load` takes one from elsewhere, `restore`
//!   goes on after a reload, by what `journal` says; `pieces` has snapshots for stores that write what
//!   has changed.
//! * `attention` limits what a user is asked, `stop` ends things early, `cut_off` what a limit of the model did, `notice` tells people about it.

mod action_list;
mod agent_call;
mod answer_format;
mod approve;
mod attention;
mod audit;
mod branch;
mod branch_interrupts;
mod call_events;
mod calls;
mod clock;
mod cut_off;
mod direct;
mod effect;
mod events;
mod execute;
mod expiry;
mod finish;
mod gate;
mod gone;
mod history;
mod host;
mod input;
mod interrupt_answer;
mod interrupt_card;
mod interrupt_place;
mod interrupts;
mod journal;
mod kept;
mod legacy;
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
mod remembered;
mod restore;
mod run;
mod send;
mod settle;
mod start;
mod steps;
mod stop;
mod stored_calls;
mod stream_end;
mod summary;
mod thread;
mod turn;
mod uses;
mod watch;

pub use crate::id::{CommitId, InvocationId, RunKey, Ticket, TimerId};
pub use action_list::{ActionDecision, DecisionKind, RequestedAction};
pub use audit::AuditEntry;
pub use effect::{Effect, Invocation, Output, PreviewRequest};
pub(crate) use expiry::millis;
pub use history::{ToolHistory, ToolRecord};
pub use host::{Answer, Host, PolicyQuestion, Swap};
pub use input::{Input, TreeChange, Verdict};
pub use interrupts::OpenInterrupt;
pub use journal::JournalEntry;
pub use notice::{Notice, NoticeAction, NoticeId, NoticeKind};
pub use options::{HistoryForm, QuestionLimits, SessionOptions, StopCondition};
pub use pieces::assemble_snapshot;
pub use refusal::Refusal;
pub use stored_calls::{ClaimOutcome, StoredCalls};
pub use stream_end::{Failure, FailureKind, StreamEnd};
pub use summary::{AgentStep, FinishReason, RunSummary, TurnSummary};

use serde_json::Value;

use crate::{
    action::{OfferFilter, RegistrationId, Registry, RememberedApprovals},
    conversation::{CallKey, Change, Conversation, Decider, Fingerprint, State},
    event::{Content, ContextItem, Diagnostic, Event, Object},
    order::Sorted,
};

/// One conversation and its loop.
#[derive(Debug, Clone)]
pub struct Session {
    thread_id: String,
    conversation: Conversation,
    registry: Registry,
    /// Narrows what the agent is offered.
    filter: Option<OfferFilter>,
    options: SessionOptions,
    context: Sorted<u64, ContextItem>,
    forwarded_props: Value,
    calls: calls::Calls,
    turn: turn::Turn,
    interrupts: interrupts::Interrupts,
    notices: notice::Notices,
    remembered: RememberedApprovals,
    starts: limits::Starts,
    attention: attention::Attention,
    pending_uses: Vec<uses::PendingUse>,
    last_number: u64,
    /// The newest calls that the page made itself and that have ended, oldest first.
    past_direct: Vec<ToolRecord>,
    /// The conversation is open elsewhere: here it is only shown.
    following: bool,
}

/// What handling one input needs: the host, the time, and what comes of it.
struct Cx<'a> {
    host: &'a mut dyn Host,
    now: i64,
    /// The one who decides by the input, if it is a decision.
    by: Option<Decider>,
    output: Output,
}

impl Cx<'_> {
    /// Notes a change that is not one of the conversation, which tells its own.
    fn change(&mut self, change: Change) {
        self.output.changes.push(change);
    }

    fn effect(&mut self, effect: Effect) {
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
    /// A session for a new, empty conversation.
    #[must_use]
    pub fn new(thread_id: impl Into<String>, options: SessionOptions) -> Self {
        let mut session = Self {
            thread_id: thread_id.into(),
            conversation: Conversation::new(),
            registry: Registry::default(),
            filter: None,
            past_direct: Vec::new(),
            options,
            context: Sorted::new(),
            forwarded_props: Value::Object(Object::new()),
            calls: calls::Calls::default(),
            turn: turn::Turn::default(),
            interrupts: interrupts::Interrupts::default(),
            notices: notice::Notices::default(),
            remembered: RememberedApprovals::default(),
            starts: limits::Starts::default(),
            attention: attention::Attention::default(),
            pending_uses: Vec::new(),
            last_number: 0,
            following: false,
        };
        session.conversation = session.empty_conversation();
        session
    }

    /// Takes one input in and says what changed and what must be done.
    ///
    /// Effects are to be carried out in order, after this returns.
    pub fn handle(&mut self, input: Input, host: &mut dyn Host) -> Output {
        self.respond(host, |session, cx| {
            cx.by = input.decider();
            session.dispatch(input, cx);
        })
    }

    fn respond(&mut self, host: &mut dyn Host, act: impl FnOnce(&mut Self, &mut Cx<'_>)) -> Output {
        let now = host.now();
        let mut cx = Cx {
            host,
            now,
            by: None,
            output: Output::default(),
        };
        act(self, &mut cx);
        cx.by = None;
        if !self.following {
            self.sort_interrupts(&mut cx);
            self.place_interrupts(&mut cx);
            self.advance(&mut cx);
            self.follow_clock(&mut cx);
        }
        let mut output = cx.output;
        output
            .calls
            .append(&mut self.conversation.take_call_events());
        let mut changes = self.conversation.take_changes();
        changes.append(&mut output.changes);
        output.changes = changes;
        if output.changes.contains(&Change::Thread) {
            self.add_resumed_calls(&mut output);
        }
        output
    }

    fn dispatch(&mut self, input: Input, cx: &mut Cx<'_>) {
        if self.following && input.is_for_owner() {
            return cx.refuse(Refusal::Elsewhere);
        }
        match input {
            Input::Send { content } => self.send(content, cx),
            Input::Decide {
                call,
                shown,
                verdict,
                ..
            } => self.decide(&call, &shown, verdict, cx),
            Input::ForgetApproval { id } => self.forget_approval(&id, cx),
            Input::RestoreApprovals { approvals } => self.restore_approvals(approvals, cx),
            Input::SyncApprovals { approvals } => self.sync_approvals(approvals, cx),
            Input::ApprovalSwapped { ticket, outcome } => {
                self.approval_swapped(ticket, outcome, cx);
            }
            Input::Answer {
                interrupt_id,
                shown,
                status,
                payload,
                ..
            } => self.answer_as_shown(&interrupt_id, &shown, (status, payload), cx),
            Input::DecideActions {
                interrupt_id,
                shown,
                decisions,
                ..
            } => self.decide_actions(&interrupt_id, &shown, &decisions, cx),
            Input::GiveUp { interrupt_id } => self.give_up_interrupt(&interrupt_id, cx),
            Input::DenyAll { .. } => self.deny_all(cx),
            Input::ShowHeldBack => self.show_held_back(cx),
            Input::Stop => self.stop(cx),
            Input::Retry => self.retry(cx),
            Input::Continue => self.go_on(cx),
            Input::TakeUp => self.read_on(cx),
            Input::Dismiss { notice } => self.dismiss(notice, cx),
            Input::NewThread => self.new_thread(cx),
            Input::Load {
                thread_id,
                snapshot,
            } => self.load(thread_id, snapshot, cx),
            Input::Restore {
                thread_id,
                snapshot,
                journal,
            } => self.restore(thread_id, snapshot, journal, cx),
            Input::Follow {
                thread_id,
                snapshot,
            } => self.follow(thread_id, snapshot, cx),
            Input::Tell { kind, message } => self.tell(kind, message, cx),
            Input::Execute {
                request,
                name,
                args,
                within,
            } => self.execute(request, name, (&args, within), cx),
            Input::Tree { change } => self.change_tree(change, cx),
            Input::Register { id, spec } => self.register(id, *spec, cx),
            Input::Unregister { id } => self.unregister(id, cx),
            Input::Offer { filter } => self.set_filter(filter, cx),
            Input::Reveal { names } => self.reveal(names, cx),
            Input::SetContext { owner, item } => match item {
                Some(item) => self.context.insert(owner, item),
                None => drop(self.context.remove(&owner)),
            },
            Input::SetState { state } => self.conversation.set_state(state),
            Input::SetForwardedProps { props } => self.forwarded_props = props,
            Input::OpenRun { run } => self.send_request(run, cx),
            #[cfg(feature = "records")]
            Input::Update { update } => self.take_update(*update, cx),
            Input::Event { run, event } => self.take_event(run, *event, cx),
            Input::Diagnostic { diagnostic } => cx.output.diagnostics.push(diagnostic),
            Input::RunClosed { run, end } => self.close_run(run, end, cx),
            Input::Committed { commit, outcome } => self.committed(commit, outcome, cx),
            Input::PolicyAnswer { ticket, ask } => self.policy_answer(ticket, ask, cx),
            Input::Previewed { ticket, outcome } => self.previewed(ticket, outcome, cx),
            Input::PermissionAnswer { ticket, outcome } => {
                self.permission_answer(ticket, outcome, cx);
            }
            Input::Progress {
                invocation,
                progress,
            } => self.note_progress(invocation, progress),
            Input::Preliminary { invocation, value } => self.note_preliminary(invocation, value),
            Input::Asking { invocation, asks } => self.turn.clock().note_asking(invocation, asks),
            Input::Finished {
                invocation,
                outcome,
            } => self.handler_finished(invocation, outcome, cx),
            Input::Timer { timer } => self.timer(timer, cx),
        }
    }

    /// The conversation's id.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns whether the conversation is open elsewhere, and only shown here.
    #[must_use]
    pub const fn is_following(&self) -> bool {
        self.following
    }

    /// The conversation.
    #[must_use]
    pub const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Returns the registered actions.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Notices, oldest first.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        self.notices.list()
    }

    /// Returns the questions that agents wait to have answered.
    #[must_use]
    pub fn interrupts(&self) -> &[OpenInterrupt] {
        self.interrupts.list()
    }

    /// Returns a summary of the time since the last user message.
    #[must_use]
    pub const fn summary(&self) -> &TurnSummary {
        self.turn.summary()
    }

    /// Returns the messages that the person sent and that wait until an answer to the agent has
    /// gone out.
    #[must_use]
    pub fn queued(&self) -> &[Content] {
        self.turn.queue()
    }

    /// Events that carried nothing this engine acts on (raw, custom, steps, subagents), newest
    /// last; only the last few hundred are kept.
    #[must_use]
    pub fn side_events(&self) -> &[Event] {
        self.turn.side_events()
    }

    /// Returns whether the agent speaks right now.
    #[must_use]
    pub const fn is_streaming(&self) -> bool {
        self.turn.is_running()
    }

    /// Returns whether anything is under way: a run, a handler, or a question to a person.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.turn.is_running() || self.interrupts.wait() || self.calls_are_under_way()
    }

    fn calls_are_under_way(&self) -> bool {
        self.conversation.has_open(State::is_under_way)
    }

    /// Returns whether the only thing under way is a person's answer.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        let asked = |state: &State| matches!(state, State::Asked(_) | State::Missing(_));
        !self.turn.is_running() && (self.interrupts.wait() || self.conversation.has_open(asked))
    }

    /// The calls that wait for a person's decision: those of the branch that runs write on, in
    /// order of appearance, then those that the page makes itself.
    #[must_use]
    pub fn pending_approvals(&self) -> Vec<CallKey> {
        let asks = |key: &CallKey| {
            let call = self.conversation.call(key);
            call.is_some_and(|call| call.phase() == crate::conversation::Phase::ApprovalRequested)
        };
        let mut keys = self.conversation.active_calls();
        keys.extend(self.direct_keys());
        keys.retain(asks);
        keys
    }

    /// The tools that run right now, here or at the agent, in order of appearance.
    #[must_use]
    pub fn running_tools(&self) -> Vec<String> {
        let keys = self.conversation.active_calls();
        let calls = keys.iter().filter_map(|key| self.conversation.call(key));
        calls
            .filter(|call| call.phase() == crate::conversation::Phase::Running)
            .map(|call| call.name.clone())
            .collect()
    }

    /// Returns the fingerprint of what a person sees when they are asked about a call now: the call,
    /// and all that the agent says with its questions about it. A decision names it, and holds only as
    /// long as it is the same.
    #[must_use]
    pub fn fingerprint(&self, key: &CallKey) -> Option<Fingerprint> {
        let call = self.call_fingerprint(key)?;
        let asked = self.interrupts.asking_about(key);
        let asked = asked.map(|open| open.fingerprint(&self.conversation));
        Some(Fingerprint::of_card(call, &asked.collect::<Vec<_>>()))
    }

    /// The fingerprint of a call alone, whatever an agent says about it.
    fn call_fingerprint(&self, key: &CallKey) -> Option<Fingerprint> {
        let call = self.conversation.call(key)?;
        let spec = match call.state() {
            state if state.is_interrupted() => None,
            _ => self.registry.in_force(&call.name).map(|entry| &entry.spec),
        };
        Some(calls::fingerprint(call, spec))
    }

    /// Returns the fingerprint of what a person sees of an interrupt with this id now: all that the
    /// agent says with it, and the call that it is about. An answer names it, and holds only as long
    /// as it is the same.
    #[must_use]
    pub fn question_fingerprint(&self, interrupt_id: &str) -> Option<Fingerprint> {
        let open = self.interrupts.find(interrupt_id)?;
        Some(open.fingerprint(&self.conversation))
    }

    /// A number that was never given out before.
    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn register(&mut self, id: RegistrationId, spec: crate::action::ActionSpec, cx: &mut Cx<'_>) {
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
                    "'{}' is registered more than once: the newest is in force",
                    spec.name
                ),
            );
        }
        let (name, enabled) = (spec.name.clone(), spec.enabled);
        if self.registry.register(id, spec) {
            cx.change(Change::Registry);
        }
        match enabled {
            true => self.find_missing(&name, cx),
            false => self.ask_again(id, cx),
        }
    }

    fn unregister(&mut self, id: RegistrationId, cx: &mut Cx<'_>) {
        self.cancel_handlers_of(id, cx);
        if self.registry.unregister(id) {
            cx.change(Change::Registry);
        }
        self.ask_again(id, cx);
    }
}
