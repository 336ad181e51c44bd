//! Plays histories from seeds and prints the counts as one line of JSON.
//!
//! `cargo run --release -p conformance --example histories -- --seed 1 --count 10000`

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a program talks to its terminal"
)]

use std::process::ExitCode;

use conformance::histories::{Tally, play_history};

fn main() -> ExitCode {
    let (mut seed, mut count) = (1_u64, 10_000_u64);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let number = args.next().and_then(|value| value.parse().ok());
        match (arg.as_str(), number) {
            ("--seed", Some(value)) => seed = value,
            ("--count", Some(value)) => count = value,
            _ => {
                eprintln!("usage: histories [--seed N] [--count M]");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut all = Tally::default();
    for seed in (0..count).map(|place| seed.wrapping_add(place)) {
        let one = play_history(seed);
        if !one.is_clean() {
            eprintln!(
                "{}\n  again: cargo run --release -p conformance --example histories -- --seed {seed} --count 1",
                one.to_value()
            );
        }
        all += one;
    }
    println!("{}", all.to_value());
    match all.is_clean() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
