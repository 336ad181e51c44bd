//! Selects the messages that are sent with an answer to an interrupt.

use std::{cell::RefCell, collections::HashSet, rc::Rc};

use assistant_core::event::{Role, RunInput};

/// The messages that are sent with a run that only answers an interrupt of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ResumeMessages {
    /// The complete history is sent, as with any other run.
    #[default]
    All,
    /// Only messages of the user and results of calls that the agent has not accepted before are
    /// sent. This option is for servers that store the history and append to it.
    New,
    /// No messages are sent. This option is for servers that refuse messages together with an
    /// answer.
    None,
}

/// The ids of the messages that the agent has accepted, and the [`ResumeMessages`] option.
#[derive(Debug, Clone, Default)]
pub(super) struct AcceptedMessages {
    pub(super) which: ResumeMessages,
    /// The ids of messages that the agent accepted.
    sent: Rc<RefCell<HashSet<String>>>,
}

impl AcceptedMessages {
    /// Reduces the messages of the input to those that are sent with an answer, if the run answers
    /// an interrupt. Does nothing for any other run.
    pub(super) fn select_messages(&self, input: &mut RunInput) {
        let is_answer =
            !input.resume.is_empty() || input.forwarded_props.pointer("/command/resume").is_some();
        if !is_answer {
            return;
        }
        match self.which {
            ResumeMessages::All => {}
            ResumeMessages::New => {
                let sent_ids = self.sent.borrow();
                input.messages.retain(|message| {
                    // The agent's own messages are omitted, because the agent has them in its
                    // history.
                    let is_from_page = matches!(message.role(), Role::User | Role::Tool)
                        && !message.is_marked_as_agents();
                    is_from_page && !sent_ids.contains(&message.id)
                });
            }
            ResumeMessages::None => input.messages.clear(),
        }
    }

    /// Records the messages of a request that the agent accepted, if the option is
    /// [`ResumeMessages::New`]. Messages of a failed request are not recorded, so that they are
    /// sent again with the next request.
    pub(super) fn record_accepted(&self, input: &RunInput) {
        if self.which == ResumeMessages::New {
            let ids = input.messages.iter().map(|message| message.id.clone());
            self.sent.borrow_mut().extend(ids);
        }
    }
}
