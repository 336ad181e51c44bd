//! Which runs wrote in the conversation, and how they ended: only the calls of a run that
//! succeeded may start.

use serde_json::{Value, json};

use super::Conversation;
use crate::event::Object;

/// For how many runs it is kept how they ended. What is older than that is over.
const KEPT: usize = 64;

/// The newest runs of a conversation.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    list: Vec<RunRecord>,
    last: u64,
    /// The one that writes now.
    pub(super) current: Option<u64>,
}

#[derive(Debug, Clone)]
struct RunRecord {
    number: u64,
    id: String,
    succeeded: Option<bool>,
}

impl Conversation {
    /// A run begins: calls that appear from here on are its own.
    pub(crate) fn begin_run(&mut self, id: &str) {
        let runs = &mut self.runs;
        runs.last += 1;
        runs.current = Some(runs.last);
        if runs.list.len() == KEPT {
            runs.list.remove(0);
        }
        runs.list.push(RunRecord {
            number: runs.last,
            id: id.to_owned(),
            succeeded: None,
        });
    }

    /// The newest run goes on, if it came to no good end: what it called before is its own still.
    pub(crate) fn go_on_with_run(&mut self, id: &str) {
        let runs = &mut self.runs;
        match runs.list.last_mut() {
            Some(run) if run.number == runs.last && run.succeeded != Some(true) => {
                run.succeeded = None;
                id.clone_into(&mut run.id);
                runs.current = Some(run.number);
            }
            _ => self.begin_run(id),
        }
    }

    /// The run that writes now has ended.
    pub(crate) fn end_run(&mut self, succeeded: bool) {
        let Some(number) = self.runs.current.take() else {
            return;
        };
        let mut list = self.runs.list.iter_mut().rev();
        if let Some(run) = list.find(|run| run.number == number) {
            run.succeeded = Some(succeeded);
        }
    }

    /// The newest run of a stored conversation never ended, and nobody reads it on.
    pub(crate) fn fail_open_run(&mut self) {
        if let Some(run) = self.runs.list.last_mut() {
            run.succeeded.get_or_insert(false);
        }
    }

    /// Whether the newest run has not ended, as far as is known: a stored conversation was left in
    /// the middle of it.
    pub(crate) fn newest_run_is_open(&self) -> bool {
        let newest = self.runs.list.last();
        newest.is_some_and(|run| run.succeeded.is_none() && run.number == self.runs.last)
    }

    /// Whether a call was made by the run that writes now, or by the newest one.
    pub(crate) fn is_of_newest_run(&self, call: &super::ToolCall) -> bool {
        call.run.is_some_and(|run| run == self.runs.last)
    }

    /// Whether the run that made a call succeeded; `None` if that is not known.
    pub(crate) fn run_succeeded(&self, call: &super::ToolCall) -> Option<bool> {
        let number = call.run?;
        let run = self.runs.list.iter().rev().find(|run| run.number == number);
        Some(run.is_some_and(|run| run.succeeded == Some(true)))
    }
}

impl Runs {
    pub(super) fn write(&self) -> Value {
        let write = |run: &RunRecord| json!({"number": run.number, "id": run.id, "succeeded": run.succeeded});
        self.list.iter().map(write).collect()
    }

    /// What cannot be read is not known.
    pub(super) fn read(value: Option<&Value>) -> Self {
        let mut runs = Self::default();
        for entry in value.and_then(Value::as_array).into_iter().flatten() {
            let read = |entry: &Object| {
                Some(RunRecord {
                    number: entry.get("number")?.as_u64()?,
                    id: entry.get("id")?.as_str()?.to_owned(),
                    succeeded: entry.get("succeeded").and_then(Value::as_bool),
                })
            };
            // Numbers that leave no room to count on are no numbers of ours.
            let usable = |run: &RunRecord| run.number > runs.last && run.number < 1 << 53;
            if let Some(run) = entry.as_object().and_then(read).filter(usable) {
                runs.last = run.number;
                runs.list.push(run);
            }
        }
        let surplus = runs.list.len().saturating_sub(KEPT);
        runs.list.drain(..surplus);
        runs
    }
}
