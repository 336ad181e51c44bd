//! Measures registering, changing and removing many actions.

use assistant_core::{
    action::{ActionSpec, RegistrationId},
    session::{Input, Session, SessionOptions},
};

use super::{callouts::Page, *};

fn register_action(session: &mut Session, n: usize, version: usize) {
    let spec = ActionSpec::new(format!("action_{n:05}"), "An action of a large page")
        .with_parameters(json!({"type": "object", "properties": {"n": {"const": version}}}));
    let spec = Box::new(spec);
    let id = RegistrationId::new(n as u64);
    let output = session.handle(Input::Register { id, spec }, &mut Page::default());
    assert_eq!((output.changes.len(), output.refused.is_some()), (1, false));
}

#[test]
fn registering_changing_and_removing_actions_takes_linear_work() {
    let page = |count: usize| {
        let mut session = Session::new("t", SessionOptions::default());
        for version in 0..2 {
            (0..count).for_each(|n| register_action(&mut session, n, version));
            assert_eq!(session.tools().len(), count);
        }
        for n in 0..count {
            let id = RegistrationId::new(n as u64);
            session.handle(Input::Unregister { id }, &mut Page::default());
        }
        assert!(session.registry().all().is_empty());
    };
    assert_linear_work("actions", |count| count, page);
}
