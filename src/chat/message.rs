//! One message: its parts in order, each drawn by what it is.

use assistant_core::{conversation::Part, event::Role};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

use super::{Icon, Labels, StreamingText};
use crate::{
    assistant::Assistant,
    tool::{ToolCallSlot, has_default_card},
    view::{MessageCell, PartCell, PartKind},
};

/// One message of the chat. Nothing stands for an empty one.
#[component]
pub fn MessageView(
    /// Whose conversation.
    assistant: Assistant,
    /// The message.
    message: MessageCell,
) -> impl IntoView {
    let empty = message.empty.clone();
    view! {
        <Show when=move || !empty.get()>
            {article(assistant.clone(), message.clone())}
        </Show>
    }
}

fn article(assistant: Assistant, message: MessageCell) -> impl IntoView {
    let labels = Labels::current();
    let speaker = match message.role {
        Role::User => labels.you.clone(),
        _ => labels.assistant.clone(),
    };
    let parts = message.parts.clone();
    let streaming = message.streaming.clone();
    let busy = message.streaming.clone();
    let calls = message.parts.clone();
    let has_calls = move || {
        calls.with(|parts| {
            parts
                .iter()
                .any(|part| matches!(part.kind, PartKind::Call(_)))
        })
    };
    let id = message.id.clone();
    let count = message.parts.clone();
    let several = {
        let assistant = assistant.clone();
        Memo::new(move |_| count.with(|parts| default_cards(&assistant, parts) > 1))
    };
    view! {
        <article
            class="la-message"
            class:message-with-tools=has_calls
            data-role=message.role.as_str()
            data-message-id=message.wire_id.clone()
            aria-label=speaker
            data-streaming=move || streaming.get().then_some("")
            aria-busy=move || busy.get().then_some("true")
        >
            <div class="la-message-parts">
                <Show when=move || several.get()>
                    <ExpandAll />
                </Show>
                <For
                    each=move || parts.get()
                    key=|part| (part.index, part.kind.clone())
                    children=move |part| part_view(&assistant, &id, part)
                />
            </div>
        </article>
    }
}

/// How many calls have the default card, which can be opened.
fn default_cards(assistant: &Assistant, parts: &[PartCell]) -> usize {
    let calls = parts.iter().filter_map(|part| match &part.kind {
        PartKind::Call(key) => Some(key),
        _ => None,
    });
    calls.filter(|key| has_default_card(assistant, key)).count()
}

/// Opens or closes all tool cards of its message that can be (row S1-16).
#[component]
fn ExpandAll() -> impl IntoView {
    let labels = Labels::current();
    let open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        let Some(message) = button
            .get_untracked()
            .and_then(|button| button.closest(".la-message").ok().flatten())
        else {
            return;
        };
        let Ok(cards) = message.query_selector_all("details.la-tool-card") else {
            return;
        };
        for place in 0..cards.length() {
            if let Some(card) = cards.item(place).and_then(|card| card.dyn_into().ok()) {
                let card: web_sys::HtmlDetailsElement = card;
                card.set_open(open.get_untracked());
            }
        }
    };
    let word = move || {
        if open.get() {
            labels.collapse_all.clone()
        } else {
            labels.expand_all.clone()
        }
    };
    view! {
        <div class="la-tool-group-head">
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                aria-expanded=move || if open.get() { "true" } else { "false" }
                node_ref=button
                on:click=toggle
            >
                <span>{word}</span>
            </button>
        </div>
    }
}

fn part_view(
    assistant: &Assistant,
    id: &assistant_core::conversation::MessageId,
    part: PartCell,
) -> AnyView {
    let (assistant, message) = (assistant.clone(), id.clone());
    match part.kind.clone() {
        PartKind::Text => view! {
            <div class="la-part la-text message-content">
                <StreamingText assistant message part />
            </div>
        }
        .into_any(),
        PartKind::Reasoning => reasoning(assistant, message, part).into_any(),
        PartKind::Call(key) => view! { <ToolCallSlot assistant call=key /> }.into_any(),
        PartKind::File | PartKind::Data(_) | PartKind::Unknown => {
            other(&assistant, &message, &part).into_any()
        }
    }
}

fn reasoning(
    assistant: Assistant,
    message: assistant_core::conversation::MessageId,
    part: PartCell,
) -> impl IntoView {
    let labels = Labels::current();
    let mark = part.mark.clone();
    let (thinking, thought) = (labels.thinking.clone(), labels.reasoning.clone());
    let title = move || {
        if mark.get().open {
            thinking.clone()
        } else {
            thought.clone()
        }
    };
    view! {
        <details class="la-part la-reasoning">
            <summary class="la-reasoning-summary">{Icon::chevron()}<span>{title}</span></summary>
            <div class="la-reasoning-text">
                <StreamingText assistant message part />
            </div>
        </details>
    }
}

/// A part without a view of its own: named, its data behind a summary, as text.
fn other(
    assistant: &Assistant,
    message: &assistant_core::conversation::MessageId,
    part: &PartCell,
) -> impl IntoView {
    let labels = Labels::current();
    let found = assistant.with_conversation(|conversation| {
        conversation
            .message(message)?
            .parts
            .get(part.index)
            .cloned()
    });
    let (title, data) = match found.flatten() {
        Some(Part::File(file)) => (labels.file.clone(), file_name(&file)),
        Some(Part::Data(data)) => (data.data_type.into(), pretty(&data.data)),
        Some(Part::ToolResult(result)) => (labels.result.clone(), pretty(&result.output)),
        Some(Part::Unknown(value)) => (labels.unknown_part.clone(), pretty(&value)),
        _ => (labels.unknown_part.clone(), String::new()),
    };
    view! {
        <details class="la-part la-card la-tool-card">
            <summary class="la-tool-summary">
                <span class="la-tool-icon" aria-hidden="true">{Icon::Info.view()}</span>
                <span class="la-tool-name">{title}</span>
                {Icon::chevron()}
            </summary>
            <div class="la-tool-body">
                <pre class="la-code" tabindex="0">{data}</pre>
            </div>
        </details>
    }
}

fn file_name(part: &assistant_core::event::ContentPart) -> String {
    use assistant_core::event::{PartBody, Source};
    match &part.body {
        PartBody::Text(text) => text.clone(),
        PartBody::Media {
            kind,
            source: Source::Data { mime_type, .. },
        } => {
            format!("{kind}, {mime_type}")
        }
        PartBody::Media {
            kind,
            source: Source::Url { value, .. } | Source::File { value, .. },
        } => format!("{kind}: {value}"),
    }
}

fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}")
}
