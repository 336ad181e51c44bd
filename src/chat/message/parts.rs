//! Renders the speaker and the parts of a message, in order.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use assistant_core::{conversation::MessageId, event::Role};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

use super::MessageContext;
use crate::{
    assistant::{Assistant, PartHandle, assistant_for},
    chat::grouping::{Groups, grouped_call},
    part::part_view,
    tool::{ApprovalBatch, ExactText, ToolCallSlot, batch_bar, escape_hidden, has_default_card},
    ui::{Icon, LabelName, PartialList, Word, Words, closest, dynamic, memo, paced_each, truncate},
    view::{PartCell, PartKind},
};

/// Shows the name of the speaking agent after the label of the assistant. Renders nothing for a
/// message of the user, or a message without a name. Invisible characters in a name are made
/// visible. [`MessageView`](super::MessageView) contains this component; in a custom arrangement,
/// put the component into a [`MessageRoot`](super::MessageRoot).
#[component]
pub fn MessageSpeaker() -> impl IntoView {
    let message_context = MessageContext::find_surrounding("MessageSpeaker")?;
    let message = &message_context.message;
    let name = message.speaker.clone();
    let name = name.filter(|_| message.role != Role::User)?;
    let name = truncate(&name, MAX_NAME_CHARS).into_owned();
    Some(view! {
        <p class="la-message-speaker">
            {message_context.words.text(LabelName::Assistant)} " · "
            <bdi class="la-message-name">
                <ExactText text=name />
            </bdi>
        </p>
    })
}

/// Returns the speaker as one line of plain text: the label of the assistant, then the name that
/// the agent has chosen, if any, and a mark if the agent wrote the message as if the user had
/// written it. A name is never shown alone.
pub(super) fn speaker_text(words: &Words, name: Option<&str>, attributed: bool) -> Word {
    let assistant = words.word(LabelName::Assistant);
    let name = name.map(|name| escape_hidden(&truncate(name, MAX_NAME_CHARS)));
    let attribution = attributed.then(|| words.word(LabelName::Attributed).into_owned());
    let segments: Vec<String> = std::iter::once(assistant.into_owned())
        .chain(name)
        .chain(attribution)
        .collect();
    segments.join(" · ").into()
}

/// The maximum length of a name, in characters.
const MAX_NAME_CHARS: usize = 60;

/// The parts of a message in order: text, reasoning, files, and calls with their cards. See
/// [`super::MessageRoot`] for an example.
#[component]
pub fn MessageParts() -> impl IntoView {
    let Some(message_context) = MessageContext::find_surrounding("MessageParts") else {
        return ().into_any();
    };
    let (assistant, message) = (message_context.assistant.clone(), &message_context.message);
    let groups = use_context::<Groups>();
    let (parts, counted_parts, id) = (
        message.parts.clone(),
        message.parts.clone(),
        message.id.clone(),
    );
    let has_several_cards = {
        let assistant = assistant.clone();
        memo(move || counted_parts.with(|parts| count_default_cards(&assistant, parts, groups) > 1))
    };
    let grouping_assistant = assistant.clone();
    let render_part = move |part: PartCell| {
        let (assistant, message) = (assistant.clone(), id.clone());
        let kind = part.kind.clone();
        let render = move || view! { <PartView assistant message part /> }.into_any();
        match (kind, groups) {
            (PartKind::Call(call), Some(groups)) => {
                grouped_call(&grouping_assistant, groups, call, render)
            }
            _ => render(),
        }
    };
    // The key of a call does not contain the index, so that the call keeps its card when the index
    // changes and the user can continue typing in the card.
    let part_key = |part: &PartCell| match &part.kind {
        PartKind::Call(key) => format!("{key:?}"),
        kind => format!("{} {kind:?}", part.index),
    };
    let was_listed = AtomicBool::new(false);
    let list_parts = move || {
        if was_listed.swap(true, Relaxed)
            && let Some(groups) = groups
        {
            groups.invalidate();
        }
        parts.get()
    };
    // The first call that waits for approval is found, because the summary of several approvals is
    // shown above the card of this call.
    let batch = use_context::<ApprovalBatch>();
    let first_awaiting = memo(move || batch?.first_of_several());
    let partial_list = PartialList::new(FIRST_PARTS, LAST_PARTS);
    let items = move || {
        let first_awaiting = first_awaiting.get();
        let mut parts: Vec<_> = list_parts().into_iter().map(Some).collect();
        partial_list.replace_gap(&mut parts, || None);
        let item = |part: PartCell| {
            let summary = match &part.kind {
                PartKind::Call(key) if Some(*key) == first_awaiting => {
                    batch.map(PartListItem::Summary)
                }
                _ => None,
            };
            summary.into_iter().chain([PartListItem::Part(part)])
        };
        let items = parts.into_iter().flat_map(|part| match part {
            Some(part) => item(part).collect(),
            None => vec![PartListItem::More],
        });
        items.collect()
    };
    let key = move |item: &PartListItem| match item {
        PartListItem::Part(part) => part_key(part),
        PartListItem::Summary(_) => "summary".to_owned(),
        PartListItem::More => "more".to_owned(),
    };
    let render_item = move |item: PartListItem| match item {
        PartListItem::Part(part) => render_part(part),
        PartListItem::Summary(batch) => batch_bar(batch),
        PartListItem::More => partial_list.button(),
    };
    let parts = paced_each(items, key, render_item);
    let (is_attributed, words) = (message.attributed.clone(), message_context.words.clone());
    // The rare content shares one view, because each absent view adds a placeholder node to the
    // DOM.
    let render_head = move || {
        let attribution_note = is_attributed.get().then(|| {
            view! {
                <p class="la-message-note" data-note="attributed">
                    {Icon::Alert.view()} <span>{words.text(LabelName::Attributed)}</span>
                </p>
            }
        });
        let expand_button = has_several_cards
            .get()
            .then(|| view! { <ExpandAllButton /> });
        (attribution_note.is_some() || expand_button.is_some())
            .then(|| view! { {attribution_note} {expand_button} })
    };
    view! {
        <div class="la-message-parts">
            {dynamic(render_head)} {parts}
        </div>
    }
    .into_any()
}

/// Renders one part of a message with the renderer that the application has registered for the
/// part, or with the default renderer of its kind.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{chat::PartView, view::MessageCell};
///
/// fn first_part(message: MessageCell) -> Option<impl IntoView> {
///     let part = message.parts().get().first()?.clone();
///     Some(view! { <PartView message=message.id().clone() part /> })
/// }
/// ```
#[component]
pub fn PartView(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The message.
    message: MessageId,
    /// The part.
    part: PartCell,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "PartView") else {
        return ().into_any();
    };
    if let PartKind::Call(key) = &part.kind {
        let call = *key;
        return view! { <ToolCallSlot assistant call /> }.into_any();
    }
    part_view(PartHandle::new(&assistant, message, part))
}

/// An item of the list of parts.
enum PartListItem {
    Part(PartCell),
    /// The summary of the approvals that follow.
    Summary(ApprovalBatch),
    /// The button that shows the parts that are not rendered yet.
    More,
}

/// The number of parts at the start of a long message that are rendered at first.
const FIRST_PARTS: usize = 100;
const LAST_PARTS: usize = 20;

/// Counts the default cards of a message that are not hidden in a group. Returns 0 for a message
/// with only one call, because that call needs no button for all cards.
fn count_default_cards(assistant: &Assistant, parts: &[PartCell], groups: Option<Groups>) -> usize {
    let calls = parts.iter().filter_map(|part| match &part.kind {
        PartKind::Call(key) => Some(key),
        _ => None,
    });
    if calls.clone().nth(1).is_none() {
        return 0;
    }
    let visible_calls = calls.filter(|key| groups.is_none_or(|groups| !groups.is_hidden(key)));
    visible_calls
        .filter(|key| has_default_card(assistant, key))
        .count()
}

/// The button that opens or closes all default tool cards of a message (rule "cards fold").
#[component]
fn ExpandAllButton() -> impl IntoView {
    let words = Words::current();
    let is_open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let toggle = move |_| {
        is_open.update(|is_open| *is_open = !*is_open);
        let Some(message) = button
            .get_untracked()
            .and_then(|button| closest(&button, ".la-message"))
        else {
            return;
        };
        let Ok(cards) = message.query_selector_all("details.la-tool-card") else {
            return;
        };
        for index in 0..cards.length() {
            if let Some(card) = cards.item(index).and_then(|card| card.dyn_into().ok()) {
                let card: web_sys::HtmlDetailsElement = card;
                card.set_open(is_open.get_untracked());
            }
        }
    };
    let label = move || match is_open.get() {
        true => words.word(LabelName::CollapseAll),
        false => words.word(LabelName::ExpandAll),
    };
    view! {
        <div class="la-tool-group-head">
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                aria-expanded=move || if is_open.get() { "true" } else { "false" }
                node_ref=button
                on:click=toggle
            >
                <span>{dynamic(label)}</span>
            </button>
        </div>
    }
}
