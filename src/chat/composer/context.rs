//! Holds the state that the parts of a composer share, such as the conditions of its buttons. Other
//! parts of a window access the state through a [`ComposerSlot`].

use std::sync::Arc;

use assistant_core::{conversation::CallKey, event::Content, session::OpenInterrupt};
use leptos::{ev, prelude::*};

use super::handle::ComposerHandle;
use crate::{
    action::ToolCallView,
    assistant::Assistant,
    attachment::{AttachmentTray, Attachments, contains_files},
    ui::{LabelName, Words, console_error, effect, in_browser, memo, now},
    view::Activity,
};

/// The context that the parts of a composer share.
pub(super) type SharedComposer = Arc<ComposerContext>;

/// The state of a composer: its text, its attachments, and the conditions under which its buttons
/// are shown.
pub(in crate::chat) struct ComposerContext {
    pub(super) assistant: Assistant,
    pub(super) handle: ComposerHandle,
    pub(super) words: Words,
    pub(super) tray: Option<AttachmentTray>,
    /// The reason why the last attempt to send was refused.
    pub(super) refusal: RwSignal<Option<LabelName>>,
    pub(super) is_busy: Memo<bool>,
    pub(super) state: Memo<&'static str>,
    /// True if a question other than an approval is open.
    pub(super) is_question_open: Memo<bool>,
    /// True if a message would deny pending approvals.
    pub(super) would_deny: Memo<bool>,
    /// True while Send is shown.
    pub(super) shows_send: Memo<bool>,
    /// True while a message would be queued instead of sent, because a run is in progress.
    pub(super) would_interject: Memo<bool>,
    /// True if the activity belongs to a branch that is not shown.
    pub(super) is_elsewhere: Memo<bool>,
    /// The key of the open request that the user can deny with the composer's text as the reason.
    pub(super) deniable_request: Memo<Option<CallKey>>,
    /// True if [`ComposerDeny`](super::ComposerDeny) has the focus.
    pub(super) on_deny: RwSignal<bool>,
    /// True if Send has the focus.
    pub(super) on_send: RwSignal<bool>,
    /// True if Stop has the focus.
    pub(super) on_stop: RwSignal<bool>,
    /// The time at which Send, Stop or Deny was last shown or hidden, in milliseconds since 1970.
    last_swap_ms: StoredValue<i64>,
}

impl ComposerContext {
    pub(super) fn new(
        assistant: Assistant,
        attachments: Option<Attachments>,
        handle: Option<ComposerHandle>,
    ) -> Self {
        let activity = assistant.activity();
        let (busy_activity, question_activity, state_activity) =
            (activity.clone(), activity.clone(), activity.clone());
        let is_elsewhere = memo(move || activity.get().elsewhere);
        let is_busy = memo(move || busy_activity.get().busy);
        let state = memo(move || composer_state(state_activity.get()));
        let interrupts = assistant.interrupts();
        let is_question_open = memo(move || {
            let has_question = || interrupts.with(|list| list.iter().any(is_open_question));
            question_activity.get().asking || has_question()
        });
        // With `auto_deny`, a message denies pending approvals, unless a question is open.
        let auto_deny = assistant.runtime().auto_deny;
        let accepts_interjections = assistant.runtime().interjections;
        let would_interject = memo(move || {
            accepts_interjections
                && state.get() == RUNNING_STATE
                && !is_question_open.get()
                && !is_elsewhere.get()
        });
        let would_deny =
            memo(move || auto_deny && state.get() == BLOCKED_STATE && !is_question_open.get());
        let (handle, tray) = (
            handle.unwrap_or_default(),
            attachments.map(AttachmentTray::new),
        );
        let files_tray = tray.clone();
        let has_files = memo(move || files_tray.as_ref().is_some_and(AttachmentTray::has_files));
        let has_text = memo(move || !handle.text().trim().is_empty());
        // While Stop is shown, Send is shown only if there is something to send.
        let has_content = move || has_files.get() || has_text.get();
        let sole_request = sole_deniable_request(&assistant);
        // A request cannot be denied with files, or while a message sent with Send would deny it.
        let deniable_request = memo(move || {
            let is_prevented =
                would_deny.get() || is_question_open.get() || is_elsewhere.get() || has_files.get();
            (has_text.get() && !is_prevented)
                .then(|| sole_request.get())
                .flatten()
        });
        Self {
            assistant,
            handle,
            words: Words::current(),
            tray,
            refusal: RwSignal::new(None),
            is_busy,
            state,
            is_question_open,
            would_deny,
            shows_send: memo(move || {
                !is_busy.get() || would_deny.get() || (would_interject.get() && has_content())
            }),
            would_interject,
            is_elsewhere,
            deniable_request,
            on_deny: RwSignal::new(false),
            on_send: RwSignal::new(false),
            on_stop: RwSignal::new(false),
            last_swap_ms: StoredValue::new(0),
        }
    }

    /// Returns the context of the surrounding composer. Outside of a composer, returns `None` and,
    /// in a browser, logs an error that names `part`.
    pub(super) fn find_surrounding(part: &str) -> Option<SharedComposer> {
        let context = use_context::<SharedComposer>();
        if context.is_none() && in_browser() {
            console_error(&format!("{part} is used outside of <ComposerRoot>"));
        }
        context
    }

    /// Clears the reason for a refused message when the state or the attachments of the composer
    /// change.
    pub(super) fn clear_refusal_on_change(&self) {
        let (state, refusal) = (self.state, self.refusal);
        effect(move |_| {
            state.track();
            refusal.set(None);
        });
        if let Some(tray) = self.tray.clone() {
            effect(move |_| {
                tray.track();
                refusal.set(None);
            });
        }
    }

    /// Moves the focus to the text box when a state change hides the focused button. Records the
    /// time of each change that shows or hides a button.
    pub(super) fn focus_input_on_hide(&self) {
        let (handle, last_swap_ms) = (self.handle, self.last_swap_ms);
        let deniable_request = self.deniable_request;
        let watch_button = move |is_shown: Signal<bool>, is_focused: RwSignal<bool>| {
            effect(move |was_shown: Option<bool>| {
                let is_shown = is_shown.get();
                let has_changed = was_shown.is_some_and(|was_shown| was_shown != is_shown);
                if has_changed {
                    last_swap_ms.set_value(now());
                }
                if has_changed && is_focused.get_untracked() {
                    is_focused.set(false);
                    handle.focus();
                }
                is_shown
            });
        };
        watch_button(self.shows_send.into(), self.on_send);
        watch_button(self.is_busy.into(), self.on_stop);
        let shows_deny = Signal::derive(move || deniable_request.get().is_some());
        watch_button(shows_deny, self.on_deny);
    }

    /// Removes the text, because it was sent, from the box and from the stored draft.
    pub(super) fn clear_text(&self) {
        self.handle.set_text("");
        // The composer may be removed before its effects run.
        self.assistant.runtime().update_draft();
    }

    /// Moves a queued message back into the composer: inserts its text before the text of the box,
    /// and adds its files to the attachments. The text box gets the focus.
    pub(in crate::chat) fn restore_message(&self, content: &Content) {
        let queued_text = content.display_text();
        let draft = self.handle.current_text();
        let text = match (queued_text.is_empty(), draft.trim().is_empty()) {
            (_, true) => queued_text,
            (true, false) => draft,
            (false, false) => format!("{queued_text}\n\n{draft}"),
        };
        self.handle.set_text(text);
        if let Some(tray) = &self.tray {
            tray.restore_files(content);
        }
        self.refusal.set(None);
        self.handle.focus();
    }

    /// Returns true if the composer can hold the text and the files of a message in addition to its
    /// own files. The value is tracked.
    pub(in crate::chat) fn can_hold(&self, content: &Content) -> bool {
        match &self.tray {
            Some(tray) => tray.has_room_for(content),
            None => !contains_files(content),
        }
    }

    /// Returns true if a click is part of a double click and a button was shown or hidden shortly
    /// before, so that the first click was probably on the replaced button.
    pub(super) fn was_meant_for_replaced_button(&self, click: &ev::MouseEvent) -> bool {
        click.detail() > 1 && now() - self.last_swap_ms.get_value() < DOUBLE_CLICK_MS
    }
}

/// Returns the handle of the surrounding composer, if there is one.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::use_composer;
///
/// /// A button that begins a sentence.
/// #[component]
/// fn Translate() -> impl IntoView {
///     let composer = use_composer();
///     let begin = move |_| {
///         if let Some(composer) = composer {
///             composer.set_text("Translate into French: ");
///             composer.focus();
///         }
///     };
///     view! { <button type="button" on:click=begin>"Translate"</button> }
/// }
/// ```
#[must_use]
pub fn use_composer() -> Option<ComposerHandle> {
    use_context::<SharedComposer>().map(|composer| composer.handle)
}

/// The longest time between the clicks of a double click, in milliseconds.
const DOUBLE_CLICK_MS: i64 = 700;

/// Returns true if an interrupt is a question of the agent that belongs to no call and has no
/// answer.
pub(in crate::chat) fn is_open_question(open: &OpenInterrupt) -> bool {
    open.call_key().is_none() && open.answer().is_none()
}

pub(super) const BLOCKED_STATE: &str = "blocked";
const RUNNING_STATE: &str = "running";

fn composer_state(activity: Activity) -> &'static str {
    match activity {
        Activity { waiting: true, .. } => BLOCKED_STATE,
        Activity { busy: true, .. } => RUNNING_STATE,
        Activity { .. } => "idle",
    }
}

/// Returns the label of the hint line while no message is refused.
pub(super) fn hint_label(composer: &ComposerContext) -> LabelName {
    let is_question_open = composer.is_question_open.get();
    match composer.state.get() {
        BLOCKED_STATE | RUNNING_STATE if composer.is_elsewhere.get() => LabelName::ElsewhereHint,
        _ if composer.would_deny.get() => LabelName::AutoDenyHint,
        BLOCKED_STATE | RUNNING_STATE if is_question_open => LabelName::QuestionsHint,
        BLOCKED_STATE => LabelName::ApprovalsHint,
        RUNNING_STATE if composer.would_interject.get() => LabelName::QueueHint,
        RUNNING_STATE => LabelName::BusyHint,
        _ => LabelName::Hint,
    }
}

/// A slot for the composer that is mounted in the surrounding window. The slot gives the other
/// parts of the window access to the composer.
#[derive(Clone, Copy)]
pub(in crate::chat) struct ComposerSlot(RwSignal<Option<SharedComposer>>);

impl ComposerSlot {
    pub(in crate::chat) fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Returns the composer. Returns `None` if no composer is mounted. In a reactive closure, the
    /// value is tracked.
    pub(in crate::chat) fn get(self) -> Option<SharedComposer> {
        self.0.try_get().flatten()
    }

    /// Registers a composer until the current scope is disposed, or until another composer is
    /// registered.
    pub(super) fn register(self, composer: &SharedComposer) {
        self.0.set(Some(composer.clone()));
        let own = Arc::downgrade(composer);
        on_cleanup(move || {
            let is_own = |current: &Option<SharedComposer>| {
                let current = current.as_ref().map(Arc::as_ptr);
                current.is_some_and(|current| std::ptr::eq(current, own.as_ptr()))
            };
            // The slot is missing only if the whole window was disposed.
            if self.0.try_with_untracked(is_own) == Some(true) {
                self.0.set(None);
            }
        });
    }
}

/// Returns a signal with the key of the open request that the user can deny with a reason. The
/// value is `None` if no request or several requests are open, or if the only request cannot run,
/// has an unknown outcome, or accepts no reason.
fn sole_deniable_request(assistant: &Assistant) -> Memo<Option<CallKey>> {
    let (assistant, keys) = (assistant.clone(), assistant.pending_approvals());
    memo(move || {
        let key = keys.with(|keys| match keys.as_slice() {
            [key] => Some(*key),
            _ => None,
        })?;
        let call: ToolCallView = assistant.tool_call(&key)?;
        let is_deniable =
            call.can_run() && !call.has_unknown_outcome() && call.approval_takes().reason;
        is_deniable.then_some(key)
    })
}
