//! Provides the state that the parts of an approval card share, and creates the tracker that
//! decides whether the card was read.

use leptos::{html, prelude::*};
use serde_json::Value;

use super::{
    call_description::{CallDescription, ShownDescription},
    visibility::Visibility,
};
use crate::{
    action::ToolCallView,
    ui::{after, effect, focus, memo},
};

/// The context that the parts of an approval card share.
#[derive(Clone)]
pub(super) struct ApprovalContext {
    pub(super) call: ToolCallView<Value>,
    pub(super) card: NodeRef<html::Div>,
    pub(super) editing: RwSignal<bool>,
    /// True once the time to answer the request is over.
    pub(super) expired: RwSignal<bool>,
    /// The page's description of the call.
    pub(super) description: CallDescription,
    /// The edited arguments that are shown for review, if any.
    pub(super) reviewed: ReviewedArguments,
    /// True if the fold with the details is open.
    pub(super) more: RwSignal<bool>,
    /// The id of the rows, which describe the button that approves.
    pub(super) rows_id: String,
}

impl ApprovalContext {
    /// Creates a tracker that decides whether the user can have read the card. A change of the call
    /// closes the form for editing arguments.
    pub(super) fn track_visibility(&self) -> Visibility {
        let (description, editing) = (self.description, self.editing);
        let close_form = move || editing.set(false);
        track_visibility(
            self.call,
            move || description.shown_description(),
            close_form,
        )
    }

    /// Renders the rows of the description, followed by `end`.
    pub(super) fn rows(&self, end: Option<AnyView>) -> AnyView {
        view! {
            <div class="la-approval-request" id=self.rows_id.clone()>
                {self.description.rows()} {end}
            </div>
        }
        .into_any()
    }

    /// Replaces the answer buttons with the form for editing arguments, and moves the focus into
    /// the form.
    pub(super) fn start_editing(&self) {
        // Opens the fold, because the button that opened the form is in the fold, and gets the
        // focus when the form is closed.
        self.more.set(true);
        self.editing.set(true);
        self.focus_when_rendered(".la-form :is(input, select, textarea)");
    }

    /// Closes the form for editing arguments, and moves the focus back to the button that opened
    /// the form.
    pub(super) fn stop_editing(&self) {
        self.editing.set(false);
        self.focus_when_rendered(".la-approval-edit");
    }

    /// Closes the form after the edited arguments were accepted, and shows the preview of these
    /// arguments. The card gets the focus, so that screen readers begin with the title of the card.
    pub(super) fn show_review(&self, args: Value) {
        self.reviewed.args.set(Some(args));
        self.editing.set(false);
        let card = self.card;
        after(0, move || {
            let card = card.try_get_untracked().flatten();
            // Focusing an element in the page cannot fail.
            let _ = card.map(|card| card.focus());
        });
    }

    /// Moves the focus out of the card before the card is removed.
    pub(super) fn pass_focus_on(&self) {
        if let Some(card) = self.card.get_untracked() {
            focus::pass_focus_on(&card);
        }
    }

    /// Moves the focus to the element of the card that matches `selector`, once the element is
    /// rendered.
    pub(super) fn focus_when_rendered(&self, selector: &'static str) {
        if let Some(card) = self.card.get_untracked() {
            focus::focus_descendant(card.into(), selector);
        }
    }
}

/// The arguments that the user has edited but not yet approved, because the preview for these
/// arguments is shown first.
#[derive(Clone, Copy)]
pub(super) struct ReviewedArguments {
    call: ToolCallView<Value>,
    args: RwSignal<Option<Value>>,
}

impl ReviewedArguments {
    pub(super) fn new(call: ToolCallView<Value>) -> Self {
        let args = RwSignal::new(None);
        // Clears the edited arguments after a new preview of the same arguments, because the new
        // preview is not a change by the user.
        effect(move |previous: Option<(Option<Value>, Option<_>)>| {
            let current = (call.args_value(), call.preview());
            let preview_changed = previous.is_some_and(|(args, preview)| {
                args == current.0 && preview.is_some() && preview != current.1
            });
            if preview_changed {
                args.set(None);
            }
            current
        });
        Self { call, args }
    }

    /// Returns a signal that is true while the call has the arguments that the user has edited, and
    /// the preview of these arguments has not changed.
    pub(super) fn shows_edited(self) -> Signal<bool> {
        Signal::derive(move || {
            let args = self.args.get();
            args.is_some() && args == self.call.args_value()
        })
    }
}

/// Creates a tracker that decides whether the user can have read the current call with its title
/// and description. `changed` is called whenever the call changes.
pub(super) fn track_visibility(
    call: ToolCallView<Value>,
    description: impl Fn() -> Option<ShownDescription> + Send + Sync + 'static,
    changed: impl Fn() + 'static,
) -> Visibility {
    // The content is a memo, because titles and descriptions may read signals.
    let content = memo(move || (call.fingerprint(), call.title(), description()));
    Visibility::new(content, move |(previous, ..), (current, ..)| {
        if previous != current {
            changed();
        }
    })
}
