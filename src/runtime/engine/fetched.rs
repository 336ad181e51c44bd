//! Fetches the engine on demand, in a build with a split point (rule "before the second part is
//! loaded").

#![allow(
    unsafe_code,
    reason = "the split point is an import, which its macro declares"
)]

use std::{
    cell::{Cell, RefCell},
    rc::Weak,
    sync::{Arc, OnceLock},
};

use assistant_core::{
    event::Content,
    session::{Input, Refusal},
};
use futures_channel::oneshot;
use leptos::{
    prelude::{ArcRwSignal, GetUntracked, Set, WithUntracked},
    wasm_split::{SplitLoaderError, wasm_split},
};

use super::StepHandler;
use crate::{
    runtime::{QueuedStep, Runtime, may_start_work},
    ui::{console_error, spawn_local},
};

static STEP_HANDLER: OnceLock<StepHandler> = OnceLock::new();

thread_local! {
    /// The tasks that wait until the engine is loaded.
    static WAITING_TASKS: RefCell<Vec<oneshot::Sender<()>>> = const { RefCell::new(Vec::new()) };
}

/// Returns the function that handles queued steps. This function is the split point: code that only
/// this function reaches is in a separate module.
#[wasm_split(conversation, wasm_split_path = leptos::wasm_split, fallible)]
fn engine() -> Result<StepHandler, SplitLoaderError> {
    Ok(Runtime::handle_next_step)
}

pub(crate) fn step_handler() -> Option<StepHandler> {
    STEP_HANDLER.get().copied()
}

/// The state that views show while inputs wait for the engine, and a flag that is true while the
/// engine is being fetched.
#[derive(Default)]
pub(crate) struct HeldInputs {
    /// True once an input has requested the engine, so that the user may have to wait.
    pub(crate) shows: ArcRwSignal<bool>,
    /// The message among the waiting inputs, which views show until the session has the message.
    pub(crate) message: ArcRwSignal<Option<Arc<Content>>>,
    loading: Cell<bool>,
}

impl HeldInputs {
    /// Stores the message of an input while the engine is not loaded; views show the message until
    /// the session contains the message. An input that opens another conversation removes the
    /// stored message. A second message is refused, because the engine would refuse that message
    /// later, when the composer is already empty. Returns true if the stored message has changed.
    pub(in crate::runtime) fn hold_message(&self, input: &Input) -> Result<bool, Refusal> {
        let has_message = self.message.with_untracked(Option::is_some);
        let message = match input {
            Input::Send { .. } if has_message => return Err(Refusal::Busy),
            _ if step_handler().is_some() => return Ok(false),
            Input::Send { content } => Some(Arc::new(content.clone())),
            Input::NewThread | Input::Load { .. } if has_message => None,
            _ => return Ok(false),
        };
        self.message.set(message);
        Ok(true)
    }

    /// Returns the text of the waiting message.
    pub(in crate::runtime) fn message_text(&self) -> Option<String> {
        let message = self.message.get_untracked();
        message.map(|content| content.display_text())
    }

    /// Returns true if an input sends the waiting message. Returns false for a message that was
    /// removed because a new conversation was opened, although the input of that message is still
    /// queued.
    pub(in crate::runtime) fn is_held_message(&self, input: &Input) -> bool {
        let Input::Send { content } = input else {
            return false;
        };
        self.message
            .with_untracked(|message| message.as_deref() == Some(content))
    }
}

/// Loads the engine, notifies the tasks that wait for the engine, and handles the inputs that a
/// runtime has queued. Returns false if the engine could not be loaded.
pub(crate) async fn load_engine(runtime: Weak<Runtime>) -> bool {
    let step = match step_handler() {
        Some(step) => step,
        None => match engine().await {
            Ok(step) => step,
            Err(_) => return false,
        },
    };
    // Setting the handler fails only if another runtime has already set the handler.
    let _ = STEP_HANDLER.set(step);
    for sender in WAITING_TASKS.take() {
        // Sending fails only if the task has ended.
        let _ = sender.send(());
    }
    if let Some(runtime) = runtime.upgrade() {
        runtime.handle_held_steps(step);
    }
    true
}

/// Waits until any runtime of the page has loaded the engine.
pub(crate) async fn wait_until_loaded() {
    if step_handler().is_some() {
        return;
    }
    let (sender, receiver) = oneshot::channel();
    WAITING_TASKS.with_borrow_mut(|senders| senders.push(sender));
    let _ = receiver.await;
}

impl Runtime {
    /// Queues a step until the engine is loaded, and fetches the engine if the step has a visible
    /// result. After the provider is unmounted, the step is dropped.
    pub(in crate::runtime) fn hold_step(&self, next: QueuedStep) -> Result<(), Refusal> {
        if self.ended.get() {
            return Ok(());
        }
        let has_visible_outcome = match &next {
            QueuedStep::Input(input) => has_visible_result(input),
            QueuedStep::OpenThread(_) => true,
            QueuedStep::StateChange(_) => false,
        };
        self.queue.borrow_mut().push_back(next);
        if has_visible_outcome {
            self.request_engine_for_input();
        }
        Ok(())
    }

    /// Stops showing the waiting message, after the session has added the message to the
    /// conversation or has refused the message. A refused message is returned to the composer.
    pub(in crate::runtime) fn clear_held_message(&self, refused: bool) {
        let Some(content) = self.held.message.get_untracked() else {
            return;
        };
        if refused {
            self.return_to_composer(&content);
        }
        // Updates the conversation at once, so that the message appears in the conversation in the
        // same frame in which the waiting message disappears.
        self.apply_queued_changes();
        self.held.message.set(None);
        self.update_draft();
    }

    /// Requests the engine for an input, and shows that the user may have to wait. Does nothing if
    /// the engine is loaded.
    pub(in crate::runtime) fn request_engine_for_input(&self) {
        if step_handler().is_some() {
            return;
        }
        if !self.held.shows.get_untracked() {
            self.held.shows.set(true);
        }
        self.request_engine();
    }

    /// Starts to fetch the engine. Does nothing if the engine is loaded or being fetched.
    pub(in crate::runtime) fn request_engine(&self) {
        if step_handler().is_some() || self.held.loading.replace(true) {
            return;
        }
        let runtime = self.weak();
        spawn_local(async move {
            load_engine(runtime.clone()).await;
            if let Some(runtime) = runtime.upgrade() {
                runtime.held.loading.set(false);
            }
        });
    }

    /// Handles the steps that were queued before the engine was loaded. Because the steps counted
    /// as accepted, a refused message is returned to the composer. Other refusals are logged while
    /// no returned message waits for the composer.
    pub(in crate::runtime) fn handle_held_steps(&self, step: StepHandler) {
        if self.draining.get() || self.queue.borrow().is_empty() {
            return;
        }
        self.draining.set(true);
        self.schedule_interruption_check();
        while let Some(outcome) = step(self) {
            let has_returned_messages = self.returned.with_untracked(|list| !list.is_empty());
            if let Err(refusal) = outcome
                && !has_returned_messages
            {
                console_error(&refusal.to_string());
            }
        }
        self.draining.set(false);
    }

    /// Drops the queued steps when the provider is unmounted, if the engine is not loaded.
    pub(in crate::runtime) fn drop_held_steps(&self) {
        if step_handler().is_none() {
            let held_steps = self.queue.take();
            drop(held_steps);
        }
    }
}

/// Returns true if an input has a visible result that the user may wait for.
const fn has_visible_result(input: &Input) -> bool {
    may_start_work(input)
        || matches!(
            input,
            Input::Load { .. }
                | Input::Restore { .. }
                | Input::Follow { .. }
                | Input::SetNotice { .. }
        )
}
