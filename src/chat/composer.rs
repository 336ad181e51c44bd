//! Where the person writes.

use assistant_core::{
    event::Content,
    session::{OpenInterrupt, Refusal},
};
use leptos::{ev, html, prelude::*};

use crate::{
    assistant::Assistant,
    attachment::{Attachments, Tray, attach_button, drop_zone, paste, tray_view, watch_drops},
    ui::{Icon, Labels, dynamic},
    view::Activity,
};

/// The box in which the person writes, with Send and Stop.
///
/// Enter sends and never stops; while something runs the text stays. Shift+Enter breaks the line.
/// Keys that end an input method's composition do neither. Writing is always possible: while
/// something stands in the way of sending, the text stays and the reason is told.
#[component]
pub fn Composer(
    /// Whose conversation.
    assistant: Assistant,
    /// Which files may be sent along; none without it.
    #[prop(optional_no_strip, into)]
    attachments: Option<Attachments>,
) -> impl IntoView {
    let labels = Labels::current();
    let activity = assistant.activity();
    let input = NodeRef::<html::Textarea>::new();
    let refused = RwSignal::new(None::<String>);
    let busy = {
        let activity = activity.clone();
        Memo::new(move |_| activity.get().busy)
    };
    let state = {
        let activity = activity.clone();
        Memo::new(move |_| state_of(activity.get()))
    };
    let interrupts = assistant.interrupts();
    let asked = {
        let activity = activity.clone();
        Memo::new(move |_| {
            let asks = || interrupts.with(|list| list.iter().any(is_asked));
            activity.get().asking || asks()
        })
    };
    // With this option a message denies what waits for approval, as long as nothing else waits.
    let auto_deny = assistant.runtime().auto_deny;
    let denies = Memo::new(move |_| auto_deny && state.get() == BLOCKED && !asked.get());
    let sends = Memo::new(move |_| !busy.get() || denies.get());
    let on_button = RwSignal::new(false);
    keep_focus(sends, input, on_button);
    let form = NodeRef::<html::Form>::new();
    let tray = attachments.map(Tray::new);
    if let Some(tray) = &tray {
        watch_drops(tray, form);
        // What stood in the way may be gone.
        let tray = tray.clone();
        Effect::new(move |_| {
            tray.track();
            refused.set(None);
        });
    }
    // What stood in the way of a message stands there no longer.
    Effect::new(move |_| {
        state.track();
        refused.set(None);
    });
    let send = {
        let (assistant, tray, labels) = (assistant.clone(), tray.clone(), labels.clone());
        move || {
            let sent = send_written(&assistant, tray.as_ref(), input, &labels);
            refused.set(sent.err());
        }
    };
    let pasted = {
        let tray = tray.clone();
        move |event: ev::ClipboardEvent| {
            if let Some(tray) = &tray {
                paste(tray, &event);
            }
        }
    };
    let by_key = {
        let send = send.clone();
        move |event: ev::KeyboardEvent| {
            let composing = event.is_composing() || event.key_code() == 229;
            if event.key() == "Enter" && !event.shift_key() && !composing {
                event.prevent_default();
                send();
            }
        }
    };
    let by_form = move |event: ev::SubmitEvent| {
        event.prevent_default();
        send();
    };
    let stop = move |_| {
        // Nothing to stop is what was wanted.
        let _ = assistant.stop();
    };
    let hint = {
        let labels = labels.clone();
        move || {
            refused.get().unwrap_or_else(|| match denies.get() {
                true => labels.auto_deny_hint.to_string(),
                false => hint_of(&labels, state.get(), asked.get()),
            })
        }
    };
    let hint_id = format!("la-hint-{}", crate::ui::fresh_id());
    view! {
        <form
            class="la-composer"
            data-state=move || state.get()
            node_ref=form
            on:submit=by_form
            on:paste=pasted
        >
            {tray.as_ref().map(|tray| tray_view(tray, input))}
            {tray.as_ref().map(drop_zone)}
            <div class="la-composer-box">
                {tray.as_ref().map(attach_button)}
                <textarea
                    class="la-composer-input"
                    rows="1"
                    aria-label=labels.message.clone()
                    aria-describedby=hint_id.clone()
                    placeholder=labels.placeholder.clone()
                    node_ref=input
                    on:keydown=by_key
                    on:input=move |_| {
                        refused.set(None);
                        grow(input);
                    }
                ></textarea>
                <div
                    class="la-composer-actions"
                    on:focusin=move |_| on_button.set(true)
                    on:focusout=move |event| {
                        if was_moved(&event) {
                            on_button.set(false);
                        }
                    }
                >
                    <button
                        type="submit"
                        class="la-button"
                        data-variant="primary"
                        hidden=move || !sends.get()
                    >
                        {Icon::Send.view()}
                        <span>{labels.send.clone()}</span>
                    </button>
                    <button
                        type="button"
                        class="la-button"
                        hidden=move || !busy.get()
                        on:click=stop
                    >
                        {Icon::Stop.view()}
                        <span>{labels.stop.clone()}</span>
                    </button>
                </div>
            </div>
            <p
                class=move || match state.get() == BLOCKED || refused.with(Option::is_some) {
                    true => "la-composer-reason",
                    false => "la-composer-hint",
                }
                // A hint is there to be read, what was refused is told.
                role=move || refused.with(Option::is_some).then_some("alert")
                id=hint_id
            >
                {dynamic(hint)}
            </p>
        </form>
    }
}

/// Whether a question of the agent is still without an answer.
pub(super) fn is_asked(open: &OpenInterrupt) -> bool {
    open.call.is_none() && open.answer.is_none()
}

const BLOCKED: &str = "blocked";

fn state_of(activity: Activity) -> &'static str {
    match activity {
        Activity { waiting: true, .. } => BLOCKED,
        Activity { busy: true, .. } => "running",
        Activity { .. } => "idle",
    }
}

fn hint_of(labels: &Labels, state: &str, asked: bool) -> String {
    match state {
        BLOCKED | "running" if asked => labels.questions_hint.to_string(),
        BLOCKED => labels.approvals_hint.to_string(),
        "running" => labels.busy_hint.to_string(),
        _ => labels.hint.to_string(),
    }
}

/// Sends what is written and attached, if anything is. What is refused stays; the reason comes back.
fn send_written(
    assistant: &Assistant,
    tray: Option<&Tray>,
    input: NodeRef<html::Textarea>,
    labels: &Labels,
) -> Result<(), String> {
    let Some(element) = input.get_untracked() else {
        return Ok(());
    };
    let text = element.value();
    let text = text.trim_end();
    let content = match tray {
        Some(tray) => tray.content(text)?,
        None => (!text.trim().is_empty()).then(|| Content::Text(text.to_owned())),
    };
    let Some(content) = content else {
        return Ok(());
    };
    let sent = assistant.send_content(content);
    sent.map_err(|refusal| {
        // An approval card asks for another thing than a question does.
        let asks = assistant.interrupts();
        let asks = asks.with_untracked(|list| list.iter().any(is_asked));
        match refusal {
            Refusal::InterruptsPending if !asks => labels.approvals_hint.to_string(),
            refusal => labels.refusal(&refusal),
        }
    })?;
    element.set_value("");
    if let Some(tray) = tray {
        tray.clear();
    }
    grow(input);
    Ok(())
}

/// The button that goes when the state changes may have the focus: it passes to the text box.
fn keep_focus(sends: Memo<bool>, input: NodeRef<html::Textarea>, on_button: RwSignal<bool>) {
    Effect::new(move |known: Option<bool>| {
        let sends = sends.get();
        let changed = known.is_some_and(|known| known != sends);
        if changed && on_button.get_untracked() {
            on_button.set(false);
            if let Some(element) = input.get_untracked() {
                // Focusing an element that is in the page does not fail.
                let _ = element.focus();
            }
        }
        sends
    });
}

/// Whether the focus left a button because the person moved it, not because the button was hidden.
fn was_moved(event: &ev::FocusEvent) -> bool {
    event_target::<web_sys::HtmlElement>(event)
        .offset_parent()
        .is_some()
}

/// Lets the box grow with its text where the browser does not do it by itself.
fn grow(input: NodeRef<html::Textarea>) {
    let Some(element) = input.get_untracked() else {
        return;
    };
    if supports_field_sizing() {
        return;
    }
    let style = web_sys::HtmlElement::style(&element);
    // Setting a custom property does not fail.
    let _ = style.set_property("--la-composer-height", "auto");
    let height = format!("{}px", element.scroll_height());
    let _ = style.set_property("--la-composer-height", &height);
}

fn supports_field_sizing() -> bool {
    web_sys::css::supports_with_value("field-sizing", "content").unwrap_or(false)
}
