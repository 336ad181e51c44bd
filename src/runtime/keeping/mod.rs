//! Keeps a conversation in a store, and sees to it that one tab acts on it.
//!
//! `open` brings a conversation in and decides whose it is, `save` makes what is to be written out of
//! what has changed, `work` writes it, one thing after the other.

mod job;
mod list;
mod open;
mod page;
mod save;
mod stored;
mod tab;
mod thread;
mod trouble;
mod work;

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    mem,
    rc::{Rc, Weak},
};

use assistant_core::session::{CommitId, Input, JournalEntry, NoticeKind, Session, StoredCalls};
use serde_json::Value;

use self::{
    job::{Job, Trouble},
    save::{Unsaved, Urgency},
    thread::Thread,
};
use super::{Changes, Runtime, keep::Keeper, starts_something};
use crate::{
    store::{KeptIn, Label, Store, StoreError, ThreadInfo, locks_are_there},
    ui::{after, console_error, spawn_local},
};

/// The longest time that what only grows waits until it is written, in milliseconds.
const GROWING_MS: u32 = 1_000;

/// Keeps the conversations of a runtime in a store.
pub(crate) struct Keeping {
    me: Weak<Self>,
    runtime: Weak<Runtime>,
    store: Rc<dyn Store>,
    kept_in: Cell<KeptIn>,
    /// What waits until the conversation is there.
    held: RefCell<Vec<Input>>,
    thread: RefCell<Rc<Thread>>,
    unsaved: RefCell<Unsaved>,
    jobs: RefCell<VecDeque<Job>>,
    working: Cell<bool>,
    /// Set while something will be written by itself: true if that is soon.
    waits: Cell<Option<bool>>,
    /// True if the person was told that nothing is kept.
    told: Cell<bool>,
    trouble: Trouble,
    ended: Cell<bool>,
    /// The conversation before, as long as something about it may be written.
    left: RefCell<Option<(Rc<Thread>, Unsaved)>>,
    /// True if the application says which conversation is opened first.
    is_named: bool,
    refreshing: Cell<bool>,
    /// The conversations of the store, once somebody wants to know.
    listed: RefCell<Option<Vec<ThreadInfo>>>,
    leaving: RefCell<Option<tab::Leaving>>,
}

impl Keeping {
    /// Keeps what a runtime does from now on. The conversation of this id is brought in, once the
    /// page is settled; `initial` takes its place if there is none.
    pub(crate) fn begin(
        runtime: &Runtime,
        store: Rc<dyn Store>,
        thread_id: Option<String>,
        initial: Option<Value>,
    ) {
        let is_named = thread_id.is_some();
        let known = thread_id.or_else(|| tab::remembered(&*store));
        let fresh = runtime.read(|session| session.thread_id().to_owned());
        let id = known.clone().or(fresh).unwrap_or_default();
        let keeping = Rc::new_cyclic(|me| Self {
            me: me.clone(),
            runtime: runtime.weak(),
            store,
            kept_in: Cell::new(KeptIn::Opening),
            held: RefCell::default(),
            thread: RefCell::new(Thread::new(id.clone())),
            unsaved: RefCell::default(),
            jobs: RefCell::default(),
            working: Cell::new(false),
            waits: Cell::new(None),
            told: Cell::new(false),
            trouble: Trouble::default(),
            ended: Cell::new(false),
            left: RefCell::default(),
            is_named,
            refreshing: Cell::new(false),
            listed: RefCell::default(),
            leaving: RefCell::default(),
        });
        keeping.follow_page();
        runtime.set_keeper(Rc::clone(&keeping) as Rc<dyn Keeper>);
        keeping.set_place(KeptIn::Opening);
        match known {
            Some(_) => {
                let back = tab::takes_back(&*keeping.store, &id);
                spawn_local(async move { keeping.bring_in(id, initial, back).await });
            }
            // Nobody else can have it.
            None => {
                keeping.set_place(keeping.here());
                keeping.remember(&id);
                keeping.start_with(&id, initial);
            }
        }
    }

    fn thread(&self) -> Rc<Thread> {
        Rc::clone(&self.thread.borrow())
    }

    fn is_here(&self) -> bool {
        matches!(self.kept_in.get(), KeptIn::Here { .. })
    }

    /// What is said where the conversation is this tab's.
    fn here(&self) -> KeptIn {
        let has_lock = locks_are_there() && !self.thread.borrow().is_lockless.get();
        KeptIn::Here {
            across_tabs: self.store.shared_as().is_some() && has_lock,
        }
    }

    fn set_place(&self, place: KeptIn) {
        self.kept_in.set(place);
        self.show_place();
    }

    /// Says where the conversation is kept: nowhere, as long as the store does not take it.
    fn show_place(&self) {
        let is_unsaved = self.is_in_trouble() || self.thread.borrow().is_apart.get();
        let place = match self.kept_in.get() {
            KeptIn::Here { .. } if is_unsaved => KeptIn::Nowhere,
            KeptIn::Here { .. } => self.here(),
            place => place,
        };
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.view.keep_in(place);
        }
    }

    fn dispatch(&self, input: Input) -> bool {
        let runtime = self.runtime.upgrade();
        runtime.is_some_and(|runtime| runtime.dispatch(input).is_ok())
    }

    /// Nothing is stored: the conversation begins with what the application gives, or empty.
    fn start_with(&self, id: &str, initial: Option<Value>) {
        self.load(id, initial);
        self.let_in();
    }

    fn load(&self, id: &str, initial: Option<Value>) {
        let Some(snapshot) = initial else { return };
        let thread_id = id.to_owned();
        let loaded = self.dispatch(Input::Load {
            thread_id,
            snapshot,
        });
        if !loaded {
            console_error("AssistantProvider: the conversation to begin with cannot be read");
        }
    }

    /// Takes in what had to wait.
    fn let_in(&self) {
        for input in mem::take(&mut *self.held.borrow_mut()) {
            self.dispatch(input);
        }
    }

    /// Tells the person that nothing is kept, or that it is again.
    fn tell_kept(&self, error: Option<&StoreError>) {
        if self.told.replace(error.is_some()) == error.is_some() {
            return;
        }
        self.dispatch(Input::Tell {
            kind: NoticeKind::NotKept,
            message: error.map(|error| error.message.clone()),
        });
    }

    /// Something is to be written: soon, or when more of it has come together.
    fn save_later(&self, soon: bool) {
        if self.waits.get().is_some_and(|is_soon| is_soon || !soon) {
            return;
        }
        self.waits.set(Some(soon));
        let me = self.me.clone();
        let save = move || {
            let Some(keeping) = me.upgrade() else { return };
            if keeping.waits.take().is_some() {
                keeping.push(Job::Save);
            }
        };
        match soon {
            true => spawn_local(async move { save() }),
            false => after(GROWING_MS, save),
        }
    }

    /// Another conversation is in the session: what is kept from now on is this one.
    fn exchange(&self, id: &str) {
        let was_here = self.is_here();
        let left = self.thread.replace(Thread::new(id.to_owned()));
        let unsaved = self.unsaved.replace(Unsaved::all());
        // What is still to be written about it holds on to it, and to its lock.
        self.left.replace(was_here.then_some((left, unsaved)));
        // A page that is loaded again asks for one that was stored.
        match self.is_in_trouble() {
            true => self.try_again_later(),
            false => self.remember(id),
        }
        match self.kept_in.get() {
            KeptIn::Elsewhere => self.set_place(self.here()),
            _ => self.show_place(),
        }
    }

    fn remember(&self, id: &str) {
        if !self.is_named {
            tab::remember(&*self.store, id);
        }
    }
}

impl Keeper for Keeping {
    fn hold(&self, input: Input) -> Option<Input> {
        let waits = starts_something(&input)
            || matches!(
                input,
                Input::Load { .. } | Input::NewThread | Input::GiveUp { .. }
            );
        if self.kept_in.get() != KeptIn::Opening || !waits {
            return Some(input);
        }
        self.held.borrow_mut().push(input);
        None
    }

    fn changed(&self, changes: &Changes, session: &Session) {
        if changes.thread {
            if session.thread_id() != self.thread.borrow().id {
                self.exchange(session.thread_id());
            }
            self.thread().may_be_stored(StoredCalls::of(session));
        }
        if !self.is_here() || session.is_following() {
            return;
        }
        let urgency = self.unsaved.borrow_mut().note(changes.list(), session);
        if urgency != Urgency::Nothing && !self.is_in_trouble() {
            self.save_later(urgency == Urgency::AtOnce);
        }
    }

    fn commit(&self, commit: CommitId, entry: JournalEntry) {
        match self.kept_in.get() {
            KeptIn::Here { .. } => self.push(Job::Commit(commit, Box::new(entry))),
            // Within this tab the session alone sees to it.
            KeptIn::Nowhere => self.answer(commit, Ok(())),
            KeptIn::Opening | KeptIn::Elsewhere => {
                self.answer(commit, Err("the conversation is not this tab's".to_owned()));
            }
        }
    }

    fn record(&self, entry: JournalEntry) {
        if let Some((left, unsaved)) = &mut *self.left.borrow_mut()
            && left.id == entry.thread_id()
        {
            return unsaved.record(&entry);
        }
        if self.is_here() && self.thread.borrow().id == entry.thread_id() {
            self.unsaved.borrow_mut().record(&entry);
            if !self.is_in_trouble() {
                self.push(Job::Save);
            }
        }
    }

    fn archive(&self, thread_id: &str, snapshot: Value) {
        let left = self.left.take();
        if let Some((left, unsaved)) = left.filter(|(left, _)| left.id == thread_id) {
            self.push(Job::Archive(left, snapshot, unsaved));
        }
    }

    fn open(&self, thread_id: String) {
        let Some(keeping) = self.me.upgrade() else {
            return;
        };
        // What is open is ended and written down as always.
        keeping.dispatch(Input::NewThread);
        keeping.thread.replace(Thread::new(thread_id.clone()));
        keeping.unsaved.take();
        keeping.remember(&thread_id);
        keeping.set_place(KeptIn::Opening);
        spawn_local(async move { keeping.bring_in(thread_id, None, false).await });
    }

    fn list(&self) {
        if let Some(keeping) = self.me.upgrade() {
            spawn_local(async move { keeping.read_list().await });
        }
    }

    fn label(&self, thread_id: String, label: Label) {
        if let Some(keeping) = self.me.upgrade() {
            spawn_local(async move { keeping.write_label(thread_id, label).await });
        }
    }

    fn use_here(&self) {
        let Some(keeping) = self.me.upgrade() else {
            return;
        };
        if keeping.kept_in.get() == KeptIn::Elsewhere {
            let thread = keeping.thread();
            let (id, initial) = (thread.id.clone(), thread.initial.take());
            keeping.set_place(KeptIn::Opening);
            spawn_local(async move { keeping.bring_in(id, initial, true).await });
        }
    }

    fn end(&self) {
        self.save_now(true);
        self.ended.set(true);
        self.leaving.take();
        let thread = self.thread();
        thread.lock.take();
        thread.place.take();
        thread.channel.take();
    }
}
