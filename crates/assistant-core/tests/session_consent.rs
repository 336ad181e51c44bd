//! What a person decides is about what they saw, from the card to the agent: no decision goes anywhere
//! without its object.

use assistant_core::{
    event::{Interrupt, ResumeStatus},
    session::{Input, Refusal},
};
use serde_json::json;

use crate::support::*;

fn question(words: &str) -> Interrupt {
    let mut asked = interrupt("q", None, json!({"type": "boolean"}));
    asked.message = Some(words.to_owned());
    asked
}

#[test]
fn an_answer_is_one_to_the_question_that_was_shown() {
    let mut driver = Driver::new();
    driver.send("hi");
    driver.plays([started(), interrupted(vec![question("Save?")])]);
    let shown = driver.shown_question("q");
    assert_eq!(driver.answers("q", Some(json!(true))), None);
    driver.plays([started(), interrupted(vec![question("Delete all?")])]);
    let late = |status, payload| Input::Answer {
        interrupt_id: "q".to_owned(),
        shown: shown.clone(),
        status,
        payload,
    };
    let yes = late(ResumeStatus::Resolved, Some(json!(true)));
    assert_eq!(driver.input(yes).refused, Some(Refusal::Changed));
    assert_eq!(driver.runs.len(), 2);
    assert_eq!(driver.session.interrupts()[0].answer, None);
    // To give it up lets nothing happen, whatever is asked by now.
    let no = late(ResumeStatus::Cancelled, None);
    assert_eq!(driver.input(no).refused, None);
    assert_eq!(driver.request().resume[0].payload, None);
}
