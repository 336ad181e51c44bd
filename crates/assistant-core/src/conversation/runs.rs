//! The runs of a conversation, and whether they succeeded. Only the calls of a successful run may
//! start.

use serde_json::{Value, json};

use crate::event::Object;

/// The maximum number of runs in the list. The oldest run is removed if the list is full.
const MAX_RUNS: usize = 64;

/// The newest runs of a conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs {
    list: Vec<RunRecord>,
    last: u64,
    /// The number of the active run, if any.
    pub(crate) current: Option<u64>,
}

#[derive(Debug, Clone)]
struct RunRecord {
    number: u64,
    id: String,
    succeeded: Option<bool>,
    /// The number of events of the run that were applied to the conversation. The number is 0 if
    /// the run has ended or its events are not counted.
    applied: u64,
}

impl Runs {
    /// Starts a run. Calls that are added afterwards belong to this run.
    pub(crate) fn begin(&mut self, id: &str) {
        self.last += 1;
        self.current = Some(self.last);
        if self.list.len() == MAX_RUNS {
            self.list.remove(0);
        }
        self.list.push(RunRecord {
            number: self.last,
            id: id.to_owned(),
            succeeded: None,
            applied: 0,
        });
    }

    /// Resumes the newest run unless it succeeded. Otherwise starts a run. The calls of a resumed
    /// run still belong to it.
    pub(crate) fn resume(&mut self, id: &str) {
        match self.list.last_mut() {
            Some(run) if run.number == self.last && run.succeeded != Some(true) => {
                run.succeeded = None;
                id.clone_into(&mut run.id);
                self.current = Some(run.number);
            }
            _ => self.begin(id),
        }
    }

    /// Ends the active run.
    pub(crate) fn end(&mut self, succeeded: bool) {
        let Some(number) = self.current.take() else {
            return;
        };
        let mut list = self.list.iter_mut().rev();
        if let Some(run) = list.find(|run| run.number == number) {
            run.succeeded = Some(succeeded);
            run.applied = 0;
        }
    }

    /// Counts an event of the active run as applied. The count is stored together with the effects
    /// of the event.
    pub(crate) fn count_event(&mut self) {
        let current_run = self.current;
        let newest = self.list.last_mut();
        if let Some(run) = newest.filter(|run| current_run == Some(run.number)) {
            run.applied += 1;
        }
    }

    /// Returns the id of the newest run and the number of its applied events, or `None` if the run
    /// has ended.
    pub(crate) fn position(&self) -> Option<(&str, u64)> {
        let newest = self.list.last().filter(|_| self.is_newest_open())?;
        Some((&newest.id, newest.applied))
    }

    /// Marks the newest run of a stored conversation as failed if the run has not ended.
    pub(crate) fn fail_open_run(&mut self) {
        if let Some(run) = self.list.last_mut() {
            run.succeeded.get_or_insert(false);
            run.applied = 0;
        }
    }

    /// Returns true if the newest run has not ended. In a stored conversation, an open run means
    /// that the page was closed during the run.
    pub(crate) fn is_newest_open(&self) -> bool {
        let newest = self.list.last();
        newest.is_some_and(|run| run.succeeded.is_none() && run.number == self.last)
    }

    /// Returns true if this is the number of the newest run, which may be active.
    pub(crate) fn is_newest(&self, run: u64) -> bool {
        run == self.last
    }

    /// Returns true if the run succeeded. Returns false if the run failed, has not ended, or is no
    /// longer in the list.
    pub(crate) fn has_succeeded(&self, number: u64) -> bool {
        let run = self.list.iter().rev().find(|run| run.number == number);
        run.is_some_and(|run| run.succeeded == Some(true))
    }
}

impl Runs {
    pub(super) fn to_value(&self) -> Value {
        let write_run = |run: &RunRecord| {
            let mut entry = json!({"number": run.number, "id": run.id, "succeeded": run.succeeded});
            if let (Value::Object(entry), 1..) = (&mut entry, run.applied) {
                entry.insert("applied".to_owned(), run.applied.into());
            }
            entry
        };
        self.list.iter().map(write_run).collect()
    }

    /// Reads stored runs. Entries that cannot be read are skipped.
    pub(super) fn from_value(value: Option<&Value>) -> Self {
        let mut runs = Self::default();
        for entry in value.and_then(Value::as_array).into_iter().flatten() {
            let read_run = |entry: &Object| {
                let succeeded = entry.get("succeeded").and_then(Value::as_bool);
                // The count is ignored if the run has ended, because only the events of an open run
                // are counted.
                let applied_count = entry.get("applied").filter(|_| succeeded.is_none());
                Some(RunRecord {
                    number: entry.get("number")?.as_u64()?,
                    id: entry.get("id")?.as_str()?.to_owned(),
                    succeeded,
                    applied: applied_count.and_then(Value::as_u64).unwrap_or(0),
                })
            };
            // A number near the limit is rejected, because the numbers of later runs would exceed
            // the limit.
            let is_valid = |run: &RunRecord| run.number > runs.last && run.number < 1 << 53;
            if let Some(run) = entry.as_object().and_then(read_run).filter(is_valid) {
                runs.last = run.number;
                runs.list.push(run);
            }
        }
        let surplus = runs.list.len().saturating_sub(MAX_RUNS);
        runs.list.drain(..surplus);
        runs
    }
}
