//! A chat with a store in a browser whose database or locks fail.

use std::{cell::RefCell, rc::Rc};

use js_sys::Function;
use leptos::prelude::*;
use leptos_assistant::store::{IndexedDbStore, Ownership, Store};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::journey::Journey;

/// A modification of the browser that is reverted on drop. It also collects errors in callbacks.
pub(super) struct Broken(Function);

impl Broken {
    /// Runs a script that returns the function that reverts its modification.
    pub(super) fn by(script: &str) -> Self {
        let script = format!(
            "const errors = window.wentWrong = [];
             const record = (event) => errors.push(String(event.message));
             window.addEventListener('error', record);
             const fake = (act) => {{
               const request = {{ result: undefined, error: null }};
               act(request);
               return request;
             }};
             const put = (target, name, value) => {{
               const before = Object.getOwnPropertyDescriptor(target, name);
               Object.defineProperty(target, name, value);
               return () => before ? Object.defineProperty(target, name, before) : delete target[name];
             }};
             const undo = (() => {{ {script} }})();
             return () => {{ window.removeEventListener('error', record); undo(); }};"
        );
        let made = Function::new_no_args(&script)
            .call0(&JsValue::NULL)
            .unwrap();
        Self(made.unchecked_into())
    }

    /// Reverts the modification; returns the errors since.
    fn repair(self) -> Vec<String> {
        drop(self);
        recorded_errors()
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        self.0.call0(&JsValue::NULL).unwrap();
    }
}

fn recorded_errors() -> Vec<String> {
    let list = js_sys::Reflect::get(&js_sys::global(), &"wentWrong".into()).unwrap();
    js_sys::Array::from(&list)
        .iter()
        .filter_map(|it| it.as_string())
        .collect()
}

fn database() -> String {
    format!("broken-{}", js_sys::Math::random())
}

/// Plays the conversation to its end in a browser that stays broken.
async fn play_unsaved(script: &str, named: bool) {
    let broken = Broken::by(script);
    let store = IndexedDbStore::new(database());
    let chat = Journey::open(store, named.then_some("t"));
    chat.play(|_| ()).await;
    chat.assert_nothing_lost(true, "");
    assert!(
        chat.wait_until(Journey::shows_not_saved).await,
        "the notice is shown"
    );
    chat.advance_past_retries().await;
    chat.assert_usable();
    chat.assert_nothing_lost(true, "");
    let kept = chat.assistant.conversations().ownership().get_untracked();
    assert_eq!(kept, Ownership::NotStored, "and the application can see it");
    assert_eq!(broken.repair(), Vec::<String>::new());
}

/// Does so with and without a conversation requested by name.
async fn play_unsaved_with_and_without_id(script: &str) {
    play_unsaved(script, false).await;
    play_unsaved(script, true).await;
}

#[wasm_bindgen_test]
async fn the_chat_works_without_a_database() {
    play_unsaved_with_and_without_id(
        "return put(window, 'indexedDB', { value: undefined, configurable: true });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_works_if_opening_the_database_throws() {
    play_unsaved_with_and_without_id(
        "return put(IDBFactory.prototype, 'open', { configurable: true, writable: true,
           value() { throw new DOMException('broken', 'UnknownError'); } });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_works_if_opening_the_database_fails() {
    play_unsaved_with_and_without_id(
        "return put(IDBFactory.prototype, 'open', { configurable: true, writable: true,
           value() { return fake((request) => setTimeout(() => {
             request.error = new DOMException('broken', 'UnknownError');
             request.onerror?.({ target: request, currentTarget: request });
           })); } });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_works_if_opening_the_database_never_completes() {
    play_unsaved_with_and_without_id(
        "return put(IDBFactory.prototype, 'open', { configurable: true, writable: true,
           value() { return fake(() => {}); } });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_works_if_the_quota_is_exceeded() {
    play_unsaved_with_and_without_id(
        "return put(IDBObjectStore.prototype, 'put', { configurable: true, writable: true,
           value() { throw new DOMException('full', 'QuotaExceededError'); } });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_works_if_writes_abort() {
    play_unsaved_with_and_without_id(
        "const before = IDBObjectStore.prototype.put;
         return put(IDBObjectStore.prototype, 'put', { configurable: true, writable: true,
           value(...args) {
             const request = before.apply(this, args);
             const transaction = this.transaction;
             queueMicrotask(() => { try { transaction.abort(); } catch {} });
             return request;
           } });",
    )
    .await;
}

/// Requests that complete after a long time, when their futures are gone.
#[wasm_bindgen_test]
async fn late_database_events_do_no_harm() {
    play_unsaved_with_and_without_id(
        "const late = (name) => {
           const prototype = Object.hasOwn(IDBTransaction.prototype, name) ? IDBTransaction.prototype : IDBRequest.prototype;
           const { set, get } = Object.getOwnPropertyDescriptor(prototype, name);
           return put(prototype, name, { configurable: true, get, set(call) {
             set.call(this, call && ((event) => setTimeout(() => call(event), 300)));
           } });
         };
         const undo = ['oncomplete', 'onabort', 'onsuccess'].map(late);
         return () => undo.forEach((it) => it());",
    )
    .await;
}

async fn play_saved(script: &str) {
    let name = database();
    for thread in [None, Some("t")] {
        let broken = Broken::by(script);
        let store = IndexedDbStore::new(&*name);
        let chat = Journey::open(store.clone(), thread);
        chat.play(|_| ()).await;
        chat.assert_nothing_lost(true, "");
        chat.advance_past_retries().await;
        assert!(!chat.shows_not_saved(), "it is saved");
        chat.assert_usable();
        let kept = chat.assistant.conversations().ownership().get_untracked();
        assert_eq!(kept, Ownership::ThisTab { across_tabs: false });
        let id = chat.assistant.thread_id().get_untracked();
        assert!(store.load(&id).await.unwrap().is_some());
        assert_eq!(broken.repair(), Vec::<String>::new());
    }
}

#[wasm_bindgen_test]
async fn the_chat_is_saved_without_web_locks() {
    play_saved("return put(navigator, 'locks', { value: undefined, configurable: true });").await;
}

#[wasm_bindgen_test]
async fn the_chat_is_saved_if_web_locks_throw() {
    play_saved(
        "const value = { request() { throw new Error('broken'); }, query() { throw new Error('broken'); } };
         return put(navigator, 'locks', { value, configurable: true });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_is_saved_if_web_locks_are_refused() {
    play_saved(
        "const value = { request: async () => { throw new Error('broken'); }, query: async () => { throw new Error('broken'); } };
         return put(navigator, 'locks', { value, configurable: true });",
    )
    .await;
}

#[wasm_bindgen_test]
async fn the_chat_is_saved_if_web_locks_never_resolve() {
    play_saved(
        "const value = { request: () => new Promise(() => {}), query: () => new Promise(() => {}) };
         return put(navigator, 'locks', { value, configurable: true });",
    )
    .await;
}

/// A database that is deleted meanwhile is created again, with everything that is on the screen.
#[wasm_bindgen_test]
async fn a_deleted_database_is_restored_from_the_open_chat() {
    let name = database();
    let store = IndexedDbStore::new(&*name);
    let chat = Journey::open(store.clone(), Some("t"));
    let broken = Broken::by("return () => {};");
    let deleted = name.clone();
    let requests = Rc::new(RefCell::new(Vec::new()));
    let begun = Rc::clone(&requests);
    chat.play(move |_| {
        let factory = web_sys::window().unwrap().indexed_db().unwrap().unwrap();
        let deleting = factory.delete_database(&deleted).unwrap();
        begun.borrow_mut().push(deleting);
    })
    .await;
    chat.assert_nothing_lost(true, "");
    // On a busy machine the last deletion may come after the last change: another change follows it.
    let is_deleted = |_: &Journey| {
        let done = web_sys::IdbRequestReadyState::Done;
        requests.borrow().iter().all(|it| it.ready_state() == done)
    };
    assert!(chat.wait_until(is_deleted).await);
    chat.send("four").await;
    chat.advance_past_retries().await;
    assert!(!chat.shows_not_saved());
    let stored = store.load("t").await.unwrap().unwrap();
    let holds = |words: &str| stored.records.iter().any(|it| it.text.contains(words));
    for words in ["one", "Hello.", "two", "Paid.", "three", "Goodbye.", "four"] {
        assert!(holds(words), "{words:?} is stored");
    }
    assert!(holds("\"messages\""), "the outline is stored");
    assert_eq!(broken.repair(), Vec::<String>::new());
}
