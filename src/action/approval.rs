//! Sets the approval rules of actions, the renderers of approval cards, and the results of denied
//! calls.

use std::{
    future::{Future, ready},
    rc::Rc,
    time::Duration,
};

use assistant_core::action::{Policy, Remembering};
use futures_util::future::LocalBoxFuture;
use leptos::prelude::IntoView;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Number, Value};

use super::{DenialFn, ToolAction, ToolCallView};
use crate::assistant::erase_call_renderer;

/// The rule that determines whether the user must approve a call.
#[non_exhaustive]
pub enum Approval {
    /// The user is never asked for approval.
    Never,
    /// The user is asked for approval of each call.
    Always,
    /// The user is asked for approval if this function returns true for the validated arguments.
    When(Box<dyn Fn(Value) -> LocalBoxFuture<'static, bool>>),
}

impl Approval {
    /// Creates a rule that requires approval if a predicate on the arguments returns true, or if
    /// the arguments do not have the type of the predicate.
    ///
    /// ```
    /// use leptos_assistant::Approval;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Transfer {
    ///     amount: f64,
    /// }
    ///
    /// let above_100 = Approval::when(|transfer: &Transfer| transfer.amount > 100.0);
    /// ```
    pub fn when<T: DeserializeOwned + 'static>(rule: impl Fn(&T) -> bool + 'static) -> Self {
        Self::When(Box::new(move |args| {
            let is_required = serde_json::from_value(args).map_or(true, |args| rule(&args));
            Box::pin(ready(is_required))
        }))
    }

    /// Creates a rule that requires approval if an asynchronous predicate on the arguments returns
    /// true, or if the arguments do not have the type of the predicate.
    ///
    /// ```
    /// use leptos_assistant::Approval;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Transfer {
    ///     account: String,
    /// }
    ///
    /// async fn is_known(account: &str) -> bool {
    ///     account == "DE02"
    /// }
    ///
    /// let to_unknown_account = Approval::when_async(|transfer: Transfer| async move {
    ///     !is_known(&transfer.account).await
    /// });
    /// ```
    pub fn when_async<T, F>(rule: impl Fn(T) -> F + 'static) -> Self
    where
        T: DeserializeOwned + 'static,
        F: Future<Output = bool> + 'static,
    {
        Self::When(Box::new(move |args| match serde_json::from_value(args) {
            Ok(args) => Box::pin(rule(args)),
            Err(_) => Box::pin(ready(true)),
        }))
    }
}

impl std::fmt::Debug for Approval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Never => "Never",
            Self::Always => "Always",
            Self::When(_) => "When(..)",
        })
    }
}

impl<Args> ToolAction<Args> {
    /// Sets the rule that determines whether a call requires approval.
    #[must_use]
    pub fn approval(mut self, approval: Approval) -> Self {
        self.rule = None;
        self.spec = self.spec.with_approval(match approval {
            Approval::Never => Policy::Never,
            Approval::Always => Policy::Always,
            Approval::When(rule) => {
                self.rule = Some(rule.into());
                Policy::Ask
            }
        });
        self
    }

    /// Allows only the user to approve calls. [`Assistant::approve`](crate::Assistant::approve) and
    /// similar methods are refused ([`Refusal::OnlyUser`](crate::Refusal::OnlyUser)), and grants
    /// from the application apply to no call of this action. The application may deny calls.
    ///
    /// This setting does not change which calls require approval ([`Self::approval`]).
    #[must_use]
    pub fn only_user_approves(mut self) -> Self {
        self.spec = self.spec.with_only_user_approves(true);
        self
    }

    /// Prevents approvals from being remembered. The user is asked each time that the approval rule
    /// requires approval.
    #[must_use]
    pub fn always_ask(mut self) -> Self {
        self.spec = self.spec.with_remembering(Remembering::Never);
        self
    }

    /// Limits remembered approvals to calls in which the named arguments have the same values. If
    /// `names` is empty, all arguments must have the same values. By default, the user may choose
    /// that an approval applies to any arguments.
    #[must_use]
    pub fn remember_for<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.spec = self.spec.with_remembering(match names.is_empty() {
            true => Remembering::SameArguments,
            false => Remembering::SameFields(names),
        });
        self
    }

    /// Limits remembered approvals to a number of later calls. The user may choose a lower number.
    #[must_use]
    pub fn remember_uses(mut self, most: u32) -> Self {
        let bounds = self.spec.grant_bounds().clone().uses(most);
        self.spec = self.spec.with_grant_bounds(bounds);
        self
    }

    /// Limits the duration of remembered approvals. The user may choose a shorter duration.
    #[must_use]
    pub fn remember_lasts(mut self, longest: Duration) -> Self {
        let ms = i64::try_from(longest.as_millis()).unwrap_or(i64::MAX);
        let bounds = self.spec.grant_bounds().clone().lasts_ms(ms);
        self.spec = self.spec.with_grant_bounds(bounds);
        self
    }

    /// Limits remembered approvals to calls in which an argument is a number of at most `max`. A
    /// JSON Pointer such as `/euros` selects the argument. The user may choose a lower maximum.
    #[must_use]
    pub fn remember_up_to(mut self, pointer: impl Into<String>, max: impl Into<Number>) -> Self {
        let bounds = self.spec.grant_bounds().clone().up_to(pointer, max);
        self.spec = self.spec.with_grant_bounds(bounds);
        self
    }

    /// Renders the approval of a call with a function instead of the built-in card. The function
    /// calls [`ToolCallView::approve`] and [`ToolCallView::deny`]; [`ToolCallView::args_value`]
    /// returns the arguments with which the call would run. Below the rendered view, the exact
    /// arguments can be opened with one click. A decision applies only to the call as it was shown.
    /// An approval counts only after the whole card was visible and unchanged for half a second
    /// ([`ToolCallView::can_approve`]). Approvals that the agent requests by an interrupt use the
    /// built-in card.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::{ToolAction, Approval, ToolCallView};
    /// use serde_json::Value;
    ///
    /// fn refund(call: ToolCallView<Value>) -> impl IntoView {
    ///     let disabled = move || (!call.can_approve()).then_some("true");
    ///     view! {
    ///         <p>{move || format!("Refund {}?", call.args_value().unwrap_or_default()["order"])}</p>
    ///         <button aria-disabled=disabled on:click=move |_| drop(call.approve())>"Refund"</button>
    ///         <button on:click=move |_| drop(call.deny(None))>"Keep"</button>
    ///     }
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refund an order")
    ///     .approval(Approval::Always)
    ///     .render_approval(refund);
    /// ```
    #[must_use]
    pub fn render_approval<V>(mut self, render: impl Fn(ToolCallView<Args>) -> V + 'static) -> Self
    where
        Args: 'static,
        V: IntoView + 'static,
    {
        self.renderers.approval = Some(erase_call_renderer(render));
        self
    }

    /// Sets a function that returns the result of a denied call for the agent, from the arguments
    /// and the user's reason. The default result is sent if the arguments do not have the action's
    /// type, or if the result cannot be serialized as JSON.
    ///
    /// ```
    /// use leptos_assistant::{Approval, ToolAction};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     order: String,
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refunds an order")
    ///     .handler(|refund: Refund| refund.order)
    ///     .approval(Approval::Always)
    ///     .denial(|refund, reason| match reason {
    ///         Some(reason) => format!("{} is not refunded: {reason}", refund.order),
    ///         None => format!("{} is not refunded", refund.order),
    ///     });
    /// ```
    #[must_use]
    pub fn denial<R, Marker>(mut self, denial: impl DenialFn<Args, R, Marker> + 'static) -> Self
    where
        Args: DeserializeOwned + 'static,
        R: Serialize,
    {
        self.denial = Some(Rc::new(move |args, reason| {
            let args = Args::deserialize(args).ok()?;
            serde_json::to_value(denial(&args, reason)).ok()
        }));
        self
    }
}
