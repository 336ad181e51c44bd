//! Defines the questions that handlers ask, in a dialog or in the cards of their calls.

use std::{cell::RefCell, sync::Arc};

use assistant_core::conversation::CallKey;
use futures_channel::oneshot;
use send_wrapper::SendWrapper;
use serde_json::Value;

/// The content of a confirm dialog.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConfirmOptions {
    /// The question, which is shown as the title.
    pub title: String,
    /// The text below the title.
    pub text: String,
    /// True if the action cannot be undone.
    pub danger: bool,
}

impl ConfirmOptions {
    /// Creates options with a question as the title.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Sets the text that explains the consequences.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Marks the action as irreversible.
    #[must_use]
    pub fn danger(mut self) -> Self {
        self.danger = true;
        self
    }
}

/// An open confirm dialog, in which a handler asks the user a question.
#[derive(Clone)]
pub(crate) struct ConfirmRequest {
    pub(crate) id: u64,
    pub(crate) options: ConfirmOptions,
    answer: Arc<SendWrapper<RefCell<Option<oneshot::Sender<bool>>>>>,
}

impl ConfirmRequest {
    pub(crate) fn new(id: u64, options: ConfirmOptions, answer: oneshot::Sender<bool>) -> Self {
        let answer = SendWrapper::new(RefCell::new(Some(answer)));
        Self {
            id,
            options,
            answer: Arc::new(answer),
        }
    }

    /// Sends the answer to the handler; only the first answer counts.
    pub(crate) fn answer(&self, confirmed: bool) {
        if let Some(sender) = self.answer.borrow_mut().take() {
            // The error is ignored, because sending fails only if the handler was cancelled.
            let _ = sender.send(confirmed);
        }
    }
}

/// An unanswered question that a handler asks the user.
#[derive(Debug, Clone)]
pub(crate) struct HandlerQuestion {
    pub(crate) id: u64,
    /// The call for which the handler runs.
    pub(crate) call: CallKey,
    pub(crate) question: Value,
    /// The JSON Schema of the answer. Without a schema, only a custom renderer can show the
    /// question.
    pub(crate) schema: Option<Value>,
}
