//! Reads the state of a call for its approval card: the party that asks for approval, the
//! conditions for an approval, and the permitted contents of a decision.

use assistant_core::{
    action::{Availability, Execution, GrantBounds, Registration, Remembering},
    conversation::{AllowedEarlier, Author, Fingerprint, ToolCall},
    event::Interrupt,
    session::{OpenInterrupt, Refusal, Session},
};
use leptos::prelude::{Get, Set, Track, Update};
use serde_json::Value;

use super::ToolCallView;
use crate::assistant::{Assistant, DecisionConditions};

/// The optional contents that are permitted in a decision about a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalTakes {
    /// True if the arguments may be edited.
    pub edits: bool,
    /// True if a denial may have a reason.
    pub reason: bool,
}

impl<T> ToolCallView<T> {
    /// Returns true if an approval counts now, that is, if the whole card has been visible and has
    /// neither changed nor moved for half a second. If an approval does not count yet, the user may
    /// have clicked on something else, and [`Self::approve`] fails with [`Refusal::TooEarly`]. A
    /// denial counts at once.
    ///
    /// An approval must come from the user: [`Self::approve`] succeeds only while the view handles
    /// a click or key event of the user. In a later task, or for a click by a script, it fails with
    /// [`Refusal::Scripted`]. Decisions of the application's code use [`Assistant::approve`].
    ///
    /// These conditions apply to the view that an action's approval renderer receives
    /// ([`super::ToolAction::render_approval`]). The renderer should disable its button
    /// accordingly, for example with `aria-disabled`. Other views do not ask for approval; for
    /// them, this method always returns true.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let disabled = move || (!call.can_approve()).then_some("true");
    /// let approve = move |_| drop(call.approve());
    /// view! { <button aria-disabled=disabled on:click=approve>"Refund"</button> }
    /// # }
    /// ```
    #[must_use]
    pub fn can_approve(&self) -> bool {
        self.conditions
            .is_none_or(|conditions| conditions.are_met.try_get().unwrap_or_default())
    }

    /// Sets the conditions for approvals.
    pub(crate) fn with_conditions(mut self, conditions: DecisionConditions) -> Self {
        self.conditions = Some(conditions);
        self
    }

    /// Refuses an approval that is too early, scripted, or from a removed card, and scrolls to a
    /// part of the card that the user has not read. Accepts any approval in a view that is not an
    /// approval card, since such a view has no conditions.
    pub(super) fn check_conditions(&self) -> Result<(), Refusal> {
        self.conditions.map_or(Ok(()), DecisionConditions::check)
    }

    /// Returns the schema for arguments that the user may edit. If the action runs on this page,
    /// the schema is that of the action. For any other action, the schema for edited arguments in
    /// the agent's interrupt takes precedence over the action's schema. Returns `None` if there is
    /// no schema.
    #[must_use]
    pub fn edit_schema(&self) -> Option<Value> {
        if self.is_run_here() {
            return self.parameters();
        }
        let schema = self.read_interrupt(|interrupt| {
            let properties = interrupt.response_schema.as_ref()?.get("properties")?;
            properties.get("editedArgs").cloned()
        });
        schema
            .flatten()
            .filter(|schema| schema.get("properties").is_some())
            .or_else(|| self.parameters())
    }

    /// Returns true if the agent asks about the call by an interrupt, and false if this page asks
    /// by the rules of the action. The user's answer to an interrupt is sent to the agent, and does
    /// not count as an answer to a question of the page.
    #[must_use]
    pub fn is_asked_by_agent(&self) -> bool {
        self.interrupt_id().is_some()
    }

    /// Returns the text with which the agent asks for the approval. Returns `None` if the agent
    /// does not ask, or asks without a text. Since the text does not come from the page, a card
    /// should mark the text as the agent's and show it after the arguments.
    #[must_use]
    pub fn question(&self) -> Option<String> {
        let message = self.read_interrupt(|interrupt| interrupt.message.clone());
        message.flatten().filter(|text| !text.trim().is_empty())
    }

    /// Returns the time until which the agent waits for the decision, in milliseconds since 1970.
    /// Returns `None` if the agent does not ask, or waits without a limit.
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        self.read_open_interrupt(OpenInterrupt::expires_at)
            .flatten()
    }

    /// Returns the id of the interrupt by which the agent asks about the call. Returns `None` if
    /// the agent does not ask.
    pub(crate) fn interrupt_id(&self) -> Option<String> {
        self.read(|call| call.approval()?.interrupt_id().map(str::to_owned))
            .flatten()
    }

    /// Reads the interrupt by which the agent asks about the call. Returns `None` if no such
    /// interrupt is open.
    fn read_interrupt<R>(&self, read: impl FnOnce(&Interrupt) -> R) -> Option<R> {
        self.read_open_interrupt(|open| read(open.interrupt()))
    }

    fn read_open_interrupt<R>(&self, read: impl FnOnce(&OpenInterrupt) -> R) -> Option<R> {
        let id = self.interrupt_id()?;
        let result = self.assistant()?.read(|session| {
            let mut interrupts = session.interrupts().iter();
            let interrupt = interrupts.find(|open| open.interrupt().id == id)?;
            Some(read(interrupt))
        });
        result.flatten()
    }

    /// Returns true if the call could run after an approval, because the action can run on the
    /// page, the agent runs the call, or the agent asks about the call.
    #[must_use]
    pub fn can_run(&self) -> bool {
        let Some(assistant) = self.assistant() else {
            return false;
        };
        assistant.view().renderers.track();
        let name = self.name();
        let is_executable = |session: &Session| session.registry().executable(&name).is_ok();
        self.is_asked_by_agent()
            || self.is_run_by_agent()
            || assistant.read(is_executable).unwrap_or(true)
    }

    /// Returns the optional contents that are permitted in a decision. If the page asks, a reason
    /// is permitted, and edited arguments are permitted unless the agent runs the call. If the
    /// agent asks, the agent's interrupt determines the permitted contents.
    #[must_use]
    pub fn approval_takes(&self) -> ApprovalTakes {
        if !self.is_asked_by_agent() {
            return ApprovalTakes {
                edits: !self.is_run_by_agent(),
                reason: true,
            };
        }
        let contents = self.read_open_interrupt(|open| ApprovalTakes {
            edits: open.takes_edits(),
            reason: open.takes_reason(),
        });
        contents.unwrap_or_default()
    }

    /// Returns the widest scope for which an approval may be remembered.
    #[must_use]
    pub fn remembering(&self) -> Remembering {
        let read = |assistant: Assistant| assistant.read(|session| session.remembering(self.key()));
        let remembering = self.assistant().and_then(read);
        remembering.unwrap_or(Remembering::Never)
    }

    /// Returns the widest bounds of a remembered approval, as the action declares them. A card may
    /// offer narrower bounds.
    #[must_use]
    pub fn grant_bounds(&self) -> GrantBounds {
        let read =
            |assistant: Assistant| assistant.read(|session| session.grant_bounds(self.key()));
        self.assistant().and_then(read).unwrap_or_default()
    }

    /// Returns the approval of an earlier call that allowed this call without asking the user.
    /// Returns `None` if no such approval was applied.
    #[must_use]
    pub fn allowed_earlier(&self) -> Option<AllowedEarlier> {
        self.read(|call| call.allowed_earlier().cloned()).flatten()
    }

    /// Returns true if this call was denied automatically, because the user denied an equal call in
    /// the same turn.
    #[must_use]
    pub fn was_denied_before(&self) -> bool {
        self.read(|call| call.denied_before()).unwrap_or_default()
    }

    /// Returns true if the agent runs the action.
    pub(crate) fn is_run_by_agent(&self) -> bool {
        self.has_action(|action| action.spec().execution() == Execution::Agent)
    }

    /// Returns true if the action runs on this page, that is, if the action is offered, has a
    /// handler, and is not run by the agent.
    pub(crate) fn is_run_here(&self) -> bool {
        self.has_action(|action| {
            action.spec().execution() == Execution::Client
                && action.spec().availability() == Availability::Offered
                && action.spec().has_handler()
        })
    }

    fn has_action(&self, is: impl FnOnce(&Registration) -> bool) -> bool {
        let Some(assistant) = self.assistant() else {
            return false;
        };
        assistant.view().renderers.track();
        let name = self.name();
        let is_met = |session: &Session| {
            session
                .registry()
                .active_registration(&name)
                .is_some_and(is)
        };
        assistant.read(is_met).unwrap_or_default()
    }

    /// Returns true if the agent reported a result for an action that only this page runs. Such a
    /// result is shown as reported by the agent instead of as done by this page.
    #[must_use]
    pub fn is_reported(&self) -> bool {
        let is_answered_by_agent = self.read(|call| call.answered_by() == Some(Author::Agent));
        is_answered_by_agent == Some(true) && self.is_run_here()
    }

    /// Returns true if the call has changed since the user was asked about it or made a decision.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.read(ToolCall::has_changed).unwrap_or_default()
    }

    /// Returns the fingerprint of the displayed version of the call, to which a decision is bound.
    /// Returns `None` if the call does not exist or was not shown. The fingerprint changes with the
    /// name, the arguments and the rules of the action.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.cell()?.shown.get()
    }

    /// Shows the current version of the call if the outcome is the refusal of a decision about an
    /// outdated version. Returns the outcome unchanged.
    pub(super) fn refresh_if_changed(&self, outcome: Result<(), Refusal>) -> Result<(), Refusal> {
        if matches!(outcome, Err(Refusal::Changed))
            && let (Some(assistant), Some(cell)) = (self.assistant(), self.cell())
        {
            let fingerprint = |session: &Session| session.fingerprint(self.key());
            cell.shown.set(assistant.read(fingerprint).flatten());
            cell.revision.update(|count| *count = count.wrapping_add(1));
        }
        outcome
    }
}
