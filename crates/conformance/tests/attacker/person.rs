//! The person, the page, and what they write down of what was shown and what ran.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    action::{ActionSpec, Policy, RegistrationId, ToolError, ToolOutcome, schema::PatternHost},
    conversation::{CallKey, Fingerprint, MarkdownTools, MessageId},
    event::{Content, ResumeStatus},
    session::{
        Answer, Effect, Failure, FailureKind, Host, Input, Invocation, InvocationId, Options,
        PolicyQuestion, RunKey, Session, StreamEnd, TreeChange, Verdict,
    },
    wire::agui::{self, Decoder},
};
use conformance::attacker::{Agent, Args, End, Move, Page, Says, Tool};
use serde_json::{Value, json};

/// The host of the page; its rule asks about everything that goes to Ann.
#[derive(Debug, Clone, Default)]
struct Desk(u64);

fn rule_asks(args: &Value) -> bool {
    args["to"] == "Ann"
}

impl PatternHost for Desk {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for Desk {
    fn now(&mut self) -> i64 {
        0
    }

    fn new_id(&mut self) -> String {
        self.0 += 1;
        format!("id{}", self.0)
    }

    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool> {
        Answer::Now(rule_asks(question.args))
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}

/// A card as the person saw it.
#[derive(Debug, Clone)]
struct Card {
    call: CallKey,
    id: String,
    name: String,
    args: Value,
    print: Option<Fingerprint>,
    by_agent: bool,
}

/// A page with a person before it, and an agent that is up to something.
pub(crate) struct Scene {
    session: Session,
    desk: Desk,
    agent: Agent,
    believes: bool,
    run: Option<(RunKey, Decoder)>,
    ended_well: bool,
    /// The screen as the person saw it last.
    screen: Vec<Card>,
    /// Every call that a card ever asked about.
    asked: BTreeSet<CallKey>,
    granted: BTreeMap<CallKey, Card>,
    refused: BTreeSet<CallKey>,
    refused_ids: BTreeSet<String>,
    ran: BTreeSet<CallKey>,
    ran_ids: BTreeSet<String>,
    /// What the agent asked about and the newest run answers.
    answered: BTreeSet<String>,
    live: Vec<InvocationId>,
    said: BTreeSet<String>,
    registrations: u64,
    /// How many handlers were started.
    pub(crate) starts: usize,
}

impl Scene {
    pub(crate) fn new(options: u8) -> Self {
        let intercept = options & 3 == 3;
        let options_of = Options {
            sequential: options & 4 != 0,
            auto_deny: options & 8 != 0,
            markdown_tools: match intercept {
                true => MarkdownTools::Intercept,
                false => MarkdownTools::Off,
            },
            ..Options::default()
        };
        let mut scene = Self {
            session: Session::new("thread", options_of),
            desk: Desk::default(),
            agent: Agent::default(),
            believes: options & 16 != 0,
            run: None,
            ended_well: false,
            screen: Vec::new(),
            asked: BTreeSet::new(),
            granted: BTreeMap::new(),
            refused: BTreeSet::new(),
            refused_ids: BTreeSet::new(),
            ran: BTreeSet::new(),
            ran_ids: BTreeSet::new(),
            answered: BTreeSet::new(),
            live: Vec::new(),
            said: BTreeSet::new(),
            registrations: 0,
            starts: 0,
        };
        for tool in Tool::ALL {
            scene.register(tool);
        }
        scene.speak();
        scene
    }

    fn input(&mut self, input: Input) -> bool {
        let step = self.session.handle(input, &mut self.desk);
        for effect in step.effects {
            self.carry_out(effect);
        }
        // A card that stands on the screen asks, whether anybody looks or not.
        let cards: Vec<CallKey> = self.cards().into_iter().map(|card| card.call).collect();
        self.asked.extend(cards);
        step.refused.is_none()
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::OpenRun { run, input } => {
                let open = self.session.interrupts().iter();
                let gated = open.filter(|open| open.answer.is_some());
                let gated = gated.filter_map(|open| open.interrupt.tool_call_id.clone());
                self.answered = gated.collect();
                let request = agui::run_input(&input);
                self.check_request(&request);
                let started = self.agent.receives(&request, self.believes);
                self.run = Some((run, Decoder::new(agui::Options::default())));
                self.ended_well = false;
                self.hears(started);
            }
            Effect::AbortRun { .. } => self.run = None,
            Effect::Commit { commit, .. } => {
                let outcome = Ok(());
                self.input(Input::Committed { commit, outcome });
            }
            Effect::Invoke(invocation) => self.check_start(&invocation),
            Effect::CancelHandler { invocation } => self.live.retain(|id| *id != invocation),
            Effect::Record { .. }
            | Effect::StartTimer { .. }
            | Effect::Executed { .. }
            | Effect::Archive { .. } => {}
        }
    }

    fn hears(&mut self, event: Value) {
        let Some((run, decoder)) = &mut self.run else {
            return;
        };
        let (run, mut events) = (*run, Vec::new());
        let read = decoder.push_value(event, &mut events);
        for event in events {
            let event = Box::new(event);
            self.input(Input::Event { run, event });
        }
        if let Err(error) = read {
            self.close(StreamEnd::Failed(Failure::new(
                FailureKind::Protocol,
                error.to_string(),
            )));
        }
    }

    fn close(&mut self, end: StreamEnd) {
        self.ended_well &= end == StreamEnd::Closed;
        if let Some((run, _)) = self.run.take() {
            self.input(Input::RunClosed { run, end });
        }
    }

    /// Plays one move.
    pub(crate) fn play(&mut self, step: &Move) {
        match step {
            Move::End(end) => self.end(end),
            Move::Look => self.screen = self.cards(),
            Move::Click { card, says, looks } => self.click(*card, *says, *looks),
            Move::Speak => self.speak(),
            Move::Rephrase(message) => {
                let content = self.words();
                self.tree(*message, |message| TreeChange::Edit { message, content });
            }
            Move::Anew(message) => {
                self.tree(*message, |message| TreeChange::Regenerate { message });
            }
            Move::Turn(message) => {
                self.tree(*message, |message| TreeChange::Select {
                    message,
                    exact: false,
                });
            }
            Move::Stop => drop(self.input(Input::Stop)),
            Move::Retry => {
                let before = self.agent.clone();
                self.agent.turns();
                if !self.input(Input::Retry) {
                    self.agent = before;
                }
            }
            Move::Page(page) => self.page(*page),
            _ if self.run.is_some() => {
                for event in self.agent.plays(step) {
                    self.hears(event);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, end: &End) {
        if self.run.is_none() {
            return;
        }
        let mut last = json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r"});
        match end {
            End::Well => {}
            End::Asks(calls) => {
                let schema = json!({
                    "type": "object",
                    "properties": {"approved": {"type": "boolean"}, "editedArgs": {}},
                });
                let calls = calls.iter().filter_map(|pick| self.agent.call(*pick));
                let asks = calls.enumerate().map(|(number, call)| {
                    json!({
                        "id": format!("int{number}"), "reason": "approval", "toolCallId": call,
                        "responseSchema": schema,
                    })
                });
                let asks: Vec<Value> = asks.collect();
                if !asks.is_empty() {
                    last["outcome"] = json!({"type": "interrupt", "interrupts": asks});
                }
            }
            End::Error => last = json!({"type": "RUN_ERROR", "message": "no"}),
            End::Cut => return self.close(StreamEnd::Closed),
        }
        self.ended_well = !matches!(end, End::Error);
        self.hears(last);
        self.close(StreamEnd::Closed);
    }

    /// What asks for a decision on the screen.
    fn cards(&self) -> Vec<Card> {
        let conversation = self.session.conversation();
        let card = |call: CallKey| {
            let shown = conversation.call(&call)?;
            let args = shown.effective_args().cloned();
            Some(Card {
                call,
                id: shown.id.clone(),
                name: shown.name.clone(),
                args: args.unwrap_or_else(|| shown.args_text().into()),
                print: self.session.fingerprint(&call),
                by_agent: shown.approval.as_ref()?.interrupt_id.is_some(),
            })
        };
        self.session
            .pending_approvals()
            .into_iter()
            .filter_map(card)
            .collect()
    }

    fn click(&mut self, pick: u8, says: Says, looks: bool) {
        if looks {
            self.screen = self.cards();
        }
        let place = usize::from(pick).checked_rem(self.screen.len());
        let Some(mut card) = place.and_then(|place| self.screen.get(place)).cloned() else {
            return;
        };
        let verdict = match says {
            Says::No => Verdict::Deny { reason: None },
            Says::Yes => Verdict::Approve { args: None },
            Says::With(args) => {
                card.args = changed(args);
                Verdict::Approve {
                    args: Some(card.args.clone()),
                }
            }
        };
        let before = (
            self.granted.clone(),
            self.refused.clone(),
            self.refused_ids.clone(),
        );
        // What the click leads to is judged by what it says.
        match says {
            Says::No => {
                self.granted.remove(&card.call);
                self.refused.insert(card.call);
                self.refused_ids.insert(card.id.clone());
            }
            Says::Yes | Says::With(_) => {
                self.refused.remove(&card.call);
                self.refused_ids.remove(&card.id);
                self.granted.insert(card.call, card.clone());
            }
        }
        let (call, shown) = (card.call, card.print);
        if !self.input(Input::Decide {
            call,
            shown,
            verdict,
        }) {
            (self.granted, self.refused, self.refused_ids) = before;
        }
    }

    fn words(&mut self) -> Content {
        let words = format!("words {}", self.said.len());
        self.said.insert(words.clone());
        Content::Text(words)
    }

    fn speak(&mut self) {
        let content = self.words();
        let before = self.agent.clone();
        if self.session.conversation().shows_other_branch() {
            self.agent.turns();
        }
        match self.input(Input::Send { content }) {
            true => self.turn_off(),
            false => self.agent = before,
        }
    }

    /// The person is somewhere else: an id may mean another call there.
    fn turn_off(&mut self) {
        self.ran_ids.clear();
        self.refused_ids.clear();
    }

    fn tree(&mut self, pick: u8, change: impl FnOnce(MessageId) -> TreeChange) {
        let all = self.session.conversation().all_messages();
        let ids: Vec<MessageId> = all.map(|message| message.id.clone()).collect();
        let place = usize::from(pick).checked_rem(ids.len());
        let Some(id) = place.and_then(|place| ids.get(place)) else {
            return;
        };
        // What the change leads to happens on the other branch already.
        let before = (
            self.ran_ids.clone(),
            self.refused_ids.clone(),
            self.agent.clone(),
        );
        self.turn_off();
        if !self.session.is_busy() {
            self.agent.turns();
        }
        let change = change(id.clone());
        if !self.input(Input::Tree { change }) {
            (self.ran_ids, self.refused_ids, self.agent) = before;
        }
    }

    fn page(&mut self, page: Page) {
        match page {
            Page::Ends(pick) => {
                let place = usize::from(pick).checked_rem(self.live.len());
                if let Some(invocation) = place.map(|place| self.live.remove(place)) {
                    let outcome: Result<_, ToolError> = Ok(ToolOutcome::Continue(json!(1)));
                    self.input(Input::Finished {
                        invocation,
                        outcome,
                    });
                }
            }
            Page::Reload => {
                self.run = None;
                let (thread_id, snapshot) = ("thread".to_owned(), self.session.export());
                assert!(self.input(Input::Load {
                    thread_id,
                    snapshot
                }));
            }
            Page::Register(tool) => self.register(tool),
            Page::Unregister(tool) => {
                let entry = self.session.registry().in_force(tool.name());
                if let Some(id) = entry.map(|entry| entry.id) {
                    self.input(Input::Unregister { id });
                }
            }
        }
    }

    fn register(&mut self, tool: Tool) {
        let policy = match tool {
            Tool::Pay | Tool::Erase => Policy::Always,
            Tool::Look => Policy::Never,
            Tool::Maybe => Policy::Ask,
            Tool::Theirs => return,
        };
        self.registrations += 1;
        let mut spec = ActionSpec::new(tool.name(), "");
        spec.has_handler = true;
        spec.approval = policy;
        spec.exclusive = tool == Tool::Erase;
        if self.registrations.is_multiple_of(3) {
            spec.parameters = json!({"type": "object", "required": ["to"]});
        }
        let (id, spec) = (RegistrationId(self.registrations), Box::new(spec));
        self.input(Input::Register { id, spec });
    }

    /// A handler starts. By all that was shown and said, it must be allowed to.
    fn check_start(&mut self, run: &Invocation) {
        self.starts += 1;
        let (key, id) = (run.call, &run.call_id);
        let grant = self.granted.get(&key);
        let asks = match run.name.as_str() {
            "look" => false,
            "maybe" => rule_asks(&run.args),
            _ => true,
        };
        if asks || self.asked.contains(&key) {
            let grant = grant.unwrap_or_else(|| panic!("nobody agreed to {run:?}"));
            let shown = (&grant.name, &grant.args);
            assert_eq!(shown, (&run.name, &run.args), "agreed to something else");
            assert!(
                !(asks && grant.by_agent),
                "an answer to the agent let {run:?} start"
            );
        }
        assert!(!self.refused.contains(&key), "denied: {run:?}");
        assert!(!self.refused_ids.contains(id), "denied by its id: {run:?}");
        assert!(self.ran.insert(key), "once more: {run:?}");
        assert!(
            self.ran_ids.insert(id.clone()),
            "once more by its id: {run:?}"
        );
        assert!(self.run.is_none(), "before the run was over: {run:?}");
        if grant.is_none() {
            assert!(self.ended_well, "after a run that did not succeed: {run:?}");
            let is_news = self.agent.has_said(id) || self.answered.contains(id);
            assert!(is_news, "an old call: {run:?}");
        }
        self.live.push(run.id);
    }

    /// A request has the person's own words, and an answer for every call.
    fn check_request(&self, request: &Value) {
        let messages = request["messages"].as_array().cloned().unwrap_or_default();
        let mut open: BTreeSet<String> = BTreeSet::new();
        for message in &messages {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            match message["role"].as_str() {
                Some("user") => {
                    // Under an id of its own the agent may say what it likes; it is marked so.
                    let said = text(&message["content"]);
                    let forged = !text(&message["id"]).starts_with("id");
                    assert!(forged || self.said.contains(&said), "nobody said {said}");
                }
                Some("tool") => {
                    let call = text(&message["toolCallId"]);
                    assert!(open.remove(&call), "{call} is answered twice: {messages:?}");
                }
                _ => {
                    for call in message["toolCalls"].as_array().into_iter().flatten() {
                        let id = text(&call["id"]);
                        assert!(open.insert(id), "listed twice: {messages:?}");
                    }
                }
            }
        }
        // The agent's own: it may answer these in the run that begins.
        let conversation = self.session.conversation();
        for key in conversation.active_calls() {
            if let Some(call) = conversation.call(&key) {
                let theirs = call.phase() == assistant_core::conversation::Phase::Running;
                if theirs || self.answered.contains(&call.id) {
                    open.remove(&call.id);
                }
            }
        }
        assert!(
            open.is_empty(),
            "without an answer: {open:?} in {messages:?}"
        );
    }

    /// Nobody does anything more: what is open comes to its end.
    pub(crate) fn settle(&mut self) {
        self.input(Input::Tree {
            change: TreeChange::ShowRun,
        });
        for _ in 0..40 {
            if !self.session.is_busy() {
                return;
            }
            if self.run.is_some() {
                self.end(&End::Well);
            }
            while !self.live.is_empty() {
                self.page(Page::Ends(0));
            }
            self.click(0, Says::No, true);
            let open = self.session.interrupts().iter();
            let waits = open.filter(|open| open.answer.is_none());
            let ids: Vec<String> = waits.map(|open| open.interrupt.id.clone()).collect();
            for interrupt_id in ids {
                let (status, payload) = (ResumeStatus::Cancelled, None);
                self.input(Input::Answer {
                    interrupt_id,
                    status,
                    payload,
                });
            }
            for call in self.session.pending_approvals() {
                let (shown, verdict) = (None, Verdict::Deny { reason: None });
                self.input(Input::Decide {
                    call,
                    shown,
                    verdict,
                });
            }
        }
        panic!("it never ends: {:?}", self.session.interrupts());
    }
}

fn changed(args: Args) -> Value {
    serde_json::from_str(args.text()).unwrap_or_else(|_| json!({"to": "nobody"}))
}
