//! Rule "remembered approvals": bounds. Approvals with limited uses, lifetime and amounts permit no
//! more than that, in any number of tabs.

use assistant_core::{
    action::{ActionSpec, GrantBounds, Remember, RememberScope, RememberedApproval},
    conversation::Phase,
    session::{Input, QuestionLimits, SessionOptions, Swap, Verdict},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    session_remembered::{call, settle},
    support::*,
};

const ALL: [RememberScope; 3] = [
    RememberScope::Session,
    RememberScope::Conversation,
    RememberScope::Always,
];

fn bounded(bounds: GrantBounds) -> ActionSpec {
    asking("f").with_grant_bounds(bounds)
}

fn remember(scope: RememberScope, bounds: GrantBounds) -> Verdict {
    let what = Remember::new(scope, true).bounded(bounds);
    Verdict::Remember { args: None, what }
}

/// An action `f` with bounds, whose first call was approved for later ones within narrower bounds.
fn granted(spec: ActionSpec, scope: RememberScope, bounds: GrantBounds) -> Driver {
    let mut driver = Driver::new();
    driver.register(spec);
    call(&mut driver, "first", r#"{"euros":1}"#);
    assert_eq!(driver.decide("first", remember(scope, bounds)), None);
    settle(&mut driver, "first");
    driver
}

/// The approvals that several tabs share.
#[derive(Default)]
struct Store(Vec<Value>);

impl Store {
    fn of(driver: &Driver) -> Self {
        let kept = driver.kept.iter().map(RememberedApproval::to_value);
        Self(kept.collect())
    }

    fn approvals(&self) -> Vec<RememberedApproval> {
        let read = self.0.iter().filter_map(RememberedApproval::from_value);
        read.collect()
    }

    fn swap(&mut self, before: &Value, after: Value) -> Swap<RememberedApproval> {
        let mut all = self.0.iter_mut();
        match all.find(|one| one["id"] == before["id"]) {
            Some(kept) if kept == before => {
                *kept = after;
                Swap::Done
            }
            Some(kept) => Swap::Found(RememberedApproval::from_value(kept)),
            None => Swap::Found(None),
        }
    }

    /// Executes the oldest swap that a tab requested.
    fn serve(&mut self, driver: &mut Driver) -> bool {
        if driver.swaps.is_empty() {
            return false;
        }
        let (ticket, before, after) = driver.swaps.remove(0);
        let outcome = self.swap(&before.to_value(), after.to_value());
        driver.input(Input::ApprovalSwapped { ticket, outcome });
        true
    }

    fn serve_all(&mut self, driver: &mut Driver) {
        while self.serve(driver) {}
    }
}

/// Calls `f`; returns true if it ran without asking the user.
fn runs(driver: &mut Driver, store: &mut Store, id: &str, args: &str) -> bool {
    call(driver, id, args);
    store.serve_all(driver);
    let started = driver.starts(id) == 1;
    assert!(started != (driver.phase(id) == Phase::ApprovalRequested));
    settle(driver, id);
    started
}

#[test]
fn the_call_after_the_last_use_is_asked_about() {
    for scope in ALL {
        let bounds = GrantBounds::default().uses(2);
        let mut driver = granted(asking("f"), scope, bounds);
        let mut store = Store::of(&driver);
        assert!(runs(&mut driver, &mut store, "a", "{}"), "{scope:?}");
        let left = |driver: &Driver| driver.session.remembered_approvals()[0].uses_left();
        assert_eq!(left(&driver), Some(1));
        assert!(runs(&mut driver, &mut store, "b", "{}"));
        assert_eq!(left(&driver), Some(0));
        assert!(!runs(&mut driver, &mut store, "c", "{}"), "{scope:?}");
    }
}

#[test]
fn only_one_of_two_calls_in_a_response_takes_the_last_use() {
    for scope in ALL {
        let mut driver = granted(asking("f"), scope, GrantBounds::default().uses(1));
        let mut store = Store::of(&driver);
        driver.send("go on");
        driver.plays([calls("a", "f", "{}"), calls("b", "f", "{}")].concat());
        store.serve_all(&mut driver);
        assert_eq!(
            (driver.starts("a"), driver.starts("b")),
            (1, 0),
            "{scope:?}"
        );
        assert_eq!(driver.phase("b"), Phase::ApprovalRequested);
    }
}

#[test]
fn the_user_can_narrow_but_not_widen_the_bounds_of_an_action() {
    let widest = GrantBounds::default()
        .uses(3)
        .lasts_ms(1_000)
        .up_to("/euros", 50);
    let wider = GrantBounds::default()
        .uses(9)
        .lasts_ms(9_000)
        .up_to("/euros", 900);
    let driver = granted(bounded(widest.clone()), RememberScope::Session, wider);
    let kept = &driver.session.remembered_approvals()[0];
    assert_eq!((kept.uses(), kept.expires_at()), (Some(3), Some(1_000)));
    assert_eq!(*kept.maxima()[0].max(), 50.into());
    let narrower = GrantBounds::default()
        .uses(1)
        .lasts_ms(10)
        .up_to("/euros", 5);
    let driver = granted(bounded(widest), RememberScope::Session, narrower);
    let kept = &driver.session.remembered_approvals()[0];
    assert_eq!((kept.uses(), kept.expires_at()), (Some(1), Some(10)));
    assert_eq!(*kept.maxima()[0].max(), 5.into());
}

#[test]
fn expiry_is_checked_again_at_the_start_of_a_call() {
    let bounds = || GrantBounds::default().lasts_ms(1_000);
    let mut driver = granted(bounded(bounds()), RememberScope::Session, bounds());
    let mut store = Store::default();
    driver.host.clock = 999;
    assert!(runs(&mut driver, &mut store, "a", "{}"));
    // The check passes in time, but the run ends after the expiry.
    driver.send("go on");
    driver.event(started());
    driver.events(calls("b", "f", "{}"));
    driver.host.clock = 1_000;
    finish_run(&mut driver);
    assert_eq!(
        (driver.starts("b"), driver.phase("b")),
        (0, Phase::ApprovalRequested)
    );
    assert_eq!(driver.deny("b", None), None);
    driver.says("ok");
    // The same while its start is being written.
    driver.host.clock = 500;
    driver.manual_commits = true;
    call(&mut driver, "c", "{}");
    let commit = driver.commits.last().unwrap().0;
    driver.host.clock = 1_000;
    let outcome = Ok(());
    driver.input(Input::Committed { commit, outcome });
    assert_eq!(
        (driver.starts("c"), driver.phase("c")),
        (0, Phase::ApprovalRequested)
    );
    // A clock that is set back does not prolong it.
    driver.manual_commits = false;
    assert_eq!(driver.deny("c", None), None);
    driver.says("ok");
    driver.host.clock = -1;
    assert!(!runs(&mut driver, &mut store, "d", "{}"));
}

#[test]
fn an_argument_above_the_bound_is_asked_about() {
    let bounds = GrantBounds::default().up_to("/euros", 50);
    let mut driver = granted(
        bounded(bounds),
        RememberScope::Session,
        GrantBounds::default(),
    );
    for (id, args, passes) in [
        ("a", r#"{"euros":50}"#, true),
        ("b", r#"{"euros":50.0}"#, true),
        ("c", r#"{"euros":50.01}"#, false),
        ("d", r#"{"euros":"5"}"#, false),
        ("e", r#"{"dollars":5}"#, false),
        ("g", r#"{"euros":[5]}"#, false),
        ("h", r#"{"euros":18446744073709551615}"#, false),
    ] {
        call(&mut driver, id, args);
        assert_eq!(driver.starts(id) == 1, passes, "{args}");
        settle(&mut driver, id);
    }
}

#[test]
fn changed_bounds_void_a_remembered_approval() {
    let mut driver = granted(asking("f"), RememberScope::Session, GrantBounds::default());
    let mut store = Store::default();
    assert!(runs(&mut driver, &mut store, "a", "{}"));
    driver.register(bounded(GrantBounds::default().uses(1)));
    assert!(!runs(&mut driver, &mut store, "b", "{}"));
}

#[test]
fn a_use_that_the_store_cannot_count_is_asked_about() {
    for outcome in [
        Swap::Failed("the store is full".to_owned()),
        Swap::Found(None),
    ] {
        let bounds = GrantBounds::default().uses(5);
        let mut driver = granted(asking("f"), RememberScope::Always, bounds);
        call(&mut driver, "a", "{}");
        assert_eq!(driver.starts("a"), 0, "not before it is counted");
        let ticket = driver.swaps.remove(0).0;
        driver.input(Input::ApprovalSwapped { ticket, outcome });
        assert_eq!(
            (driver.starts("a"), driver.phase("a")),
            (0, Phase::ApprovalRequested)
        );
    }
    // A store that reports no change is not asked forever.
    let bounds = GrantBounds::default().uses(5);
    let mut driver = granted(asking("f"), RememberScope::Always, bounds);
    call(&mut driver, "a", "{}");
    let (ticket, before, _) = driver.swaps.remove(0);
    let outcome = Swap::Found(Some(before));
    driver.input(Input::ApprovalSwapped { ticket, outcome });
    assert!(driver.swaps.is_empty());
    assert_eq!(driver.phase("a"), Phase::ApprovalRequested);
}

#[test]
fn calls_of_one_answer_do_not_share_a_use_without_storage() {
    for scope in ALL {
        let mut driver = granted(asking("f"), scope, GrantBounds::default().uses(1));
        driver.send("both");
        driver.plays([calls("a", "f", "{}"), calls("b", "f", "{}")].concat());
        // A host without storage cannot compare.
        while !driver.swaps.is_empty() {
            let (ticket, outcome) = (driver.swaps.remove(0).0, Swap::Done);
            driver.input(Input::ApprovalSwapped { ticket, outcome });
        }
        assert_eq!(
            (driver.starts("a"), driver.starts("b")),
            (1, 0),
            "{scope:?}"
        );
        assert_eq!(driver.phase("b"), Phase::ApprovalRequested, "{scope:?}");
    }
}

#[test]
fn a_call_without_a_use_left_fails_at_the_question_limit() {
    let one = QuestionLimits::default().per_run(1);
    let options = SessionOptions::default().questions(one).sequential(true);
    let mut driver = Driver::with(options);
    driver.register(asking("f"));
    driver.register(asking("g"));
    call(&mut driver, "first", "{}");
    let one_use = remember(RememberScope::Session, GrantBounds::default().uses(1));
    assert_eq!(driver.decide("first", one_use), None);
    settle(&mut driver, "first");
    driver.send("all");
    let all = [("a", "f"), ("b", "f"), ("q", "g")];
    driver.plays(all.iter().flat_map(|(id, name)| calls(id, name, "{}")));
    // The only question of this answer is about another call.
    driver.returns("a", json!(1));
    assert_eq!(driver.phase("q"), Phase::ApprovalRequested);
    assert_eq!(driver.phase("b"), Phase::OutputError);
}

#[test]
fn a_use_counted_for_a_stopped_call_starts_nothing() {
    let bounds = GrantBounds::default().uses(5);
    let mut driver = granted(asking("f"), RememberScope::Always, bounds);
    let mut store = Store::of(&driver);
    call(&mut driver, "a", "{}");
    // The user stops everything before the host has counted.
    driver.input(Input::Stop);
    store.serve_all(&mut driver);
    assert_eq!(driver.starts("a"), 0);
    assert_eq!(store.approvals()[0].used(), 1, "it counts all the same");
    assert_eq!(driver.session.remembered_approvals()[0].used(), 1);
}

#[test]
fn a_stored_approval_keeps_its_bounds_and_rejects_invalid_ones() {
    let bounds = GrantBounds::default()
        .uses(5)
        .lasts_ms(9_000)
        .up_to("/euros", 50);
    let driver = granted(
        bounded(bounds),
        RememberScope::Always,
        GrantBounds::default(),
    );
    let kept = driver.kept[0].to_value();
    assert_eq!(
        RememberedApproval::from_value(&kept).as_ref(),
        Some(&driver.kept[0])
    );
    assert_eq!(kept["uses"], 5);
    for (key, value) in [
        ("uses", json!("many")),
        ("uses", json!(-1)),
        ("uses", Value::Null),
        ("used", json!(-1)),
        ("used", Value::Null),
        ("expiresAt", json!("later")),
        ("expiresAt", Value::Null),
        ("maxima", json!({})),
        ("maxima", json!([{"pointer": "/euros"}])),
        ("maxima", Value::Null),
    ] {
        let mut forged = kept.clone();
        forged[key] = value.clone();
        assert_eq!(
            RememberedApproval::from_value(&forged),
            None,
            "{key}: {value}"
        );
    }
    // Without bounds the format is unchanged.
    let driver = granted(asking("f"), RememberScope::Always, GrantBounds::default());
    let kept = driver.kept[0].to_value();
    assert!(kept.get("uses").is_none() && kept.get("maxima").is_none());
}

#[test]
fn one_remaining_use_starts_a_call_in_only_one_of_two_tabs() {
    for order in [[0, 1], [1, 0]] {
        let bounds = GrantBounds::default().uses(1);
        let one = granted(asking("f"), RememberScope::Always, bounds);
        let mut store = Store::of(&one);
        let mut tabs = [one, tab(&store)];
        for (number, tab) in tabs.iter_mut().enumerate() {
            call(tab, &format!("c{number}"), "{}");
        }
        for number in order {
            store.serve_all(&mut tabs[number]);
        }
        let [first, second] = order;
        let at = |number: usize| tabs[number].starts(&format!("c{number}"));
        assert_eq!((at(first), at(second)), (1, 0));
        let waits = tabs[second].phase(&format!("c{second}"));
        assert_eq!(waits, Phase::ApprovalRequested, "the second one asks");
    }
}

/// A tab that has read the stored approvals.
fn tab(store: &Store) -> Driver {
    let mut tab = Driver::with(SessionOptions::default());
    tab.register(asking("f"));
    let approvals = store.approvals();
    tab.input(Input::RestoreApprovals { approvals });
    tab
}

proptest! {
    /// For any steps of the tabs, an approval permits at most its uses, and all of them can be
    /// used.
    #[test]
    fn started_calls_never_exceed_the_permitted_uses(uses in 1_u32..5, steps in proptest::collection::vec((0_usize..3, 0_u8..4), 1..40)) {
        let one = granted(asking("f"), RememberScope::Always, GrantBounds::default().uses(uses));
        let mut store = Store::of(&one);
        let mut tabs = [one, tab(&store), tab(&store)];
        let mut number = 0;
        let mut open: [Option<String>; 3] = [None, None, None];
        let end = |tab: &mut Driver, open: &mut Option<String>| {
            if let Some(id) = open.take() {
                if tab.phase(&id) == Phase::InputAvailable {
                    *open = Some(id);
                } else {
                    settle(tab, &id);
                }
            }
        };
        for (at, step) in steps {
            let (tab, open) = (&mut tabs[at], &mut open[at]);
            match step {
                0 => { store.serve(tab); }
                1 => {
                    let approvals = store.approvals();
                    tab.input(Input::SyncApprovals { approvals });
                }
                _ => {
                    end(tab, open);
                    if open.is_none() {
                        number += 1;
                        let id = format!("c{number}");
                        tab.host.clock += 10_000;
                        call(tab, &id, "{}");
                        *open = Some(id);
                    }
                }
            }
        }
        for tab in &mut tabs {
            store.serve_all(tab);
        }
        let started: usize = tabs.iter().map(|tab| tab.invocations.len()).sum();
        // The first call was approved individually.
        prop_assert!(started - 1 <= uses as usize, "{started} of {uses}");
        prop_assert!(store.approvals()[0].used() <= uses);
        prop_assert_eq!(store.approvals()[0].used() as usize, started - 1);
    }
}
