//! Two tabs that share remembered approvals, with an unreliable store.
//!
//! An approval permits no more calls than it was given for, in both tabs together, none after its
//! expiry, none with a greater sum, none in a tab that knows of its revocation, and none of another
//! conversation if it was given for one. The store may report a failure after succeeding, outdated
//! data, or nothing for long. A call without an approval starts only by a decision about its shown
//! card.

use std::collections::{BTreeMap, BTreeSet};

use assistant_core::{
    action::{
        ActionSpec, GrantBounds, Policy, RegistrationId, Remember, RememberScope,
        RememberedApproval, Remembering, ToolOutcome,
    },
    conversation::{CallKey, Decider, Fingerprint},
    event::Content,
    session::{
        CommitId, Effect, Input, Invocation, InvocationId, RunKey, Session, SessionOptions,
        StreamEnd, Swap, Ticket, Verdict,
    },
};
use assistant_protocols::agui::{Decoder, DecoderOptions};
use conformance::property_config;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::desk::PageHost;

/// The maximum lifetime in milliseconds and the maximum sum that the action permits.
const WIDEST: (i64, u32) = (5_000, 100);

#[derive(Debug, Clone, Copy)]
enum Step {
    /// The agent makes calls with these sums.
    Calls(u32, Option<u32>),
    /// The user decides about the first card as rendered.
    Click(CardDecision),
    /// The store counts a use, or fails to.
    Swaps(StoreBehavior),
    /// A start is written, or fails to be.
    Commits(bool),
    /// A handler ends.
    Ends,
    /// Reads the store.
    Syncs,
    /// Revokes the first approval.
    Revokes,
    /// Time passes.
    Waits(i64),
}

#[derive(Debug, Clone, Copy)]
enum CardDecision {
    Approve,
    Deny,
    Remember {
        scope: RememberScope,
        uses: Option<u32>,
        lasts_ms: Option<i64>,
        sum: Option<u32>,
        kept: bool,
    },
}

/// The behavior of the store for one request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StoreBehavior {
    Works,
    Fails,
    /// Executes the request, but reports a failure.
    FailsLate,
    /// Does nothing, and reports that the tab's outdated version is the stored one.
    IsOld,
}

/// A remembered approval as the user gave it.
struct Grant {
    tab: usize,
    scope: RememberScope,
    uses: u32,
    used: u32,
    until: i64,
    sum: u32,
}

struct Tab {
    session: Session,
    run: Option<RunKey>,
    swaps: Vec<(Ticket, RememberedApproval, RememberedApproval)>,
    commits: Vec<CommitId>,
    live: Vec<InvocationId>,
    /// The cards as they were rendered last.
    cards: BTreeMap<CallKey, (Fingerprint, Value)>,
    approved: BTreeMap<CallKey, Value>,
    revoked: BTreeSet<String>,
}

struct Scene {
    desk: PageHost,
    tabs: [Tab; 2],
    kept: Vec<RememberedApproval>,
    grants: BTreeMap<String, Grant>,
    /// The number of uses that the store has counted for each approval.
    counted: BTreeMap<String, u32>,
    /// The maximum number of uses that the action permits; `None` for any number.
    most: Option<u32>,
    ids: u32,
}

impl Tab {
    fn new(number: usize) -> Self {
        Self {
            session: Session::new(format!("thread{number}"), SessionOptions::default()),
            run: None,
            swaps: Vec::new(),
            commits: Vec::new(),
            live: Vec::new(),
            cards: BTreeMap::new(),
            approved: BTreeMap::new(),
            revoked: BTreeSet::new(),
        }
    }
}

impl Scene {
    fn new(most: Option<u32>) -> Self {
        let mut scene = Self {
            desk: PageHost::default(),
            tabs: [Tab::new(0), Tab::new(1)],
            kept: Vec::new(),
            grants: BTreeMap::new(),
            counted: BTreeMap::new(),
            most,
            ids: 0,
        };
        for at in 0..2 {
            let (ms, sum) = WIDEST;
            let mut bounds = GrantBounds::default().lasts_ms(ms).up_to("/sum", sum);
            if let Some(most) = most {
                bounds = bounds.uses(most);
            }
            let spec = ActionSpec::new("pay", "")
                .with_handler(true)
                .with_approval(Policy::Always)
                .with_remembering(Remembering::AnyArguments)
                .with_grant_bounds(bounds);
            let (id, spec) = (RegistrationId::new(1), Box::new(spec));
            scene.handle_input(at, Input::Register { id, spec });
        }
        scene
    }

    fn handle_input(&mut self, at: usize, input: Input) -> bool {
        let output = self.tabs[at].session.handle(input, &mut self.desk);
        for effect in output.effects {
            match effect {
                Effect::PrepareRun { run } => drop(self.handle_input(at, Input::OpenRun { run })),
                Effect::OpenRun { run, .. } => self.tabs[at].run = Some(run),
                Effect::AbortRun { .. } => self.tabs[at].run = None,
                Effect::Commit { commit, .. } => self.tabs[at].commits.push(commit),
                Effect::Invoke(run) => self.check_start(at, &run),
                Effect::SwapApproval {
                    ticket,
                    before,
                    after,
                } => self.tabs[at].swaps.push((ticket, *before, *after)),
                _ => {}
            }
        }
        let tab = &mut self.tabs[at];
        let session = &tab.session;
        let open = session.pending_approvals();
        tab.cards.retain(|key, _| open.contains(key));
        for key in open {
            let call = session.conversation().call(&key);
            let args = call.and_then(|call| call.effective_args()).cloned();
            if let (Some(fingerprint), Some(args)) = (session.fingerprint(&key), args) {
                tab.cards.insert(key, (fingerprint, args));
            }
        }
        output.refused.is_none()
    }

    fn check_start(&mut self, at: usize, run: &Invocation) {
        let tab = &mut self.tabs[at];
        tab.live.push(run.id());
        let call = tab.session.conversation().call(&run.call_key());
        let earlier = call.and_then(|call| call.allowed_earlier());
        let Some(mut id) = earlier.map(|earlier| earlier.id().to_owned()) else {
            let approved = tab.approved.remove(&run.call_key());
            return assert_eq!(approved.as_ref(), Some(run.args()), "not approved: {run:?}");
        };
        // A later approval without a limit covers it, too.
        let now = self.desk.clock;
        let is_over = |id: &str| {
            let grant = self.grants.get(id);
            tab.revoked.contains(id) || grant.is_some_and(|grant| now >= grant.until)
        };
        if is_over(&id) {
            let sum = run.args()["sum"].as_u64().unwrap_or(u64::MAX);
            let known = tab.session.remembered_approvals().iter();
            let mut others = known.filter(|one| one.uses().is_none() && !is_over(one.id()));
            let other = others.find(|one| {
                let grant = self.grants.get(one.id());
                let here = |grant: &&Grant| grant.scope == RememberScope::Always || grant.tab == at;
                let grant = grant.filter(here);
                grant.is_some_and(|grant| sum <= u64::from(grant.sum))
            });
            let other = other.map(|one| one.id().to_owned());
            id = other.unwrap_or_else(|| panic!("revoked, or too late: {run:?}"));
        }
        let grant = self.grants.get_mut(&id);
        let grant = grant.unwrap_or_else(|| panic!("{id} was not given: {run:?}"));
        grant.used += 1;
        assert!(grant.used <= grant.uses, "too many by {id}: {run:?}");
        if grant.scope != RememberScope::Session && grant.uses != u32::MAX {
            let counted = self.counted.get(&id).copied().unwrap_or(0);
            assert!(grant.used <= counted, "not counted by {id}: {run:?}");
        }
        let sum = run.args()["sum"].as_u64();
        assert!(
            sum.is_some_and(|sum| sum <= u64::from(grant.sum)),
            "too much: {run:?}"
        );
        let elsewhere = grant.tab != at;
        let here = grant.scope == RememberScope::Always || !elsewhere;
        assert!(here, "of another conversation: {run:?}");
    }

    fn play(&mut self, at: usize, step: Step) {
        match step {
            Step::Calls(sum, other) => self.complete_and_send_calls(at, sum, other),
            Step::Click(says) => self.decide_card(at, says),
            Step::Swaps(store) => self.answer_swap(at, store),
            Step::Commits(ok) => {
                if let Some(commit) = self.tabs[at].commits.pop() {
                    let outcome = ok.then_some(()).ok_or_else(|| "full".to_owned());
                    self.handle_input(at, Input::Committed { commit, outcome });
                }
            }
            Step::Ends => {
                if let Some(invocation) = self.tabs[at].live.pop() {
                    let outcome = Ok(ToolOutcome::Continue(json!(1)));
                    self.handle_input(
                        at,
                        Input::Finished {
                            invocation,
                            outcome,
                        },
                    );
                }
            }
            Step::Syncs => {
                let approvals = self.kept.clone();
                let known = self.grants.keys().cloned();
                let removed = known.filter(|id| self.kept.iter().all(|one| one.id() != *id));
                let shared = |id: &String| self.grants[id].scope != RememberScope::Session;
                let removed: Vec<String> = removed.filter(shared).collect();
                self.tabs[at].revoked.extend(removed);
                self.handle_input(at, Input::SyncApprovals { approvals });
            }
            Step::Revokes => {
                let list = self.tabs[at].session.remembered_approvals();
                if let Some(id) = list.first().map(|one| one.id().to_owned()) {
                    self.tabs[at].revoked.insert(id.clone());
                    self.handle_input(at, Input::ForgetApproval { id: id.clone() });
                    self.kept.retain(|one| one.id() != id);
                }
            }
            Step::Waits(ms) => self.desk.clock += ms,
        }
    }

    fn complete_and_send_calls(&mut self, at: usize, sum: u32, other: Option<u32>) {
        while !self.tabs[at].live.is_empty() {
            self.play(at, Step::Ends);
        }
        let Some(run) = self.tabs[at].run else {
            return self.send_with_calls(at, sum, other);
        };
        // The results of the previous calls are sent: the agent has nothing to add.
        self.play_run(at, run, Vec::new());
        self.send_with_calls(at, sum, other);
    }

    fn send_with_calls(&mut self, at: usize, sum: u32, other: Option<u32>) {
        let content = Content::Text("go on".to_owned());
        self.handle_input(at, Input::Send { content });
        let Some(run) = self.tabs[at].run else {
            return;
        };
        let mut list = Vec::new();
        for sum in [Some(sum), other].into_iter().flatten() {
            self.ids += 1;
            let id = format!("c{}", self.ids);
            list.extend([
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "pay"}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": json!({"sum": sum}).to_string()}),
                json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            ]);
        }
        self.play_run(at, run, list);
    }

    fn play_run(&mut self, at: usize, run: RunKey, says: Vec<Value>) {
        self.tabs[at].run = None;
        let (mut events, mut decoder) = (Vec::new(), Decoder::new(DecoderOptions::default()));
        let of = |kind: &str| json!({"type": kind, "threadId": "t", "runId": "r"});
        let mut list = vec![of("RUN_STARTED")];
        list.extend(says);
        list.push(of("RUN_FINISHED"));
        for event in list {
            decoder.push_value(event, &mut events).unwrap();
        }
        for event in events {
            let event = Box::new(event);
            self.handle_input(at, Input::Event { run, event });
        }
        let end = StreamEnd::Closed;
        self.handle_input(at, Input::RunClosed { run, end });
    }

    fn decide_card(&mut self, at: usize, says: CardDecision) {
        let card = self.tabs[at].cards.iter().next();
        let Some((call, (shown, args))) = card.map(|(key, card)| (*key, card.clone())) else {
            return;
        };
        let verdict = match says {
            CardDecision::Approve => Verdict::Approve { args: None },
            CardDecision::Deny => Verdict::Deny { reason: None },
            CardDecision::Remember {
                scope,
                uses,
                lasts_ms,
                sum,
                ..
            } => {
                let mut bounds = GrantBounds::default();
                if let Some(uses) = uses {
                    bounds = bounds.uses(uses);
                }
                if let Some(ms) = lasts_ms {
                    bounds = bounds.lasts_ms(ms);
                }
                if let Some(sum) = sum {
                    bounds = bounds.up_to("/sum", sum);
                }
                let what = Remember::new(scope, true).bounded(bounds);
                Verdict::Remember { args: None, what }
            }
        };
        if !verdict.is_denial() {
            self.tabs[at].approved.insert(call, args);
        }
        let accepted = self.handle_input(
            at,
            Input::Decide {
                call,
                shown,
                verdict,
                by: Decider::Person,
            },
        );
        if !accepted {
            self.tabs[at].approved.remove(&call);
        } else if let CardDecision::Remember {
            scope,
            uses,
            lasts_ms,
            sum,
            kept,
        } = says
        {
            let newest = self.tabs[at].session.remembered_approvals().last().cloned();
            let newest = newest.expect("it is remembered");
            let (ms, most_sum) = WIDEST;
            let most = self.most.unwrap_or(u32::MAX);
            let grant = Grant {
                tab: at,
                scope,
                uses: uses.unwrap_or(most).min(most),
                used: 0,
                until: self.desk.clock + lasts_ms.unwrap_or(ms).min(ms),
                sum: sum.unwrap_or(most_sum).min(most_sum),
            };
            self.grants.insert(newest.id().to_owned(), grant);
            if kept && scope != RememberScope::Session {
                self.kept.push(newest);
            }
        }
    }

    fn answer_swap(&mut self, at: usize, how: StoreBehavior) {
        if self.tabs[at].swaps.is_empty() {
            return;
        }
        let (ticket, before, after) = self.tabs[at].swaps.remove(0);
        let mut outcome = match self.kept.iter_mut().find(|one| one.id() == before.id()) {
            _ if how == StoreBehavior::Fails => Swap::Failed("no".to_owned()),
            _ if how == StoreBehavior::IsOld => Swap::Found(Some(before)),
            Some(kept) if *kept == before => {
                *self.counted.entry(before.id().to_owned()).or_default() += 1;
                *kept = after;
                Swap::Done
            }
            Some(kept) => Swap::Found(Some(kept.clone())),
            None => Swap::Found(None),
        };
        if how == StoreBehavior::FailsLate {
            outcome = Swap::Failed("no answer".to_owned());
        }
        self.handle_input(at, Input::ApprovalSwapped { ticket, outcome });
    }
}

fn any_steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    use proptest::option::of;
    let sums = || select([1_u32, 50, 100, 101].as_slice());
    let scope = select(
        [
            RememberScope::Always,
            RememberScope::Always,
            RememberScope::Conversation,
            RememberScope::Session,
        ]
        .as_slice(),
    );
    let bounds = (
        of(1..5_u32),
        of(select([500_i64, 2_000, 9_000].as_slice())),
        of(sums()),
    );
    let remember = (scope, bounds, 0..10_u8).prop_map(|(scope, (uses, lasts_ms, sum), luck)| {
        CardDecision::Remember {
            scope,
            uses,
            lasts_ms,
            sum,
            kept: luck > 0,
        }
    });
    let says =
        prop_oneof![1 => Just(CardDecision::Approve), 1 => Just(CardDecision::Deny), 4 => remember];
    let store = select(
        [
            StoreBehavior::Works,
            StoreBehavior::Works,
            StoreBehavior::Works,
            StoreBehavior::Works,
            StoreBehavior::Fails,
            StoreBehavior::FailsLate,
            StoreBehavior::IsOld,
        ]
        .as_slice(),
    );
    let step = prop_oneof![
        6 => (sums(), of(sums())).prop_map(|(one, other)| Step::Calls(one, other)),
        5 => says.prop_map(Step::Click),
        6 => store.prop_map(Step::Swaps),
        6 => (0..10_u8).prop_map(|luck| Step::Commits(luck > 0)),
        2 => Just(Step::Ends),
        4 => Just(Step::Syncs),
        1 => Just(Step::Revokes),
        2 => select([100_i64, 1_000].as_slice()).prop_map(Step::Waits),
    ];
    vec((0..2_usize, step), 1..60)
}

proptest! {
    #![proptest_config(property_config(200))]

    #[test]
    fn two_tabs_start_no_more_calls_than_approvals_permit(limited in any::<bool>(), steps in any_steps()) {
        let mut scene = Scene::new(limited.then_some(3));
        for (at, step) in steps {
            scene.play(at, step);
        }
    }
}
