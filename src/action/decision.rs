//! What a card of a decision must know of its call: who asks, in which words, and what an answer
//! may carry. Neighbour: `view`, which reads the call and decides.

use assistant_core::{
    action::{Availability, Execution, GrantBounds, Registration, Remembering},
    conversation::{AllowedEarlier, Author, Fingerprint, ToolCall},
    event::Interrupt,
    session::{OpenInterrupt, Refusal, Session},
};
use leptos::prelude::{Get, Set, Track, Update};
use serde_json::Value;

use super::ToolCallView;
use crate::assistant::{Assistant, Gate};

/// The extras that a decision about a call may carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ApprovalTakes {
    /// Other arguments.
    pub edits: bool,
    /// A reason for saying no.
    pub reason: bool,
}

impl<T> ToolCallView<T> {
    /// Returns whether approving counts by now: what is asked was in view to its end, and has stood
    /// unchanged in its place for half a second. Until then a click may be meant for something
    /// else, and [`Self::approve`] refuses ([`Refusal::TooEarly`]). Denying counts at once.
    ///
    /// An approval is the user's: [`Self::approve`] counts while a click or a key in the view is
    /// handled that the user made, and not in a task that begins later, nor for a click that a script
    /// makes ([`Refusal::Scripted`]). What the application decides by its own code goes through
    /// [`Assistant::approve`].
    ///
    /// It is so for the view that an action's own approval renderer gets
    /// ([`super::ToolAction::render_approval`]): mark its button by it, as with `aria-disabled`. Any
    /// other view is of a call that is not being asked about there, and never too early.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let early = move || (!call.can_approve()).then_some("true");
    /// let yes = move |_| drop(call.approve());
    /// view! { <button aria-disabled=early on:click=yes>"Refund"</button> }
    /// # }
    /// ```
    #[must_use]
    pub fn can_approve(&self) -> bool {
        self.gate
            .is_none_or(|gate| gate.is_open.try_get().unwrap_or_default())
    }

    /// The same call behind a gate.
    pub(crate) fn behind(mut self, gate: Gate) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Refuses what comes too early, from a script, or from a card that is gone.
    pub(super) fn in_time(&self) -> Result<(), Refusal> {
        self.gate.map_or(Ok(()), Gate::check)
    }

    /// The schema of arguments that a person may put in place of the agent's: the action's own
    /// where it runs on this page, whatever the agent says; else what the agent says.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.edit_schema().map(|schema| schema["properties"].to_string())
    /// # }
    /// ```
    #[must_use]
    pub fn edit_schema(&self) -> Option<Value> {
        if self.is_run_here() {
            return self.parameters();
        }
        let told = self.read_interrupt(|interrupt| {
            let properties = interrupt.response_schema.as_ref()?.get("properties")?;
            properties.get("editedArgs").cloned()
        });
        told.flatten()
            .filter(|schema| schema.get("properties").is_some())
            .or_else(|| self.parameters())
    }

    /// Returns whether it is the agent who asks about the call, by an interrupt, and not this page
    /// by the rules of its action. The answer is an answer to the agent; the page's own question is
    /// not answered by it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || if call.is_asked_by_agent() { "The agent asks" } else { "This page will refund" }
    /// # }
    /// ```
    #[must_use]
    pub fn is_asked_by_agent(&self) -> bool {
        self.interrupt_id().is_some()
    }

    /// Returns what the agent says where it is the agent who asks whether the call may run. Its
    /// words are not the page's: show them as such, after the arguments.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// // Marked as the words of the agent.
    /// move || call.question().map(|words| view! { <blockquote>{words}</blockquote> })
    /// # }
    /// ```
    #[must_use]
    pub fn question(&self) -> Option<String> {
        let said = self.read_interrupt(|interrupt| interrupt.message.clone());
        said.flatten().filter(|text| !text.trim().is_empty())
    }

    /// Returns until when the agent waits for the decision, in milliseconds since 1970.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.expires_at().map(|at| format!("until {at}"))
    /// # }
    /// ```
    #[must_use]
    pub fn expires_at(&self) -> Option<i64> {
        self.read_open(OpenInterrupt::expires_at).flatten()
    }

    /// The id of the interrupt by which the agent asks about the call.
    pub(crate) fn interrupt_id(&self) -> Option<String> {
        self.read(|call| call.approval()?.interrupt_id.clone())
            .flatten()
    }

    /// Reads the interrupt by which the agent asks about the call.
    fn read_interrupt<R>(&self, read: impl FnOnce(&Interrupt) -> R) -> Option<R> {
        self.read_open(|open| read(&open.interrupt))
    }

    fn read_open<R>(&self, read: impl FnOnce(&OpenInterrupt) -> R) -> Option<R> {
        let id = self.interrupt_id()?;
        let found = self.assistant()?.read(|session| {
            let mut open = session.interrupts().iter();
            let open = open.find(|open| open.interrupt.id == id)?;
            Some(read(open))
        });
        found.flatten()
    }

    /// Returns whether approving it can lead to anything: its action is on the page, or the agent
    /// runs it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || (!call.can_run()).then_some("Not on this page")
    /// # }
    /// ```
    #[must_use]
    pub fn can_run(&self) -> bool {
        let Some(assistant) = self.assistant() else {
            return false;
        };
        assistant.view().renderers.track();
        let name = self.name();
        let runs = |session: &Session| session.registry().executable(&name).is_ok();
        self.is_asked_by_agent() || self.is_run_by_agent() || assistant.read(runs).unwrap_or(true)
    }

    /// Returns what a decision may carry: the page takes other arguments for what it runs, and any
    /// reason; where it is the agent who asks, it says what it takes.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// view! { <input hidden=move || !call.approval_takes().reason placeholder="Why not?" /> }
    /// # }
    /// ```
    #[must_use]
    pub fn approval_takes(&self) -> ApprovalTakes {
        if !self.is_asked_by_agent() {
            return ApprovalTakes {
                edits: !self.is_run_by_agent(),
                reason: true,
            };
        }
        let takes = self.read_open(|open| ApprovalTakes {
            edits: open.takes_edits(),
            reason: open.takes_reason(),
        });
        takes.unwrap_or_default()
    }

    /// Returns the most that may be remembered of an approval of it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// use leptos_assistant::engine::action::Remembering;
    ///
    /// view! { <label hidden=move || call.remembering() == Remembering::Never>"Do not ask again"</label> }
    /// # }
    /// ```
    #[must_use]
    pub fn remembering(&self) -> Remembering {
        let read = |assistant: Assistant| assistant.read(|session| session.remembering(self.key()));
        let found = self.assistant().and_then(read);
        found.unwrap_or(Remembering::Never)
    }

    /// Returns the widest bounds of an approval of this call that holds for later ones, as its action
    /// declares them. A card may offer narrower ones.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.grant_bounds().uses.map(|most| format!("At most {most} times"))
    /// # }
    /// ```
    #[must_use]
    pub fn grant_bounds(&self) -> GrantBounds {
        let read =
            |assistant: Assistant| assistant.read(|session| session.grant_bounds(self.key()));
        self.assistant().and_then(read).unwrap_or_default()
    }

    /// The approval of an earlier call that let it start without the person being asked.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.allowed_earlier().map(|_| "You allowed this earlier")
    /// # }
    /// ```
    #[must_use]
    pub fn allowed_earlier(&self) -> Option<AllowedEarlier> {
        self.read(|call| call.allowed_earlier().cloned()).flatten()
    }

    /// Returns whether the user denied an equal call in the same turn, so that they were not asked
    /// about this one.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.was_denied_before().then_some("You denied this before")
    /// # }
    /// ```
    #[must_use]
    pub fn was_denied_before(&self) -> bool {
        self.read(|call| call.denied_before()).unwrap_or_default()
    }

    /// Whether its action leaves running to the agent.
    pub(crate) fn is_run_by_agent(&self) -> bool {
        self.has_action(|action| action.spec.execution == Execution::Agent)
    }

    /// Whether its action runs on this page: offered, with a handler.
    pub(crate) fn is_run_here(&self) -> bool {
        self.has_action(|action| {
            action.spec.execution == Execution::Client
                && action.spec.availability == Availability::Offered
                && action.spec.has_handler
        })
    }

    fn has_action(&self, is: impl FnOnce(&Registration) -> bool) -> bool {
        let Some(assistant) = self.assistant() else {
            return false;
        };
        assistant.view().renderers.track();
        let name = self.name();
        let told = |session: &Session| session.registry().in_force(&name).is_some_and(is);
        assistant.read(told).unwrap_or_default()
    }

    /// Returns whether its result is the agent's word for something that only this page runs. It is
    /// shown as reported, not as done here.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.is_reported().then_some("The agent says that this was done")
    /// # }
    /// ```
    #[must_use]
    pub fn is_reported(&self) -> bool {
        let by_agent = self.read(|call| call.answered_by() == Some(Author::Agent));
        by_agent == Some(true) && self.is_run_here()
    }

    /// Returns whether the call is another one than a person was asked about or decided about
    /// before.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.has_changed().then_some("This is another call than before")
    /// # }
    /// ```
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.read(ToolCall::has_changed).unwrap_or_default()
    }

    /// What a decision is bound to now; it changes with the name, the arguments and the rules of
    /// the action.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.cell()?.shown.get()
    }

    /// A decision about something that is no longer so was refused: shows what it is now.
    pub(super) fn or_show_anew(&self, outcome: Result<(), Refusal>) -> Result<(), Refusal> {
        if matches!(outcome, Err(Refusal::Changed))
            && let (Some(assistant), Some(cell)) = (self.assistant(), self.cell())
        {
            let now = |session: &Session| session.fingerprint(self.key());
            cell.shown.set(assistant.read(now).flatten());
            cell.revision.update(|count| *count = count.wrapping_add(1));
        }
        outcome
    }
}
