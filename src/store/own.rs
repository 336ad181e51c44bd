//! Whose tab a conversation is: one tab has it, by a lock of the browser, and the others follow.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_channel::oneshot;
use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, select};
use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{AbortController, BroadcastChannel, MessageEvent};

use crate::ui::{browser, sleep, spawn_local};

fn locks() -> Option<JsValue> {
    let navigator = browser()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok()?;
    (!locks.is_undefined() && !locks.is_null()).then_some(locks)
}

/// Returns whether tabs of this browser can agree who owns a conversation. Pages that are not served
/// securely have no locks.
pub(crate) fn locks_are_there() -> bool {
    locks().is_some()
}

/// A lock that is held until it is dropped.
pub(crate) struct Lock {
    /// Ends the promise for which the browser holds the lock.
    release: Option<Function>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(release) = self.release.take() {
            // Resolving a promise does not fail.
            let _ = release.call0(&JsValue::NULL);
        }
    }
}

/// The outcome of asking for a lock.
pub(crate) enum Asked {
    /// It is this tab's.
    Granted(Lock),
    /// A page that lives has it, by the browser's word.
    Held,
    /// The browser has no locks, refuses to give one, or does not answer: nobody can be said to have it.
    Unknown,
}

impl Lock {
    /// Waits for the lock of this name, so many milliseconds. `lost` is called when another tab
    /// takes it away.
    pub(crate) async fn wait(name: &str, ms: u32, lost: impl FnOnce() + 'static) -> Asked {
        let (options, abort) = (Object::new(), AbortController::new());
        let Ok(abort) = abort else {
            return Asked::Unknown;
        };
        // Setting a member of an object of your own does not fail.
        let _ = Reflect::set(&options, &"signal".into(), &abort.signal());
        let Some(asked) = request(name, options, lost) else {
            return Asked::Unknown;
        };
        let asked = match within(ms, asked).await {
            Ok(Some(lock)) => return Asked::Granted(lock),
            Ok(None) => return Asked::Unknown,
            Err(asked) => asked,
        };
        let held = is_held(name).await;
        abort.abort();
        // It may have been granted just before.
        match within(ANSWER_MS, asked).await {
            Ok(Some(lock)) => Asked::Granted(lock),
            _ if held => Asked::Held,
            _ => Asked::Unknown,
        }
    }

    /// Waits for the lock until it is granted, or the place in the queue is dropped.
    pub(crate) fn queue(name: &str, lost: impl FnOnce() + 'static) -> Option<(Place, Granted)> {
        let options = Object::new();
        let place = Place(AbortController::new().ok()?);
        let _ = Reflect::set(&options, &"signal".into(), &place.0.signal());
        Some((place, request(name, options, lost)?))
    }

    /// Takes the lock away from whoever has it.
    pub(crate) async fn steal(name: &str, lost: impl FnOnce() + 'static) -> Option<Self> {
        let options = Object::new();
        let _ = Reflect::set(&options, &"steal".into(), &JsValue::TRUE);
        within(ANSWER_MS, request(name, options, lost)?)
            .await
            .ok()?
    }
}

/// The longest time that the browser may take to say who has a lock, in milliseconds.
const ANSWER_MS: u32 = 1_000;

/// Waits for something so many milliseconds, and gives it back if it has not come by then.
async fn within<F: Future + Unpin>(ms: u32, what: F) -> Result<F::Output, F> {
    let patience = Box::pin(sleep(Duration::from_millis(u64::from(ms))));
    match select(what, patience).await {
        Either::Left((outcome, _)) => Ok(outcome),
        Either::Right(((), what)) => Err(what),
    }
}

/// Asks the browser whether a page that lives has a lock. `false` if it does not say so.
async fn is_held(name: &str) -> bool {
    let asked = || {
        let locks = locks()?;
        let query: Function = Reflect::get(&locks, &"query".into())
            .ok()?
            .dyn_into()
            .ok()?;
        query.call0(&locks).ok()?.dyn_into::<Promise>().ok()
    };
    let Some(asked) = asked() else { return false };
    let answer = Box::pin(wasm_bindgen_futures::JsFuture::from(asked));
    let Ok(Ok(answer)) = within(ANSWER_MS, answer).await else {
        return false;
    };
    let held = Reflect::get(&answer, &"held".into()).unwrap_or_default();
    let has_name = |lock: JsValue| {
        let known = Reflect::get(&lock, &"name".into());
        known.is_ok_and(|known| known.as_string().as_deref() == Some(name))
    };
    Array::is_array(&held) && Array::from(&held).iter().any(has_name)
}

/// A lock, once it is granted; `None` if it is not.
pub(crate) type Granted = LocalBoxFuture<'static, Option<Lock>>;

/// A place in the queue for a lock, left when this is dropped.
pub(crate) struct Place(AbortController);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn request(name: &str, options: Object, lost: impl FnOnce() + 'static) -> Option<Granted> {
    let locks = locks()?;
    let (sender, receiver) = oneshot::channel::<Option<Lock>>();
    let sender = Rc::new(RefCell::new(Some(sender)));
    let granting = Rc::clone(&sender);
    let held = Closure::once_into_js(move |_lock: JsValue| -> JsValue {
        let mut release = None;
        let promise = Promise::new(&mut |resolve, _| release = Some(resolve));
        if let Some(sender) = granting.borrow_mut().take() {
            // Dropped at once if nobody waits any more, and then it is free again.
            let _ = sender.send(Some(Lock { release }));
        }
        promise.into()
    });
    let ask: Function = Reflect::get(&locks, &"request".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let asked = ask.call3(&locks, &name.into(), &options, &held).ok()?;
    let ended: Promise = asked.dyn_into().ok()?;
    spawn_local(async move {
        let refused = wasm_bindgen_futures::JsFuture::from(ended).await.is_err();
        match sender.borrow_mut().take() {
            Some(sender) => drop(sender.send(None)),
            None if refused => lost(),
            None => {}
        }
    });
    Some(async move { receiver.await.ok().flatten() }.boxed_local())
}

/// What a tab says to the others that have a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// It would like to have it.
    Wants,
    /// It has let go of it.
    LetsGo,
    /// It has it from now on.
    Has,
    /// It has written something.
    Wrote,
    /// It would like to know whether one acts on it.
    Asks,
    /// It acts on it.
    Acts,
}

impl Said {
    const ALL: [Self; 6] = [
        Self::Wants,
        Self::LetsGo,
        Self::Has,
        Self::Wrote,
        Self::Asks,
        Self::Acts,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Wants => "wants",
            Self::LetsGo => "lets-go",
            Self::Has => "has",
            Self::Wrote => "wrote",
            Self::Asks => "asks",
            Self::Acts => "acts",
        }
    }
}

/// Where the tabs that have a conversation hear each other.
pub(crate) struct Channel {
    channel: Option<BroadcastChannel>,
    /// Kept as long as it may be called.
    _heard: Closure<dyn FnMut(MessageEvent)>,
}

impl Channel {
    pub(crate) fn new(name: &str, mut heard: impl FnMut(Said) + 'static) -> Self {
        let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let said = event.data().as_string();
            let said = Said::ALL
                .into_iter()
                .find(|it| said.as_deref() == Some(it.as_str()));
            if let Some(said) = said {
                heard(said);
            }
        });
        let channel = BroadcastChannel::new(name).ok();
        if let Some(channel) = &channel {
            channel.set_onmessage(Some(listen.as_ref().unchecked_ref()));
        }
        Self {
            channel,
            _heard: listen,
        }
    }

    /// Says something. `false` if nobody can hear it.
    pub(crate) fn say(&self, what: Said) -> bool {
        // Fails only when it is closed.
        let said = |channel: &BroadcastChannel| channel.post_message(&what.as_str().into()).is_ok();
        self.channel.as_ref().is_some_and(said)
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if let Some(channel) = &self.channel {
            channel.set_onmessage(None);
            channel.close();
        }
    }
}

/// The place where an assistant's conversation is kept, and the tab that acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KeptIn {
    /// Nowhere but in this page: there is no store, or none that can be used.
    #[default]
    Nowhere,
    /// In a store, out of which it is being read.
    Opening,
    /// In a store, and this tab acts on it.
    Here {
        /// True if other tabs are kept from acting on it at the same time. Without the browser's locks
        /// (pages that are not served securely have none), the tab that opened it last acts on it, and
        /// another one may only find that out when it writes.
        across_tabs: bool,
    },
    /// In a store, and another tab acts on it: here it can be read.
    Elsewhere,
}
