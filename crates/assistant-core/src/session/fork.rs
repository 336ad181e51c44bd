//! Gives branches thread ids of their own, for servers that keep the history of a thread
//! themselves.
//!
//! With [`SessionOptions::fork_thread`](super::SessionOptions::fork_thread) a thread id belongs to
//! one sequence of messages: a request is sent under the thread id of its branch only if the
//! messages that the server has seen under that id come first in it. Otherwise, such as after an
//! edit, a regeneration, a deletion, or for a message amid the history, the branch gets an id of
//! its own. The id is stored with the first message that is sent or received under it, and with the
//! session until that message exists. The conversation keeps its own id.

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::{Cx, Session};
use crate::conversation::{Conversation, MessageId};

/// The newest message that the server of each thread has seen; `None` if that message, or one above
/// it, has changed or moved since.
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
/// that is reached without entering another thread. `own` is the conversation's id.
fn conversation_threads(conversation: &Conversation, own: &str) -> KnownThreads {
    let mut threads = KnownThreads::default();
    let shown = conversation.run_thread_id().unwrap_or(own);
    if let Some(tip) = conversation.run_tip() {
        threads.insert(shown.to_owned(), Some(tip.clone()));
    }
    let starts = conversation.all_messages().filter_map(|message| {
        let id = message.thread_id.as_deref()?;
        Some((id, Some(&message.id)))
    });
    let starts: Vec<_> = starts.chain([(own, None)]).collect();
    for (thread_id, start) in starts {
        if threads.contains_key(thread_id) {
            continue;
        }
        let mut tip = start;
        loop {
            let children = conversation.children(tip);
            let stays = |id: &&MessageId| {
                let child = conversation.message(id);
                child.is_some_and(|child| child.thread_id.is_none())
            };
            match children.into_iter().rev().find(stays) {
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
    /// Returns the thread id of requests on the run branch.
    pub(super) fn request_thread_id(&self) -> &str {
        if !self.options.fork_thread {
            return &self.thread_id;
        }
        let tip = self.conversation.run_tip();
        let forked = self
            .turn
            .fork
            .as_ref()
            .filter(|fork| fork.parent.as_ref() == tip);
        let forked = forked.map(|fork| fork.thread_id.as_str());
        let of_branch = || self.conversation.run_thread_id();
        forked.or_else(of_branch).unwrap_or(&self.thread_id)
    }

    /// Gives the run branch a thread id of its own if the server has seen other messages under the
    /// present one and the options permit it.
    pub(super) fn fork_thread_if_needed(&mut self, cx: &mut Cx<'_>) {
        let continues = match self.threads.get(self.request_thread_id()) {
            None => true,
            Some(None) => false,
            Some(Some(tip)) => self.conversation.is_on_run_path(tip),
        };
        if continues || !self.options.fork_thread {
            return;
        }
        let thread_id = cx.host.new_id();
        let tip = self.conversation.run_tip();
        // The newest message is part of the branch of the old answer, too.
        if self.turn.regenerates.is_some() || tip.is_none() {
            let parent = tip.cloned();
            self.turn.fork = Some(ThreadFork { parent, thread_id });
        } else {
            // The thread of an answer that was deleted would precede the id of the branch.
            self.turn.fork = None;
            self.conversation.set_run_thread_id(thread_id);
        }
    }

    /// Records that the server of a thread has seen the run branch to its end, unless the thread
    /// has ended.
    pub(super) fn record_thread_tip(&mut self, thread_id: String) {
        let has_ended = self.threads.get(&thread_id) == Some(&None);
        if self.options.fork_thread
            && !has_ended
            && let Some(tip) = self.conversation.run_tip()
        {
            self.threads.insert(thread_id, Some(tip.clone()));
        }
    }

    /// Records that the server has seen the run branch to its end only, because a retry repeats
    /// what came after it. A thread whose server has seen another branch is not affected.
    pub(super) fn rewind_thread_tip(&mut self) {
        let thread_id = self.request_thread_id().to_owned();
        let tip = self.conversation.run_tip();
        let mut known = self.threads.get(&thread_id).and_then(Option::as_ref);
        while known.is_some() && known != tip {
            known = known.and_then(|id| self.conversation.parent(id));
        }
        if known.is_some() {
            self.record_thread_tip(thread_id);
        }
    }

    /// Ends the threads in which the server has seen this message, because it has changed or moved.
    /// A thread whose newest message is deleted ends, too: the message may be restored.
    pub(super) fn end_threads_with(&mut self, message: &MessageId) {
        let conversation = &self.conversation;
        for tip in self.threads.values_mut() {
            let mut above = tip.as_ref().filter(|id| conversation.message(id).is_some());
            let is_deleted = above.is_none();
            while let Some(id) = above.filter(|id| *id != message) {
                above = conversation.parent(id);
            }
            if is_deleted || above.is_some() {
                *tip = None;
            }
        }
    }

    /// Infers the threads of a conversation that replaces another.
    pub(super) fn infer_threads(&mut self) {
        self.threads = match self.options.fork_thread {
            true => conversation_threads(&self.conversation, &self.thread_id),
            false => KnownThreads::default(),
        };
    }

    /// Restores the threads of a stored session.
    pub(super) fn restore_threads(&mut self, stored: Option<&Value>) {
        let stored = stored.and_then(Value::as_object).into_iter().flatten();
        for (thread_id, tip) in stored {
            let tip = tip.as_str().map(MessageId::from);
            self.threads.insert(thread_id.clone(), tip);
        }
    }

    /// Stores the thread of the active run with its newest message, unless its branch stores it
    /// already. This is needed after a regenerated answer has begun, and after a snapshot has
    /// replaced the message that stored the thread.
    pub(super) fn store_run_thread(&mut self) {
        let of_run = self.turn.run().map(|run| run.thread_id.as_str());
        let is_missing = |id: &&str| !id.is_empty() && *id != self.request_thread_id();
        if self.options.fork_thread
            && let Some(thread_id) = of_run.filter(is_missing)
        {
            self.conversation.set_run_thread_id(thread_id.to_owned());
        }
    }
}
