//! Carries out the effects of the session.

use std::{rc::Rc, time::Duration};

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
            Effect::Preview(asked) => self.run_preview(*asked),
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
                let waiting = self.executing.borrow_mut().remove(&request);
                if let Some(sender) = waiting {
                    // The caller may have dropped the receiver.
                    let _ = sender.send(outcome);
                }
            }
            Effect::StoreApprovals { approvals } => {
                let keep = self.approvals.borrow().clone();
                keep.inspect(|keep| keep.store_all(approvals));
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

    /// Waits until changes that a handler or a click made to the page have settled (effects,
    /// mounts, a navigation), then reads the sources and opens the run.
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

    /// Aborts the request of a run, if the request is open, and calls
    /// [`Agent::stop`](crate::agent::Agent::stop), so that the run ends at its server. While
    /// `leaves_runs` is true, the run is not stopped, so that it can be resumed.
    fn abort_run(&self, run: RunKey) {
        let Some(task) = self.runs.borrow_mut().remove(&run) else {
            return;
        };
        task.abort.abort();
        if !self.leaves_runs.get() {
            task.agent.stop(&task.thread_id, &task.run_id);
        }
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
        let task = RunTask {
            abort,
            agent,
            thread_id,
            run_id,
        };
        self.runs.borrow_mut().insert(run, task);
        let runtime = self.weak();
        spawn_local(async move {
            let Ok(end) = stream.await else { return };
            let end = mark_if_offline(end);
            if let Some(runtime) = runtime.upgrade() {
                runtime.runs.borrow_mut().remove(&run);
                runtime.dispatch_ignoring_refusal(Input::RunClosed { run, end });
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
        let (work, abort) = abortable(handler(invocation, cancellation.clone()));
        self.handlers.borrow_mut().insert(
            id,
            HandlerTask {
                abort,
                cancellation,
            },
        );
        let runtime = self.weak();
        spawn_local(async move {
            let Ok(outcome) = work.await else { return };
            if let Some(runtime) = runtime.upgrade() {
                runtime.handlers.borrow_mut().remove(&id);
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
        let asked = self.dispatch(Input::Execute {
            request,
            name: name.to_owned(),
            args,
            within,
        });
        if let Err(refusal) = asked {
            self.executing.borrow_mut().remove(&request);
            return Err(ToolError::new(refusal.to_string()));
        }
        let detached = || ToolError::new("The assistant was removed");
        receiver.await.unwrap_or_else(|_| Err(detached()))
    }

    fn cancel_handler(&self, id: InvocationId) {
        if let Some(task) = self.handlers.borrow_mut().remove(&id) {
            task.cancellation.cancel();
            task.abort.abort();
        }
    }

    /// Evaluates an application's approval rule once the session is released, and dispatches the
    /// answer. If the rule was unmounted with its component, the answer is that the user must be
    /// asked.
    pub(super) fn evaluate_approval_rule(&self, question: PolicyQuestion<'_>) {
        let code = self.code(question.registration());
        let rule = code.and_then(|code| code.approval.clone());
        let (ticket, args, runtime) = (question.ticket(), question.args().clone(), self.weak());
        spawn_local(async move {
            // If the rule was unmounted with its component, the user is asked.
            let ask = match rule {
                Some(rule) => rule(args).await,
                None => true,
            };
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(Input::PolicyAnswer { ticket, ask });
            }
        });
    }

    /// Runs the preview of a call, at most for [`PREVIEW_TIMEOUT`], and dispatches the outcome.
    fn run_preview(&self, asked: PreviewRequest) {
        let code = self.code(asked.registration());
        let preview = code.and_then(|code| code.preview.clone());
        let (ticket, runtime) = (asked.ticket(), self.weak());
        spawn_local(async move {
            let outcome = match preview {
                Some(preview) => {
                    let late = sleep(PREVIEW_TIMEOUT).boxed_local();
                    match select(preview(asked.into_args()), late).await {
                        Either::Left((outcome, _)) => outcome,
                        Either::Right(_) => Err("It took too long".to_owned()),
                    }
                }
                None => Err("The action was removed".to_owned()),
            };
            if let Some(runtime) = runtime.upgrade() {
                runtime.dispatch_ignoring_refusal(Input::Previewed { ticket, outcome });
            }
        });
    }

    /// Returns true if the application has a permission rule for calls of this action: the general
    /// rule, or a rule of the action.
    pub(super) fn needs_permission(&self, registration: RegistrationId) -> bool {
        let of_action = |code: Rc<ActionCode>| code.permission.is_some();
        self.permission.borrow().is_some() || self.code(registration).is_some_and(of_action)
    }

    /// Asks the application for permission once the session is released, and dispatches the answer.
    /// The general rule is evaluated first and, if it permits the call, the rule of the action.
    pub(super) fn evaluate_permission(&self, question: PolicyQuestion<'_>) {
        let code = self.code(question.registration());
        let own = code.and_then(|code| code.permission.clone());
        let general = self.permission.borrow().clone();
        let name = question.name().to_owned();
        let (ticket, args, runtime) = (question.ticket(), question.args().clone(), self.weak());
        spawn_local(async move {
            let mut outcome = match general {
                Some(permits) => permits(name, args.clone()).await,
                None => Ok(()),
            };
            if let (Some(permits), Ok(())) = (own, &outcome) {
                outcome = permits(args).await;
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
