//! Writes the state of tabs to a store that fails at random. A call that was ever passed to the
//! store starts only after the store has confirmed the claim; other calls may start without it.

use assistant_core::session::{
    ClaimOutcome, CommitId, Input, Invocation, JournalEntry, Session, StoredCalls,
};

use super::{
    history::ChatSimulation,
    page::{PendingTask, Tab, TabEffect},
    store::{Batch, FailureMode, Store, WriteError},
};

impl Tab {
    /// Writes the tab's state, optionally with the claim of a start. After a failure, nothing is
    /// passed to a silent store.
    pub(super) fn write_state(
        &mut self,
        store: &mut Store,
        claim: Option<&JournalEntry>,
    ) -> Result<(), WriteError> {
        if self.is_in_trouble && store.mood == FailureMode::Silent {
            return Err(WriteError::NoAnswer);
        }
        let written = store.write(Batch {
            tab: self.desk.tab,
            snapshot: Some(self.session.snapshot()),
            claim: claim.cloned(),
            add: self.unwritten.clone(),
        });
        if matches!(written, Ok(()) | Err(WriteError::NoAnswer)) {
            self.stored.add(StoredCalls::of(&self.session));
        }
        match written {
            Ok(()) => {
                self.is_in_trouble = false;
                self.unwritten.clear();
            }
            // Data that only this page has is neither given up nor allowed to overwrite another
            // tab's.
            Err(WriteError::Refused) => self.is_apart |= self.is_in_trouble && claim.is_none(),
            Err(_) => self.is_in_trouble = true,
        }
        written
    }

    /// Writes the claim of a start. Returns `Ok(false)` if the store confirmed the claim,
    /// `Ok(true)` if the call may start without it, and an error if the call may not start.
    pub(super) fn write_claim(
        &mut self,
        store: &mut Store,
        entry: &JournalEntry,
    ) -> Result<bool, WriteError> {
        let stored = self.stored;
        let may_start =
            |session: &Session, outcome| stored.may_start(entry.call_key(), outcome, session);
        let alone = self.is_in_trouble || self.is_apart;
        if alone && may_start(&self.session, ClaimOutcome::Failed) {
            self.unwritten.push(entry.clone());
            return Ok(true);
        }
        let written = match self.is_apart {
            true => Err(WriteError::Refused),
            false => self.write_state(store, Some(entry)),
        };
        let outcome = match written {
            Ok(()) => ClaimOutcome::Written,
            Err(WriteError::Refused) => ClaimOutcome::Refused,
            Err(_) => ClaimOutcome::Failed,
        };
        match written {
            Ok(()) => Ok(false),
            Err(_) if may_start(&self.session, outcome) => {
                self.unwritten.push(entry.clone());
                Ok(true)
            }
            Err(fault) => Err(fault),
        }
    }
}

impl ChatSimulation {
    /// Writes the state of the owning tab. Returns false if the write failed, or if the tab writes
    /// nothing any more.
    pub(super) fn save_state(&mut self) -> bool {
        if self.tab.is_apart {
            return false;
        }
        let saved = self.tab.write_state(&mut self.store, None).is_ok();
        if saved {
            let shown = self.tab.session.conversation().path();
            let texts = shown.map(|message| (message.id().clone(), message.text()));
            self.texts = texts.collect();
            self.results.append(&mut self.unwritten_results);
        }
        saved
    }

    pub(super) fn try_to_save_state(&mut self) {
        self.save_state();
    }

    /// Changes the state of the store between failing and working, and writes or drops the batches
    /// that it has not confirmed.
    pub(super) fn toggle_store_failure(&mut self) {
        self.store.mood = match (self.store.mood, self.rng.bool()) {
            (FailureMode::Works, true) => FailureMode::Full,
            (FailureMode::Works, false) => FailureMode::Silent,
            _ => FailureMode::Works,
        };
        let is_written = self.rng.bool();
        self.store.flush_pending(is_written);
    }

    /// Writes the claim of a start by the owning tab, reports the outcome to the session, and
    /// counts violations.
    pub(super) fn commit_start(&mut self, commit: CommitId, entry: &JournalEntry) {
        let (tab, call) = (self.tab.desk.tab, entry.call_key().number());
        // A failed batch with the claim in it was stored completely or not at all.
        let was_given = self.store.was_given(tab, call);
        let outcome = self.tab.write_claim(&mut self.store, entry);
        self.tally.double_starts += u64::from(outcome == Ok(true) && was_given);
        self.tally.page_starts += u64::from(outcome == Ok(true));
        // No other tab can have claimed it: the call could never start.
        let alone =
            self.store.fences && self.store.mood == FailureMode::Works && !self.tab.is_apart;
        self.tally.stuck += u64::from(alone && outcome.is_err());
        let outcome = outcome.map(drop).map_err(|fault| format!("{fault:?}"));
        self.handle_input(Input::Committed { commit, outcome });
    }

    /// Executes a step of an abandoned tab. The tab does not own the conversation and writes no
    /// state. A start of its calls is claimed in the journal, or starts without a claim if no store
    /// was given the call.
    pub(super) fn step_abandoned_tab(&mut self) {
        let Some(mut tab) = self.left.pop() else {
            return;
        };
        let mut by_itself = false;
        let news = match tab.tasks.pop() {
            Some(PendingTask::Commit(commit, entry)) => {
                let outcome = write_abandoned_claim(&tab, &mut self.store, &entry);
                by_itself = outcome == Ok(true);
                if self.store.fences && outcome == Ok(false) {
                    self.tally.double_starts += 1;
                }
                let outcome = outcome.map(drop).map_err(|fault| format!("{fault:?}"));
                tab.handle_input(Input::Committed { commit, outcome }).1
            }
            Some(PendingTask::Handler(invocation)) => tab.end_handler(&invocation, true),
            Some(PendingTask::Timer(_)) => Vec::new(),
            None => return,
        };
        for news in news {
            match news {
                TabEffect::Started(invocation) => {
                    self.record_abandoned_start(&invocation, by_itself);
                }
                // The owner writes its own data by now.
                TabEffect::Recorded(_) | TabEffect::Asked(_) => {}
            }
        }
        self.left.push(tab);
    }

    fn record_abandoned_start(&mut self, invocation: &Invocation, by_itself: bool) {
        self.record_start(invocation);
        // Its start was refused, so nothing may run.
        if self.store.fences && !by_itself {
            self.tally.double_starts += 1;
        }
    }
}

/// Writes the claim of an abandoned tab without its state. Returns `Ok(false)` if the claim was
/// written, and `Ok(true)` if none is needed, because no store was given the call.
fn write_abandoned_claim(
    tab: &Tab,
    store: &mut Store,
    entry: &JournalEntry,
) -> Result<bool, WriteError> {
    let is_known = tab.stored.contains(entry.call_key(), &tab.session);
    if (tab.is_in_trouble || tab.is_apart) && !is_known {
        return Ok(true);
    }
    let batch = Batch {
        tab: tab.desk.tab,
        snapshot: None,
        claim: Some(entry.clone()),
        add: Vec::new(),
    };
    store.write(batch).map(|()| false)
}
