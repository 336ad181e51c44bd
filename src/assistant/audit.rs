//! Records every attempt to call a tool, for audits.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    fmt,
    rc::Rc,
};

use assistant_core::{
    conversation::CallEvent,
    observe::{ObserverResult, Observers},
    session::{AuditEntry, Session},
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};

use super::Assistant;
use crate::{
    runtime::CallRecorder,
    ui::{Subscription, console_error, now, subscribe},
};

/// The maximum number of records. If there are more, the oldest records are dropped.
const MAX_RECORDS: usize = 1_000;

type RedactFn = Box<dyn Fn(&mut AuditEntry)>;

/// The newest thousand audit records since [`Assistant::start_audit`] was called. The recording
/// ends when all clones of the log and all subscriptions are dropped.
#[derive(Clone)]
pub struct AuditLog(SendWrapper<Rc<AuditRecords>>);

struct AuditRecords {
    redact: RedactFn,
    records: RefCell<VecDeque<AuditEntry>>,
    /// The number of older records that were dropped.
    dropped: Cell<u64>,
    observers: Rc<Observers<AuditEntry>>,
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.records.borrow().len();
        f.debug_struct("AuditLog")
            .field("entries", &count)
            .finish_non_exhaustive()
    }
}

/// Methods for audits of calls.
impl Assistant {
    /// Starts recording the history of calls: approval requests, the source of each permission to
    /// start, denials, refusals, starts and ends. Each attempt ends with one record of its outcome,
    /// whether an agent, a callout or the page made the attempt.
    ///
    /// `redact` is called with every record before it is stored, and may change or remove its
    /// contents: the arguments ([`AuditEntry::args_mut`]), which are a text if the agent sent no
    /// valid JSON, and reasons and error messages ([`AuditEntry::event_mut`]). Arguments and texts
    /// are then cut to a few thousand characters.
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use serde_json::json;
    ///
    /// let log = assistant.start_audit(|entry| {
    ///     let args = entry.args_mut();
    ///     if !args.is_object() {
    ///         // The text of arguments that are not JSON.
    ///         *args = json!("…");
    ///     } else if let Some(card) = args.get_mut("card") {
    ///         *card = json!("…");
    ///     }
    /// });
    /// // The observer is called for the life of the assistant.
    /// log.on_entry(|entry| leptos::logging::log!("{}", entry.to_value())).forget();
    /// # }
    /// ```
    pub fn start_audit(&self, redact: impl Fn(&mut AuditEntry) + 'static) -> AuditLog {
        let records = Rc::new(AuditRecords {
            redact: Box::new(redact),
            records: RefCell::default(),
            dropped: Cell::new(0),
            observers: Rc::default(),
        });
        self.runtime()
            .add_recorder(Rc::clone(&records) as Rc<dyn CallRecorder>);
        AuditLog(SendWrapper::new(records))
    }
}

impl AuditLog {
    /// Returns the stored records, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<AuditEntry> {
        self.0.records.borrow().iter().cloned().collect()
    }

    /// Returns the records as JSON: `{"version": 1, "left_out": …, "entries": […]}`.
    #[must_use]
    pub fn export(&self) -> Value {
        let records = self.0.records.borrow();
        let entries: Vec<Value> = records.iter().map(AuditEntry::to_value).collect();
        json!({"version": 1, "left_out": self.0.dropped.get(), "entries": entries})
    }

    /// Calls `observer` for each record, until the subscription is dropped, for example to send the
    /// record to a server. An error that the observer returns does not affect other observers, and
    /// is logged to the console.
    pub fn on_entry<R: ObserverResult>(
        &self,
        observer: impl Fn(&AuditEntry) -> R + 'static,
    ) -> Subscription {
        subscribe(&self.0.observers, observer)
    }

    /// Writes each record to a sink, until the subscription is dropped. A failure is logged to the
    /// console and affects nothing else.
    ///
    /// ```
    /// # use leptos_assistant::Assistant;
    /// use leptos_assistant::{AuditSink, session::AuditEntry};
    ///
    /// /// Writes records to the console.
    /// struct Console;
    ///
    /// impl AuditSink for Console {
    ///     fn write(&self, entry: &AuditEntry) -> Result<(), String> {
    ///         leptos::logging::log!("{}", entry.to_value());
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # fn example(assistant: &Assistant) {
    /// // The sink is connected for the life of the assistant.
    /// assistant.start_audit(|_| ()).write_to(Console).forget();
    /// # }
    /// ```
    pub fn write_to(&self, sink: impl AuditSink) -> Subscription {
        self.on_entry(move |entry| sink.write(entry))
    }
}

/// A destination for audit records, such as a file, a server or a list. The sink receives redacted
/// records in order. [`AuditLog::write_to`] connects a sink.
///
/// The sink may use the assistant in [`write`](Self::write). The method should return soon, and
/// defer longer work.
pub trait AuditSink: 'static {
    /// Writes one record.
    ///
    /// # Errors
    ///
    /// Fails if the record could not be written; the message is logged.
    fn write(&self, entry: &AuditEntry) -> Result<(), String>;
}

impl CallRecorder for AuditRecords {
    fn record(&self, events: &[CallEvent], session: &Session) -> Box<dyn FnOnce()> {
        let time = now();
        let entries = events
            .iter()
            .filter_map(|event| session.audit_entry(event, time));
        let entries: Vec<AuditEntry> = entries.map(|entry| self.redact_entry(entry)).collect();
        let mut records = self.records.borrow_mut();
        records.extend(entries.iter().cloned());
        let excess = records.len().saturating_sub(MAX_RECORDS);
        records.drain(..excess);
        self.dropped
            .set(self.dropped.get() + u64::try_from(excess).unwrap_or(0));
        let observers = Rc::clone(&self.observers);
        Box::new(move || {
            let failures = entries.iter().flat_map(|entry| observers.notify(entry));
            failures.for_each(|failure| {
                console_error(&format!("An observer of the audit failed: {failure}"));
            });
        })
    }

    fn has_observers(&self) -> bool {
        !self.observers.is_empty()
    }
}

impl AuditRecords {
    fn redact_entry(&self, mut entry: AuditEntry) -> AuditEntry {
        (self.redact)(&mut entry);
        entry.bounded()
    }
}
