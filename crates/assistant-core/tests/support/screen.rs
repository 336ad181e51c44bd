//! The screen of a [`Driver`]: cards and questions as drawn when the session reported their
//! changes. Decisions are made for this state.

use std::collections::BTreeMap;

use assistant_core::{
    conversation::{CallKey, Change, Decider, Fingerprint, Phase},
    event::ResumeStatus,
    session::{Input, Output, Refusal, Session, Verdict},
};
use serde_json::Value;

use super::Driver;

/// The questions as shown to the user.
#[derive(Debug, Clone, Default)]
pub(crate) struct Screen {
    cards: BTreeMap<CallKey, Fingerprint>,
    questions: BTreeMap<String, Fingerprint>,
}

impl Screen {
    /// Draws only what the changes name.
    pub(super) fn draw(&mut self, output: &Output, session: &Session) {
        for change in &output.changes {
            match change {
                Change::Thread => *self = Self::default(),
                Change::Call(key) => self.draw_card(*key, session),
                Change::Registry => {
                    for key in session.pending_approvals() {
                        self.draw_card(key, session);
                    }
                }
                Change::Interrupts => {
                    let open = session.interrupts().iter();
                    let ids = open.map(|open| open.interrupt().id.clone());
                    let shown = ids.filter_map(|id| {
                        let fingerprint = session.question_fingerprint(&id)?;
                        Some((id, fingerprint))
                    });
                    self.questions = shown.collect();
                }
                _ => {}
            }
        }
        // A new view draws existing cards.
        for key in session.pending_approvals() {
            if !self.cards.contains_key(&key) {
                self.draw_card(key, session);
            }
        }
    }

    fn draw_card(&mut self, key: CallKey, session: &Session) {
        let call = session.conversation().call(&key);
        if call.is_some_and(|call| call.phase() == Phase::ApprovalRequested)
            && let Some(fingerprint) = session.fingerprint(&key)
        {
            self.cards.insert(key, fingerprint);
        }
    }
}

impl Driver {
    /// Returns the shown version of a call: its card as last drawn, or the current one if it has no
    /// card.
    pub(crate) fn shown(&self, call: CallKey) -> Fingerprint {
        let card = self.screen.cards.get(&call).cloned();
        card.or_else(|| self.session.fingerprint(&call)).unwrap()
    }

    /// Returns the shown version of a question, or another one if it does not exist.
    pub(crate) fn shown_question(&self, id: &str) -> Fingerprint {
        let drawn = self.screen.questions.get(id).cloned();
        let any = || self.screen.questions.values().next().cloned();
        drawn.or_else(any).unwrap()
    }

    /// Decides about a call as its card shows it.
    pub(crate) fn decides(&mut self, call: CallKey, verdict: Verdict) -> Output {
        let shown = self.shown(call);
        self.input(Input::Decide {
            call,
            shown,
            verdict,
            by: Decider::Person,
        })
    }

    /// Answers a question of the agent as shown; without an answer it is cancelled.
    pub(crate) fn answers(&mut self, id: &str, payload: Option<Value>) -> Option<Refusal> {
        let status = match payload {
            Some(_) => ResumeStatus::Resolved,
            None => ResumeStatus::Cancelled,
        };
        let answer = Input::Answer {
            interrupt_id: id.to_owned(),
            shown: self.shown_question(id),
            status,
            payload,
            by: Decider::Person,
        };
        self.input(answer).refused
    }
}
