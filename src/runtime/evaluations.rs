//! Tracks the rules and previews of actions that are being evaluated, which end when their action
//! is removed (rule "unmounting").

use std::{cell::RefCell, rc::Weak};

use assistant_core::action::RegistrationId;
use futures_util::future::{AbortHandle, abortable};

use super::Runtime;

/// The evaluations in progress, oldest first.
#[derive(Default)]
pub(super) struct Evaluations(RefCell<Vec<Evaluation>>);

/// A rule or preview of an action that is being evaluated.
struct Evaluation {
    number: u64,
    registration: RegistrationId,
    abort: AbortHandle,
}

/// A guard that forgets an evaluation when the evaluation ends or is dropped.
struct EvaluationGuard {
    runtime: Weak<Runtime>,
    number: u64,
}

impl Drop for EvaluationGuard {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.upgrade() else {
            return;
        };
        // The evaluation is dropped after the borrow ends, since its handle may own the last
        // reference to the task of another evaluation.
        let mut evaluations = runtime.evaluations.0.borrow_mut();
        let index = evaluations
            .iter()
            .position(|evaluation| evaluation.number == self.number);
        let ended_evaluation = index.map(|index| evaluations.remove(index));
        drop(evaluations);
        drop(ended_evaluation);
    }
}

impl Runtime {
    /// Returns a future that evaluates a rule or a preview of an action. The future resolves to
    /// `None` if the code of the action is removed first, because the signals that the evaluation
    /// reads may be disposed.
    pub(super) fn evaluate_while_registered<T: 'static>(
        &self,
        registration: RegistrationId,
        evaluation: impl Future<Output = T> + 'static,
    ) -> impl Future<Output = Option<T>> + 'static {
        let (evaluation, abort) = abortable(evaluation);
        let number = self.next_number();
        self.evaluations.0.borrow_mut().push(Evaluation {
            number,
            registration,
            abort,
        });
        let guard = EvaluationGuard {
            runtime: self.weak(),
            number,
        };
        async move {
            let outcome = evaluation.await;
            drop(guard);
            outcome.ok()
        }
    }

    /// Aborts the evaluations of an action whose code is removed.
    pub(super) fn abort_evaluations(&self, registration: RegistrationId) {
        let evaluations = self.evaluations.0.borrow();
        let aborted = evaluations
            .iter()
            .filter(|evaluation| evaluation.registration == registration);
        let handles: Vec<AbortHandle> = aborted.map(|found| found.abort.clone()).collect();
        drop(evaluations);
        handles.iter().for_each(AbortHandle::abort);
    }

    /// Aborts all evaluations.
    pub(super) fn abort_all_evaluations(&self) {
        let evaluations = self.evaluations.0.take();
        for evaluation in evaluations {
            evaluation.abort.abort();
        }
    }
}
