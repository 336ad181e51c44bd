//! Completes a history, and performs the final checks.

use std::collections::BTreeMap;

use assistant_core::{event::Content, session::Input};
use serde_json::Value;

use super::{history::ChatSimulation, store::FailureMode};

/// The maximum number of steps to complete a history.
const PATIENCE: usize = 400;

impl ChatSimulation {
    /// Counts the stored texts that the conversation does not contain any more.
    pub(super) fn check_texts(&mut self) {
        let conversation = self.tab.session.conversation();
        let lost = self.texts.iter().filter(|(id, text)| {
            let there = conversation.message(id).map(|message| message.text());
            !there.is_some_and(|there| there.starts_with(text.as_str()))
        });
        self.tally.lost_text += lost.count() as u64;
    }

    /// Completes the history: the store works, handlers end, the user approves, the agent ends its
    /// run. Then checks that the chat is idle and accepts a message, and that every call is
    /// answered.
    pub(super) fn complete(&mut self) {
        self.store.mood = FailureMode::Works;
        self.left.clear();
        for _ in 0..PATIENCE {
            let waiting = self.tab.session.pending_approvals();
            if self.tab.run.is_some() {
                self.step_agent(true);
            } else if !self.tab.tasks.is_empty() {
                self.complete_task(true);
            } else if let Some(call) = waiting.first() {
                self.decide(*call, true);
            } else if !self.tab.session.is_busy() {
                break;
            } else {
                self.tally.stuck += 1;
                return;
            }
            self.count_wrong_cards();
        }
        let text = "the end".to_owned();
        let accepted = self.handle_input(Input::Send {
            content: Content::Text(text),
        });
        if !accepted || self.tab.run.is_none() {
            self.tally.stuck += 1;
            return;
        }
        self.check_request();
    }

    /// Counts the calls of the newest request that have no result, several, or another result than
    /// the journal, and the results without a call.
    pub(super) fn check_request(&mut self) {
        let messages = self.request.get("messages").and_then(Value::as_array);
        let messages = messages.map_or(&[][..], Vec::as_slice);
        let mut answers: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
        for message in messages.iter().filter(|message| message["role"] == "tool") {
            let id = message["toolCallId"].as_str().unwrap_or_default();
            answers.entry(id).or_default().push(&message["content"]);
        }
        let calls = messages
            .iter()
            .filter_map(|message| message["toolCalls"].as_array());
        for call in calls.flatten() {
            let id = call["id"].as_str().unwrap_or_default();
            let given = answers.remove(id).unwrap_or_default();
            let [content] = given[..] else {
                self.tally.lost_results += 1;
                continue;
            };
            let written = self.results.get(id).map(|value| match value {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            });
            let as_json = self.results.get(id).map(Value::to_string);
            if written.is_some()
                && content.as_str() != written.as_deref()
                && content.as_str() != as_json.as_deref()
            {
                self.tally.lost_results += 1;
            }
        }
        // A result without a call.
        self.tally.lost_results += answers.len() as u64;
    }
}
