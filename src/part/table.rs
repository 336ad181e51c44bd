//! Renderers of parts that come from the host: which part goes to which, and for how long.

use std::{cell::RefCell, sync::Arc};

use assistant_core::{
    action::RegistrationId,
    conversation::{MessageId, Part},
};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::built_in;
use crate::{
    action::assistant_or_complain,
    assistant::Assistant,
    view::{PartCell, PartKind},
};

/// Which parts a renderer draws. A text is the name of a type of data or activity.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartTarget {
    /// Text.
    Text,
    /// What the model thought.
    Reasoning,
    /// Files.
    File,
    /// Data and activities of one type.
    Data(String),
    /// Data and activities of a type without a renderer of its own.
    AnyData,
    /// Parts that are not known here.
    Unknown,
}

impl From<&str> for PartTarget {
    fn from(data_type: &str) -> Self {
        Self::Data(data_type.to_owned())
    }
}

impl From<String> for PartTarget {
    fn from(data_type: String) -> Self {
        Self::Data(data_type)
    }
}

impl PartTarget {
    /// How well it fits a kind: not at all, as one of many, or exactly.
    fn fits(&self, kind: &PartKind) -> u8 {
        match (self, kind) {
            (Self::Text, PartKind::Text)
            | (Self::Reasoning, PartKind::Reasoning)
            | (Self::File, PartKind::File)
            | (Self::Unknown, PartKind::Unknown) => 2,
            (Self::Data(wanted), PartKind::Data(found)) if wanted == found => 2,
            (Self::AnyData, PartKind::Data(_)) => 1,
            _ => 0,
        }
    }
}

type Renderer = Arc<SendWrapper<Box<dyn Fn(PartHandle) -> AnyView>>>;

/// The renderers of one assistant.
#[derive(Default)]
pub(crate) struct PartTable {
    entries: RefCell<Vec<(RegistrationId, PartTarget, Renderer)>>,
    changed: ArcRwSignal<u32>,
}

impl PartTable {
    /// The renderer in force for a kind of part: the newest of those that fit best. Who asks
    /// inside a reactive closure is told of changes.
    pub(super) fn find(&self, kind: &PartKind) -> Option<(RegistrationId, Renderer)> {
        self.changed.track();
        let entries = self.entries.borrow();
        let fitting = entries.iter().map(|entry| (entry.1.fits(kind), entry));
        let best = fitting
            .filter(|(fits, _)| *fits > 0)
            .max_by_key(|(fits, _)| *fits)?;
        Some((best.1.0, best.1.2.clone()))
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.entries.borrow_mut());
        drop(gone);
    }

    fn change(&self, change: impl FnOnce(&mut Vec<(RegistrationId, PartTarget, Renderer)>)) {
        change(&mut self.entries.borrow_mut());
        self.changed.update(|count| *count = count.wrapping_add(1));
    }
}

/// A renderer of parts that is in force until it is dropped.
#[derive(Debug)]
#[must_use = "dropping it takes the renderer back"]
pub struct PartRendererGuard {
    assistant: Assistant,
    id: RegistrationId,
}

impl Drop for PartRendererGuard {
    /// What was drawn goes first: what it reads may go right after.
    fn drop(&mut self) {
        let runtime = self.assistant.runtime();
        runtime.cards.dispose(self.id);
        runtime
            .parts
            .change(|entries| entries.retain(|entry| entry.0 != self.id));
    }
}

impl Assistant {
    /// Draws parts of messages in a way of one's own until the guard is dropped.
    pub fn render_parts<V: IntoView + 'static>(
        &self,
        target: impl Into<PartTarget>,
        render: impl Fn(PartHandle) -> V + 'static,
    ) -> PartRendererGuard {
        let runtime = self.runtime();
        let id = RegistrationId(runtime.number());
        let target = target.into();
        let render: Box<dyn Fn(PartHandle) -> AnyView> =
            Box::new(move |part| render(part).into_any());
        // Of those that fit as well, the last of the greatest is taken: the newest.
        runtime
            .parts
            .change(|entries| entries.push((id, target, Arc::new(SendWrapper::new(render)))));
        PartRendererGuard {
            assistant: self.clone(),
            id,
        }
    }
}

/// Draws parts of messages in a way of one's own as long as the component lives.
///
/// The newest renderer for a kind of part is in force; one for a type of data goes before one for
/// all data. What it has drawn goes with the component, and the default look takes its place. A
/// renderer that gives back an `Err` shows an error, with the default look below it.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::use_part_renderer;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Weather {
///     city: String,
///     degrees: f64,
/// }
///
/// #[component]
/// fn Page() -> impl IntoView {
///     use_part_renderer("weather", |part| {
///         move || {
///             part.data::<Weather>()
///                 .map(|w| view! { <p>{w.city} ": " {w.degrees} " °C"</p> })
///         }
///     });
/// }
/// ```
pub fn use_part_renderer<V: IntoView + 'static>(
    target: impl Into<PartTarget>,
    render: impl Fn(PartHandle) -> V + 'static,
) {
    let Some(assistant) = assistant_or_complain("use_part_renderer") else {
        return;
    };
    let guard = assistant.render_parts(target, render);
    on_cleanup(move || drop(guard));
}

/// A part as its renderer sees it. What is read inside a reactive closure follows the part.
#[derive(Debug, Clone)]
pub struct PartHandle {
    pub(super) assistant: Assistant,
    pub(super) message: MessageId,
    pub(super) cell: PartCell,
}

impl PartHandle {
    /// Whose part it is.
    #[must_use]
    pub const fn message(&self) -> &MessageId {
        &self.message
    }

    /// Its place in the message.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.cell.index
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> &PartKind {
        &self.cell.kind
    }

    /// Whether more of it is expected.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.cell.mark.get().open
    }

    /// Reads it as it stands in the conversation.
    #[must_use]
    pub fn with<R>(&self, read: impl FnOnce(&Part) -> R) -> Option<R> {
        self.cell.mark.track();
        self.peek(read)
    }

    pub(super) fn peek<R>(&self, read: impl FnOnce(&Part) -> R) -> Option<R> {
        let found = self.assistant.with_conversation(|conversation| {
            let message = conversation.message(&self.message)?;
            message.parts.get(self.cell.index).map(read)
        });
        found.flatten()
    }

    /// The text of a text or a thought; empty for anything else.
    #[must_use]
    pub fn text(&self) -> String {
        let text = self.with(|part| match part {
            Part::Text(part) | Part::Reasoning(part) => part.text.clone(),
            _ => String::new(),
        });
        text.unwrap_or_default()
    }

    /// The data of a data part or activity.
    #[must_use]
    pub fn data_value(&self) -> Option<Value> {
        self.with(|part| match part {
            Part::Data(part) => Some(part.data.clone()),
            _ => None,
        })
        .flatten()
    }

    /// The data of a data part or activity, if it is of this type.
    #[must_use]
    pub fn data<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.data_value()?).ok()
    }

    /// The look that it has without a renderer.
    #[must_use]
    pub fn default_view(&self) -> AnyView {
        built_in(self.clone())
    }
}
