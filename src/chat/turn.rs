//! A turn of the thread, or a block of a long one: its messages, and what can be done with it.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use super::{
    MessageView,
    list::{List, Turn},
};
use crate::assistant::Assistant;

/// The messages of a block, in order.
#[component]
pub(super) fn TurnView(
    assistant: Assistant,
    list: List,
    id: MessageId,
    turn: ArcRwSignal<Turn>,
) -> impl IntoView {
    let entries = turn.clone();
    view! {
        <div class="la-turn" data-block=id.as_str().to_owned()>
            <For
                each=move || entries.with(|turn| turn.entries.clone())
                key=|entry| entry.id.clone()
                children=move |entry| {
                    let cell = assistant.message(&entry.id);
                    let (assistant, id, turn) = (assistant.clone(), entry.id, turn.clone());
                    let place = move || {
                        let place = turn.with(|turn| turn.place_of(&id))?;
                        list.partial.get().then(|| (place + 1, list.total.get()))
                    };
                    cell.map(|message| {
                        view! { <MessageView assistant message place=Signal::derive(place) /> }
                    })
                }
            />
        </div>
    }
}
