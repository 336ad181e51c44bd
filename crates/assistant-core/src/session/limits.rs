//! Checks the permission of the application, the rate limits of actions and the uses of approvals
//! right before a call starts (rules "permission", "limits", "remembered approvals").
//!
//! The limits are also checked before the user is asked. The module `execute` calls `admit_start`,
//! and the module `prepare` calls `limit_error`.

use std::collections::VecDeque;

use serde_json::json;

use super::{Answer, Cx, PolicyQuestion, Session, Ticket, execute::CallEnding, uses::UseStatus};
use crate::{
    action::Registration,
    conversation::{
        CallDataChange, CallError, CallKey, ErrorKind, Fingerprint, Permission, State, ToolCall,
    },
};

/// The maximum number of start times that are stored for one action.
const MAX_STARTS: u32 = 10_000;

/// The recent start times of actions with limits, by the name of the action.
#[derive(Debug, Clone, Default)]
pub(super) struct StartTimes {
    by_name: Vec<(String, VecDeque<i64>)>,
}

impl StartTimes {
    /// Returns the time until the next permitted start, in milliseconds; `None` if a start is
    /// permitted now.
    pub(super) fn remaining_wait(
        &mut self,
        name: &str,
        (count, ms): (u32, u32),
        now: i64,
    ) -> Option<i64> {
        let (count, ms) = (count.min(MAX_STARTS) as usize, i64::from(ms));
        if count == 0 {
            return Some(ms.max(1));
        }
        let starts = self.times_mut(name)?;
        for at in starts.iter_mut() {
            // A later time is replaced by the current time, so that a clock that was set back does
            // not extend the wait beyond the window.
            *at = (*at).min(now);
        }
        while starts.front().is_some_and(|at| now - at >= ms) {
            starts.pop_front();
        }
        let oldest_index = starts.len().checked_sub(count)?;
        let oldest_start = starts.get(oldest_index)?;
        Some((oldest_start + ms - now).max(1))
    }

    pub(super) fn record(&mut self, name: &str, now: i64) {
        match self.times_mut(name) {
            Some(starts) => starts.push_back(now),
            None => self.by_name.push((name.to_owned(), VecDeque::from([now]))),
        }
    }

    fn times_mut(&mut self, name: &str) -> Option<&mut VecDeque<i64>> {
        let mut entries = self.by_name.iter_mut();
        entries
            .find(|(key, _)| key == name)
            .map(|(_, starts)| starts)
    }
}

impl Session {
    /// Returns true if a call may start now. Ends the call with an error if the call exceeds a
    /// limit or the application does not permit it. Also returns false while the application's
    /// permission or the count of a use is pending; the call is then admitted later.
    pub(super) fn admit_start(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> bool {
        if let Some(error) = self.limit_error(key, true, cx.now) {
            self.end_call(key, CallEnding::from_error(error), cx);
            return false;
        }
        match self.request_permission(key, cx) {
            None => false,
            Some(Ok(())) => match self.take_use(key, cx) {
                UseStatus::Free => true,
                UseStatus::Awaited => false,
                UseStatus::Void => {
                    self.recheck_call(key, false, cx);
                    matches!(self.conversation.state_of(key), Some(State::Allowed(_)))
                        && self.admit_start(key, cx)
                }
            },
            Some(Err(reason)) => {
                self.end_call(key, CallEnding::from_error(permission_error(reason)), cx);
                false
            }
        }
    }

    /// Asks the application for permission to start a call, unless the application was already
    /// asked about this version of the call. Returns the answer; `None` while the answer is
    /// pending, or if the call is not ready to start.
    fn request_permission(&mut self, key: &CallKey, cx: &mut Cx<'_>) -> Option<Result<(), String>> {
        let (call, entry) = self.call_with_registration(key)?;
        let fingerprint = Fingerprint::from_call(call, Some(&entry.spec));
        let State::Allowed(clearance) = call.state() else {
            return None;
        };
        match &clearance.permission {
            Permission::Given(given) if *given == fingerprint => return Some(Ok(())),
            Permission::Asked(_, asked) if *asked == fingerprint => return None,
            _ => {}
        }
        match self.ask_permission(key, cx)? {
            (ticket, Answer::Later) => {
                self.conversation.apply_data_change(
                    key,
                    CallDataChange::Permission(Permission::Asked(ticket, fingerprint)),
                );
                None
            }
            (_, Answer::Now(Ok(()))) => {
                self.conversation.apply_data_change(
                    key,
                    CallDataChange::Permission(Permission::Given(fingerprint)),
                );
                Some(Ok(()))
            }
            (_, Answer::Now(refused)) => Some(refused),
        }
    }

    /// Discards the permission of a call that may not start yet, since the application must be
    /// asked right before the start (rule "permission").
    pub(super) fn discard_early_permission(&mut self, key: &CallKey) {
        if let Some(State::Allowed(clearance)) = self.conversation.state_of(key)
            && let Permission::Given(_) = clearance.permission
        {
            let change = CallDataChange::Permission(Permission::Unasked);
            self.conversation.apply_data_change(key, change);
        }
    }

    /// Asks the application whether a call may start, regardless of earlier answers. Returns the
    /// ticket of the question and the answer; `None` if the action is not registered or the
    /// arguments are not valid.
    pub(super) fn ask_permission(
        &mut self,
        key: &CallKey,
        cx: &mut Cx<'_>,
    ) -> Option<(Ticket, Answer<Result<(), String>>)> {
        let ticket = Ticket(self.next_number());
        let (call, entry) = self.call_with_registration(key)?;
        let question = PolicyQuestion {
            ticket,
            registration: entry.id,
            call: key,
            name: &call.name,
            args: call.effective_args()?,
        };
        Some((ticket, cx.host.permits(question)))
    }

    /// Returns the key of an open call whose state satisfies a condition. The call may be on any
    /// branch, or it may be a call of the page itself.
    pub(super) fn find_open_call_on_any_branch(
        &self,
        predicate: impl Fn(&State) -> bool,
    ) -> Option<CallKey> {
        let key = self.conversation.find_open_call(&predicate);
        key.or_else(|| {
            let mut calls = self.conversation.open_calls_on_other_branches();
            calls
                .find(|call| predicate(call.state()))
                .map(ToolCall::key)
        })
    }

    pub(super) fn handle_permission_answer(
        &mut self,
        ticket: Ticket,
        outcome: Result<(), String>,
        cx: &mut Cx<'_>,
    ) {
        let asked_version = |state: &State| match state {
            State::Allowed(clearance) => match &clearance.permission {
                Permission::Asked(asked, fingerprint) if *asked == ticket => {
                    Some(fingerprint.clone())
                }
                _ => None,
            },
            _ => None,
        };
        let key = self.find_open_call_on_any_branch(|state| asked_version(state).is_some());
        let call = key.and_then(|key| self.conversation.call(&key));
        let Some((key, fingerprint)) =
            call.and_then(|call| Some((call.key(), asked_version(call.state())?)))
        else {
            return;
        };
        match outcome {
            Ok(()) => {
                self.conversation.apply_data_change(
                    &key,
                    CallDataChange::Permission(Permission::Given(fingerprint)),
                );
            }
            Err(reason) => {
                self.end_call(&key, CallEnding::from_error(permission_error(reason)), cx);
            }
        }
    }

    /// Returns the error for a call that exceeds a limit of its action; `None` if the call exceeds
    /// no limit. If `starts` is true, the call is about to start, and running calls are counted as
    /// well; otherwise the user is about to be asked.
    pub(super) fn limit_error(
        &mut self,
        key: &CallKey,
        starts: bool,
        now: i64,
    ) -> Option<CallError> {
        let (call, entry) = self.call_with_registration(key)?;
        let (limits, name) = (entry.spec.limits, call.name.clone());
        let other_starts = || self.conversation.count_other_starts(key);
        if let Some(max) = limits.per_run.filter(|max| other_starts() >= *max) {
            let message = format!("{name} may be called {max} times in one answer");
            return Some(rate_limit_error(message, None));
        }
        if starts
            && limits
                .concurrent
                .is_some_and(|max| self.count_running_calls(&name) >= max)
        {
            let message =
                format!("{name} is running already: call it again when it has its result");
            return Some(rate_limit_error(message, None));
        }
        let window = limits.window?;
        let wait = self.starts.remaining_wait(&name, window, now)?;
        let (count, window_s, wait_s) = (
            window.0,
            round_up_to_seconds(i64::from(window.1)),
            round_up_to_seconds(wait),
        );
        let message = format!(
            "{name} may be called {count} times in {window_s} s: call it again in {wait_s} s"
        );
        Some(rate_limit_error(message, Some(wait)))
    }

    fn count_running_calls(&self, name: &str) -> u32 {
        let direct_keys = self.conversation.direct_calls().map(ToolCall::key);
        let open_keys = self.conversation.open_states().map(|(key, _)| key);
        let open_calls = open_keys
            .chain(direct_keys)
            .filter_map(|key| self.conversation.call(&key));
        let running_calls =
            open_calls.filter(|call| call.name == name && call.state().is_starting_or_running());
        u32::try_from(running_calls.count()).unwrap_or(u32::MAX)
    }

    /// Records a start for the rate limits when the journal entry for the start is written.
    pub(super) fn record_start(&mut self, entry: Option<&Registration>, now: i64) {
        if let Some(entry) = entry.filter(|entry| entry.spec.limits.window.is_some()) {
            self.starts.record(&entry.spec.name, now);
        }
    }
}

pub(super) const fn round_up_to_seconds(ms: i64) -> i64 {
    ms.saturating_add(999) / 1_000
}

fn rate_limit_error(message: String, wait: Option<i64>) -> CallError {
    CallError {
        message,
        kind: ErrorKind::RateLimit,
        details: wait.map(|ms| json!({"retryAfterMs": ms})),
    }
}

pub(super) fn permission_error(reason: String) -> CallError {
    let message = match reason.trim().is_empty() {
        true => "This is not permitted".to_owned(),
        false => reason,
    };
    CallError::new(ErrorKind::Permission, message)
}
