//! Stores approvals in `IndexedDB`, and notifies other tabs of changes to the approvals.

use std::{cell::RefCell, pin::Pin, rc::Rc, time::Duration};

use assistant_core::{observe::Observers, session::Swap};
use futures_channel::oneshot::{self, Receiver, Sender};
use futures_util::future::select;
use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::JsValue;
use web_sys::IdbTransactionMode;

use super::{Connection, check_request, request};
use crate::{
    store::{ApprovalStore, StoreError, TabChannel, TabMessage},
    ui::{Subscription, console_error, sleep, spawn_local, subscribe},
};

const APPROVALS: &str = "approvals";
/// The maximum time for which a read or write delays the next operation, in milliseconds.
const TURN_TIMEOUT_MS: u64 = 8_000;

/// A store of approvals in the browser's `IndexedDB`, for all tabs of an origin. An approval that
/// is given or revoked in one tab applies in all other tabs. Clones share a connection.
///
/// Any script on the site's pages can write to this store, and thereby approve calls. A revocation
/// reaches other tabs after a moment; calls that have started by then continue.
///
/// ```
/// use leptos_assistant::{Assistant, store::IndexedDbApprovals};
///
/// # fn example(assistant: &Assistant) {
/// assistant.remembered_approvals().persist_in(IndexedDbApprovals::new("orders"));
/// # }
/// ```
#[derive(Clone)]
pub struct IndexedDbApprovals(Rc<ApprovalDatabase>);

struct ApprovalDatabase {
    inner: Rc<Connection>,
    /// A receiver that resolves when the last operation is done, because reads and writes run one
    /// after the other.
    last: RefCell<Option<Receiver<()>>>,
    /// The channel between tabs, which is opened on first use.
    channel: RefCell<Option<TabChannel>>,
    /// The observers of changes by other tabs.
    changes: Rc<Observers<()>>,
}

/// The place of an operation in the order of reads and writes, which is assigned when the operation
/// is requested.
struct QueueTicket {
    before: Option<Receiver<()>>,
    /// The sender that is dropped when the operation is done.
    _done: Sender<()>,
}

impl QueueTicket {
    async fn wait_for_turn(&mut self) {
        if let Some(previous_operation) = self.before.take() {
            // The previous operation drops its sender when it is done. The timeout limits the delay
            // by an operation that never ends.
            let timeout = Box::pin(sleep(Duration::from_millis(TURN_TIMEOUT_MS)));
            select(previous_operation, timeout).await;
        }
    }
}

impl std::fmt::Debug for IndexedDbApprovals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.0.inner.name;
        f.debug_tuple("IndexedDbApprovals").field(name).finish()
    }
}

impl IndexedDbApprovals {
    /// Creates a store in the database `NAME/approvals`, which is created on first use.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = format!("{}/approvals", name.into());
        Self(Rc::new(ApprovalDatabase {
            inner: Rc::new(Connection::new(name, &[APPROVALS])),
            last: RefCell::default(),
            channel: RefCell::default(),
            changes: Rc::default(),
        }))
    }
}

impl ApprovalDatabase {
    fn join_queue(&self) -> QueueTicket {
        let (sender, receiver) = oneshot::channel();
        QueueTicket {
            before: self.last.replace(Some(receiver)),
            _done: sender,
        }
    }

    async fn load(&self) -> Result<Vec<Value>, StoreError> {
        let database = Rc::clone(&self.inner).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readonly;
        let transaction = self
            .inner
            .begin_transaction(&database, &[APPROVALS], mode, false)?;
        let all_texts = request::object_store(&transaction, APPROVALS)?.get_all();
        let texts = Array::from(&request::wait_for_result(all_texts).await?);
        let parse = |text: JsValue| serde_json::from_str(&text.as_string()?).ok();
        Ok(texts.iter().filter_map(parse).collect())
    }

    /// Writes the changes of this tab in one transaction, and notifies the other tabs.
    async fn write_changes(
        &self,
        added: Vec<Value>,
        removed: Vec<String>,
    ) -> Result<(), StoreError> {
        let database = Rc::clone(&self.inner).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readwrite;
        let transaction = self
            .inner
            .begin_transaction(&database, &[APPROVALS], mode, true)?;
        let end = request::TransactionEnd::observe(&transaction);
        let store = request::object_store(&transaction, APPROVALS)?;
        for (id, approval) in added
            .iter()
            .filter_map(|approval| Some((approval_id(approval)?, approval)))
        {
            let (text, id) = (JsValue::from(approval.to_string()), JsValue::from(id));
            check_request(store.put_with_key(&text, &id))?;
        }
        for id in &removed {
            check_request(store.delete(&JsValue::from_str(id)))?;
        }
        end.wait().await?;
        self.announce_write();
        Ok(())
    }

    /// Replaces an approval in one transaction, if the stored approval still equals `before`, and
    /// notifies the other tabs. Otherwise returns the stored approval.
    async fn compare_and_swap(
        &self,
        before: Value,
        after: Value,
    ) -> Result<Swap<Value>, StoreError> {
        let Some(id) = approval_id(&before) else {
            return Ok(Swap::Found(None));
        };
        let id = JsValue::from_str(&id);
        let database = Rc::clone(&self.inner).get_or_open_database().await?;
        let mode = IdbTransactionMode::Readwrite;
        let transaction = self
            .inner
            .begin_transaction(&database, &[APPROVALS], mode, true)?;
        let end = request::TransactionEnd::observe(&transaction);
        let store = request::object_store(&transaction, APPROVALS)?;
        // No other transaction writes between the read and the write.
        let stored_text = request::wait_for_result(store.get(&id)).await?;
        let stored: Option<Value> = stored_text
            .as_string()
            .and_then(|text| serde_json::from_str(&text).ok());
        if stored.as_ref() != Some(&before) {
            return Ok(Swap::Found(stored));
        }
        check_request(store.put_with_key(&JsValue::from_str(&after.to_string()), &id))?;
        end.wait().await?;
        self.announce_write();
        Ok(Swap::Done)
    }

    fn channel_name(&self) -> String {
        format!("leptos-assistant/{}", self.inner.name)
    }

    /// Calls `act` with the channel between tabs. Opens the channel first if the channel is not
    /// open.
    fn with_channel(&self, act: impl FnOnce(&TabChannel)) {
        let mut channel = self.channel.borrow_mut();
        act(channel.get_or_insert_with(|| {
            let changes = Rc::clone(&self.changes);
            TabChannel::new(&self.channel_name(), move |message| {
                if message == TabMessage::Written {
                    changes.notify(&());
                }
            })
        }));
    }

    /// Notifies the other tabs, and the other assistants of this page that share the connection.
    fn announce_write(&self) {
        self.with_channel(|channel| {
            channel.send(TabMessage::Written);
        });
        self.changes.notify(&());
    }
}

fn approval_id(approval: &Value) -> Option<String> {
    approval["id"].as_str().map(str::to_owned)
}

impl ApprovalStore for IndexedDbApprovals {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
        let (database, mut turn) = (Rc::clone(&self.0), self.0.join_queue());
        Box::pin(async move {
            turn.wait_for_turn().await;
            let outcome = database.load().await;
            outcome.map_err(|error| error.to_string())
        })
    }

    fn change(&self, added: Vec<Value>, removed: Vec<String>) {
        let (database, mut turn) = (Rc::clone(&self.0), self.0.join_queue());
        spawn_local(async move {
            turn.wait_for_turn().await;
            if let Err(error) = database.write_changes(added, removed).await {
                console_error(&format!("Approvals cannot be stored: {error}"));
            }
        });
    }

    fn swap(&self, before: Value, after: Value) -> Pin<Box<dyn Future<Output = Swap<Value>>>> {
        let (database, mut turn) = (Rc::clone(&self.0), self.0.join_queue());
        Box::pin(async move {
            turn.wait_for_turn().await;
            let outcome = database.compare_and_swap(before, after).await;
            outcome.unwrap_or_else(|error| Swap::Failed(error.to_string()))
        })
    }

    fn on_change(&self, changed: Box<dyn Fn()>) -> Subscription {
        self.0.with_channel(|_| ());
        subscribe(&self.0.changes, move |()| changed())
    }
}
