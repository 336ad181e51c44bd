//! The engine of a build with a split point, fetched on demand.

#![allow(
    unsafe_code,
    reason = "the split point is an import, which its macro declares"
)]

use std::{
    cell::{Cell, RefCell},
    rc::Weak,
    sync::OnceLock,
};

use assistant_core::session::{Input, Refusal};
use futures_channel::oneshot;
use leptos::{
    prelude::{ArcRwSignal, GetUntracked, Set},
    wasm_split::{SplitLoaderError, wasm_split},
};

use super::Step;
use crate::{
    runtime::{Queued, Runtime, starts_something},
    ui::{console_error, spawn_local},
};

static LOADED: OnceLock<Step> = OnceLock::new();

thread_local! {
    /// The tasks that wait until the engine is loaded.
    static WAITING: RefCell<Vec<oneshot::Sender<()>>> = const { RefCell::new(Vec::new()) };
}

/// The split point: code that only this function reaches is in a separate module.
#[wasm_split(conversation, wasm_split_path = leptos::wasm_split, fallible)]
fn engine() -> Result<Step, SplitLoaderError> {
    Ok(Runtime::step)
}

pub(in crate::runtime) fn loaded() -> Option<Step> {
    LOADED.get().copied()
}

/// The inputs of a runtime that wait for the engine.
#[derive(Default)]
pub(crate) struct Held {
    /// True if one of them starts or shows something.
    pub(crate) shows: ArcRwSignal<bool>,
    /// True if one of them is a message, whose run the next one would have to wait for.
    sends: Cell<bool>,
    loading: Cell<bool>,
}

/// Loads the engine, and handles the inputs that a runtime has queued. Returns false if it could
/// not be loaded.
pub(crate) async fn load(runtime: Weak<Runtime>) -> bool {
    let step = match loaded() {
        Some(step) => step,
        None => match engine().await {
            Ok(step) => step,
            Err(_) => return false,
        },
    };
    // Another runtime may have set it.
    let _ = LOADED.set(step);
    for waiting in WAITING.take() {
        // The task may have ended.
        let _ = waiting.send(());
    }
    if let Some(runtime) = runtime.upgrade() {
        runtime.take_held(step);
    }
    true
}

/// Waits until the engine is loaded, by whichever runtime.
pub(crate) async fn until_loaded() {
    if loaded().is_some() {
        return;
    }
    let (sender, receiver) = oneshot::channel();
    WAITING.with_borrow_mut(|waiting| waiting.push(sender));
    let _ = receiver.await;
}

impl Runtime {
    /// Queues a step until the engine is loaded. A second message is refused, as it is while a run
    /// is open: the engine would refuse it later, when the composer is empty.
    pub(in crate::runtime) fn hold(&self, next: Queued) -> Result<(), Refusal> {
        if self.ended.get() {
            return Ok(());
        }
        let shows = match &next {
            Queued::Input(input) => {
                let sends = match **input {
                    Input::Send { .. } if self.held.sends.get() => return Err(Refusal::Busy),
                    Input::Send { .. } => true,
                    Input::NewThread | Input::Load { .. } => false,
                    _ => self.held.sends.get(),
                };
                self.held.sends.set(sends);
                shows_something(input)
            }
            Queued::StateChange(_) => false,
        };
        self.queue.borrow_mut().push_back(next);
        if shows {
            self.wait_for_engine();
        }
        Ok(())
    }

    /// Fetches the engine for an input that the user may wait for.
    pub(in crate::runtime) fn wait_for_engine(&self) {
        if loaded().is_some() {
            return;
        }
        if !self.held.shows.get_untracked() {
            self.held.shows.set(true);
        }
        self.request_engine();
    }

    /// Fetches the engine.
    pub(in crate::runtime) fn request_engine(&self) {
        if loaded().is_some() || self.held.loading.replace(true) {
            return;
        }
        let runtime = self.weak();
        spawn_local(async move {
            load(runtime.clone()).await;
            if let Some(runtime) = runtime.upgrade() {
                runtime.held.loading.set(false);
            }
        });
    }

    /// Handles the steps that were queued before the engine was loaded. The callers were told that
    /// they are accepted, so refusals are reported.
    pub(in crate::runtime) fn take_held(&self, step: Step) {
        if self.draining.get() || self.queue.borrow().is_empty() {
            return;
        }
        self.draining.set(true);
        self.watch();
        while let Some(outcome) = step(self) {
            if let Err(refusal) = outcome {
                console_error(&refusal.to_string());
            }
        }
        self.draining.set(false);
    }

    /// Drops the steps that are still queued when the provider is unmounted.
    pub(in crate::runtime) fn drop_held(&self) {
        if loaded().is_none() {
            let held = self.queue.take();
            drop(held);
        }
    }
}

/// Returns true if an input has a visible result that the user may wait for.
const fn shows_something(input: &Input) -> bool {
    starts_something(input)
        || matches!(
            input,
            Input::Load { .. }
                | Input::Restore { .. }
                | Input::Follow { .. }
                | Input::SetNotice { .. }
        )
}
