//! Renders the parts of a message by their kinds.
//!
//! An application renders custom kinds of parts with [`use_part_renderer`]; unknown parts are shown
//! as cards with their data. The module `tool` renders tool calls, and the module `chat` renders
//! the frame of a message.

mod data;
mod file;
mod foreign;
mod reasoning;
mod sources;
mod steps;
mod streaming;
mod text;

use leptos::prelude::*;

use crate::{
    assistant::FoundRenderer,
    ui::{dynamic, memo},
    view::PartKind,
};

pub use crate::{
    assistant::{PartHandle, RendererGuard, use_part_renderer},
    render::PartTarget,
    ui::media_policy,
};
pub use steps::{RunSteps, RunStepsProps};

pub(crate) use steps::stored_steps;
pub use streaming::{StreamingText, StreamingTextProps};

pub(crate) use file::file_view as show_file;
pub(crate) use foreign::{ForeignView, mount_foreign_view};

/// Renders a part that is not a call, with the application's renderer or according to its kind.
pub(crate) fn part_view(part: PartHandle) -> AnyView {
    let renderer = memo(move || registered_renderer(part).map(|entry| entry.id));
    dynamic(move || match renderer.get() {
        Some(_) => custom_part(part),
        None => default_part(part),
    })
    .into_any()
}

/// Returns the renderer that the application has registered for a part, if any. Tracks the
/// registrations if called in a reactive closure.
fn registered_renderer(part: PartHandle) -> Option<FoundRenderer<PartHandle>> {
    let (_, cell) = part.cell()?;
    part.assistant()?.renderers().part(&cell.kind)
}

/// Renders a part with the renderer of the application.
fn custom_part(part: PartHandle) -> AnyView {
    let Some(assistant) = part.assistant() else {
        return ().into_any();
    };
    let mounted_view = mount_foreign_view(assistant, move || {
        let entry = registered_renderer(part)?;
        Some(ForeignView {
            registration: entry.id,
            requester: None,
            draw: Box::new(move || (entry.renderer)(part)),
            instead: Box::new(move || part.default_view()),
        })
    });
    view! { <div class="la-part">{mounted_view}</div> }.into_any()
}

/// Renders a part with the default renderer of its kind. Renders nothing for a call.
fn default_part(part: PartHandle) -> AnyView {
    let (Some(assistant), Some((message, cell))) = (part.assistant(), part.cell()) else {
        return ().into_any();
    };
    match &cell.kind {
        PartKind::Text => text::view(assistant, message, cell),
        PartKind::Reasoning => reasoning::view(part, assistant, message, cell),
        PartKind::File => file::view(&part),
        PartKind::Data(_) | PartKind::Unknown => data::view(part),
        // The module `tool` renders calls.
        PartKind::Call(_) => ().into_any(),
    }
}

impl PartHandle {
    /// Renders the part with its default renderer. A custom renderer can call this method to add
    /// content to the default view.
    #[must_use]
    pub fn default_view(&self) -> AnyView {
        default_part(*self)
    }
}
