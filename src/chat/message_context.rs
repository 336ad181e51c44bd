//! Provides the contexts of a message: the state that the parts of the message share, and a marker
//! for messages inside of a turn.

use std::sync::Arc;

use leptos::prelude::*;

use super::transcript_context::TranscriptContext;
use crate::{
    assistant::Assistant,
    ui::{Words, console_error, in_browser},
    view::MessageCell,
};

/// The context that the parts of a message share.
pub(super) struct MessageContext {
    pub(super) assistant: Assistant,
    pub(super) message: MessageCell,
    pub(super) words: Words,
    pub(super) transcript: TranscriptContext,
}

impl MessageContext {
    /// Returns the state that all messages of the transcript share.
    pub(super) fn transcript(&self) -> TranscriptContext {
        self.transcript.clone()
    }

    /// Returns the context of the surrounding message. Outside of a message, returns `None` and, in
    /// a browser, logs an error that names `part`.
    pub(super) fn find_surrounding(part: &str) -> Option<Arc<Self>> {
        let context = use_context::<Arc<Self>>();
        if context.is_none() && in_browser() {
            console_error(&format!("{part} is used outside of <MessageRoot>"));
        }
        context
    }
}

/// The context that marks messages as part of the article of a turn.
#[derive(Clone, Copy)]
pub(super) struct TurnMarker;
