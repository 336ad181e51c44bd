//! Checks that notifying observers allocates nothing.

use std::{cell::Cell, rc::Rc};

use assistant_core::observe::Observers;

use super::measure_work;

#[test]
fn notifying_observers_allocates_nothing() {
    const DELTAS: u64 = 100_000;
    let observed = Rc::new(Cell::new(0u64));
    let observers = Observers::<u64>::default();
    for _ in 0..8 {
        let observed = Rc::clone(&observed);
        observers.add(move |length: &u64| observed.set(observed.get() + length));
    }
    let work = measure_work(|| (0..DELTAS).for_each(|_| assert!(observers.notify(&1).is_empty())));
    assert_eq!(observed.get(), 8 * DELTAS);
    assert_eq!((work.calls, work.bytes), (0, 0));
}
