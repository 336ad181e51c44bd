//! The user and the page, with records of the cards that were shown and the calls that ran.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    action::{GrantBounds, Remember, RememberScope},
    conversation::{CallKey, Decider, Fingerprint, MarkdownTools, MessageId},
    event::{Content, ResumeStatus},
    json::form::interrupt_to_value,
    session::{
        Effect, Failure, FailureKind, Input, InvocationId, JournalEntry, PreviewRequest,
        QuestionLimits, RunKey, Session, SessionOptions, StreamEnd, Swap, TreeChange, Verdict,
    },
};
use assistant_protocols::agui::{self, Decoder};
use conformance::attacker::{Agent, Args, Bounds, CardDecision, Move, PageEvent, RunEnd, Tool};
use serde_json::{Value, json};

use super::{
    desk::PageHost,
    questions::{GivenAnswer, ShownQuestion, WrittenCall},
};

/// A card as the user has seen it.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub(crate) call: CallKey,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: Value,
    fingerprint: Fingerprint,
    /// The preview; `None` before the action has returned it.
    pub(crate) preview: Option<Result<Value, String>>,
    pub(crate) by_agent: bool,
    /// The call as the agent wrote it.
    pub(crate) written: WrittenCall,
    /// Everything that the agent sent with the card's questions.
    pub(crate) questions: Vec<Value>,
}

/// A remembered approval of the user.
#[derive(Debug, Clone)]
pub(crate) struct RememberedGrant {
    pub(crate) name: String,
    pub(crate) schema: Option<Value>,
    /// The arguments to which the approval applies; `None` for any arguments.
    pub(crate) args: Option<Value>,
    /// The maximum number of calls; `None` for any number.
    pub(crate) uses: Option<u32>,
    pub(crate) used: u32,
    pub(crate) since: i64,
    pub(crate) lasts_ms: Option<i64>,
    pub(crate) sum: Option<u32>,
}

/// The maximum number of questions that a run may cause.
pub(crate) const MOST_QUESTIONS: u32 = 3;

/// A page with a user, and a malicious agent.
pub(crate) struct Scene {
    pub(crate) session: Session,
    pub(crate) desk: PageHost,
    pub(crate) agent: Agent,
    believes: bool,
    /// The ids of all messages that the conversation has ever contained or that the page has sent.
    known: BTreeSet<String>,
    pub(crate) run: Option<(RunKey, Decoder)>,
    pub(crate) ended_well: bool,
    /// The cards as the user has seen them last.
    screen: Vec<Card>,
    /// The calls that any card has asked about.
    pub(crate) asked: BTreeSet<CallKey>,
    pub(crate) granted: BTreeMap<CallKey, Card>,
    /// The user's remembered approvals, by the ids that the engine assigned.
    pub(crate) allowed: BTreeMap<String, RememberedGrant>,
    pub(crate) refused: BTreeSet<CallKey>,
    pub(crate) refused_ids: BTreeSet<String>,
    pub(crate) ran: BTreeSet<CallKey>,
    pub(crate) ran_ids: BTreeSet<String>,
    /// The calls that the agent's newest run has answered questions about.
    pub(crate) answered: BTreeSet<String>,
    /// The user's answers to questions of the agent, by the ids of the questions, oldest first.
    pub(crate) given: BTreeMap<String, Vec<GivenAnswer>>,
    /// The questions as the user has read them last.
    pub(crate) read_questions: Vec<ShownQuestion>,
    /// The ids of the questions that the newest request answers.
    pub(crate) carried: Vec<String>,
    /// The calls that a remembered approval has handed off to the agent.
    pub(crate) sent_approvals: BTreeSet<(CallKey, String)>,
    /// The entries of the journal.
    pub(crate) journal: Vec<JournalEntry>,
    pub(crate) live: Vec<InvocationId>,
    pub(crate) sent_texts: BTreeSet<String>,
    pub(crate) registrations: u64,
    /// The pending requests for previews.
    pub(crate) previews: Vec<PreviewRequest>,
    /// The number of changes of the data on which previews depend.
    pub(crate) world: u64,
    /// The repeated preview that is being handled, and the calls that may wait for it.
    pub(crate) saying: Option<(Result<Value, String>, Vec<CallKey>)>,
    /// The newest repeated preview of each call that has stopped waiting for a decision.
    pub(crate) confirmed: BTreeMap<CallKey, Result<Value, String>>,
    /// The approvals that are remembered if the preview has not changed.
    pub(crate) to_allow: BTreeMap<CallKey, RememberedGrant>,
    /// The number of started handlers.
    pub(crate) starts: usize,
    /// The calls whose cards the newest run has caused.
    pub(crate) new_cards: BTreeSet<CallKey>,
    /// The maximum number of cards that the newest run may cause.
    pub(crate) most_cards: usize,
}

impl Scene {
    pub(crate) fn new(options: u8) -> Self {
        let intercept = options & 3 == 3;
        let options_of = SessionOptions::default()
            .sequential(options & 4 != 0)
            .auto_deny(options & 8 != 0)
            .markdown_tools(match intercept {
                true => MarkdownTools::Intercept,
                false => MarkdownTools::Off,
            })
            .questions(
                QuestionLimits::default()
                    .per_run(MOST_QUESTIONS)
                    .per_minute(None),
            );
        let mut scene = Self {
            session: Session::new("thread", options_of),
            desk: PageHost::default(),
            agent: Agent::default(),
            believes: options & 16 != 0,
            known: BTreeSet::new(),
            run: None,
            ended_well: false,
            screen: Vec::new(),
            asked: BTreeSet::new(),
            granted: BTreeMap::new(),
            allowed: BTreeMap::new(),
            refused: BTreeSet::new(),
            refused_ids: BTreeSet::new(),
            ran: BTreeSet::new(),
            ran_ids: BTreeSet::new(),
            answered: BTreeSet::new(),
            given: BTreeMap::new(),
            read_questions: Vec::new(),
            carried: Vec::new(),
            sent_approvals: BTreeSet::new(),
            journal: Vec::new(),
            live: Vec::new(),
            sent_texts: BTreeSet::new(),
            registrations: 0,
            previews: Vec::new(),
            world: 0,
            saying: None,
            confirmed: BTreeMap::new(),
            to_allow: BTreeMap::new(),
            starts: 0,
            new_cards: BTreeSet::new(),
            most_cards: MOST_QUESTIONS as usize,
        };
        for tool in Tool::ALL {
            scene.register(tool);
        }
        scene.send_message();
        scene
    }

    pub(crate) fn handle_input(&mut self, input: Input) -> bool {
        let step = self.session.handle(input, &mut self.desk);
        for effect in step.effects {
            self.execute_effect(effect);
        }
        // A card on the screen is a question, whether it is seen or not.
        let cards: Vec<CallKey> = self.cards().into_iter().map(|card| card.call).collect();
        let fresh = cards.iter().filter(|key| !self.asked.contains(*key));
        self.new_cards.extend(fresh.copied());
        assert!(
            self.new_cards.len() <= self.most_cards,
            "too many questions: {:?}",
            self.new_cards
        );
        self.asked.extend(cards);
        step.refused.is_none()
    }

    fn execute_effect(&mut self, effect: Effect) {
        match effect {
            Effect::PrepareRun { run } => {
                self.new_cards.clear();
                self.most_cards = MOST_QUESTIONS as usize;
                self.handle_input(Input::OpenRun { run });
            }
            Effect::OpenRun { run, input } => {
                let open = self.session.interrupts().iter();
                let answered = open.filter(|open| open.answer().is_some());
                let answered = answered.filter_map(|open| open.interrupt().tool_call_id.clone());
                self.answered = answered.collect();
                let request = agui::run_input(&input);
                self.check_request(&request);
                self.check_consent(&request);
                self.record_known_ids(&request);
                let started = self.agent.begin_run(&request, self.believes, &self.known);
                self.run = Some((run, Decoder::new(agui::DecoderOptions::default())));
                self.ended_well = false;
                self.handle_event(started);
            }
            Effect::AbortRun { .. } => self.run = None,
            Effect::Commit { commit, entry } => {
                self.record_entry(&entry);
                let outcome = Ok(());
                self.handle_input(Input::Committed { commit, outcome });
            }
            Effect::Invoke(invocation) => self.check_start(&invocation),
            Effect::CancelHandler { invocation } => self.live.retain(|id| *id != invocation),
            Effect::Record { entry } => self.record_entry(&entry),
            Effect::StartTimer { .. }
            | Effect::Executed { .. }
            | Effect::StoreApprovals { .. }
            | Effect::Archive { .. } => {}
            Effect::SwapApproval { ticket, .. } => {
                let outcome = Swap::Done;
                self.handle_input(Input::ApprovalSwapped { ticket, outcome });
            }
            Effect::Preview(asked) => self.previews.push(*asked),
        }
    }

    /// Records the ids of the conversation's messages, and of those in a request.
    fn record_known_ids(&mut self, request: &Value) {
        let conversation = self.session.conversation();
        for message in conversation.all_messages() {
            self.known.insert(message.wire_id().to_owned());
            let calls = conversation.calls_in(message);
            let results = calls.filter_map(|call| call.result());
            self.known
                .extend(results.map(|result| result.message_id().to_owned()));
        }
        let sent = request["messages"].as_array().into_iter().flatten();
        let ids = sent.filter_map(|message| message["id"].as_str());
        self.known.extend(ids.map(str::to_owned));
    }

    /// Passes an event of the agent to the session, and checks the other branches. Returns false if
    /// the decoder rejects the event, which ends the run.
    fn handle_event(&mut self, event: Value) -> bool {
        let Some((run, decoder)) = &mut self.run else {
            return false;
        };
        let (run, mut events) = (*run, Vec::new());
        let read = decoder.push_value(event.clone(), &mut events);
        let branches = self.other_branches();
        for event in events {
            let event = Box::new(event);
            self.handle_input(Input::Event { run, event });
        }
        self.check_branches(&branches, &event);
        self.record_known_ids(&Value::Null);
        if let Err(error) = &read {
            self.close_stream(StreamEnd::Failed(Failure::new(
                FailureKind::Protocol,
                error.to_string(),
            )));
        }
        read.is_ok()
    }

    fn close_stream(&mut self, end: StreamEnd) {
        self.ended_well &= end == StreamEnd::Closed;
        if let Some((run, _)) = self.run.take() {
            self.handle_input(Input::RunClosed { run, end });
        }
    }

    /// Plays one move.
    pub(crate) fn play(&mut self, step: &Move) {
        match step {
            Move::End(end) => self.end_run(end),
            Move::Look => {
                self.screen = self.cards();
                self.read_questions = self.open_questions();
            }
            Move::Reply {
                question,
                reply,
                looks,
            } => self.answer_question(*question, *reply, *looks),
            Move::Decide {
                question,
                choices,
                each,
                looks,
            } => self.decide_each(*question, choices, *each, *looks),
            Move::DenyAll => self.deny_all(),
            Move::Copy { restores, changes } => self.check_copy(*restores, changes),
            Move::ShowHeldBack => self.show_held_back(),
            Move::Click { card, says, looks } => self.decide_card(*card, *says, *looks),
            Move::Speak => self.send_message(),
            Move::Rephrase(message) => {
                let content = self.create_content();
                self.change_tree(*message, |message| TreeChange::Edit { message, content });
            }
            Move::Regenerate(message) => {
                self.change_tree(*message, |message| TreeChange::Regenerate { message });
            }
            Move::Turn(message) => {
                self.change_tree(*message, |message| TreeChange::Select {
                    message,
                    exact: false,
                });
            }
            Move::Stop => self.stop(),
            Move::Retry => {
                let before = self.agent.clone();
                self.agent.handle_branch_change();
                if !self.handle_input(Input::Retry) {
                    self.agent = before;
                }
            }
            Move::Page(page) => self.handle_page_event(*page),
            _ if self.run.is_some() => {
                for event in self.agent.play_move(step) {
                    self.handle_event(event);
                }
            }
            _ => {}
        }
    }

    fn end_run(&mut self, end: &RunEnd) {
        if self.run.is_none() {
            return;
        }
        let mut last = json!({"type": "RUN_FINISHED", "threadId": "thread", "runId": "r"});
        let mut raised = Vec::new();
        match end {
            RunEnd::Well => {}
            RunEnd::Interrupted(questions) => {
                raised = questions
                    .iter()
                    .map(|one| self.create_interrupt(one))
                    .collect();
                raised.dedup_by_key(|interrupt| interrupt["id"].clone());
                last["outcome"] = json!({"type": "interrupt", "interrupts": raised});
            }
            RunEnd::Error => last = json!({"type": "RUN_ERROR", "message": "no"}),
            RunEnd::Cut => return self.close_stream(StreamEnd::Closed),
        }
        self.ended_well = !matches!(end, RunEnd::Error);
        let before = self.remove_received_answers(&raised);
        if !self.handle_event(last) {
            self.given = before;
        }
        self.close_stream(StreamEnd::Closed);
    }

    /// Returns the cards that wait for a decision of the user.
    pub(crate) fn cards(&self) -> Vec<Card> {
        let conversation = self.session.conversation();
        let card = |call: CallKey| {
            let shown = conversation.call(&call)?;
            let args = shown.effective_args().cloned();
            let open = self.session.interrupts().iter();
            let asking =
                open.filter(|open| open.call_key() == Some(call) && open.answer().is_none());
            Some(Card {
                call,
                id: shown.id().to_owned(),
                name: shown.name().to_owned(),
                args: args.unwrap_or_else(|| shown.args_text().into()),
                fingerprint: self.session.fingerprint(&call)?,
                preview: shown.preview().cloned(),
                by_agent: shown.approval()?.interrupt_id().is_some(),
                written: WrittenCall::from_call(shown),
                questions: asking
                    .map(|open| interrupt_to_value(open.interrupt()))
                    .collect(),
            })
        };
        self.session
            .pending_approvals()
            .into_iter()
            .filter_map(card)
            .collect()
    }

    fn decide_card(&mut self, pick: u8, says: CardDecision, looks: bool) {
        if looks {
            // The user waits until the card shows the preview.
            while !self.previews.is_empty() {
                self.handle_page_event(PageEvent::Previews {
                    which: 0,
                    fails: false,
                });
            }
            self.screen = self.cards();
        }
        let place = usize::from(pick).checked_rem(self.screen.len());
        let Some(mut card) = place.and_then(|place| self.screen.get(place)).cloned() else {
            return;
        };
        let verdict = match says {
            CardDecision::Deny => Verdict::Deny { reason: None },
            CardDecision::Approve => Verdict::Approve { args: None },
            CardDecision::Remember { any_args, bounds } => Verdict::Remember {
                args: None,
                what: Remember::new(scope_of(bounds), any_args).bounded(to_grant_bounds(bounds)),
            },
            CardDecision::Edit(args) => {
                card.args = parse_edited_args(args);
                Verdict::Approve {
                    args: Some(card.args.clone()),
                }
            }
        };
        let before = (
            self.granted.clone(),
            self.refused.clone(),
            self.refused_ids.clone(),
            self.given.clone(),
        );
        // The effects of the decision are checked with the decision recorded.
        let edited = matches!(says, CardDecision::Edit(_)).then_some(&card.args);
        self.record_given_answers(&card, !matches!(says, CardDecision::Deny), edited);
        match says {
            CardDecision::Deny => {
                self.granted.remove(&card.call);
                self.refused.insert(card.call);
                self.refused_ids.insert(card.id.clone());
            }
            CardDecision::Approve | CardDecision::Edit(_) | CardDecision::Remember { .. } => {
                self.refused.remove(&card.call);
                self.refused_ids.remove(&card.id);
                self.granted.insert(card.call, card.clone());
            }
        }
        let (call, shown) = (card.call, card.fingerprint);
        let schema = self.schema_of(&card.name);
        if !self.handle_input(Input::Decide {
            call,
            shown,
            verdict,
            by: Decider::Person,
        }) {
            (self.granted, self.refused, self.refused_ids, self.given) = before;
        } else if let CardDecision::Remember { any_args, bounds } = says {
            let now = self.desk.clock;
            let allowed = RememberedGrant {
                name: card.name,
                schema,
                args: (!any_args).then_some(card.args),
                uses: bounds.uses,
                used: 0,
                since: now,
                lasts_ms: bounds.lasts_ms,
                sum: bounds.sum,
            };
            assert!(!card.by_agent, "an answer to the agent is remembered");
            if self.session.is_checking_preview(&call) {
                self.to_allow.insert(call, allowed);
                return;
            }
            let newest = self.session.remembered_approvals().last().cloned();
            let newest = newest.expect("it is remembered");
            self.allowed.insert(newest.id().to_owned(), allowed);
            // An equal approval is stored once.
            let list = self.session.remembered_approvals();
            let known = |id: &String| list.iter().any(|one| one.id() == *id);
            self.allowed.retain(|id, _| known(id));
        }
    }

    /// Returns the schema of a tool's registration; `None` if the tool is not registered.
    pub(crate) fn schema_of(&self, name: &str) -> Option<Value> {
        let entry = self.session.registry().active_registration(name)?;
        Some(entry.spec().parameters().clone())
    }

    fn create_content(&mut self) -> Content {
        let words = format!("words {}", self.sent_texts.len());
        self.sent_texts.insert(words.clone());
        Content::Text(words)
    }

    fn send_message(&mut self) {
        let content = self.create_content();
        let before = self.agent.clone();
        if self.session.conversation().shows_other_branch() {
            self.agent.handle_branch_change();
        }
        match self.handle_input(Input::Send { content }) {
            true => self.handle_branch_change(),
            false => self.agent = before,
        }
    }

    /// Forgets the ids of calls that ran or were denied, since an id may refer to another call on
    /// another branch.
    fn handle_branch_change(&mut self) {
        self.ran_ids.clear();
        self.refused_ids.clear();
    }

    fn change_tree(&mut self, pick: u8, change: impl FnOnce(MessageId) -> TreeChange) {
        let all = self.session.conversation().all_messages();
        let ids: Vec<MessageId> = all.map(|message| message.id().clone()).collect();
        let place = usize::from(pick).checked_rem(ids.len());
        let Some(id) = place.and_then(|place| ids.get(place)) else {
            return;
        };
        // The effects of the change already occur on the other branch.
        let before = (
            self.ran_ids.clone(),
            self.refused_ids.clone(),
            self.agent.clone(),
        );
        self.handle_branch_change();
        let change = change(id.clone());
        // With `auto_deny`, a repeated message denies everything open and goes to another branch.
        let branches_off = matches!(
            change,
            TreeChange::Edit { .. } | TreeChange::Regenerate { .. }
        );
        if branches_off || !self.session.is_busy() {
            self.agent.handle_branch_change();
        }
        if !self.handle_input(Input::Tree { change }) {
            (self.ran_ids, self.refused_ids, self.agent) = before;
        }
    }

    /// Ends the run, the handlers and the questions, without new input, until the session is idle.
    pub(crate) fn settle(&mut self) {
        self.handle_input(Input::Tree {
            change: TreeChange::ShowRun,
        });
        for _ in 0..40 {
            if !self.session.is_busy() {
                return;
            }
            if self.run.is_some() {
                self.end_run(&RunEnd::Well);
            }
            while !self.previews.is_empty() {
                self.handle_page_event(PageEvent::Previews {
                    which: 0,
                    fails: false,
                });
            }
            while !self.live.is_empty() {
                self.handle_page_event(PageEvent::Ends(0));
            }
            self.decide_card(0, CardDecision::Deny, true);
            for interrupt_id in self.unanswered_ids() {
                self.given.remove(&interrupt_id);
                let (status, payload) = (ResumeStatus::Cancelled, None);
                let shown = self.session.question_fingerprint(&interrupt_id);
                self.handle_input(Input::Answer {
                    interrupt_id,
                    shown: shown.expect("it is there"),
                    status,
                    payload,
                    by: Decider::Person,
                });
            }
            for call in self.session.pending_approvals() {
                let (shown, verdict) = (
                    self.session.fingerprint(&call),
                    Verdict::Deny { reason: None },
                );
                self.handle_input(Input::Decide {
                    call,
                    shown: shown.expect("it is there"),
                    verdict,
                    by: Decider::Person,
                });
            }
        }
        panic!("it never ends: {:?}", self.session.interrupts());
    }
}

/// Returns the scope of a remembered approval: `Conversation` for one use, so that the host stores
/// and counts it, otherwise `Session`.
const fn scope_of(bounds: Bounds) -> RememberScope {
    match bounds.uses {
        Some(1) => RememberScope::Conversation,
        _ => RememberScope::Session,
    }
}

fn to_grant_bounds(bounds: Bounds) -> GrantBounds {
    let mut of = GrantBounds::default();
    if let Some(uses) = bounds.uses {
        of = of.uses(uses);
    }
    if let Some(ms) = bounds.lasts_ms {
        of = of.lasts_ms(ms);
    }
    match bounds.sum {
        Some(sum) => of.up_to("/sum", sum),
        None => of,
    }
}

pub(crate) fn parse_edited_args(args: Args) -> Value {
    serde_json::from_str(args.text()).unwrap_or_else(|_| json!({"to": "nobody"}))
}
