//! Assigns thread ids to branches, for servers that store the history of a thread themselves.
//!
//! With [`SessionOptions::fork_thread`](super::SessionOptions::fork_thread) a thread id belongs to
//! one sequence of messages. A request is sent under the thread id of its branch only if the
//! request begins with the messages that the server has received under that id. Otherwise, for
//! example after an edit, a regeneration or a deletion, or for a message that is inserted into the
//! history, the branch gets an id of its own. The id is stored with the first message that is sent
//! or received under it, and with the session until that message exists. The conversation keeps its
//! own id.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::{Cx, Session};
use crate::conversation::{Conversation, MessageId};

/// The newest message that the server has received under each thread id; `None` if that message, or
/// a message above it, has changed or moved since.
pub(super) type KnownThreads = FxHashMap<String, Option<MessageId>>;

/// The thread of a new branch that has no message yet.
#[derive(Debug, Clone)]
pub(super) struct ThreadFork {
    /// The message above the branch.
    parent: Option<MessageId>,
    thread_id: String,
}

impl ThreadFork {
    pub(super) fn to_value(&self) -> Value {
        let parent = self.parent.as_ref().map(MessageId::as_str);
        json!({"parent": parent, "threadId": self.thread_id})
    }

    pub(super) fn from_value(value: &Value) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        Some(Self {
            parent: text("parent").map(MessageId::from),
            thread_id: text("threadId")?.to_owned(),
        })
    }
}

/// Returns the threads of a session as JSON.
pub(super) fn threads_to_value(threads: &KnownThreads) -> Value {
    let entry = |(id, tip): (&String, &Option<MessageId>)| {
        (id.clone(), json!(tip.as_ref().map(MessageId::as_str)))
    };
    Value::Object(threads.iter().map(entry).collect::<Map<_, _>>())
}

/// Infers the threads of a conversation from its messages: each thread ends at the newest message
/// that is reached without entering another thread. `own_id` is the conversation's id.
fn infer_conversation_threads(conversation: &Conversation, own_id: &str) -> KnownThreads {
    let mut threads = KnownThreads::default();
    let run_thread_id = conversation.run_thread_id().unwrap_or(own_id);
    if let Some(tip) = conversation.run_tip() {
        threads.insert(run_thread_id.to_owned(), Some(tip.clone()));
    }
    let starts = conversation.all_messages().filter_map(|message| {
        let id = message.thread_id.as_deref()?;
        Some((id, Some(&message.id)))
    });
    let starts: Vec<_> = starts.chain([(own_id, None)]).collect();
    for (thread_id, start) in starts {
        if threads.contains_key(thread_id) {
            continue;
        }
        let mut tip = start;
        loop {
            let children = conversation.children(tip);
            let is_in_thread = |id: &&MessageId| {
                let child = conversation.message(id);
                child.is_some_and(|child| child.thread_id.is_none())
            };
            match children.into_iter().rev().find(is_in_thread) {
                Some(child) => tip = Some(child),
                None => break,
            }
        }
        if let Some(tip) = tip {
            threads.insert(thread_id.to_owned(), Some(tip.clone()));
        }
    }
    threads
}

impl Session {
    /// Returns the thread id for requests on the run branch.
    pub(super) fn request_thread_id(&self) -> &str {
        if !self.options.fork_thread {
            return &self.thread_id;
        }
        let tip = self.conversation.run_tip();
        let fork = self
            .turn
            .fork
            .as_ref()
            .filter(|fork| fork.parent.as_ref() == tip);
        let fork_id = fork.map(|fork| fork.thread_id.as_str());
        let branch_id = || self.conversation.run_thread_id();
        fork_id.or_else(branch_id).unwrap_or(&self.thread_id)
    }

    /// Assigns a new thread id to the run branch if the options permit it and the server has
    /// received a different sequence of messages under the current id.
    pub(super) fn fork_thread_if_needed(&mut self, cx: &mut Cx<'_>) {
        let is_continuation = match self.threads.get(self.request_thread_id()) {
            None => true,
            Some(None) => false,
            Some(Some(tip)) => self.conversation.is_on_run_path(tip),
        };
        if is_continuation || !self.options.fork_thread {
            return;
        }
        let thread_id = cx.host.new_id();
        let tip = self.conversation.run_tip();
        // The id is stored in the session if there is no message, or if the newest message also
        // belongs to the branch of the old answer.
        if self.turn.regenerates.is_some() || tip.is_none() {
            let parent = tip.cloned();
            self.turn.fork = Some(ThreadFork { parent, thread_id });
        } else {
            // The fork is removed, since a fork for a deleted answer must not take precedence over
            // the id of the branch.
            self.turn.fork = None;
            self.conversation.set_run_thread_id(thread_id);
        }
    }

    /// Records that the server has received the whole run branch under a thread id, unless the
    /// thread has ended.
    pub(super) fn record_thread_tip(&mut self, thread_id: String) {
        let has_ended = self.threads.get(&thread_id) == Some(&None);
        if self.options.fork_thread
            && !has_ended
            && let Some(tip) = self.conversation.run_tip()
        {
            self.threads.insert(thread_id, Some(tip.clone()));
        }
    }

    /// Moves the recorded tip of the thread back to the end of the run branch, because a retry
    /// repeats the later messages. A thread under which the server has received another branch is
    /// not affected.
    pub(super) fn rewind_thread_tip(&mut self) {
        let thread_id = self.request_thread_id().to_owned();
        let tip = self.conversation.run_tip();
        let mut ancestor = self.threads.get(&thread_id).and_then(Option::as_ref);
        while ancestor.is_some() && ancestor != tip {
            ancestor = ancestor.and_then(|id| self.conversation.parent(id));
        }
        if ancestor.is_some() {
            self.record_thread_tip(thread_id);
        }
    }

    /// Ends the threads under which the server has received this message, because the message has
    /// changed or moved. A thread whose newest message is deleted also ends, since that message may
    /// be restored.
    pub(super) fn end_threads_with(&mut self, message: &MessageId) {
        let conversation = &self.conversation;
        for tip in self.threads.values_mut() {
            let mut ancestor = tip.as_ref().filter(|id| conversation.message(id).is_some());
            let is_deleted = ancestor.is_none();
            while let Some(id) = ancestor.filter(|id| *id != message) {
                ancestor = conversation.parent(id);
            }
            if is_deleted || ancestor.is_some() {
                *tip = None;
            }
        }
    }

    /// Infers the threads of a conversation that replaces another conversation.
    pub(super) fn infer_threads(&mut self) {
        self.threads = match self.options.fork_thread {
            true => infer_conversation_threads(&self.conversation, &self.thread_id),
            false => KnownThreads::default(),
        };
    }

    /// Restores the threads of a stored session.
    pub(super) fn restore_threads(&mut self, entries: Option<&Value>) {
        let entries = entries.and_then(Value::as_object).into_iter().flatten();
        for (thread_id, tip) in entries {
            let tip = tip.as_str().map(MessageId::from);
            self.threads.insert(thread_id.clone(), tip);
        }
    }

    /// Stores the thread id of the active run with the newest message, unless the branch already
    /// has this id. The id is missing after a regenerated answer has begun, or after a snapshot has
    /// replaced the message that stored the id.
    pub(super) fn store_run_thread(&mut self) {
        let run = self.turn.run();
        let thread_id_of_run = run.and_then(|run| run.thread_id.as_deref());
        let is_missing = |id: &&str| *id != self.request_thread_id();
        if self.options.fork_thread
            && let Some(thread_id) = thread_id_of_run.filter(is_missing)
        {
            self.conversation.set_run_thread_id(thread_id.to_owned());
        }
    }
}
