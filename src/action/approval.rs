//! Whether a person is asked before an action runs, and in which words.

use std::{
    future::{Future, ready},
    rc::Rc,
};

use assistant_core::action::Policy;
use futures_util::future::LocalBoxFuture;
use leptos::prelude::IntoView;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{ToolAction, ToolCallView, renderer::renderer};

/// Whether a person is asked before an action runs.
pub enum Approval {
    /// Never.
    Never,
    /// Each time.
    Always,
    /// When the rule says so, by the validated arguments.
    When(Box<dyn Fn(Value) -> LocalBoxFuture<'static, bool>>),
}

impl Approval {
    /// Asks when the rule says so.
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
    ///
    /// Arguments that are not of the rule's type are asked about.
    pub fn when<T: DeserializeOwned + 'static>(rule: impl Fn(&T) -> bool + 'static) -> Self {
        Self::When(Box::new(move |args| {
            let ask = serde_json::from_value(args).map_or(true, |args| rule(&args));
            Box::pin(ready(ask))
        }))
    }

    /// Asks when the rule says so, which may take its time.
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
    /// let unknown = Approval::when_async(|transfer: Transfer| async move {
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
    /// Whether a person is asked first.
    ///
    /// ```
    /// use leptos_assistant::{Approval, ToolAction};
    ///
    /// let action = ToolAction::new("delete", "Deletes the project").approval(Approval::Always);
    /// ```
    #[must_use]
    pub fn approval(mut self, approval: Approval) -> Self {
        self.rule = None;
        self.spec.approval = match approval {
            Approval::Never => Policy::Never,
            Approval::Always => Policy::Always,
            Approval::When(rule) => {
                self.rule = Some(rule.into());
                Policy::Ask
            }
        };
        self
    }

    /// How this page asks whether a call may run, in place of the built-in card. The function calls
    /// [`ToolCallView::approve`] and [`ToolCallView::deny`]; [`ToolCallView::args_value`] is what
    /// would run. The exact arguments stay one click away below it. A decision still counts only for
    /// the call as it was shown, and an approval only once the card was in view to its end and has
    /// stood for half a second ([`ToolCallView::can_approve`]). What the agent asks of its own accord has the built-in
    /// card.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::{ToolAction, Approval, ToolCallView};
    /// use serde_json::Value;
    ///
    /// fn refund(call: ToolCallView<Value>) -> impl IntoView {
    ///     let early = move || (!call.can_approve()).then_some("true");
    ///     view! {
    ///         <p>{move || format!("Refund {}?", call.args_value().unwrap_or_default()["order"])}</p>
    ///         <button aria-disabled=early on:click=move |_| drop(call.approve())>"Refund"</button>
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
        self.renderers.approval = Some(renderer(render));
        self
    }

    /// What the card asks before a call runs, in the page's words, in place of the description. For
    /// arguments that are not of the action's type, the description stands there. The exact
    /// arguments stay below.
    ///
    /// ```
    /// use leptos_assistant::{Approval, ToolAction};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     order: String,
    ///     euros: f64,
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refunds an order")
    ///     .handler(|refund: Refund| refund.order)
    ///     .approval(Approval::Always)
    ///     .question(|refund| format!("Pay back {} € for order {}?", refund.euros, refund.order));
    /// ```
    #[must_use]
    pub fn question(mut self, question: impl Fn(&Args) -> String + 'static) -> Self
    where
        Args: DeserializeOwned + 'static,
    {
        self.renderers.question = Some(Rc::new(move |args| {
            Some(question(&Args::deserialize(args).ok()?))
        }));
        self
    }

    /// What the agent is told when a person says no: from the arguments and the reason given. For
    /// arguments that are not of the action's type, it is told the same as without.
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
    pub fn denial<R>(mut self, denial: impl Fn(&Args, Option<&str>) -> R + 'static) -> Self
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
