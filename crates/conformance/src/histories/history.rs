//! Plays a history in random steps, and records what the final checks need.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    conversation::MessageId,
    event::Content,
    session::{Failure, FailureKind, Input, Invocation, JournalEntry, StoredCalls, StreamEnd},
};
use fastrand::Rng;
use serde_json::Value;

use super::{
    agent::Agent,
    page::{IDEMPOTENT, PendingTask, Tab, TabEffect},
    store::{FailureMode, Store},
    tally::Tally,
};

/// A step of the simulation.
type SimulationStep = fn(&mut ChatSimulation);

/// A chat across several tabs.
pub(super) struct ChatSimulation {
    pub(super) rng: Rng,
    pub(super) tally: Tally,
    pub(super) store: Store,
    pub(super) tab: Tab,
    /// The abandoned tabs whose handlers are still running, and that may try to start others.
    pub(super) left: Vec<Tab>,
    /// The tab that follows the conversation without owning it, if open.
    pub(super) follower: Option<Tab>,
    pub(super) tabs: u64,
    pub(super) agent: Agent,
    /// The number of starts of each call's handler, by the agent's id of the call.
    pub(super) starts: BTreeMap<String, u32>,
    /// The calls that the user agreed to run again.
    pub(super) again: BTreeSet<String>,
    /// The approved arguments of each call, as shown on its card.
    pub(super) approved: BTreeMap<String, Value>,
    /// The results that were written to the journal.
    pub(super) results: BTreeMap<String, Value>,
    /// The results that are still to be written to the journal.
    pub(super) unwritten_results: BTreeMap<String, Value>,
    /// The texts of the stored messages.
    pub(super) texts: BTreeMap<MessageId, String>,
    /// The newest request.
    pub(super) request: Value,
}

impl ChatSimulation {
    pub(super) fn new(seed: u64) -> Self {
        let mut history = Self {
            rng: Rng::with_seed(seed),
            tally: Tally {
                histories: 1,
                ..Tally::default()
            },
            store: Store::default(),
            tab: Tab::new(0, 0),
            left: Vec::new(),
            follower: None,
            tabs: 0,
            agent: Agent::default(),
            starts: BTreeMap::new(),
            again: BTreeSet::new(),
            approved: BTreeMap::new(),
            results: BTreeMap::new(),
            unwritten_results: BTreeMap::new(),
            texts: BTreeMap::new(),
            request: Value::Null,
        };
        history.store.fences = history.rng.bool();
        history.store.set_owner(0);
        history.send_message();
        history
    }

    /// Executes a random step that is possible now, with weighted probabilities.
    pub(super) fn play_random_step(&mut self) {
        self.tab.desk.clock += 10;
        let waits = !self.tab.session.pending_approvals().is_empty();
        let (runs, works) = (self.tab.run.is_some(), !self.tab.tasks.is_empty());
        let idle = !self.tab.session.is_busy();
        let fails = self.store.mood != FailureMode::Works;
        let weigh = |can: bool, weight: u32| if can { weight } else { 0 };
        let all: [(u32, SimulationStep); 16] = [
            (weigh(runs, 40), |it| it.step_agent(false)),
            (weigh(works, 20), |it| it.complete_task(false)),
            (weigh(waits, 20), Self::decide_random_card),
            (weigh(idle, 30), Self::send_message),
            (weigh(idle, 6), |it| it.try_input(Input::Retry)),
            (weigh(idle, 6), |it| it.try_input(Input::Continue)),
            (weigh(!self.left.is_empty(), 10), Self::step_abandoned_tab),
            (5, Self::try_to_save_state),
            (3, Self::change_branch),
            (1, |it| it.try_input(Input::Stop)),
            (weigh(true, 3) + weigh(works, 5), Self::kill_tab),
            (2 + weigh(fails, 3), Self::toggle_store_failure),
            (weigh(runs, 1), Self::break_connection),
            (6, Self::step_follower),
            (3, Self::remount_component),
            (6, Self::check_import),
        ];
        let sum = all.iter().map(|(weight, _)| weight).sum();
        let mut pick = self.rng.u32(0..sum);
        for (weight, act) in all {
            if pick < weight {
                act(self);
                break;
            }
            pick -= weight;
        }
        self.count_wrong_cards();
    }

    /// Counts the cards that do not match their calls.
    pub(super) fn count_wrong_cards(&mut self) {
        self.tally.wrong_card += self.tab.count_wrong_cards();
        let follower = self.follower.as_ref();
        self.tally.wrong_card += follower.map_or(0, Tab::count_wrong_cards);
    }

    pub(super) fn handle_input(&mut self, input: Input) -> bool {
        let (accepted, news) = self.tab.handle_input(input);
        self.handle_effects(news);
        accepted
    }

    /// Passes an input that the session may refuse.
    pub(super) fn try_input(&mut self, input: Input) {
        self.handle_input(input);
    }

    pub(super) fn handle_effects(&mut self, news: Vec<TabEffect>) {
        for news in news {
            match news {
                TabEffect::Started(invocation) => self.record_start(&invocation),
                TabEffect::Recorded(entry) => self.record_result(&entry),
                TabEffect::Asked(request) => {
                    self.request = request;
                    let event = self.agent.begin_run(&self.request);
                    let news = self.tab.handle_event(event);
                    self.handle_effects(news);
                }
            }
        }
    }

    pub(super) fn record_start(&mut self, invocation: &Invocation) {
        let id = invocation.call_id();
        let count = self.starts.entry(id.to_owned()).or_default();
        *count += 1;
        let agreed = invocation.name() == IDEMPOTENT || self.again.remove(id);
        if *count > 1 && !agreed {
            self.tally.double_starts += 1;
        }
        let shown = self.approved.get(id);
        if invocation.name() == "pay" && shown != Some(invocation.args()) {
            self.tally.wrong_card += 1;
        }
    }

    /// Writes a result to the journal, if possible; the session does not wait. As in the page,
    /// the result and the conversation are written in one batch, so that the journal names no
    /// unknown call.
    pub(super) fn record_result(&mut self, entry: &JournalEntry) {
        let JournalEntry::Finished { call, result, .. } = entry else {
            return;
        };
        let known = self.tab.session.conversation().call(call);
        let Some(id) = known.map(|call| call.id().to_owned()) else {
            return;
        };
        self.tab.unwritten.push(entry.clone());
        self.unwritten_results.insert(id, result.value().clone());
        if !self.tab.is_in_trouble {
            self.save_state();
        }
    }

    pub(super) fn send_message(&mut self) {
        let text = format!("words {}", self.rng.u16(..));
        let content = Content::Text(text);
        if self.handle_input(Input::Send { content }) {
            self.save_state();
        }
    }

    pub(super) fn step_agent(&mut self, politely: bool) {
        if self.tab.run.is_none() {
            return;
        }
        let moves = match politely {
            true => self.agent.end_run(),
            false => self.agent.next_events(&mut self.rng),
        };
        for event in moves {
            let news = self.tab.handle_event(event);
            self.handle_effects(news);
        }
        if self.agent.is_silent() {
            self.close_stream(StreamEnd::Closed);
        }
    }

    pub(super) fn close_stream(&mut self, end: StreamEnd) {
        if let Some((run, _)) = self.tab.run.take() {
            self.handle_input(Input::RunClosed { run, end });
            self.save_state();
        }
    }

    /// Registers the page's actions again, possibly with other rules, which voids earlier questions
    /// and approvals.
    fn remount_component(&mut self) {
        self.tab.edition = u64::from(self.rng.bool());
        let news = self.tab.register_actions();
        self.handle_effects(news);
    }

    pub(super) fn break_connection(&mut self) {
        let failure = Failure::new(FailureKind::Network, "gone");
        self.close_stream(StreamEnd::Failed(failure));
    }

    /// Completes a random pending task of the tab. Unless `politely` is true, a handler may fail,
    /// and a timer may be dropped.
    pub(super) fn complete_task(&mut self, politely: bool) {
        if self.tab.tasks.is_empty() {
            return;
        }
        let place = self.rng.usize(..self.tab.tasks.len());
        match self.tab.tasks.swap_remove(place) {
            PendingTask::Commit(commit, entry) => {
                self.commit_start(commit, &entry);
            }
            PendingTask::Handler(invocation) => {
                let ok = politely || self.rng.u8(..) > 40;
                let news = self.tab.end_handler(&invocation, ok);
                self.handle_effects(news);
            }
            PendingTask::Timer(timer) => {
                if politely || self.rng.u8(..) < 60 {
                    self.handle_input(Input::Timer { timer });
                }
            }
        }
    }

    /// Kills the tab, and replaces it by a reload or by another tab, if the store has a snapshot.
    /// The handlers of the killed tab may keep running.
    pub(super) fn kill_tab(&mut self) {
        self.tally.crashes += 1;
        let is_left = self.rng.u8(..) < 80;
        if let Some(mut tab) = self.reload().filter(|_| is_left) {
            tab.run = None;
            self.left.push(tab);
        }
    }

    pub(super) fn reload(&mut self) -> Option<Tab> {
        // A write in progress when a tab dies may or may not succeed.
        let is_written = self.rng.bool();
        self.store.flush_pending(is_written);
        let (snapshot, journal) = self.store.load()?;
        self.agent.disconnect();
        let taker = self.take_successor();
        self.store.set_owner(taker.desk.tab);
        self.store.record_given(taker.desk.tab, Some(&snapshot));
        let before = std::mem::replace(&mut self.tab, taker);
        self.unwritten_results.clear();
        let thread_id = "thread".to_owned();
        let restored = self.handle_input(Input::Restore {
            thread_id,
            snapshot,
            journal,
        });
        if !restored {
            self.tally.stuck += 1;
        }
        self.tab.stored.add(StoredCalls::of(&self.tab.session));
        self.check_texts();
        Some(before)
    }
}
