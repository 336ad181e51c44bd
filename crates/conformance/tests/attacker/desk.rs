//! The page: its host, its components, and its reaction to effects.

use assistant_core::{
    action::{
        ActionSpec, Execution, Policy, RegistrationId, ToolError, ToolOutcome, schema::PatternHost,
    },
    conversation::{CallKey, ToolCall},
    session::{Answer, Host, Input, PolicyQuestion, Ticket},
};
use conformance::attacker::{PageEvent, Tool};
use serde_json::{Value, json};

use super::{
    person::{MOST_QUESTIONS, Scene},
    questions::is_denial,
};

/// The host of the page. Its rule requires approval of everything that goes to Ann.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageHost {
    ids: u64,
    pub(crate) clock: i64,
}

impl PageHost {
    /// Creates the host of another page, whose new ids differ from those of the first.
    pub(crate) const fn for_another_page(clock: i64) -> Self {
        Self {
            ids: 1_000_000,
            clock,
        }
    }
}

/// Returns true if the rule requires approval of these arguments.
pub(crate) fn rule_needs_approval(args: &Value) -> bool {
    args["to"] == "Ann"
}

/// Returns the preview of a call, which depends on the current data (`world`).
pub(crate) fn preview_value(world: u64, args: &Value) -> Value {
    json!({"world": world, "to": args["to"]})
}

impl PatternHost for PageHost {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for PageHost {
    fn now(&mut self) -> i64 {
        self.clock
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("id{}", self.ids)
    }

    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool> {
        Answer::Now(rule_needs_approval(question.args()))
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}

impl Scene {
    pub(crate) fn handle_page_event(&mut self, page: PageEvent) {
        match page {
            PageEvent::Ends(pick) => {
                let place = usize::from(pick).checked_rem(self.live.len());
                if let Some(invocation) = place.map(|place| self.live.remove(place)) {
                    let outcome: Result<_, ToolError> = Ok(ToolOutcome::Continue(json!(1)));
                    self.handle_input(Input::Finished {
                        invocation,
                        outcome,
                    });
                }
            }
            PageEvent::Reload => {
                self.run = None;
                self.previews.clear();
                self.confirmed.clear();
                self.to_allow.clear();
                // No open call starts before the user approves it here.
                let conversation = self.session.conversation();
                let keys = conversation
                    .all_messages()
                    .flat_map(|message| conversation.calls_in(message));
                let open = keys.filter(|call| !call.phase().is_final());
                let open: Vec<CallKey> = open.map(ToolCall::key).collect();
                self.granted.retain(|key, _| !open.contains(key));
                for given in self.given.values_mut() {
                    given.retain(|given| is_denial(&given.payload));
                }
                self.asked.extend(open);
                self.new_cards.clear();
                self.most_cards = MOST_QUESTIONS as usize;
                let (thread_id, snapshot) = ("thread".to_owned(), self.session.export());
                let before = self.starts;
                assert!(self.handle_input(Input::Load {
                    thread_id,
                    snapshot
                }));
                assert_eq!(self.starts, before, "what was loaded started");
                assert!(self.run.is_none(), "what was loaded began a run");
            }
            PageEvent::Register(tool) => self.register(tool),
            PageEvent::World => {
                self.world += 1;
                self.desk.clock += 1_000;
            }
            PageEvent::Previews { which, fails } => {
                let place = usize::from(which).checked_rem(self.previews.len());
                if let Some(asked) = place.map(|place| self.previews.remove(place)) {
                    let ticket = asked.ticket();
                    let outcome = match fails {
                        true => Err(format!("unknown {}", self.world)),
                        false => Ok(preview_value(self.world, &asked.into_args())),
                    };
                    self.handle_preview(ticket, outcome);
                }
            }
            PageEvent::Revoke(pick) => {
                let list = self.session.remembered_approvals();
                let place = usize::from(pick).checked_rem(list.len());
                let id = place.and_then(|place| Some(list.get(place)?.id().to_owned()));
                if let Some(id) = id {
                    // The effects of the revocation are checked without it.
                    self.allowed.remove(&id);
                    assert!(self.handle_input(Input::ForgetApproval { id }));
                }
            }
            PageEvent::Unregister(tool) => {
                let entry = self.session.registry().active_registration(tool.name());
                if let Some(id) = entry.map(|entry| entry.id()) {
                    self.handle_input(Input::Unregister { id });
                }
            }
        }
    }

    /// Passes a preview to the session, and records the approvals that the preview confirms.
    fn handle_preview(&mut self, ticket: Ticket, outcome: Result<Value, String>) {
        let waiting = self.session.pending_approvals().into_iter();
        let waiting = waiting.filter(|key| self.session.is_checking_preview(key));
        let waiting: Vec<CallKey> = waiting.collect();
        let remembered: Vec<String> = self.remembered_approval_ids();
        self.saying = Some((outcome.clone(), waiting.clone()));
        let previewed = outcome.clone();
        self.handle_input(Input::Previewed {
            ticket,
            outcome: previewed,
        });
        self.saying = None;
        let open = self.session.pending_approvals();
        for key in waiting {
            if self.session.is_checking_preview(&key) {
                continue;
            }
            let to_allow = self.to_allow.remove(&key);
            if open.contains(&key) {
                continue;
            }
            self.confirmed.insert(key, outcome.clone());
            let newest = self.remembered_approval_ids().pop();
            let newest = newest.filter(|id| !remembered.contains(id));
            if let (Some(mut allowed), Some(id)) = (to_allow, newest) {
                allowed.since = self.desk.clock;
                self.allowed.insert(id, allowed);
            }
        }
        let known = self.remembered_approval_ids();
        self.allowed.retain(|id, _| known.contains(id));
    }

    fn remembered_approval_ids(&self) -> Vec<String> {
        let list = self.session.remembered_approvals().iter();
        list.map(|one| one.id().to_owned()).collect()
    }

    pub(crate) fn register(&mut self, tool: Tool) {
        let policy = match tool {
            Tool::Pay | Tool::Erase | Tool::Move | Tool::Hand => Policy::Always,
            Tool::Look => Policy::Never,
            Tool::Maybe => Policy::Ask,
            Tool::Theirs => return,
        };
        self.registrations += 1;
        let mut spec = ActionSpec::new(tool.name(), "").with_handler(tool != Tool::Hand);
        if tool == Tool::Hand {
            spec = spec.with_execution(Execution::Agent);
        }
        spec = spec.with_approval(policy);
        spec = spec.with_exclusive(tool == Tool::Erase);
        spec = spec.with_preview(tool == Tool::Move);
        if self.registrations.is_multiple_of(3) {
            spec = spec.with_parameters(json!({"type": "object", "required": ["to"]}));
        }
        let (id, spec) = (RegistrationId::new(self.registrations), Box::new(spec));
        self.handle_input(Input::Register { id, spec });
    }
}
