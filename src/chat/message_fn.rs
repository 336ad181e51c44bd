//! Wraps a function of the application that renders messages.

use std::sync::Arc;

use leptos::prelude::*;

use crate::view::MessageCell;

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
