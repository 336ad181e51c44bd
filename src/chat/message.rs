//! One message: its frame and its parts in order. What a part looks like is in `part`.

use assistant_core::{conversation::Cut, event::Role};
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;

use super::{
    grouping::{Groups, place as place_of},
    part::PartView,
};
use crate::{
    assistant::Assistant,
    tool::{ExactText, has_default_card},
    ui::{Icon, Labels, closest, dynamic, each, when},
    view::{MessageCell, PartCell, PartKind},
};

/// One message of the chat. Nothing stands for an empty one.
#[component]
pub fn MessageView(
    /// Whose conversation.
    assistant: Assistant,
    /// The message.
    message: MessageCell,
    /// Its number in the thread, and how many there are: given when not all are in the page.
    #[prop(optional, into)]
    place: Signal<Option<(usize, usize)>>,
) -> impl IntoView {
    let empty = message.empty.clone();
    when(
        move || !empty.get(),
        move || article(assistant.clone(), message.clone(), place),
    )
}

fn article(
    assistant: Assistant,
    message: MessageCell,
    place: Signal<Option<(usize, usize)>>,
) -> AnyView {
    let labels = Labels::current();
    let groups = use_context::<Groups>();
    let (speaker, named) = match message.role {
        Role::User => (labels.you.clone(), None),
        _ => match message.speaker.clone() {
            Some(name) => (name.clone().into(), Some(name)),
            None => (labels.assistant.clone(), None),
        },
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
    let (cut, disputed) = (message.cut.clone(), message.disputed.clone());
    let words = labels.clone();
    let id = message.id.clone();
    let count = message.parts.clone();
    let several = {
        let assistant = assistant.clone();
        Memo::new(move |_| count.with(|parts| default_cards(&assistant, parts, groups) > 1))
    };
    let draw = move |part: PartCell| {
        let (assistant, message) = (assistant.clone(), id.clone());
        let kind = part.kind.clone();
        let drawn = view! { <PartView assistant message part /> }.into_any();
        match (kind, groups) {
            (PartKind::Call(call), Some(groups)) => place_of(groups, call, drawn),
            _ => drawn,
        }
    };
    // A call keeps its card wherever a list moves it; who types in it goes on typing.
    let key = |part: &PartCell| match &part.kind {
        PartKind::Call(key) => format!("{key:?}"),
        kind => format!("{} {kind:?}", part.index),
    };
    let parts = each(move || parts.get(), key, draw);
    view! {
        <article
            class="la-message"
            class:message-with-tools=has_calls
            data-role=message.role.as_str()
            data-message-id=message.wire_id.clone()
            aria-label=speaker
            aria-posinset=move || place.get().map(|(number, _)| number.to_string())
            aria-setsize=move || place.get().map(|(_, count)| count.to_string())
            data-streaming=move || streaming.get().then_some("")
            aria-busy=move || busy.get().then_some("true")
        >
            {named.map(|name| view! { <p class="la-message-speaker" dir="auto">{name}</p> })}
            <div class="la-message-parts">
                {when(move || several.get(), || view! { <ExpandAll /> }.into_any())} {parts}
            </div>
            {dynamic(move || cut.get().map(|cut| cut_note(&labels, cut)))}
            {dynamic(move || disputed.get().map(|text| disputed_note(&words, text)))}
        </article>
    }
    .into_any()
}

/// Why the message is shorter than it should be.
fn cut_note(labels: &Labels, cut: Cut) -> impl IntoView + use<> {
    let (word, failure) = match cut {
        Cut::Stopped => (&labels.cut_stopped, false),
        Cut::Cancelled => (&labels.cut_cancelled, false),
        Cut::Failed => (&labels.cut_failed, true),
        _ => (&labels.cut_broken_off, true),
    };
    let icon = if failure { Icon::Alert } else { Icon::Ban };
    view! {
        <p class="la-message-note" data-cut=cut.as_str() data-tone=failure.then_some("error")>
            {icon.view()}
            <span>{word.clone()}</span>
        </p>
    }
}

/// That the agent has the person say something else, and what.
fn disputed_note(labels: &Labels, text: String) -> impl IntoView + use<> {
    view! {
        <details class="la-message-disputed la-fold">
            <summary class="la-fold-summary">
                {Icon::Alert.view()} <span>{labels.disputed.clone()}</span> {Icon::chevron()}
            </summary>
            <p class="la-tool-label">{labels.agents_version.clone()}</p>
            <pre class="la-code" data-kind="agents-version" tabindex="0" dir="auto">
                <ExactText text readable=true />
            </pre>
        </details>
    }
}

/// How many calls show the default card, which can be opened.
fn default_cards(assistant: &Assistant, parts: &[PartCell], groups: Option<Groups>) -> usize {
    let calls = parts.iter().filter_map(|part| match &part.kind {
        PartKind::Call(key) => Some(key),
        _ => None,
    });
    let shown = calls.filter(|key| groups.is_none_or(|groups| !groups.hides(key)));
    shown.filter(|key| has_default_card(assistant, key)).count()
}

/// Opens or closes all tool cards of its message that can be (rule "cards fold").
#[component]
fn ExpandAll() -> impl IntoView {
    let labels = Labels::current();
    let open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        let Some(message) = button
            .get_untracked()
            .and_then(|button| closest(&button, ".la-message"))
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
                <span>{dynamic(word)}</span>
            </button>
        </div>
    }
}
