//! What the application says about calls of an action, beside whether a person is asked: permission,
//! limits, and arguments as they should be.

use std::{future::Future, rc::Rc};

use assistant_core::action::CallLimits;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolAction;

impl<Args> ToolAction<Args> {
    /// Asks the application right before a call starts, after rules and persons have let it pass: for
    /// what changes meanwhile, such as a session that has ended. `Err` says why not; the agent is told
    /// it, and the card shows it. Arguments that are not of the action's type are not permitted.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     euros: f64,
    /// }
    ///
    /// async fn budget() -> f64 {
    ///     100.0
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refunds an order")
    ///     .handler(|refund: Refund| refund.euros)
    ///     .permission(|refund| async move {
    ///         match refund.euros <= budget().await {
    ///             true => Ok(()),
    ///             false => Err("The budget of this month is spent".to_owned()),
    ///         }
    ///     });
    /// ```
    #[must_use]
    pub fn permission<F>(mut self, permits: impl Fn(Args) -> F + 'static) -> Self
    where
        Args: DeserializeOwned + 'static,
        F: Future<Output = Result<(), String>> + 'static,
    {
        self.permission = Some(Rc::new(move |args| match serde_json::from_value(args) {
            Ok(args) => Box::pin(permits(args)),
            Err(error) => {
                let reason = error.to_string();
                Box::pin(async move { Err(reason) })
            }
        }));
        self
    }

    /// Holds how often it may start. What is over a limit is answered with an error that says when
    /// to try again, and no person is asked about it.
    ///
    /// ```
    /// use leptos_assistant::{CallLimits, ToolAction};
    ///
    /// let action = ToolAction::new("send_mail", "Sends a mail")
    ///     .handler(|| "sent")
    ///     .limits(CallLimits::default().calls(5, 60_000).per_run(2));
    /// ```
    #[must_use]
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.spec.limits = limits;
        self
    }

    /// Cleans arguments before anything looks at them: what this gives is checked, shown, approved
    /// and run, and the agent is told what ran. Arguments that a person edits must be clean already.
    ///
    /// ```
    /// use leptos_assistant::ToolAction;
    /// use serde_json::json;
    ///
    /// let action = ToolAction::new("open", "Opens a page").sanitize(|args| {
    ///     if let Some(address) = args.get_mut("address") {
    ///         *address = json!(address.as_str().unwrap_or_default().trim());
    ///     }
    /// });
    /// ```
    #[must_use]
    pub fn sanitize(mut self, clean: impl Fn(&mut Value) + 'static) -> Self {
        self.sanitize = Some(Rc::new(move |args| {
            let mut cleaned = args.clone();
            clean(&mut cleaned);
            Some(cleaned)
        }));
        self
    }
}
