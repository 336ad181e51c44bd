//! Holds the state that the messages of one transcript share: the application's renderer, feedback,
//! the message being edited, and the focus and reading position while one branch replaces another.

use std::{collections::HashMap, sync::Arc};

use assistant_core::conversation::{MessageId, Sibling};
use leptos::prelude::*;

use super::{edited_message::EditedMessage, scroll::ScrollState};
use crate::{
    assistant::Assistant,
    ui::{COPY_OUTCOME_MS, after},
    view::MessageCell,
};

/// The state that the messages of one transcript share.
#[derive(Clone)]
pub(super) struct TranscriptContext {
    pub(super) assistant: Assistant,
    pub(super) on_feedback: Option<Callback<Feedback>>,
    /// The custom renderer of messages, if any.
    pub(super) message: Option<MessageFn>,
    /// The feedback on answers, by the id of the last message of each answer.
    pub(super) feedback: RwSignal<HashMap<MessageId, bool>>,
    pub(super) announcement: RwSignal<String>,
    /// The id of the first message of the turn that had the focus last. The buttons of that turn,
    /// and of the newest turn, are reachable by Tab.
    pub(super) focused_turn: RwSignal<Option<MessageId>>,
    /// The message that the user edits.
    pub(super) edited_message: EditedMessage,
    /// The id of the version that the user requested with a picker, and the button that the user
    /// pressed. The same button of that version gets the focus after the switch.
    pub(super) requested_version: RwSignal<Option<(MessageId, Sibling)>>,
    /// The scroll state of the surrounding transcript. The value is `None` outside of a transcript.
    pub(super) scroll: Option<ScrollState>,
}

impl TranscriptContext {
    pub(super) fn new(assistant: Assistant, on_feedback: Option<Callback<Feedback>>) -> Self {
        Self {
            assistant,
            on_feedback,
            message: None,
            feedback: RwSignal::new(HashMap::new()),
            announcement: RwSignal::new(String::new()),
            focused_turn: RwSignal::new(None),
            edited_message: EditedMessage::current(),
            requested_version: RwSignal::new(None),
            scroll: None,
        }
    }

    /// Announces a text, and clears the live region after [`COPY_OUTCOME_MS`].
    pub(super) fn announce(&self, text: String) {
        let announcement = self.announcement;
        announcement.set(text);
        after(COPY_OUTCOME_MS, move || {
            announcement.try_set(String::new());
        });
    }

    /// Holds the reader's position while another branch is loaded.
    pub(super) fn hold_position(&self) {
        if let Some(scroll) = self.scroll {
            scroll.hold_position();
        }
    }

    /// Ends the effect of [`Self::hold_position`] after the branch was replaced. If the end of the
    /// new branch is in view, the view follows the end.
    pub(super) fn resume_following(&self) {
        if let Some(scroll) = self.scroll {
            scroll.resume_following();
        }
    }

    /// Scrolls to the end, where the requested answer appears.
    pub(super) fn scroll_to_end(&self) {
        if let Some(scroll) = self.scroll {
            scroll.jump_to_end();
        }
    }
}

/// The user's feedback on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feedback {
    /// The id that agents use for the last message of the answer.
    pub message_id: String,
    /// True for positive feedback, false for negative feedback; `None` withdraws earlier feedback.
    pub positive: Option<bool>,
}

/// A function that renders a message. Any function that takes a [`MessageCell`] converts into this
/// type.
#[derive(Clone)]
pub struct MessageFn(Arc<dyn Fn(MessageCell) -> AnyView + Send + Sync>);

impl std::fmt::Debug for MessageFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MessageFn")
    }
}

impl<V: IntoView + 'static, F: Fn(MessageCell) -> V + Send + Sync + 'static> From<F> for MessageFn {
    fn from(draw: F) -> Self {
        Self(Arc::new(move |message| draw(message).into_any()))
    }
}

impl MessageFn {
    pub(super) fn render(&self, message: MessageCell) -> AnyView {
        (self.0)(message)
    }
}
