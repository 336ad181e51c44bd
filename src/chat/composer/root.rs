//! The form around the parts of a composer, and what they share.

use std::sync::Arc;

use assistant_core::session::OpenInterrupt;
use leptos::{ev, html, prelude::*};

use super::{ComposerHandle, send};
use crate::{
    assistant::{Assistant, assistant_for},
    attachment::{Attachments, Tray, file_frame, paste, watch_drops},
    ui::{WordOf, Words, console_error, effect, fresh_id, in_browser, memo, now, scope},
    view::Activity,
};

/// A composer of your own arrangement: a form whose parts find each other in it. Submitting it
/// sends what is written and attached. [`Composer`](super::Composer) is the default arrangement.
///
/// Files that are pasted, or dropped on the chat around it, are taken if there are attachments.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::{ComposerInput, ComposerRoot, ComposerSend, ComposerStop};
///
/// #[component]
/// fn OneLine() -> impl IntoView {
///     view! {
///         <ComposerRoot attr:id="ask">
///             <ComposerInput attr:placeholder="Ask" />
///             <ComposerSend>"Go"</ComposerSend>
///             <ComposerStop>"Halt"</ComposerStop>
///         </ComposerRoot>
///     }
/// }
/// ```
///
/// # Styling
///
/// `la-composer`, with `data-state`: `idle`, `running`, or `blocked` while something waits for the
/// person.
#[component]
pub fn ComposerRoot(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// Which files may be sent along; none without it.
    #[prop(optional_no_strip, into)]
    attachments: Option<Attachments>,
    /// What the application writes along with.
    #[prop(optional_no_strip, into)]
    handle: Option<ComposerHandle>,
    /// The parts.
    children: Children,
) -> impl IntoView {
    form(assistant, attachments, handle, children)
}

/// What the parts of a composer share.
pub(super) type Shared = Arc<Writing>;

/// See [`Shared`].
pub(super) struct Writing {
    pub(super) assistant: Assistant,
    pub(super) handle: ComposerHandle,
    pub(super) words: Words,
    pub(super) tray: Option<Tray>,
    /// Why the last attempt to send was refused.
    pub(super) refused: RwSignal<Option<WordOf>>,
    pub(super) busy: Memo<bool>,
    pub(super) state: Memo<&'static str>,
    /// Whether a question is open that is no approval.
    pub(super) asked: Memo<bool>,
    /// Whether a message would deny what waits for approval.
    pub(super) denies: Memo<bool>,
    /// Whether Send is there.
    pub(super) sends: Memo<bool>,
    /// True if something can be said in between.
    pub(super) interjects: Memo<bool>,
    /// True if what goes on belongs to another branch than the one that is shown.
    pub(super) elsewhere: Memo<bool>,
    /// True if Send or Stop has the focus.
    pub(super) on_button: RwSignal<bool>,
    /// When Send and Stop took each other's place last, in milliseconds since 1970.
    swapped: StoredValue<i64>,
    /// True if the one that says something in between has it.
    pub(super) on_interject: RwSignal<bool>,
    /// The id of the line that explains, where there is one.
    pub(super) hint: RwSignal<Option<String>>,
}

impl Writing {
    fn new(
        assistant: Assistant,
        attachments: Option<Attachments>,
        handle: Option<ComposerHandle>,
    ) -> Self {
        let activity = assistant.activity();
        let (now, asking, doing) = (activity.clone(), activity.clone(), activity.clone());
        let elsewhere = memo(move || activity.get().elsewhere);
        let busy = memo(move || now.get().busy);
        let state = memo(move || state_of(doing.get()));
        let interrupts = assistant.interrupts();
        let asked = memo(move || {
            let asks = || interrupts.with(|list| list.iter().any(is_asked));
            asking.get().asking || asks()
        });
        // With this option a message denies what waits for approval, as long as nothing else waits.
        let auto_deny = assistant.runtime().auto_deny;
        let takes = assistant.runtime().interjections;
        let interjects =
            memo(move || takes && state.get() == RUNNING && !asked.get() && !elsewhere.get());
        let denies = memo(move || auto_deny && state.get() == BLOCKED && !asked.get());
        Self {
            assistant,
            handle: handle.unwrap_or_default(),
            words: Words::current(),
            tray: attachments.map(Tray::new),
            refused: RwSignal::new(None),
            busy,
            state,
            asked,
            denies,
            sends: memo(move || !busy.get() || denies.get()),
            interjects,
            elsewhere,
            on_button: RwSignal::new(false),
            swapped: StoredValue::new(0),
            on_interject: RwSignal::new(false),
            hint: RwSignal::new(None),
        }
    }

    /// What a part of a composer finds; outside of one it draws nothing, and the programmer is told.
    pub(super) fn around(part: &str) -> Option<Shared> {
        let found = use_context::<Shared>();
        if found.is_none() && in_browser() {
            console_error(&format!("{part} stands outside of <ComposerRoot>"));
        }
        found
    }

    /// What stood in the way of a message stands there no longer.
    fn forget_refusals(&self) {
        let (state, refused) = (self.state, self.refused);
        effect(move |_| {
            state.track();
            refused.set(None);
        });
        if let Some(tray) = self.tray.clone() {
            effect(move |_| {
                tray.track();
                refused.set(None);
            });
        }
    }

    /// The button that goes when the state changes may have the focus: it passes to the text box.
    fn keep_focus(&self) {
        let (handle, swapped) = (self.handle, self.swapped);
        let pass_on = move |goes: Memo<bool>, focused: RwSignal<bool>| {
            effect(move |known: Option<bool>| {
                let goes = goes.get();
                let changed = known.is_some_and(|known| known != goes);
                if changed {
                    swapped.set_value(now());
                }
                if changed && focused.get_untracked() {
                    focused.set(false);
                    handle.focus();
                }
                goes
            });
        };
        pass_on(self.sends, self.on_button);
        pass_on(self.interjects, self.on_interject);
    }

    /// Returns whether a click is the second of a double click on the button that stood there before.
    pub(super) fn was_meant_for_the_other(&self, click: &ev::MouseEvent) -> bool {
        click.detail() > 1 && now() - self.swapped.get_value() < DOUBLE_CLICK_MS
    }

    pub(super) fn send(&self) {
        self.refused
            .set(send::written(self, Assistant::send_content).err());
    }

    /// Says what is written in between.
    pub(super) fn interject(&self) {
        self.refused
            .set(send::written(self, Assistant::interject_content).err());
    }
}

/// The form, with what its parts share in force inside of it.
pub(super) fn form(
    assistant: Option<Assistant>,
    attachments: Option<Attachments>,
    handle: Option<ComposerHandle>,
    children: Children,
) -> AnyView {
    let Some(assistant) = assistant_for(assistant, "Composer") else {
        return ().into_any();
    };
    scope(Box::new(move || {
        let writing = Arc::new(Writing::new(assistant, attachments, handle));
        writing.keep_focus();
        writing.forget_refusals();
        provide_context(writing.clone());
        let form = NodeRef::<html::Form>::new();
        let (state, tray) = (writing.state, writing.tray.clone());
        if let Some(tray) = &tray {
            watch_drops(tray, form);
        }
        let frame = tray.as_ref().map(file_frame);
        let pasted = move |event: ev::ClipboardEvent| {
            if let Some(tray) = &tray {
                paste(tray, &event);
            }
        };
        let submitted = move |event: ev::SubmitEvent| {
            event.prevent_default();
            writing.send();
        };
        view! {
            <form
                class="la-composer"
                data-state=move || state.get()
                node_ref=form
                on:submit=submitted
                on:paste=pasted
            >
                {children()}
                {frame}
            </form>
        }
        .into_any()
    }))
}

/// The longest time between the clicks of a double click, in milliseconds.
const DOUBLE_CLICK_MS: i64 = 700;

/// Whether a question of the agent is still without an answer.
pub(in crate::chat) fn is_asked(open: &OpenInterrupt) -> bool {
    open.call.is_none() && open.answer.is_none()
}

pub(super) const BLOCKED: &str = "blocked";
const RUNNING: &str = "running";

fn state_of(activity: Activity) -> &'static str {
    match activity {
        Activity { waiting: true, .. } => BLOCKED,
        Activity { busy: true, .. } => RUNNING,
        Activity { .. } => "idle",
    }
}

/// What the line below says while nothing was refused.
pub(super) fn hint_of(writing: &Writing) -> WordOf {
    let asked = writing.asked.get();
    match writing.state.get() {
        BLOCKED | RUNNING if writing.elsewhere.get() => |l| &l.elsewhere_hint,
        _ if writing.denies.get() => |l| &l.auto_deny_hint,
        BLOCKED | RUNNING if asked => |l| &l.questions_hint,
        BLOCKED => |l| &l.approvals_hint,
        RUNNING => |l| &l.busy_hint,
        _ => |l| &l.hint,
    }
}

/// An id for the line that explains.
pub(super) fn hint_id() -> String {
    format!("la-hint-{}", fresh_id())
}

/// Lets the box grow with its text where the browser does not do it by itself.
pub(super) fn grow(element: &web_sys::HtmlTextAreaElement) {
    if web_sys::css::supports_with_value("field-sizing", "content").unwrap_or(false) {
        return;
    }
    let style = web_sys::HtmlElement::style(element);
    // Setting a custom property does not fail.
    let _ = style.set_property("--la-composer-height", "auto");
    let height = format!("{}px", element.scroll_height());
    let _ = style.set_property("--la-composer-height", &height);
}
