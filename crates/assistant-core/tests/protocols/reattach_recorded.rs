//! Recorded conversations of servers (fixtures/agui-servers), behind a server that stores the events
//! of runs, are interrupted after each event: the conversation is the undisturbed one (rule
//! "reattaching to a run").

use std::collections::BTreeMap;

use assistant_core::{
    conversation::Decider,
    event::RunInput,
    limits::Limits,
    session::{ActionDecision, Failure, FailureKind, Input, StreamEnd},
};
use assistant_protocols::Request;
use serde_json::json;

use super::{
    Log, Talk,
    reattach::{Cut, Stored, number_ids},
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/agui-servers");

/// The recorded conversations whose outcome may be another one after a reload.
const EXCEPTIONS: [&str; 6] = [
    // Recorded with an answer other than an approval, so the agent sends no result for the call that
    // this test approves. After a reload its outcome is unknown (rule "after a reload").
    "agent-framework-abandon",
    "agent-framework-cancel",
    "agent-framework-deny-with-reason",
    "pydantic-ai-bad-payload",
    // The agent asks about a second call before it runs the first one, whose approval is not stored
    // with it.
    "agent-framework-two",
    "mastra-two",
];

/// Returns the names of the recorded conversations, with the number of runs of each.
fn recorded() -> BTreeMap<String, usize> {
    let mut runs = BTreeMap::new();
    for file in std::fs::read_dir(FOLDER).unwrap() {
        let file = file.unwrap().file_name().into_string().unwrap();
        if let Some((name, _)) = file.split_once(".run").filter(|_| file.ends_with(".sse")) {
            *runs.entry(name.to_owned()).or_default() += 1;
        }
    }
    runs
}

/// Returns the data of the frames of a run: the recorded ones, or an answer without content.
fn frames(name: &str, run: usize) -> Vec<String> {
    let Ok(stream) = std::fs::read_to_string(format!("{FOLDER}/{name}.run{run}.sse")) else {
        return ["RUN_STARTED", "RUN_FINISHED"]
            .map(|kind| json!({"type": kind, "threadId": "t", "runId": "r"}).to_string())
            .to_vec();
    };
    let lines = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    lines.map(str::to_owned).collect()
}

/// A page in a recorded conversation.
struct Play {
    name: String,
    talk: Talk,
    /// The numbers of the recorded runs, by the ids of the page's runs.
    started: BTreeMap<String, usize>,
    /// The number of events that have arrived over all connections.
    arrived: usize,
    /// The number of requests that have been answered.
    served: usize,
}

impl Play {
    /// Plays the conversation. The connection is interrupted after a number of events.
    fn new(name: &str, runs: usize, cut: Option<(usize, Cut)>) -> Self {
        let mut play = Self {
            name: name.to_owned(),
            talk: Talk::new(Box::new(Stored::default())),
            started: BTreeMap::new(),
            arrived: 0,
            served: 0,
        };
        play.talk.driver.send("Refund order A-17");
        for _ in 0..50 {
            let driver = &play.talk.driver;
            if driver.runs.len() > play.served {
                play.served = driver.runs.len();
                play.serve(cut);
            } else if !play.decide() {
                if play.started.len() >= runs {
                    assert!(!play.talk.driver.session.is_busy(), "{name}, {cut:?}");
                    return play;
                }
                play.talk.driver.send("Are you there?");
            }
        }
        panic!("{name} does not end, {cut:?}");
    }

    /// Approves or answers the first interrupt without an answer. Returns false if all have an answer.
    fn decide(&mut self) -> bool {
        let driver = &mut self.talk.driver;
        let mut interrupts = driver.session.interrupts().iter();
        let Some(open) = interrupts.find(|open| open.answer().is_none()) else {
            return false;
        };
        let id = open.interrupt().id.clone();
        let call = open.call_key().as_ref().and_then(|key| {
            let call = driver.session.conversation().call(key)?;
            Some(call.id().to_owned())
        });
        let actions = open.actions().len();
        let refused = match call {
            Some(call) => driver.approve(&call),
            None if actions > 0 => {
                let decides = Input::DecideActions {
                    shown: driver.shown_question(&id),
                    interrupt_id: id,
                    decisions: vec![ActionDecision::Approve; actions],
                    by: Decider::Person,
                };
                driver.input(decides).refused
            }
            None => {
                let approval = json!({"approved": true});
                let answers = [Some(approval), Some(json!(true)), Some(json!("yes")), None];
                let is_taken = |answer| driver.answers(&id, answer).is_none();
                assert!(answers.into_iter().any(is_taken), "{}", self.name);
                None
            }
        };
        assert_eq!(refused, None, "{}", self.name);
        true
    }

    /// Answers the newest request.
    fn serve(&mut self, cut: Option<(usize, Cut)>) {
        let input = self.talk.driver.request().clone();
        let next = self.started.len() + 1;
        match self.talk.protocol.request(&input) {
            Request::Post { .. } => {
                let old = self.started.insert(input.run_id.clone(), next);
                assert_eq!(old, None, "a run is started once");
            }
            Request::Get { .. } if self.started.contains_key(&input.run_id) => {}
            _ => return self.close(StreamEnd::Nothing),
        }
        let mut reader = self.talk.protocol.decoder(&input, &Limits::default());
        for (at, frame) in self.frames(&input).iter().enumerate() {
            let mut log = Log::default();
            reader.push(format!("id: {at}\ndata: {frame}\n\n").as_bytes(), &mut log);
            for event in log.events {
                self.talk.driver.event(event);
                self.arrived += 1;
                if let Some((_, cut)) = cut.filter(|(at, _)| *at == self.arrived) {
                    return self.interrupt(cut);
                }
            }
        }
        let ending = reader.finish(&mut Log::default());
        assert_eq!(ending.error, None);
        self.close(StreamEnd::Closed);
    }

    fn frames(&self, input: &RunInput) -> Vec<String> {
        frames(&self.name, self.started[&input.run_id])
    }

    fn interrupt(&mut self, cut: Cut) {
        match cut {
            Cut::Reload => {
                self.talk.reload(&[]);
                self.served = 0;
            }
            Cut::Closed => self.close(StreamEnd::Closed),
            Cut::Network => {
                let failure = Failure::new(FailureKind::Network, "gone");
                self.close(StreamEnd::Failed(failure));
            }
        }
    }

    fn close(&mut self, end: StreamEnd) {
        let run = self.talk.driver.run();
        self.talk.driver.input(Input::RunClosed { run, end });
    }

    /// Returns the stored conversation, without the page's own ids and times.
    fn outcome(&self) -> String {
        let mut stored = self.talk.driver.session.snapshot();
        for run in stored["runs"].as_array_mut().unwrap() {
            run["id"] = json!("run");
        }
        number_ids(&mut stored, &mut Vec::new());
        format!("{stored:#}")
    }
}

#[test]
fn recorded_runs_that_are_cut_after_any_event_are_the_undisturbed_ones() {
    let mut faults = Vec::new();
    for (name, runs) in recorded() {
        if EXCEPTIONS.contains(&&*name) {
            continue;
        }
        let undisturbed = Play::new(&name, runs, None);
        let outcome = undisturbed.outcome();
        for at in 1..=undisturbed.arrived {
            // Both kinds of loss have the same effect, so they alternate.
            let lost = [Cut::Network, Cut::Closed][at % 2];
            for cut in [Cut::Reload, lost] {
                let disturbed = Play::new(&name, runs, Some((at, cut))).outcome();
                let mut lines = disturbed.lines().zip(outcome.lines());
                let different = lines.find(|(now, before)| now != before);
                if let Some((now, before)) = different {
                    faults.push(format!("{name}: {cut:?} after {at}: {now}, not {before}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
