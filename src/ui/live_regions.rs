//! Renders the live regions of a window and of the modal dialogs in the window.

use leptos::prelude::*;

use super::each;

/// The texts in a region, each with its number.
pub(crate) type Region = RwSignal<Vec<(u64, String)>>;

/// The texts that a window announces.
#[derive(Clone, Copy)]
pub(crate) struct LiveRegions {
    pub(crate) answers: Region,
    pub(crate) status: Region,
    pub(crate) urgent: Region,
}

impl LiveRegions {
    pub(crate) fn new() -> Self {
        Self {
            answers: RwSignal::default(),
            status: RwSignal::default(),
            urgent: RwSignal::default(),
        }
    }

    /// Renders the regions. Removals are not announced. The regions have no role, so that screen
    /// readers skip an empty region; a region with `role="status"` would be read as "status bar".
    pub(crate) fn view(self) -> AnyView {
        view! {
            <div class="la-visually-hidden la-announcer">
                <div role="log" aria-live="polite" aria-relevant="additions" data-speech="answers">
                    {region_texts(self.answers)}
                </div>
                <div aria-live="polite" aria-atomic="true" data-speech="status">
                    {region_texts(self.status)}
                </div>
                <div aria-live="assertive" data-speech="urgent">
                    {region_texts(self.urgent)}
                </div>
            </div>
        }
        .into_any()
    }
}

fn region_texts(region: Region) -> AnyView {
    let draw =
        |(_, text): (u64, String)| view! { <p class="la-announcement">{text}</p> }.into_any();
    each(move || region.get(), |entry| entry.0.to_string(), draw).into_any()
}

/// Renders the announcements of the surrounding window inside a modal dialog, because everything
/// outside of the dialog is inert and not announced. Only texts that arrive while the dialog is
/// open are included. Returns `None` outside of a window.
pub(crate) fn live_in_dialog() -> Option<AnyView> {
    let regions = use_context::<LiveRegions>()?;
    let region = |region: Region| {
        let last_number = region.with_untracked(|list| list.last().map(|last| last.0));
        let new_entries = move || {
            let is_new =
                |entry: &(u64, String)| last_number.is_none_or(|last_number| entry.0 > last_number);
            region.with(|list| list.iter().filter(|entry| is_new(entry)).cloned().collect())
        };
        let draw = |(_, text): (u64, String)| view! { <p>{text}</p> }.into_any();
        each(
            new_entries,
            |entry: &(u64, String)| entry.0.to_string(),
            draw,
        )
    };
    let view = view! {
        <div class="la-visually-hidden la-dialog-live">
            <div aria-live="polite">{region(regions.answers)} {region(regions.status)}</div>
            <div aria-live="assertive">{region(regions.urgent)}</div>
        </div>
    };
    Some(view.into_any())
}
