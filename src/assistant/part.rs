//! Renderers of parts that come from the application: for how long, and what they are given.

use std::sync::Arc;

use assistant_core::{
    action::RegistrationId,
    conversation::{MessageId, Part},
};
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Assistant, PlaceId, assistant_or_complain};
use crate::{
    render::PartTarget,
    view::{PartCell, PartKind},
};

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
        self.assistant.cards().dispose(self.id);
        self.assistant.parts().remove(self.id);
    }
}

impl Assistant {
    /// Draws parts of messages in a way of your own until the guard is dropped.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::{PartHandle, PartTarget};
    ///
    /// let guard = assistant.render_parts(PartTarget::Reasoning, |part: PartHandle| move || part.text());
    /// # drop(guard);
    /// # }
    /// ```
    pub fn render_parts<V: IntoView + 'static>(
        &self,
        target: impl Into<PartTarget>,
        render: impl Fn(PartHandle) -> V + 'static,
    ) -> PartRendererGuard {
        let id = RegistrationId(self.runtime().number());
        let render: Box<dyn Fn(PartHandle) -> AnyView> =
            Box::new(move |part| render(part).into_any());
        let render = Arc::new(SendWrapper::new(render));
        self.parts().add(id, target.into(), render);
        PartRendererGuard {
            assistant: self.clone(),
            id,
        }
    }
}

/// Draws parts of messages in a way of your own as long as the component lives.
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
/// It is `Copy`, and may outlive the part and the assistant: then it knows nothing more.
#[derive(Debug, Clone, Copy)]
pub struct PartHandle {
    place: PlaceId,
    index: usize,
    part: StoredValue<(MessageId, PartCell)>,
}

impl PartHandle {
    pub(crate) fn new(assistant: &Assistant, message: MessageId, cell: PartCell) -> Self {
        Self {
            place: assistant.place(),
            index: cell.index,
            part: StoredValue::new((message, cell)),
        }
    }

    pub(crate) fn assistant(&self) -> Option<Assistant> {
        self.place.assistant()
    }

    /// Its message and its signals, while they are there.
    pub(crate) fn cell(&self) -> Option<(MessageId, PartCell)> {
        self.part.try_get_value()
    }

    /// Returns the message that the part belongs to.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// view! { <p data-message=part.message().map(|id| id.to_string())></p> }
    /// # }
    /// ```
    #[must_use]
    pub fn message(&self) -> Option<MessageId> {
        self.cell().map(|(message, _)| message)
    }

    /// Its place in the message.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// view! { <p data-index=part.index()></p> }
    /// # }
    /// ```
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the kind of the part.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// format!("{:?}", part.kind())
    /// # }
    /// ```
    #[must_use]
    pub fn kind(&self) -> PartKind {
        self.cell().map_or(PartKind::Unknown, |(_, cell)| cell.kind)
    }

    /// Returns whether more of it is expected.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// move || part.is_open().then_some("…")
    /// # }
    /// ```
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.cell().is_some_and(|(_, cell)| cell.mark.get().open)
    }

    /// Reads it as it stands in the conversation.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// use leptos_assistant::engine::conversation::Part;
    ///
    /// move || part.with(|part| matches!(part, Part::Text(_)))
    /// # }
    /// ```
    #[must_use]
    pub fn with<R>(&self, read: impl FnOnce(&Part) -> R) -> Option<R> {
        self.cell()?.1.mark.track();
        self.peek(read)
    }

    pub(crate) fn peek<R>(&self, read: impl FnOnce(&Part) -> R) -> Option<R> {
        let (message, _) = self.cell()?;
        let found = self.assistant()?.with_conversation(|conversation| {
            let message = conversation.message(&message)?;
            message.parts.get(self.index).map(read)
        });
        found.flatten()
    }

    /// The text of a text or a thought; empty for anything else.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// view! { <p>{move || part.text()}</p> }
    /// # }
    /// ```
    #[must_use]
    pub fn text(&self) -> String {
        let text = self.with(|part| match part {
            Part::Text(part) | Part::Reasoning(part) => part.text.clone(),
            _ => String::new(),
        });
        text.unwrap_or_default()
    }

    /// The data of a data part or activity.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// move || part.data_value().map(|data| data["city"].to_string())
    /// # }
    /// ```
    #[must_use]
    pub fn data_value(&self) -> Option<Value> {
        self.with(|part| match part {
            Part::Data(part) => Some(part.data.clone()),
            _ => None,
        })
        .flatten()
    }

    /// The data of a data part or activity, if it is of this type.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::PartHandle;
    /// # fn note(part: PartHandle) -> impl IntoView {
    /// move || part.data::<Vec<f64>>().map(|degrees| degrees.len())
    /// # }
    /// ```
    #[must_use]
    pub fn data<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.data_value()?).ok()
    }
}
