//! Invariants of branches: text and calls of branches other than the run branch, the branches of
//! answered questions, and the branch of a retried run.

use std::collections::BTreeMap;

use assistant_core::{
    conversation::{Conversation, Message, MessageId},
    event::{ResumeEntry, Role},
    session::{Input, Notice, NoticeAction, NoticeId, Session, TreeChange},
};

/// The user's newest message of a branch, if there is one.
#[derive(Debug, Clone, PartialEq)]
struct LastUserMessage(Option<MessageId>);

/// The knowledge of an observer of all branches.
#[derive(Debug, Clone, Default)]
pub(super) struct Branches {
    /// The tip of the run's branch when a question was asked, by the question's id. If a list
    /// omits that message, followed by the tip after the list.
    asked_at: BTreeMap<String, Vec<Option<MessageId>>>,
    /// The notice that offers to retry or continue a run, and the user's last message on the branch
    /// of this run.
    offered: Option<(NoticeId, LastUserMessage)>,
}

impl Branches {
    /// Compares the branches other than the run branch before and after an input.
    pub(super) fn compare(before: &[(MessageId, Vec<BranchMessage>)], session: &Session) {
        let conversation = session.conversation();
        for (tip, content) in before {
            let now = branch(conversation, tip);
            assert_eq!(*content, now, "{tip:?}, which the run does not write on");
        }
    }

    /// Records pending items after an input. `path` is the run's path before it.
    pub(super) fn note(&mut self, input: &Input, path: &[MessageId], session: &Session) {
        let conversation = session.conversation();
        let tip = conversation.run_tip().cloned();
        let is_there = |id: &MessageId| conversation.run_path().any(|message| *message.id() == *id);
        if matches!(input, Input::NewThread | Input::Load { .. }) {
            *self = Self::default();
        }
        if matches!(input, Input::Event { .. } | Input::RunClosed { .. }) {
            // A list may omit the message of a question. Retry may return to the omitted message,
            // because it repeats the run that began there.
            for places in self.asked_at.values_mut() {
                let at = places.last().cloned().flatten();
                let was_there = at.as_ref().is_some_and(|at| path.contains(at));
                if was_there && !at.as_ref().is_some_and(is_there) {
                    places.push(tip.clone());
                }
            }
        }
        for open in session.interrupts() {
            let known = self.asked_at.contains_key(&open.interrupt().id);
            if !known || (open.answer().is_none() && matches!(input, Input::RunClosed { .. })) {
                self.asked_at
                    .insert(open.interrupt().id.clone(), vec![tip.clone()]);
            }
        }
        let moved = matches!(
            input,
            Input::Tree {
                change: TreeChange::Reparent { .. } | TreeChange::Delete { .. }
            }
        );
        let mut notices = session.notices().iter();
        let offer = notices.rfind(|notice| {
            matches!(
                notice.action(),
                Some(NoticeAction::Retry | NoticeAction::Continue)
            )
        });
        let Some(offer) = offer.map(Notice::id) else {
            self.offered = None;
            return;
        };
        let known_offer = self.offered.as_ref().map(|(notice, _)| *notice);
        if known_offer != Some(offer) || moved {
            let message = newest_run_message(session).map(|id| LastUserMessage(Some(id)));
            let message = message.unwrap_or_else(|| last_user_message(conversation));
            self.offered = Some((offer, message));
        }
    }

    /// Checks a retried or continued run.
    pub(super) fn check_continued(&self, session: &Session) {
        if let Some((_, message)) = &self.offered {
            assert_eq!(
                *message,
                last_user_message(session.conversation()),
                "another branch"
            );
        }
    }

    /// Checks an answer that a request carries.
    pub(super) fn check_answer(&self, entry: &ResumeEntry, call: Option<&str>, session: &Session) {
        let conversation = session.conversation();
        let has_call = call.is_some_and(|id| conversation.call_by_wire_id(id).is_some());
        let is_on_path = |at: &Option<MessageId>| {
            let mut path = conversation.run_path();
            at.as_ref()
                .is_none_or(|at| path.any(|message| message.id() == at))
        };
        let places = self.asked_at.get(&entry.interrupt_id);
        let is_here = places.is_none_or(|places| places.iter().any(is_on_path));
        assert!(has_call || is_here, "{entry:?} is of another branch");
    }
}

/// Returns the message of the user that began the newest run, if a message began it. Retry repeats
/// this run, even if a list has omitted the message since, or if a regeneration brought no answer,
/// so that the branch of the old answer is selected again.
fn newest_run_message(session: &Session) -> Option<MessageId> {
    let base = session.summary().runs().last()?.base().cloned()?;
    let message = session.conversation().message(&base)?;
    (message.role() == Role::User).then_some(base)
}

fn last_user_message(conversation: &Conversation) -> LastUserMessage {
    let mut path = conversation.run_path().rev();
    let message = path.find(|message| message.role() == Role::User);
    LastUserMessage(message.map(|message| message.id().clone()))
}

/// A message of a branch: its id, its text, its calls with their results.
pub(super) type BranchMessage = (MessageId, String, Vec<String>);

/// Returns true if a message has content. Empty ones (places for results) may come and go.
fn has_content(message: &Message) -> bool {
    !message.text().is_empty() || message.has_calls()
}

/// Returns the run's path.
pub(super) fn run_path(conversation: &Conversation) -> Vec<MessageId> {
    let path = conversation.run_path();
    path.map(|message| message.id().clone()).collect()
}

/// Returns the content of the paths to all leaves other than the run's.
pub(super) fn other_branches(conversation: &Conversation) -> Vec<(MessageId, Vec<BranchMessage>)> {
    let run = run_path(conversation);
    let is_tip = |id: &MessageId| conversation.children(Some(id)).is_empty() && !run.contains(id);
    let all = conversation.all_messages().map(|message| message.id());
    let tips = all.filter(|id| is_tip(id));
    tips.map(|id| (id.clone(), branch(conversation, id)))
        .collect()
}

/// Returns the text and calls from the first message to this one.
fn branch(conversation: &Conversation, tip: &MessageId) -> Vec<BranchMessage> {
    let path = conversation.path_to(tip).unwrap_or_default();
    let messages = path.into_iter().filter_map(|id| conversation.message(id));
    let content = messages
        .filter(|message| has_content(message))
        .map(|message| {
            let calls = conversation.calls_in(message).map(|call| {
                let result = call.result().map(|result| result.content().display_text());
                format!(
                    "{} {} {} {result:?}",
                    call.id(),
                    call.name(),
                    call.args_text()
                )
            });
            (message.id().clone(), message.text(), calls.collect())
        });
    content.collect()
}
