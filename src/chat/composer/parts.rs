//! Renders the parts of a composer. Each part except for the list of files has one root element,
//! which takes the attributes of the component.

use leptos::{ev, prelude::*};

use super::{
    super::edited_message::EditedMessage,
    context::{BLOCKED_STATE, ComposerContext, hint_label},
    handle::resize_to_text,
};
use crate::{
    attachment::{attach_button, tray_view},
    ui::{Icon, LabelName, Words, dynamic, effect, has_modifier, is_composing},
};

/// The text box of a composer, as a `textarea`. Enter sends the message, and Shift+Enter inserts a
/// line break. Pressing Up in an empty box opens the editor of the user's last message in the
/// [`Transcript`](crate::chat::Transcript) of the same window, unless the assistant is busy. See
/// [`ComposerRoot`](super::ComposerRoot) for an example.
///
/// # Accessibility
///
/// The description of the text box names the keys and is the same in every state, because screen
/// readers announce a description that changes while the text box has the focus.
#[component]
pub fn ComposerInput() -> impl IntoView {
    let Some(composer) = ComposerContext::find_surrounding("ComposerInput") else {
        return ().into_any();
    };
    let (handle, words, refusal) = (composer.handle, composer.words.clone(), composer.refusal);
    let input = handle.input();
    // The effect shows the text that was set before the box was mounted.
    effect(move |_| {
        if let Some(element) = input.get() {
            let text = untrack(|| handle.text());
            if element.value().is_empty() && !text.is_empty() {
                element.set_value(&text);
                resize_to_text(&element);
            }
        }
    });
    let edited_message = use_context::<EditedMessage>();
    let on_keydown = move |event: ev::KeyboardEvent| {
        if is_composing(&event) {
            return;
        }
        match event.key().as_str() {
            "Enter" if !event.shift_key() => {
                event.prevent_default();
                composer.send();
            }
            "ArrowUp" if !has_modifier(&event) && handle.current_text().is_empty() => {
                let is_editing = edited_message.is_some_and(|edited_message| {
                    edited_message.edit_last_message(&composer.assistant)
                });
                is_editing.then(|| event.prevent_default());
            }
            _ => {}
        }
    };
    let on_input = move |_| {
        refusal.set(None);
        if let Some(element) = handle.element() {
            resize_to_text(&element);
            handle.store_text(element.value());
        }
    };
    view! {
        <textarea
            class="la-composer-input"
            rows="1"
            aria-label=words.attr(LabelName::Message)
            aria-description=words.attr(LabelName::Hint)
            placeholder=words.attr(LabelName::Placeholder)
            node_ref=input
            on:keydown=on_keydown
            on:input=on_input
        ></textarea>
    }
    .into_any()
}

/// The button that sends the message. While a run is in progress, the button is shown only if the
/// provider allows interjections and there is a text or a file, and queues the message for delivery
/// after the running tools ([`Assistant::interject`](crate::Assistant::interject)). While approvals
/// are pending, the button is shown only if a message denies the approvals. See
/// [`ComposerRoot`](super::ComposerRoot) for an example.
#[component]
pub fn ComposerSend(
    /// The content of the button. If omitted, the button shows an icon and a label.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let Some(composer) = ComposerContext::find_surrounding("ComposerSend") else {
        return ().into_any();
    };
    let click_composer = composer.clone();
    let on_click = move |event: ev::MouseEvent| {
        if click_composer.was_meant_for_replaced_button(&event) {
            event.prevent_default();
        }
    };
    let (words, would_interject) = (composer.words.clone(), composer.would_interject);
    let label = move || match would_interject.get() {
        true => words.word(LabelName::Interject),
        false => words.word(LabelName::Send),
    };
    ComposerButton {
        kind: "submit",
        class: "la-button",
        variant: Some("primary"),
        is_shown: composer.shows_send.into(),
        focused: composer.on_send,
        content: button_content(children, Icon::Send, dynamic(label).into_any()),
        on_click: Box::new(on_click),
    }
    .view()
}

/// The button that stops the run, its handlers and its questions. The button is hidden while
/// nothing is running. See [`ComposerRoot`](super::ComposerRoot) for an example.
#[component]
pub fn ComposerStop(
    /// The content of the button. If omitted, the button shows an icon and a label.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let Some(composer) = ComposerContext::find_surrounding("ComposerStop") else {
        return ().into_any();
    };
    let stopped_composer = composer.clone();
    let stop = move |event: ev::MouseEvent| {
        if !stopped_composer.was_meant_for_replaced_button(&event) {
            // The focus moves before the button is hidden, so that a screen reader follows it.
            if stopped_composer.on_stop.get_untracked() {
                stopped_composer.handle.focus();
            }
            // The result is ignored, because a refusal means that nothing is running.
            let _ = stopped_composer.assistant.stop();
        }
    };
    ComposerButton {
        kind: "button",
        class: "la-button",
        variant: None,
        is_shown: composer.is_busy.into(),
        focused: composer.on_stop,
        content: button_content(children, Icon::Stop, composer.words.text(LabelName::Stop)),
        on_click: Box::new(stop),
    }
    .view()
}

/// A button of a composer, which tracks whether it has the focus.
pub(super) struct ComposerButton {
    pub(super) kind: &'static str,
    pub(super) class: &'static str,
    pub(super) variant: Option<&'static str>,
    pub(super) is_shown: Signal<bool>,
    pub(super) focused: RwSignal<bool>,
    pub(super) content: AnyView,
    pub(super) on_click: Box<dyn FnMut(ev::MouseEvent)>,
}

impl ComposerButton {
    pub(super) fn view(self) -> AnyView {
        let (is_shown, focused) = (self.is_shown, self.focused);
        view! {
            <button
                type=self.kind
                class=self.class
                data-variant=self.variant
                hidden=move || !is_shown.get()
                on:click=self.on_click
                on:focusin=move |_| focused.set(true)
                on:focusout=move |event| handle_focus_out(&event, focused)
            >
                {self.content}
            </button>
        }
        .into_any()
    }
}

fn button_content(children: Option<Children>, icon: Icon, label: AnyView) -> AnyView {
    match children {
        Some(children) => children(),
        None => view! {
            {icon.view()}
            <span>{label}</span>
        }
        .into_any(),
    }
}

/// Records that a button has lost the focus, except if the button was hidden.
fn handle_focus_out(event: &ev::FocusEvent, on_button: RwSignal<bool>) {
    let button = event_target::<web_sys::HtmlElement>(event);
    if button.offset_parent().is_some() {
        on_button.set(false);
    }
}

/// The button that opens the file dialog. Renders nothing if attachments are not allowed.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{Attachments, chat::{ComposerAttach, ComposerAttachments, ComposerRoot}};
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! {
///     <ComposerRoot attachments=Attachments::new().accept(".pdf")>
///         <ComposerAttachments />
///         <ComposerAttach>"Add a file"</ComposerAttach>
///     </ComposerRoot>
/// }
/// # }
/// ```
#[component]
pub fn ComposerAttach(
    /// The content of the button. If omitted, the button shows an icon.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let composer = ComposerContext::find_surrounding("ComposerAttach");
    let composer = composer?;
    let tray = composer.tray.as_ref()?;
    Some(attach_button(tray, children))
}

/// The attached files, and the reasons why other files were refused. The component is a list next
/// to a separate line, and takes no attributes. See [`ComposerAttach`] for an example.
#[component]
pub fn ComposerAttachments() -> impl IntoView {
    let composer = ComposerContext::find_surrounding("ComposerAttachments")?;
    let tray = composer.tray.as_ref()?;
    Some(tray_view(tray, composer.handle.input()))
}

/// A line that shows how to send a message, or why sending is not possible. A refusal is an
/// `alert`. See [`ComposerRoot`](super::ComposerRoot) for an example.
#[component]
pub fn ComposerHint() -> impl IntoView {
    let Some(composer) = ComposerContext::find_surrounding("ComposerHint") else {
        return ().into_any();
    };
    let (state, refusal) = (composer.state, composer.refusal);
    let words: Words = composer.words.clone();
    let text = move || {
        let refusal_label = refusal.get();
        words.word(refusal_label.unwrap_or_else(|| hint_label(&composer)))
    };
    view! {
        <p
            class=move || match state.get() == BLOCKED_STATE || refusal.with(Option::is_some) {
                true => "la-composer-reason",
                false => "la-composer-hint",
            }
            // The role is set only for a refusal, because a refusal is announced at once and a hint
            // is not.
            role=move || refusal.with(Option::is_some).then_some("alert")
        >
            {dynamic(text)}
        </p>
    }
    .into_any()
}
