//! Thread ids of branches, for servers that keep the history of a thread themselves.
//!
//! With [`SessionOptions::fork_thread`](super::SessionOptions::fork_thread) each branch that an
//! edit, a regeneration or a message amid the history begins is sent under a thread id of its own.
//! So are the messages after a deletion, because the server still has the deleted ones. The id is
//! stored with the first message of the branch, and with the session until that message exists. The
//! conversation keeps its own id.

use serde_json::{Value, json};

use super::{Cx, Session};
use crate::conversation::MessageId;

/// The thread of a branch that has no message yet: that of an answer that is being regenerated, or
/// of the messages after a deletion.
#[derive(Debug, Clone)]
pub(super) struct Fork {
    /// The message above the branch.
    parent: Option<MessageId>,
    thread_id: String,
}

impl Fork {
    pub(super) fn to_value(&self) -> Value {
        let parent = self.parent.as_ref().map(MessageId::as_str);
        json!({"parent": parent, "threadId": self.thread_id})
    }

    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        Some(Self {
            parent: text("parent").map(MessageId::from),
            thread_id: text("threadId")?.to_owned(),
        })
    }
}

impl Session {
    /// Returns the thread id of requests on the run branch.
    pub(super) fn request_thread_id(&self) -> &str {
        if !self.options.fork_thread {
            return &self.thread_id;
        }
        let forked = self.fork_below(self.conversation.run_tip());
        let forked = forked.map(|fork| fork.thread_id.as_str());
        let of_branch = || self.conversation.run_thread();
        forked.or_else(of_branch).unwrap_or(&self.thread_id)
    }

    /// Returns the thread of the branch without a message that begins below this message.
    fn fork_below(&self, message: Option<&MessageId>) -> Option<&Fork> {
        let fork = self.turn.fork.as_ref();
        fork.filter(|fork| fork.parent.as_ref() == message)
    }

    /// Starts a turn over for a message of the user. If the message begins a branch that has a
    /// thread, the thread is kept.
    pub(super) fn start_over_on_fork(&mut self) {
        let fork = self.fork_below(self.conversation.run_tip()).cloned();
        self.turn.start_over();
        self.turn.fork = fork;
    }

    /// Returns a new thread id for a branch, if branches have their own.
    pub(super) fn new_branch_thread(&self, cx: &mut Cx<'_>) -> Option<String> {
        self.options.fork_thread.then(|| cx.host.new_id())
    }

    /// Gives the branch that begins below this message a thread of its own.
    pub(super) fn fork_branch(&mut self, parent: Option<MessageId>, cx: &mut Cx<'_>) {
        let thread_id = self.new_branch_thread(cx);
        let fork = thread_id.map(|thread_id| Fork { parent, thread_id });
        self.turn.fork = fork;
    }

    /// Gives the messages after a deletion below this message a thread of their own, unless another
    /// version of the deleted message is shown.
    pub(super) fn fork_after_deletion(&mut self, parent: Option<MessageId>, cx: &mut Cx<'_>) {
        if self.conversation.run_tip() == parent.as_ref() {
            self.fork_branch(parent, cx);
        }
    }

    /// Gives a message of the user that begins a branch a thread of its own.
    pub(super) fn fork_message(&mut self, message: &MessageId, cx: &mut Cx<'_>) {
        let version = self.conversation.version(message);
        let is_version = version.is_some_and(|(_, versions)| versions > 1);
        let forked = self.fork_below(self.conversation.parent(message));
        let thread_id = match (is_version, forked) {
            (true, _) => self.new_branch_thread(cx),
            (false, forked) => forked.map(|fork| fork.thread_id.clone()),
        };
        if let Some(thread_id) = thread_id {
            self.conversation.set_run_thread(thread_id);
        }
    }

    /// Stores the thread of the active run with its newest message, unless its branch stores it
    /// already. This is needed after a regenerated answer has begun, and after a snapshot has
    /// replaced the message that stored the thread.
    pub(super) fn keep_thread(&mut self) {
        let of_run = self.turn.run().map(|run| run.thread_id.as_str());
        let is_missing = |id: &&str| !id.is_empty() && *id != self.request_thread_id();
        if self.options.fork_thread
            && let Some(thread_id) = of_run.filter(is_missing)
        {
            self.conversation.set_run_thread(thread_id.to_owned());
        }
    }
}
