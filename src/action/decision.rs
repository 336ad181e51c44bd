//! What a card of a decision must know of its call: who asks, in which words, and what an answer
//! may carry. Neighbour: `view`, which reads the call and decides.

use assistant_core::{
    action::Execution,
    event::Interrupt,
    session::{OpenInterrupt, Session},
};
use leptos::prelude::Track;
use serde_json::Value;

use super::ToolCallView;

/// What a decision about a call may carry beside yes or no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ApprovalTakes {
    /// Other arguments.
    pub edits: bool,
    /// A reason for saying no.
    pub reason: bool,
}

impl<T> ToolCallView<T> {
    /// The schema of arguments that a person may put in place of the agent's: what the agent says
    /// where it is the agent who asks, else the action's own.
    #[must_use]
    pub fn edit_schema(&self) -> Option<Value> {
        let told = self.read_interrupt(|interrupt| {
            let properties = interrupt.response_schema.as_ref()?.get("properties")?;
            properties.get("editedArgs").cloned()
        });
        told.flatten()
            .filter(|schema| schema.get("properties").is_some())
            .or_else(|| self.parameters())
    }

    /// What the agent says where it is the agent who asks whether the call may run.
    #[must_use]
    pub fn question(&self) -> Option<String> {
        let said = self.read_interrupt(|interrupt| interrupt.message.clone());
        said.flatten().filter(|text| !text.trim().is_empty())
    }

    /// Until when the agent waits for the decision, in milliseconds since 1970.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        self.read_open(OpenInterrupt::expires_at).flatten()
    }

    /// The id of the interrupt by which the agent asks about the call.
    pub(crate) fn interrupt_id(&self) -> Option<String> {
        self.read(|call| call.approval.as_ref()?.interrupt_id.clone())
            .flatten()
    }

    /// Reads the interrupt by which the agent asks about the call.
    fn read_interrupt<R>(&self, read: impl FnOnce(&Interrupt) -> R) -> Option<R> {
        self.read_open(|open| read(&open.interrupt))
    }

    fn read_open<R>(&self, read: impl FnOnce(&OpenInterrupt) -> R) -> Option<R> {
        let id = self.interrupt_id()?;
        let found = self.assistant.runtime().read(|session| {
            let mut open = session.interrupts().iter();
            let open = open.find(|open| open.interrupt.id == id)?;
            Some(read(open))
        });
        found.flatten()
    }

    /// Whether approving it can lead to anything: its action is on the page, or the agent runs it.
    #[must_use]
    pub fn can_run(&self) -> bool {
        self.assistant.runtime().view.renderers.track();
        let agents = self.read(|call| {
            call.approval
                .as_ref()
                .is_some_and(|a| a.interrupt_id.is_some())
        });
        let name = self.name();
        let runs = |session: &Session| session.registry().executable(&name).is_ok();
        agents == Some(true)
            || self.is_run_by_agent()
            || self.assistant.runtime().read(runs).unwrap_or(true)
    }

    /// What a decision may carry: the agent says so where it is the agent who asks.
    #[must_use]
    pub fn approval_takes(&self) -> ApprovalTakes {
        let agents = self.read(|call| {
            call.approval
                .as_ref()
                .is_some_and(|a| a.interrupt_id.is_some())
        });
        if agents != Some(true) {
            return ApprovalTakes {
                edits: !self.is_run_by_agent(),
                reason: true,
            };
        }
        let takes = self.read_interrupt(|interrupt| {
            let properties = interrupt.response_schema.as_ref()?.get("properties")?;
            Some(ApprovalTakes {
                edits: properties.get("editedArgs").is_some(),
                reason: properties.get("reason").is_some(),
            })
        });
        takes.flatten().unwrap_or_default()
    }

    /// Whether its action leaves running to the agent.
    fn is_run_by_agent(&self) -> bool {
        let name = self.name_untracked_with(str::to_owned);
        let told = |session: &Session| {
            let entry = session.registry().in_force(&name)?;
            Some(entry.spec.execution == Execution::Agent)
        };
        let told = self.assistant.runtime().read(told);
        told.flatten().unwrap_or_default()
    }
}
