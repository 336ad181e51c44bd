//! Registered, offered and current actions.

use assistant_core::{
    action::{
        ActionSpec, Availability, Execution, Policy, RegistrationId, Registry, ResultEncoding,
        ToolError, definitions_from_json,
    },
    conversation::Change,
    session::Refusal,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::*;

fn names(driver: &Driver) -> Vec<String> {
    let tools = driver.session.registry().tools();
    tools.into_iter().map(|tool| tool.name).collect()
}

fn tool_changes(output: &assistant_core::session::Output) -> usize {
    output
        .changes
        .iter()
        .filter(|c| **c == Change::Registry)
        .count()
}

/// Returns the id of the registration of `x` that takes calls.
fn active_id(driver: &Driver) -> Option<RegistrationId> {
    let registry = driver.session.registry();
    registry.active_registration("x").map(|found| found.id())
}

#[test]
fn an_action_needs_only_a_name_and_a_description() {
    let spec = ActionSpec::new("confirmAction", "Ask");
    assert_eq!(spec.check(), Ok(()));
    // By default an enabled action is offered, checked and never asked about.
    assert!(spec.is_enabled() && spec.validates());
    assert_eq!(
        (spec.availability(), spec.execution(), spec.approval()),
        (Availability::Offered, Execution::Client, Policy::Never)
    );
    let tool = spec.tool();
    assert_eq!(
        tool.parameters,
        Some(json!({"type": "object", "properties": {}}))
    );
    assert_eq!(
        (tool.name.as_str(), tool.description.as_str()),
        ("confirmAction", "Ask")
    );
}

#[test]
fn the_newest_registration_of_a_name_is_active_until_it_is_removed() {
    let mut driver = Driver::new();
    let a = driver.register(ActionSpec::new("x", "A"));
    let b = RegistrationId::new(77);
    let output = driver.register_as(b, ActionSpec::new("x", "B"));
    assert_eq!(output.diagnostics[0].code(), "action-name-clash");
    assert!(output.diagnostics[0].message().contains("'x'"));
    assert_eq!(active_id(&driver), Some(b));
    assert_eq!(names(&driver), ["x"]);
    let mut other = driver.clone();
    driver.unregister(a);
    assert_eq!(active_id(&driver), Some(b));
    driver.unregister(b);
    assert_eq!(active_id(&driver), None);
    other.unregister(b);
    assert_eq!(active_id(&other), Some(a));
    assert_eq!(tool_changes(&other.unregister(b)), 0);
}

#[test]
fn a_disabled_registration_is_skipped_and_keeps_its_position() {
    let mut driver = Driver::new();
    driver.register(ActionSpec::new("x", "A"));
    let b = driver.register(ActionSpec::new("x", "B"));
    let active_registration = |driver: &Driver| {
        let entry = driver.session.registry().active_registration("x");
        entry.map(|entry| entry.spec().description().to_owned())
    };
    let mut blinking = ActionSpec::new("x", "A");
    for enabled in [false, true] {
        blinking = blinking.with_enabled(enabled);
        driver.register_as(RegistrationId::new(1), blinking.clone());
        assert_eq!(active_registration(&driver).as_deref(), Some("B"));
    }
    let hidden = ActionSpec::new("x", "B").with_enabled(false);
    assert_eq!(tool_changes(&driver.register_as(b, hidden)), 1);
    assert_eq!(active_registration(&driver).as_deref(), Some("A"));
    blinking = blinking.with_enabled(false);
    driver.register_as(RegistrationId::new(1), blinking);
    assert_eq!(active_id(&driver), None);
    assert!(names(&driver).is_empty());
    let error = driver.session.registry().executable("x").unwrap_err();
    assert_eq!(error, "Action x not found");
}

#[test]
fn a_render_only_registration_does_not_hide_an_executable_one() {
    let mut driver = Driver::new();
    let acts = driver.register(action("x"));
    let shows = ActionSpec::new("x", "").with_availability(Availability::RenderOnly);
    let shows = driver.register(shows);
    assert_eq!(active_id(&driver), Some(acts));
    assert_eq!(names(&driver), ["x"]);
    driver.unregister(acts);
    assert_eq!(active_id(&driver), Some(shows));
}

#[test]
fn a_name_clash_is_reported_once() {
    let mut driver = Driver::new();
    let a = driver.register(ActionSpec::new("x", "A"));
    driver.register_as(RegistrationId::new(9), ActionSpec::new("x", "B"));
    assert_eq!(
        driver
            .register_as(a, ActionSpec::new("x", "A2"))
            .diagnostics,
        []
    );
}

#[test]
fn each_change_of_the_tool_definitions_is_reported_once() {
    let mut driver = Driver::new();
    let id = RegistrationId::new(1);
    assert_eq!(
        tool_changes(&driver.register_as(id, ActionSpec::new("a", ""))),
        1
    );
    assert_eq!(
        tool_changes(&driver.register_as(RegistrationId::new(2), ActionSpec::new("b", ""))),
        1
    );
    assert_eq!(
        tool_changes(&driver.register_as(id, ActionSpec::new("a", ""))),
        0
    );
    let same_for_agent = action("a").with_timeout_ms(5);
    assert_eq!(tool_changes(&driver.register_as(id, same_for_agent)), 0);
    assert_eq!(tool_changes(&driver.unregister(id)), 1);
    assert_eq!(tool_changes(&driver.unregister(id)), 0);
    assert_eq!(names(&driver), ["b"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Registers, changes, renames and removes actions at random. The change of the definitions is
    /// reported if and only if the list of tools differs.
    #[test]
    fn a_change_is_reported_if_the_list_of_tools_differs(
        steps in prop::collection::vec((0..8u64, 0..5usize, 0..4u8), 1..60),
    ) {
        let mut driver = Driver::new();
        for (id, name, what) in steps {
            let before = driver.session.registry().tools();
            let id = RegistrationId::new(id);
            let output = match what {
                0 => driver.unregister(id),
                _ => {
                    let mut spec = action(["a", "b", "c", "d", "e"][name]).with_enabled(what != 1);
                    if what == 2 {
                        spec = spec.with_availability(Availability::RenderOnly);
                    }
                    driver.register_as(id, spec)
                }
            };
            let registry = driver.session.registry();
            let differs = before != registry.tools();
            prop_assert_eq!(tool_changes(&output), usize::from(differs));
            for entry in registry.all() {
                prop_assert_eq!(registry.get(entry.id()), Some(entry));
            }
        }
    }
}

#[test]
fn definitions_are_sent_in_registration_order_with_the_next_run() {
    let mut driver = Driver::new();
    driver.register(action("zeta"));
    driver.send("hi");
    driver.event(started());
    driver.register(action("alpha"));
    let hidden = action("shown_only").with_availability(Availability::RenderOnly);
    driver.register(hidden);
    driver.events(calls("c", "zeta", "{}"));
    // Not offered in this run, so it is the agent's own.
    driver.events(calls("d", "alpha", "{}"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.starts("d"), 0);
    driver.returns("c", json!(1));
    let tools: Vec<&str> = driver
        .request()
        .tools
        .iter()
        .map(|t| t.name.as_str())
        .collect();
    assert_eq!(tools, ["zeta", "alpha"]);
    assert_eq!(driver.runs[0].1.tools.len(), 1);
}

#[test]
fn executable_gives_the_reason_for_an_action_that_cannot_run() {
    let mut registry = Driver::new();
    registry.register(ActionSpec::new("idle", ""));
    let hidden = action("hidden").with_availability(Availability::RenderOnly);
    registry.register(hidden);
    registry.register(action("works"));
    let registry: &Registry = registry.session.registry();
    let error = |name: &str| registry.executable(name).unwrap_err();
    assert_eq!(error("nobody"), "Action nobody not found");
    assert_eq!(error("hidden"), "Action hidden not found");
    assert_eq!(error("idle"), "Action idle has no handler");
    assert_eq!(registry.executable("works").unwrap().spec().name(), "works");
}

#[test]
fn action_names_that_providers_refuse_are_refused() {
    let longest = "x".repeat(128);
    for good in ["a", "confirmAction", "a-b_c.d9", longest.as_str()] {
        assert!(ActionSpec::new(good, "").check().is_ok(), "{good}");
    }
    let too_long = "x".repeat(129);
    for bad in ["", "two words", "ä", "a/b", too_long.as_str()] {
        let mut driver = Driver::new();
        let output = driver.register_as(RegistrationId::new(1), ActionSpec::new(bad, ""));
        assert!(
            matches!(output.refused, Some(Refusal::InvalidAction(_))),
            "{bad}"
        );
        assert_eq!(names(&driver), Vec::<String>::new());
    }
}

#[test]
fn a_json_list_of_definitions_is_imported() {
    let seed = json!([
        {"name": "confirmAction", "description": "Ask the user", "parameters": {
            "type": "object",
            "properties": {"action": {"type": "string"}, "importance": {"type": "string", "enum": ["low", "high"]}},
            "required": ["action"]}},
        {"name": "bare"},
        {"description": "no name"},
        {"name": "bad name"},
        {"name": "bad_parameters", "parameters": "none"},
        17,
    ]);
    let list: &[Value] = seed.as_array().unwrap();
    let (actions, refused) = definitions_from_json(list);
    assert_eq!(actions.len(), 2);
    let tool = actions[0].tool();
    assert_eq!(Some(&list[0]["parameters"]), tool.parameters.as_ref());
    assert_eq!(actions[1].description(), "");
    assert_eq!(refused.len(), 4);
    assert!(
        refused[1].contains("entry 3") && refused[1].contains("bad name"),
        "{refused:?}"
    );
}

#[test]
fn results_are_encoded_as_the_action_specifies() {
    let json = ResultEncoding::Json;
    assert_eq!(json.encode(&json!("ok")), "\"ok\"");
    assert_eq!(json.encode(&json!(null)), "null");
    assert_eq!(ResultEncoding::Text.encode(&json!("ok")), "ok");
    assert_eq!(ResultEncoding::Text.encode(&json!({"a": 1})), "{\"a\":1}");
}

#[test]
fn a_tool_error_is_sent_with_its_type_and_suggestion() {
    let error = ToolError::new("no").error_type("limit").suggestion("wait");
    assert_eq!(
        error.to_value().to_string(),
        r#"{"error":"no","errorType":"limit","suggestion":"wait"}"#
    );
    assert_eq!(ToolError::new("boom").to_value(), json!({"error": "boom"}));
}
