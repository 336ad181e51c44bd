//! Remembers the conversation of a tab, its unwritten changes, and the unsent text of its composer
//! across reloads, in the session storage.

use web_sys::Storage;

use crate::{store::Store, ui::browser};

fn storage_key(store: &dyn Store) -> Option<String> {
    Some(format!("leptos-assistant/{}", store.shared_as()?))
}

/// Returns the session storage of this tab, if the browser allows it.
fn session_storage() -> Option<Storage> {
    browser()?.session_storage().ok().flatten()
}

/// Returns the id of the conversation that this tab had before a reload, if the store is shared and
/// the browser allows session storage.
pub(super) fn remembered_thread_id(store: &dyn Store) -> Option<String> {
    session_storage()?
        .get_item(&storage_key(store)?)
        .ok()
        .flatten()
}

/// Remembers the conversation of this tab for a reload, if the store is shared and the browser
/// allows session storage.
pub(super) fn remember_thread(store: &dyn Store, thread_id: &str) {
    if let (Some(storage), Some(key)) = (session_storage(), storage_key(store)) {
        // If storing the id fails, the tab begins a new conversation after a reload.
        let _ = storage.set_item(&key, thread_id);
    }
}

fn owner_mark_key(store: &dyn Store, thread_id: &str) -> Option<String> {
    Some(format!("{}/{thread_id}", storage_key(store)?))
}

/// Records that this tab owned the conversation when its page was unloaded. The mark is set only on
/// unload, because a duplicated tab copies the session storage and must not take over the
/// conversation.
pub(super) fn mark_owner(store: &dyn Store, thread_id: &str) {
    if let (Some(storage), Some(mark)) = (session_storage(), owner_mark_key(store, thread_id)) {
        // If storing the mark fails, another window may own the conversation after this window has
        // reloaded.
        let _ = storage.set_item(&mark, "");
    }
}

/// Removes the mark that [`mark_owner`] has set, so that a second call returns false. Returns true
/// if there was a mark and this tab has the focus: the tab owned the conversation until the reload,
/// and takes the conversation back from a window that has taken over meanwhile.
pub(super) fn consume_owner_mark(store: &dyn Store, thread_id: &str) -> bool {
    let (Some(storage), Some(mark)) = (session_storage(), owner_mark_key(store, thread_id)) else {
        return false;
    };
    let was_owner = storage.get_item(&mark).ok().flatten().is_some();
    // The mark is valid for one reload.
    let _ = storage.remove_item(&mark);
    let document = browser().and_then(|window| window.document());
    was_owner && document.is_some_and(|document| document.has_focus().unwrap_or(false))
}

fn unload_copy_key(store: &dyn Store, thread_id: &str) -> Option<String> {
    let store = store.shared_as()?;
    Some(format!("leptos-assistant-unwritten/{store}/{thread_id}"))
}

/// Stores a copy of a conversation's unwritten changes for a reload, if the store is shared and the
/// browser allows session storage. Removes an older copy; `None` only removes the older copy.
pub(super) fn store_unload_copy(store: &dyn Store, thread_id: &str, copy: Option<&str>) {
    if let (Some(storage), Some(key)) = (session_storage(), unload_copy_key(store, thread_id)) {
        // The older copy is removed first, because storing a large text may fail; the unwritten
        // changes are then lost at a reload.
        let _ = storage.remove_item(&key);
        if let Some(copy) = copy {
            let _ = storage.set_item(&key, copy);
        }
    }
}

/// Returns the copy that [`store_unload_copy`] has stored.
pub(super) fn unload_copy(store: &dyn Store, thread_id: &str) -> Option<String> {
    let key = unload_copy_key(store, thread_id)?;
    session_storage()?.get_item(&key).ok().flatten()
}

/// Returns the key of the unsent text. A conversation that the application names has a text of its
/// own. `npm/composer.js` uses the same key.
fn draft_key(store: &dyn Store, named_thread: Option<&str>) -> Option<String> {
    let mut key = format!("leptos-assistant-draft/{}", store.shared_as()?);
    if let Some(id) = named_thread {
        key.push('/');
        key.push_str(id);
    }
    Some(key)
}

/// Stores an unsent text for a reload, if the store is shared and the browser allows session
/// storage. An empty text is removed.
pub(super) fn store_draft(store: &dyn Store, named_thread: Option<&str>, text: &str) {
    if let (Some(storage), Some(key)) = (session_storage(), draft_key(store, named_thread)) {
        // An older text is removed first, because storing a large text may fail; that text is lost
        // at a reload.
        let _ = storage.remove_item(&key);
        if !text.is_empty() {
            let _ = storage.set_item(&key, text);
        }
    }
}

/// Returns the text that [`store_draft`] has stored.
pub(super) fn stored_draft(store: &dyn Store, named_thread: Option<&str>) -> Option<String> {
    let key = draft_key(store, named_thread)?;
    session_storage()?.get_item(&key).ok().flatten()
}
