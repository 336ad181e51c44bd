//! Reads the sources of a run's input, which are the context and the offered actions with their
//! conditions, when the run opens, not when a source changes (rule "fresh when a run opens"). Also
//! notifies handlers that wait for an action to be registered.

use std::{cell::RefCell, mem, rc::Rc};

use futures_channel::oneshot;

use super::Runtime;

type SourceReader = Rc<dyn Fn()>;

/// The readers that components have registered, each with its number, oldest first.
#[derive(Default)]
pub(super) struct Sources(RefCell<Vec<(u64, SourceReader)>>);

/// The names of actions that handlers wait for, each with the sender that notifies the handler.
#[derive(Default)]
pub(super) struct AwaitedActions(RefCell<Vec<(String, oneshot::Sender<()>)>>);

impl Runtime {
    /// Registers a reader that is called whenever a run opens. A reader with the same number is
    /// replaced.
    pub(crate) fn add_source(&self, number: u64, read: impl Fn() + 'static) {
        let read: SourceReader = Rc::new(read);
        let mut sources = self.sources.0.borrow_mut();
        let entry = sources.iter_mut().find(|(other, _)| *other == number);
        let previous_reader = match entry {
            Some((_, reader)) => Some(mem::replace(reader, read)),
            None => {
                sources.push((number, read));
                None
            }
        };
        drop(sources);
        drop(previous_reader);
    }

    /// Registers the reader that updates the filter of offered actions, and replaces an earlier
    /// reader.
    pub(crate) fn set_filter_source(&self, read: impl Fn() + 'static) {
        let number = self
            .filter_source
            .get()
            .unwrap_or_else(|| self.next_number());
        self.filter_source.set(Some(number));
        self.add_source(number, read);
    }

    /// Removes the reader with the given number.
    pub(crate) fn remove_source(&self, number: u64) {
        // The reader is dropped after the borrow ends, since its destructor may use the sources.
        let mut sources = self.sources.0.borrow_mut();
        let index = sources.iter().position(|(other, _)| *other == number);
        let removed_reader = index.map(|index| sources.remove(index));
        drop(sources);
        drop(removed_reader);
    }

    /// Removes all readers.
    pub(super) fn remove_sources(&self) {
        let sources = mem::take(&mut *self.sources.0.borrow_mut());
        drop(sources);
    }

    /// Runs all readers, which update the session.
    pub(super) fn read_sources(&self) {
        let sources: Vec<SourceReader> = {
            let sources = self.sources.0.borrow();
            sources.iter().map(|(_, read)| read.clone()).collect()
        };
        for read in sources {
            read();
        }
    }

    fn can_call(&self, name: &str) -> bool {
        self.read(|session| session.registry().executable(name).is_ok())
            .unwrap_or_default()
    }

    /// Returns a receiver that is notified once an action of this name can be called.
    pub(crate) fn await_action(&self, name: &str) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.awaited.0.borrow_mut().push((name.to_owned(), sender));
        self.notify_waiting_handlers();
        receiver
    }

    /// Notifies the handlers whose awaited action can now be called.
    pub(super) fn notify_waiting_handlers(&self) {
        let awaited_actions = mem::take(&mut *self.awaited.0.borrow_mut());
        for (name, sender) in awaited_actions {
            if sender.is_canceled() {
                continue;
            }
            if self.can_call(&name) {
                // Sending fails only if the receiver was dropped.
                let _ = sender.send(());
            } else {
                self.awaited.0.borrow_mut().push((name, sender));
            }
        }
    }
}
