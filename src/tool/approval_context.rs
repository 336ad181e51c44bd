//! The context of an approval card, and the visibility of a call.

use assistant_core::conversation::Fingerprint;
use leptos::{html, prelude::*};
use serde_json::Value;

use super::{call_description::CallDescription, visibility::Visibility};
use crate::{
    action::ToolCallView,
    ui::{focus, memo},
};

/// The context that the parts of an approval card share.
#[derive(Clone)]
pub(super) struct ApprovalContext {
    pub(super) call: ToolCallView<Value>,
    pub(super) card: NodeRef<html::Div>,
    pub(super) editing: RwSignal<bool>,
    /// True once the time to answer is over.
    pub(super) over: RwSignal<bool>,
    /// The page's description of the call.
    pub(super) description: CallDescription,
}

impl ApprovalContext {
    /// Tracks whether the card can have been read.
    pub(super) fn visibility(&self) -> Visibility {
        let editing = self.editing;
        // A form of outdated arguments is closed.
        visibility(self.call, move || editing.set(false))
    }

    /// Moves the focus before the card is removed.
    pub(super) fn leave(&self) {
        if let Some(card) = self.card.get_untracked() {
            focus::pass_on(&card);
        }
    }

    /// Keeps the focus in the card after the pressed button was removed.
    pub(super) fn focus_soon(&self, selector: &'static str) {
        if let Some(card) = self.card.get_untracked() {
            focus::focus_in(card.into(), selector);
        }
    }
}

/// Tracks whether the current call can have been read; `changed` is called whenever the call
/// changes.
pub(super) fn visibility(call: ToolCallView<Value>, changed: impl Fn() + 'static) -> Visibility {
    let content: Memo<Option<Fingerprint>> = memo(move || call.fingerprint());
    Visibility::new(content, changed)
}
