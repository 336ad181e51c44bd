//! The messages that go along with an answer to a question of the agent.

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use assistant_core::event::{Role, RunInput};

/// The messages of a run that only answers a question of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResumeMessages {
    /// The whole history, as with any run.
    #[default]
    All,
    /// Only what the agent has not seen: for servers that keep the history and append.
    New,
    /// None: for servers that refuse messages beside an answer.
    None,
}

/// The messages that an agent accepted, and the choice of those that it is sent.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    pub(super) which: ResumeMessages,
    /// The ids of messages that the agent accepted.
    sent: Rc<RefCell<HashSet<String>>>,
}

impl History {
    /// Reduces an input to the messages that go along.
    pub(super) fn select(&self, input: &mut RunInput) {
        let resumes =
            !input.resume.is_empty() || input.forwarded_props.pointer("/command/resume").is_some();
        if !resumes {
            return;
        }
        match self.which {
            ResumeMessages::All => {}
            ResumeMessages::New => {
                let sent = self.sent.borrow();
                input.messages.retain(|message| {
                    // Its own messages the agent knows without having been sent them.
                    let ours = matches!(message.role(), Role::User | Role::Tool)
                        && !message.is_marked_as_agents();
                    ours && !sent.contains(&message.id)
                });
            }
            ResumeMessages::None => input.messages.clear(),
        }
    }

    /// Takes note of the messages of a request that the agent accepted. What a request that fails
    /// carried goes along with the next.
    pub(super) fn accepted(&self, input: &RunInput) {
        if self.which == ResumeMessages::New {
            let ids = input.messages.iter().map(|message| message.id.clone());
            self.sent.borrow_mut().extend(ids);
        }
    }
}
