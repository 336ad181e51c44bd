//! Registers observers and rules of an application with a session.

use std::rc::Rc;

use assistant_core::{
    conversation::CallEvent, event::Diagnostic, loop_events::LoopEvent, observe::ObserverResult,
    session::TurnSummary,
};

use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::Assistant;
use crate::ui::Subscription;

/// Methods that register observers and rules of the application.
impl Assistant {
    /// Calls `observer` for each diagnostic, until the subscription is dropped. A diagnostic
    /// reports input that was tolerated, dropped or not acted on.
    ///
    /// The observer may return a `Result`: an error does not affect other observers or the
    /// conversation, and is reported as the diagnostic `observer-failed` (rule "observers").
    pub fn on_diagnostic<R: ObserverResult>(
        &self,
        observer: impl Fn(&Diagnostic) -> R + 'static,
    ) -> Subscription {
        self.runtime().on_diagnostic(observer)
    }

    /// Calls `observer` when a call needs approval, starts or ends, until the subscription is
    /// dropped. Calls of the agent and calls of [`Self::execute`] are reported. The phase of the
    /// event tells the three cases apart, and the kind of the event names the cause. Calls that had
    /// already ended in a loaded conversation are not reported.
    ///
    /// The observer may use the assistant. Changes that the observer makes take effect after the
    /// reported step.
    ///
    /// ```no_run
    /// use leptos_assistant::{Phase, use_assistant};
    ///
    /// let assistant = use_assistant().expect("below a provider");
    /// let subscription = assistant.on_call_event(|event| {
    ///     if event.phase() == Phase::ApprovalRequested {
    ///         leptos::logging::log!("{} waits for you", event.name());
    ///     }
    /// });
    /// leptos::prelude::on_cleanup(move || drop(subscription));
    /// ```
    pub fn on_call_event<R: ObserverResult>(
        &self,
        observer: impl Fn(&CallEvent) -> R + 'static,
    ) -> Subscription {
        self.runtime().on_call_event(observer)
    }

    /// Calls `observer` for the events of the loop of runs and tool calls, until the subscription
    /// is dropped, in the order of each iteration: the assistant's message, its calls, their starts
    /// and results, then the next message, and at the end one final response. Messages that were in
    /// the chat before are not reported.
    ///
    /// A type with the callbacks of [`LoopObserver`](crate::session::LoopObserver) can be notified
    /// by [`LoopEvent::notify`]. The observer may use the assistant.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// use leptos_assistant::session::LoopEvent;
    ///
    /// let subscription = assistant.on_loop_event(|event| {
    ///     if let LoopEvent::FinalResponse { cost, .. } = event {
    ///         leptos::logging::log!("{:?} tokens", cost.total_tokens());
    ///     }
    /// });
    /// on_cleanup(move || drop(subscription));
    /// # }
    /// ```
    pub fn on_loop_event<R: ObserverResult>(
        &self,
        observer: impl Fn(&LoopEvent) -> R + 'static,
    ) -> Subscription {
        self.runtime().on_loop_event(observer)
    }

    /// Sets a permission rule that is evaluated right before any call starts, with the action's
    /// name and arguments, after rules and approvals have allowed the call. An `Err` contains the
    /// reason for the refusal, which is shown to the agent and on the card. An action may also have
    /// its own rule ([`ToolAction::permission`](crate::ToolAction::permission)).
    ///
    /// ```
    /// # fn example(assistant: &leptos_assistant::Assistant) {
    /// assistant.set_permission(|name, _args| async move {
    ///     match name.starts_with("admin_") {
    ///         true => Err("Only administrators may do this".to_owned()),
    ///         false => Ok(()),
    ///     }
    /// });
    /// # }
    /// ```
    pub fn set_permission<F>(&self, permits: impl Fn(String, Value) -> F + 'static)
    where
        F: Future<Output = Result<(), String>> + 'static,
    {
        let permission =
            move |name, args| Box::pin(permits(name, args)) as LocalBoxFuture<'static, _>;
        self.runtime().set_permission(Rc::new(permission));
    }

    /// Sets the rule to which [`StopCondition::Rule`](crate::StopCondition::Rule) refers by this
    /// name. The rule ends the loop of runs and tool results by returning true. An earlier rule of
    /// the same name is replaced. A condition that names no rule never ends the loop, and is
    /// reported as an error in the console.
    ///
    /// The rule runs while an input is handled, and receives the summary only:
    /// [`Self::with_conversation`] returns `None` in the rule, and changes that the rule makes
    /// through the handle are deferred.
    ///
    /// ```no_run
    /// use leptos_assistant::{SessionOptions, StopCondition, use_assistant};
    ///
    /// let options = SessionOptions::default().stop_when(StopCondition::Rule("budget".into()));
    /// # let _ = options;
    /// let assistant = use_assistant().expect("below a provider");
    /// assistant.set_stop_rule("budget", |summary| {
    ///     let tokens = summary.runs().iter().flat_map(|run| run.usage());
    ///     tokens.filter_map(|usage| usage.output_tokens).sum::<u64>() > 20_000
    /// });
    /// ```
    pub fn set_stop_rule(
        &self,
        name: impl Into<String>,
        rule: impl Fn(&TurnSummary) -> bool + 'static,
    ) {
        self.runtime().set_stop_rule(name.into(), Rc::new(rule));
    }
}
