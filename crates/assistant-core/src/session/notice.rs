//! What the chat tells the person beside the conversation. Notices are local, never sent.

use super::{Cx, Session};
use crate::conversation::Change;

/// Something the person should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Names it.
    pub id: NoticeId,
    /// Which kind.
    pub kind: NoticeKind,
    /// A sentence in English; what an agent, a server or a decoder said, if it is about that.
    pub message: String,
    /// The status of the answer, for a [`NoticeKind::Http`].
    pub status: Option<u16>,
    /// How long the server asked to wait before the next request, in milliseconds from the moment
    /// of the answer.
    pub retry_after_ms: Option<u64>,
    /// What can be done about it.
    pub action: Option<NoticeAction>,
}

/// Names a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NoticeId(pub u64);

/// Which kind of notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoticeKind {
    /// The agent reported an error.
    RunError,
    /// No connection.
    Network,
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
    /// The loop reached its limit.
    StepLimit,
    /// The agent ended without an answer.
    NoAnswer,
}

impl NoticeKind {
    /// Whether it is a failure, which interrupts, or only news.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        !matches!(
            self,
            Self::Cancelled | Self::Stopped | Self::StepLimit | Self::NoAnswer
        )
    }
}

/// What can be done about a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeAction {
    /// Try the run again.
    Retry,
    /// Let the loop go on.
    Continue,
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
            action,
        });
        cx.change(Change::Notices);
    }

    pub(super) fn clear_notices(&mut self, cx: &mut Cx<'_>) {
        if !self.notices.is_empty() {
            self.notices.clear();
            cx.change(Change::Notices);
        }
    }

    pub(super) fn dismiss(&mut self, id: NoticeId, cx: &mut Cx<'_>) {
        let before = self.notices.len();
        self.notices.retain(|notice| notice.id != id);
        if self.notices.len() != before {
            cx.change(Change::Notices);
        }
    }

    /// Whether a notice offers this.
    pub(super) fn offers(&self, action: NoticeAction) -> bool {
        self.notices
            .iter()
            .any(|notice| notice.action == Some(action))
    }
}
