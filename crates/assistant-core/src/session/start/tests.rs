//! Tests of the final check before a handler starts. Each test bypasses the states and the earlier
//! check, as if they had failed, and verifies that only approved or permitted calls start.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use serde_json::{Value, json};

use crate::{
    action::{ActionSpec, Execution, Policy, RegistrationId, schema::PatternHost},
    conversation::{CallApproval, CallKey, Decider, Decision, Fingerprint, State, ToolCall},
    event::EventKind,
    session::{
        Answer, Cx, Effect, Host, Input, Output, PolicyQuestion, Session, SessionOptions,
        StreamEnd, Ticket, Verdict,
    },
};

/// A host whose approval rule permits every call, immediately or with a delay.
#[derive(Default)]
struct RuleHost {
    ids: u64,
    later: bool,
    asked: Option<Ticket>,
}

impl PatternHost for RuleHost {
    fn pattern_matches(&mut self, _: &str, _: &str) -> Option<bool> {
        None
    }
}

impl Host for RuleHost {
    fn now(&mut self) -> i64 {
        0
    }

    fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("id{}", self.ids)
    }

    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool> {
        self.asked = Some(question.ticket);
        match self.later {
            true => Answer::Later,
            false => Answer::Now(false),
        }
    }

    fn denial(&mut self, _: RegistrationId, _: &Value, _: Option<&str>) -> Option<Value> {
        None
    }
}

/// A session with a call whose start is being written to the journal.
struct Fixture {
    session: Session,
    page: RuleHost,
    key: CallKey,
}

/// The source of the permission for a call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PermittedBy {
    Person,
    PersonWithEdits,
    Rule,
    RuleLater,
    NotPermitted,
}

impl PermittedBy {
    const ALL: [Self; 5] = [
        Self::Person,
        Self::PersonWithEdits,
        Self::Rule,
        Self::RuleLater,
        Self::NotPermitted,
    ];

    const fn policy(self) -> Policy {
        match self {
            Self::Person | Self::PersonWithEdits => Policy::Always,
            Self::Rule | Self::RuleLater => Policy::Ask,
            Self::NotPermitted => Policy::Never,
        }
    }
}

fn spec(name: &str, approval: Policy) -> Box<ActionSpec> {
    let mut spec = ActionSpec::new(name, "");
    spec.has_handler = true;
    spec.approval = approval;
    Box::new(spec)
}

impl Fixture {
    fn new(by: PermittedBy) -> Self {
        let mut fixture = Self {
            session: Session::new("thread", SessionOptions::default()),
            page: RuleHost {
                later: by == PermittedBy::RuleLater,
                ..RuleHost::default()
            },
            key: CallKey::new(0),
        };
        for (number, name) in [(1, "f"), (2, "g")] {
            let (id, spec) = (RegistrationId::new(number), spec(name, by.policy()));
            fixture.handle_input(Input::Register { id, spec });
        }
        let content = crate::event::Content::Text("go".to_owned());
        let mut output = fixture.handle_input(Input::Send { content });
        let Some(Effect::PrepareRun { run }) = output.effects.pop() else {
            panic!("no run: {output:?}");
        };
        fixture.handle_input(Input::OpenRun { run });
        let tool_call_id = "c".to_owned();
        for event in [
            EventKind::run_started("thread", "r"),
            EventKind::ToolCallStart {
                tool_call_id: tool_call_id.clone(),
                tool_call_name: "f".to_owned(),
                parent_message_id: None,
            },
            EventKind::ToolCallArgs {
                tool_call_id: tool_call_id.clone(),
                delta: "{\"to\":\"Ann\"}".to_owned(),
            },
            EventKind::ToolCallEnd { tool_call_id },
            EventKind::RunFinished {
                thread_id: "thread".to_owned(),
                run_id: "r".to_owned(),
                result: None,
                outcome: None,
                usage: Vec::new(),
            },
        ] {
            let event = Box::new(event.into());
            fixture.handle_input(Input::Event { run, event });
        }
        let end = StreamEnd::Closed;
        fixture.handle_input(Input::RunClosed { run, end });
        fixture.key = fixture.session.conversation.call_by_wire_id("c").unwrap().0;
        fixture.give_permission(by);
        assert!(matches!(fixture.call().state(), State::Committing(..)));
        fixture
    }

    fn give_permission(&mut self, by: PermittedBy) {
        let args = match by {
            PermittedBy::Rule | PermittedBy::NotPermitted => return,
            PermittedBy::RuleLater => {
                let ticket = self.page.asked.unwrap();
                self.handle_input(Input::PolicyAnswer { ticket, ask: false });
                return;
            }
            PermittedBy::Person => None,
            PermittedBy::PersonWithEdits => Some(json!({"to": "Bea"})),
        };
        let (call, shown) = (self.key, self.session.fingerprint(&self.key).unwrap());
        let verdict = Verdict::Approve { args };
        self.handle_input(Input::Decide {
            call,
            shown,
            verdict,
            by: Decider::Person,
        });
    }

    fn handle_input(&mut self, input: Input) -> Output {
        self.session.handle(input, &mut self.page)
    }

    fn call(&self) -> &ToolCall {
        self.session.conversation.call(&self.key).unwrap()
    }

    /// Changes the call without changing its state.
    fn edit_call(&mut self, change: impl FnOnce(&mut ToolCall)) {
        self.session
            .conversation
            .edit_call(&self.key, change)
            .unwrap();
    }

    /// Calls the function that starts handlers, regardless of the state of the call. Returns the
    /// registration and the arguments of the started handler, or `None` if no handler was started.
    fn invoke(&mut self) -> Option<(RegistrationId, Value)> {
        let mut cx = Cx {
            by: None,
            host: &mut self.page,
            now: 0,
            output: Output::default(),
        };
        self.session.invoke_handler(&self.key, &mut cx);
        let effects = cx.output.effects.into_iter();
        let mut invocations = effects.filter_map(|effect| match effect {
            Effect::Invoke(invocation) => Some((invocation.registration, invocation.args)),
            _ => None,
        });
        invocations.next()
    }
}

fn set_args(call: &mut ToolCall, text: &str) {
    call.set_args_text(text);
    call.end_args();
}

#[test]
fn a_call_permitted_as_shown_starts() {
    for by in PermittedBy::ALL {
        let name = match by {
            PermittedBy::PersonWithEdits => "Bea",
            _ => "Ann",
        };
        let expected = Some((RegistrationId::new(1), json!({"to": name})));
        assert_eq!(Fixture::new(by).invoke(), expected, "{by:?}");
    }
}

#[test]
fn a_call_forged_after_its_permission_is_asked_about() {
    type Forgery = fn(&mut Fixture);
    let forgeries: [(&str, Forgery); 8] = [
        ("other arguments", |fixture| {
            fixture.edit_call(|call| set_args(call, "{\"to\":\"Eve\"}"));
            fixture.edit_call(|call| call.edit_review(|review| review.edited_args = None));
        }),
        ("another name", |fixture| {
            fixture.edit_call(|call| call.name = "g".to_owned());
        }),
        ("edits that were not made", |fixture| {
            fixture.edit_call(|call| {
                call.edit_review(|review| review.edited_args = Some(json!({"to": "Eve"})));
            });
        }),
        ("no approval", |fixture| {
            fixture.edit_call(|call| {
                call.edit_review(|review| (review.approval, review.cleared) = (None, None));
            });
        }),
        ("a question without an answer", |fixture| {
            fixture.edit_call(|call| {
                call.edit_review(|review| review.approval = Some(CallApproval::default()));
            });
        }),
        ("a denial", |fixture| {
            fixture.edit_call(|call| {
                call.edit_review(|review| {
                    let approval = review.approval.get_or_insert_default();
                    approval.decision = Some(Decision::Denied { reason: None });
                });
            });
        }),
        ("an answer to the agent about something else", |fixture| {
            fixture.edit_call(|call| {
                call.edit_review(|review| {
                    let approval = review.approval.get_or_insert_default();
                    approval.interrupt_id = Some("i".to_owned());
                    approval.decision = Some(Decision::Approved);
                });
            });
        }),
        ("other rules", |fixture| {
            let mut other_spec = spec("f", Policy::Always);
            other_spec.parameters = json!({"type": "object", "title": "other"});
            let id = RegistrationId::new(1);
            assert!(fixture.session.registry.register(id, *other_spec));
        }),
    ];
    for by in PermittedBy::ALL {
        for (label, forge) in forgeries {
            // A call that needs no approval may start in spite of these changes.
            let is_harmless = matches!(
                label,
                "other arguments" | "another name" | "edits that were not made" | "no approval"
            );
            if by == PermittedBy::NotPermitted && is_harmless {
                continue;
            }
            let mut fixture = Fixture::new(by);
            forge(&mut fixture);
            assert_eq!(fixture.invoke(), None, "{by:?}: {label}");
            let is_asked = matches!(fixture.call().state(), State::Asked(_));
            assert!(is_asked, "{by:?}: {label}");
            assert!(fixture.call().has_changed(), "{by:?}: {label}");
        }
    }
}

#[test]
fn an_approved_interrupt_does_not_replace_a_local_approval() {
    for by in PermittedBy::ALL {
        let mut fixture = Fixture::new(by);
        let fingerprint = Fingerprint::from_call(fixture.call(), None);
        fixture.edit_call(|call| {
            call.edit_review(|review| {
                let approval = review.approval.get_or_insert_default();
                approval.interrupt_id = Some("i".to_owned());
                approval.decision = Some(Decision::Approved);
                approval.shown = Some(fingerprint);
            });
        });
        let is_asked = by.policy() == Policy::Always;
        assert_eq!(fixture.invoke().is_none(), is_asked, "{by:?}");
    }
}

#[test]
fn incomplete_remote_and_unregistered_calls_do_not_start() {
    for by in PermittedBy::ALL {
        let mut fixture = Fixture::new(by);
        fixture.edit_call(|call| {
            call.push_args("}");
            call.edit_review(|review| review.edited_args = None);
        });
        assert_eq!(fixture.invoke(), None, "{by:?}");

        let mut fixture = Fixture::new(by);
        let mut agent_spec = spec("f", by.policy());
        agent_spec.execution = Execution::Agent;
        fixture
            .session
            .registry
            .register(RegistrationId::new(1), *agent_spec);
        assert_eq!(fixture.invoke(), None, "{by:?}");

        let mut fixture = Fixture::new(by);
        fixture.session.registry.unregister(RegistrationId::new(1));
        assert_eq!(fixture.invoke(), None, "{by:?}");
    }
}

#[test]
fn only_the_handler_of_the_checked_action_starts() {
    for by in PermittedBy::ALL {
        let mut fixture = Fixture::new(by);
        fixture.edit_call(|call| call.name = "g".to_owned());
        assert_eq!(fixture.invoke(), None, "{by:?}");
    }
}
