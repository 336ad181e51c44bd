//! Carries out the effects of the session.

use std::{cell::Cell, rc::Rc, time::Duration};

use assistant_core::{
    action::{RegistrationId, ToolError},
    event::RunInput,
    session::{
        Effect, FailureKind, Input, Invocation, InvocationId, PolicyQuestion, PreviewRequest,
        RunKey, StreamEnd,
    },
};
use futures_channel::oneshot;
use futures_util::{
    FutureExt,
    future::{Either, abortable, select},
};
use serde_json::Value;

use super::{HandlerTask, RunTask, Runtime};
use crate::{
    agent::EventSink,
    render::{ActionCode, Cancellation},
    ui::{after, is_offline, sleep, spawn_local, wait_for_pending_work},
};

/// The time limit of an action's preview.
const PREVIEW_TIMEOUT: Duration = Duration::from_secs(20);
/// The error of a preview or a permission whose action was removed.
const ACTION_REMOVED: &str = "The action was removed";

impl Runtime {
    pub(super) fn carry_out(&self, effect: Effect) {
        match effect {
            Effect::PrepareRun { run } => self.prepare_run(run),
            Effect::OpenRun { run, input } => self.open_run(run, *input),
            Effect::AbortRun { run } => self.abort_run(run),
            Effect::Commit { commit, entry } => self.commit_start(commit, entry),
            Effect::Record { entry } => {
                if let Some(persistence) = self.persistence() {
                    persistence.record_result(entry);
                }
            }
            Effect::Preview(request) => self.run_preview(*request),
            Effect::Invoke(invocation) => self.invoke(*invocation),
            Effect::CancelHandler { invocation } => self.cancel_handler(invocation),
            Effect::StartTimer { timer, ms } => {
                let runtime = self.weak();
                after(ms, move || {
                    if let Some(runtime) = runtime.upgrade() {
                        runtime.dispatch_ignoring_refusal(Input::Timer { timer });
                    }
                });
            }
            Effect::Executed { request, outcome } => {
                let caller = self.executing.borrow_mut().remove(&request);
                if let Some(sender) = caller {
                    // Sending fails only if the caller has dropped the receiver.
                    let _ = sender.send(outcome);
                }
            }
            Effect::StoreApprovals { approvals } => {
                let persistence = self.approvals.borrow().clone();
                persistence.inspect(|persistence| persistence.store_changes(approvals));
            }
            Effect::SwapApproval {
                ticket,
                before,
                after,
            } => self.swap_approval(ticket, *before, *after),
            Effect::Archive {
                thread_id,
                snapshot,
            } => self.archive_thread(thread_id, snapshot),
        }
    }

    /// Dispatches an input, and ignores a refusal.
    pub(super) fn dispatch_ignoring_refusal(&self, input: Input) {
        let _ = self.dispatch(input);
    }

    /// Waits until pending changes of the page have settled, such as effects, mounts or a
    /// navigation after a click, then reads the sources and opens the run.
    fn prepare_run(&self, run: RunKey) {
        let runtime = self.weak();
        spawn_local(async move {
            wait_for_pending_work().await;
            if let Some(runtime) = runtime.upgrade() {
                runtime.read_sources();
                runtime.dispatch_ignoring_refusal(Input::OpenRun { run });
            }
        });
    }

    /// Aborts the request of a run, if the request is open, and ends the run at its server. Does
    /// nothing for a run that was removed. While `detaches_runs` is true, the run is not ended at
    /// its server, so that it can be resumed.
    fn abort_run(&self, run: RunKey) {
        let Some(task) = self.runs.borrow_mut().remove(&run) else {
            return;
        };
        task.ends_at_server.set(!self.detaches_runs.get());
        task.abort.abort();
    }

    fn open_run(&self, run: RunKey, mut input: RunInput) {
        let agent = Rc::clone(&self.agent.borrow());
        let history = self.read(|session| agent.history(session.conversation()));
        input.history = history.flatten().map(Box::new);
        let runtime = self.weak();
        let sink = EventSink::new(run, Rc::clone(&self.limits), move |input| {
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(input);
            }
        });
        let (thread_id, run_id) = (input.thread_id.clone(), input.run_id.clone());
        let (stream, abort) = abortable(agent.run(input, sink));
        let ends_at_server = Rc::new(Cell::new(false));
        let task = RunTask {
            abort,
            ends_at_server: Rc::clone(&ends_at_server),
        };
        self.runs.borrow_mut().insert(run, task);
        let runtime = self.weak();
        spawn_local(async move {
            let end = stream.await.map(mark_if_offline);
            if let (Ok(end), Some(runtime)) = (end, runtime.upgrade()) {
                runtime.dispatch_ignoring_refusal(Input::RunClosed { run, end });
                // The run is already removed if the session has aborted it, because its end is
                // missing.
                let closed_run = runtime.runs.borrow_mut().remove(&run);
                drop(closed_run);
            }
            // The future of the agent has been dropped by now. The agent of later runs may be
            // another agent.
            if ends_at_server.get() {
                agent.stop(&thread_id, &run_id);
            }
        });
    }

    fn invoke(&self, invocation: Invocation) {
        let id = invocation.id();
        let handler = self
            .code(invocation.registration())
            .and_then(|code| code.handler.clone());
        let Some(handler) = handler else {
            let error = ToolError::new(format!("Action {} has no handler", invocation.name()));
            return self.dispatch_ignoring_refusal(Input::Finished {
                invocation: id,
                outcome: Err(error),
            });
        };
        let cancellation = Cancellation::default();
        let (result, abort) = abortable(handler(invocation, cancellation.clone()));
        self.handlers.borrow_mut().insert(
            id,
            HandlerTask {
                abort,
                cancellation,
            },
        );
        let runtime = self.weak();
        spawn_local(async move {
            let Ok(outcome) = result.await else { return };
            if let Some(runtime) = runtime.upgrade() {
                let finished_task = runtime.handlers.borrow_mut().remove(&id);
                drop(finished_task);
                runtime.dispatch_ignoring_refusal(Input::Finished {
                    invocation: id,
                    outcome,
                });
            }
        });
    }

    /// Calls an action as an agent would, and waits for the outcome of the call. Fails if the
    /// session refuses the call, or if the assistant is dropped before the outcome.
    pub(crate) async fn execute(
        &self,
        name: &str,
        args: Value,
        within: Option<InvocationId>,
    ) -> Result<Value, ToolError> {
        let (sender, receiver) = oneshot::channel();
        let request = self.next_number();
        self.executing.borrow_mut().insert(request, sender);
        let outcome = self.dispatch(Input::Execute {
            request,
            name: name.to_owned(),
            args,
            within,
        });
        if let Err(refusal) = outcome {
            self.executing.borrow_mut().remove(&request);
            return Err(ToolError::new(refusal.to_string()));
        }
        let removed_error = || ToolError::new("The assistant was removed");
        receiver.await.unwrap_or_else(|_| Err(removed_error()))
    }

    fn cancel_handler(&self, id: InvocationId) {
        let cancelled_task = self.handlers.borrow_mut().remove(&id);
        if let Some(task) = cancelled_task {
            task.cancellation.cancel();
            task.abort.abort();
        }
    }

    /// Evaluates an application's approval rule once the session is released, and dispatches the
    /// answer. If the component of the rule is unmounted before the answer, the user must be asked.
    pub(super) fn evaluate_approval_rule(&self, question: PolicyQuestion<'_>) {
        let code = self.code(question.registration());
        let rule = code.and_then(|code| code.approval.clone());
        let (ticket, args, runtime) = (question.ticket(), question.args().clone(), self.weak());
        let evaluation = self.evaluate_while_registered(question.registration(), async move {
            match rule {
                Some(rule) => rule(args).await,
                // The rule is missing if its component was unmounted.
                None => true,
            }
        });
        spawn_local(async move {
            let must_ask = evaluation.await.unwrap_or(true);
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(Input::PolicyAnswer {
                    ticket,
                    ask: must_ask,
                });
            }
        });
    }

    /// Runs the preview of a call for at most [`PREVIEW_TIMEOUT`], and dispatches the outcome. The
    /// preview fails if its component is unmounted before the outcome.
    fn run_preview(&self, request: PreviewRequest) {
        let code = self.code(request.registration());
        let preview = code.and_then(|code| code.preview.clone());
        let (ticket, runtime) = (request.ticket(), self.weak());
        let evaluation = self.evaluate_while_registered(request.registration(), async move {
            let Some(preview) = preview else {
                return Err(ACTION_REMOVED.to_owned());
            };
            let timeout = sleep(PREVIEW_TIMEOUT).boxed_local();
            match select(preview(request.into_args()), timeout).await {
                Either::Left((outcome, _)) => outcome,
                Either::Right(_) => Err("It took too long".to_owned()),
            }
        });
        spawn_local(async move {
            let outcome = evaluation.await;
            let outcome = outcome.unwrap_or_else(|| Err(ACTION_REMOVED.to_owned()));
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(Input::Previewed { ticket, outcome });
            }
        });
    }

    /// Returns true if the application has a permission rule for calls of this action: the general
    /// rule, or a rule of the action.
    pub(super) fn needs_permission(&self, registration: RegistrationId) -> bool {
        let has_rule = |code: Rc<ActionCode>| code.permission.is_some();
        self.permission.borrow().is_some() || self.code(registration).is_some_and(has_rule)
    }

    /// Asks the application for permission once the session is released, and dispatches the answer.
    /// The general rule is evaluated first and, if it permits the call, the rule of the action. If
    /// the component of the action's rule is unmounted before the answer, the call is refused.
    pub(super) fn evaluate_permission(&self, question: PolicyQuestion<'_>) {
        let code = self.code(question.registration());
        let action_rule = code.and_then(|code| code.permission.clone());
        let general_rule = self.permission.borrow().clone();
        let name = question.name().to_owned();
        let (ticket, args, runtime) = (question.ticket(), question.args().clone(), self.weak());
        let action_evaluation = action_rule.map(|rule| {
            let args = args.clone();
            let evaluation = async move { rule(args).await };
            self.evaluate_while_registered(question.registration(), evaluation)
        });
        spawn_local(async move {
            let mut outcome = match general_rule {
                Some(rule) => rule(name, args).await,
                None => Ok(()),
            };
            if let (Some(evaluation), Ok(())) = (action_evaluation, &outcome) {
                let action_outcome = evaluation.await;
                outcome = action_outcome.unwrap_or_else(|| Err(ACTION_REMOVED.to_owned()));
            }
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(Input::PermissionAnswer { ticket, outcome });
            }
        });
    }
}

/// Marks a lost connection as caused by an offline browser, if the browser is offline.
fn mark_if_offline(mut end: StreamEnd) -> StreamEnd {
    if let StreamEnd::Failed(failure) = &mut end
        && failure.kind() == FailureKind::Network
        && is_offline()
    {
        failure.set_offline();
    }
    end
}
