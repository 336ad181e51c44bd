//! Observers: each is notified of everything, and none affects the others (rule "observers").

use std::{cell::RefCell, rc::Rc};

use assistant_core::{
    conversation::Change,
    observe::{ObserverId, Observers},
};

use crate::support::*;

type Log = Rc<RefCell<Vec<Change>>>;

/// Adds an observer that logs its notifications.
fn logging_observer(observers: &Observers<Change>) -> Log {
    let log = Log::default();
    let entries = Rc::clone(&log);
    observers.add(move |change: &Change| entries.borrow_mut().push(change.clone()));
    log
}

#[test]
fn a_failing_observer_affects_neither_the_others_nor_the_run() {
    let observers = Observers::<Change>::default();
    let first = logging_observer(&observers);
    observers.add(|_: &Change| Err("the disk is full"));
    let second = logging_observer(&observers);
    let mut driver = Driver::new();
    let mut sent = Vec::new();
    let mut failures = Vec::new();
    let mut steps = vec![driver.send("hi"), driver.event(started())];
    for event in says("m", "hello") {
        steps.push(driver.event(event));
    }
    steps.push(driver.event(finished()));
    steps.push(driver.close());
    for step in steps {
        for change in step.changes {
            failures.extend(observers.notify(&change));
            sent.push(change);
        }
    }
    assert!(sent.len() > 3, "{sent:?}");
    assert_eq!(*first.borrow(), sent);
    assert_eq!(*second.borrow(), sent);
    assert_eq!(failures, vec!["the disk is full"; sent.len()]);
    assert!(!driver.session.is_busy(), "the run has come to its end");
    assert_eq!(request(&driver), ["user=hi"]);
}

#[test]
fn a_panicking_observer_is_reported_and_affects_no_other() {
    let observers = Observers::<Change>::default();
    let first = logging_observer(&observers);
    observers.add(|change: &Change| assert_ne!(*change, Change::Run, "not this one"));
    let second = logging_observer(&observers);
    let failures = observers.notify(&Change::Run);
    assert_eq!(failures.len(), 1);
    assert!(failures[0].contains("it panicked"), "{failures:?}");
    assert!(failures[0].contains("not this one"), "{failures:?}");
    assert_eq!(observers.notify(&Change::State), [""; 0]);
    assert_eq!(*first.borrow(), [Change::Run, Change::State]);
    assert_eq!(*second.borrow(), [Change::Run, Change::State]);
}

#[test]
fn observers_can_be_added_and_removed_during_a_notification() {
    let observers = Rc::new(Observers::<u32>::default());
    let log = Rc::new(RefCell::new(Vec::new()));
    let last: Rc<RefCell<Option<ObserverId>>> = Rc::default();
    let (all, entries, victim) = (Rc::clone(&observers), Rc::clone(&log), Rc::clone(&last));
    observers.add(move |number: &u32| {
        entries.borrow_mut().push(("first", *number));
        if let Some(id) = victim.take() {
            assert!(all.remove(id));
            let entries = Rc::clone(&entries);
            all.add(move |number: &u32| entries.borrow_mut().push(("new", *number)));
        }
    });
    let entries = Rc::clone(&log);
    let id = observers.add(move |number: &u32| entries.borrow_mut().push(("gone", *number)));
    last.replace(Some(id));
    observers.notify(&1);
    observers.notify(&2);
    assert_eq!(*log.borrow(), [("first", 1), ("first", 2), ("new", 2)]);
    assert!(!observers.remove(id));
}
