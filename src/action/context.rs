//! What a handler may know and say while it runs.

use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
    time::Duration,
};

use assistant_core::{
    action::ToolError,
    conversation::{CallKey, Message, MessageId, Progress},
    session::{Input, Invocation, InvocationId},
};
use futures_channel::oneshot;
use futures_util::{
    FutureExt,
    future::{Either, LocalBoxFuture, Shared, select},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::runtime::{Runtime, sleep};

/// What a handler may know and say while it runs.
#[derive(Clone)]
pub struct ToolContext {
    runtime: Weak<Runtime>,
    invocation: Rc<Invocation>,
    cancellation: Cancellation,
    stop: Rc<Cell<bool>>,
}

impl ToolContext {
    pub(crate) fn new(
        runtime: Weak<Runtime>,
        invocation: Invocation,
        cancellation: Cancellation,
    ) -> Self {
        let invocation = Rc::new(invocation);
        Self {
            runtime,
            invocation,
            cancellation,
            stop: Rc::default(),
        }
    }

    /// The id that the agent gave the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.invocation.call_id
    }

    /// The call's place in the conversation; unlike the id it is never used twice.
    #[must_use]
    pub fn call(&self) -> &CallKey {
        &self.invocation.call
    }

    /// The message that made the call; `None` if the page asked for the action itself.
    #[must_use]
    pub fn message_id(&self) -> Option<&MessageId> {
        self.invocation.message.as_ref()
    }

    /// How many runs came before the one that made the call, since the last user message.
    #[must_use]
    pub fn iteration(&self) -> u32 {
        self.invocation.iteration
    }

    /// The chat as it stands, oldest message first.
    #[must_use]
    pub fn history(&self) -> Vec<Message> {
        let read = |runtime: Rc<Runtime>| {
            runtime.read(|session| session.conversation().path().cloned().collect())
        };
        self.runtime.upgrade().and_then(read).unwrap_or_default()
    }

    /// Told when the result is no longer wanted. The handler's future is dropped then; the token
    /// is for work that the handler has started elsewhere.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Says how far the work is: a fraction from 0 to 1, a word about it, or both.
    pub fn progress(&self, fraction: impl Into<Option<f64>>, text: impl Into<String>) {
        let text = text.into();
        let progress = Progress {
            fraction: fraction.into(),
            text: (!text.is_empty()).then_some(text),
        };
        self.say(|invocation| Input::Progress {
            invocation,
            progress,
        });
    }

    /// Shows a result that is not the last one. It is never sent.
    ///
    /// A value that cannot be written as JSON is not shown.
    pub fn preliminary(&self, value: impl Serialize) {
        if let Ok(value) = serde_json::to_value(value) {
            self.say(|invocation| Input::Preliminary { invocation, value });
        }
    }

    /// Ends the loop after this call: the result goes out with the next user message.
    pub fn stop_loop(&self) {
        self.stop.set(true);
    }

    pub(crate) fn stops_loop(&self) -> bool {
        self.stop.get()
    }

    /// Waits until an action can be called: for handlers after which the page is another, such as
    /// one that navigates, so that the agent is offered what is there then.
    ///
    /// ```
    /// use leptos_assistant::{Action, ToolContext, ToolError};
    ///
    /// let open_cart = Action::new("open_cart", "Show the cart")
    ///     .handler(|(): (), ctx: ToolContext| async move {
    ///         // use_navigate()("/cart", Default::default());
    ///         ctx.until_registered("check_out").await?;
    ///         Ok::<_, ToolError>("The cart is open")
    ///     });
    /// ```
    ///
    /// # Errors
    ///
    /// When it is still not there after five seconds.
    pub async fn until_registered(&self, name: &str) -> Result<(), ToolError> {
        let missing = || ToolError::new(format!("Action {name} was not registered in time"));
        let runtime = self.runtime.upgrade().ok_or_else(missing)?;
        let came = runtime.await_action(name);
        drop(runtime);
        let late = sleep(Duration::from_secs(5)).boxed_local();
        match select(came, late).await {
            Either::Left((Ok(()), _)) => Ok(()),
            _ => Err(missing()),
        }
    }

    /// Asks the person through the call's card: the card sees `question` as preliminary result and
    /// answers with [`super::ToolCallView::reply`]. `None` if what it says is of another type.
    pub async fn ask<R: DeserializeOwned>(&self, question: impl Serialize) -> Option<R> {
        let runtime = self.runtime.upgrade()?;
        let reply = runtime.await_reply(self.invocation.call);
        let asking = Asking::begin(&runtime);
        drop(runtime);
        self.preliminary(question);
        let answer = reply.await.ok();
        drop(asking);
        serde_json::from_value(answer?).ok()
    }

    /// Asks the person in a dialog with Confirm and Cancel. Closing it counts as Cancel.
    pub async fn confirm(&self, options: ConfirmOptions) -> bool {
        let Some(runtime) = self.runtime.upgrade() else {
            return false;
        };
        let (sender, receiver) = oneshot::channel();
        let id = runtime.number();
        let guard = DialogGuard {
            asking: Asking::begin(&runtime),
            id,
        };
        runtime
            .view
            .open_dialog(ConfirmRequest::new(id, options, sender));
        drop(runtime);
        let confirmed = receiver.await.unwrap_or(false);
        drop(guard);
        confirmed
    }

    fn say(&self, input: impl FnOnce(InvocationId) -> Input) {
        if let Some(runtime) = self.runtime.upgrade() {
            // Refused only when the call is over, and then nobody listens.
            let _ = runtime.dispatch(input(self.invocation.id));
        }
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext")
            .field("invocation", &self.invocation)
            .finish_non_exhaustive()
    }
}

/// Closes the dialog when the handler is dropped while it is open.
struct DialogGuard {
    asking: Asking,
    id: u64,
}

impl Drop for DialogGuard {
    fn drop(&mut self) {
        if let Some(runtime) = self.asking.0.upgrade() {
            runtime.view.close_dialog(self.id);
        }
    }
}

/// The chat says that it waits for the person for as long as this lives.
struct Asking(Weak<Runtime>);

impl Asking {
    fn begin(runtime: &Runtime) -> Self {
        runtime.view.begin_asking();
        Self(runtime.weak())
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.upgrade() {
            runtime.view.end_asking();
        }
    }
}

/// What a confirm dialog says.
#[derive(Debug, Clone, Default)]
pub struct ConfirmOptions {
    /// The question.
    pub title: String,
    /// What follows from it.
    pub text: String,
    /// Whether Confirm does something that cannot be undone.
    pub danger: bool,
}

impl ConfirmOptions {
    /// A question.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Says what follows from it.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Marks it as something that cannot be undone.
    #[must_use]
    pub fn danger(mut self) -> Self {
        self.danger = true;
        self
    }
}

/// A dialog that is open.
#[derive(Clone)]
pub(crate) struct ConfirmRequest {
    pub(crate) id: u64,
    pub(crate) options: ConfirmOptions,
    answer: std::sync::Arc<send_wrapper::SendWrapper<RefCell<Option<oneshot::Sender<bool>>>>>,
}

impl ConfirmRequest {
    fn new(id: u64, options: ConfirmOptions, answer: oneshot::Sender<bool>) -> Self {
        let answer = send_wrapper::SendWrapper::new(RefCell::new(Some(answer)));
        Self {
            id,
            options,
            answer: std::sync::Arc::new(answer),
        }
    }

    /// Passes the answer on; only the first counts.
    pub(crate) fn answer(&self, confirmed: bool) {
        if let Some(sender) = self.answer.borrow_mut().take() {
            // The handler may be gone; then nobody wants the answer.
            let _ = sender.send(confirmed);
        }
    }
}

/// Tells that a result is no longer wanted.
#[derive(Clone)]
pub struct Cancellation {
    cancelled: Rc<Cell<bool>>,
    sender: Rc<RefCell<Option<oneshot::Sender<()>>>>,
    receiver: Shared<LocalBoxFuture<'static, ()>>,
}

impl Default for Cancellation {
    fn default() -> Self {
        let (sender, receiver) = oneshot::channel::<()>();
        let receiver = receiver.map(|_| ()).boxed_local().shared();
        Self {
            cancelled: Rc::default(),
            sender: Rc::new(RefCell::new(Some(sender))),
            receiver,
        }
    }
}

impl Cancellation {
    /// Whether the result is no longer wanted.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }

    /// Waits until the result is no longer wanted. If it stays wanted, waits for ever.
    pub async fn cancelled(&self) {
        self.receiver.clone().await;
        if !self.is_cancelled() {
            std::future::pending::<()>().await;
        }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.set(true);
        if let Some(sender) = self.sender.borrow_mut().take() {
            // Nobody may be waiting.
            let _ = sender.send(());
        }
    }
}

impl std::fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancellation")
            .field("cancelled", &self.cancelled)
            .finish_non_exhaustive()
    }
}
