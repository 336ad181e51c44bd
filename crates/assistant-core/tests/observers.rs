//! Observers: each is notified of everything, and none affects the others (rule "observers").

use std::{cell::RefCell, rc::Rc};

use assistant_core::{
    conversation::Change,
    observe::{ObserverId, Observers},
};

use crate::support::*;

type Log = Rc<RefCell<Vec<Change>>>;

/// Adds an observer that logs its notifications.
fn listener(observers: &Observers<Change>) -> Log {
    let log = Log::default();
    let heard = Rc::clone(&log);
    observers.add(move |change: &Change| heard.borrow_mut().push(change.clone()));
    log
}

#[test]
fn a_failing_observer_affects_neither_the_others_nor_the_run() {
    let observers = Observers::<Change>::default();
    let first = listener(&observers);
    observers.add(|_: &Change| Err("the disk is full"));
    let second = listener(&observers);
    let mut driver = Driver::new();
    let mut told = Vec::new();
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
            told.push(change);
        }
    }
    assert!(told.len() > 3, "{told:?}");
    assert_eq!(*first.borrow(), told);
    assert_eq!(*second.borrow(), told);
    assert_eq!(failures, vec!["the disk is full"; told.len()]);
    assert!(!driver.session.is_busy(), "the run has come to its end");
    assert_eq!(request(&driver), ["user=hi"]);
}

#[test]
fn a_panicking_observer_is_reported_and_affects_no_other() {
    let observers = Observers::<Change>::default();
    let first = listener(&observers);
    observers.add(|change: &Change| assert_ne!(*change, Change::Run, "not this one"));
    let second = listener(&observers);
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
    let (all, heard, victim) = (Rc::clone(&observers), Rc::clone(&log), Rc::clone(&last));
    observers.add(move |number: &u32| {
        heard.borrow_mut().push(("first", *number));
        if let Some(id) = victim.take() {
            assert!(all.remove(id));
            let heard = Rc::clone(&heard);
            all.add(move |number: &u32| heard.borrow_mut().push(("new", *number)));
        }
    });
    let heard = Rc::clone(&log);
    let id = observers.add(move |number: &u32| heard.borrow_mut().push(("gone", *number)));
    last.replace(Some(id));
    observers.notify(&1);
    observers.notify(&2);
    assert_eq!(*log.borrow(), [("first", 1), ("first", 2), ("new", 2)]);
    assert!(!observers.remove(id));
}
