//! Brings a conversation in: to act on it, or to follow the tab that does.

use std::rc::{Rc, Weak};

use assistant_core::session::{Input, NoticeKind};
use serde_json::Value;

use super::{Keeping, Thread, stored};
use crate::{
    store::{Channel, KeptIn, Lock, Said, StoreError, StoreErrorKind, StoredThread},
    ui::{after, spawn_local},
};

/// The longest time that a lock takes to be free: that of a page that is loaded again goes with the old one.
const RELOADING_MS: u32 = 400;
/// The time that another tab has to write down what it has, and to let go.
const LETTING_GO_MS: u32 = 1_000;
/// The time between two looks at what another tab does, in milliseconds.
const FOLLOWING_MS: u32 = 500;

impl Keeping {
    /// Opens a stored conversation; `takes_over` takes it from the tab that has it.
    pub(super) async fn bring_in(
        self: Rc<Self>,
        id: String,
        initial: Option<Value>,
        takes_over: bool,
    ) {
        let thread = Thread::beginning_with(id, initial);
        *self.thread.borrow_mut() = Rc::clone(&thread);
        self.listen(&thread);
        let owned = self.own(&thread, takes_over).await;
        if !self.is_current(&thread) {
            return;
        }
        self.bring(&thread, owned).await;
    }

    async fn bring(self: &Rc<Self>, thread: &Rc<Thread>, owned: bool) {
        if !owned {
            return self.follow(thread).await;
        }
        let brought = self.take_and_load(thread).await;
        if !self.is_current(thread) {
            return;
        }
        // Another tab took it away meanwhile, and this one follows by now.
        if self.kept_in.get() != KeptIn::Opening {
            return self.let_in();
        }
        let initial = thread.initial.take();
        match brought {
            Ok(Some(stored)) => self.restore(thread, &stored),
            Ok(None) => self.begin_anew(thread, initial),
            Err(error) => self.give_up(&error, initial),
        }
    }

    pub(super) fn is_current(&self, thread: &Rc<Thread>) -> bool {
        !self.ended.get() && Rc::ptr_eq(&self.thread.borrow(), thread)
    }

    /// The name on which tabs agree about a conversation, if other tabs see it.
    fn name_of(&self, thread: &Thread) -> Option<String> {
        let store = self.store.shared_as()?;
        Some(format!("leptos-assistant/{store}/{}", thread.id))
    }

    /// Hears what other tabs say about a conversation.
    pub(super) fn listen(&self, thread: &Rc<Thread>) {
        let Some(name) = self.name_of(thread) else {
            return;
        };
        let (me, weak) = (self.me.clone(), Rc::downgrade(thread));
        let heard = move |said| {
            if let (Some(keeping), Some(thread)) = (me.upgrade(), weak.upgrade())
                && keeping.is_current(&thread)
            {
                keeping.hear(&thread, said);
            }
        };
        thread.channel.replace(Some(Channel::new(&name, heard)));
    }

    fn hear(&self, thread: &Rc<Thread>, said: Said) {
        match (said, self.kept_in.get()) {
            (Said::Wants, KeptIn::Here { .. }) => self.let_go(thread),
            // Without locks nobody else says so.
            (Said::Has, KeptIn::Here { .. }) => self.lose(thread),
            (Said::Wrote | Said::Has, KeptIn::Elsewhere) => self.refresh_later(),
            _ => {}
        }
    }

    /// Makes this tab the one that acts on a conversation. `false` if another one does.
    pub(super) async fn own(&self, thread: &Rc<Thread>, takes_over: bool) -> bool {
        let Some(name) = self.name_of(thread) else {
            return true;
        };
        if takes_over {
            thread.say(Said::Wants);
        }
        if !crate::store::locks_are_there() {
            return true;
        }
        let patience = if takes_over {
            LETTING_GO_MS
        } else {
            RELOADING_MS
        };
        let mut lock = Lock::wait(&name, patience, self.on_lost(thread)).await;
        if lock.is_none() && takes_over {
            lock = Lock::steal(&name, self.on_lost(thread)).await;
        }
        let owns = lock.is_some();
        thread.lock.replace(lock);
        owns
    }

    fn on_lost(&self, thread: &Rc<Thread>) -> impl FnOnce() + 'static {
        let (me, thread): (Weak<Self>, Weak<Thread>) = (self.me.clone(), Rc::downgrade(thread));
        move || {
            if let (Some(keeping), Some(thread)) = (me.upgrade(), thread.upgrade())
                && keeping.is_current(&thread)
            {
                keeping.lose(&thread);
            }
        }
    }

    async fn take_and_load(&self, thread: &Thread) -> Result<Option<StoredThread>, StoreError> {
        self.store.take(&thread.id, &thread.writer()).await?;
        thread.taken.set(true);
        thread.say(Said::Has);
        self.store.load(&thread.id).await
    }

    fn restore(&self, thread: &Rc<Thread>, stored: &StoredThread) {
        let read = stored::read(stored);
        let restored = read.and_then(|(snapshot, journal)| {
            self.unsaved.take();
            self.tell_place(self.here());
            let restored = self.dispatch(Input::Restore {
                thread_id: thread.id.clone(),
                snapshot,
                journal,
            });
            let unreadable = "it is damaged, or of another version";
            restored
                .then_some(())
                .ok_or_else(|| StoreError::new(StoreErrorKind::Corrupt, unreadable))
        });
        match restored {
            Ok(()) => self.let_in(),
            Err(error) => self.leave_as_it_is(&error),
        }
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.flush();
        }
    }

    /// Nothing is stored under this id.
    fn begin_anew(&self, thread: &Rc<Thread>, initial: Option<Value>) {
        self.tell_place(self.here());
        let own = self.runtime.upgrade();
        let own = own.and_then(|runtime| runtime.read(|session| session.thread_id().to_owned()));
        if let Some(own) = own.filter(|own| *own != thread.id) {
            self.exchange(&own);
        }
        self.start_with(&thread.id, initial);
    }

    /// What is stored cannot be read: it stays there, and another conversation begins.
    fn leave_as_it_is(&self, error: &StoreError) {
        self.tell_place(self.here());
        self.dispatch(Input::NewThread);
        self.dispatch(Input::Tell {
            kind: NoticeKind::NotOpened,
            message: Some(error.message.clone()),
        });
        self.let_in();
    }

    /// There is no store to be had: the chat goes on without.
    fn give_up(&self, error: &StoreError, initial: Option<Value>) {
        self.tell_place(KeptIn::Nowhere);
        // What may be stored under the id, and open in another tab, is not begun a second time.
        if error.kind != StoreErrorKind::Unavailable {
            self.dispatch(Input::NewThread);
        }
        let own = self.thread().id.clone();
        self.start_with(&own, initial);
        self.tell_kept(Some(error));
    }

    /// Shows what another tab does.
    async fn follow(&self, thread: &Rc<Thread>) {
        match self.store.load(&thread.id).await {
            Ok(stored) if self.is_current(thread) => {
                self.tell_place(KeptIn::Elsewhere);
                self.show(thread, stored.as_ref());
                self.let_in();
                self.wait_in_line(thread);
            }
            Err(error) if self.is_current(thread) => self.give_up(&error, None),
            _ => {}
        }
    }

    /// When the tab that acts on a conversation goes, this one does in its place, if it is looked at: a
    /// tab that is loaded again keeps what is its own from those in the background.
    pub(super) fn wait_in_line(&self, thread: &Rc<Thread>) {
        if self.kept_in.get() != KeptIn::Elsewhere || super::page::is_hidden() {
            thread.place.take();
            return;
        }
        if thread.place.borrow().is_some() {
            return;
        }
        let name = self.name_of(thread);
        let queued = name.and_then(|name| Lock::queue(&name, self.on_lost(thread)));
        let Some((place, granted)) = queued else {
            return;
        };
        thread.place.replace(Some(place));
        let (me, thread) = (self.me.clone(), Rc::downgrade(thread));
        spawn_local(async move {
            let lock = granted.await;
            let (Some(me), Some(thread)) = (me.upgrade(), thread.upgrade()) else {
                return;
            };
            let Some(lock) = lock else { return };
            thread.place.take();
            if me.is_current(&thread) && me.kept_in.get() == KeptIn::Elsewhere {
                thread.take_anew(lock);
                me.tell_place(KeptIn::Opening);
                me.bring(&thread, true).await;
            }
        });
    }

    /// The tab that takes over is first in the queue; this one comes after it.
    fn wait_in_line_later(&self, thread: &Rc<Thread>) {
        let (me, thread) = (self.me.clone(), Rc::downgrade(thread));
        after(LETTING_GO_MS, move || {
            if let (Some(me), Some(thread)) = (me.upgrade(), thread.upgrade())
                && me.is_current(&thread)
            {
                me.wait_in_line(&thread);
            }
        });
    }

    fn show(&self, thread: &Thread, stored: Option<&StoredThread>) {
        let Some(Ok((snapshot, _))) = stored.map(stored::read) else {
            return;
        };
        let thread_id = thread.id.clone();
        self.dispatch(Input::Follow {
            thread_id,
            snapshot,
        });
    }

    fn refresh_later(&self) {
        if self.refreshing.replace(true) {
            return;
        }
        let (me, thread) = (self.me.clone(), self.thread());
        after(FOLLOWING_MS, move || {
            let Some(keeping) = me.upgrade() else { return };
            keeping.refreshing.set(false);
            spawn_local(async move {
                let stored = keeping.store.load(&thread.id).await;
                let follows = keeping.kept_in.get() == KeptIn::Elsewhere;
                if let Ok(stored) = stored
                    && follows
                    && keeping.is_current(&thread)
                {
                    keeping.show(&thread, stored.as_ref());
                }
            });
        });
    }

    /// Another tab asks for the conversation: it gets it with all that was written here.
    fn let_go(&self, thread: &Rc<Thread>) {
        self.stop_acting();
        self.save_now();
        self.tell_place(KeptIn::Elsewhere);
        self.show_what_was(thread);
        // Dropping the lock lets go of it; the batch is on its way, and comes before others.
        thread.lock.take();
        thread.say(Said::LetsGo);
        self.wait_in_line_later(thread);
    }

    /// Another tab has the conversation now.
    pub(super) fn lose(&self, thread: &Rc<Thread>) {
        self.stop_acting();
        self.tell_place(KeptIn::Elsewhere);
        self.show_what_was(thread);
        thread.lock.take();
        self.refresh_later();
        self.wait_in_line_later(thread);
    }

    fn stop_acting(&self) {
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.abandon();
        }
    }

    /// What is in the session stays to be read.
    fn show_what_was(&self, thread: &Thread) {
        self.unsaved.take();
        let runtime = self.runtime.upgrade();
        let snapshot =
            runtime.and_then(|runtime| runtime.read(assistant_core::session::Session::snapshot));
        if let Some(snapshot) = snapshot {
            let thread_id = thread.id.clone();
            self.dispatch(Input::Follow {
                thread_id,
                snapshot,
            });
        }
        self.drop_jobs();
    }
}

impl Thread {
    pub(super) fn say(&self, what: Said) {
        if let Some(channel) = &*self.channel.borrow() {
            channel.say(what);
        }
    }
}
