//! Plays histories in which tabs are killed at any point. A failing seed is printed with the
//! command that repeats it.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use conformance::histories::{Tally, play_history};

/// The number of histories in a test run.
const HISTORIES: u64 = 4_000;

#[test]
fn killed_tabs_run_nothing_twice_and_lose_nothing() {
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let play_some = |first: u64| {
        let mut all = Tally::default();
        for seed in (first..HISTORIES).step_by(workers as usize) {
            let one = play_history(seed);
            assert!(
                one.is_clean(),
                "{}\nagain: cargo run --release -p conformance --example histories -- --seed {seed} --count 1",
                one.to_value()
            );
            all += one;
        }
        all
    };
    let mut all = Tally::default();
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..workers)
            .map(|first| scope.spawn(move || play_some(first)))
            .collect();
        for player in players {
            all += player.join().unwrap();
        }
    });
    assert_eq!(all.histories, HISTORIES);
    assert!(all.crashes > HISTORIES, "{}", all.to_value());
    assert!(all.page_starts > 40, "{}", all.to_value());
}
