//! Reports exceeded limits with notices and diagnostics, or by ending the run.

use super::{ReceivedAmounts, Session, truncate};
use crate::{
    conversation::Change,
    event::Diagnostic,
    limits::{Exceeded, LimitKind, Limits, MAX_STREAMS},
    session::{Cx, Effect, Failure, FailureKind, NoticeKind, RunKey, StreamEnd},
};

/// The maximum size of a diagnostic's message in bytes. The message may quote the agent.
const MAX_DIAGNOSTIC_BYTES: usize = 2_000;

impl Session {
    /// Ends the run because of a limit, as if its stream had failed.
    pub(in crate::session) fn end_run_at_limit(
        &mut self,
        run: RunKey,
        kind: LimitKind,
        cx: &mut Cx<'_>,
    ) {
        cx.push_effect(Effect::AbortRun { run });
        let max = self.options.limits.maximum_for(kind);
        let mut failure = Failure::new(FailureKind::Limit, limit_message(kind, max));
        failure.exceeded = Some(Exceeded {
            limit: kind,
            most: max,
            dropped: 0,
        });
        cx.warn("limit", failure.message.clone());
        self.close_run(run, StreamEnd::Failed(failure), cx);
    }

    /// Shows a notice for each limit that was exceeded for the first time in this run.
    pub(in crate::session) fn notify_exceeded_limits(&mut self, cx: &mut Cx<'_>) {
        let ReceivedAmounts {
            dropped, noticed, ..
        } = &mut self.intake;
        if dropped.len() == noticed.len() {
            return;
        }
        let new_kinds = dropped.keys().filter(|kind| !noticed.contains(kind));
        let new_kinds: Vec<LimitKind> = new_kinds.copied().collect();
        for kind in new_kinds {
            self.intake.noticed.insert(kind);
            self.notify_limit(kind, cx);
        }
    }

    fn notify_limit(&mut self, limit: LimitKind, cx: &mut Cx<'_>) {
        let max = self.options.limits.maximum_for(limit);
        let dropped_amount = self.intake.dropped.get(&limit).copied();
        let message = limit_message(limit, max);
        self.notify(NoticeKind::LimitReached, message, None, cx);
        if let Some(notice) = self.notices.last_mut() {
            notice.exceeded = Some(Exceeded {
                limit,
                most: max,
                dropped: dropped_amount.unwrap_or_default(),
            });
        }
    }

    /// Reports the amounts that were dropped because of limits in a run that has ended, both in
    /// diagnostics and in the notices of the limits.
    pub(in crate::session) fn report_limits(&mut self, cx: &mut Cx<'_>) {
        self.notify_exceeded_limits(cx);
        let dropped_amounts = std::mem::take(&mut self.intake.dropped);
        self.intake.noticed.clear();
        for (limit, count) in dropped_amounts {
            // No diagnostic is added for the state and for activities, since each refused change
            // has its own diagnostic.
            if !matches!(limit, LimitKind::State | LimitKind::Activity) {
                let unit = if limit.counts_bytes() { " bytes" } else { "" };
                let message = limit_message(limit, self.options.limits.maximum_for(limit));
                cx.warn("limit", format!("{message} Dropped: {count}{unit}."));
            }
            // Only the newest notice is updated, since an earlier run may have a notice of the same
            // limit.
            let mut notices = self.notices.iter_mut().rev();
            let exceeded = notices.find_map(|notice| {
                notice
                    .exceeded
                    .as_mut()
                    .filter(|exceeded| exceeded.limit == limit)
            });
            if let Some(exceeded) = exceeded {
                exceeded.dropped = count;
                cx.push_change(Change::Notices);
            }
        }
        let omitted_count = std::mem::take(&mut self.intake.diagnostics_left_out);
        if omitted_count > 0 {
            let message = format!("{omitted_count} more diagnostics were left out.");
            cx.warn("left-out", message);
        }
    }

    /// Drops the diagnostics of a run that exceed the limit, counts the dropped diagnostics, and
    /// shortens the messages of the remaining diagnostics.
    pub(in crate::session) fn limit_diagnostics(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let max = self.options.limits.diagnostics;
        let capacity = max.saturating_sub(self.intake.diagnostics);
        self.intake.diagnostics_left_out += diagnostics.len().saturating_sub(capacity);
        diagnostics.truncate(capacity);
        for diagnostic in diagnostics.iter_mut() {
            truncate(&mut diagnostic.message, MAX_DIAGNOSTIC_BYTES);
        }
        self.intake.diagnostics += diagnostics.len();
    }
}

impl Limits {
    /// Returns the configured value of a limit.
    pub(in crate::session) const fn maximum_for(&self, kind: LimitKind) -> usize {
        match kind {
            LimitKind::Response => self.run_bytes,
            LimitKind::Event => self.event_bytes,
            LimitKind::Streams => MAX_STREAMS,
            LimitKind::Message | LimitKind::Result => self.message_bytes,
            LimitKind::Arguments => self.argument_bytes,
            LimitKind::Id => self.id_bytes,
            LimitKind::Name => self.name_bytes,
            LimitKind::State => self.state_bytes,
            LimitKind::Activity => self.activity_bytes,
            LimitKind::Messages => self.messages,
            LimitKind::Calls => self.calls,
            LimitKind::Interrupts => self.interrupts,
        }
    }
}

fn limit_message(kind: LimitKind, max: usize) -> String {
    let unit = if kind.counts_bytes() { " bytes" } else { "" };
    let subject = kind.subject();
    format!("The limit is {max}{unit} ({subject}): the rest was dropped.")
}
