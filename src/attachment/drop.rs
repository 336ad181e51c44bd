//! Attaches files that are dropped on the chat or pasted into it.
//!
//! A browser navigates to a file that is dropped on an unhandled target, which would discard the
//! chat. So drag events of the complete window are handled, and files dropped on the chat are
//! attached.

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;

use super::AttachmentTray;
use crate::ui::closest;

/// Attaches files that are dropped on the chat of this composer, and tracks whether files are
/// dragged over the chat, until the composer is unmounted.
pub(crate) fn watch_drops(tray: &AttachmentTray, form: NodeRef<html::Form>) {
    let hovered = tray.hovered;
    let over = window_event_listener(ev::dragover, move |event| {
        let here = has_files(&event) && is_over_chat(&event, form);
        if here {
            event.prevent_default();
            if let Some(data) = event.data_transfer() {
                data.set_drop_effect("copy");
            }
        }
        set_hovered(hovered, here);
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // Left the window; inside of it the next `dragover` updates the target.
        if event.related_target().is_none() {
            set_hovered(hovered, false);
        }
    });
    let taker = tray.clone();
    let drop = window_event_listener(ev::drop, move |event| {
        set_hovered(hovered, false);
        if !has_files(&event) || !is_over_chat(&event, form) {
            return;
        }
        event.prevent_default();
        if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
            taker.add_files(&files);
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
}

fn set_hovered(hovered: RwSignal<bool>, here: bool) {
    if hovered.try_get_untracked() == Some(!here) {
        hovered.set(here);
    }
}

fn has_files(event: &web_sys::DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    types.is_some_and(|types| types.includes(&"Files".into(), 0))
}

/// Returns true if an event is over the chat of this composer, also inside of a shadow tree.
fn is_over_chat(event: &web_sys::DragEvent, form: NodeRef<html::Form>) -> bool {
    let Some(form) = form.try_get_untracked().flatten() else {
        return false;
    };
    let chat = closest(&form, "[data-assistant-chat]");
    let place: web_sys::Element = chat.unwrap_or_else(|| form.into());
    let target = event.composed_path().get(0);
    place.contains(target.dyn_ref::<web_sys::Node>())
}

/// Attaches pasted files. Clipboard data that also has text is left to the text box, because
/// programs add a picture to text that is copied.
pub(crate) fn attach_pasted(tray: &AttachmentTray, event: &web_sys::ClipboardEvent) {
    let Some(data) = event.clipboard_data() else {
        return;
    };
    let words = data.get_data("text/plain").unwrap_or_default();
    let Some(files) = data.files().filter(|files| files.length() > 0) else {
        return;
    };
    if words.is_empty() {
        event.prevent_default();
        tray.add_files(&files);
    }
}
