//! What the messages of one transcript share: what was said about answers, which message is being
//! edited, and where the focus and the reader's place go when a branch takes the place of another.

use std::collections::HashMap;

use assistant_core::conversation::{MessageId, Sibling};
use leptos::prelude::*;

use super::{Feedback, MessageFn, scroll::StickToEnd};
use crate::{
    assistant::Assistant,
    ui::{SAID_MS, after},
};

/// See the module.
#[derive(Clone)]
pub(super) struct TranscriptContext {
    pub(super) assistant: Assistant,
    pub(super) on_feedback: Option<Callback<Feedback>>,
    /// Draws a message, where it is not as usual.
    pub(super) message: Option<MessageFn>,
    /// What was said about answers, by their last message.
    pub(super) said: RwSignal<HashMap<MessageId, bool>>,
    /// What is to be read out.
    pub(super) announced: RwSignal<String>,
    /// The turn that had the focus last, by its first message: its buttons are reached by Tab, and
    /// those of the newest turn.
    pub(super) focused: RwSignal<Option<MessageId>>,
    /// The message that the person rewrites.
    pub(super) editing: RwSignal<Option<MessageId>>,
    /// The version that was asked for by one of these buttons: its own button takes the focus.
    pub(super) wanted: RwSignal<Option<(MessageId, Sibling)>>,
    /// The list around, if there is one.
    pub(super) stick: Option<StickToEnd>,
}

impl TranscriptContext {
    pub(super) fn new(assistant: Assistant, on_feedback: Option<Callback<Feedback>>) -> Self {
        Self {
            assistant,
            on_feedback,
            message: None,
            said: RwSignal::new(HashMap::new()),
            announced: RwSignal::new(String::new()),
            focused: RwSignal::new(None),
            editing: RwSignal::new(None),
            wanted: RwSignal::new(None),
            stick: None,
        }
    }

    /// Says something aloud, once.
    pub(super) fn announce(&self, text: String) {
        let announced = self.announced;
        announced.set(text);
        after(SAID_MS, move || {
            announced.try_set(String::new());
        });
    }

    /// Keeps the reader where they are while another branch comes in.
    pub(super) fn hold(&self) {
        if let Some(stick) = self.stick {
            stick.hold();
        }
    }

    /// The other branch is there: whoever sees its end follows it.
    pub(super) fn settle(&self) {
        if let Some(stick) = self.stick {
            stick.settle();
        }
    }

    /// Goes to the end: whoever asks for an answer wants to see it.
    pub(super) fn follow(&self) {
        if let Some(stick) = self.stick {
            stick.jump();
        }
    }
}
