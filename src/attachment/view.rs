//! Renders the attachments of a composer: the button, the list, the errors and the drop zone.

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;

use super::{
    AttachmentTray,
    tray::{AttachedFile, FileState},
};
use crate::ui::{Icon, LabelName, closest, dynamic, each, find, format_size, fresh_id, memo, when};

/// Renders the button that opens the file dialog.
pub(crate) fn attach_button(tray: &AttachmentTray, children: Option<Children>) -> AnyView {
    let input = tray.input;
    let open_file_dialog = move |_| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let (words, has_children) = (tray.words.clone(), children.is_some());
    let name = move || (!has_children).then(|| words.word(LabelName::Attach));
    let content = match children {
        Some(children) => children(),
        None => Icon::Clip.view().into_any(),
    };
    view! {
        <button
            type="button"
            class="la-button"
            data-variant="quiet"
            data-shape="icon"
            aria-label=name
            on:click=open_file_dialog
        >
            {content}
        </button>
    }
    .into_any()
}

/// Renders the hidden file input and the drop zone that every composer with attachments has.
pub(crate) fn file_frame(tray: &AttachmentTray) -> AnyView {
    let (input, tray_clone) = (tray.input, tray.clone());
    let add_selected_files = move |_| {
        let Some(input) = input.get_untracked() else {
            return;
        };
        if let Some(files) = input.files() {
            tray_clone.add_files(&files);
        }
        // The input is cleared, so that the user can select the same file again.
        input.set_value("");
    };
    view! {
        <input
            type="file"
            hidden
            multiple=tray.config.max_files != 1
            accept=tray.config.accept.clone()
            node_ref=input
            on:change=add_selected_files
        />
        {drop_zone(tray)}
    }
    .into_any()
}

/// Renders the attached files and the errors. The text box gets the focus when the last file is
/// removed.
pub(crate) fn tray_view(tray: &AttachmentTray, text_box: NodeRef<html::Textarea>) -> AnyView {
    let (items, refusals) = (tray.items, tray.refused);
    let row_tray = tray.clone();
    let list = {
        let words = tray.words.clone();
        move || {
            let (row_tray, label) = (row_tray.clone(), words.attr(LabelName::Attached));
            let draw_item = move |item| item_view(&row_tray, item, text_box);
            let rows = each(move || items.get(), |item| item.id.to_string(), draw_item);
            view! {
                <ul class="la-attachments" aria-label=label>{rows}</ul>
            }
            .into_any()
        }
    };
    let words = tray.words.clone();
    let refusal_list = move || {
        let list = refusals.get();
        (!list.is_empty()).then(|| {
            let lines: Vec<_> = list
                .iter()
                .map(|why| view! { <li>{why.message(&words)}</li> })
                .collect();
            view! { <ul class="la-attachment-refusals">{lines}</ul> }
        })
    };
    let has_items = memo(move || items.with(|items| !items.is_empty()));
    view! {
        <div role="alert">{dynamic(refusal_list)}</div>
        // Screen readers announce changes only within a live region that existed before.
        <div aria-live="polite">{when(move || has_items.get(), list)}</div>
    }
    .into_any()
}

fn item_view(
    tray: &AttachmentTray,
    item: AttachedFile,
    text_box: NodeRef<html::Textarea>,
) -> AnyView {
    let words = tray.words.clone();
    let icon = match item.kind() {
        "image" => Icon::Image,
        "audio" => Icon::Audio,
        "video" => Icon::Video,
        _ => Icon::File,
    };
    let thumbnail = item.picture.clone();
    let picture = move || match thumbnail.get() {
        // The alternative text is empty, because the name is next to the picture.
        Some(src) => view! { <img alt="" src=src /> }.into_any(),
        None => icon.view().into_any(),
    };
    let size = item.size.map(format_size).unwrap_or_default();
    let (state, attribute_state) = (item.state.clone(), item.state.clone());
    let name = item.shown_name();
    let details = {
        let (words, name) = (words.clone(), name.clone());
        move || match state.get() {
            FileState::Reading => words.word(LabelName::Reading).into_owned(),
            FileState::Ready(_) => size.clone(),
            FileState::Failed(Some(reason)) => reason.replace("{name}", &name),
            FileState::Failed(None) => words
                .word(LabelName::FileUnreadable)
                .replace("{name}", &name),
        }
    };
    let tray = tray.clone();
    let remove = move |event: ev::MouseEvent| {
        pass_focus(&event, text_box);
        tray.remove_file(item.id);
    };
    let id = format!("la-attachment-{}", fresh_id());
    let label_name = name.clone();
    let label = move || format!("{} {label_name}", words.word(LabelName::Remove));
    view! {
        <li
            class="la-attachment"
            data-state=move || match attribute_state.get() {
                FileState::Reading => "reading",
                FileState::Ready(_) => "ready",
                FileState::Failed(_) => "failed",
            }
        >
            <span class="la-attachment-picture" aria-hidden="true">{dynamic(picture)}</span>
            // The name is announced with each change of the state.
            <div class="la-attachment-text" id=id aria-atomic="true">
                <p class="la-attachment-name" dir="auto" title=name.clone()>{name.clone()}</p>
                <p class="la-attachment-facts">{dynamic(details)}</p>
            </div>
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-shape="icon"
                data-size="small"
                aria-label=label
                on:click=remove
            >
                {Icon::X.view()}
            </button>
        </li>
    }
    .into_any()
}

/// Moves the focus from a removed file to the button of the next or previous file, or to the text
/// box if no file is left.
fn pass_focus(event: &ev::MouseEvent, text_box: NodeRef<html::Textarea>) {
    let target: Option<web_sys::Element> = event.current_target().and_then(|t| t.dyn_into().ok());
    let row = target.and_then(|target| closest(&target, "li"));
    let neighbor = row.and_then(|row| {
        row.next_element_sibling()
            .or(row.previous_element_sibling())
    });
    let button = neighbor.and_then(|row| find(&row, "button"));
    let focus_target: Option<web_sys::HtmlElement> = match button {
        Some(button) => button.dyn_into().ok(),
        None => text_box.get_untracked().map(Into::into),
    };
    if let Some(focus_target) = focus_target {
        // The result is ignored, because focusing an element of the page does not fail.
        let _ = focus_target.focus();
    }
}

fn drop_zone(tray: &AttachmentTray) -> AnyView {
    let (is_hovered, words) = (tray.hovered, tray.words.clone());
    dynamic(move || {
        is_hovered.get().then(|| {
            view! {
                <div class="la-drop-zone" aria-hidden="true">
                    {Icon::Clip.view()}
                    <span>{words.text(LabelName::DropHere)}</span>
                </div>
            }
        })
    })
    .into_any()
}
