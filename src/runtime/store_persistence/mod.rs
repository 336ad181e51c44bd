//! Persists a conversation in a store, and ensures that a single tab acts on the conversation.
//!
//! `open` loads a conversation and determines its owner, `save` builds batches from changes, and
//! `jobs` writes the batches one by one. `failure` postpones the writes while the store fails, and
//! `reopen` opens a conversation whose writes are postponed. `unload` keeps the writes that do not
//! end before the page is unloaded.

mod failure;
mod jobs;
mod list;
mod open;
mod reopen;
mod save;
mod search;
mod tab;
mod thread;
mod unload;

use std::{
    cell::{Cell, RefCell, RefMut},
    collections::{HashMap, VecDeque},
    mem,
    rc::{Rc, Weak},
};

use assistant_core::{
    conversation::{CallKey, Phase},
    event::Content,
    session::{CommitId, Input, JournalEntry, NoticeKind, Session, StoredCalls, TreeChange},
};
use leptos::prelude::{GetUntracked as _, RwSignal, WithUntracked as _};
use serde_json::Value;

use self::{
    failure::FailureState,
    jobs::WriteJob,
    save::{UnsavedChanges, Urgency},
    thread::TabThread,
    unload::PendingWrites,
};
use super::{
    Changes, Runtime, may_start_work,
    persistence::{Persistence, ThreadSearch},
};
use crate::{
    store::{Label, Ownership, Store, StoreError, ThreadInfo, has_web_locks},
    ui::{PageLifecycle, after, console_error, is_hidden, now, spawn_local},
};

/// The maximum time until growing content is written, in milliseconds.
const MAX_SAVE_DELAY_MS: u32 = 1_000;
/// The time for which calls from the agent are collected before they are written, in milliseconds.
const CALLS_SAVE_DELAY_MS: u32 = 50;
/// The time for which calls in a series are collected after the first [`SERIES_START_LEN`] writes
/// of the series, in milliseconds.
const SERIES_SAVE_DELAY_MS: u32 = 200;
/// The number of writes at the start of a series that wait only for [`CALLS_SAVE_DELAY_MS`].
const SERIES_START_LEN: u32 = 8;
/// The pause between two writes of calls that ends a series, in milliseconds.
const SERIES_PAUSE_MS: i64 = 1_000;

/// A series of calls from the agent. Every write takes time in the page, so a long series is
/// written at a longer interval than a few calls.
#[derive(Debug, Clone, Copy, Default)]
struct CallSeries {
    writes: u32,
    /// The time of the last write, in milliseconds.
    last: i64,
}

impl CallSeries {
    /// Returns the number of writes in the series. The number is 0 if the series has ended.
    fn current_writes(self, now: i64) -> u32 {
        // A negative difference ends the series, because the clock may be set back.
        let continues = (0..SERIES_PAUSE_MS).contains(&now.saturating_sub(self.last));
        if continues { self.writes } else { 0 }
    }

    /// Returns the delay of the next write, in milliseconds.
    fn next_delay(self, now: i64) -> u32 {
        match self.current_writes(now) {
            0..SERIES_START_LEN => CALLS_SAVE_DELAY_MS,
            _ => SERIES_SAVE_DELAY_MS,
        }
    }

    /// Returns the series with a write that begins now.
    fn with_write(self, now: i64) -> Self {
        Self {
            writes: self.current_writes(now).saturating_add(1),
            last: now,
        }
    }
}

/// The persistence of a runtime's conversations in a store.
pub(crate) struct StorePersistence {
    me: Weak<Self>,
    runtime: Weak<Runtime>,
    store: Rc<dyn Store>,
    ownership: Cell<Ownership>,
    /// The inputs that wait until the conversation is loaded.
    held: RefCell<Vec<Input>>,
    thread: RefCell<Rc<TabThread>>,
    unsaved: RefCell<UnsavedChanges>,
    jobs: RefCell<VecDeque<WriteJob>>,
    pending_writes: Rc<RefCell<PendingWrites>>,
    working: Cell<bool>,
    /// The id of the replaced conversation whose final state is being written.
    archiving: RefCell<Option<String>>,
    /// The urgency of the scheduled save, if there is one.
    waits: Cell<Option<Urgency>>,
    /// The number of the newest timer of a save. A timer with an older number saves nothing.
    timer: Cell<u64>,
    series: Cell<CallSeries>,
    /// The phase of each call at the last change of the call.
    phases: RefCell<HashMap<CallKey, Phase>>,
    /// True while a notice tells the user that changes are not stored.
    is_notified: Cell<bool>,
    failure: FailureState,
    /// True while the session restores a stored conversation that was just loaded.
    restores: Cell<bool>,
    ended: Cell<bool>,
    /// The previous conversation with its unsaved changes, as long as these changes may have to be
    /// written.
    previous_thread: RefCell<Option<(Rc<TabThread>, UnsavedChanges)>>,
    /// The id of the conversation that is opened first, if the application has given it.
    named_thread: Option<String>,
    /// The texts of composers that are part of the draft.
    composer_texts: RefCell<Vec<RwSignal<String>>>,
    /// The draft of an earlier page, until a composer takes it.
    previous_draft: RefCell<String>,
    is_draft_read: Cell<bool>,
    refreshing: Cell<bool>,
    /// The list of stored conversations; `None` until the list was read.
    listed: RefCell<Option<Vec<ThreadInfo>>>,
    leaving: RefCell<Option<PageLifecycle>>,
}

impl StorePersistence {
    /// Starts persistence for a runtime, and opens the conversation with `thread_id`, else with the
    /// id in `initial`, else the conversation that the tab remembers. If there is no such id, or if
    /// the conversation is not stored, the runtime begins with `initial`, or with an empty
    /// conversation.
    pub(crate) fn start(
        runtime: &Runtime,
        store: Rc<dyn Store>,
        thread_id: Option<String>,
        mut initial: Option<Value>,
    ) {
        let initial_fields = initial.as_mut().and_then(Value::as_object_mut);
        let initial_id = initial_fields.and_then(|fields| fields.shift_remove("threadId"));
        let initial_id = initial_id.and_then(|id| id.as_str().map(str::to_owned));
        let thread_id = thread_id.or(initial_id).filter(|id| !id.is_empty());
        let named_thread = thread_id.clone();
        let known_id = thread_id.or_else(|| tab::remembered_thread_id(&*store));
        let session_id = runtime.read(|session| session.thread_id().to_owned());
        let id = known_id.clone().or(session_id).unwrap_or_default();
        let persistence = Rc::new_cyclic(|me| Self {
            me: me.clone(),
            runtime: runtime.weak(),
            store,
            ownership: Cell::new(Ownership::Opening),
            held: RefCell::default(),
            thread: RefCell::new(TabThread::new(id.clone())),
            unsaved: RefCell::default(),
            jobs: RefCell::default(),
            pending_writes: Rc::default(),
            working: Cell::new(false),
            archiving: RefCell::default(),
            waits: Cell::new(None),
            timer: Cell::new(0),
            series: Cell::default(),
            phases: RefCell::default(),
            is_notified: Cell::new(false),
            failure: FailureState::default(),
            restores: Cell::new(false),
            ended: Cell::new(false),
            previous_thread: RefCell::default(),
            named_thread,
            composer_texts: RefCell::default(),
            previous_draft: RefCell::default(),
            is_draft_read: Cell::new(false),
            refreshing: Cell::new(false),
            listed: RefCell::default(),
            leaving: RefCell::default(),
        });
        persistence.watch_page_lifecycle();
        runtime.set_persistence(Rc::clone(&persistence) as Rc<dyn Persistence>);
        match known_id {
            Some(_) => {
                let takes_over = tab::consume_owner_mark(&*persistence.store, &id);
                persistence.begin_opening(TabThread::with_initial(id, initial), takes_over);
            }
            // There is no stored conversation to open, so the session's own conversation begins.
            // Its lock is acquired before its first write.
            None => {
                persistence.set_ownership(persistence.this_tab_ownership());
                persistence.remember_in_tab(&id);
                persistence.start_unstored_thread(&id, initial);
            }
        }
    }

    /// Listens for unloading and visibility changes of the page: writes unsaved changes, marks this
    /// tab as the owner and copies unwritten changes on unload, and queues for the lock only while
    /// the page is visible.
    fn watch_page_lifecycle(&self) {
        let weak_persistence = self.me.clone();
        let was_unloaded = Cell::new(false);
        let listener = PageLifecycle::listen(move |is_unloading| {
            if let Some(persistence) = weak_persistence.upgrade() {
                let thread = persistence.thread();
                if is_unloading && persistence.owns_thread() {
                    tab::mark_owner(&*persistence.store, &thread.id);
                }
                persistence.save_now(is_unloading);
                // A page that is unloaded is hidden afterwards, and has changed meanwhile if the
                // application ends runs when the page is unloaded.
                if is_unloading || (was_unloaded.get() && is_hidden()) {
                    was_unloaded.set(true);
                    persistence.copy_unwritten_changes();
                } else if was_unloaded.replace(false) && persistence.owns_thread() {
                    // A page from the cache of the browser continues with its own writes.
                    persistence.discard_unload_copy(&thread);
                }
                persistence.queue_for_lock(&thread);
            }
        });
        self.leaving.replace(listener);
    }

    fn thread(&self) -> Rc<TabThread> {
        Rc::clone(&self.thread.borrow())
    }

    fn owns_thread(&self) -> bool {
        matches!(self.ownership.get(), Ownership::ThisTab { .. })
    }

    /// Returns [`Ownership::ThisTab`]. Its field `across_tabs` is true if the store is shared and
    /// this tab holds a Web Lock.
    fn this_tab_ownership(&self) -> Ownership {
        let has_lock = has_web_locks() && !self.thread.borrow().is_lockless.get();
        Ownership::ThisTab {
            across_tabs: self.store.shared_as().is_some() && has_lock,
        }
    }

    fn set_ownership(&self, ownership: Ownership) {
        self.ownership.set(ownership);
        self.show_ownership();
    }

    /// Shows the ownership. Shows [`Ownership::NotStored`] if this tab owns the conversation, but
    /// the store fails or may have a diverged state.
    fn show_ownership(&self) {
        let is_unsaved = self.is_failing() || self.thread.borrow().is_apart.get();
        let ownership = match self.ownership.get() {
            Ownership::ThisTab { .. } if is_unsaved => Ownership::NotStored,
            Ownership::ThisTab { .. } => self.this_tab_ownership(),
            ownership => ownership,
        };
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.view.set_ownership(ownership);
        }
    }

    /// Makes a conversation the current conversation of this tab, and starts to open it. The opening
    /// ends if another conversation becomes the current conversation.
    fn begin_opening(&self, thread: Rc<TabThread>, takes_over: bool) {
        let Some(persistence) = self.me.upgrade() else {
            return;
        };
        self.thread.replace(Rc::clone(&thread));
        self.set_ownership(Ownership::Opening);
        spawn_local(async move { persistence.open_stored_thread(thread, takes_over).await });
    }

    fn dispatch(&self, input: Input) -> bool {
        let runtime = self.runtime.upgrade();
        runtime.is_some_and(|runtime| runtime.dispatch(input).is_ok())
    }

    /// Starts with the application's initial conversation, or with an empty conversation, because
    /// the conversation is not stored. Then dispatches the inputs that were held back.
    fn start_unstored_thread(&self, id: &str, initial: Option<Value>) {
        self.load_initial_thread(id, initial);
        self.dispatch_held_inputs();
    }

    fn load_initial_thread(&self, id: &str, initial: Option<Value>) {
        let Some(snapshot) = initial else { return };
        let thread_id = id.to_owned();
        let is_loaded = self.dispatch(Input::Load {
            thread_id,
            snapshot,
        });
        if !is_loaded {
            console_error("AssistantProvider: the conversation to begin with cannot be read");
        }
    }

    /// Dispatches the inputs that were held back.
    fn dispatch_held_inputs(&self) {
        let Some(runtime) = self.runtime.upgrade() else {
            return;
        };
        let held_inputs = mem::take(&mut *self.held.borrow_mut());
        if held_inputs.is_empty() {
            return;
        }
        for input in held_inputs {
            runtime.dispatch_held_input(input);
        }
        self.update_draft();
    }

    /// Returns the texts of the messages that the session does not have yet, because the
    /// conversation or the engine is being loaded.
    fn waiting_texts(&self) -> Vec<String> {
        let held_inputs = self.held.borrow();
        let held_messages = held_inputs.iter().filter_map(|input| match input {
            Input::Send { content }
            | Input::Tree {
                change: TreeChange::Interject { content },
            } => Some(content.display_text()),
            _ => None,
        });
        let texts: Vec<String> = held_messages.collect();
        // A message that waits for the conversation may be held for the engine as well.
        #[cfg(feature = "split")]
        if texts.is_empty() {
            let runtime = self.runtime.upgrade();
            let text = runtime.and_then(|runtime| runtime.held.message_text());
            return text.into_iter().collect();
        }
        texts
    }

    /// Returns the draft of an earlier page until a composer takes it. The draft is read at the first
    /// call and not before, because the early composer of the element removes its own draft when it
    /// passes its text on.
    fn previous_draft(&self) -> RefMut<'_, String> {
        if !self.is_draft_read.replace(true) {
            let draft = tab::stored_draft(&*self.store, self.named_thread.as_deref());
            self.previous_draft.replace(draft.unwrap_or_default());
        }
        self.previous_draft.borrow_mut()
    }

    /// Shows a notice with the error of the store, or removes the notice if `error` is `None`. A
    /// notice that is already shown is not changed.
    fn update_failure_notice(&self, error: Option<&StoreError>) {
        if self.is_notified.replace(error.is_some()) == error.is_some() {
            return;
        }
        self.dispatch(Input::SetNotice {
            kind: NoticeKind::NotStored,
            message: error.map(|error| error.message.clone()),
        });
    }

    /// Schedules a save, unless a save that is at least as urgent is already scheduled.
    fn schedule_save(&self, urgency: Urgency) {
        if self.waits.get() >= Some(urgency) {
            return;
        }
        self.waits.set(Some(urgency));
        let timer = self.timer.get().wrapping_add(1);
        self.timer.set(timer);
        let weak_persistence = self.me.clone();
        let save = move || {
            let persistence = weak_persistence.upgrade();
            let Some(persistence) = persistence.filter(|it| it.timer.get() == timer) else {
                return;
            };
            if let Some(urgency) = persistence.waits.take() {
                if urgency == Urgency::Soon {
                    let series = persistence.series.get().with_write(now());
                    persistence.series.set(series);
                }
                persistence.push_job(WriteJob::Save);
            }
        };
        match urgency {
            Urgency::AtOnce => spawn_local(async move { save() }),
            Urgency::Soon => after(self.series.get().next_delay(now()), save),
            Urgency::WithTheAnswer | Urgency::Nothing => after(MAX_SAVE_DELAY_MS, save),
        }
    }

    /// Switches persistence to the conversation that the session has opened.
    fn switch_thread(&self, id: &str) {
        let was_owner = self.owns_thread();
        let previous_thread = self.thread.replace(TabThread::new(id.to_owned()));
        let unsaved_changes = self.unsaved.replace(UnsavedChanges::whole_thread());
        self.series.take();
        // The previous conversation is kept, with its lock, until its pending writes are done.
        self.previous_thread
            .replace(was_owner.then_some((previous_thread, unsaved_changes)));
        // While the store fails, the new conversation is not remembered, because a reload could not
        // open it.
        match self.is_failing() {
            true => self.schedule_retry(),
            false => self.remember_in_tab(id),
        }
        match self.ownership.get() {
            Ownership::OtherTab => self.set_ownership(self.this_tab_ownership()),
            _ => self.show_ownership(),
        }
    }

    fn remember_in_tab(&self, id: &str) {
        if self.named_thread.is_none() {
            tab::remember_thread(&*self.store, id);
        }
    }
}

impl Persistence for StorePersistence {
    fn hold_back(&self, input: Input) -> Option<Input> {
        let must_wait = may_start_work(&input)
            || matches!(
                input,
                Input::Load { .. } | Input::NewThread | Input::GiveUp { .. }
            );
        if self.ownership.get() != Ownership::Opening || !must_wait {
            return Some(input);
        }
        self.held.borrow_mut().push(input);
        self.update_draft();
        None
    }

    fn record_changes(&self, changes: &Changes, session: &Session) {
        if changes.thread {
            if session.thread_id() != self.thread.borrow().id {
                self.switch_thread(session.thread_id());
            }
            self.thread().add_stored_calls(StoredCalls::of(session));
        }
        if !self.owns_thread() || session.is_following() {
            return;
        }
        let urgency = {
            let mut phases = self.phases.borrow_mut();
            let mut unsaved_changes = self.unsaved.borrow_mut();
            if changes.thread {
                phases.clear();
                // If the session has not just restored the stored conversation, the session
                // contains a different conversation with the same id, so the complete conversation
                // must be written.
                if !self.restores.take() {
                    unsaved_changes.merge_older(UnsavedChanges::whole_thread());
                }
            }
            unsaved_changes.add_changes(changes.list(), session, &mut phases)
        };
        if urgency != Urgency::Nothing && !self.is_failing() {
            self.schedule_save(urgency);
        }
    }

    fn commit_start(&self, commit: CommitId, entry: JournalEntry) {
        match self.ownership.get() {
            Ownership::ThisTab { .. } => self.push_job(WriteJob::Commit(commit, Box::new(entry))),
            // Without the store, only the session ensures that a call starts once.
            Ownership::NotStored => self.report_commit(commit, Ok(())),
            Ownership::Opening | Ownership::OtherTab => {
                self.report_commit(commit, Err("the conversation is not this tab's".to_owned()));
            }
        }
    }

    fn record_result(&self, entry: JournalEntry) {
        if let Some((previous_thread, unsaved_changes)) = &mut *self.previous_thread.borrow_mut()
            && previous_thread.id == entry.thread_id()
        {
            return unsaved_changes.add_entry(&entry);
        }
        if self.owns_thread() && self.thread.borrow().id == entry.thread_id() {
            self.unsaved.borrow_mut().add_entry(&entry);
            if !self.is_failing() {
                self.push_job(WriteJob::Save);
            }
        }
    }

    fn store_archive(&self, thread_id: &str, snapshot: Value) {
        let previous_state = self.previous_thread.take();
        if let Some((thread, unsaved_changes)) =
            previous_state.filter(|(thread, _)| thread.id == thread_id)
        {
            self.push_job(WriteJob::Archive(thread, snapshot, unsaved_changes));
        }
    }

    fn open_thread(&self, thread_id: String) {
        let Some(runtime) = self.runtime.upgrade() else {
            return;
        };
        // The inputs that were held back refer to a conversation that is not opened any more.
        for input in self.held.take() {
            runtime.discard_held_input(input);
        }
        // A new conversation ends the open calls of the current conversation, and writes these
        // calls as usual. The input is not held back, even while another conversation is opened.
        // The session never refuses this input.
        let _ = runtime.handle_input(Input::NewThread);
        self.unsaved.take();
        self.remember_in_tab(&thread_id);
        self.begin_opening(TabThread::new(thread_id), false);
    }

    fn refresh_threads(&self) {
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.refresh_list().await });
        }
    }

    fn search_threads(&self, search: ThreadSearch) {
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.run_search(search).await });
        }
    }

    fn store_label(&self, thread_id: String, label: Label) {
        if let Some(persistence) = self.me.upgrade() {
            spawn_local(async move { persistence.write_label(thread_id, label).await });
        }
    }

    fn take_ownership(&self) {
        if self.ownership.get() == Ownership::OtherTab {
            let followed_thread = self.thread();
            let (id, initial) = (followed_thread.id.clone(), followed_thread.initial.take());
            self.begin_opening(TabThread::with_initial(id, initial), true);
        }
    }

    fn store_draft(&self, text: RwSignal<String>) {
        let is_known = self.composer_texts.borrow().contains(&text);
        if !is_known {
            self.composer_texts.borrow_mut().push(text);
        }
        self.update_draft();
    }

    fn update_draft(&self) {
        let mut texts = self.waiting_texts();
        texts.insert(0, self.previous_draft().clone());
        if let Some(runtime) = self.runtime.upgrade() {
            runtime.returned.with_untracked(|messages| {
                texts.extend(messages.iter().map(Content::display_text));
            });
        }
        self.composer_texts.borrow_mut().retain(|composer_text| {
            let text = composer_text.try_get_untracked();
            let is_alive = text.is_some();
            texts.extend(text);
            is_alive
        });
        texts.retain(|text| !text.trim().is_empty());
        tab::store_draft(
            &*self.store,
            self.named_thread.as_deref(),
            &texts.join("\n\n"),
        );
    }

    fn take_draft(&self) -> Option<String> {
        let draft = mem::take(&mut *self.previous_draft());
        (!draft.is_empty()).then_some(draft)
    }

    fn shut_down(&self) {
        self.save_now(true);
        self.ended.set(true);
        self.leaving.take();
        let thread = self.thread();
        thread.lock.take();
        thread.place.take();
        thread.channel.take();
    }
}
