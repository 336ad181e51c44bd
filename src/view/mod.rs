//! Provides the signals that views read, one signal for each value that changes independently.
//!
//! The session owns the conversation; no text is copied here. A text part's signal carries the
//! length of the text ([`Mark`]), and the view reads the appended text from the session. A change
//! sets only the signals of the changed message, part or call.

mod call;
mod claims;
mod handler_questions;
mod list;
mod message;

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use assistant_core::{
    action::RememberedApproval,
    conversation::{CallKey, Change, Message, MessageId},
    event::{Content, Tool},
    session::{AgentStep, Notice, OpenInterrupt, Session},
};
use leptos::prelude::*;
use send_wrapper::SendWrapper;

use crate::store::{Ownership, ThreadInfo};

pub use call::CallCell;
pub(crate) use claims::{ClaimingWindow, Claims, Question};
pub use handler_questions::ConfirmOptions;
pub(crate) use handler_questions::{ConfirmRequest, HandlerQuestion};
pub use list::{MessageEntry, MessageList};
pub use message::{Mark, MessageCell, PartCell};

pub use crate::render::PartKind;

/// The activity of a chat in one value, for headers and composers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Activity {
    /// True if a run, a handler or a question to the user is open.
    pub(crate) busy: bool,
    /// True while the agent streams.
    pub(crate) streaming: bool,
    /// True if no run is open, and an approval or an answer of the user is pending.
    pub(crate) waiting: bool,
    /// True if a handler asks the user a question, in the card of its call or in a dialog.
    pub(crate) asking: bool,
    /// True if the activity belongs to a branch that is not shown.
    pub(crate) elsewhere: bool,
}

impl Activity {
    /// Returns true if a run, a handler or a question to the user is open.
    #[must_use]
    pub const fn is_busy(&self) -> bool {
        self.busy
    }

    /// Returns true while the agent streams.
    #[must_use]
    pub const fn is_streaming(&self) -> bool {
        self.streaming
    }

    /// Returns true if no run is open, and an approval or an answer of the user is pending.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// Returns true if a handler asks the user a question, in the card of its call or in a dialog.
    #[must_use]
    pub const fn is_asking(&self) -> bool {
        self.asking
    }

    /// Returns true if the activity belongs to a branch that is not shown.
    #[must_use]
    pub const fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }
}

/// The signals of one assistant.
pub(crate) struct ViewModel {
    pub(crate) messages: ArcRwSignal<MessageList>,
    /// The number of changes of the message tree. Unlike `messages`, the number also changes with
    /// branches that are not shown.
    pub(crate) tree: ArcRwSignal<u64>,
    /// The number of changes of runs and their steps. The runs themselves are read from the session.
    pub(crate) runs: ArcRwSignal<u64>,
    pub(crate) activity: ArcRwSignal<Activity>,
    /// The names of the tools for which calls are running.
    pub(crate) running: ArcRwSignal<Vec<String>>,
    pub(crate) notices: ArcRwSignal<Vec<Notice>>,
    /// The steps that the agent has reported since the user's last message, except the steps that
    /// are stored with a message.
    pub(crate) agent_steps: ArcRwSignal<Vec<AgentStep>>,
    pub(crate) tools: ArcRwSignal<Vec<Tool>>,
    /// The number of changes of the shared state. The state itself is read from the session.
    pub(crate) state: ArcRwSignal<u64>,
    pub(crate) interrupts: ArcRwSignal<Vec<OpenInterrupt>>,
    /// The calls that wait for the user's decision.
    pub(crate) approvals: ArcRwSignal<Vec<CallKey>>,
    /// The approvals that the user has given for later calls.
    pub(crate) remembered: ArcRwSignal<Vec<RememberedApproval>>,
    /// True if the application persists permanent approvals.
    pub(crate) stores_approvals: ArcRwSignal<bool>,
    /// Messages of the user that have not been sent to the agent yet.
    pub(crate) queued: ArcRwSignal<Vec<Content>>,
    pub(crate) thread_id: ArcRwSignal<String>,
    /// The ids of the conversations that were replaced, oldest first.
    pub(crate) archived: ArcRwSignal<Vec<String>>,
    /// The stored conversations, newest first, including conversations that were deleted recently.
    pub(crate) listed: ArcRwSignal<Vec<ThreadInfo>>,
    /// The state of the conversation in the store, and the tab that acts on the conversation.
    pub(crate) ownership: ArcRwSignal<Ownership>,
    /// The number of times that a renderer was registered or removed. After a change, cards look up
    /// their renderer again.
    pub(crate) renderers: ArcRwSignal<u32>,
    /// The number of open questions of handlers, in cards and dialogs.
    ask_count: AtomicU32,
    /// The handlers' questions in dialogs, oldest first.
    pub(crate) dialogs: ArcRwSignal<Vec<ConfirmRequest>>,
    /// The handlers' questions in the cards of their calls, oldest first.
    pub(crate) asked: ArcRwSignal<Vec<HandlerQuestion>>,
    /// The claims to questions, which select the window that shows each question.
    pub(crate) claims: Claims,
    cells: SendWrapper<RefCell<CellCache>>,
}

#[derive(Default)]
struct CellCache {
    messages: HashMap<MessageId, MessageCell>,
    calls: HashMap<CallKey, CallCell>,
}

/// New values for signals, which are read while the session is borrowed.
#[derive(Default)]
pub(crate) struct SignalUpdates {
    path: Option<list::ListChange>,
    tree: bool,
    parts: Vec<(MessageCell, message::MessageValues)>,
    marks: Vec<(PartCell, Mark)>,
    calls: Vec<(CallCell, call::CallValues)>,
    runs: bool,
    activity: Option<Activity>,
    running: Vec<String>,
    notices: Option<Vec<Notice>>,
    agent_steps: Option<Vec<AgentStep>>,
    tools: Option<Vec<Tool>>,
    state: bool,
    interrupts: Option<Vec<OpenInterrupt>>,
    approvals: Vec<CallKey>,
    remembered: Option<Vec<RememberedApproval>>,
    queued: Option<Vec<Content>>,
    thread_id: Option<String>,
}

impl ViewModel {
    pub(crate) fn new(thread_id: String) -> Self {
        Self {
            messages: ArcRwSignal::default(),
            tree: ArcRwSignal::new(0),
            runs: ArcRwSignal::new(0),
            activity: ArcRwSignal::new(Activity::default()),
            running: ArcRwSignal::new(Vec::new()),
            notices: ArcRwSignal::new(Vec::new()),
            agent_steps: ArcRwSignal::new(Vec::new()),
            tools: ArcRwSignal::new(Vec::new()),
            state: ArcRwSignal::new(0),
            interrupts: ArcRwSignal::new(Vec::new()),
            approvals: ArcRwSignal::new(Vec::new()),
            remembered: ArcRwSignal::new(Vec::new()),
            stores_approvals: ArcRwSignal::new(false),
            queued: ArcRwSignal::new(Vec::new()),
            thread_id: ArcRwSignal::new(thread_id),
            archived: ArcRwSignal::new(Vec::new()),
            listed: ArcRwSignal::new(Vec::new()),
            ownership: ArcRwSignal::new(Ownership::NotStored),
            renderers: ArcRwSignal::new(0),
            ask_count: AtomicU32::new(0),
            dialogs: ArcRwSignal::new(Vec::new()),
            asked: ArcRwSignal::new(Vec::new()),
            claims: Claims::default(),
            cells: SendWrapper::new(RefCell::default()),
        }
    }

    /// Increments the number of handlers that ask the user a question.
    pub(crate) fn begin_asking(&self) {
        self.set_ask_count(self.ask_count.load(Relaxed).saturating_add(1));
    }

    /// Decrements the number of handlers that ask the user a question, after a question was
    /// answered or cancelled.
    pub(crate) fn end_asking(&self) {
        self.set_ask_count(self.ask_count.load(Relaxed).saturating_sub(1));
    }

    fn set_ask_count(&self, count: u32) {
        self.ask_count.store(count, Relaxed);
        let activity = Activity {
            asking: count > 0,
            ..self.activity.get_untracked()
        };
        set_if_changed(&self.activity, activity);
    }

    pub(crate) fn open_dialog(&self, request: ConfirmRequest) {
        self.dialogs.update(|dialogs| dialogs.push(request));
    }

    pub(crate) fn close_dialog(&self, id: u64) {
        self.dialogs
            .update(|dialogs| dialogs.retain(|dialog| dialog.id != id));
    }

    /// Reads the new values of the signals that the changes affect, and drops the signals of
    /// messages and calls that do not exist any more. [`Self::apply_updates`] sets the signals
    /// later, after the borrow of the session has ended.
    pub(crate) fn collect_updates(&self, changes: &[Change], session: &Session) -> SignalUpdates {
        let mut cells = self.cells.borrow_mut();
        let mut updates = SignalUpdates::default();
        // The values of each message are read once, even if several changes affect the message.
        let mut updated_messages: HashSet<&MessageId> = HashSet::new();
        for change in changes {
            match change {
                Change::Thread => {
                    cells.keep_existing(session);
                    updates.marks.extend(cells.replaced_marks(session));
                    updates.parts.extend(cells.all_message_values(session));
                    updates.calls.extend(cells.all_call_values(session));
                    updates.thread_id = Some(session.thread_id().to_owned());
                    updates.path = Some(list::ListChange::replacement(session.conversation()));
                    updates.tree = true;
                }
                Change::Path if updates.path.is_none() => {
                    let messages = self.messages.read_untracked();
                    updates.path = Some(messages.change_to(session.conversation()));
                }
                Change::Path => {}
                Change::MessageAdded(_) | Change::MessageMoved(_) => updates.tree = true,
                Change::MessageRemoved(message) => {
                    updates.tree = true;
                    cells.messages.remove(message);
                }
                Change::PartAdded { message, .. } => {
                    if updated_messages.insert(message) {
                        updates.parts.extend(cells.message_values(message, session));
                    }
                }
                Change::Message(message) => {
                    if updated_messages.insert(message) {
                        updates.parts.extend(cells.message_values(message, session));
                    }
                    updates.marks.extend(cells.part_marks(message, session));
                }
                Change::PartGrew { message, part } => {
                    updates
                        .marks
                        .extend(cells.part_mark(message, *part, session));
                    if updated_messages.insert(message) {
                        updates.parts.extend(cells.message_values(message, session));
                    }
                }
                Change::Queue => updates.queued = Some(session.queued().to_vec()),
                Change::Call(key) => updates.calls.extend(cells.call_values(key, session)),
                Change::State => updates.state = true,
                Change::Run | Change::Steps => {
                    updates.runs = true;
                    let runs = session.summary().runs().iter();
                    let unstored_runs = runs.filter(|run| !run.has_stored_steps());
                    let steps = unstored_runs.flat_map(|run| run.steps().to_vec());
                    updates.agent_steps = Some(steps.collect());
                }
                Change::Registry => {
                    updates.tools = Some(session.tools());
                    // Pending approvals are updated as well, because their fingerprints depend on
                    // the rules of the actions.
                    for key in session.pending_approvals() {
                        updates.calls.extend(cells.call_values(&key, session));
                    }
                }
                Change::Interrupts => updates.interrupts = Some(session.interrupts().to_vec()),
                Change::Remembered => {
                    updates.remembered = Some(session.remembered_approvals().to_vec());
                }
                Change::Notices => updates.notices = Some(session.notices().to_vec()),
            }
        }
        updates.activity = Some(Activity {
            busy: session.is_busy(),
            streaming: session.is_streaming(),
            waiting: session.waits_for_person(),
            asking: self.ask_count.load(Relaxed) > 0,
            elsewhere: session.is_busy() && session.conversation().shows_other_branch(),
        });
        updates.running = session.running_tools();
        updates.approvals = session.pending_approvals();
        updates
    }

    /// Sets the signals to their new values.
    pub(crate) fn apply_updates(&self, updates: SignalUpdates) {
        for (cell, values) in updates.parts {
            cell.apply_values(values);
        }
        for (part, mark) in updates.marks {
            set_if_changed(&part.mark, mark);
        }
        for (cell, values) in updates.calls {
            cell.apply_values(values);
        }
        if let Some(change) = updates.path {
            self.messages.update(|list| list.apply_change(change));
        }
        if updates.tree {
            self.tree.update(|count| *count += 1);
        }
        if updates.runs {
            self.runs.update(|count| *count += 1);
        }
        set_if_some(&self.notices, updates.notices);
        set_if_some(&self.tools, updates.tools);
        if updates.state {
            self.state.update(|count| *count += 1);
        }
        set_if_some(&self.interrupts, updates.interrupts);
        set_if_some(&self.remembered, updates.remembered);
        set_if_some(&self.queued, updates.queued);
        set_if_changed(&self.approvals, updates.approvals);
        set_if_some(&self.thread_id, updates.thread_id);
        if let Some(activity) = updates.activity {
            set_if_changed(&self.activity, activity);
        }
        set_if_changed(&self.running, updates.running);
        if let Some(steps) = updates.agent_steps {
            set_if_changed(&self.agent_steps, steps);
        }
    }

    /// Returns the signals of a message, which are created when the first view requests them;
    /// `None` if the message does not exist.
    pub(crate) fn message(&self, id: &MessageId, session: &Session) -> Option<MessageCell> {
        let mut cells = self.cells.borrow_mut();
        if let Some(cell) = cells.messages.get(id) {
            return Some(cell.clone());
        }
        let message = session.conversation().message(id)?;
        let cell = MessageCell::new(message, speaker_name(message, session));
        cells.messages.insert(id.clone(), cell.clone());
        Some(cell)
    }

    /// Sets the ids of the conversations in the archive, oldest first.
    pub(crate) fn set_archived(&self, ids: Vec<String>) {
        self.archived.set(ids);
    }

    /// Sets the ownership of the conversation.
    pub(crate) fn set_ownership(&self, ownership: Ownership) {
        set_if_changed(&self.ownership, ownership);
    }

    /// Sets the list of conversations in the store, newest first.
    pub(crate) fn set_listed(&self, threads: Vec<ThreadInfo>) {
        set_if_changed(&self.listed, threads);
    }

    /// Notifies the cards that a renderer was registered or removed.
    pub(crate) fn notify_renderers_changed(&self) {
        self.renderers
            .update(|count| *count = count.wrapping_add(1));
    }

    /// Returns the signals of a call, which are created when the first view requests them; `None`
    /// if the call does not exist.
    pub(crate) fn call(&self, key: &CallKey, session: &Session) -> Option<CallCell> {
        self.cells.borrow_mut().call(key, session)
    }
}

/// Returns the name of the speaker of a message: the name in the message, or else the name of its
/// subagent; `None` if both are missing.
fn speaker_name(message: &Message, session: &Session) -> Option<String> {
    let message_name = message
        .name()
        .map(str::to_owned)
        .filter(|name| !name.trim().is_empty());
    let subagent_name = || session.subagent_name(message.subagent_run_id()?);
    message_name.or_else(subagent_name)
}

impl CellCache {
    /// Returns the new values of the signals of a message; `None` if the message does not exist or
    /// has no signals yet.
    fn message_values(
        &self,
        id: &MessageId,
        session: &Session,
    ) -> Option<(MessageCell, message::MessageValues)> {
        let cell = self.messages.get(id)?;
        let message = session.conversation().message(id)?;
        Some((cell.clone(), cell.new_values(message)))
    }

    fn part_mark(
        &self,
        id: &MessageId,
        part: usize,
        session: &Session,
    ) -> Option<(PartCell, Mark)> {
        let cell = self.messages.get(id)?;
        let mark = Mark::from_text_part(session.conversation().message(id)?.parts().get(part)?)?;
        Some((cell.part(part)?, mark))
    }

    /// Returns the new marks of all parts of a message; empty if the message does not exist or has
    /// no signals yet.
    fn part_marks(&self, id: &MessageId, session: &Session) -> Vec<(PartCell, Mark)> {
        let (Some(cell), Some(message)) =
            (self.messages.get(id), session.conversation().message(id))
        else {
            return Vec::new();
        };
        let marks = message
            .parts()
            .iter()
            .enumerate()
            .filter_map(|(index, part)| {
                let part_cell = cell.part(index)?;
                let mark = Mark::from_text_part(part)
                    .unwrap_or_else(|| part_cell.mark.get_untracked().with_next_generation());
                Some((part_cell, mark))
            });
        marks.collect()
    }

    /// Keeps only the signals of the messages and calls that also exist in a conversation that
    /// replaces the previous one, as when a tab reads the conversation of another tab again.
    fn keep_existing(&mut self, session: &Session) {
        let conversation = session.conversation();
        self.messages.retain(|id, cell| {
            let message = conversation.message(id);
            message.is_some_and(|message| cell.is_of(message, speaker_name(message, session)))
        });
        self.calls.retain(|key, cell| {
            let call = conversation.call(key);
            call.is_some_and(|call| call.id() == cell.id)
        });
    }

    fn all_message_values(&self, session: &Session) -> Vec<(MessageCell, message::MessageValues)> {
        let ids = self.messages.keys();
        ids.filter_map(|id| self.message_values(id, session))
            .collect()
    }

    fn all_call_values(&self, session: &Session) -> Vec<(CallCell, call::CallValues)> {
        let conversation = session.conversation();
        let cells = self.calls.iter().filter_map(|(key, cell)| {
            let values = call::CallValues::new(conversation.call(key)?, session);
            Some((cell.clone(), values))
        });
        cells.collect()
    }

    /// Returns the new marks of all parts, with new generations, because any part may have another
    /// content.
    fn replaced_marks(&self, session: &Session) -> Vec<(PartCell, Mark)> {
        let ids = self.messages.keys();
        let marks = ids.flat_map(|id| self.part_marks(id, session));
        let marks = marks.map(|(cell, mark)| {
            let mark = mark.of_replaced_part(cell.mark.get_untracked());
            (cell, mark)
        });
        marks.collect()
    }

    fn call_values(
        &mut self,
        key: &CallKey,
        session: &Session,
    ) -> Option<(CallCell, call::CallValues)> {
        let values = call::CallValues::new(session.conversation().call(key)?, session);
        Some((self.call(key, session)?, values))
    }

    fn call(&mut self, key: &CallKey, session: &Session) -> Option<CallCell> {
        if let Some(cell) = self.calls.get(key) {
            return Some(cell.clone());
        }
        let cell = CallCell::new(session.conversation().call(key)?, session);
        self.calls.insert(*key, cell.clone());
        Some(cell)
    }
}

fn set_if_some<T: Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: Option<T>) {
    if let Some(value) = value {
        signal.set(value);
    }
}

/// Sets a signal only if the value differs.
fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if signal.with_untracked(|old| *old != value) {
        signal.set(value);
    }
}
