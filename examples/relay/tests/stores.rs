//! The contract of [`relay::store::Store`], for each store.

use relay::store::{Page, StoredRun};

use crate::support::key;

const ERROR: &str = r#"{"type":"RUN_ERROR"}"#;
const FINISHED: &str = r#"{"type":"RUN_FINISHED"}"#;

test_of_stores!(events_are_read_in_their_order_from_any_position, |place| {
    let store = place.open();
    assert!(store.create(&key("r"), "me").unwrap());
    let events: Vec<String> = (0..25).map(|number| format!("{number}\nline")).collect();
    for event in &events {
        assert!(store.append(&key("r"), event, false).unwrap());
    }
    for from in 0..=25 {
        let page = store.page(&key("r"), from, 10).unwrap().unwrap();
        assert_eq!(page.events, events[from..(from + 10).min(25)]);
        assert!(!page.is_last, "the run is open");
    }
    let stored = StoredRun {
        owner: "me".to_owned(),
        events: 25,
        has_ended: false,
    };
    assert_eq!(store.run(&key("r")).unwrap(), Some(stored));
    assert_eq!(store.run(&key("other")).unwrap(), None);
    assert_eq!(store.page(&key("other"), 0, 10).unwrap(), None);
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
    store.append(&key("r"), "1", false).unwrap();
    for _ in 0..2 {
        store.close(&key("r"), ERROR).unwrap();
        assert!(!store.append(&key("r"), "late", false).unwrap());
    }
    let page = store.page(&key("r"), 1, 10).unwrap().unwrap();
    let end = Page {
        events: vec![ERROR.to_owned()],
        is_last: true,
    };
    assert_eq!(page, end);
});

test_of_stores!(a_finished_run_is_closed_without_an_error, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), FINISHED, true).unwrap();
    assert!(store.page(&key("r"), 0, 10).unwrap().unwrap().is_last);
    assert!(store.page(&key("r"), 1, 10).unwrap().unwrap().is_last);
    store.close(&key("r"), ERROR).unwrap();
    assert_eq!(
        store.page(&key("r"), 0, 10).unwrap().unwrap().events,
        [FINISHED]
    );
});

test_of_stores!(
    a_page_that_ends_before_the_last_event_is_not_the_last_one,
    |place| {
        let store = place.open();
        store.create(&key("r"), "me").unwrap();
        store.append(&key("r"), "1", false).unwrap();
        store.append(&key("r"), FINISHED, true).unwrap();
        assert!(!store.page(&key("r"), 0, 1).unwrap().unwrap().is_last);
        assert!(store.page(&key("r"), 0, 2).unwrap().unwrap().is_last);
    }
);

test_of_stores!(an_event_after_an_end_opens_the_run_again, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), FINISHED, true).unwrap();
    assert!(store.append(&key("r"), "next", false).unwrap());
    assert!(!store.run(&key("r")).unwrap().unwrap().has_ended);
});

test_of_stores!(a_removed_run_can_be_created_again, |place| {
    let store = place.open();
    store.create(&key("r"), "me").unwrap();
    store.append(&key("r"), "1", false).unwrap();
    store.remove(&key("r")).unwrap();
    store.remove(&key("r")).unwrap();
    assert_eq!(store.run(&key("r")).unwrap(), None);
    assert!(!store.append(&key("r"), "2", false).unwrap());
    assert!(store.create(&key("r"), "other").unwrap());
    assert_eq!(store.run(&key("r")).unwrap().unwrap().events, 0);
});

test_of_stores!(
    a_relay_that_ends_leaves_its_events_and_an_abandoned_run,
    |place| {
        for events in [0, 1, 2, 100] {
            let (run, store) = (key(&format!("r{events}")), place.open());
            assert_eq!(store.abandoned().unwrap(), []);
            store.create(&run, "me").unwrap();
            for event in 0..events {
                store.append(&run, &event.to_string(), false).unwrap();
            }
            assert_eq!(
                store.abandoned().unwrap(),
                [],
                "its own run is not abandoned"
            );
            drop(store);
            place.expire_leases();
            let store = place.open();
            assert_eq!(store.abandoned().unwrap(), std::slice::from_ref(&run));
            store.close(&run, ERROR).unwrap();
            let mut stored: Vec<String> =
                (0..events).map(|event: usize| event.to_string()).collect();
            stored.push(ERROR.to_owned());
            assert_eq!(store.page(&run, 0, 1_000).unwrap().unwrap().events, stored);
            assert_eq!(store.abandoned().unwrap(), []);
        }
    }
);
