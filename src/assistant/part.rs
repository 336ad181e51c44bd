//! Defines the handle to a part of a message, which the renderer of the part receives.

use assistant_core::conversation::{MessageId, Part};
use leptos::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Assistant, AssistantId};
use crate::view::{PartCell, PartKind};

/// A handle to a part of a message, for its renderer. Values read inside a reactive closure are
/// tracked.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::PartHandle;
///
/// fn note(part: PartHandle) -> impl IntoView {
///     view! { <p data-open=move || part.is_open().then_some("")>{move || part.text()}</p> }
/// }
/// ```
///
/// The handle is `Copy`, and may outlive the part and the assistant: its getters then return
/// nothing.
#[derive(Debug, Clone, Copy)]
pub struct PartHandle {
    owner: AssistantId,
    index: usize,
    part: StoredValue<(MessageId, PartCell)>,
}

impl PartHandle {
    pub(crate) fn new(assistant: &Assistant, message: MessageId, cell: PartCell) -> Self {
        Self {
            owner: assistant.id(),
            index: cell.index,
            part: StoredValue::new((message, cell)),
        }
    }

    pub(crate) fn assistant(&self) -> Option<Assistant> {
        self.owner.assistant()
    }

    /// Returns the id of the part's message, and the signals of the part. Returns `None` if the
    /// part's view was removed.
    pub(crate) fn cell(&self) -> Option<(MessageId, PartCell)> {
        self.part.try_get_value()
    }

    /// Returns the id of the message that the part belongs to. Returns `None` if the part's view
    /// was removed.
    #[must_use]
    pub fn message(&self) -> Option<MessageId> {
        self.cell().map(|(message, _)| message)
    }

    /// Returns the index of the part in the message.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the kind of the part. Returns [`PartKind::Unknown`] if the part's view was removed.
    #[must_use]
    pub fn kind(&self) -> PartKind {
        self.cell().map_or(PartKind::Unknown, |(_, cell)| cell.kind)
    }

    /// Returns true if more content of the part is expected. Returns false if the part's view was
    /// removed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.cell().is_some_and(|(_, cell)| cell.mark.get().open)
    }

    /// Calls a function with the part, and tracks the part's changes. Returns `None` if the part
    /// does not exist any more.
    #[must_use]
    pub fn with<R>(&self, read: impl FnOnce(&Part) -> R) -> Option<R> {
        self.cell()?.1.mark.track();
        self.with_untracked(read)
    }

    pub(crate) fn with_untracked<R>(&self, read: impl FnOnce(&Part) -> R) -> Option<R> {
        let (message, _) = self.cell()?;
        let result = self.assistant()?.with_conversation(|conversation| {
            let message = conversation.message(&message)?;
            message.parts().get(self.index).map(read)
        });
        result.flatten()
    }

    /// Returns the text of a text or reasoning part. Returns an empty string for other parts.
    #[must_use]
    pub fn text(&self) -> String {
        let text = self.with(|part| match part {
            Part::Text(part) | Part::Reasoning(part) => part.text().to_owned(),
            _ => String::new(),
        });
        text.unwrap_or_default()
    }

    /// Returns the data of a data part or activity. Returns `None` for other parts.
    #[must_use]
    pub fn data_value(&self) -> Option<Value> {
        self.with(|part| match part {
            Part::Data(part) => Some(part.data().clone()),
            _ => None,
        })
        .flatten()
    }

    /// Returns the data of a data part or activity, if the data deserializes to `T`.
    #[must_use]
    pub fn data<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.data_value()?).ok()
    }
}
