//! The parts of a message, each drawn by what it is.
//!
//! A host draws parts of its own kind with [`use_part_renderer`]; what nobody knows is named and
//! shown as text. Neighbours: `tool` has the cards of tool calls, `chat` the frame of the message
//! around both.

mod data;
mod file;
mod files;
mod foreign;
mod reasoning;
mod sources;
mod steps;
mod streaming;
mod text;

use leptos::prelude::*;

use crate::{ui::dynamic, view::PartKind};

pub use crate::{
    assistant::{PartHandle, PartRendererGuard, use_part_renderer},
    render::PartTarget,
    ui::media_policy,
};
pub use steps::{RunSteps, RunStepsProps};
pub use streaming::{StreamingText, StreamingTextProps};

pub(crate) use file::show as show_file;
pub(crate) use foreign::{Foreign, foreign};

/// A part that is no call, drawn by its renderer or by what it is.
pub(crate) fn part_view(part: PartHandle) -> AnyView {
    let drawn = part.clone();
    let renderer = Memo::new(move |_| {
        let table = drawn.assistant.parts();
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
        let (registration, renderer) = part.assistant.parts().find(part.kind())?;
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

impl PartHandle {
    /// The look that it has without a renderer.
    #[must_use]
    pub fn default_view(&self) -> AnyView {
        built_in(self.clone())
    }
}
