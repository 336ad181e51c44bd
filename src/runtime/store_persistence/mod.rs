//! Persists a conversation in a store, and ensures that a single tab acts on it.
//!
//! `open` loads a conversation and determines its owner, `save` builds batches from changes, and
//! `work` writes them one by one.

mod job;
mod list;
mod open;
mod page;
mod save;
mod search;
mod stored;
mod tab;
mod thread;
mod trouble;
mod work;

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    mem,
    rc::{Rc, Weak},
};

use assistant_core::{
    conversation::{CallKey, Phase},
    session::{CommitId, Input, JournalEntry, NoticeKind, Session, StoredCalls},
};
use serde_json::Value;

use self::{
    job::{Job, Trouble},
    save::{Unsaved, Urgency},
    thread::Thread,
};
use super::{
    Changes, Runtime,
    persistence::{Persistence, Search},
    starts_something,
};
use crate::{
    store::{Label, Ownership, Store, StoreError, ThreadInfo, has_web_locks},
    ui::{PageLifecycle, after, console_error, spawn_local},
};

/// The maximum time until growing content is written, in milliseconds.
const MAX_SAVE_DELAY_MS: u32 = 1_000;
/// The time for which calls of the agent are collected before they are written, in milliseconds.
const CALLS_MS: u32 = 50;

/// The persistence of a runtime's conversations in a store.
pub(crate) struct StorePersistence {
    me: Weak<Self>,
    runtime: Weak<Runtime>,
    store: Rc<dyn Store>,
    ownership: Cell<Ownership>,
    /// Inputs that wait until the conversation is loaded.
    held: RefCell<Vec<Input>>,
    thread: RefCell<Rc<Thread>>,
    unsaved: RefCell<Unsaved>,
    jobs: RefCell<VecDeque<Job>>,
    working: Cell<bool>,
    /// The urgency of the scheduled save, if there is one.
    waits: Cell<Option<Urgency>>,
    /// The phases of calls at their last change.
    phases: RefCell<HashMap<CallKey, Phase>>,
    /// True while a notice tells the user that changes are not stored.
    is_notified: Cell<bool>,
    trouble: Trouble,
    /// True until the session has restored the stored conversation that was just loaded.
    restores: Cell<bool>,
    ended: Cell<bool>,
    /// The previous conversation, while it may still have to be written.
    left: RefCell<Option<(Rc<Thread>, Unsaved)>>,
    /// True if the application has named the conversation that is opened first.
    is_named: bool,
    refreshing: Cell<bool>,
    /// The list of stored conversations, once it was requested.
    listed: RefCell<Option<Vec<ThreadInfo>>>,
    leaving: RefCell<Option<PageLifecycle>>,
}

impl StorePersistence {
    /// Starts persistence for a runtime. The conversation with this id, or with that of `initial`, is
    /// loaded once the page has settled; `initial` is used if no such conversation is stored.
    pub(crate) fn begin(
        runtime: &Runtime,
        store: Rc<dyn Store>,
        thread_id: Option<String>,
        mut initial: Option<Value>,
    ) {
        let own = initial.as_mut().and_then(Value::as_object_mut);
        let own = own.and_then(|own| own.shift_remove("threadId"));
        let own = own.and_then(|id| id.as_str().map(str::to_owned));
        let thread_id = thread_id.or(own).filter(|id| !id.is_empty());
        let is_named = thread_id.is_some();
        let known = thread_id.or_else(|| tab::remembered(&*store));
        let fresh = runtime.read(|session| session.thread_id().to_owned());
        let id = known.clone().or(fresh).unwrap_or_default();
        let persistence = Rc::new_cyclic(|me| Self {
            me: me.clone(),
            runtime: runtime.weak(),
            store,
            ownership: Cell::new(Ownership::Opening),
            held: RefCell::default(),
            thread: RefCell::new(Thread::new(id.clone())),
            unsaved: RefCell::default(),
            jobs: RefCell::default(),
            working: Cell::new(false),
            waits: Cell::new(None),
            phases: RefCell::default(),
            is_notified: Cell::new(false),
            trouble: Trouble::default(),
            restores: Cell::new(false),
            ended: Cell::new(false),
            left: RefCell::default(),
            is_named,
            refreshing: Cell::new(false),
            listed: RefCell::default(),
            leaving: RefCell::default(),
        });
        persistence.watch_page_lifecycle();
        runtime.set_persistence(Rc::clone(&persistence) as Rc<dyn Persistence>);
        persistence.set_place(Ownership::Opening);
        match known {
            Some(_) => {
                let back = tab::should_take_back(&*persistence.store, &id);
                spawn_local(async move { persistence.open_stored(id, initial, back).await });
            }
            // The store is not shared, so no other tab can own it.
            None => {
                persistence.set_place(persistence.here());
                persistence.remember(&id);
                persistence.start_with(&id, initial);
            }
        }
    }

    fn thread(&self) -> Rc<Thread> {
        Rc::clone(&self.thread.borrow())
    }

    fn is_here(&self) -> bool {
        matches!(self.ownership.get(), Ownership::ThisTab { .. })
    }

    /// Returns the ownership to show while this tab owns the conversation.
    fn here(&self) -> Ownership {
        let has_lock = has_web_locks() && !self.thread.borrow().is_lockless.get();
        Ownership::ThisTab {
            across_tabs: self.store.shared_as().is_some() && has_lock,
        }
    }

    fn set_place(&self, place: Ownership) {
        self.ownership.set(place);
        self.show_place();
    }

    /// Updates the ownership that is shown: [`Ownership::NotStored`] while the store fails.
    fn show_place(&self) {
        let is_unsaved = self.is_in_trouble() || self.thread.borrow().is_apart.get();
        let place = match self.ownership.get() {
            Ownership::ThisTab { .. } if is_unsaved => Ownership::NotStored,
            Ownership::ThisTab { .. } => self.here(),
            place => place,
        };
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.view.set_ownership(place);
        }
    }

    fn dispatch(&self, input: Input) -> bool {
        let runtime = self.runtime.upgrade();
        runtime.is_some_and(|runtime| runtime.dispatch(input).is_ok())
    }

    /// Starts with the application's initial conversation, or an empty one, when nothing is stored.
    fn start_with(&self, id: &str, initial: Option<Value>) {
        self.load(id, initial);
        self.apply_held_inputs();
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

    /// Dispatches the inputs that were held back.
    fn apply_held_inputs(&self) {
        let Some(runtime) = self.runtime.upgrade() else {
            return;
        };
        for input in mem::take(&mut *self.held.borrow_mut()) {
            runtime.dispatch_held(input);
        }
    }

    /// Shows a notice while changes cannot be stored, and removes the notice once they can.
    fn notify_store_state(&self, error: Option<&StoreError>) {
        if self.is_notified.replace(error.is_some()) == error.is_some() {
            return;
        }
        self.dispatch(Input::SetNotice {
            kind: NoticeKind::NotStored,
            message: error.map(|error| error.message.clone()),
        });
    }

    /// Schedules a save, unless one is scheduled that is at least as urgent.
    fn save_later(&self, urgency: Urgency) {
        if self.waits.get() >= Some(urgency) {
            return;
        }
        self.waits.set(Some(urgency));
        let me = self.me.clone();
        let save = move || {
            let Some(persistence) = me.upgrade() else {
                return;
            };
            if persistence.waits.take().is_some() {
                persistence.push(Job::Save);
            }
        };
        match urgency {
            Urgency::AtOnce => spawn_local(async move { save() }),
            Urgency::Soon => after(CALLS_MS, save),
            Urgency::WithTheAnswer | Urgency::Nothing => after(MAX_SAVE_DELAY_MS, save),
        }
    }

    /// Switches persistence to another conversation that is in the session.
    fn switch_thread(&self, id: &str) {
        let was_here = self.is_here();
        let left = self.thread.replace(Thread::new(id.to_owned()));
        let unsaved = self.unsaved.replace(Unsaved::all());
        // Pending writes keep it alive, with its lock.
        self.left.replace(was_here.then_some((left, unsaved)));
        // A reload opens a conversation that is stored.
        match self.is_in_trouble() {
            true => self.try_again_later(),
            false => self.remember(id),
        }
        match self.ownership.get() {
            Ownership::OtherTab => self.set_place(self.here()),
            _ => self.show_place(),
        }
    }

    fn remember(&self, id: &str) {
        if !self.is_named {
            tab::remember(&*self.store, id);
        }
    }
}

impl Persistence for StorePersistence {
    fn hold(&self, input: Input) -> Option<Input> {
        let waits = starts_something(&input)
            || matches!(
                input,
                Input::Load { .. } | Input::NewThread | Input::GiveUp { .. }
            );
        if self.ownership.get() != Ownership::Opening || !waits {
            return Some(input);
        }
        self.held.borrow_mut().push(input);
        None
    }

    fn changed(&self, changes: &Changes, session: &Session) {
        if changes.thread {
            if session.thread_id() != self.thread.borrow().id {
                self.switch_thread(session.thread_id());
            }
            self.thread().may_be_stored(StoredCalls::of(session));
        }
        if !self.is_here() || session.is_following() {
            return;
        }
        let urgency = {
            let mut phases = self.phases.borrow_mut();
            let mut unsaved = self.unsaved.borrow_mut();
            if changes.thread {
                phases.clear();
                // Another conversation under the same id, unless it is the stored one.
                if !self.restores.take() {
                    unsaved.add(Unsaved::all());
                }
            }
            unsaved.add_changes(changes.list(), session, &mut phases)
        };
        if urgency != Urgency::Nothing && !self.is_in_trouble() {
            self.save_later(urgency);
        }
    }

    fn commit(&self, commit: CommitId, entry: JournalEntry) {
        match self.ownership.get() {
            Ownership::ThisTab { .. } => self.push(Job::Commit(commit, Box::new(entry))),
            // The session alone ensures it within this tab.
            Ownership::NotStored => self.answer(commit, Ok(())),
            Ownership::Opening | Ownership::OtherTab => {
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
        let Some(persistence) = self.me.upgrade() else {
            return;
        };
        // Ends open calls and writes them as usual.
        persistence.dispatch(Input::NewThread);
        persistence.thread.replace(Thread::new(thread_id.clone()));
        persistence.unsaved.take();
        persistence.remember(&thread_id);
        persistence.set_place(Ownership::Opening);
        spawn_local(async move { persistence.open_stored(thread_id, None, false).await });
    }

    fn list(&self) {
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.read_list().await });
        }
    }

    fn search(&self, search: Search) {
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.find(search).await });
        }
    }

    fn label(&self, thread_id: String, label: Label) {
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.write_label(thread_id, label).await });
        }
    }

    fn use_here(&self) {
        let Some(persistence) = self.me.upgrade() else {
            return;
        };
        if persistence.ownership.get() == Ownership::OtherTab {
            let thread = persistence.thread();
            let (id, initial) = (thread.id.clone(), thread.initial.take());
            persistence.set_place(Ownership::Opening);
            spawn_local(async move { persistence.open_stored(id, initial, true).await });
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
