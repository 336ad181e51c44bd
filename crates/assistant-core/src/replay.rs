//! Changes conversations without the rules of a session, for replays in tests.
//!
//! Applications must not use these functions.

use serde_json::Value;

use crate::{
    conversation::{
        ApplyContext, Author, CallEnd, CallKey, CallResult, Change, Conversation, EndedCall,
        Message as TreeMessage, MessageId, Part, TextPart, TreeError,
    },
    event::{Diagnostic, Event, Message, Role},
    session::{Host, Output, Session},
};

/// Parses an ISO 8601 time to milliseconds since 1970; `None` if the text is not valid.
#[must_use]
pub fn parse_iso8601(text: &str) -> Option<i64> {
    crate::session::parse_iso8601(text)
}

/// Applies an event at the time 0, adds its diagnostics to `diagnostics`, and drops the changes.
pub fn apply(conversation: &mut Conversation, event: Event, diagnostics: &mut Vec<Diagnostic>) {
    let mut context = ApplyContext {
        now: 0,
        diagnostics,
    };
    conversation.apply(event, &mut context);
    conversation.forget_changes();
}

/// Adds the messages that the conversation does not contain, and drops the changes.
pub fn merge_new_messages(conversation: &mut Conversation, messages: Vec<Message>) {
    let context = ApplyContext {
        now: 0,
        diagnostics: &mut Vec::new(),
    };
    conversation.merge_new_messages(messages, Author::Record, &context);
    conversation.forget_changes();
}

/// Sets the shared state of a conversation.
pub fn set_state(conversation: &mut Conversation, state: Value) {
    conversation.set_state(state);
}

/// Adds a message in the form of the AI SDK, without ending its calls. Returns false if the message
/// is invalid.
#[cfg(feature = "ui-stream")]
pub fn add_ui_message(conversation: &mut Conversation, message: Value) -> bool {
    conversation.add_ui_message(message).is_ok()
}

/// Creates a message with a text. The author is derived from the role, as for an imported message
/// without an author.
#[must_use]
pub fn create_text_message(id: &str, role: Role, text: &str) -> TreeMessage {
    TreeMessage {
        author: Author::unnamed(role),
        parts: vec![Part::Text(TextPart::new(text))],
        ..TreeMessage::new(id, role, 0)
    }
}

/// Sets the price of a message, in millionths of the host's currency.
pub fn set_price(message: &mut TreeMessage, micros: Option<u64>) {
    message.cost.price_micros = micros;
}

/// Adds a message below `parent`, or as a root if `parent` is `None`, and returns its id.
///
/// # Errors
///
/// Fails if the message tree refuses the change ([`TreeError`]).
pub fn add(
    conversation: &mut Conversation,
    message: TreeMessage,
    parent: Option<&MessageId>,
) -> Result<MessageId, TreeError> {
    conversation.add(message, parent)
}

/// Adds a message below `parent`, or updates the existing message with the same id. Returns the id
/// of the message.
///
/// # Errors
///
/// Fails if the message tree refuses the change ([`TreeError`]).
pub fn upsert(
    conversation: &mut Conversation,
    message: TreeMessage,
    parent: Option<&MessageId>,
) -> Result<MessageId, TreeError> {
    conversation.upsert(message, parent)
}

/// Selects the branch of a message. If `continues` is true, runs continue below that message.
///
/// # Errors
///
/// Fails if the message does not exist.
pub fn select(
    conversation: &mut Conversation,
    id: &MessageId,
    continues: bool,
) -> Result<(), TreeError> {
    conversation.select(id, true, continues)
}

/// The end of a call without an output, as stated in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEnd {
    /// The call was denied.
    Denied,
    /// The call was skipped.
    Skipped,
    /// The call was cancelled.
    Cancelled,
}

/// Ends a call with the end and the result that are stated in a record.
pub fn end_call(session: &mut Session, key: CallKey, end: RecordedEnd, result: CallResult) {
    let end = match end {
        RecordedEnd::Denied => CallEnd::Denied,
        RecordedEnd::Skipped => CallEnd::Skipped,
        RecordedEnd::Cancelled => CallEnd::Cancelled,
    };
    let outcome = EndedCall::new(end, Author::Record, false);
    conversation_mut(session).set_page_result(key, result, outcome, 0);
}

/// Returns a mutable reference to the conversation of a session.
pub const fn conversation_mut(session: &mut Session) -> &mut Conversation {
    session.conversation_mut()
}

/// Removes and returns the changes since the last call of this function.
pub fn take_changes(conversation: &mut Conversation) -> Vec<Change> {
    conversation.take_changes()
}

/// Omits the messages from the requests of a session.
pub const fn leave_requests_empty(session: &mut Session) {
    session.leave_requests_empty();
}

/// Starts a run at the current tip, in which the agent sends messages without a request.
pub fn open_run(session: &mut Session, host: &mut dyn Host) -> Output {
    session.open_run(host)
}
