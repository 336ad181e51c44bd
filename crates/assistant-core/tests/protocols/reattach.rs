//! A run whose events are stored is resumed after every event of it, by a reload or over another
//! connection: the conversation is the undisturbed one, each handler runs once, and the user is asked
//! once (rule "reattaching to a run").

use std::collections::BTreeMap;

use assistant_core::{
    conversation::Phase,
    event::RunInput,
    limits::Limits,
    session::{AgentTraits, Failure, FailureKind, Input, NoticeKind, StreamEnd},
};
use assistant_protocols::{AgUi, Protocol, Request, stream::Read};
use proptest::{collection::btree_map, prelude::*};
use serde_json::{Value, json};

use super::{Log, Talk};
use crate::support::{action, asking};

/// AG-UI behind a server that stores the events of runs.
#[derive(Debug, Default)]
pub(super) struct Stored(AgUi);

impl Protocol for Stored {
    fn traits(&self) -> AgentTraits {
        AgentTraits::default().with_resumes(true).with_replays(true)
    }

    fn request(&self, input: &RunInput) -> Request {
        match input.resumes {
            true => Request::Get {
                path: input.run_id.clone(),
            },
            false => self.0.request(input),
        }
    }

    fn decoder(&self, input: &RunInput, limits: &Limits) -> Box<dyn Read> {
        self.0.decoder(input, limits)
    }
}

/// An interruption of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The page is reloaded.
    Reload,
    /// The network fails.
    Network,
    /// The connection ends early, without an error.
    Closed,
}

const CUTS: [Cut; 3] = [Cut::Reload, Cut::Network, Cut::Closed];

fn text(frames: &mut Vec<Value>, id: &str, words: usize) {
    frames.push(json!({"type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant"}));
    for word in 0..words {
        let delta = format!("{id} word {word}. ");
        frames.push(json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta}));
    }
    frames.push(json!({"type": "TEXT_MESSAGE_END", "messageId": id}));
}

fn call(frames: &mut Vec<Value>, id: &str, name: &str) {
    frames.push(json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}));
    let note = "x".repeat(20);
    for piece in json!({"amount": 5, "note": note}).to_string().chars() {
        let delta = piece.to_string();
        frames.push(json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta}));
    }
    frames.push(json!({"type": "TOOL_CALL_END", "toolCallId": id}));
}

/// Returns the frames of the first response: text, state, reasoning, and two calls of the page.
fn first() -> Vec<Value> {
    let mut frames = vec![
        json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "theirs"}),
        json!({"type": "STEP_STARTED", "stepName": "plan"}),
        json!({"type": "STATE_SNAPSHOT", "snapshot": {"list": []}}),
    ];
    text(&mut frames, "m1", 100);
    call(&mut frames, "c1", "lights");
    for number in 0..30 {
        let add = json!({"op": "add", "path": "/list/-", "value": number});
        frames.push(json!({"type": "STATE_DELTA", "delta": [add]}));
    }
    frames.push(json!({"type": "CUSTOM", "name": "progress", "value": 1}));
    frames.push(json!({"type": "REASONING_MESSAGE_START", "messageId": "r1", "role": "reasoning"}));
    for _ in 0..10 {
        frames.push(
            json!({"type": "REASONING_MESSAGE_CONTENT", "messageId": "r1", "delta": "Hmm. "}),
        );
    }
    frames.push(json!({"type": "REASONING_MESSAGE_END", "messageId": "r1"}));
    call(&mut frames, "c2", "pay");
    frames.push(json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a1", "activityType": "PLAN", "content": {"done": 0}}));
    frames.push(json!({"type": "STEP_FINISHED", "stepName": "plan"}));
    // A frame of these yields more than one event, or none.
    for word in 0..60 {
        frames.push(
            json!({"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "delta": format!("{word} ")}),
        );
    }
    frames.push(json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "theirs", "usage": [{"provider": "p", "inputTokens": 7}]}));
    frames
}

fn second() -> Vec<Value> {
    let mut frames = vec![json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "theirs2"})];
    text(&mut frames, "m3", 5);
    frames.push(json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "theirs2"}));
    frames
}

/// A page, its agent, and the server between them.
struct World {
    talk: Talk,
    /// The frames of runs, by their ids.
    stored: BTreeMap<String, Vec<Value>>,
    /// The bodies of requests for runs.
    posts: Vec<Value>,
    handled: Vec<String>,
    decided: usize,
    /// The decisions that a reload voided before the call started.
    voided: usize,
    /// The number of events that have arrived over all connections.
    arrived: usize,
    reached: usize,
    /// The number of events of each run that have arrived over one connection.
    longest: BTreeMap<String, usize>,
    served: usize,
}

impl World {
    fn new() -> Self {
        let mut talk = Talk::new(Box::new(Stored::default()));
        talk.driver.register(action("lights"));
        talk.driver.register(asking("pay"));
        Self {
            talk,
            stored: BTreeMap::new(),
            posts: Vec::new(),
            handled: Vec::new(),
            decided: 0,
            voided: 0,
            arrived: 0,
            reached: 0,
            longest: BTreeMap::new(),
            served: 0,
        }
    }

    fn close(&mut self, end: StreamEnd) {
        let run = self.talk.driver.run();
        self.talk.driver.input(Input::RunClosed { run, end });
    }

    fn reload(&mut self) {
        let is_pending = self.decided > self.voided && !self.handled.iter().any(|id| id == "c2");
        self.voided += usize::from(is_pending);
        self.talk.reload(&[action("lights"), asking("pay")]);
        self.served = 0;
        self.reached = 0;
    }

    /// Plays the turn. The connection is cut after these numbers of events; the user decides after
    /// `decides` events, or once nothing else happens.
    fn play(mut self, cuts: &BTreeMap<usize, Cut>, decides: usize) -> Self {
        self.talk.driver.send("hi");
        for _ in 0..10_000 {
            self.run_handlers();
            if self.talk.driver.runs.len() > self.served {
                self.served = self.talk.driver.runs.len();
                self.serve(cuts, decides);
            } else if self.has_question() {
                self.decide();
            } else {
                assert_eq!(self.talk.driver.notices(), []);
                return self;
            }
        }
        panic!("the turn does not end");
    }

    fn has_question(&self) -> bool {
        let call = self
            .talk
            .driver
            .session
            .conversation()
            .call_by_wire_id("c2");
        call.is_some_and(|(_, call)| call.phase() == Phase::ApprovalRequested)
    }

    fn decide(&mut self) {
        assert_eq!(self.talk.driver.approve("c2"), None);
        self.decided += 1;
    }

    fn run_handlers(&mut self) {
        while let Some(next) = self.talk.driver.invocations.get(self.reached).cloned() {
            self.reached += 1;
            self.handled.push(next.call_id().to_owned());
            self.talk
                .driver
                .returns(next.call_id(), json!({"did": next.call_id()}));
        }
    }

    /// Answers the newest request.
    fn serve(&mut self, cuts: &BTreeMap<usize, Cut>, decides: usize) {
        let input = self.talk.driver.request().clone();
        match self.talk.protocol.request(&input) {
            Request::Post { body, .. } => {
                self.posts.push(serde_json::from_str(&body).unwrap());
                let frames = match self.posts.len() {
                    1 => first(),
                    _ => second(),
                };
                let old = self.stored.insert(input.run_id.clone(), frames);
                assert!(old.is_none(), "a run is started once");
            }
            Request::Get { path } if self.stored.contains_key(&path) => {}
            _ => return self.close(StreamEnd::Nothing),
        }
        let mut number = 0;
        let mut reader = self.talk.protocol.decoder(&input, &Limits::default());
        for (at, frame) in self.stored[&input.run_id].clone().iter().enumerate() {
            let mut log = Log::default();
            let bytes = format!("id: {at}\ndata: {frame}\n\n");
            reader.push(bytes.as_bytes(), &mut log);
            for event in log.events {
                self.talk.driver.event(event);
                self.arrived += 1;
                number += 1;
                let longest = self.longest.entry(input.run_id.clone()).or_default();
                let is_new = number > *longest;
                *longest = number.max(*longest);
                if self.arrived >= decides && self.decided == self.voided && self.has_question() {
                    self.decide();
                }
                match cuts.get(&self.arrived) {
                    None => continue,
                    Some(Cut::Reload) => self.reload(),
                    // A connection without a new event is the agent's failure to reach it.
                    Some(Cut::Closed | Cut::Network) if !is_new => continue,
                    Some(Cut::Closed) => self.close(StreamEnd::Closed),
                    Some(Cut::Network) => {
                        let failure = Failure::new(FailureKind::Network, "gone");
                        self.close(StreamEnd::Failed(failure));
                    }
                }
                return;
            }
        }
        let ending = reader.finish(&mut Log::default());
        assert_eq!(ending.error, None);
        self.close(StreamEnd::Closed);
    }

    /// Returns the stored conversation, without the page's own ids and times.
    fn outcome(&self) -> String {
        let mut stored = self.talk.driver.session.snapshot();
        let runs = stored["runs"].as_array_mut().unwrap();
        for run in runs {
            run["id"] = json!("run");
        }
        let mut outcome = json!({"stored": stored, "sent": self.posts[1]["messages"]});
        number_ids(&mut outcome, &mut Vec::new());
        format!("{outcome:#}")
    }
}

/// Replaces the ids that the page made by their order, and removes times.
pub(super) fn number_ids(value: &mut Value, ids: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix("id");
            if digits.is_some_and(|rest| rest.parse::<u64>().is_ok()) {
                let at = ids.iter().position(|id| id == text);
                let at = at.unwrap_or_else(|| {
                    ids.push(text.clone());
                    ids.len() - 1
                });
                *text = format!("own {at}");
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| number_ids(value, ids)),
        Value::Object(object) => {
            // A run is measured up to each loss of its connection.
            object.shift_remove("durationMs");
            object.values_mut().for_each(|value| number_ids(value, ids));
        }
        _ => {}
    }
}

fn undisturbed(decides: usize) -> World {
    World::new().play(&BTreeMap::new(), decides)
}

/// Checks that a turn whose connections are cut has the given outcome.
fn check_cut(cuts: &BTreeMap<usize, Cut>, decides: usize, undisturbed: &str) {
    let disturbed = World::new().play(cuts, decides);
    assert_eq!(
        disturbed.posts.len(),
        2,
        "each run is started once: {cuts:?}"
    );
    // An approval from before a reload starts nothing (rule "after a reload").
    assert_eq!(
        disturbed.decided - disturbed.voided,
        1,
        "the user decides once: {cuts:?}"
    );
    let mut handled = disturbed.handled.clone();
    handled.sort();
    assert_eq!(handled, ["c1", "c2"], "each handler runs once: {cuts:?}");
    let disturbed = disturbed.outcome();
    let mut lines = disturbed.lines().zip(undisturbed.lines());
    assert_eq!(lines.find(|(now, before)| now != before), None, "{cuts:?}");
    assert_eq!(disturbed.len(), undisturbed.len(), "{cuts:?}");
}

#[test]
fn a_run_that_is_cut_after_any_event_is_the_undisturbed_one() {
    let world = undisturbed(usize::MAX);
    assert!(world.arrived > 300, "{}", world.arrived);
    let outcome = world.outcome();
    for at in 1..=world.arrived {
        // Both losses of a connection are the same to the conversation.
        let lost = [Cut::Network, Cut::Closed][at % 2];
        for cut in [Cut::Reload, lost] {
            check_cut(&BTreeMap::from([(at, cut)]), usize::MAX, &outcome);
        }
    }
}

#[test]
fn an_event_without_effect_is_kept_once_over_two_connections() {
    let kept = |world: &World| world.talk.driver.session.side_events().len();
    let cuts = BTreeMap::from([(250, Cut::Network)]);
    let world = World::new().play(&cuts, usize::MAX);
    assert_eq!(kept(&world), kept(&undisturbed(usize::MAX)));
}

fn bytes(frames: &[Value]) -> Vec<u8> {
    let frames = frames.iter().map(|frame| format!("data: {frame}\n\n"));
    frames.collect::<String>().into_bytes()
}

/// Reads the first frames of the first response, and reloads the page.
fn reloaded_after(frames: &[Value]) -> Talk {
    let mut world = World::new();
    world.talk.driver.send("hi");
    world.talk.begin_answer(&bytes(frames));
    world.reload();
    assert!(world.talk.driver.request().resumes);
    world.talk
}

fn ends(talk: &mut Talk, end: StreamEnd) {
    let run = talk.driver.run();
    talk.driver.input(Input::RunClosed { run, end });
}

#[test]
fn a_run_that_is_not_stored_or_has_no_end_is_offered_again() {
    for (received, end, kind) in [
        (0, StreamEnd::Nothing, NoticeKind::Silent),
        (5, StreamEnd::Nothing, NoticeKind::Truncated),
        (5, StreamEnd::Closed, NoticeKind::Truncated),
    ] {
        let mut talk = reloaded_after(&first()[..received]);
        if end == StreamEnd::Closed {
            talk.begin_answer(&bytes(&first()[..received]));
        }
        ends(&mut talk, end);
        assert_eq!(talk.driver.notices(), [kind], "{received}");
        talk.driver.input(Input::Retry);
        assert!(!talk.driver.request().resumes, "a new run: {received}");
    }
}

/// The agent may continue the run, next to the run of a retry.
#[test]
fn a_run_whose_end_is_missing_is_ended_at_its_server() {
    let failed = |kind| StreamEnd::Failed(Failure::new(kind, "failed"));
    for (end, is_ended) in [
        (StreamEnd::Nothing, false),
        (StreamEnd::Closed, true),
        (failed(FailureKind::Network), true),
        (failed(FailureKind::Http { status: 502 }), true),
        (failed(FailureKind::Protocol), true),
    ] {
        let mut talk = reloaded_after(&first()[..5]);
        let run = talk.driver.run();
        ends(&mut talk, end.clone());
        let expected = is_ended.then_some(run);
        assert_eq!(talk.driver.aborted, Vec::from_iter(expected), "{end:?}");
    }
}

#[test]
fn a_run_that_is_resumed_is_not_ended_at_its_server() {
    let mut world = World::new();
    world.talk.driver.send("hi");
    world.talk.begin_answer(&bytes(&first()[..5]));
    world.close(StreamEnd::Closed);
    assert!(world.talk.driver.request().resumes);
    world.talk.answer(&bytes(&first()));
    assert_eq!(world.talk.driver.aborted, []);
}

#[test]
fn stop_ends_a_resumed_run_and_starts_no_call() {
    let mut talk = reloaded_after(&first()[..1]);
    let run = talk.driver.run();
    talk.begin_answer(&bytes(&first()[..200]));
    assert!(talk.driver.session.is_busy());
    talk.driver.input(Input::Stop);
    assert_eq!(talk.driver.aborted, [run]);
    assert!(!talk.driver.session.is_busy());
    assert_eq!(talk.driver.starts("c1"), 0);
    assert_eq!(talk.driver.phase("c1"), Phase::Cancelled);
}

#[test]
fn an_interrupt_of_a_run_that_was_stored_before_its_connection_ended_is_asked_once() {
    let interrupt = json!({"id": "i1", "reason": "tool_call", "toolCallId": "c9"});
    let outcome = json!({"type": "interrupt", "interrupts": [interrupt]});
    let frames = [
        json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c9", "toolCallName": "theirs"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c9"}),
        json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r", "outcome": outcome}),
    ];
    for received in 1..=frames.len() {
        let mut world = World::new();
        world.talk.driver.send("hi");
        let input = world.talk.driver.request().clone();
        world.talk.begin_answer(&bytes(&frames[..received]));
        world.reload();
        assert_eq!(world.talk.driver.request().run_id, input.run_id);
        world.talk.answer(&bytes(&frames));
        assert_eq!(
            world.talk.driver.session.interrupts().len(),
            1,
            "{received}"
        );
        assert_eq!(world.talk.driver.phase("c9"), Phase::ApprovalRequested);
    }
}

/// Returns the frames of a server that asks about its own call by an interrupt, and by another call
/// that names the first (rule "calls that only ask").
fn approval_by_call() -> Vec<Value> {
    let interrupt = json!({"id": "i1", "reason": "tool_call", "toolCallId": "c8"});
    let outcome = json!({"type": "interrupt", "interrupts": [interrupt]});
    let mut frames = vec![json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r"})];
    let confirm = json!({"function_name": "theirs", "function_call_id": "c8"}).to_string();
    for (id, name, args) in [("c8", "theirs", "{}"), ("c9", "confirm", &confirm)] {
        frames.extend([
            json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name}),
            json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
            json!({"type": "TOOL_CALL_END", "toolCallId": id}),
        ]);
    }
    frames.push(
        json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r", "outcome": outcome}),
    );
    frames
}

#[test]
fn a_call_that_only_asked_starts_no_run_after_a_reload_of_the_answer() {
    let mut answer = vec![
        json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r2"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c8", "content": "done"}),
    ];
    text(&mut answer, "m3", 2);
    answer.push(json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r2"}));
    for received in 0..=answer.len() {
        let mut world = World::new();
        world.talk.driver.send("hi");
        world.talk.answer(&bytes(&approval_by_call()));
        assert_eq!(world.talk.driver.approve("c8"), None);
        let run_id = world.talk.driver.request().run_id.clone();
        world.talk.begin_answer(&bytes(&answer[..received]));
        world.reload();
        assert_eq!(world.talk.driver.request().run_id, run_id, "{received}");
        world.talk.answer(&bytes(&answer));
        assert_eq!(world.talk.driver.runs.len(), 1, "{received}");
        assert_eq!(world.talk.driver.phase("c9"), Phase::Skipped, "{received}");
        assert_eq!(world.talk.driver.notices(), [], "{received}");
    }
}

/// Returns the frames of a server that calls a tool of its own, which the page does not offer, and
/// a tool of the page.
fn frames_with_agents_call() -> Vec<Value> {
    let mut frames = vec![json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r"})];
    call(&mut frames, "c7", "theirs");
    call(&mut frames, "c1", "lights");
    text(&mut frames, "m1", 2);
    frames.push(json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r"}));
    frames
}

/// Resumes the run, and checks that the agent runs its own call, and sends the result with the
/// next run.
fn assert_agent_runs_its_own_call(world: &mut World) {
    world.talk.answer(&bytes(&frames_with_agents_call()));
    assert_eq!(world.talk.driver.phase("c7"), Phase::Running);
    assert_eq!(world.talk.driver.starts("c1"), 1);
    world.talk.driver.returns("c1", json!("on"));
    world.talk.answer(&bytes(&[
        json!({"type": "RUN_STARTED", "threadId": "thread", "runId": "r2"}),
        json!({"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c7", "content": "done"}),
        json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r2"}),
    ]));
    assert_eq!(world.talk.driver.starts("c7"), 0);
    assert_eq!(world.talk.driver.answer("c7"), "done");
}

#[test]
fn an_action_that_registers_after_a_reload_does_not_run_a_call_of_the_agent() {
    let frames = frames_with_agents_call();
    let offered = [action("lights"), asking("pay")];
    let all = [action("lights"), asking("pay"), action("theirs")];
    for received in 1..=frames.len() {
        for actions in [&all[..], &offered] {
            let mut world = World::new();
            world.talk.driver.send("hi");
            world.talk.begin_answer(&bytes(&frames[..received]));
            world.talk.reload(actions);
            if actions.len() == offered.len() {
                world.talk.driver.register(action("theirs"));
            }
            assert_agent_runs_its_own_call(&mut world);
        }
    }
}

#[test]
fn an_action_that_registers_before_a_reconnection_does_not_run_a_call_of_the_agent() {
    let frames = frames_with_agents_call();
    for received in 1..frames.len() {
        let mut world = World::new();
        world.talk.driver.send("hi");
        world.talk.begin_answer(&bytes(&frames[..received]));
        world.talk.driver.register(action("theirs"));
        world.close(StreamEnd::Closed);
        assert!(world.talk.driver.request().resumes, "{received}");
        assert_agent_runs_its_own_call(&mut world);
    }
}

/// The run offered another edition of the action than the page has after a reload.
#[test]
fn a_call_of_another_edition_is_asked_about_after_a_reload() {
    let edition = |version: &str| action("lights").with_version(version.to_owned());
    let frames = frames_with_agents_call();
    for received in 1..=frames.len() {
        let mut talk = Talk::new(Box::new(Stored::default()));
        talk.driver.register(edition("1"));
        talk.driver.send("hi");
        talk.begin_answer(&bytes(&frames[..received]));
        talk.reload(&[edition("2")]);
        talk.answer(&bytes(&frames));
        let is_stored = received > 1
            && frames[..received]
                .iter()
                .any(|frame| frame["toolCallId"] == json!("c1"));
        let starts = usize::from(!is_stored);
        assert_eq!(talk.driver.starts("c1"), starts, "{received}");
    }
}

/// Components may mount after the conversation was restored.
#[test]
fn an_action_that_registers_after_a_reload_runs_the_call_of_the_page_once() {
    let frames = frames_with_agents_call();
    for received in 1..=frames.len() {
        let mut world = World::new();
        world.talk.driver.send("hi");
        world.talk.begin_answer(&bytes(&frames[..received]));
        world.talk.reload(&[]);
        world.talk.driver.register(action("lights"));
        world.talk.answer(&bytes(&frames));
        if world.talk.driver.phase("c1") == Phase::ApprovalRequested {
            assert_eq!(world.talk.driver.approve("c1"), None, "{received}");
        }
        assert_eq!(world.talk.driver.starts("c1"), 1, "{received}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_run_that_is_cut_repeatedly_is_the_undisturbed_one(
        cuts in btree_map(1_usize..1000, prop::sample::select(&CUTS[..]), 0..8),
        decides in 200_usize..450,
    ) {
        check_cut(&cuts, decides, &undisturbed(decides).outcome());
    }
}
