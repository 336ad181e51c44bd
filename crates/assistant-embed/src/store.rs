//! Creates the store of a page's conversations.

use leptos_assistant::StoreProp;
#[cfg(feature = "full")]
use leptos_assistant::store::IndexedDbStore;
use wasm_bindgen::JsValue;

#[cfg(feature = "full")]
use crate::window_options::get_property;

/// Creates the store that the options name, and returns it with the conversation's id. Both are
/// empty without a name.
#[cfg(feature = "full")]
pub(crate) fn create_store(options: &JsValue) -> (StoreProp, String) {
    let Some(name) = get_property(options, "store").as_string() else {
        return (StoreProp::default(), String::new());
    };
    let thread = get_property(options, "threadId").as_string();
    (IndexedDbStore::new(name).into(), thread.unwrap_or_default())
}

/// Returns no store, because the small module contains none. `npm/chat.js` has refused the option.
#[cfg(not(feature = "full"))]
pub(crate) fn create_store(_options: &JsValue) -> (StoreProp, String) {
    (StoreProp::default(), String::new())
}
