//! Whose tab a conversation is: one tab has it, by a lock of the browser, and the others follow.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_channel::oneshot;
use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, select};
use js_sys::{Function, Object, Promise, Reflect};
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

impl Lock {
    /// Waits for the lock of this name, so many milliseconds. `lost` is called when another tab
    /// takes it away.
    pub(crate) async fn wait(name: &str, ms: u32, lost: impl FnOnce() + 'static) -> Option<Self> {
        let options = Object::new();
        let abort = AbortController::new().ok()?;
        // Setting a member of an object of your own does not fail.
        let _ = Reflect::set(&options, &"signal".into(), &abort.signal());
        let asked = request(name, options, lost)?;
        let patience = Box::pin(sleep(Duration::from_millis(u64::from(ms))));
        match select(asked, patience).await {
            Either::Left((lock, _)) => lock,
            Either::Right((_, asked)) => {
                abort.abort();
                // It may have been granted just before.
                asked.await
            }
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
        request(name, options, lost)?.await
    }
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
}

impl Said {
    const ALL: [Self; 4] = [Self::Wants, Self::LetsGo, Self::Has, Self::Wrote];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Wants => "wants",
            Self::LetsGo => "lets-go",
            Self::Has => "has",
            Self::Wrote => "wrote",
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

    pub(crate) fn say(&self, what: Said) {
        if let Some(channel) = &self.channel {
            // Fails only when it is closed.
            let _ = channel.post_message(&what.as_str().into());
        }
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
