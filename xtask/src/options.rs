//! Parses the command line.

use crate::project::Outcome;

/// The help text of `cargo xtask help`.
pub(crate) const HELP: &str = "\
cargo xtask demo [--port N] [--agent URL] [--protocol ag-ui|ui-stream|completions] [--model NAME] [--release]
    Builds the demo and serves it on 127.0.0.1 (8080, or the next free port).
    --agent passes the page's requests on to an agent server; without it the demo's own scripted agent answers.
    For completions it is the address before /chat/completions, and --model what the endpoint is asked for.
cargo xtask test [--only lint|native|browser|e2e|features|speech|agents|long]... [--all] [--in chromium|firefox|webkit]
    Everything that must hold: format, lints, docs, native tests, browser tests, end-to-end tests.
    --all runs the parts that a usual run leaves out, too, except for speech.
    --only features compiles each feature alone, which a usual run leaves out.
    --only speech compares what the screen reader Orca says in the demo with transcripts; a usual run leaves it out.
    --only agents plays scenes with real servers of popular frameworks, and writes docs/agents-table.md; a usual run
    leaves it out.
    --only long runs the long end-to-end tests of e2e/long, which take hours; a usual run leaves them out.
    --in runs the browser tests alone, in another browser; firefox takes e2e, too (docs/browsers.md).
cargo xtask bench [--only native|browser] [--runs N] [--json FILE] [--write]
    What an event costs beside plain parsing, and what the demo costs in Chromium beside a bare page, the median of N
    runs (3), also as JSON; docs/benchmarks.md explains. --write writes the tables into that page.
cargo xtask dist [--quick]
    Writes the optimised demo to dist/demo and the npm package to dist/embed, and prints their sizes.
    --quick writes the npm package alone, as the end-to-end tests use it, and the pages of examples/react, vue and
    static with it.
cargo xtask examples
    Builds the applications of examples/ into dist: board, headless, orders, routes, and leptos-ssr with its server.
cargo xtask style
    Joins the sheets of style/ in style/all.css, for pages that link one.

Tools that are missing are installed: by cargo, npm and pip inside the project, by apt when run as root.";

/// The protocols of the demo.
const PROTOCOLS: [&str; 3] = ["ag-ui", "ui-stream", "completions"];

/// The task that the command line requests, with its options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Help,
    Demo(DemoOptions),
    Test(Vec<TestPart>, Browser),
    /// Builds the demo and the npm package; with `true`, only the package and pages with it, for
    /// tests.
    Dist(bool),
    Examples,
    Bench(BenchOptions),
    Style,
}

/// The options of the demo.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DemoOptions {
    pub(crate) port: Option<u16>,
    pub(crate) agent: Option<String>,
    pub(crate) protocol: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) release: bool,
}

/// The options of the benchmark.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BenchOptions {
    pub(crate) native: bool,
    pub(crate) browser: bool,
    /// The number of repetitions in the browser, if given.
    pub(crate) runs: Option<u32>,
    /// The file to which the results of the browser are written as JSON, if given.
    pub(crate) json: Option<String>,
    /// True if the tables are written into docs/benchmarks.md.
    pub(crate) write: bool,
}

/// The browser of the browser and end-to-end tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Browser {
    Chromium,
    Firefox,
    WebKit,
}

impl Browser {
    fn from_name(name: &str) -> Outcome<Self> {
        match name {
            "chromium" => Ok(Self::Chromium),
            "firefox" => Ok(Self::Firefox),
            "webkit" => Ok(Self::WebKit),
            _ => Err(format!(
                "--in knows chromium, firefox and webkit, not `{name}`"
            )),
        }
    }

    /// Returns the parts that are run without `--only`.
    const fn usual_parts(self) -> &'static [TestPart] {
        match self {
            Self::Chromium => &TestPart::USUAL,
            Self::Firefox | Self::WebKit => &[TestPart::Browser],
        }
    }

    const fn can_run(self, part: TestPart) -> bool {
        match (self, part) {
            (Self::Chromium, _) | (_, TestPart::Browser) | (Self::Firefox, TestPart::EndToEnd) => {
                true
            }
            (Self::Firefox | Self::WebKit, _) => false,
        }
    }
}

/// A part of the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TestPart {
    Lint,
    Native,
    Browser,
    EndToEnd,
    /// The compilation with each feature alone, only on request.
    Features,
    /// The comparison of a screen reader's utterances with transcripts, only on request.
    Speech,
    /// The scenes with servers of popular frameworks, only on request.
    Agents,
    /// The long end-to-end tests, only on request.
    Long,
}

impl TestPart {
    /// The parts that run without `--only`.
    pub(crate) const USUAL: [Self; 4] = [Self::Lint, Self::Native, Self::Browser, Self::EndToEnd];
    /// The parts that run with `--all`. The transcripts of a screen reader depend on its version, so
    /// they are not among them.
    pub(crate) const ALL: [Self; 7] = [
        Self::Lint,
        Self::Native,
        Self::Browser,
        Self::EndToEnd,
        Self::Features,
        Self::Agents,
        Self::Long,
    ];

    fn from_name(name: &str) -> Outcome<Self> {
        match name {
            "lint" => Ok(Self::Lint),
            "native" => Ok(Self::Native),
            "browser" => Ok(Self::Browser),
            "e2e" => Ok(Self::EndToEnd),
            "features" => Ok(Self::Features),
            "speech" => Ok(Self::Speech),
            "agents" => Ok(Self::Agents),
            "long" => Ok(Self::Long),
            _ => Err(format!(
                "--only knows lint, native, browser, e2e, features, speech, agents and long, \
                 not `{name}`"
            )),
        }
    }
}

/// Parses the arguments after `cargo xtask`.
pub(crate) fn parse(args: impl Iterator<Item = String>) -> Outcome<Task> {
    // Treats `--port=1` like `--port 1`.
    let mut args = args.flat_map(|arg| match arg.split_once('=') {
        Some((name, value)) if name.starts_with("--") => vec![name.to_owned(), value.to_owned()],
        _ => vec![arg],
    });
    match args.next().as_deref() {
        None | Some("help" | "--help" | "-h") => Ok(Task::Help),
        Some("demo") => parse_demo(args),
        Some("test") => parse_test(args),
        Some("dist") => parse_dist(args),
        Some("examples") => finish_task(Task::Examples, args),
        Some("bench") => parse_bench(args),
        Some("style") => finish_task(Task::Style, args),
        Some(other) => Err(unknown_argument(other)),
    }
}

/// Returns the task. Fails if there are further arguments.
fn finish_task(task: Task, mut args: impl Iterator<Item = String>) -> Outcome<Task> {
    match args.next() {
        None => Ok(task),
        Some(other) => Err(unknown_argument(&other)),
    }
}

fn parse_dist(mut args: impl Iterator<Item = String>) -> Outcome<Task> {
    match args.next().as_deref() {
        Some("--quick") => finish_task(Task::Dist(true), args),
        None => Ok(Task::Dist(false)),
        Some(other) => Err(unknown_argument(other)),
    }
}

fn parse_demo(mut args: impl Iterator<Item = String>) -> Outcome<Task> {
    let mut demo = DemoOptions::default();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--port" => {
                let text = option_value(&mut args, "--port")?;
                let port = text
                    .parse()
                    .map_err(|_| format!("`{text}` is no port number"))?;
                demo.port = Some(port);
            }
            "--agent" => {
                let url = option_value(&mut args, "--agent")?;
                if !url.starts_with("http://") && !url.starts_with("https://") {
                    return Err(format!("--agent takes an http address, not `{url}`"));
                }
                demo.agent = Some(url);
            }
            "--protocol" => {
                let name = option_value(&mut args, "--protocol")?;
                if !PROTOCOLS.contains(&name.as_str()) {
                    let known = PROTOCOLS.join(", ");
                    return Err(format!("--protocol knows {known}, not `{name}`"));
                }
                demo.protocol = Some(name);
            }
            "--model" => demo.model = Some(option_value(&mut args, "--model")?),
            "--release" => demo.release = true,
            other => return Err(unknown_argument(other)),
        }
    }
    Ok(Task::Demo(demo))
}

fn parse_test(mut args: impl Iterator<Item = String>) -> Outcome<Task> {
    let mut parts = Vec::new();
    let mut is_all = false;
    let mut browser = Browser::Chromium;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => {
                for name in option_value(&mut args, "--only")?.split(',') {
                    parts.push(TestPart::from_name(name)?);
                }
            }
            "--all" => is_all = true,
            "--in" => browser = Browser::from_name(&option_value(&mut args, "--in")?)?,
            other => return Err(unknown_argument(other)),
        }
    }
    if is_all {
        if !parts.is_empty() {
            return Err("--all runs every part, so it takes no --only".to_owned());
        }
        parts = TestPart::ALL.to_vec();
    }
    if !parts.iter().all(|part| browser.can_run(*part)) {
        return Err("--in firefox runs browser and e2e, --in webkit only browser".to_owned());
    }
    if parts.is_empty() {
        parts = browser.usual_parts().to_vec();
    }
    Ok(Task::Test(parts, browser))
}

fn parse_bench(mut args: impl Iterator<Item = String>) -> Outcome<Task> {
    let mut bench = BenchOptions {
        native: true,
        browser: true,
        runs: None,
        json: None,
        write: false,
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => {
                let part = option_value(&mut args, "--only")?;
                if part != "native" && part != "browser" {
                    return Err(format!("--only knows native and browser, not `{part}`"));
                }
                bench.native = part == "native";
                bench.browser = part == "browser";
            }
            "--runs" => {
                let text = option_value(&mut args, "--runs")?;
                match text.parse() {
                    Ok(runs) if runs > 0 => bench.runs = Some(runs),
                    _ => return Err(format!("--runs takes a whole number, not `{text}`")),
                }
            }
            "--json" => bench.json = Some(option_value(&mut args, "--json")?),
            "--write" => bench.write = true,
            other => return Err(unknown_argument(other)),
        }
    }
    Ok(Task::Bench(bench))
}

fn option_value(args: &mut impl Iterator<Item = String>, name: &str) -> Outcome<String> {
    args.next().ok_or_else(|| format!("{name} needs a value"))
}

fn unknown_argument(arg: &str) -> String {
    format!("`{arg}` is not known\n\n{HELP}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Outcome<Task> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn demo_accepts_options_with_a_space_or_an_equals_sign() {
        let expected = DemoOptions {
            port: Some(9000),
            agent: Some("http://127.0.0.1:8000/".to_owned()),
            protocol: Some("completions".to_owned()),
            model: Some("qwen3".to_owned()),
            release: true,
        };
        let spaced = "demo --port 9000 --agent http://127.0.0.1:8000/ --protocol completions \
                      --model qwen3 --release";
        assert_eq!(parsed(spaced), Ok(Task::Demo(expected)));
        let Ok(Task::Demo(demo)) = parsed("demo --port=9000") else {
            panic!("not a demo")
        };
        assert_eq!(demo.port, Some(9000));
    }

    #[test]
    fn an_agent_address_keeps_its_query() {
        let Ok(Task::Demo(demo)) = parsed("demo --agent=http://127.0.0.1:8000/?a=b") else {
            panic!("not a demo")
        };
        assert_eq!(demo.agent.as_deref(), Some("http://127.0.0.1:8000/?a=b"));
    }

    #[test]
    fn dist_builds_everything_unless_quick() {
        assert_eq!(parsed("dist"), Ok(Task::Dist(false)));
        assert_eq!(parsed("dist --quick"), Ok(Task::Dist(true)));
    }

    #[test]
    fn invalid_arguments_are_named_in_the_error() {
        for (line, word) in [
            ("demo --port", "--port"),
            ("demo --port 70000", "70000"),
            ("demo --agent ftp://x", "ftp://x"),
            ("demo --protocol grpc", "grpc"),
            ("test --only everything", "everything"),
            ("test --in lynx", "lynx"),
            ("test --only lint --in firefox", "--in firefox"),
            ("test --in webkit --only e2e", "--in webkit"),
            ("test --in firefox --only speech", "--in firefox"),
            ("test --in firefox --only agents", "--in firefox"),
            ("test --in firefox --all", "--in firefox"),
            ("test --all --only lint", "--all"),
            ("bench fast", "fast"),
            ("bench --only e2e", "e2e"),
            ("bench --runs 0", "--runs"),
            ("dist --fast", "--fast"),
            ("dist --quick now", "now"),
            ("dance", "dance"),
        ] {
            let message = parsed(line).unwrap_err();
            assert!(message.contains(word), "{line}: {message}");
        }
    }

    #[test]
    fn bench_measures_native_and_browser_by_default() {
        let all = BenchOptions {
            native: true,
            browser: true,
            runs: None,
            json: None,
            write: false,
        };
        assert_eq!(parsed("bench"), Ok(Task::Bench(all)));
        let some = BenchOptions {
            native: false,
            browser: true,
            runs: Some(5),
            json: Some("figures.json".to_owned()),
            write: true,
        };
        let line = "bench --only browser --runs=5 --json figures.json --write";
        assert_eq!(parsed(line), Ok(Task::Bench(some)));
    }

    #[test]
    fn test_runs_all_usual_parts_by_default() {
        let all = Task::Test(TestPart::USUAL.to_vec(), Browser::Chromium);
        assert_eq!(parsed("test"), Ok(all));
        let some = vec![TestPart::Native, TestPart::EndToEnd, TestPart::Lint];
        assert_eq!(
            parsed("test --only native,e2e --only lint"),
            Ok(Task::Test(some, Browser::Chromium))
        );
    }

    #[test]
    fn some_parts_run_only_on_request() {
        for (line, part) in [
            ("features", TestPart::Features),
            ("speech", TestPart::Speech),
            ("agents", TestPart::Agents),
            ("long", TestPart::Long),
        ] {
            let alone = Task::Test(vec![part], Browser::Chromium);
            assert_eq!(parsed(&format!("test --only {line}")), Ok(alone));
            assert!(!TestPart::USUAL.contains(&part), "{line}");
        }
    }

    #[test]
    fn all_runs_every_part_but_speech() {
        let all = Task::Test(TestPart::ALL.to_vec(), Browser::Chromium);
        assert_eq!(parsed("test --all"), Ok(all));
        assert!(!TestPart::ALL.contains(&TestPart::Speech));
        for part in TestPart::USUAL {
            assert!(TestPart::ALL.contains(&part), "{part:?}");
        }
    }

    #[test]
    fn another_browser_runs_only_the_browser_parts() {
        let alone = Task::Test(vec![TestPart::Browser], Browser::WebKit);
        assert_eq!(parsed("test --in webkit"), Ok(alone));
        let both = Task::Test(
            vec![TestPart::Browser, TestPart::EndToEnd],
            Browser::Firefox,
        );
        assert_eq!(parsed("test --in=firefox --only browser,e2e"), Ok(both));
    }
}
