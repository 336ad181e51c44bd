//! The page: what it answers when the engine asks it, and what its components do.

use assistant_core::{
    action::{ActionSpec, Policy, RegistrationId, ToolError, ToolOutcome, schema::PatternHost},
    session::{Answer, Host, Input, PolicyQuestion},
};
use conformance::attacker::{Page, Tool};
use serde_json::{Value, json};

use super::person::Scene;

/// The host of the page; its rule asks about everything that goes to Ann.
#[derive(Debug, Clone, Default)]
pub(crate) struct Desk(u64);

/// Whether a person must be asked about arguments.
pub(crate) fn rule_asks(args: &Value) -> bool {
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

impl Scene {
    pub(crate) fn page(&mut self, page: Page) {
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
            Page::Revoke(pick) => {
                let list = self.session.remembered_approvals();
                let place = usize::from(pick).checked_rem(list.len());
                let id = place.and_then(|place| Some(list.get(place)?.id.clone()));
                if let Some(id) = id {
                    // What the revocation leads to is judged without it.
                    self.allowed.remove(&id);
                    assert!(self.input(Input::ForgetApproval { id }));
                }
            }
            Page::Unregister(tool) => {
                let entry = self.session.registry().in_force(tool.name());
                if let Some(id) = entry.map(|entry| entry.id) {
                    self.input(Input::Unregister { id });
                }
            }
        }
    }

    pub(crate) fn register(&mut self, tool: Tool) {
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
}
