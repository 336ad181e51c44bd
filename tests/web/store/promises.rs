//! The contract of the trait `Store`, tested with each implementation.

use futures_util::future::join;
use leptos_assistant::store::{
    Batch, IndexedDbStore, Label, MemoryStore, Store, StoreErrorKind, ThreadInfo,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{batch, record};

/// Returns the name of a database that no other test uses.
fn database() -> String {
    format!("test-{}", js_sys::Math::random())
}

fn writes(writer: &str, name: &str, text: &str) -> Batch {
    let mut batch = batch(writer);
    batch.put.push(record(name, text));
    batch
}

fn claims(writer: &str, text: &str) -> Batch {
    let mut batch = writes(writer, "outline", text);
    batch.claim = Some(record("t/1/started/0", text));
    batch
}

async fn kind(store: &dyn Store, batch: Batch) -> Option<StoreErrorKind> {
    store.write(batch).await.err().map(|error| error.kind)
}

async fn assert_contract(store: &dyn Store) {
    assert_eq!(store.load("t").await, Ok(None));
    store.take("t", "one").await.unwrap();
    assert_eq!(store.load("t").await, Ok(None), "nothing is written yet");

    // Written records can be loaded; removed ones cannot; other conversations are separate.
    assert_eq!(kind(store, writes("one", "outline", "{}")).await, None);
    assert_eq!(kind(store, writes("one", "message/a", "1")).await, None);
    let mut next = writes("one", "message/b", "2");
    next.remove = vec!["message/a".to_owned()];
    next.add = vec![record("t/9/finished", "first")];
    assert_eq!(kind(store, next.clone()).await, None);
    next.add = vec![record("t/9/finished", "second")];
    assert_eq!(kind(store, next).await, None, "it is skipped");
    let mut elsewhere = writes("one", "outline", "[]");
    elsewhere.thread_id = "t2".to_owned();
    assert_eq!(kind(store, elsewhere).await, None);
    let mut stored = store.load("t").await.unwrap().unwrap();
    stored.records.sort_by(|a, b| a.name.cmp(&b.name));
    let records = [record("message/b", "2"), record("outline", "{}")];
    assert_eq!(stored.records, records);
    assert_eq!(stored.journal, [record("t/9/finished", "first")]);

    // A claim is taken once, and nothing of a late batch is written.
    assert_eq!(kind(store, claims("one", "early")).await, None);
    let late = kind(store, claims("one", "late")).await;
    assert_eq!(late, Some(StoreErrorKind::Claimed));
    let stored = store.load("t").await.unwrap().unwrap();
    assert!(stored.records.contains(&record("outline", "early")));
    assert_eq!(stored.journal.len(), 2);

    // The previous writer is refused.
    store.take("t", "two").await.unwrap();
    let late = kind(store, writes("one", "outline", "old")).await;
    assert_eq!(late, Some(StoreErrorKind::TakenOver));
    let late = kind(store, claims("one", "late")).await;
    assert_eq!(late, Some(StoreErrorKind::TakenOver));
    let stored = store.load("t").await.unwrap().unwrap();
    assert!(stored.records.contains(&record("outline", "early")));
    assert_eq!(kind(store, writes("two", "outline", "new")).await, None);
    let stored = store.load("t").await.unwrap().unwrap();
    assert!(stored.records.contains(&record("outline", "new")));

    // Lists, and the user's labels.
    let mut listed = batch("two");
    listed.info = Some(ThreadInfo::new("t", "Which berths?", 17));
    assert_eq!(kind(store, listed).await, None);
    let label = Label::new().title("Berths").deleted_at(18);
    store.label("t", label).await.unwrap();
    let threads = store.threads().await.unwrap();
    let thread = threads.iter().find(|thread| thread.id == "t").unwrap();
    let says = (thread.title.as_str(), thread.updated_at, thread.deleted_at);
    assert_eq!(says, ("Berths", 17, Some(18)));
    store.label("t", Label::new()).await.unwrap();
    let threads = store.threads().await.unwrap();
    assert_eq!(threads[0].title, "Which berths?");
    store.remove("t").await.unwrap();
    assert_eq!(store.load("t").await, Ok(None));
    assert!(store.load("t2").await.unwrap().is_some());
}

#[wasm_bindgen_test]
async fn the_memory_store_fulfils_the_store_contract() {
    assert_contract(&MemoryStore::default()).await;
}

#[wasm_bindgen_test]
async fn the_indexed_db_store_fulfils_the_store_contract() {
    assert_contract(&IndexedDbStore::new(database())).await;
}

/// Rule "exactly once": of two tabs that claim a start at the same time, one gets it
#[wasm_bindgen_test]
async fn of_two_connections_one_wins_a_claim() {
    let name = database();
    let (one, two) = (IndexedDbStore::new(&*name), IndexedDbStore::new(&*name));
    // Without other barriers between tabs: both are the same writer.
    one.take("t", "w").await.unwrap();
    for round in 0..20 {
        let mut claim = claims("w", "x");
        claim.claim = Some(record(&format!("t/{round}/started/0"), "{}"));
        let (first, second) = join(one.write(claim.clone()), two.write(claim)).await;
        let lost: Vec<_> = [first, second]
            .into_iter()
            .filter_map(Result::err)
            .collect();
        assert_eq!(lost.len(), 1, "one of them");
        assert_eq!(lost[0].kind, StoreErrorKind::Claimed);
    }
}

/// The reason for a refusal may precede or follow the writes of a batch.
#[wasm_bindgen_test]
async fn a_refused_batch_writes_nothing() {
    let store = IndexedDbStore::new(database());
    store.take("t", "one").await.unwrap();
    let mut first = writes("one", "outline", "first");
    first.add = vec![record("t/1/finished", "first")];
    assert_eq!(kind(&store, first).await, None);
    store.take("t", "two").await.unwrap();
    // At once again, without waiting for the outcome of the first.
    let many = |writer: &str| {
        let put = (0..40).map(|at| record(&format!("message/{at}"), "late"));
        let mut batch = batch(writer);
        batch.put = put.collect();
        batch
    };
    let (one, another) = join(store.write(many("one")), store.write(many("one"))).await;
    for late in [one, another] {
        assert_eq!(late.unwrap_err().kind, StoreErrorKind::TakenOver);
    }
    let mut late = many("one");
    late.add = vec![record("t/2/finished", "late")];
    late.remove = vec!["outline".to_owned()];
    assert_eq!(kind(&store, late).await, Some(StoreErrorKind::TakenOver));
    let stored = store.load("t").await.unwrap().unwrap();
    assert_eq!(stored.records, [record("outline", "first")]);
    assert_eq!(stored.journal, [record("t/1/finished", "first")]);
    // The new writer is accepted, more than once.
    for _ in 0..2 {
        assert_eq!(kind(&store, many("two")).await, None);
    }
}

/// Version 1 has the object stores for records and fences, but no index of the fences.
#[wasm_bindgen_test]
async fn a_database_of_version_one_is_upgraded() {
    let name = database();
    let factory = web_sys::window().unwrap().indexed_db().unwrap().unwrap();
    let request = factory.open_with_u32(&name, 1).unwrap();
    let upgraded = request.clone();
    let upgrade = Closure::once_into_js(move || {
        let database: web_sys::IdbDatabase = upgraded.result().unwrap().unchecked_into();
        for store in ["records", "fences"] {
            database.create_object_store(store).unwrap();
        }
    });
    request.set_onupgradeneeded(Some(upgrade.unchecked_ref()));
    let opened = js_sys::Promise::new(&mut |resolve, _| request.set_onsuccess(Some(&resolve)));
    wasm_bindgen_futures::JsFuture::from(opened).await.unwrap();
    let before: web_sys::IdbDatabase = request.result().unwrap().unchecked_into();
    let mode = web_sys::IdbTransactionMode::Readwrite;
    let transaction = before
        .transaction_with_str_and_mode("records", mode)
        .unwrap();
    let key = js_sys::Array::of2(&"old".into(), &"outline".into());
    let value = js_sys::Array::of2(&"outline".into(), &"{}".into());
    let records = transaction.object_store("records").unwrap();
    records.put_with_key(&value, &key).unwrap();
    before.close();
    let store = IndexedDbStore::new(name);
    let old = store.load("old").await.unwrap().unwrap();
    assert_eq!(old.records, [record("outline", "{}")]);
    assert_contract(&store).await;
}

/// Opens the browser's database directly.
async fn open_raw(name: &str, version: u32) -> web_sys::IdbDatabase {
    let factory = web_sys::window().unwrap().indexed_db().unwrap().unwrap();
    let request = factory.open_with_u32(name, version).unwrap();
    let opened = js_sys::Promise::new(&mut |resolve, _| request.set_onsuccess(Some(&resolve)));
    wasm_bindgen_futures::JsFuture::from(opened).await.unwrap();
    request.result().unwrap().unchecked_into()
}

#[wasm_bindgen_test]
async fn a_database_of_a_newer_version_is_refused() {
    let name = database();
    open_raw(&name, 99).await.close();
    let store = IndexedDbStore::new(&*name);
    let error = store.load("t").await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Newer);
    let error = store.write(writes("w", "outline", "{}")).await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Newer);
}

#[wasm_bindgen_test]
async fn opening_a_blocked_database_fails() {
    let name = database();
    let held = open_raw(&name, 1).await;
    let factory = web_sys::window().unwrap().indexed_db().unwrap().unwrap();
    // It waits for the connection above, and every later open request waits for it.
    let _deleting = factory.delete_database(&name).unwrap();
    let error = IndexedDbStore::new(&*name).load("t").await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Blocked);
    held.close();
}

#[wasm_bindgen_test]
async fn a_foreign_record_makes_a_conversation_corrupt() {
    let name = database();
    let store = IndexedDbStore::new(&*name);
    store.write(writes("w", "outline", "{}")).await.unwrap();
    let database = open_raw(&name, 2).await;
    let mode = web_sys::IdbTransactionMode::Readwrite;
    let transaction = database
        .transaction_with_str_and_mode("records", mode)
        .unwrap();
    let key = js_sys::Array::of2(&"t".into(), &"message/x".into());
    let records = transaction.object_store("records").unwrap();
    records.put_with_key(&JsValue::from(17), &key).unwrap();
    let written = js_sys::Promise::new(&mut |resolve, _| {
        let done = Closure::once_into_js(move || resolve.call0(&JsValue::NULL));
        transaction.set_oncomplete(Some(done.unchecked_ref()));
    });
    wasm_bindgen_futures::JsFuture::from(written).await.unwrap();
    let error = store.load("t").await.unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::Corrupt);
}
