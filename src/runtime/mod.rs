//! Runs a session: passes inputs to the session through one queue, and carries out the effects
//! (requests, commits, handlers, timers, frames).
//!
//! For each input, the runtime borrows the session, handles the input, releases the session, and
//! then carries out the effects. So callbacks may dispatch further inputs. Only the synchronous
//! questions of `host` run code of an application while the session is mutably borrowed: sanitizing
//! arguments, denials, stop rules and prices. While this code runs, the session cannot be read, and
//! inputs are queued.

mod calls;
mod changes;
mod effects;
pub(crate) mod engine;
mod evaluations;
mod frames;
mod host;
mod loop_events;
mod persistence;
mod prices;
mod sources;
mod store_persistence;
#[cfg(feature = "records")]
mod updates;
mod watch;

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    rc::{Rc, Weak},
};

use assistant_core::{
    action::{RegistrationId, ToolError},
    conversation::CallKey,
    event::{Content, Diagnostic},
    limits::Limits,
    observe::{self, ObserverResult, Observers},
    session::{
        Effect, Input, InvocationId, Refusal, RunKey, Session, SessionOptions, TreeChange,
        TurnSummary,
    },
};
use futures_channel::oneshot;
use futures_util::future::{AbortHandle, LocalBoxFuture};
use leptos::prelude::{ArcRwSignal, Update};
use serde_json::Value;

use crate::{
    agent::Agent,
    render::{ActionCode, Cancellation},
    ui::{Subscription, console_error, console_warn, fresh_id, subscribe},
    view::ViewModel,
};

pub(crate) use calls::CallRecorder;
pub(crate) use changes::Changes;
pub(crate) use persistence::{ApprovalPersistence, ThreadSearch};
pub(crate) use store_persistence::StorePersistence;

type GeneralPermissionRule =
    Rc<dyn Fn(String, Value) -> LocalBoxFuture<'static, Result<(), String>>>;
type StopRule = Rc<dyn Fn(&TurnSummary) -> bool>;

/// An in-place change of the shared state.
type StateChange = Box<dyn FnOnce(&mut Value)>;

/// The reply from a call's card to the handler of the call.
type CardReply = Result<Value, ToolError>;

/// A step in the queue of the runtime.
enum QueuedStep {
    Input(Box<Input>),
    StateChange(StateChange),
    /// Opens a stored conversation instead of the current conversation.
    OpenThread(String),
}

/// The open request of a run.
struct RunTask {
    abort: AbortHandle,
    /// True if the agent ends the run at its server once the request is over.
    ends_at_server: Rc<Cell<bool>>,
}

/// A running handler.
struct HandlerTask {
    abort: AbortHandle,
    cancellation: Cancellation,
}

/// A session and the resources that carry out its effects.
pub(crate) struct Runtime {
    me: Weak<Self>,
    session: RefCell<Session>,
    queue: RefCell<VecDeque<QueuedStep>>,
    draining: Cell<bool>,
    #[cfg(feature = "split")]
    pub(crate) held: engine::HeldInputs,
    /// The messages that counted as accepted and that the session then refused. The composer takes
    /// these messages back.
    pub(crate) returned: ArcRwSignal<Vec<Content>>,
    /// The readers that run when a run opens.
    sources: sources::Sources,
    awaited: sources::AwaitedActions,
    /// The number of the source that reads the application's filter of offered actions.
    filter_source: Cell<Option<u64>>,
    /// The id of this assistant within the page.
    client_id: String,
    /// True once the provider is unmounted.
    ended: Cell<bool>,
    agent: RefCell<Rc<dyn Agent>>,
    code: RefCell<HashMap<RegistrationId, Rc<ActionCode>>>,
    evaluations: evaluations::Evaluations,
    runs: RefCell<HashMap<RunKey, RunTask>>,
    /// True if open runs are stored as open when the provider is unmounted, instead of being ended
    /// at their servers.
    detaches_runs: Cell<bool>,
    handlers: RefCell<HashMap<InvocationId, HandlerTask>>,
    replies: RefCell<HashMap<CallKey, oneshot::Sender<CardReply>>>,
    /// The callers of [`Runtime::execute`] that wait for an outcome, by the number of the request.
    executing: RefCell<HashMap<u64, oneshot::Sender<Result<Value, ToolError>>>>,
    archive: RefCell<Vec<(String, Value)>>,
    /// The persistence of conversations, if the application has a store.
    persistence: RefCell<Option<Rc<dyn persistence::Persistence>>>,
    diagnostics: Rc<Observers<Diagnostic>>,
    call_observers: calls::CallObservers,
    loop_events: loop_events::LoopObservers,
    stop_rules: RefCell<HashMap<String, StopRule>>,
    /// The application's general permission rule for starting calls.
    permission: RefCell<Option<GeneralPermissionRule>>,
    prices: prices::Prices,
    #[cfg(feature = "records")]
    updates: updates::UpdateObservers,
    /// The persistence of remembered approvals, if the application has a store for them.
    approvals: RefCell<Option<Rc<dyn ApprovalPersistence>>>,
    /// The recorders of call events.
    recorders: RefCell<Vec<Rc<dyn CallRecorder>>>,
    /// True if a new message denies open approvals.
    pub(crate) auto_deny: bool,
    /// True if the user can send messages during the loop.
    pub(crate) interjections: bool,
    /// The limits on content from agents.
    pub(crate) limits: Rc<Limits>,
    frames: frames::FrameSchedule,
    watch: watch::InterruptionCheck,
    last_number: Cell<u64>,
    view: Rc<ViewModel>,
    /// The warnings that were already logged.
    warnings: RefCell<Vec<String>>,
}

impl Runtime {
    pub(crate) fn new(
        agent: Rc<dyn Agent>,
        options: SessionOptions,
        thread_id: String,
        view: Rc<ViewModel>,
    ) -> Rc<Self> {
        let (auto_deny, interjections) = (options.has_auto_deny(), options.may_interject());
        let limits = Rc::new(options.content_limits());
        let session = Session::new(thread_id, options);
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            session: RefCell::new(session),
            queue: RefCell::default(),
            draining: Cell::new(false),
            #[cfg(feature = "split")]
            held: engine::HeldInputs::default(),
            returned: ArcRwSignal::default(),
            sources: sources::Sources::default(),
            awaited: sources::AwaitedActions::default(),
            filter_source: Cell::new(None),
            client_id: fresh_id(),
            ended: Cell::new(false),
            agent: RefCell::new(agent),
            code: RefCell::default(),
            evaluations: evaluations::Evaluations::default(),
            runs: RefCell::default(),
            detaches_runs: Cell::new(false),
            handlers: RefCell::default(),
            replies: RefCell::default(),
            executing: RefCell::default(),
            archive: RefCell::default(),
            persistence: RefCell::default(),
            diagnostics: Rc::default(),
            call_observers: calls::CallObservers::default(),
            loop_events: loop_events::LoopObservers::default(),
            stop_rules: RefCell::default(),
            permission: RefCell::default(),
            prices: prices::Prices::default(),
            #[cfg(feature = "records")]
            updates: updates::UpdateObservers::default(),
            approvals: RefCell::default(),
            recorders: RefCell::default(),
            auto_deny,
            interjections,
            limits,
            frames: frames::FrameSchedule::default(),
            watch: watch::InterruptionCheck::default(),
            last_number: Cell::new(0),
            view,
            warnings: RefCell::default(),
        })
    }

    pub(crate) fn weak(&self) -> Weak<Self> {
        self.me.clone()
    }

    pub(crate) fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns a number that is unique within the runtime.
    pub(crate) fn next_number(&self) -> u64 {
        self.last_number.set(self.last_number.get() + 1);
        self.last_number.get()
    }

    /// Reads the session. Returns `None` only if called inside a function of the application that
    /// the session is calling, such as a stop rule, because the session is mutably borrowed during
    /// the call.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&Session) -> R) -> Option<R> {
        self.session.try_borrow().ok().map(|session| read(&session))
    }

    /// Dispatches an input, and returns the refusal of the session, if any. An input that must
    /// wait, because another input is being handled or because the conversation or the engine is
    /// being loaded, is queued and counts as accepted. On a server, and after the provider is
    /// unmounted, an input that may start a run or a handler is refused. With the feature `split`,
    /// a second message is refused while the first message waits for the engine.
    pub(crate) fn dispatch(&self, input: Input) -> Result<(), Refusal> {
        if self.ended.get() && may_start_work(&input) {
            return Err(Refusal::Ended);
        }
        #[cfg(feature = "split")]
        if self.held.hold_message(&input)? {
            self.update_draft();
        }
        self.submit_step(QueuedStep::Input(Box::new(input)))
    }

    /// Dispatches an input that persistence has held back. The caller of [`Self::dispatch`] has
    /// already received `Ok`: if the session refuses a message, the message is returned to the
    /// composer, and other refusals are logged. After the provider is unmounted, an input that may
    /// start a run or a handler is dropped.
    fn dispatch_held_input(&self, input: Input) {
        if self.ended.get() && may_start_work(&input) {
            return;
        }
        let message = match &input {
            // Submits the step directly, because the step of a held message returns a refused
            // message to the composer itself.
            #[cfg(feature = "split")]
            _ if self.held.is_held_message(&input) => {
                let _ = self.submit_step(QueuedStep::Input(Box::new(input)));
                return;
            }
            Input::Send { content }
            | Input::Tree {
                change: TreeChange::Interject { content },
            } => Some(content.clone()),
            _ => None,
        };
        let outcome = self.submit_step(QueuedStep::Input(Box::new(input)));
        match (outcome, message) {
            (Ok(()), _) => {}
            (Err(_), Some(content)) => self.return_to_composer(&content),
            (Err(refusal), None) => console_error(&refusal.to_string()),
        }
    }

    /// Drops an input that persistence has held back, because another conversation is opened
    /// instead. A message is returned to the composer, and the caller of [`Self::execute`] receives
    /// an error.
    fn discard_held_input(&self, input: Input) {
        match input {
            #[cfg(feature = "split")]
            input if self.held.is_held_message(&input) => self.clear_held_message(true),
            Input::Send { content }
            | Input::Tree {
                change: TreeChange::Interject { content },
            } => self.return_to_composer(&content),
            Input::Execute { request, .. } => self.carry_out(Effect::Executed {
                request,
                outcome: Err(ToolError::new("Another conversation was opened")),
            }),
            _ => {}
        }
    }

    /// Returns a message to the composer, because the message was not added to the conversation
    /// although the message counted as accepted.
    fn return_to_composer(&self, content: &Content) {
        self.returned.update(|list| list.push(content.clone()));
    }

    /// Queues a change of the shared state, which is made after all steps that are already queued.
    pub(crate) fn update_state(&self, change: StateChange) {
        // The session never refuses a change of the state.
        let _ = self.submit_step(QueuedStep::StateChange(change));
    }

    /// Opens a stored conversation after all steps that are already queued, so that the effects of
    /// the current input, such as the result of a call, are carried out first. Does nothing without
    /// a store.
    pub(crate) fn open_thread(&self, thread_id: String) {
        // Opening a conversation is never refused.
        let _ = self.submit_step(QueuedStep::OpenThread(thread_id));
    }

    /// Queues a step, and handles the queued steps unless the queue is already being handled.
    /// Returns the outcome of the first handled step, or `Ok` if the step waits. On a server, no
    /// step is handled.
    fn submit_step(&self, next: QueuedStep) -> Result<(), Refusal> {
        if cfg!(not(target_arch = "wasm32")) {
            return refuse_on_server(&next);
        }
        let Some(step) = engine::step_handler() else {
            #[cfg(feature = "split")]
            return self.hold_step(next);
            #[cfg(not(feature = "split"))]
            return Ok(());
        };
        #[cfg(feature = "split")]
        self.handle_held_steps(step);
        self.queue.borrow_mut().push_back(next);
        if self.draining.replace(true) {
            return Ok(());
        }
        self.schedule_interruption_check();
        let mut first_outcome = None;
        while let Some(outcome) = step(self) {
            first_outcome.get_or_insert(outcome);
        }
        self.draining.set(false);
        first_outcome.unwrap_or(Ok(()))
    }

    /// Handles the next queued step and returns the outcome. Returns `None` if the queue is empty.
    fn handle_next_step(&self) -> Option<Result<(), Refusal>> {
        let next = self.queue.borrow_mut().pop_front()?;
        let Some(input) = self.convert_step(next) else {
            return Some(Ok(()));
        };
        #[cfg(feature = "split")]
        let is_held_message = self.held.is_held_message(&input);
        let refusal = self.handle_input(input);
        #[cfg(feature = "split")]
        if is_held_message {
            self.clear_held_message(refusal.is_some());
        }
        Some(refusal.map_or(Ok(()), Err))
    }

    /// Converts a queued step to an input, while the session is not borrowed. A state change is
    /// first applied to a copy of the shared state. Returns `None` if the state cannot be read, if
    /// persistence holds the input back until the conversation is loaded, or if the step opened a
    /// conversation.
    fn convert_step(&self, next: QueuedStep) -> Option<Input> {
        let change = match next {
            QueuedStep::Input(input) => {
                return match self.persistence() {
                    Some(persistence) => persistence.hold_back(*input),
                    None => Some(*input),
                };
            }
            QueuedStep::StateChange(change) => change,
            QueuedStep::OpenThread(thread_id) => {
                self.persistence()?.open_thread(thread_id);
                return None;
            }
        };
        let mut state = self.read(|session| session.conversation().state().clone())?;
        change(&mut state);
        Some(Input::SetState { state })
    }

    fn handle_input(&self, input: Input) -> Option<Refusal> {
        let output = self
            .session
            .borrow_mut()
            .handle(input, &mut host::BrowserHost { runtime: self });
        for diagnostic in &output.diagnostics {
            self.report_diagnostic(diagnostic);
        }
        let events = self.observed_call_events(&output);
        let callbacks = self.record_call_events(&output.calls);
        let changes = Changes::new(output.changes);
        if let Some(persistence) = self.persistence().filter(|_| !changes.is_empty()) {
            persistence.record_changes(&changes, &self.session.borrow());
        }
        let has_registry_changed = changes.registry;
        #[cfg(feature = "records")]
        self.notify_update_observers(&changes);
        self.notify_loop_observers(&changes);
        self.queue_changes(changes);
        callbacks.into_iter().for_each(|callback| callback());
        self.notify_call_observers(&events);
        if has_registry_changed {
            self.notify_waiting_handlers();
        }
        for effect in output.effects {
            self.carry_out(effect);
        }
        output.refused
    }

    fn report_diagnostic(&self, diagnostic: &Diagnostic) {
        // The failure is not reported as a diagnostic, because the observer could fail again.
        for failure in self.diagnostics.notify(diagnostic) {
            console_error(&format!("An observer of diagnostics failed: {failure}"));
        }
    }

    pub(crate) fn on_diagnostic<R: ObserverResult>(
        &self,
        observer: impl Fn(&Diagnostic) -> R + 'static,
    ) -> Subscription {
        subscribe(&self.diagnostics, observer)
    }

    /// Reports failed observers as diagnostics. All observers were notified regardless (rule
    /// "observers").
    pub(crate) fn report_observer_failures(&self, failures: Vec<String>) {
        for failure in failures {
            self.report_diagnostic(&observe::failed(failure));
        }
    }

    pub(crate) fn set_agent(&self, agent: Rc<dyn Agent>) {
        let previous_agent = self.agent.replace(agent);
        drop(previous_agent);
    }

    pub(crate) fn set_code(&self, id: RegistrationId, code: ActionCode) {
        self.code.borrow_mut().insert(id, Rc::new(code));
    }

    pub(crate) fn code(&self, id: RegistrationId) -> Option<Rc<ActionCode>> {
        self.code.borrow().get(&id).cloned()
    }

    /// Removes the code of a registration, and aborts the evaluations of its rules and previews.
    /// The session cancels the handlers of the registration.
    pub(crate) fn remove_code(&self, id: RegistrationId) {
        // The code is dropped after the borrow ends, since a handler may own the guard of another
        // action.
        let removed_code = self.code.borrow_mut().remove(&id);
        drop(removed_code);
        self.abort_evaluations(id);
    }

    /// Returns the latest snapshot of a conversation that was replaced by another conversation in
    /// this page. Returns `None` if no conversation with this id was replaced, or if persistence
    /// has stored the snapshot.
    pub(crate) fn archived_snapshot(&self, thread_id: &str) -> Option<Value> {
        let archive = self.archive.borrow();
        archive
            .iter()
            .rev()
            .find(|(id, _)| id == thread_id)
            .map(|(_, snapshot)| snapshot.clone())
    }

    pub(crate) fn set_permission(&self, permission: GeneralPermissionRule) {
        let previous_rule = self.permission.borrow_mut().replace(permission);
        drop(previous_rule);
    }

    pub(crate) fn approval_persistence(&self) -> Option<Rc<dyn ApprovalPersistence>> {
        self.approvals.borrow().clone()
    }

    pub(crate) fn set_approval_persistence(&self, persistence: Rc<dyn ApprovalPersistence>) {
        let previous_persistence = self.approvals.borrow_mut().replace(persistence);
        drop(previous_persistence);
    }

    pub(crate) fn set_stop_rule(&self, name: String, rule: StopRule) {
        let previous_rule = self.stop_rules.borrow_mut().insert(name, rule);
        drop(previous_rule);
    }

    /// Evaluates a stop rule of the application while the session is borrowed. Logs an error and
    /// returns false if the application has not set the rule.
    fn should_stop(&self, name: &str, summary: &TurnSummary) -> bool {
        let rule = self.stop_rules.borrow().get(name).cloned();
        if rule.is_none() {
            console_error(&format!(
                "StopCondition::Rule: there is no rule {name:?}; see Assistant::set_stop_rule"
            ));
        }
        rule.is_some_and(|rule| rule(summary))
    }

    /// Logs a warning about an action, unless the same warning was logged before.
    pub(crate) fn warn_once(&self, action: &str, wrong: &str, more: &str) {
        let message = format!("Action {action}: {wrong}");
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.contains(&message) {
            console_warn(&format!("{message}{more}"));
            warnings.push(message);
        }
    }

    /// Returns a receiver for the reply from a call's card, for the handler of the call. Replaces
    /// an earlier receiver for the same call.
    pub(crate) fn await_reply(&self, call: CallKey) -> oneshot::Receiver<CardReply> {
        let (sender, receiver) = oneshot::channel();
        self.replies.borrow_mut().insert(call, sender);
        receiver
    }

    /// Passes the reply from a call's card to the handler of the call. The reply is ignored if no
    /// handler waits.
    pub(crate) fn reply(&self, call: &CallKey, value: CardReply) {
        let sender = self.replies.borrow_mut().remove(call);
        if let Some(sender) = sender {
            // Sending fails only if the receiver was dropped, because the handler was cancelled.
            let _ = sender.send(value);
        }
    }

    /// Removes the sender for the reply to a question that was dropped before the reply.
    pub(crate) fn remove_abandoned_reply(&self, call: &CallKey) {
        let mut replies = self.replies.borrow_mut();
        // The sender of a newer question about the same call is kept.
        let is_abandoned = replies.get(call).is_some_and(oneshot::Sender::is_canceled);
        let sender = is_abandoned.then(|| replies.remove(call));
        drop(replies);
        drop(sender);
    }

    /// Stops the session, aborts all runs, handlers and evaluations, and removes the code of the
    /// actions and the readers, because the provider is unmounted. Callers that still wait for an
    /// outcome receive an error. With a store, open calls are stored as open, and runs are not
    /// ended at their servers.
    pub(crate) fn shut_down(&self) {
        // Persistence is shut down before the session is stopped, so that open calls are stored as
        // open, as when the page is unloaded.
        if let Some(persistence) = self.persistence.take() {
            persistence.shut_down();
            self.detaches_runs.set(true);
        }
        // The session is stopped first, so that no call restarts when actions are unregistered
        // later.
        self.dispatch_ignoring_refusal(Input::Stop);
        self.ended.set(true);
        #[cfg(feature = "split")]
        self.drop_held_steps();
        self.abort_runs_and_handlers();
        self.abort_all_evaluations();
        let removed_code = self.code.take();
        drop(removed_code);
        self.remove_sources();
        // Dropping the senders ends the waits for calls that persistence has held back.
        drop(self.executing.take());
        drop(self.replies.take());
    }
}

/// Refuses an input that may start a run or a handler, and logs an error, because there is no
/// browser. Ignores any other step (rule "on a server").
fn refuse_on_server(next: &QueuedStep) -> Result<(), Refusal> {
    match next {
        QueuedStep::Input(input) if may_start_work(input) => {
            console_error(
                "an assistant on a server does nothing, and refuses what it is asked for: ask it in the browser, \
                 from an event handler or an effect",
            );
            Err(Refusal::Ended)
        }
        _ => Ok(()),
    }
}

/// Returns true if an input may start a run or a handler.
pub(super) const fn may_start_work(input: &Input) -> bool {
    matches!(
        input,
        Input::Send { .. }
            | Input::Retry
            | Input::Resume
            | Input::Continue
            | Input::Execute { .. }
            | Input::Tree { .. }
            | Input::Decide { .. }
            | Input::Answer { .. }
            | Input::DecideActions { .. }
    )
}
