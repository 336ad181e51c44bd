//! Renders a message of the tree: its speaker, the beginning of its text, and its version.

use assistant_core::{
    conversation::{Conversation, Message, MessageId, OutlineRow, Part, Spot},
    event::Role,
};
use leptos::prelude::*;

use super::{TreeState, view::as_float};
use crate::ui::{Icon, dynamic, format_float};

/// The maximum length of the beginning of a message, in characters.
const MAX_CHARS: usize = 120;

/// Renders the row at an index, in the list or in the drawing.
pub(super) fn view(tree: &TreeState, at: usize, row: &OutlineRow, spot: Option<Spot>) -> AnyView {
    let words = tree.words.clone();
    let (height, here) = (tree.list.height, tree.at);
    let role = tree
        .assistant
        .with_conversation(|all| all.message(row.id()).map(Message::author_role));
    let role = role.flatten().unwrap_or(Role::Assistant);
    let speaker = match role {
        Role::User => words.text(|l| &l.you),
        Role::Assistant => words.text(|l| &l.assistant),
        other => other.as_str().into_any(),
    };
    let says = {
        let (assistant, id) = (tree.assistant.clone(), row.id().clone());
        let cell = assistant.message(&id);
        move || {
            if let Some(cell) = &cell {
                cell.parts
                    .with(|parts| parts.iter().for_each(|part| part.mark.track()));
            }
            let text = assistant.with_conversation(|all| message_preview(&id, all));
            text.flatten().unwrap_or_default()
        }
    };
    let version = (row.version().1 > 1).then(|| {
        let (long, (number, count)) = (words.clone(), row.version());
        let put = move |word: &str| {
            let word = word.replace("{number}", &number.to_string());
            word.replace("{count}", &count.to_string())
        };
        let short = words.clone();
        view! {
            <span class="la-tree-version" aria-hidden="true">
                {dynamic(move || put(&short.word(|l| &l.version_place)))}
            </span>
            <span class="la-visually-hidden">
                {dynamic(move || put(&long.word(|l| &l.version)))}
            </span>
        }
    });
    let shown = row.is_shown().then(|| {
        view! { <span class="la-visually-hidden">{words.text(|l| &l.on_shown_branch)}</span> }
    });
    let expanded = (row.branches() > 0).then(|| (!row.is_closed()).to_string());
    let is_tip = |all: &Conversation| all.tip() == Some(row.id());
    let is_tip = tree.assistant.with_conversation(is_tip).unwrap_or_default();
    let (clicked, toggles) = (tree.clone(), tree.clone());
    let (id, of) = (row.id().clone(), row.id().clone());
    let fold = (row.branches() > 0).then(|| {
        let toggle = move |event: web_sys::MouseEvent| {
            event.stop_propagation();
            toggles.cursor.set(Some(of.clone()));
            toggles.toggle_fold(&of);
        };
        // For pointers only: the keyboard uses the arrows.
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
            id=tree.row_id(at)
            attr:aria-level=level.clone()
            aria-posinset=row.place().0.to_string()
            aria-setsize=row.place().1.to_string()
            aria-expanded=expanded
            aria-selected=if is_tip { "true" } else { "false" }
            data-role=role.as_str()
            data-shown=row.is_shown().then_some("")
            data-first=(row.version().1 > 1).then_some("")
            data-cursor=move || (here.get() == at).then_some("")
            style:--la-tree-level=level
            style:--la-tree-x=spot.map(|spot| format_float(spot.column()))
            style:--la-tree-y=spot.map(|spot| spot.line().to_string())
            style:inset-block-start=move || {
                let listed = || format_float(as_float(at) * height.get()) + "px";
                spot.is_none().then(listed)
            }
            on:click=move |_| clicked.show_branch(&id)
        >
            <span class="la-tree-mark" aria-hidden="true">{""}</span>
            <span class="la-tree-speaker">{speaker}</span>
            <span class="la-tree-text" dir="auto">
                {dynamic(says)}
            </span>
            {version}
            {shown}
            {fold}
        </div>
    }
    .into_any()
}

/// Returns the beginning of the text of a message, or the names of its first calls if the message
/// has no text; `None` if the message does not exist.
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
