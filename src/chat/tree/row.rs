//! Renders a message of the tree: its speaker, the beginning of its text, and its version.

use assistant_core::{
    conversation::{Conversation, Message, MessageId, OutlineRow, Part, Spot},
    event::Role,
};
use leptos::prelude::*;

use super::{TreeState, view::as_float};
use crate::ui::{Icon, LabelName, dynamic, format_float};

/// The maximum length of the beginning of a message, in characters.
const MAX_CHARS: usize = 120;

/// Renders the row at an index, in the list or in the drawing.
pub(super) fn view(
    tree: &TreeState,
    index: usize,
    row: &OutlineRow,
    spot: Option<Spot>,
) -> AnyView {
    let words = tree.words.clone();
    let (row_height, current_index) = (tree.list.height, tree.current_index);
    let role = tree
        .assistant
        .with_conversation(|conversation| conversation.message(row.id()).map(Message::author_role));
    let role = role.flatten().unwrap_or(Role::Assistant);
    let speaker = match role {
        Role::User => words.text(LabelName::You),
        Role::Assistant => words.text(LabelName::Assistant),
        other => other.as_str().into_any(),
    };
    let preview = {
        let (assistant, id) = (tree.assistant.clone(), row.id().clone());
        let cell = assistant.message(&id);
        move || {
            if let Some(cell) = &cell {
                cell.parts
                    .with(|parts| parts.iter().for_each(|part| part.mark.track()));
            }
            let text =
                assistant.with_conversation(|conversation| message_preview(&id, conversation));
            text.flatten().unwrap_or_default()
        }
    };
    let version = (row.version().1 > 1).then(|| {
        let (long_words, (number, count)) = (words.clone(), row.version());
        let short_words = words.clone();
        view! {
            <span class="la-tree-version" aria-hidden="true">
                {dynamic(move || short_words.position(LabelName::VersionPlace, number, count))}
            </span>
            <span class="la-visually-hidden">
                {dynamic(move || long_words.position(LabelName::Version, number, count))}
            </span>
        }
    });
    let branch_note = row.is_shown().then(|| {
        view! { <span class="la-visually-hidden">{words.text(LabelName::OnShownBranch)}</span> }
    });
    let aria_expanded = (row.branches() > 0).then(|| (!row.is_closed()).to_string());
    let (tip, tip_id) = (tree.tip, row.id().clone());
    let is_tip = move || tip.with(|tip| tip.as_ref() == Some(&tip_id));
    let (click_tree, fold_tree) = (tree.clone(), tree.clone());
    let (id, fold_id) = (row.id().clone(), row.id().clone());
    let fold_button = (row.branches() > 0).then(|| {
        let toggle = move |event: web_sys::MouseEvent| {
            event.stop_propagation();
            fold_tree.cursor.set(Some(fold_id.clone()));
            fold_tree.toggle_fold(&fold_id);
        };
        // The element is hidden from assistive technology, because it is only for pointers: the
        // arrow keys fold and unfold rows.
        view! {
            <span class="la-tree-fold" aria-hidden="true" on:click=toggle>
                {Icon::chevron()}
            </span>
        }
    });
    let level = row.level().to_string();
    view! {
        <div
            class="la-tree-row"
            role="treeitem"
            id=tree.row_id(index)
            attr:aria-level=level.clone()
            aria-posinset=row.place().0.to_string()
            aria-setsize=row.place().1.to_string()
            aria-expanded=aria_expanded
            aria-selected=move || is_tip().to_string()
            data-role=role.as_str()
            data-shown=row.is_shown().then_some("")
            data-first=(row.version().1 > 1).then_some("")
            data-cursor=move || (current_index.get() == index).then_some("")
            style:--la-tree-level=level
            style:--la-tree-x=spot.map(|spot| format_float(spot.column()))
            style:--la-tree-y=spot.map(|spot| spot.line().to_string())
            style:inset-block-start=move || {
                let offset = || format_float(as_float(index) * row_height.get()) + "px";
                spot.is_none().then(offset)
            }
            on:click=move |_| click_tree.show_branch(&id)
        >
            <span class="la-tree-mark" aria-hidden="true">{""}</span>
            <span class="la-tree-speaker">{speaker}</span>
            <span class="la-tree-text" dir="auto">
                {dynamic(preview)}
            </span>
            {version}
            {branch_note}
            {fold_button}
        </div>
    }
    .into_any()
}

/// Returns the beginning of the text of a message, or the names of its first calls if the message
/// has no text. Returns `None` if the message does not exist.
pub(super) fn message_preview(id: &MessageId, conversation: &Conversation) -> Option<String> {
    let message = conversation.message(id)?;
    let texts = message.parts().iter().filter_map(Part::as_text);
    let words = texts.flat_map(str::split_whitespace);
    let mut beginning = String::new();
    let mut count = 0;
    for word in words {
        count += word.chars().count() + 1;
        if !beginning.is_empty() {
            beginning.push(' ');
        }
        beginning.extend(word.chars().take(MAX_CHARS));
        if count > MAX_CHARS {
            beginning.push('…');
            break;
        }
    }
    if !beginning.is_empty() {
        return Some(beginning);
    }
    let names = conversation.calls_in(message).map(|call| call.name());
    Some(names.take(4).collect::<Vec<_>>().join(", "))
}
