//! Counts the passed and failed tests of programs with different output formats.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::project::{Outcome, command_line, start_error};

/// The format of a program's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// The exit code, which counts as one check.
    ExitCode,
    /// Lines `test result: ok. 3 passed; 0 failed; …`, as printed by cargo and wasm-bindgen's
    /// runner.
    Cargo,
    /// Lines `ℹ pass 3` and `ℹ fail 0`, as printed by Node's runner.
    Node,
}

/// The results of all steps.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    rows: Vec<StepResult>,
    names: TestNames,
}

/// The names of the retried and failed tests, for the summary.
#[derive(Debug, Default)]
struct TestNames {
    /// The tests with fixed times that passed only on a retry.
    retried: Vec<String>,
    /// The tests that failed while other work ran beside them, and then ran again.
    disturbed: Vec<String>,
    failed: Vec<String>,
}

/// A task that may run in another thread.
type Task<'a> = dyn Fn() -> Outcome<()> + Sync + 'a;

/// The maximum number of tests with fixed times that may pass only on a retry without counting as
/// failed, because a busy machine occasionally exceeds these times.
const RETRIES: usize = 5;

#[derive(Debug)]
struct StepResult {
    name: &'static str,
    counts: Counts,
    time: Duration,
}

impl StepResult {
    /// Runs a command to its end, prints its output, and counts its tests. A command that cannot be
    /// started counts as one failure.
    fn run_command(
        name: &'static str,
        report: OutputFormat,
        command: &mut Command,
        names: &mut TestNames,
    ) -> Self {
        println!("\n== {name}: {}", command_line(command));
        let start = Instant::now();
        let counts = run_and_count(report, command, names).unwrap_or_else(|message| {
            println!("{message}");
            Counts {
                passed: 0,
                failed: 1,
            }
        });
        Self {
            name,
            counts,
            time: start.elapsed(),
        }
    }

    /// Runs a task, prints its error, and returns its result as one check.
    fn run_task(name: &'static str, task: impl FnOnce() -> Outcome<()>) -> Self {
        println!("\n== {name}");
        let start = Instant::now();
        let result = task();
        if let Err(message) = &result {
            println!("{name}: {message}");
        }
        let failed = u32::from(result.is_err());
        Self {
            name,
            counts: Counts {
                passed: 1 - failed,
                failed,
            },
            time: start.elapsed(),
        }
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u32,
    failed: u32,
}

impl Tally {
    /// Runs a command to its end, prints its output, and counts its tests.
    pub(crate) fn run_step(
        &mut self,
        name: &'static str,
        report: OutputFormat,
        command: &mut Command,
    ) {
        let row = StepResult::run_command(name, report, command, &mut self.names);
        self.rows.push(row);
    }

    /// Runs an internal task, which counts as one check. Returns true if the task succeeded.
    pub(crate) fn run_task(
        &mut self,
        name: &'static str,
        task: impl FnOnce() -> Outcome<()>,
    ) -> bool {
        let row = StepResult::run_task(name, task);
        let passed = row.counts.failed == 0;
        self.rows.push(row);
        passed
    }

    /// Runs tasks in parallel, because linking a module for the browser occupies one core for
    /// minutes. Each task counts as one check; returns true if no task failed. Then runs `steps`,
    /// tests of cargo, one after the other; they do not affect the returned value. If `meanwhile` is
    /// given, it runs at the same time with a higher priority, so that its timers are punctual. If
    /// it fails, it runs again without other work, and only the second outcome counts.
    pub(crate) fn run_tasks(
        &mut self,
        tasks: [(&'static str, &Task<'_>); 3],
        steps: Vec<(&'static str, Command)>,
        meanwhile: Option<(&'static str, OutputFormat, &mut Command)>,
    ) -> bool {
        let is_background = meanwhile.is_some();
        let background = move || {
            if is_background {
                lower_priority();
            }
            let built = run_in_parallel(tasks);
            let mut names = TestNames::default();
            let run = |(name, mut command): (_, Command)| {
                StepResult::run_command(name, OutputFormat::Cargo, &mut command, &mut names)
            };
            let tested: Vec<_> = steps.into_iter().map(run).collect();
            (built, tested, names)
        };
        let (built, tested, names) = thread::scope(|scope| {
            let running = scope.spawn(background);
            let mut disturbed = TestNames::default();
            let meanwhile = meanwhile.map(|(name, report, command)| {
                let row = StepResult::run_command(name, report, command, &mut disturbed);
                (row, report, command)
            });
            let finished = running.join().unwrap_or_else(|_| {
                let panicked = StepResult::run_task("builds", || Err("panicked".to_owned()));
                (vec![panicked], Vec::new(), TestNames::default())
            });
            match meanwhile {
                Some((StepResult { name, counts, .. }, report, command)) if counts.failed > 0 => {
                    self.run_step(name, report, command);
                    self.names.disturbed = disturbed.failed;
                }
                Some((row, ..)) => self.rows.push(row),
                None => {}
            }
            finished
        });
        let passed = built.iter().all(|row| row.counts.failed == 0);
        self.rows.extend(built);
        self.rows.extend(tested);
        self.names.failed.extend(names.failed);
        passed
    }

    /// Prints a row for each step, and a summary. Returns true if nothing failed. Retries beyond
    /// the maximum count as failures.
    pub(crate) fn print_summary(&self) -> bool {
        println!();
        let mut sum = Counts::default();
        for test in &self.names.retried {
            println!("retried, with fixed times: {test}");
        }
        for test in &self.names.disturbed {
            println!("failed beside other work: {test}");
        }
        for test in &self.names.failed {
            println!("failed: {test}");
        }
        let excess = self.names.retried.len().saturating_sub(RETRIES);
        sum.failed += u32::try_from(excess).unwrap_or(u32::MAX);
        for StepResult { name, counts, time } in &self.rows {
            let Counts { passed, failed } = counts;
            println!(
                "{name:<28} {passed:>5} passed {failed:>3} failed {:>5} s",
                time.as_secs()
            );
            sum.passed += passed;
            sum.failed += failed;
        }
        println!("{} passed, {} failed", sum.passed, sum.failed);
        sum.failed == 0
    }
}

/// Runs tasks in parallel, with the priority of the current thread.
fn run_in_parallel(tasks: [(&'static str, &Task<'_>); 3]) -> Vec<StepResult> {
    thread::scope(|scope| {
        let running = tasks.map(|(name, task)| {
            let run = move || StepResult::run_task(name, task);
            (name, scope.spawn(run))
        });
        let finish = |(name, row): (_, thread::ScopedJoinHandle<'_, StepResult>)| {
            let panicked = |_| StepResult::run_task(name, || Err("panicked".to_owned()));
            row.join().unwrap_or_else(panicked)
        };
        running.into_iter().map(finish).collect()
    })
}

/// Gives the current thread, and the programs that it starts, the lowest priority. Does nothing on
/// systems without `/proc/thread-self` or `renice`.
fn lower_priority() {
    let thread = fs::read_link("/proc/thread-self").ok();
    let id = thread.as_deref().and_then(Path::file_name);
    if let Some(id) = id {
        let mut renice = Command::new("renice");
        renice.args(["-n", "19", "-p"]).arg(id);
        let _ = renice.stdout(Stdio::null()).status();
    }
}

/// Runs a command, prints its output, and returns the counts in the output. A command that fails
/// without counting a failure, or that runs no test, counts as one failure.
fn run_and_count(
    report: OutputFormat,
    command: &mut Command,
    names: &mut TestNames,
) -> Outcome<Counts> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| start_error(command, &error))?;
    let mut counts = Counts::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            counts.add_line(report, &line);
            names.record_line(report, &line);
        }
    }
    let status = child
        .wait()
        .map_err(|error| format!("{}: {error}", command_line(command)))?;
    if report == OutputFormat::ExitCode {
        counts.passed = u32::from(status.success());
    }
    // A program that fails without naming a test did not reach its tests.
    if !status.success() && counts.failed == 0 {
        counts.failed = 1;
        println!("{} failed: {status}", command_line(command));
    }
    if counts == Counts::default() {
        counts.failed = 1;
        println!("{} ran no test", command_line(command));
    }
    Ok(counts)
}

impl TestNames {
    /// Records the test that a line of output reports as failed or retried, if any.
    fn record_line(&mut self, report: OutputFormat, line: &str) {
        let line = line.trim();
        if let Some(test) = line.strip_prefix("ℹ retried: ") {
            self.retried.push(test.to_owned());
        }
        let failed = match report {
            OutputFormat::ExitCode => None,
            OutputFormat::Cargo => line.strip_prefix("test ").and_then(|test| {
                ["... FAILED", "... FAIL"]
                    .iter()
                    .find_map(|end| test.strip_suffix(end))
            }),
            OutputFormat::Node => line
                .strip_prefix("✖ ")
                .and_then(|test| test.rsplit_once(" ("))
                .map(|(test, _)| test),
        };
        if let Some(test) = failed.map(str::trim)
            && !self.failed.iter().any(|named| named == test)
        {
            self.failed.push(test.to_owned());
        }
    }
}

impl Counts {
    /// Adds the counts in a line of output, if any.
    fn add_line(&mut self, report: OutputFormat, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (report, words.as_slice()) {
            (
                OutputFormat::Cargo,
                [
                    "test",
                    "result:",
                    _,
                    passed,
                    "passed;",
                    failed,
                    "failed;",
                    ..,
                ],
            ) => {
                self.passed += passed.parse().unwrap_or(0);
                self.failed += failed.parse().unwrap_or(0);
            }
            (OutputFormat::Node, ["ℹ", "pass", count]) => {
                self.passed += count.parse().unwrap_or(0);
            }
            (OutputFormat::Node, ["ℹ", "fail" | "cancelled", count]) => {
                self.failed += count.parse().unwrap_or(0);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::unnecessary_wraps, reason = "a task returns an outcome")]
    const fn succeed() -> Outcome<()> {
        Ok(())
    }

    fn read(report: OutputFormat, text: &str) -> (u32, u32) {
        let mut counts = Counts::default();
        text.lines().for_each(|line| counts.add_line(report, line));
        (counts.passed, counts.failed)
    }

    #[test]
    fn result_lines_of_cargo_are_summed() {
        let text = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\
                    test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured\n";
        assert_eq!(read(OutputFormat::Cargo, text), (4, 2));
    }

    #[test]
    fn result_lines_of_node_are_summed_with_cancelled_as_failed() {
        let text = "✔ one\nℹ tests 5\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 0\n";
        assert_eq!(read(OutputFormat::Node, text), (3, 2));
    }

    #[test]
    fn failed_tests_are_listed_once() {
        let mut names = TestNames::default();
        names.record_line(OutputFormat::Cargo, "test a::b ... FAILED");
        names.record_line(OutputFormat::Cargo, "test web::c ... FAIL");
        names.record_line(OutputFormat::Cargo, "test d ... ok");
        names.record_line(OutputFormat::Node, "  ✖ a page (light) (12.5ms)");
        names.record_line(OutputFormat::Node, "✖ failing tests:");
        names.record_line(OutputFormat::Node, "✖ a page (light) (12.5ms)");
        assert_eq!(names.failed, ["a::b", "web::c", "a page (light)"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_few_retries_pass_and_many_fail() {
        let run = |count: usize| {
            let mut tally = Tally::default();
            let lines = "echo 'ℹ retried: a test: timeout';".repeat(count);
            let script = format!("{lines} echo 'ℹ pass 9'");
            tally.run_step(
                "pages",
                OutputFormat::Node,
                Command::new("sh").args(["-c", &script]),
            );
            tally.print_summary()
        };
        assert!(run(RETRIES));
        assert!(!run(RETRIES + 1));
    }

    #[cfg(unix)]
    #[test]
    fn tests_that_fail_beside_builds_run_again_alone() {
        let run = |name: &str, outcomes: &str| {
            let file = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            fs::write(&file, outcomes).unwrap();
            // Prints the first line of the file and removes it.
            let script = r#"head -n 1 "$0"; sed -i 1d "$0""#;
            let mut tests = Command::new("sh");
            tests.args(["-c", script]).arg(&file);
            let mut tally = Tally::default();
            let builds = ["one", "two", "three"].map(|name| (name, &succeed as &Task<'_>));
            let meanwhile = Some(("tests", OutputFormat::Cargo, &mut tests));
            assert!(tally.run_tasks(builds, Vec::new(), meanwhile));
            fs::remove_file(file).unwrap();
            tally.print_summary()
        };
        let (pass, fail) = (
            "test result: ok. 2 passed; 0 failed;\n",
            "test result: FAILED. 1 passed; 1 failed;\n",
        );
        assert!(run("passes", &format!("{pass}{fail}")));
        assert!(run("passes-alone", &format!("{fail}{pass}")));
        assert!(!run("fails", &format!("{fail}{fail}{pass}")));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_without_test_results_has_failed() {
        let mut tally = Tally::default();
        tally.run_step(
            "dies",
            OutputFormat::Cargo,
            Command::new("sh").args(["-c", "exit 3"]),
        );
        tally.run_step(
            "says nothing",
            OutputFormat::Cargo,
            Command::new("sh").args(["-c", "exit 0"]),
        );
        tally.run_step(
            "is not there",
            OutputFormat::ExitCode,
            &mut Command::new("no-such-program-here"),
        );
        tally.run_step(
            "is well",
            OutputFormat::ExitCode,
            Command::new("sh").args(["-c", "exit 0"]),
        );
        let failed: Vec<u32> = tally.rows.iter().map(|row| row.counts.failed).collect();
        assert_eq!(failed, [1, 1, 1, 0]);
        assert!(!tally.print_summary());
    }
}
