//! Searches stored conversations by the text of their messages.

use leptos::prelude::*;

use crate::{
    assistant::{Assistant, ConversationSearch},
    ui::{after, effect},
};

/// The time without a change of the query after which a search begins, in milliseconds.
const DEBOUNCE_MS: u32 = 250;
/// The minimum length of a query, in characters. Almost every conversation contains a shorter
/// query.
const MIN_QUERY_CHARS: usize = 2;

/// The results of the search for the current query.
#[derive(Clone, Copy)]
pub(super) struct SearchResults {
    /// The ids of the conversations that contain the query.
    pub(super) ids: RwSignal<Vec<String>>,
    /// True if no search waits or runs: everything was searched, the limits were reached, or the
    /// query is too short.
    pub(super) is_over: RwSignal<bool>,
}

/// Searches the messages of the stored conversations for the query, once the query has not changed
/// for [`DEBOUNCE_MS`]. A query of fewer than [`MIN_QUERY_CHARS`] characters has no results.
pub(super) fn search_conversations(assistant: Assistant, query: RwSignal<String>) -> SearchResults {
    let results = SearchResults {
        ids: RwSignal::new(Vec::new()),
        is_over: RwSignal::new(true),
    };
    let running_search = StoredValue::new(None::<ConversationSearch>);
    effect(move |_| {
        let text = query.with(|query| query.trim().to_owned());
        running_search.set_value(None);
        results.ids.set(Vec::new());
        let is_long_enough = text.chars().count() >= MIN_QUERY_CHARS;
        results.is_over.set(!is_long_enough);
        if is_long_enough {
            let assistant = assistant.clone();
            after(DEBOUNCE_MS, move || {
                let is_current = query.try_with_untracked(|now| now.trim() == text);
                if is_current == Some(true) {
                    // An earlier search is dropped first, because the same query may have been
                    // entered twice within the delay.
                    running_search.try_set_value(None);
                    results.ids.try_set(Vec::new());
                    let search = assistant
                        .conversations()
                        .search(text, move |id| results.handle_result(id));
                    running_search.try_set_value(Some(search));
                }
            });
        }
    });
    results
}

impl SearchResults {
    fn handle_result(self, id: Option<&str>) {
        // The results are ignored, because the calls fail only if the list was disposed.
        match id {
            Some(id) => drop(self.ids.try_update(|ids| ids.push(id.to_owned()))),
            None => drop(self.is_over.try_set(true)),
        }
    }
}
