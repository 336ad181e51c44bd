//! Rule "remembered approvals" with random steps: calls run exactly as a plain list of approvals
//! permits.

use assistant_core::{
    action::{ActionSpec, Remember, RememberScope, RememberedApproval, Remembering},
    session::{Input, Verdict},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    session_remembered::{call, settle},
    support::*,
};

/// A step that concerns an action `f` which asks each time.
#[derive(Debug, Clone)]
enum Step {
    Call(usize),
    Allow(RememberScope, bool),
    Edit(usize, RememberScope, bool),
    Revoke(usize),
    Component(usize),
    Elsewhere,
    Reload,
}

const ARGS: [&str; 4] = [
    r#"{"to":"Ann","sum":1}"#,
    r#"{"sum":1, "to":"Ann"}"#,
    r#"{"to":"Ann","sum":2}"#,
    r#"{"to":"Bob"}"#,
];

/// Registrations of `f`: with another description, other fields, another schema.
fn component(number: usize) -> ActionSpec {
    let spec = asking("f");
    match number {
        0 => spec,
        1 => spec.with_description("Another"),
        2 => spec.with_remembering(Remembering::SameFields(vec!["to".to_owned()])),
        _ => spec.with_remembering(Remembering::SameArguments),
    }
}

fn step() -> impl Strategy<Value = Step> {
    let scope = || {
        use RememberScope::{Always, Conversation, Session};
        prop_oneof![Just(Conversation), Just(Session), Just(Always)]
    };
    prop_oneof![
        6 => (0..ARGS.len()).prop_map(Step::Call),
        4 => (scope(), any::<bool>()).prop_map(|(scope, any)| Step::Allow(scope, any)),
        1 => (0..ARGS.len(), scope(), any::<bool>()).prop_map(|(a, s, any)| Step::Edit(a, s, any)),
        1 => (0..4_usize).prop_map(Step::Revoke),
        2 => (0..4_usize).prop_map(Step::Component),
        1 => Just(Step::Elsewhere),
        1 => Just(Step::Reload),
    ]
}

/// An approval in a plain list, independent of the engine.
struct Allowed {
    component: usize,
    thread: String,
    scope: RememberScope,
    /// The arguments, or those that count; `None` for all.
    args: Option<Value>,
    id: String,
}

impl Allowed {
    fn covers(&self, component: usize, thread: &str, args: &Value) -> bool {
        let args = match (&self.args, component) {
            (None, _) => true,
            (Some(kept), 2) if kept.get("only").is_some() => kept["only"] == args["to"],
            (Some(kept), _) => kept == args,
        };
        let here = self.scope != RememberScope::Conversation || self.thread == thread;
        args && here && self.component == component
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn calls_run_only_as_a_list_of_approvals_permits(steps in proptest::collection::vec(step(), 1..40)) {
        let mut driver = Driver::new();
        let (mut now, mut number, mut thread) = (0, 0, "thread".to_owned());
        let mut registered = driver.register(component(now));
        let mut allowed: Vec<Allowed> = Vec::new();
        let mut open: Option<(String, Value)> = None;
        for step in steps {
            let is_click = matches!(step, Step::Allow(..) | Step::Edit(..) | Step::Revoke(_));
            if let (Some((id, _)), false) = (&open, is_click) {
                settle(&mut driver, &id.clone());
                open = None;
            }
            match step {
                Step::Call(args) => {
                    number += 1;
                    let (id, text) = (format!("c{number}"), ARGS[args]);
                    let value: Value = serde_json::from_str(text).unwrap();
                    call(&mut driver, &id, text);
                    let may = allowed.iter().any(|one| one.covers(now, &thread, &value));
                    prop_assert_eq!(driver.starts(&id) == 1, may, "{}", text);
                    prop_assert_eq!(driver.call(&id).allowed_earlier().is_some(), may);
                    open = Some((id, value));
                }
                Step::Allow(scope, any_args) | Step::Edit(_, scope, any_args) => {
                    let Some((id, value)) = open.take() else { continue };
                    let edited = match step {
                        Step::Edit(args, ..) => Some(serde_json::from_str(ARGS[args]).unwrap()),
                        _ => None,
                    };
                    let value = edited.clone().unwrap_or(value);
                    let what = Remember::new(scope, any_args);
                    let refused = driver.decide(&id, Verdict::Remember { args: edited, what });
                    if refused.is_none() {
                        let id = driver.session.remembered_approvals().last().unwrap().id().to_owned();
                        let args = match (now, any_args) {
                            (3, _) | (_, false) => Some(value),
                            (2, true) => Some(json!({"only": value["to"]})),
                            (_, true) => None,
                        };
                        let (component, thread) = (now, thread.clone());
                        let same = |one: &Allowed| {
                            one.component == component && one.scope == scope && one.args == args
                                && (scope != RememberScope::Conversation || one.thread == thread)
                        };
                        allowed.retain(|one| !same(one));
                        allowed.push(Allowed { component, thread, scope, args, id });
                    }
                    settle(&mut driver, &id);
                }
                Step::Revoke(pick) => {
                    let list = driver.session.remembered_approvals();
                    let Some(one) = list.get(pick) else { continue };
                    let id = one.id().to_owned();
                    driver.input(Input::ForgetApproval { id: id.clone() });
                    allowed.retain(|one| one.id != id);
                }
                Step::Component(other) => {
                    driver.unregister(registered);
                    now = other;
                    registered = driver.register(component(now));
                }
                Step::Elsewhere => {
                    driver.input(Input::NewThread);
                    thread = driver.session.thread_id().to_owned();
                }
                Step::Reload => {
                    let kept: Vec<Value> =
                        driver.kept.iter().map(RememberedApproval::to_value).collect();
                    let (snapshot, ids) = (driver.session.snapshot(), driver.host.ids);
                    driver = Driver::new();
                    driver.host.ids = ids;
                    registered = driver.register(component(now));
                    let approvals = kept.iter().filter_map(RememberedApproval::from_value);
                    let approvals = approvals.collect();
                    driver.input(Input::RestoreApprovals { approvals });
                    let (thread_id, journal) = (thread.clone(), Vec::new());
                    driver.input(Input::Restore { thread_id, snapshot, journal });
                    driver.kept = driver.session.remembered_approvals().to_vec();
                    allowed.retain(|one| one.scope != RememberScope::Session);
                }
            }
        }
    }
}
