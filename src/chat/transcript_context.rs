//! Holds the state that the messages of one transcript share: feedback, the message being edited,
//! and the focus and reading position while one branch replaces another.

use std::collections::HashMap;

use assistant_core::conversation::{MessageId, Sibling};
use leptos::prelude::*;

use super::{Feedback, MessageFn, edited::EditedMessage, scroll::ScrollState};
use crate::{
    assistant::Assistant,
    ui::{COPY_OUTCOME_MS, after},
};

/// The state that the messages of one transcript share.
#[derive(Clone)]
pub(super) struct TranscriptContext {
    pub(super) assistant: Assistant,
    pub(super) on_feedback: Option<Callback<Feedback>>,
    /// The custom renderer of messages, if any.
    pub(super) message: Option<MessageFn>,
    /// The feedback on answers, by the last message of each answer.
    pub(super) feedback: RwSignal<HashMap<MessageId, bool>>,
    pub(super) announced: RwSignal<String>,
    /// The first message of the turn that had the focus last. The buttons of that turn, and of the
    /// newest turn, are reachable by Tab.
    pub(super) focused: RwSignal<Option<MessageId>>,
    /// The message that the user edits.
    pub(super) edited: EditedMessage,
    /// The version that the user requested with a picker, and the button that the user pressed. The
    /// same button of that version gets the focus after the switch.
    pub(super) wanted: RwSignal<Option<(MessageId, Sibling)>>,
    /// The scroll state of the surrounding transcript; `None` outside of a transcript.
    pub(super) stick: Option<ScrollState>,
}

impl TranscriptContext {
    pub(super) fn new(assistant: Assistant, on_feedback: Option<Callback<Feedback>>) -> Self {
        Self {
            assistant,
            on_feedback,
            message: None,
            feedback: RwSignal::new(HashMap::new()),
            announced: RwSignal::new(String::new()),
            focused: RwSignal::new(None),
            edited: EditedMessage::current(),
            wanted: RwSignal::new(None),
            stick: None,
        }
    }

    /// Announces a text, and clears the live region after [`COPY_OUTCOME_MS`].
    pub(super) fn announce(&self, text: String) {
        let announced = self.announced;
        announced.set(text);
        after(COPY_OUTCOME_MS, move || {
            announced.try_set(String::new());
        });
    }

    /// Holds the reader's position while another branch is loaded.
    pub(super) fn hold_position(&self) {
        if let Some(stick) = self.stick {
            stick.hold_position();
        }
    }

    /// Ends the effect of [`Self::hold_position`] after the branch was replaced. If the end of the
    /// new branch is in view, the view follows the end.
    pub(super) fn resume_following(&self) {
        if let Some(stick) = self.stick {
            stick.resume_following();
        }
    }

    /// Scrolls to the end, where the requested answer appears.
    pub(super) fn scroll_to_end(&self) {
        if let Some(stick) = self.stick {
            stick.jump_to_end();
        }
    }
}
