//! Runs the tests with a screen reader, the tests with agent servers and the long tests, which
//! `cargo xtask test` runs only on request.

use crate::project::Project;
use crate::tally::{OutputFormat, Tally};
use crate::test::{NODE, specs_in};
use crate::{demo, examples};

/// Runs scenes of the built demo with a screen reader, and compares its utterances with
/// transcripts. This is not part of a normal run, because the wording depends on the version of the
/// screen reader.
pub(crate) fn run_speech_tests(project: &Project, tally: &mut Tally) {
    let mut node = project.command("node");
    let ready = tally.run_task("set-up for the screen reader", || {
        project.need_node(NODE)?;
        project.need_node_modules()?;
        node.env("CHROMIUM", project.need_chromium()?)
            .env("ORCA", project.need_orca()?)
            .env("XVFB", project.need_display_server()?)
            .env("DBUS_DAEMON", project.need_message_bus()?)
            .env("XDOTOOL", project.need_xdotool()?);
        Ok(())
    });
    let built = ready
        && tally.run_task("demo for release", || {
            demo::build(project, "dist/demo", true)
        });
    if !built {
        return;
    }
    node.args(["--test", "--test-reporter=spec", "--test-timeout=900000"])
        .arg("e2e/speech/orca.spec.mjs")
        .env_remove("NODE_TEST_CONTEXT");
    tally.run_step(
        "transcripts of a screen reader",
        OutputFormat::Node,
        &mut node,
    );
}

/// Runs scenes of the built demo with real servers of popular frameworks. This is not part of a
/// normal run, because it installs each framework.
pub(crate) fn run_agent_tests(project: &Project, tally: &mut Tally) {
    let mut node = project.command("node");
    let ready = tally.run_task("set-up for agents", || {
        project.need_node(NODE)?;
        project.need_node_modules()?;
        node.env("CHROMIUM", project.need_chromium()?);
        Ok(())
    });
    let built = ready
        && tally.run_task("demo for release", || {
            demo::build(project, "dist/demo", true)
        });
    if built {
        node.arg("e2e/agents/run.mjs");
        tally.run_step("popular agents", OutputFormat::ExitCode, &mut node);
    }
}

/// Runs the long end-to-end tests, one file after the other, with the built demo, examples and
/// servers.
pub(crate) fn run_long_tests(project: &Project, tally: &mut Tally) {
    let mut node = project.command("node");
    let ready = tally.run_task("browser of long tests", || {
        node.env("CHROMIUM", project.need_chromium()?);
        Ok(())
    });
    if !ready {
        return;
    }
    // Without a limit of time: some files take more than an hour.
    node.args(["--test", "--test-reporter=spec", "--test-concurrency=1"])
        .args(specs_in(project, &["e2e/long"]))
        .env("LIBRARY_SERVER", examples::server_path(project))
        .env("RELAY_SERVER", examples::relay_path(project))
        .env_remove("NODE_TEST_CONTEXT");
    tally.run_step("long end-to-end tests", OutputFormat::Node, &mut node);
}
