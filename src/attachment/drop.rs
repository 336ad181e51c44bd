//! Attaches files that are dropped on the chat or pasted into it.
//!
//! A browser navigates to a file that is dropped on an unhandled target, which would discard the
//! chat. Therefore the drag events of the whole window are handled, and files that are dropped on
//! the chat are attached.

use leptos::{ev, html, prelude::*};

use super::AttachmentTray;
use crate::ui::closest;

/// Attaches files that are dropped on the chat of this composer, and tracks whether files are
/// dragged over the chat, until the composer is unmounted.
pub(crate) fn watch_drops(tray: &AttachmentTray, form: NodeRef<html::Form>) {
    let is_hovered = tray.hovered;
    let dragover_listener = window_event_listener(ev::dragover, move |event| {
        let is_drop_target = has_files(&event) && is_over_chat(&event, form);
        if is_drop_target {
            event.prevent_default();
            if let Some(data) = event.data_transfer() {
                data.set_drop_effect("copy");
            }
        }
        set_hovered(is_hovered, is_drop_target);
    });
    let dragleave_listener = window_event_listener(ev::dragleave, move |event| {
        // If there is no related target, the hover state is reset, because the pointer has left the
        // window. Inside of the window, the next `dragover` event updates the state.
        if event.related_target().is_none() {
            set_hovered(is_hovered, false);
        }
    });
    let listener_tray = tray.clone();
    let drop_listener = window_event_listener(ev::drop, move |event| {
        set_hovered(is_hovered, false);
        if !has_files(&event) || !is_over_chat(&event, form) {
            return;
        }
        event.prevent_default();
        if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
            listener_tray.add_files(&files);
        }
    });
    on_cleanup(move || {
        dragover_listener.remove();
        dragleave_listener.remove();
        drop_listener.remove();
    });
}

fn set_hovered(is_hovered: RwSignal<bool>, is_over: bool) {
    if is_hovered.try_get_untracked() == Some(!is_over) {
        is_hovered.set(is_over);
    }
}

fn has_files(event: &web_sys::DragEvent) -> bool {
    let types = event.data_transfer().map(|data| data.types());
    types.is_some_and(|types| types.includes(&"Files".into(), 0))
}

/// Returns true if the target of an event is in the chat of this composer, or in the composer if
/// there is no chat. The chat may be inside of a shadow tree, and the target in a shadow tree inside
/// of the chat.
fn is_over_chat(event: &web_sys::DragEvent, form: NodeRef<html::Form>) -> bool {
    let Some(form) = form.try_get_untracked().flatten() else {
        return false;
    };
    let chat = closest(&form, "[data-assistant-chat]");
    let drop_area: web_sys::Element = chat.unwrap_or_else(|| form.into());
    event.composed_path().includes(&drop_area, 0)
}

/// Attaches pasted files. Does nothing if the clipboard also contains text, because some programs
/// add a picture to copied text.
pub(crate) fn attach_pasted(tray: &AttachmentTray, event: &web_sys::ClipboardEvent) {
    let Some(data) = event.clipboard_data() else {
        return;
    };
    let text = data.get_data("text/plain").unwrap_or_default();
    let Some(files) = data.files().filter(|files| files.length() > 0) else {
        return;
    };
    if text.is_empty() {
        event.prevent_default();
        tray.add_files(&files);
    }
}
