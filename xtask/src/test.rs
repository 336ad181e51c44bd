//! `cargo xtask test`: runs all checks. A failing step does not stop the others. The last line of
//! the output is the summary.

use std::env;
use std::mem;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use crate::browsers;
use crate::dist::Effort;
use crate::options::{Browser, TestPart};
use crate::project::{Outcome, Project, files_with_extension};
use crate::tally::{OutputFormat, Tally};
use crate::{
    budget, claims, codes, demo, dist, examples, file_sizes, identifiers, languages, next_leptos,
    oldest, on_request, packed, parity, prose, rooms, rules, style, surface, test_names,
};

/// The minimum version of Node.js for the reference client and the end-to-end tests.
pub(crate) const NODE: (u32, u32) = (20, 19);
/// The cargo arguments that select the packages that are built for the browser.
const BROWSER: [&str; 14] = [
    "-p",
    "leptos-assistant",
    "-p",
    "assistant-embed",
    "-p",
    "demo",
    "-p",
    "board",
    "-p",
    "headless",
    "-p",
    "orders",
    "-p",
    "routes",
];
/// The features of the engine that are each checked alone.
const ENGINE_FEATURES: [&str; 5] = ["markdown", "math", "callouts", "ui-stream", "records"];
/// The features for protocols that are each checked alone.
const PROTOCOLS: [&str; 2] = ["ui-stream", "completions"];
/// The features of the library that are each checked alone.
const FEATURES: [&str; 12] = [
    "csr",
    "hydrate",
    "markdown",
    "math",
    "callouts",
    "ui-stream",
    "completions",
    "records",
    "schemars",
    "testing",
    "split",
    "german",
];
/// The features with which the documentation is built: those of `package.metadata.docs.rs`, which a
/// test compares.
const DOCUMENTED: &str = "leptos-assistant/math,leptos-assistant/callouts,\
    leptos-assistant/ui-stream,leptos-assistant/completions,leptos-assistant/records,\
    leptos-assistant/schemars,leptos-assistant/testing,leptos-assistant/arabic,\
    leptos-assistant/chinese,leptos-assistant/french,leptos-assistant/german,\
    leptos-assistant/japanese,leptos-assistant/portuguese,leptos-assistant/spanish";
/// The spec that measures frames by the wall clock, and so runs after the others.
const TIMED_SPEC: &str = "floods.spec.mjs";
const WASM: [&str; 2] = ["--target", "wasm32-unknown-unknown"];

/// Runs the parts in order, and returns true if nothing failed. If both the browser tests and the
/// end-to-end tests are selected, the pages are built and the native tests run during the browser
/// tests, which mostly wait.
pub(crate) fn run(project: &Project, parts: &[TestPart], in_which: Browser) -> Outcome<bool> {
    let mut tally = Tally::default();
    let mut built = None;
    let mut native = Vec::new();
    for part in parts {
        match part {
            TestPart::Lint => {
                run_lints(project, &mut tally);
                file_sizes::print(project);
            }
            TestPart::Features => check_features(project, &mut tally),
            TestPart::Native => {
                native = prepare_native_tests(project, &mut tally);
                let runs_beside = [TestPart::Browser, TestPart::EndToEnd];
                if !runs_beside.iter().all(|part| parts.contains(part)) {
                    run_tests(&mut native, &mut tally);
                }
            }
            TestPart::Browser => {
                let with_pages = parts.contains(&TestPart::EndToEnd);
                built = run_browser_tests(project, in_which, with_pages, &mut native, &mut tally);
                run_tests(&mut native, &mut tally);
            }
            TestPart::EndToEnd | TestPart::Long => {
                let is_built = built
                    .unwrap_or_else(|| build_pages(project, None, &mut Vec::new(), &mut tally));
                built = Some(is_built);
                match part {
                    _ if !is_built => {}
                    TestPart::Long => on_request::run_long_tests(project, &mut tally),
                    _ => run_end_to_end_tests(project, in_which, &mut tally),
                }
            }
            TestPart::Speech => on_request::run_speech_tests(project, &mut tally),
            TestPart::Agents => on_request::run_agent_tests(project, &mut tally),
        }
    }
    Ok(tally.print_summary())
}

fn run_lints(project: &Project, tally: &mut Tally) {
    tally.run_task("rooms, and cycles of imports", || rooms::check(project));
    tally.run_task("style sheets", || style::check(project));
    tally.run_task("labels in other languages", || languages::check(project));
    tally.run_task("claims of docs", || claims::check(project));
    tally.run_task("rules and their citations", || rules::check(project));
    tally.run_task("table of diagnostics", || codes::check(project));
    tally.run_task("parity of Rust and JavaScript", || parity::check(project));
    tally.run_task("prose of comments", || prose::check(project));
    tally.run_task("names of tests", || test_names::check(project));
    tally.run_task("coined words in names", || identifiers::check(project));
    tally.run_task("the oldest Rust", || oldest::check(project));
    let ready = tally.run_task("set-up for lints", || {
        project.need_lint_tools()?;
        project.need_wasm_target()
    });
    if !ready {
        return;
    }
    let deny = ["--", "-D", "warnings"];
    tally.run_step(
        "format",
        OutputFormat::ExitCode,
        project.cargo().args(["fmt", "--all", "--check"]),
    );
    let mut clippy = project.cargo();
    clippy
        .args(["clippy", "--workspace", "--all-targets"])
        .args(deny);
    tally.run_step("clippy", OutputFormat::ExitCode, &mut clippy);
    tally.run_step(
        "clippy without features",
        OutputFormat::ExitCode,
        &mut clippy_command(project, "assistant-core", ""),
    );
    tally.run_step(
        "clippy of the protocols without features",
        OutputFormat::ExitCode,
        &mut clippy_command(project, "assistant-protocols", ""),
    );
    let mut clippy = project.cargo();
    clippy
        .args(["clippy", "--all-targets"])
        .args(BROWSER)
        .args([
            "--features",
            // All features that a page can have at once, without those of tests.
            &DOCUMENTED.replace("leptos-assistant/testing,", ""),
        ])
        .args(WASM)
        .args(deny)
        // As built by applications without type erasure of views; the tests build the other way.
        .env("RUSTFLAGS", "");
    tally.run_step(
        "clippy for the browser",
        OutputFormat::ExitCode,
        &mut clippy,
    );
    tally.run_step(
        "check without features",
        OutputFormat::ExitCode,
        &mut library_check_command(project, ""),
    );
    tally.run_task("check with the next Leptos", || next_leptos::check(project));
    let mut clippy = project.cargo();
    clippy
        .args(["clippy", "-p", "leptos-ssr", "--lib"])
        .args(["--no-default-features", "--features", "hydrate"])
        .args(WASM)
        .args(deny)
        .env("RUSTFLAGS", "");
    tally.run_step(
        "clippy of what hydrates",
        OutputFormat::ExitCode,
        &mut clippy,
    );
    let mut doc = project.cargo();
    doc.args(["doc", "--workspace", "--no-deps"])
        .args(["--features", DOCUMENTED])
        .env("RUSTDOCFLAGS", "-D warnings");
    tally.run_step("documentation", OutputFormat::ExitCode, &mut doc);
    // After the documentation, which has compiled the same dependencies.
    tally.run_task("public surface", || surface::check(project, DOCUMENTED));
    // As docs.rs builds it. The previous two steps document native packages, too, so they cannot
    // build for this target.
    let mut doc = project.cargo();
    doc.args(["doc", "-p", "leptos-assistant", "--no-deps"])
        .args(["--features", DOCUMENTED])
        .args(WASM)
        .env("RUSTDOCFLAGS", "-D warnings");
    tally.run_step(
        "documentation for the browser",
        OutputFormat::ExitCode,
        &mut doc,
    );
}

/// Returns a command that runs clippy on a crate with only these features.
fn clippy_command(project: &Project, package: &str, features: &str) -> Command {
    let mut clippy = project.cargo();
    clippy
        .args(["clippy", "-p", package])
        .args(["--no-default-features", "--features", features])
        .args(["--", "-D", "warnings"]);
    clippy
}

/// Returns the command that checks the library for browsers with only the given features.
pub(crate) fn library_check_command(project: &Project, features: &str) -> Command {
    let mut check = project.cargo();
    check
        .args(["check", "-p", "leptos-assistant", "--lib"])
        .args(["--no-default-features", "--features", features])
        .args(WASM);
    check
}

/// Compiles the engine, the protocols and the library with each feature alone. This is not part of
/// a normal run, which compiles the crates without features, with the default features and with all
/// features.
fn check_features(project: &Project, tally: &mut Tally) {
    let ready = tally.run_task("set-up for features", || {
        project.need_lint_tools()?;
        project.need_wasm_target()
    });
    if !ready {
        return;
    }
    let engine = ENGINE_FEATURES.map(|feature| ("assistant-core", feature));
    let protocols = PROTOCOLS.map(|feature| ("assistant-protocols", feature));
    for (package, feature) in engine.into_iter().chain(protocols) {
        tally.run_step(
            "clippy of one feature",
            OutputFormat::ExitCode,
            &mut clippy_command(project, package, feature),
        );
    }
    for feature in FEATURES {
        tally.run_step(
            "check of one feature",
            OutputFormat::ExitCode,
            &mut library_check_command(project, feature),
        );
    }
}

/// Tests of cargo, with their name in the summary.
type CargoTests = Vec<(&'static str, Command)>;

/// Runs tests, and removes them from the list.
fn run_tests(tests: &mut CargoTests, tally: &mut Tally) {
    for (name, mut command) in tests.drain(..) {
        tally.run_step(name, OutputFormat::Cargo, &mut command);
    }
}

/// Compiles the native tests of the workspace, and returns the commands of all native tests; empty
/// if the set-up failed.
fn prepare_native_tests(project: &Project, tally: &mut Tally) -> CargoTests {
    let ready = tally.run_task("set-up for native tests", || {
        project.need_node(NODE)?;
        project.need_reference()
    });
    if !ready {
        return Vec::new();
    }
    if let Err(message) = project.need_redis_server() {
        eprintln!("xtask: {message}; without it the relay's tests of Redis are ignored");
    }
    let tests = || {
        let mut tests = project.cargo();
        tests
            .args(["test", "--workspace", "--no-fail-fast"])
            // A server isolates the state of pages: code outside of a page cannot run with it.
            .args(["--exclude", "leptos-ssr"])
            .args([
                "--features",
                "leptos-assistant/testing,leptos-assistant/schemars",
            ])
            .env("AGUI_REFERENCE", "required");
        // The same random cases each time, so that a failure is caused by the change. Another seed,
        // or more cases, can be set by proptest's own variables.
        if env::var_os("PROPTEST_RNG_SEED").is_none() {
            tests.env("PROPTEST_RNG_SEED", "1");
        }
        tests
    };
    // Compiled first, so that tests beside these do not compete with the compiler.
    tally.run_step(
        "native tests, compiled",
        OutputFormat::ExitCode,
        tests().arg("--no-run"),
    );
    // As a server is built; the previous step has unified the features of all packages.
    let mut server = project.cargo();
    server
        .args(["test", "-p", "leptos-assistant", "--test", "server"])
        .args(["--no-default-features", "--features", "ssr,markdown"]);
    vec![
        ("native tests", tests()),
        ("native tests of a server", server),
    ]
}

/// Runs the tests of `tests/` in a browser. With `with_pages`, also builds the pages of the
/// end-to-end tests and runs the native tests, which are removed from the list; returns true if the
/// builds succeeded. `None` without `with_pages`, or if the set-up failed.
fn run_browser_tests(
    project: &Project,
    browser: Browser,
    with_pages: bool,
    native: &mut CargoTests,
    tally: &mut Tally,
) -> Option<bool> {
    let mut driver = None;
    let ready = tally.run_task("set-up for browser tests", || {
        project.need_wasm_target()?;
        project.need_page_builders()?;
        driver = Some(browsers::need_driver(project, browser)?);
        Ok(())
    });
    let driver = driver.filter(|_| ready)?;
    let tests = || {
        let mut tests = driver.cargo(project);
        tests
            .args(["test", "-p", "leptos-assistant", "--test", "web"])
            .args([
                "--features",
                "math,callouts,ui-stream,completions,records,schemars",
            ])
            .args(["--no-fail-fast"])
            .args(WASM)
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
                "wasm-bindgen-test-runner",
            );
        tests
    };
    if !with_pages {
        tally.run_step("browser tests", OutputFormat::Cargo, &mut tests());
        return None;
    }
    // Compiled first, so that the tests do not wait for the builds.
    tally.run_step(
        "browser tests, compiled",
        OutputFormat::ExitCode,
        tests().arg("--no-run"),
    );
    Some(build_pages(project, Some(&mut tests()), native, tally))
}

/// Builds the pages of the end-to-end tests, and then runs the native tests; the browser tests run
/// beside both. Returns true if the pages were built. If the set-up fails, only the browser tests
/// run.
fn build_pages(
    project: &Project,
    browser_tests: Option<&mut Command>,
    native: &mut CargoTests,
    tally: &mut Tally,
) -> bool {
    let ready = tally.run_task("set-up for end-to-end tests", || {
        project.need_node(NODE)?;
        project.need_node_modules()?;
        project.need_example_servers()
    });
    let meanwhile = browser_tests.map(|tests| ("browser tests", OutputFormat::Cargo, tests));
    if !ready {
        if let Some((name, report, tests)) = meanwhile {
            tally.run_step(name, report, tests);
        }
        return false;
    }
    tally.run_tasks(
        [
            ("demo for release", &|| {
                demo::build(project, "dist/demo", true)
            }),
            ("npm package, and pages with it", &|| {
                dist::build_package(project, Effort::Tests)?;
                packed::build(project)
            }),
            ("applications of examples/", &|| examples::build(project)),
        ],
        mem::take(native),
        meanwhile,
    )
}

/// Runs the end-to-end tests in a browser, with the built demo, npm package, examples and servers.
fn run_end_to_end_tests(project: &Project, browser: Browser, tally: &mut Tally) {
    let mut program = PathBuf::new();
    let found = tally.run_task("browser of end-to-end tests", || {
        program = browsers::need_browser(project, browser)?;
        Ok(())
    });
    if !found {
        return;
    }
    tally.run_task("sizes", || dist::print_sizes(project));
    tally.run_task("size budget of the npm package", || budget::check(project));
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (timed, journeys) = specs_in(project, &["e2e/specs"])
        .into_iter()
        .partition(|spec| spec.ends_with(TIMED_SPEC));
    let attacks = specs_in(project, &["e2e/consent"]);
    let steps: [(_, usize, Vec<PathBuf>); 3] = [
        // The files use half of the processor's time: they wait for pages, timers and servers.
        ("end-to-end tests", 3 * cores, journeys),
        // Attacks press a button at a certain time, which a busy machine delays.
        ("attacks on approvals", 2 * cores, attacks),
        ("end-to-end tests of floods", 1, timed),
    ];
    for (name, concurrency, specs) in steps {
        let mut node = project.command("node");
        node.args(["--test", "--test-reporter=spec", "--test-timeout=900000"])
            .arg(format!("--test-concurrency={concurrency}"))
            .args(specs)
            .env("BROWSER", browsers::browser_name(browser))
            .env(browsers::browser_name(browser).to_uppercase(), &program)
            .env("LIBRARY_SERVER", examples::server_path(project))
            .env("RELAY_SERVER", examples::relay_path(project))
            .env_remove("NODE_TEST_CONTEXT");
        tally.run_step(name, OutputFormat::Node, &mut node);
    }
}

/// Returns the paths of the specs in these folders.
pub(crate) fn specs_in(project: &Project, folders: &[&str]) -> Vec<PathBuf> {
    folders
        .iter()
        .flat_map(|folder| files_with_extension(project, folder, "mjs"))
        .filter(|file| file.to_string_lossy().ends_with(".spec.mjs"))
        .collect()
}

impl Project {
    /// Returns cargo's target folder.
    pub(crate) fn target_folder(&self) -> PathBuf {
        let chosen = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        self.root.join(chosen)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::project::read_text;

    #[test]
    fn the_documentation_is_built_as_on_docs_rs() {
        let root = Project::find().unwrap().root;
        let manifest = read_text(&root.join("Cargo.toml")).unwrap();
        let (_, metadata) = manifest.split_once("[package.metadata.docs.rs]\n").unwrap();
        let (_, list) = metadata.split_once("features = [").unwrap();
        let (list, rest) = list.split_once(']').unwrap();
        let on_docs_rs: BTreeSet<&str> = list
            .split(',')
            .map(|name| name.trim().trim_matches('"'))
            .filter(|name| !name.is_empty())
            .collect();
        let here: BTreeSet<&str> = DOCUMENTED
            .split(',')
            .map(|name| name.strip_prefix("leptos-assistant/").unwrap())
            .collect();
        let only_here: Vec<_> = here.difference(&on_docs_rs).collect();
        let only_there: Vec<_> = on_docs_rs.difference(&here).collect();
        assert!(
            only_here.is_empty() && only_there.is_empty(),
            "only in DOCUMENTED: {only_here:?}, only in Cargo.toml: {only_there:?}"
        );
        let target = format!("default-target = \"{}\"", WASM[1]);
        assert!(rest.lines().any(|line| line == target), "{target}");
    }
}
