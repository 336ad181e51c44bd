//! Runs the code of actions and contexts with the contexts of their component and without tracking
//! signals.

use std::{future::poll_fn, rc::Rc};

use futures_util::future::LocalBoxFuture;
use leptos::{prelude::*, reactive::owner::WeakOwner};

use crate::render::{
    ActionCode, ApprovalRule, DenialResult, InvocationHandler, PermissionRule, PreviewFn,
    SanitizeFn,
};

/// The reactive owner of the component that registered an action or a context. The contexts of the
/// component are available until the component is unmounted.
#[derive(Clone)]
pub(super) struct ComponentScope(Option<WeakOwner>);

impl ComponentScope {
    pub(super) fn current() -> Self {
        Self(Owner::current().map(|owner| owner.downgrade()))
    }

    pub(super) fn run_in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        match self.0.as_ref().and_then(WeakOwner::upgrade) {
            Some(owner) => owner.with(|| untrack(work)),
            None => untrack(work),
        }
    }

    fn wrap_future<T: 'static>(
        &self,
        start: impl FnOnce() -> LocalBoxFuture<'static, T>,
    ) -> LocalBoxFuture<'static, T> {
        let scope = self.clone();
        let mut future = self.run_in_scope(start);
        Box::pin(poll_fn(move |cx| {
            scope.run_in_scope(|| future.as_mut().poll(cx))
        }))
    }

    /// Wraps the functions of an action so that they run in this scope.
    pub(super) fn wrap_code(&self, code: ActionCode) -> ActionCode {
        let scope = || self.clone();
        ActionCode {
            handler: code.handler.map(|handler| -> InvocationHandler {
                let scope = scope();
                Rc::new(move |call, cancellation| scope.wrap_future(|| handler(call, cancellation)))
            }),
            approval: code.approval.map(|rule| -> ApprovalRule {
                let scope = scope();
                Rc::new(move |args| scope.wrap_future(|| rule(args)))
            }),
            preview: code.preview.map(|preview| -> PreviewFn {
                let scope = scope();
                Rc::new(move |args| scope.wrap_future(|| preview(args)))
            }),
            permission: code.permission.map(|permits| -> PermissionRule {
                let scope = scope();
                Rc::new(move |args| scope.wrap_future(|| permits(args)))
            }),
            sanitize: code.sanitize.map(|clean| -> SanitizeFn {
                let scope = scope();
                Rc::new(move |args| scope.run_in_scope(|| clean(args)))
            }),
            denial: code.denial.map(|denial| -> DenialResult {
                let scope = scope();
                Rc::new(move |args, reason| scope.run_in_scope(|| denial(args, reason)))
            }),
        }
    }
}
