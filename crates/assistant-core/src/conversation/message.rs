//! Defines the messages of the tree.

use super::{AgentStep, Author, Cost, MessageId, Part};
use crate::event::{Content, ContentPart, Object, PartBody, Role};

/// A message of the tree, with its role, its parts and its metadata.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Message {
    pub(crate) id: MessageId,
    /// The id that agents use, if it differs from `id` because another branch contains a message
    /// with the same wire id.
    pub(crate) wire_id: Option<String>,
    pub(crate) role: Role,
    pub(crate) parts: Vec<Part>,
    pub(crate) created_at: i64,
    pub(crate) name: Option<String>,
    pub(crate) encrypted_value: Option<String>,
    pub(crate) subagent_run_id: Option<String>,
    pub(crate) metadata: Option<Object>,
    pub(crate) extra: Object,
    /// True if the message's content is sent as a list of parts, even if a single text would be
    /// enough.
    pub(crate) listed: bool,
    pub(crate) cut: Option<Cut>,
    pub(crate) cost: Cost,
    pub(crate) steps: Vec<AgentStep>,
    pub(crate) markdown: Option<String>,
    pub(crate) author: Author,
    pub(crate) disputed: Option<String>,
    pub(crate) interjected: bool,
    pub(crate) thread_id: Option<String>,
}

/// The reason why a message is incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// The user stopped the assistant.
    Stopped,
    /// The agent cancelled the run.
    Cancelled,
    /// The agent reported an error.
    Failed,
    /// The connection ended, or the response could not be parsed.
    BrokenOff,
}

impl Cut {
    /// Returns the name of the reason in stored conversations.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::BrokenOff => "broken-off",
        }
    }

    /// Parses the name of a reason in stored conversations. Returns `None` for other names.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let reasons = [
            Self::Stopped,
            Self::Cancelled,
            Self::Failed,
            Self::BrokenOff,
        ];
        reasons.into_iter().find(|cut| cut.as_str() == word)
    }
}

impl Message {
    /// Returns the data that the provider encrypted, which is sent back unchanged.
    #[must_use]
    pub fn encrypted_value(&self) -> Option<&str> {
        self.encrypted_value.as_deref()
    }

    /// Returns the metadata, an object with arbitrary fields.
    #[must_use]
    pub const fn metadata(&self) -> Option<&Object> {
        self.metadata.as_ref()
    }

    /// Returns the unknown fields of the message, which are stored unchanged.
    #[must_use]
    pub const fn extra(&self) -> &Object {
        &self.extra
    }

    /// Returns the message's id, which is unique in the conversation.
    #[must_use]
    pub const fn id(&self) -> &MessageId {
        &self.id
    }

    /// Returns the role of the message. The author may differ from the role; see [`Self::author`].
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Returns the parts of the message, in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the time at which the message was created, in milliseconds since 1970.
    #[must_use]
    pub const fn created_at(&self) -> i64 {
        self.created_at
    }

    /// Returns the name of the author, if known.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the id of the subagent run to which the message belongs, if any.
    #[must_use]
    pub fn subagent_run_id(&self) -> Option<&str> {
        self.subagent_run_id.as_deref()
    }

    /// Returns the reason why the message is incomplete, or `None` if it is complete. The reason is
    /// never sent to the agent.
    #[must_use]
    pub const fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Returns the cost of the runs that ended with the message. The cost is never sent to the
    /// agent.
    #[must_use]
    pub const fn cost(&self) -> &Cost {
        &self.cost
    }

    /// Returns the steps that the agent reported in the runs that ended with the message. The steps
    /// are never sent to the agent.
    #[must_use]
    pub fn steps(&self) -> &[AgentStep] {
        &self.steps
    }

    /// Returns the original text, which is sent to the agent, if callouts in the text became calls.
    #[must_use]
    pub fn original_text(&self) -> Option<&str> {
        self.markdown.as_deref()
    }

    /// Returns the author of the message, which is independent of its role. The author is
    /// [`Author::Page`] if the user wrote the message on this page.
    #[must_use]
    pub const fn author(&self) -> Author {
        self.author
    }

    /// Returns the text of the user's message as the agent reported it, if it differs from the text
    /// that the user wrote. Views show both texts.
    #[must_use]
    pub fn disputed(&self) -> Option<&str> {
        self.disputed.as_deref()
    }

    /// Returns true if the user sent the message while the agent loop was running. This information
    /// is never sent to the agent.
    #[must_use]
    pub const fn is_interjected(&self) -> bool {
        self.interjected
    }

    /// Returns the thread id for requests of the branch that begins with this message, if the
    /// branch has its own thread id.
    #[must_use]
    pub fn thread_id(&self) -> Option<&str> {
        self.thread_id.as_deref()
    }

    /// Creates an empty message with this role. Its author is the agent. `now` is the time in
    /// milliseconds since 1970. [`Message::user`] creates messages of the user.
    #[must_use]
    pub fn new(id: impl Into<MessageId>, role: Role, now: i64) -> Self {
        Self {
            id: id.into(),
            wire_id: None,
            role,
            parts: Vec::new(),
            created_at: now,
            name: None,
            encrypted_value: None,
            subagent_run_id: None,
            metadata: None,
            extra: Object::new(),
            listed: false,
            cut: None,
            cost: Cost::default(),
            steps: Vec::new(),
            markdown: None,
            author: Author::Agent,
            disputed: None,
            interjected: false,
            thread_id: None,
        }
    }

    /// Creates a message that the user wrote on this page. `now` is the time in milliseconds since
    /// 1970.
    #[must_use]
    pub fn user(id: impl Into<MessageId>, content: Content, now: i64) -> Self {
        let is_list = matches!(content, Content::Parts(_));
        let parts = super::part::parts_from_content(content);
        Self {
            parts,
            listed: is_list,
            author: Author::Page,
            ..Self::new(id, Role::User, now)
        }
    }

    /// Returns the id by which agents refer to the message.
    #[must_use]
    pub fn wire_id(&self) -> &str {
        self.wire_id.as_deref().unwrap_or(self.id.as_str())
    }

    /// Returns true if the message has tool calls.
    /// [`Conversation::calls_in`](super::Conversation::calls_in) lists the calls.
    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| part.call_key().is_some())
    }

    /// Returns the text of all text parts, joined without separators.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// Returns the content of this message with its text replaced. The files stay the same.
    #[must_use]
    pub fn reworded(&self, text: impl Into<String>) -> Content {
        let text = text.into();
        let files = self.parts.iter().filter_map(|part| match part {
            Part::File(file) => Some(file.clone()),
            _ => None,
        });
        let mut parts: Vec<ContentPart> = files.collect();
        if parts.is_empty() {
            return Content::Text(text);
        }
        if !text.is_empty() {
            let body = PartBody::Text(text);
            parts.insert(
                0,
                ContentPart {
                    id: None,
                    metadata: None,
                    body,
                },
            );
        }
        Content::Parts(parts)
    }

    /// Returns the text that is sent to the agent. This is the original text if callouts in it
    /// became calls.
    #[must_use]
    pub fn written(&self) -> String {
        self.markdown.clone().unwrap_or_else(|| self.text())
    }

    /// Returns true if the message contains no parts other than empty texts and empty reasoning.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Text(part) | Part::Reasoning(part) => part.text.is_empty(),
            _ => false,
        })
    }

    /// Returns true if more text or reasoning is expected.
    #[must_use]
    pub fn is_streaming(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Text(part) | Part::Reasoning(part) if part.open))
    }
}
