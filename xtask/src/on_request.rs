//! Runs the tests with a screen reader and with agent servers, which `cargo xtask test` runs only
//! on request.

use crate::demo;
use crate::project::Project;
use crate::tally::{OutputFormat, Tally};
use crate::test::NODE;

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
