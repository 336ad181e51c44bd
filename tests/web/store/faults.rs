//! A chat with a store that fails: each kind of failure, at each operation and moment.

use std::{cell::Cell, rc::Rc};

use futures_util::future::{FutureExt as _, pending, ready};
use leptos::prelude::*;
use leptos_assistant::store::{
    Batch, Label, MemoryStore, Ownership, Store, StoreError, StoreErrorKind, StoreFuture,
    StoredThread, ThreadInfo,
};
use wasm_bindgen_test::wasm_bindgen_test;

use super::journey::{Journey, Moment};

/// The operations of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Load,
    Take,
    Write,
    Threads,
    Label,
    Remove,
    Any,
}

/// The ways to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Fails(StoreErrorKind),
    /// The operation has no effect, and its future never resolves.
    Silent,
    /// The operation takes effect, but its future never resolves.
    Mute,
}

/// A store that fails on demand.
#[derive(Clone, Default)]
pub(super) struct Faulty {
    inner: MemoryStore,
    pub(super) fault: Rc<Cell<Option<(Operation, Fault)>>>,
    /// The name under which tabs share it.
    shared_as: Option<String>,
}

impl Faulty {
    /// Returns two handles of a store that tabs share, each with failures of its own.
    pub(super) fn shared() -> (Self, Self) {
        let one = Self {
            shared_as: Some(format!("shared-{}", js_sys::Math::random())),
            ..Self::default()
        };
        let two = Self {
            fault: Rc::default(),
            ..one.clone()
        };
        (one, two)
    }

    fn with_fault<T: 'static>(
        &self,
        operation: Operation,
        does: impl FnOnce() -> StoreFuture<T>,
    ) -> StoreFuture<T> {
        let fails = |(at, fault)| (at == operation || at == Operation::Any).then_some(fault);
        match self.fault.get().and_then(fails) {
            None => does(),
            Some(Fault::Fails(kind)) => ready(Err(StoreError::new(kind, "broken"))).boxed_local(),
            Some(Fault::Silent) => pending().boxed_local(),
            Some(Fault::Mute) => {
                drop(does());
                pending().boxed_local()
            }
        }
    }
}

impl Store for Faulty {
    fn load(&self, thread_id: &str) -> StoreFuture<Option<StoredThread>> {
        self.with_fault(Operation::Load, || self.inner.load(thread_id))
    }

    fn take(&self, thread_id: &str, writer: &str) -> StoreFuture<()> {
        self.with_fault(Operation::Take, || self.inner.take(thread_id, writer))
    }

    fn write(&self, batch: Batch) -> StoreFuture<()> {
        self.with_fault(Operation::Write, || self.inner.write(batch))
    }

    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        self.with_fault(Operation::Threads, || self.inner.threads())
    }

    fn label(&self, thread_id: &str, label: Label) -> StoreFuture<()> {
        self.with_fault(Operation::Label, || self.inner.label(thread_id, label))
    }

    fn remove(&self, thread_id: &str) -> StoreFuture<()> {
        self.with_fault(Operation::Remove, || self.inner.remove(thread_id))
    }

    fn shared_as(&self) -> Option<String> {
        self.shared_as.clone()
    }
}

/// A store that fails in one way from some moment on.
#[derive(Debug, Clone, Copy)]
struct Case {
    operation: Operation,
    fault: Fault,
    moment: Moment,
    /// True if the application names the conversation, so that it is loaded.
    named: bool,
}

impl Case {
    fn writes(self) -> bool {
        matches!(self.operation, Operation::Write | Operation::Any)
    }

    fn opens(self) -> bool {
        let opens = matches!(
            self.operation,
            Operation::Load | Operation::Take | Operation::Any
        );
        opens && self.moment == Moment::Before
    }

    /// The store got the call without its start: another page may start it.
    fn is_refused(self) -> bool {
        self.writes() && self.moment == Moment::Asked
    }

    fn is_unsaved(self) -> bool {
        self.writes() || self.opens() && (self.named || self.operation == Operation::Take)
    }

    /// A page without a store cannot exclude that the named conversation is open elsewhere.
    fn stays_unsaved(self) -> bool {
        self.opens() && self.named && self.fault == Fault::Fails(StoreErrorKind::Unavailable)
    }

    /// Plays a conversation, and repairs the store at the end.
    async fn play(self) {
        let store = Faulty::default();
        let fault = Rc::clone(&store.fault);
        let breaks = move |now: Moment| {
            if now == self.moment {
                fault.set(Some((self.operation, self.fault)));
            }
        };
        if self.moment == Moment::Before {
            breaks(self.moment);
        }
        let chat = Journey::open(store.clone(), self.named.then_some("t"));
        chat.play(breaks).await;
        chat.assert_nothing_lost(!self.is_refused(), &format!("{self:?}"));
        if self.is_unsaved() {
            assert!(
                chat.wait_until(Journey::shows_not_saved).await,
                "{self:?}: the notice is shown"
            );
            let kept = chat.assistant.conversations().ownership().get_untracked();
            assert_eq!(kept, Ownership::NotStored, "{self:?}");
        }
        chat.assistant.conversations().refresh();
        chat.assistant.conversations().rename("other", "Other");
        chat.advance(10_000).await;
        chat.assert_usable();
        store.fault.set(None);
        chat.advance_past_retries().await;
        chat.assert_usable();
        chat.assert_nothing_lost(!self.is_refused(), &format!("{self:?}"));
        assert_eq!(
            chat.shows_not_saved(),
            self.stays_unsaved(),
            "{self:?}: at the end"
        );
        if !self.stays_unsaved() {
            self.assert_saved(&store, &chat).await;
        }
    }

    async fn assert_saved(self, store: &Faulty, chat: &Journey) {
        let id = chat.assistant.thread_id().get_untracked();
        let stored = store.load(&id).await.unwrap();
        let stored = stored.unwrap_or_else(|| panic!("{self:?}: nothing is stored"));
        let holds = |words: &str| stored.records.iter().any(|it| it.text.contains(words));
        for words in ["one", "Hello.", "two", "Paid.", "three", "Goodbye."] {
            assert!(holds(words), "{self:?}: {words:?} is stored");
        }
        let mut journal = stored.journal.iter();
        let started = journal.any(|it| it.name.contains("/started/"));
        assert!(
            started || self.is_refused(),
            "{self:?}: the start is on record"
        );
    }
}

async fn all_of(operation: Operation, faults: &[Fault], moments: &[Moment]) {
    for &fault in faults {
        for &moment in moments {
            for named in [false, true] {
                let case = Case {
                    operation,
                    fault,
                    moment,
                    named,
                };
                case.play().await;
            }
        }
    }
}

const ALWAYS: [Moment; 4] = [Moment::Before, Moment::Asked, Moment::Runs, Moment::Result];
const FULL: Fault = Fault::Fails(StoreErrorKind::Full);
const FAILED: Fault = Fault::Fails(StoreErrorKind::Failed);
const BLOCKED: Fault = Fault::Fails(StoreErrorKind::Blocked);
const NEWER: Fault = Fault::Fails(StoreErrorKind::Newer);
const UNAVAILABLE: Fault = Fault::Fails(StoreErrorKind::Unavailable);

#[wasm_bindgen_test]
async fn the_chat_survives_a_store_that_cannot_write() {
    let faults = [FULL, FAILED, Fault::Silent, Fault::Mute];
    all_of(Operation::Write, &faults, &ALWAYS).await;
}

#[wasm_bindgen_test]
async fn the_chat_survives_a_store_that_cannot_load() {
    let faults = [FAILED, NEWER, Fault::Silent];
    all_of(Operation::Load, &faults, &[Moment::Before]).await;
}

#[wasm_bindgen_test]
async fn the_chat_survives_a_store_without_ownership() {
    let faults = [FULL, Fault::Silent, Fault::Mute];
    all_of(Operation::Take, &faults, &[Moment::Before]).await;
}

#[wasm_bindgen_test]
async fn the_chat_survives_a_store_that_fails_every_operation() {
    let faults = [UNAVAILABLE, BLOCKED, Fault::Silent];
    all_of(Operation::Any, &faults, &ALWAYS).await;
}

#[wasm_bindgen_test]
async fn the_chat_survives_failed_lists_labels_and_removals() {
    for operation in [Operation::Threads, Operation::Label, Operation::Remove] {
        let faults = [FAILED, Fault::Silent];
        all_of(operation, &faults, &[Moment::Before]).await;
    }
}
