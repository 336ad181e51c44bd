//! Shows notices to the user next to the conversation. Notices are never sent to the agent.

use super::{Cx, Session};
use crate::{conversation::Change, limits::Exceeded};

/// A notice to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    pub(crate) id: NoticeId,
    pub(crate) kind: NoticeKind,
    pub(crate) message: String,
    pub(crate) status: Option<u16>,
    pub(crate) retry_after_ms: Option<u64>,
    pub(crate) limit: Option<u32>,
    pub(crate) count: Option<u32>,
    pub(crate) exceeded: Option<Exceeded>,
    pub(crate) action: Option<NoticeAction>,
}

impl Notice {
    /// Returns the id of the notice.
    #[must_use]
    pub const fn id(&self) -> NoticeId {
        self.id
    }

    /// Returns the kind of the notice.
    #[must_use]
    pub const fn kind(&self) -> NoticeKind {
        self.kind
    }

    /// Returns the message in English. A notice about an error of the agent, server or decoder has
    /// the message of that error.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the HTTP status of a notice of the kind [`NoticeKind::Http`].
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the delay that the server requested before the next request, in milliseconds after
    /// the response; `None` if the server requested no delay.
    #[must_use]
    pub const fn retry_after_ms(&self) -> Option<u64> {
        self.retry_after_ms
    }

    /// Returns the maximum number of runs in a turn, for a notice of the kind
    /// [`NoticeKind::RunLimit`].
    #[must_use]
    pub const fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// Returns the number of calls that were held back, for a notice of the kind
    /// [`NoticeKind::QuestionsHeldBack`].
    #[must_use]
    pub const fn count(&self) -> Option<u32> {
        self.count
    }

    /// Returns the limit and the dropped amount, for a notice of the kind
    /// [`NoticeKind::LimitReached`].
    #[must_use]
    pub const fn exceeded(&self) -> Option<Exceeded> {
        self.exceeded
    }

    /// Returns the action that the notice offers, if any.
    #[must_use]
    pub const fn action(&self) -> Option<NoticeAction> {
        self.action
    }

    /// Returns true if the notice reports a failure, not only information. A limit that ended a run
    /// is a failure; a limit that shortened a value is not.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        let has_ended_run = self
            .exceeded
            .is_some_and(|exceeded| exceeded.limit.ends_run());
        self.kind.is_failure() || has_ended_run
    }
}

/// The id of a notice, which is unique in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NoticeId(u64);

impl NoticeId {
    /// Creates an id from a number that [`Self::get`] returned.
    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self(id)
    }

    /// Returns the number of the id, which is unique in the session.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The agent reported an error.
    RunError,
    /// There is no connection to the server.
    Network,
    /// There is no connection to the server, because the browser is offline. A host retries the run
    /// once the browser is online again.
    Offline,
    /// The request could not be made, since its address or a header is invalid.
    Request,
    /// The server responded with an error status.
    Http,
    /// The answer violated the protocol.
    Protocol,
    /// The answer ended early.
    Truncated,
    /// The connection ended before the agent began its answer.
    Silent,
    /// The agent reported that the run was cancelled.
    Cancelled,
    /// The user stopped the assistant.
    Stopped,
    /// The turn reached its maximum number of runs.
    RunLimit,
    /// The run ended without an answer from the agent.
    NoAnswer,
    /// A stop condition of the application ended the loop.
    LoopEnded,
    /// The agent reused the id of a finished call.
    CallIdReused,
    /// The user denied a question for which the agent accepts no denial, so the question was
    /// cancelled.
    CancelledRequest,
    /// The limit of questions was exceeded: calls ended with an error, and the user was not asked.
    QuestionsHeldBack,
    /// A snapshot from the agent omits messages of the user, which are kept as a branch. If the
    /// newest message of the user is omitted, Retry sends that message again.
    Forgotten,
    /// The agent sent more than a limit allows, so the rest was dropped or a change was refused.
    LimitReached,
    /// Results of a loaded conversation can be sent.
    ResultsReady,
    /// Changes cannot be stored at the moment, and would not survive a reload.
    NotStored,
    /// A stored conversation could not be read, and was not changed.
    NotOpened,
}

impl NoticeKind {
    /// Returns true if notices of the kind are about the store. Such notices are not cleared with
    /// other notices.
    const fn is_of_store(self) -> bool {
        matches!(self, Self::NotStored | Self::NotOpened)
    }

    /// Returns true if every notice of the kind is a failure.
    const fn is_failure(self) -> bool {
        !matches!(
            self,
            Self::Cancelled
                | Self::Stopped
                | Self::RunLimit
                | Self::NoAnswer
                | Self::LoopEnded
                | Self::CallIdReused
                | Self::CancelledRequest
                | Self::QuestionsHeldBack
                | Self::Forgotten
                | Self::ResultsReady
                | Self::LimitReached
                | Self::NotStored
                | Self::NotOpened
        )
    }
}

/// The action that a notice offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeAction {
    /// Retries the run.
    Retry,
    /// Continues the loop.
    Continue,
}

/// The notices, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Notices {
    list: Vec<Notice>,
}

impl Notices {
    pub(super) fn list(&self) -> &[Notice] {
        &self.list
    }

    /// Keeps the notices that satisfy a condition. Returns true if any notice was removed.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Notice) -> bool) -> bool {
        let old_len = self.list.len();
        self.list.retain(keep);
        self.list.len() != old_len
    }

    pub(super) fn push(&mut self, notice: Notice) {
        self.list.push(notice);
    }

    /// Removes the oldest notices beyond `max`, but keeps at least one. Notices about the store are
    /// neither removed nor counted.
    fn keep_newest(&mut self, max: usize) {
        let is_counted = |notice: &&Notice| !notice.kind.is_of_store();
        let count = self.list.iter().filter(is_counted).count();
        let mut excess = count.saturating_sub(max.max(1));
        self.list.retain(|notice| {
            let is_removed = excess > 0 && !notice.kind.is_of_store();
            excess -= usize::from(is_removed);
            !is_removed
        });
    }

    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Notice> {
        self.list.iter_mut()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Notice> {
        self.list.last_mut()
    }

    /// Returns true if a notice has this kind.
    fn has_kind(&self, kind: NoticeKind) -> bool {
        self.list.iter().any(|notice| notice.kind == kind)
    }

    /// Returns true if a notice offers an action.
    pub(super) fn has_any_action(&self) -> bool {
        self.list.iter().any(|notice| notice.action.is_some())
    }

    /// Returns true if a notice offers this action.
    pub(super) fn has_action(&self, action: NoticeAction) -> bool {
        self.list.iter().any(|notice| notice.action == Some(action))
    }
}

impl Session {
    pub(super) fn notify(
        &mut self,
        kind: NoticeKind,
        message: String,
        action: Option<NoticeAction>,
        cx: &mut Cx<'_>,
    ) {
        let id = NoticeId::new(self.next_number());
        self.notices.push(Notice {
            id,
            kind,
            message,
            status: None,
            retry_after_ms: None,
            limit: None,
            count: None,
            exceeded: None,
            action,
        });
        self.notices.keep_newest(self.options.limits.notices);
        cx.push_change(Change::Notices);
    }

    /// Adds a notice, unless a notice of the same kind exists.
    pub(super) fn notify_once(&mut self, kind: NoticeKind, message: &str, cx: &mut Cx<'_>) {
        if !self.notices.has_kind(kind) {
            self.notify(kind, message.to_owned(), None, cx);
        }
    }

    /// Shows a notice that the agent has lost messages of the user, unless such a notice is
    /// shown. The notice offers Retry if the newest run answers a lost message.
    pub(super) fn report_forgotten_messages(&mut self, cx: &mut Cx<'_>) {
        if self.notices.has_kind(NoticeKind::Forgotten) {
            return;
        }
        let newest_run = self.turn.summary.runs.last();
        let base = newest_run.and_then(|run| run.base.as_ref());
        let base = base.and_then(|base| self.conversation.message(base));
        let is_lost = base.is_some_and(|message| {
            message.is_from_user() && !self.conversation.is_on_run_path(&message.id)
        });
        let action = is_lost.then_some(NoticeAction::Retry);
        let message = "The assistant lost earlier messages. They are kept here.".to_owned();
        self.notify(NoticeKind::Forgotten, message, action, cx);
    }

    /// Removes the offer to send a lost message again, since another run has begun.
    pub(super) fn withdraw_resend_offer(&mut self, cx: &mut Cx<'_>) {
        let mut notices = self.notices.iter_mut();
        let is_offer =
            |notice: &&mut Notice| notice.kind == NoticeKind::Forgotten && notice.action.is_some();
        if let Some(notice) = notices.find(is_offer) {
            notice.action = None;
            cx.push_change(Change::Notices);
        }
    }

    pub(super) fn clear_notices(&mut self, cx: &mut Cx<'_>) {
        if self.notices.retain(|notice| notice.kind.is_of_store()) {
            cx.push_change(Change::Notices);
        }
    }

    /// Shows a notice from the host and removes the host's earlier notice of the same kind. If
    /// `message` is `None`, only removes the earlier notice.
    pub(super) fn set_notice(
        &mut self,
        kind: NoticeKind,
        message: Option<String>,
        cx: &mut Cx<'_>,
    ) {
        if self.notices.retain(|notice| notice.kind != kind) {
            cx.push_change(Change::Notices);
        }
        if let Some(message) = message {
            self.notify(kind, message, None, cx);
        }
    }

    pub(super) fn dismiss_notice(&mut self, id: NoticeId, cx: &mut Cx<'_>) {
        if self.notices.retain(|notice| notice.id != id) {
            cx.push_change(Change::Notices);
        }
    }
}
