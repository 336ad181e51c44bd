//! The parts of a message, each drawn by what it is.
//!
//! A host draws parts of its own kind with [`use_part_renderer`]; what nobody knows is named and
//! shown as text. Neighbours: `chat` has the frame of the message around them, `tool` the cards
//! of tool calls.

mod data;
mod file;
mod files;
mod reasoning;
mod sources;
mod steps;
mod streaming;
mod table;
mod text;

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    tool::{Foreign, ToolCallSlot, foreign},
    ui::dynamic,
    view::{PartCell, PartKind},
};

pub use crate::ui::media_policy;
pub use steps::{RunSteps, RunStepsProps};
pub use streaming::{StreamingText, StreamingTextProps};
pub use table::{PartHandle, PartRendererGuard, PartTarget, use_part_renderer};

pub(crate) use file::show as show_file;
pub(crate) use table::PartTable;

/// One part of a message, drawn by its renderer or by what it is.
#[component]
pub fn PartView(
    /// Whose conversation.
    assistant: Assistant,
    /// The message.
    message: MessageId,
    /// The part.
    part: PartCell,
) -> impl IntoView {
    if let PartKind::Call(key) = &part.kind {
        let call = *key;
        return view! { <ToolCallSlot assistant call /> }.into_any();
    }
    let part = PartHandle {
        assistant,
        message,
        cell: part,
    };
    let drawn = part.clone();
    let renderer = Memo::new(move |_| {
        let table = &drawn.assistant.runtime().parts;
        table.find(drawn.kind()).map(|(id, _)| id)
    });
    dynamic(move || match renderer.get() {
        Some(_) => custom(part.clone()),
        None => built_in(part.clone()),
    })
    .into_any()
}

/// What a renderer of the host draws for a part.
fn custom(part: PartHandle) -> AnyView {
    let assistant = part.assistant.clone();
    let inner = foreign(assistant, move || {
        let (registration, renderer) = part.assistant.runtime().parts.find(part.kind())?;
        let (drawn, default) = (part.clone(), part.clone());
        Some(Foreign {
            registration,
            draw: Box::new(move || renderer(drawn)),
            instead: Box::new(move || default.default_view()),
        })
    });
    view! { <div class="la-part">{inner}</div> }.into_any()
}

/// What a part looks like without a renderer.
fn built_in(part: PartHandle) -> AnyView {
    match part.kind() {
        PartKind::Text => text::view(part.assistant, part.message, part.cell),
        PartKind::Reasoning => reasoning::view(part),
        PartKind::File => file::view(&part),
        PartKind::Data(_) | PartKind::Unknown => data::view(part),
        // Calls have a place of their own.
        PartKind::Call(_) => ().into_any(),
    }
}
