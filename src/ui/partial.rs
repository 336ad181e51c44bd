//! Renders only a part of a long list, and more items on request.

use leptos::{html, prelude::*};

use super::{Labels, Words, dynamic, focus};

/// The number of items that one press of the button adds.
const STEP: usize = 100;

/// A long list that is drawn in part: its first items, and some at its end. Other items are not in
/// the page, so questions in them cannot be answered.
#[derive(Clone, Copy)]
pub(crate) struct PartialList {
    /// The number of drawn items before the gap.
    first: RwSignal<usize>,
    last: usize,
    hidden: RwSignal<usize>,
}

impl PartialList {
    /// Creates a list that draws `first` items at its start and `last` items at its end.
    pub(crate) fn new(first: usize, last: usize) -> Self {
        Self {
            first: RwSignal::new(first),
            last,
            hidden: RwSignal::new(0),
        }
    }

    /// Replaces the items of the gap in a list with the item `gap`. Tracks the number of drawn
    /// items.
    pub(crate) fn replace_gap<T>(self, list: &mut Vec<T>, gap: impl FnOnce() -> T) {
        let first = self.first.get();
        let hidden = list.len().saturating_sub(first + self.last);
        if self.hidden.get_untracked() != hidden {
            self.hidden.set(hidden);
        }
        if hidden > 0 {
            list.splice(first..first + hidden, [gap()]);
        }
    }

    /// Renders the button that draws more items.
    pub(crate) fn button(self) -> AnyView {
        let words = Words::current();
        let place = NodeRef::<html::Div>::new();
        let more = move |_| {
            // The button stays as long as something is hidden.
            if self.hidden.get_untracked() <= STEP
                && let Some(place) = place.get_untracked()
            {
                focus::pass_focus_on(&place);
            }
            self.first.update(|first| *first += STEP);
        };
        let text = move || {
            let hidden = self.hidden.get();
            show_more_text(&words.get(), hidden.min(STEP), hidden)
        };
        view! {
            <div class="la-tool-group-head" data-hidden=move || self.hidden.get() node_ref=place>
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    data-size="small"
                    on:click=more
                >
                    <span>{dynamic(text)}</span>
                </button>
            </div>
        }
        .into_any()
    }
}

/// Returns the text of a button that shows `count` more of the `total` hidden items.
pub(crate) fn show_more_text(labels: &Labels, count: usize, total: usize) -> String {
    let word = match total > count {
        true => &labels.show_more_of,
        false => &labels.show_more,
    };
    let text = word.replace("{count}", &count.to_string());
    text.replace("{total}", &total.to_string())
}
