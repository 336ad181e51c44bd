//! A tab: a session, its pending tasks, and its rendered cards.

use std::collections::BTreeMap;

use assistant_core::{
    action::{ActionSpec, Policy, RegistrationId, ToolError, ToolOutcome, schema::PatternHost},
    conversation::{CallKey, Change, Fingerprint, Phase},
    session::{
        Answer, CommitId, Effect, Host, Input, Invocation, JournalEntry, Output, PolicyQuestion,
        RunKey, Session, SessionOptions, StoredCalls, TimerId,
    },
};
use assistant_protocols::agui::{self, Decoder, DecoderOptions};
use serde_json::{Value, json};

/// The names of the page's actions.
pub(super) const TOOLS: [&str; 4] = ["pay", "look", "count", "slow"];
/// The name of the idempotent action.
pub(super) const IDEMPOTENT: &str = "count";

/// The host of a session.
#[derive(Debug, Clone)]
pub(super) struct TabHost {
    pub(super) tab: u64,
    ids: u64,
    pub(super) clock: i64,
}

impl PatternHost for TabHost {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for TabHost {
    fn now(&mut self) -> i64 {
        self.clock
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("tab{}-{}", self.tab, self.ids)
    }

    fn needs_approval(&mut self, _: PolicyQuestion<'_>) -> Answer<bool> {
        Answer::Now(false)
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}

/// A call's card as it was rendered last.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Card {
    pub(super) name: String,
    pub(super) args: Option<Value>,
    pub(super) phase: Phase,
    pub(super) has_unknown_outcome: bool,
    pub(super) fingerprint: Option<Fingerprint>,
}

/// A task that the environment still has to complete for a tab.
#[derive(Debug)]
pub(super) enum PendingTask {
    Commit(CommitId, Box<JournalEntry>),
    Handler(Box<Invocation>),
    Timer(TimerId),
}

/// An effect of a tab that the history has to handle.
#[derive(Debug)]
pub(super) enum TabEffect {
    /// A handler was started.
    Started(Box<Invocation>),
    /// A result is to be written to the journal.
    Recorded(Box<JournalEntry>),
    /// A request was sent.
    Asked(Value),
}

/// A tab of the browser.
#[derive(Debug)]
pub(super) struct Tab {
    pub(super) session: Session,
    pub(super) desk: TabHost,
    pub(super) run: Option<(RunKey, Decoder)>,
    pub(super) tasks: Vec<PendingTask>,
    pub(super) cards: BTreeMap<CallKey, Card>,
    /// The number of the version of the actions' rules.
    pub(super) edition: u64,
    /// The calls that were passed to the store, so that other tabs may know them.
    pub(super) stored: StoredCalls,
    /// True if the last write to the store failed.
    pub(super) is_in_trouble: bool,
    /// True if the tab writes nothing more, since another tab owns the conversation.
    pub(super) is_apart: bool,
    /// The journal entries that are still to be written.
    pub(super) unwritten: Vec<JournalEntry>,
}

impl Tab {
    pub(super) fn new(number: u64, clock: i64) -> Self {
        let mut tab = Self {
            session: Session::new("thread", SessionOptions::default()),
            desk: TabHost {
                tab: number,
                ids: 0,
                clock,
            },
            run: None,
            tasks: Vec::new(),
            cards: BTreeMap::new(),
            edition: 0,
            stored: StoredCalls::default(),
            is_in_trouble: false,
            is_apart: false,
            unwritten: Vec::new(),
        };
        tab.register_actions();
        tab
    }

    /// Registers the page's actions, for the first time or again.
    pub(super) fn register_actions(&mut self) -> Vec<TabEffect> {
        let mut news = Vec::new();
        for (place, name) in (1..).zip(TOOLS) {
            let mut spec = ActionSpec::new(name, "")
                .with_handler(true)
                .with_idempotent(name == IDEMPOTENT);
            if name == "pay" {
                spec = spec.with_approval(Policy::Always);
            }
            if self.edition > 0 {
                spec = spec.with_version(self.edition.to_string());
            }
            if name == "slow" {
                spec = spec.with_timeout_ms(1_000);
            }
            let (id, spec) = (RegistrationId::new(place), Box::new(spec));
            news.extend(self.handle_input(Input::Register { id, spec }).1);
        }
        news
    }

    /// Passes an input to the session and executes its immediate effects. Returns false if the
    /// session refused the input.
    pub(super) fn handle_input(&mut self, input: Input) -> (bool, Vec<TabEffect>) {
        let output = self.session.handle(input, &mut self.desk);
        self.render_cards(&output);
        let accepted = output.refused.is_none();
        let mut news = Vec::new();
        for effect in output.effects {
            news.extend(self.execute_effect(effect));
        }
        (accepted, news)
    }

    fn execute_effect(&mut self, effect: Effect) -> Vec<TabEffect> {
        match effect {
            Effect::PrepareRun { run } => return self.handle_input(Input::OpenRun { run }).1,
            Effect::OpenRun { run, input } => {
                self.run = Some((run, Decoder::new(DecoderOptions::default())));
                return vec![TabEffect::Asked(agui::run_input(&input))];
            }
            Effect::AbortRun { .. } => self.run = None,
            Effect::Commit { commit, entry } => {
                self.tasks
                    .push(PendingTask::Commit(commit, Box::new(entry)));
            }
            Effect::Record { entry } => return vec![TabEffect::Recorded(Box::new(entry))],
            Effect::Invoke(invocation) => {
                self.tasks.push(PendingTask::Handler(invocation.clone()));
                return vec![TabEffect::Started(invocation)];
            }
            Effect::CancelHandler { invocation } => self.tasks.retain(
                |task| !matches!(task, PendingTask::Handler(known) if known.id() == invocation),
            ),
            Effect::StartTimer { timer, .. } => self.tasks.push(PendingTask::Timer(timer)),
            Effect::StoreApprovals { .. }
            | Effect::SwapApproval { .. }
            | Effect::Preview(_)
            | Effect::Executed { .. }
            | Effect::Archive { .. } => {}
        }
        Vec::new()
    }

    /// Decodes an event of the agent and passes it to the open run, if any.
    pub(super) fn handle_event(&mut self, event: Value) -> Vec<TabEffect> {
        let Some((run, decoder)) = &mut self.run else {
            return Vec::new();
        };
        let (run, mut events) = (*run, Vec::new());
        // The decoder reports invalid events itself.
        let _ = decoder.push_value(event, &mut events);
        let inputs = events.into_iter().map(Box::new);
        inputs
            .flat_map(|event| self.handle_input(Input::Event { run, event }).1)
            .collect()
    }

    /// Ends a handler, with success or with an error.
    pub(super) fn end_handler(&mut self, invocation: &Invocation, ok: bool) -> Vec<TabEffect> {
        let outcome = match ok {
            true => Ok(ToolOutcome::Continue(json!({"did": invocation.call_id()}))),
            false => Err(ToolError::new("no luck")),
        };
        let invocation = invocation.id();
        self.handle_input(Input::Finished {
            invocation,
            outcome,
        })
        .1
    }

    /// Renders the cards to which the changes of an output refer.
    fn render_cards(&mut self, output: &Output) {
        for change in &output.changes {
            match change {
                Change::Thread => self.cards.clear(),
                Change::Call(key) => self.render_card(*key),
                Change::Registry | Change::Interrupts => {
                    for key in self.cards.keys().copied().collect::<Vec<_>>() {
                        self.render_card(key);
                    }
                }
                Change::Path | Change::Message(_) | Change::PartAdded { .. } => {
                    for key in self.session.conversation().path_calls() {
                        if !self.cards.contains_key(&key) {
                            self.render_card(key);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn render_card(&mut self, key: CallKey) {
        if let Some(card) = self.current_card(&key) {
            self.cards.insert(key, card);
        }
    }

    /// Returns the current card of a call.
    fn current_card(&self, key: &CallKey) -> Option<Card> {
        let call = self.session.conversation().call(key)?;
        // A call without a question is not shown with the current rules.
        let is_asked = call.phase() == Phase::ApprovalRequested;
        let fingerprint = || self.session.fingerprint(key);
        Some(Card {
            name: call.name().to_owned(),
            args: call.effective_args().cloned(),
            phase: call.phase(),
            has_unknown_outcome: call.has_unknown_outcome(),
            fingerprint: is_asked.then(fingerprint).flatten(),
        })
    }

    /// Returns the number of cards that differ from their calls.
    pub(super) fn count_wrong_cards(&self) -> u64 {
        let keys = self.session.conversation().path_calls();
        let is_wrong = |key: &&CallKey| self.cards.get(*key) != self.current_card(key).as_ref();
        keys.iter().filter(is_wrong).count() as u64
    }
}
