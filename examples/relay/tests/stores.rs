//! The contract of [`relay::store::Store`], for each store.

use std::thread;

use relay::store::{Page, PageSize, RunState, StoredRun};

use crate::support::{SHORT_LEASE, key};

const ERROR: &str = r#"{"type":"RUN_ERROR"}"#;
const FINISHED: &str = r#"{"type":"RUN_FINISHED"}"#;
const TEN: PageSize = PageSize {
    events: 10,
    bytes: 1024 * 1024,
};

test_of_stores!(events_are_read_in_their_order_from_any_position, |place| {
    let store = place.open();
    assert!(store.create(&key("r"), "me").unwrap());
    let events: Vec<String> = (0..25).map(|number| format!("{number}\nline")).collect();
    for (at, event) in events.iter().enumerate() {
        assert!(store.append(&key("r"), at, event, false).unwrap());
    }
    for from in 0..=25 {
        let page = store.page(&key("r"), from, TEN).unwrap().unwrap();
        assert_eq!(page.events, events[from..(from + 10).min(25)]);
        assert_eq!((page.is_last, page.state), (from >= 15, RunState::Open));
    }
    let stored = StoredRun {
        owner: "me".to_owned(),
        events: 25,
        state: RunState::Open,
    };
    assert_eq!(store.run(&key("r")).unwrap(), Some(stored));
    assert_eq!(store.run(&key("other")).unwrap(), None);
    assert_eq!(store.page(&key("other"), 0, TEN).unwrap(), None);
});

test_of_stores!(a_page_is_bounded_by_its_bytes, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    for (at, size) in [100, 40, 60, 1, 500, 1].into_iter().enumerate() {
        store
            .append(&key("r"), at, &"é".repeat(size / 2), false)
            .unwrap();
    }
    let max = PageSize {
        events: 10,
        bytes: 100,
    };
    for (from, count) in [(0, 1), (1, 3), (3, 1), (4, 1), (5, 1), (6, 0)] {
        let page = store.page(&key("r"), from, max).unwrap().unwrap();
        assert_eq!(page.events.len(), count, "from {from}");
        assert_eq!(page.is_last, from >= 5, "from {from}");
    }
});

test_of_stores!(an_event_that_is_added_again_is_stored_once, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    for _ in 0..2 {
        assert!(store.append(&key("r"), 0, "first", false).unwrap());
    }
    let is_added = store.append(&key("r"), 2, "third", false).unwrap();
    assert!(!is_added, "the second one is missing");
    assert!(store.append(&key("r"), 1, "second", false).unwrap());
    let page = store.page(&key("r"), 0, TEN).unwrap().unwrap();
    assert_eq!(page.events, ["first", "second"]);
});

test_of_stores!(a_run_is_created_once, |place| {
    let store = place.open();
    assert!(store.create(&key("r"), "me").unwrap());
    assert!(!store.create(&key("r"), "other").unwrap());
    assert_eq!(store.run(&key("r")).unwrap().unwrap().owner, "me");
    assert!(store.create(&key("r2"), "me").unwrap());
});

test_of_stores!(a_closed_run_has_one_end_and_takes_no_event, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), 0, "1", false).unwrap();
    for late in 1..=2 {
        store.close(&key("r"), ERROR).unwrap();
        assert!(!store.append(&key("r"), late, "late", false).unwrap());
    }
    let page = store.page(&key("r"), 1, TEN).unwrap().unwrap();
    let end = Page {
        events: vec![ERROR.to_owned()],
        is_last: true,
        state: RunState::Closed,
    };
    assert_eq!(page, end);
});

test_of_stores!(a_finished_run_is_closed_without_an_error, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), 0, FINISHED, true).unwrap();
    let read = || store.page(&key("r"), 0, TEN).unwrap().unwrap();
    assert_eq!(read().state, RunState::Ended);
    store.close(&key("r"), ERROR).unwrap();
    assert_eq!(read().events, [FINISHED]);
    assert_eq!(read().state, RunState::Closed);
});

test_of_stores!(
    a_page_that_ends_before_the_last_event_is_not_the_last_one,
    |place| {
        let store = place.open();
        store.create(&key("r"), "me").unwrap();
        store.append(&key("r"), 0, "1", false).unwrap();
        store.append(&key("r"), 1, FINISHED, true).unwrap();
        for (events, is_last) in [(1, false), (2, true)] {
            let max = PageSize { events, ..TEN };
            let page = store.page(&key("r"), 0, max).unwrap().unwrap();
            assert_eq!(page.is_last, is_last);
        }
    }
);

test_of_stores!(an_event_after_an_end_opens_the_run_again, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), 0, FINISHED, true).unwrap();
    assert!(store.append(&key("r"), 1, "next", false).unwrap());
    let run = store.run(&key("r")).unwrap().unwrap();
    assert_eq!(run.state, RunState::Open);
});

test_of_stores!(a_removed_run_can_be_created_again, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), 0, "1", false).unwrap();
    store.remove(&key("r")).unwrap();
    store.remove(&key("r")).unwrap();
    assert_eq!(store.run(&key("r")).unwrap(), None);
    assert!(!store.append(&key("r"), 1, "2", false).unwrap());
    assert!(store.create(&key("r"), "other").unwrap());
    assert_eq!(store.run(&key("r")).unwrap().unwrap().events, 0);
});

test_of_stores!(
    a_relay_that_ends_leaves_its_events_and_an_open_run,
    |place| {
        for events in [0, 1, 2, 100] {
            let (run, store) = (key(&format!("r{events}")), place.open());
            assert_eq!(store.closable_runs().unwrap(), []);
            store.create(&run, "me").unwrap();
            let mut stored: Vec<String> =
                (0..events).map(|event: usize| event.to_string()).collect();
            for (at, event) in stored.iter().enumerate() {
                store.append(&run, at, event, false).unwrap();
            }
            assert_eq!(store.closable_runs().unwrap(), std::slice::from_ref(&run));
            drop(store);
            place.expire_leases();
            let store = place.open();
            let mut own = store.closable_runs().unwrap();
            while own.is_empty() {
                thread::sleep(SHORT_LEASE / 3);
                own = store.closable_runs().unwrap();
            }
            assert_eq!(own, std::slice::from_ref(&run));
            store.close(&run, ERROR).unwrap();
            stored.push(ERROR.to_owned());
            let all = PageSize {
                events: 1_000,
                ..TEN
            };
            assert_eq!(store.page(&run, 0, all).unwrap().unwrap().events, stored);
            assert_eq!(store.closable_runs().unwrap(), []);
        }
    }
);
