//! Large batches in a browser's database: written a few records at a time, and as a whole or not at
//! all.

use futures_util::future::{Either, join, join3, select};
use js_sys::{Function, Promise, Reflect};
use leptos_assistant::store::{
    Batch, IndexedDbStore, Store, StoreErrorKind, StoreFuture, StoredThread,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::Event;

use super::{batch, browser::Broken, record};

const RECORDS: usize = 1_000;
/// The most records that may be written without a pause for the page.
const MAX_AT_ONCE: f64 = 100.0;
/// Counts the records that are put, in all and the most without a pause, and the commits.
const COUNTING: &str = "
    const { put: whole } = IDBObjectStore.prototype;
    const { commit } = IDBTransaction.prototype;
    const puts = window.puts = { all: 0, now: 0, most: 0, commits: 0 };
    const commits = put(IDBTransaction.prototype, 'commit', { configurable: true, writable: true,
      value(...args) {
        puts.commits++;
        return commit.apply(this, args);
      } });
    const records = put(IDBObjectStore.prototype, 'put', { configurable: true, writable: true,
      value(...args) {
        puts.all++;
        if (!puts.now++) queueMicrotask(() => { puts.most = Math.max(puts.most, puts.now); puts.now = 0; });
        return whole.apply(this, args);
      } });
    return () => { commits(); records(); };";

fn puts(field: &str) -> f64 {
    let puts = Reflect::get(&js_sys::global(), &"puts".into()).unwrap();
    let count = Reflect::get(&puts, &field.into()).unwrap();
    count.as_f64().unwrap()
}

fn all_put() -> usize {
    puts("all") as usize
}

/// Waits for the next task of the page.
async fn next_task() {
    let task = Function::new_no_args("return new Promise((resolve) => setTimeout(resolve));");
    let task = task.call0(&JsValue::NULL).unwrap();
    JsFuture::from(task.unchecked_into::<Promise>())
        .await
        .unwrap();
}

fn large(writer: &str, text: &str) -> Batch {
    let name = |at: usize| format!("message/{at:04}");
    let mut batch = batch(writer);
    batch.put = (0..RECORDS).map(|at| record(&name(at), text)).collect();
    batch
}

/// A store with a large batch of the text "old", and the name of its database.
async fn written() -> (IndexedDbStore, String) {
    let name = format!("pieces-{}", js_sys::Math::random());
    let store = IndexedDbStore::new(&name);
    store.take("t", "one").await.unwrap();
    store.write(large("one", "old")).await.unwrap();
    (store, name)
}

/// Begins to write a large batch of the text "new", with a claim, and returns when a part of it was
/// put.
async fn begin(store: &IndexedDbStore) -> StoreFuture<()> {
    let before = all_put();
    let mut batch = large("one", "new");
    batch.claim = Some(record("call/1", "{}"));
    let mut writing = store.write(batch);
    while all_put() - before < RECORDS / 4 {
        let pause = Box::pin(next_task());
        let under_way = select(&mut writing, pause).await;
        assert!(matches!(under_way, Either::Right(_)), "it is under way");
    }
    assert!(all_put() - before < RECORDS, "it is under way");
    writing
}

async fn stored(name: &str) -> StoredThread {
    let loaded = IndexedDbStore::new(name).load("t").await.unwrap();
    loaded.unwrap()
}

fn count(thread: &StoredThread, text: &str) -> usize {
    let records = thread.records.iter();
    records.filter(|record| record.text == text).count()
}

fn unload() {
    let event = Event::new("pagehide").unwrap();
    web_sys::window().unwrap().dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
async fn a_large_batch_is_written_a_few_records_at_a_time() {
    let _counting = Broken::by(COUNTING);
    let (_, name) = written().await;
    assert!(all_put() >= RECORDS);
    assert!(puts("most") <= MAX_AT_ONCE, "{} at once", puts("most"));
    assert_eq!(puts("commits") as usize, 1, "commit is called");
    assert_eq!(count(&stored(&name).await, "old"), RECORDS);
}

#[wasm_bindgen_test]
async fn records_of_many_megabytes_are_written_one_at_a_time() {
    let _counting = Broken::by(COUNTING);
    let store = IndexedDbStore::new(format!("pieces-{}", js_sys::Math::random()));
    let text = "x".repeat(1024 * 1024);
    let put = (0..8).map(|at| record(&format!("message/{at}"), &text));
    let mut large = batch("one");
    large.put = put.collect();
    store.take("t", "one").await.unwrap();
    store.write(large).await.unwrap();
    assert!(puts("most") <= 2.0, "{} at once", puts("most"));
}

#[wasm_bindgen_test]
async fn a_crash_between_two_pieces_of_a_batch_writes_nothing_of_it() {
    let _counting = Broken::by(COUNTING);
    let (store, name) = written().await;
    let writing = begin(&store).await;
    // As the browser does when the process of a page ends: the transaction never commits.
    drop(writing);
    let after = stored(&name).await;
    assert_eq!((count(&after, "old"), count(&after, "new")), (RECORDS, 0));
    assert_eq!(after.journal, [], "and the call was not started");
    let mut again = large("one", "new");
    again.claim = Some(record("call/1", "{}"));
    store.write(again.clone()).await.unwrap();
    assert_eq!(count(&stored(&name).await, "new"), RECORDS);
    let refused = store.write(again).await.unwrap_err();
    assert_eq!(refused.kind, StoreErrorKind::Claimed, "it starts once");
}

#[wasm_bindgen_test]
async fn the_rest_of_a_batch_does_not_wait_when_the_page_is_unloaded() {
    let _counting = Broken::by(COUNTING);
    let (store, name) = written().await;
    let writing = begin(&store).await;
    let before = all_put();
    unload();
    assert!(
        all_put() - before >= RECORDS,
        "all requests are made before the page is closed"
    );
    writing.await.unwrap();
    let after = stored(&name).await;
    assert_eq!((count(&after, "old"), count(&after, "new")), (0, RECORDS));
    assert_eq!(after.journal.len(), 1, "with its claim");
    let before = all_put();
    unload();
    assert_eq!(all_put(), before, "and once");
}

#[wasm_bindgen_test]
async fn a_batch_written_after_a_large_one_is_the_newer_one() {
    let _counting = Broken::by(COUNTING);
    let (store, name) = written().await;
    let writing = begin(&store).await;
    let mut next = batch("one");
    next.put = vec![record("message/0999", "newest")];
    let next = store.write(next);
    writing.await.unwrap();
    next.await.unwrap();
    let after = stored(&name).await;
    let newer = (count(&after, "new"), count(&after, "newest"));
    assert_eq!(newer, (RECORDS - 1, 1));
}

#[wasm_bindgen_test]
async fn a_read_after_a_large_batch_returns_it_although_the_page_is_unloaded() {
    let _counting = Broken::by(COUNTING);
    let (store, _) = written().await;
    let writing = begin(&store).await;
    let unloading = async {
        next_task().await;
        unload();
    };
    let (read, written, ()) = join3(store.load("t"), writing, unloading).await;
    written.unwrap();
    let read = read.unwrap().unwrap();
    assert_eq!((count(&read, "old"), count(&read, "new")), (0, RECORDS));
}

#[wasm_bindgen_test]
async fn a_large_batch_is_refused_once_another_tab_has_the_conversation() {
    let _counting = Broken::by(COUNTING);
    let (store, name) = written().await;
    let other = IndexedDbStore::new(&name);
    other.load("t").await.unwrap();
    let writing = begin(&store).await;
    let writing = async {
        unload();
        writing.await
    };
    let (taken, written) = join(other.take("t", "two"), writing).await;
    assert_eq!(taken, Ok(()));
    assert_eq!(written.unwrap_err().kind, StoreErrorKind::TakenOver);
    let after = stored(&name).await;
    assert_eq!((count(&after, "old"), count(&after, "new")), (RECORDS, 0));
    assert_eq!(after.journal, []);
}
