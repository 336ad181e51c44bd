//! Sets the application's rules for calls other than approval rules: permission rules, limits, and
//! sanitizing.

use std::{future::Future, rc::Rc};

use assistant_core::action::CallLimits;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ArgsFn, ToolAction};

impl<Args> ToolAction<Args> {
    /// Sets a permission rule that is evaluated right before a call starts, after the approval
    /// rules have allowed the call. The rule is for conditions that may change before the call
    /// starts, such as the validity of a session. `Err` contains the reason for the refusal, which
    /// is sent to the agent and shown on the card. Calls with arguments that do not have the
    /// action's type are refused.
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
    pub fn permission<F, Marker>(mut self, permits: impl ArgsFn<Args, F, Marker> + 'static) -> Self
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

    /// Limits how often the action may start. A call that exceeds a limit ends with an error that
    /// contains the time to wait, and the user is not asked for approval.
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
        self.spec = self.spec.with_limits(limits);
        self
    }

    /// Sets a function that sanitizes arguments before they are used. The sanitized arguments are
    /// validated, shown, approved and run, and the agent receives the arguments that ran. Arguments
    /// that the user has edited must already be sanitized.
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
            let mut sanitized_args = args.clone();
            clean(&mut sanitized_args);
            Some(sanitized_args)
        }));
        self
    }
}
