//! Creates the store of a page's conversations.

use leptos_assistant::StoreProp;
#[cfg(feature = "full")]
use leptos_assistant::store::IndexedDbStore;
use wasm_bindgen::JsValue;

#[cfg(feature = "full")]
use crate::look::get;

/// Returns the store and the conversation's id that the options name. Both are empty without a
/// store.
#[cfg(feature = "full")]
pub(crate) fn of(options: &JsValue) -> (StoreProp, String) {
    let Some(name) = get(options, "store").as_string() else {
        return (StoreProp::default(), String::new());
    };
    let thread = get(options, "threadId").as_string();
    (IndexedDbStore::new(name).into(), thread.unwrap_or_default())
}

/// Returns no store, because the small module contains none. `npm/chat.js` has refused the option.
#[cfg(not(feature = "full"))]
pub(crate) fn of(_options: &JsValue) -> (StoreProp, String) {
    (StoreProp::default(), String::new())
}
