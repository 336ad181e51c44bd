//! What the chat tells the person beside the conversation. Notices are local, never sent.

use super::{Cx, Session};
use crate::conversation::Change;

/// Something the person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Names it.
    pub id: NoticeId,
    /// The kind.
    pub kind: NoticeKind,
    /// A sentence in English; what an agent, a server or a decoder said, if it is about that.
    pub message: String,
    /// The status of the answer, for a [`NoticeKind::Http`].
    pub status: Option<u16>,
    /// How long the server asked to wait before the next request, in milliseconds from the moment
    /// of the answer.
    pub retry_after_ms: Option<u64>,
    /// The number of runs that a turn may have, for a [`NoticeKind::RunLimit`].
    pub limit: Option<u32>,
    /// The number of calls that were held back, for a [`NoticeKind::QuestionsHeldBack`].
    pub count: Option<u32>,
    /// The action that it offers.
    pub action: Option<NoticeAction>,
}

/// Names a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NoticeId(pub u64);

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The agent reported an error.
    RunError,
    /// No connection.
    Network,
    /// The request could not be made: its address or one of its headers is not valid.
    Request,
    /// An answer with an error status.
    Http,
    /// The answer broke the protocol.
    Protocol,
    /// The answer ended in the middle.
    Truncated,
    /// The answer ended before it began.
    Silent,
    /// The agent stopped on purpose.
    Cancelled,
    /// The person stopped it.
    Stopped,
    /// The turn has as many runs as it may have.
    RunLimit,
    /// The agent ended without an answer.
    NoAnswer,
    /// The stop condition of the application ended the loop.
    LoopEnded,
    /// The agent used the id of a call again that is over.
    CallIdReused,
    /// A person denied what the agent takes no denial of: its request was given up.
    CancelledRequest,
    /// The user would have been asked too often: calls were not asked about and not run.
    QuestionsHeldBack,
    /// A change of the shared state was too large to be made.
    TooLarge,
    /// Results of a loaded conversation are ready to be sent.
    ResultsReady,
    /// What is said is not written down right now: it does not survive a reload.
    NotKept,
    /// A stored conversation could not be read, and is left as it is.
    NotOpened,
}

impl NoticeKind {
    /// Returns whether it is about the store: it stands whatever is said meanwhile.
    const fn is_of_store(self) -> bool {
        matches!(self, Self::NotKept | Self::NotOpened)
    }

    /// Returns whether it is a failure, which interrupts, or only news.
    #[must_use]
    pub const fn is_failure(self) -> bool {
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
                | Self::ResultsReady
                | Self::NotKept
                | Self::NotOpened
        )
    }
}

/// The action that a notice offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeAction {
    /// Try the run again.
    Retry,
    /// Let the loop go on.
    Continue,
}

/// Notices, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Notices {
    list: Vec<Notice>,
}

impl Notices {
    pub(super) fn list(&self) -> &[Notice] {
        &self.list
    }

    /// Keeps those that fulfil a condition. Whether any went.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Notice) -> bool) -> bool {
        let before = self.list.len();
        self.list.retain(keep);
        self.list.len() != before
    }

    pub(super) fn push(&mut self, notice: Notice) {
        self.list.push(notice);
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Notice> {
        self.list.last_mut()
    }

    /// Whether one offers to let the agent go on.
    pub(super) fn offer_run(&self) -> bool {
        self.list.iter().any(|notice| notice.action.is_some())
    }

    /// Whether one offers this.
    pub(super) fn offer(&self, action: NoticeAction) -> bool {
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
        let id = NoticeId(self.number());
        self.notices.push(Notice {
            id,
            kind,
            message,
            status: None,
            retry_after_ms: None,
            limit: None,
            count: None,
            action,
        });
        cx.change(Change::Notices);
    }

    /// Tells something once, however often it happens until the person has read it.
    pub(super) fn notify_once(&mut self, kind: NoticeKind, message: &str, cx: &mut Cx<'_>) {
        if !self.notices.list().iter().any(|notice| notice.kind == kind) {
            self.notify(kind, message.to_owned(), None, cx);
        }
    }

    pub(super) fn clear_notices(&mut self, cx: &mut Cx<'_>) {
        if self.notices.retain(|notice| notice.kind.is_of_store()) {
            cx.change(Change::Notices);
        }
    }

    /// Tells what the host has to say, in place of what it said before about the same.
    pub(super) fn tell(&mut self, kind: NoticeKind, message: Option<String>, cx: &mut Cx<'_>) {
        if self.notices.retain(|notice| notice.kind != kind) {
            cx.change(Change::Notices);
        }
        if let Some(message) = message {
            self.notify(kind, message, None, cx);
        }
    }

    pub(super) fn dismiss(&mut self, id: NoticeId, cx: &mut Cx<'_>) {
        if self.notices.retain(|notice| notice.id != id) {
            cx.change(Change::Notices);
        }
    }
}
