//! The signals of a message and its parts.

use assistant_core::{
    conversation::{AgentStep, Cut, Message, MessageId, Part},
    event::Role,
};
use leptos::prelude::*;

use super::set_if_changed;
use crate::render::PartKind;

/// A message for views, with constant fields as values and changing fields as signals.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MessageCell {
    /// The id of the message in the conversation.
    pub(crate) id: MessageId,
    /// The id that agents use, which is also the value of the attribute `data-message-id`.
    pub(crate) wire_id: String,
    /// The role of the author. Messages that the agent attributes to the user have the role of the
    /// assistant.
    pub(crate) role: Role,
    /// The time at which the message appeared, in milliseconds since 1970; 0 if unknown.
    pub(crate) created_at: i64,
    /// The name of the speaker: the name in the message, or else the name of its subagent; `None`
    /// if both are missing.
    pub(crate) speaker: Option<String>,
    /// True if the user sent the message while a run, or a call of the run, was open.
    pub(crate) interjected: bool,
    /// The parts, in order.
    pub(crate) parts: ArcRwSignal<Vec<PartCell>>,
    /// True if more text is expected.
    pub(crate) streaming: ArcRwSignal<bool>,
    /// True if the message has no content to show.
    pub(crate) empty: ArcRwSignal<bool>,
    /// The reason why the message is incomplete; `None` for a complete message.
    pub(crate) cut: ArcRwSignal<Option<Cut>>,
    /// The steps that the agent reported in the runs that ended with this message.
    pub(crate) steps: ArcRwSignal<Vec<AgentStep>>,
    /// The agent's version of the user's message; `None` if the agent has the same text.
    pub(crate) disputed: ArcRwSignal<Option<String>>,
    /// True if the agent added the message as if the user had written it.
    pub(crate) attributed: ArcRwSignal<bool>,
}

/// A part of a message for views.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PartCell {
    /// The position of the part in the message.
    pub(crate) index: usize,
    /// The kind of the part.
    pub(crate) kind: PartKind,
    /// The progress of the part: for a text, its length and whether more text is expected; for
    /// other parts, a count of changes.
    pub(crate) mark: ArcRwSignal<Mark>,
}

impl PartCell {
    /// Returns the position of the part in the message.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the kind of the part.
    #[must_use]
    pub const fn kind(&self) -> &PartKind {
        &self.kind
    }

    /// Returns the signal of the progress of the part: for a text, its length and whether more text
    /// is expected; for other parts, a count of changes.
    #[must_use]
    pub fn mark(&self) -> ArcReadSignal<Mark> {
        self.mark.read_only()
    }
}

/// The progress of a part: for a text, its length and whether more text is expected; for other
/// parts, a count of changes. Within one generation, the length only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Mark {
    /// For a text, the number of times that the text was replaced; for other parts, the number of
    /// changes.
    pub(crate) generation: u32,
    /// The length of the text in bytes; 0 for a part without text.
    pub(crate) len: usize,
    /// True if more text is expected.
    pub(crate) open: bool,
}

impl Mark {
    /// Returns the number of times that the text was replaced, or, for a part without text, the
    /// number of changes.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the length of the text in bytes; 0 for a part without text.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the length is 0.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns true if more text is expected.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.open
    }

    /// Returns the mark after a change of a part that is not text.
    pub(super) const fn with_next_generation(self) -> Self {
        Self {
            generation: self.generation.wrapping_add(1),
            ..self
        }
    }

    /// Returns the mark of a part of a replaced conversation, whose generation differs from those of
    /// the marks before and after it.
    pub(super) const fn of_replaced_part(self, previous: Self) -> Self {
        Self {
            generation: previous.generation.wrapping_add(1 << 16),
            ..self
        }
    }

    /// Returns the mark of a text or reasoning part; `None` for any other part.
    pub(super) fn from_text_part(part: &Part) -> Option<Self> {
        match part {
            Part::Text(text) | Part::Reasoning(text) => Some(Self {
                generation: text.generation(),
                len: text.text().len(),
                open: text.is_open(),
            }),
            _ => None,
        }
    }
}

/// The new values of the signals of a message.
pub(super) struct MessageValues {
    /// The new list of parts; `None` if the list is unchanged.
    parts: Option<Vec<PartCell>>,
    streaming: bool,
    empty: bool,
    cut: Option<Cut>,
    steps: Vec<AgentStep>,
    disputed: Option<String>,
    attributed: bool,
}

impl MessageCell {
    /// Returns the id of the message in the conversation.
    #[must_use]
    pub const fn id(&self) -> &MessageId {
        &self.id
    }

    /// Returns the id that agents use, which is also the value of the attribute `data-message-id`.
    #[must_use]
    pub fn wire_id(&self) -> &str {
        &self.wire_id
    }

    /// Returns the role of the author. Messages that the agent attributes to the user have the role
    /// of the assistant.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Returns the time at which the message appeared, in milliseconds since 1970; 0 if unknown.
    #[must_use]
    pub const fn created_at(&self) -> i64 {
        self.created_at
    }

    /// Returns the name of the speaker: the name in the message, or else the name of its subagent;
    /// `None` if both are missing.
    #[must_use]
    pub fn speaker(&self) -> Option<&str> {
        self.speaker.as_deref()
    }

    /// Returns true if the user sent the message while a run, or a call of the run, was open.
    #[must_use]
    pub const fn is_interjected(&self) -> bool {
        self.interjected
    }

    /// Returns the signal of the parts, in order.
    #[must_use]
    pub fn parts(&self) -> ArcReadSignal<Vec<PartCell>> {
        self.parts.read_only()
    }

    /// Returns a signal that is true while more text is expected.
    #[must_use]
    pub fn is_streaming(&self) -> ArcReadSignal<bool> {
        self.streaming.read_only()
    }

    /// Returns a signal that is true while the message has no content to show.
    #[must_use]
    pub fn is_empty(&self) -> ArcReadSignal<bool> {
        self.empty.read_only()
    }

    /// Returns the signal of the reason why the message is incomplete; `None` for a complete
    /// message.
    #[must_use]
    pub fn cut(&self) -> ArcReadSignal<Option<Cut>> {
        self.cut.read_only()
    }

    /// Returns the signal of the steps that the agent reported in the runs that ended with this
    /// message.
    #[must_use]
    pub fn steps(&self) -> ArcReadSignal<Vec<AgentStep>> {
        self.steps.read_only()
    }

    /// Returns the signal of the agent's version of the user's message; `None` if the agent has the
    /// same text.
    #[must_use]
    pub fn disputed(&self) -> ArcReadSignal<Option<String>> {
        self.disputed.read_only()
    }

    /// Returns a signal that is true if the agent added the message as if the user had written it.
    #[must_use]
    pub fn is_attributed(&self) -> ArcReadSignal<bool> {
        self.attributed.read_only()
    }

    pub(super) fn new(message: &Message, speaker: Option<String>) -> Self {
        let cell = Self {
            id: message.id().clone(),
            wire_id: message.wire_id().to_owned(),
            role: message.author_role(),
            created_at: message.created_at(),
            speaker,
            interjected: message.is_interjected(),
            parts: ArcRwSignal::new(Vec::new()),
            streaming: ArcRwSignal::new(message.is_streaming()),
            empty: ArcRwSignal::new(message.is_empty()),
            cut: ArcRwSignal::new(message.cut()),
            steps: ArcRwSignal::new(message.steps().to_vec()),
            disputed: ArcRwSignal::new(message.disputed().map(str::to_owned)),
            attributed: ArcRwSignal::new(message.is_attributed_to_user()),
        };
        if let Some(parts) = cell.new_values(message).parts {
            cell.parts.set(parts);
        }
        cell
    }

    /// Returns true if the constant fields are those of a message.
    pub(super) fn is_of(&self, message: &Message, speaker: Option<String>) -> bool {
        self.wire_id == message.wire_id()
            && self.role == message.author_role()
            && self.created_at == message.created_at()
            && self.interjected == message.is_interjected()
            && self.speaker == speaker
    }

    /// Returns the new values of the signals. A part whose position and kind are unchanged keeps
    /// its cell, so that its view stays mounted.
    pub(super) fn new_values(&self, message: &Message) -> MessageValues {
        let kinds = part_kinds(message);
        let parts = self.parts.with_untracked(|old| {
            let is_unchanged = old.len() == kinds.len()
                && old.iter().zip(&kinds).all(|(old, kind)| old.kind == *kind);
            (!is_unchanged).then(|| {
                let cells = kinds.into_iter().enumerate().map(|(index, kind)| {
                    let unchanged_cell = old.get(index).filter(|old| old.kind == kind);
                    unchanged_cell.cloned().unwrap_or_else(|| PartCell {
                        index,
                        kind,
                        mark: ArcRwSignal::new(
                            message
                                .parts()
                                .get(index)
                                .and_then(Mark::from_text_part)
                                .unwrap_or_default(),
                        ),
                    })
                });
                cells.collect()
            })
        });
        MessageValues {
            parts,
            streaming: message.is_streaming(),
            empty: message.is_empty(),
            cut: message.cut(),
            steps: message.steps().to_vec(),
            disputed: message.disputed().map(str::to_owned),
            attributed: message.is_attributed_to_user(),
        }
    }

    pub(super) fn apply_values(&self, values: MessageValues) {
        if let Some(parts) = values.parts {
            self.parts.set(parts);
        }
        set_if_changed(&self.streaming, values.streaming);
        set_if_changed(&self.empty, values.empty);
        set_if_changed(&self.cut, values.cut);
        set_if_changed(&self.steps, values.steps);
        set_if_changed(&self.disputed, values.disputed);
        set_if_changed(&self.attributed, values.attributed);
    }

    pub(super) fn part(&self, index: usize) -> Option<PartCell> {
        self.parts.with_untracked(|parts| parts.get(index).cloned())
    }
}

fn part_kinds(message: &Message) -> Vec<PartKind> {
    let kinds = message.parts().iter().map(|part| match part {
        Part::Text(_) => PartKind::Text,
        Part::Reasoning(_) => PartKind::Reasoning,
        Part::Call(key) => PartKind::Call(*key),
        Part::File(_) => PartKind::File,
        Part::Data(data) => PartKind::Data(data.data_type().to_owned()),
        _ => PartKind::Unknown,
    });
    kinds.collect()
}
