//! Rule "offered in a run": registered and enabled actions, as far as the application's filter
//! permits.

use assistant_core::{
    action::{ActionSpec, OfferFilter},
    conversation::ErrorKind,
    session::Input,
};

use crate::support::*;

fn tagged(name: &str, tags: &[&str]) -> ActionSpec {
    action(name).with_tags(tags.iter().map(|tag| (*tag).to_owned()).collect())
}

fn offered(driver: &Driver) -> Vec<&str> {
    let tools = driver.request().tools.iter();
    tools.map(|tool| tool.name.as_str()).collect()
}

fn narrow(driver: &mut Driver, filter: Option<OfferFilter>) {
    assert_eq!(driver.input(Input::Offer { filter }).refused, None);
}

fn three() -> Driver {
    let mut driver = Driver::new();
    driver.register(tagged("pay", &["cart", "money"]));
    driver.register(tagged("read", &["mail"]));
    let help = tagged("help", &[]).with_always_offered(true);
    driver.register(help);
    driver
}

#[test]
fn a_filter_narrows_the_tools_of_the_next_run() {
    let mut driver = three();
    driver.send("all");
    assert_eq!(offered(&driver), ["pay", "read", "help"]);
    driver.says("ok");
    narrow(&mut driver, Some(OfferFilter::default().tag("cart")));
    driver.send("some");
    assert_eq!(offered(&driver), ["pay", "help"]);
    driver.says("ok");
    narrow(&mut driver, Some(OfferFilter::default().name("read")));
    driver.send("another");
    assert_eq!(offered(&driver), ["read", "help"]);
    driver.says("ok");
    narrow(&mut driver, Some(OfferFilter::default()));
    driver.send("none");
    assert_eq!(offered(&driver), ["help"]);
    driver.says("ok");
    narrow(&mut driver, None);
    driver.send("all");
    assert_eq!(offered(&driver), ["pay", "read", "help"]);
}

#[test]
fn a_call_of_a_filtered_tool_fails() {
    let mut driver = three();
    narrow(&mut driver, Some(OfferFilter::default().tag("cart")));
    driver.send("hi");
    let mut both = calls("c1", "read", "{}");
    both.extend(calls("c2", "pay", "{}"));
    driver.plays(both);
    assert_eq!((driver.starts("c1"), driver.starts("c2")), (0, 1));
    let error = driver.call("c1").error().cloned().unwrap();
    assert_eq!(error.kind(), ErrorKind::UnknownTool);
    assert_eq!(
        driver.answer("c1"),
        "{\"error\":\"Action read is not offered in this run\"}"
    );
    driver.returns("c2", ().into());
    assert_eq!(driver.runs.len(), 2, "the agent receives both");
}

#[test]
fn a_filter_set_during_a_run_applies_to_the_next_one() {
    let mut driver = three();
    driver.send("hi");
    narrow(&mut driver, Some(OfferFilter::default()));
    driver.plays(calls("c", "pay", "{}"));
    assert_eq!(driver.starts("c"), 1);
    driver.returns("c", ().into());
    assert_eq!(offered(&driver), ["help"]);
    driver.plays(calls("d", "pay", "{}"));
    assert_eq!(driver.starts("d"), 0);
}

#[test]
fn a_revealed_tool_is_offered_until_the_next_user_message() {
    let mut driver = three();
    narrow(&mut driver, Some(OfferFilter::default().tag("cart")));
    driver.send("hi");
    driver.event(started());
    let names = vec!["read".to_owned(), "nothing".to_owned()];
    driver.input(Input::Reveal { names });
    driver.events(calls("c", "read", "{}"));
    driver.event(finished());
    driver.close();
    assert_eq!(driver.starts("c"), 0, "not in the run that asked");
    assert_eq!(offered(&driver), ["pay", "read", "help"]);
    driver.plays(calls("d", "read", "{}"));
    assert_eq!(driver.starts("d"), 1);
    driver.returns("d", ().into());
    driver.says("ok");
    driver.send("next");
    assert_eq!(offered(&driver), ["pay", "help"]);
}

#[test]
fn list_tools_marks_the_offered_ones() {
    let mut driver = three();
    let disabled = tagged("gone", &["cart"]).with_enabled(false);
    driver.register(disabled);
    narrow(&mut driver, Some(OfferFilter::default().tag("cart")));
    let list = driver.session.list_tools();
    let offers: Vec<_> = list
        .iter()
        .map(|one| (one.name(), one.is_offered()))
        .collect();
    assert_eq!(offers, [("pay", true), ("read", false), ("help", true)]);
    assert_eq!(list[0].tags(), ["cart", "money"]);
    let spec = driver
        .session
        .registry()
        .active_registration("pay")
        .unwrap()
        .spec();
    assert_eq!(*list[0].fingerprint(), spec.fingerprint());
    assert_eq!(driver.session.tools().len(), 2);
}

#[test]
fn a_direct_call_may_use_a_tool_that_is_not_offered() {
    let mut driver = three();
    narrow(&mut driver, Some(OfferFilter::default()));
    driver.send("hi");
    driver.says("ok");
    driver.input(Input::Execute {
        request: 1,
        name: "read".to_owned(),
        args: serde_json::json!({}),
        within: None,
    });
    assert_eq!(driver.invocations.len(), 1);
}
