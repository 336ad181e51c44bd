//! Writes what is to be written, one thing after the other, and says what came of it.

use std::{rc::Rc, time::Duration};

use assistant_core::session::{CommitId, Input, JournalEntry};
use futures_util::future::{Either, select};
use serde_json::Value;

use super::{
    Keeping, Thread,
    save::{Unsaved, record_of, records_of},
};
use crate::{
    store::{Batch, Said, StoreError, StoreErrorKind},
    ui::{after, sleep, spawn_local},
};

/// The longest time that a store may take, in milliseconds, until it counts as broken.
const PATIENCE_MS: u64 = 8_000;
/// After how many milliseconds something that failed is tried again.
const AGAIN_MS: u32 = 5_000;

/// Something that is to be written.
pub(super) enum Job {
    /// What has changed.
    Save,
    /// A start, with what has changed until then.
    Commit(CommitId, Box<JournalEntry>),
    /// A conversation that another has taken the place of, as it was in the end.
    Archive(Rc<Thread>, Value, Unsaved),
}

impl Keeping {
    pub(super) fn push(&self, job: Job) {
        let mut jobs = self.jobs.borrow_mut();
        if !(matches!(job, Job::Save) && matches!(jobs.back(), Some(Job::Save))) {
            jobs.push_back(job);
        }
        drop(jobs);
        if self.working.replace(true) {
            return;
        }
        if let Some(keeping) = self.me.upgrade() {
            spawn_local(async move { keeping.work().await });
        }
    }

    async fn work(self: Rc<Self>) {
        loop {
            let job = self.jobs.borrow_mut().pop_front();
            match job {
                Some(Job::Save) => self.save().await,
                Some(Job::Commit(commit, entry)) => self.write_start(commit, &entry).await,
                Some(Job::Archive(thread, snapshot, unsaved)) => {
                    self.write_archive(&thread, snapshot, unsaved).await;
                }
                None => break,
            }
        }
        self.working.set(false);
    }

    /// Forgets what is to be written; what waits for a start hears that there is none.
    pub(super) fn drop_jobs(&self) {
        let jobs = std::mem::take(&mut *self.jobs.borrow_mut());
        for job in jobs {
            match job {
                Job::Commit(commit, _) => {
                    self.answer(commit, Err("it is open in another tab".to_owned()));
                }
                Job::Archive(..) => self.jobs.borrow_mut().push_back(job),
                Job::Save => {}
            }
        }
    }

    pub(super) fn answer(&self, commit: CommitId, outcome: Result<(), String>) {
        self.dispatch(Input::Committed { commit, outcome });
    }

    async fn save(&self) {
        let thread = self.thread();
        if !self.is_here() || !self.is_worth_it(&thread) {
            return;
        }
        if let Err(error) = self.write(&thread, None).await {
            self.failed(&thread, &error);
        }
    }

    /// A conversation in which nothing was said yet is not written.
    fn is_worth_it(&self, thread: &Thread) -> bool {
        if self.unsaved.borrow().is_nothing() {
            return false;
        }
        let runtime = self.runtime.upgrade();
        let count = runtime
            .and_then(|runtime| runtime.read(|session| session.conversation().message_count()));
        thread.taken.get() || count.unwrap_or_default() > 0
    }

    async fn write_start(&self, commit: CommitId, entry: &JournalEntry) {
        let thread = self.thread();
        let written = match self.is_here() && thread.id == entry.thread_id() {
            true => self.write(&thread, Some(entry)).await,
            false => {
                let message = "the conversation is not open here";
                Err(StoreError::new(StoreErrorKind::TakenOver, message))
            }
        };
        if let Err(error) = &written
            && error.kind != StoreErrorKind::Claimed
        {
            self.failed(&thread, error);
        }
        self.answer(commit, written.map_err(|error| error.message));
    }

    /// Writes what has changed, and perhaps a claim, all or nothing.
    async fn write(
        &self,
        thread: &Rc<Thread>,
        claim: Option<&JournalEntry>,
    ) -> Result<(), StoreError> {
        if !thread.taken.get() {
            self.take(thread).await?;
        }
        let Some((mut batch, unsaved)) = self.collect(thread) else {
            let message = "the conversation is not open here";
            return Err(StoreError::new(StoreErrorKind::TakenOver, message));
        };
        batch.claim = claim.map(record_of);
        let info = batch.info.clone();
        let written = self.patiently(batch).await;
        match &written {
            Ok(()) => {
                self.tell_kept(None);
                self.list_too(info);
                thread.say(Said::Wrote);
            }
            Err(_) if self.is_current(thread) => self.unsaved.borrow_mut().add(unsaved),
            Err(_) => {}
        }
        written
    }

    /// Makes a conversation this tab's that is written for the first time.
    async fn take(&self, thread: &Rc<Thread>) -> Result<(), StoreError> {
        self.listen(thread);
        // Another tab may have one of this id only if it was imported: then this one is newer.
        self.own(thread, true).await;
        self.store.take(&thread.id, &thread.writer()).await?;
        thread.taken.set(true);
        thread.say(Said::Has);
        Ok(())
    }

    async fn patiently(&self, batch: Batch) -> Result<(), StoreError> {
        let patience = Box::pin(sleep(Duration::from_millis(PATIENCE_MS)));
        match select(self.store.write(batch), patience).await {
            Either::Left((written, _)) => written,
            Either::Right(_) => {
                let message = "the browser's database does not answer";
                Err(StoreError::new(StoreErrorKind::Failed, message))
            }
        }
    }

    fn failed(&self, thread: &Rc<Thread>, error: &StoreError) {
        if !self.is_current(thread) {
            return;
        }
        if error.kind == StoreErrorKind::TakenOver {
            return self.lose(thread);
        }
        self.tell_kept(Some(error));
        let me = self.me.clone();
        after(AGAIN_MS, move || {
            if let Some(keeping) = me.upgrade() {
                keeping.push(Job::Save);
            }
        });
    }

    async fn write_archive(&self, thread: &Rc<Thread>, snapshot: Value, unsaved: Unsaved) {
        if !thread.taken.get() && self.take(thread).await.is_err() {
            return;
        }
        let batch = Batch {
            thread_id: thread.id.clone(),
            writer: thread.writer(),
            put: records_of(snapshot),
            add: unsaved.take_entries(),
            ..Batch::default()
        };
        if let Err(error) = self.patiently(batch).await
            && error.kind != StoreErrorKind::TakenOver
        {
            self.tell_kept(Some(&error));
        }
        // The lock goes with the last who has the conversation.
        thread.lock.take();
        thread.channel.take();
    }

    /// Writes at once what is not written yet: the page may go.
    pub(super) fn save_now(&self) {
        let thread = self.thread();
        if !self.is_here() || !thread.taken.get() || !self.is_worth_it(&thread) {
            return;
        }
        let Some((batch, unsaved)) = self.collect(&thread) else {
            return;
        };
        let (written, me) = (self.store.write(batch), self.me.clone());
        spawn_local(async move {
            let failed = written.await.is_err();
            let keeping = me.upgrade().filter(|_| failed);
            if let Some(keeping) = keeping.filter(|keeping| keeping.is_current(&thread)) {
                keeping.unsaved.borrow_mut().add(unsaved);
                keeping.save_later(false);
            }
        });
    }
}
