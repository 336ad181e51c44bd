//! Renders only a part of a long list, and more items on request.

use leptos::{html, prelude::*};

use super::{LabelName, Labels, Words, dynamic, focus};

/// The number of items that one press of the button adds.
const ITEMS_PER_PRESS: usize = 100;

/// A long list that is drawn in part: its first items and its last items. Hidden items are not in
/// the page, so questions in these items cannot be answered.
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
        let hidden_count = list.len().saturating_sub(first + self.last);
        if self.hidden.get_untracked() != hidden_count {
            self.hidden.set(hidden_count);
        }
        if hidden_count > 0 {
            list.splice(first..first + hidden_count, [gap()]);
        }
    }

    /// Renders the button that draws more items.
    pub(crate) fn button(self) -> AnyView {
        let words = Words::current();
        let row = NodeRef::<html::Div>::new();
        let show_more = move |_| {
            // The focus moves first, because the button is removed once no item is hidden.
            if self.hidden.get_untracked() <= ITEMS_PER_PRESS
                && let Some(row) = row.get_untracked()
            {
                focus::pass_focus_on(&row);
            }
            self.first.update(|first| *first += ITEMS_PER_PRESS);
        };
        let text = move || {
            let hidden_count = self.hidden.get();
            show_more_text(
                &words.get(),
                hidden_count.min(ITEMS_PER_PRESS),
                hidden_count,
            )
        };
        view! {
            <div class="la-tool-group-head" data-hidden=move || self.hidden.get() node_ref=row>
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    data-size="small"
                    on:click=show_more
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
    let template = match total > count {
        true => labels.text(LabelName::ShowMoreOf),
        false => labels.text(LabelName::ShowMore),
    };
    labels.insert_count(
        &template.replace("{total}", &labels.format_count(total)),
        count,
    )
}
