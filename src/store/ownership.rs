//! Elects the tab that owns a conversation, with the Web Locks API, and exchanges messages with the
//! other tabs.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_channel::oneshot;
use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, select};
use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{AbortController, BroadcastChannel, MessageEvent};

use crate::ui::{browser, sleep, spawn_local};

fn lock_manager() -> Option<JsValue> {
    let navigator = browser()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    (!locks.is_undefined() && !locks.is_null()).then_some(locks)
}

/// Returns true if the browser has the Web Locks API, which insecure contexts lack.
pub(crate) fn has_web_locks() -> bool {
    lock_manager().is_some()
}

/// A lock that is held until this value is dropped.
pub(crate) struct Lock {
    /// The function that resolves the promise for which the browser holds the lock.
    release: Option<Function>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            // Resolving a promise cannot fail.
            let _ = release.call0(&JsValue::NULL);
        }
    }
}

/// The outcome of a lock request.
pub(crate) enum LockAttempt {
    /// This tab has the lock.
    Granted(Lock),
    /// The browser reports that a live page holds the lock.
    Held,
    /// The browser has no locks, refuses the request, or does not answer, so the holder is unknown.
    Unknown,
}

impl Lock {
    /// Waits up to `ms` milliseconds for the lock of this name. `lost` is called if another tab
    /// steals the lock later.
    pub(crate) async fn acquire(name: &str, ms: u32, lost: impl FnOnce() + 'static) -> LockAttempt {
        let (options, abort) = (Object::new(), AbortController::new());
        let Ok(abort) = abort else {
            return LockAttempt::Unknown;
        };
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&options, &"signal".into(), &abort.signal());
        let Some(lock_request) = request_lock(name, options, lost) else {
            return LockAttempt::Unknown;
        };
        let lock_request = match with_timeout(ms, lock_request).await {
            Ok(Some(lock)) => return LockAttempt::Granted(lock),
            Ok(None) => return LockAttempt::Unknown,
            Err(lock_request) => lock_request,
        };
        let is_held = is_lock_held(name).await;
        abort.abort();
        // The lock may have been granted just before the abort.
        match with_timeout(ANSWER_TIMEOUT_MS, lock_request).await {
            Ok(Some(lock)) => LockAttempt::Granted(lock),
            _ if is_held => LockAttempt::Held,
            _ => LockAttempt::Unknown,
        }
    }

    /// Queues for the lock, until the lock is granted or the [`QueuePosition`] is dropped. `lost`
    /// is called if another tab steals the lock later. Returns `None` if the browser has no locks.
    pub(crate) fn queue(
        name: &str,
        lost: impl FnOnce() + 'static,
    ) -> Option<(QueuePosition, LockFuture)> {
        let options = Object::new();
        let position = QueuePosition(AbortController::new().ok()?);
        let _ = Reflect::set(&options, &"signal".into(), &position.0.signal());
        Some((position, request_lock(name, options, lost)?))
    }

    /// Takes the lock from the tab that holds the lock. Returns `None` if the browser refuses or
    /// does not answer. `lost` is called if another tab steals the lock later.
    pub(crate) async fn steal(name: &str, lost: impl FnOnce() + 'static) -> Option<Self> {
        let options = Object::new();
        let _ = Reflect::set(&options, &"steal".into(), &JsValue::TRUE);
        with_timeout(ANSWER_TIMEOUT_MS, request_lock(name, options, lost)?)
            .await
            .ok()?
    }
}

/// The timeout for answers from the browser, in milliseconds.
const ANSWER_TIMEOUT_MS: u32 = 1_000;

/// Waits up to `ms` milliseconds for a future. If the future is not ready by then, returns the
/// future as the error.
async fn with_timeout<F: Future + Unpin>(ms: u32, future: F) -> Result<F::Output, F> {
    let timeout = Box::pin(sleep(Duration::from_millis(u64::from(ms))));
    match select(future, timeout).await {
        Either::Left((outcome, _)) => Ok(outcome),
        Either::Right(((), future)) => Err(future),
    }
}

/// Returns true if the browser reports that a live page holds the lock. Returns false if the
/// browser reports that no page holds the lock, or does not answer.
async fn is_lock_held(name: &str) -> bool {
    let send_query = || {
        let locks = lock_manager()?;
        let query: Function = Reflect::get(&locks, &"query".into())
            .ok()?
            .dyn_into()
            .ok()?;
        query.call0(&locks).ok()?.dyn_into::<Promise>().ok()
    };
    let Some(promise) = send_query() else {
        return false;
    };
    let answer = Box::pin(wasm_bindgen_futures::JsFuture::from(promise));
    let Ok(Ok(answer)) = with_timeout(ANSWER_TIMEOUT_MS, answer).await else {
        return false;
    };
    let held_locks = Reflect::get(&answer, &"held".into()).unwrap_or_default();
    let has_name = |lock: JsValue| {
        let lock_name = Reflect::get(&lock, &"name".into());
        lock_name.is_ok_and(|lock_name| lock_name.as_string().as_deref() == Some(name))
    };
    Array::is_array(&held_locks) && Array::from(&held_locks).iter().any(has_name)
}

/// A future that resolves to the lock, or to `None` if the lock is not granted.
pub(crate) type LockFuture = LocalBoxFuture<'static, Option<Lock>>;

/// A place in the queue for a lock. Dropping the place withdraws the request for the lock.
pub(crate) struct QueuePosition(AbortController);

impl Drop for QueuePosition {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn request_lock(name: &str, options: Object, lost: impl FnOnce() + 'static) -> Option<LockFuture> {
    let locks = lock_manager()?;
    let (sender, receiver) = oneshot::channel::<Option<Lock>>();
    let sender = Rc::new(RefCell::new(Some(sender)));
    let grant_sender = Rc::clone(&sender);
    let on_granted = Closure::once_into_js(move |_lock: JsValue| -> JsValue {
        let mut release = None;
        let promise = Promise::new(&mut |resolve, _| release = Some(resolve));
        if let Some(sender) = grant_sender.borrow_mut().take() {
            // If the receiver was dropped, the lock is released at once.
            let _ = sender.send(Some(Lock { release }));
        }
        promise.into()
    });
    let request_function: Function = Reflect::get(&locks, &"request".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let returned_value = request_function
        .call3(&locks, &name.into(), &options, &on_granted)
        .ok()?;
    let lock_promise: Promise = returned_value.dyn_into().ok()?;
    spawn_local(async move {
        let was_rejected = wasm_bindgen_futures::JsFuture::from(lock_promise)
            .await
            .is_err();
        match sender.borrow_mut().take() {
            Some(sender) => drop(sender.send(None)),
            None if was_rejected => lost(),
            None => {}
        }
    });
    Some(async move { receiver.await.ok().flatten() }.boxed_local())
}

/// A message between tabs that have the same conversation open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TabMessage {
    /// The sender is taking over the conversation.
    TakeOver,
    /// The sender has released the conversation.
    Released,
    /// The sender owns the conversation from now on.
    Owned,
    /// The sender has written a change.
    Written,
    /// The sender asks the owner to answer, to detect whether the owner's page is alive.
    Ping,
    /// The owner's answer to [`Self::Ping`].
    Pong,
}

impl TabMessage {
    const ALL: [Self; 6] = [
        Self::TakeOver,
        Self::Released,
        Self::Owned,
        Self::Written,
        Self::Ping,
        Self::Pong,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::TakeOver => "wants",
            Self::Released => "lets-go",
            Self::Owned => "has",
            Self::Written => "wrote",
            Self::Ping => "asks",
            Self::Pong => "acts",
        }
    }
}

/// The channel between the tabs that have a conversation open.
pub(crate) struct TabChannel {
    channel: Option<BroadcastChannel>,
    /// The listener, which must be kept alive while the browser may call the listener.
    _listener: Closure<dyn FnMut(MessageEvent)>,
}

impl TabChannel {
    pub(crate) fn new(name: &str, mut on_message: impl FnMut(TabMessage) + 'static) -> Self {
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let message = event.data().as_string();
            let message = TabMessage::ALL
                .into_iter()
                .find(|candidate| message.as_deref() == Some(candidate.as_str()));
            if let Some(message) = message {
                on_message(message);
            }
        });
        let channel = BroadcastChannel::new(name).ok();
        if let Some(channel) = &channel {
            channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        }
        Self {
            channel,
            _listener: listener,
        }
    }

    /// Sends a message. Returns false if there is no channel, or if the channel is closed.
    pub(crate) fn send(&self, what: TabMessage) -> bool {
        // Posting a message fails only if the channel is closed.
        let send = |channel: &BroadcastChannel| channel.post_message(&what.as_str().into()).is_ok();
        self.channel.as_ref().is_some_and(send)
    }
}

impl Drop for TabChannel {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            channel.set_onmessage(None);
            channel.close();
        }
    }
}

/// The storage state of an assistant's conversation, which includes the tab that acts on the
/// conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ownership {
    /// The conversation is not stored, because there is no store, the store cannot be used, or the
    /// store may have a diverged state of the conversation.
    #[default]
    NotStored,
    /// The conversation is being loaded from the store.
    Opening,
    /// The conversation is stored, and this tab acts on it.
    ThisTab {
        /// True if other tabs are prevented from acting on the conversation at the same time.
        /// Without the Web Locks API (in insecure contexts), the tab that opened the conversation
        /// last acts on it, and the previous tab may detect the takeover only at its next write.
        across_tabs: bool,
    },
    /// The conversation is stored, and another tab acts on it. In this tab the conversation is
    /// read-only.
    OtherTab,
}
