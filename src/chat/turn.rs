//! A turn of the thread, or a block of a long one: its messages, and what can be done with it.

use assistant_core::conversation::MessageId;
use leptos::prelude::*;

use super::{
    MessageView,
    actions::{self, Desk},
    day::day_line,
    grouping::Groups,
    item::Turn,
    list::List,
};
use crate::{
    ui::{Words, dynamic, each},
    view::MessageEntry,
};

/// The messages of a block, in order. Below a turn that is finished stands what can be done.
#[component]
pub(super) fn TurnView(
    desk: Desk,
    list: List,
    id: MessageId,
    turn: ArcRwSignal<Turn>,
) -> impl IntoView {
    let entries = turn.clone();
    let newest = turn.clone();
    let of_messages = (desk.assistant.clone(), turn.clone());
    let words = Words::current();
    // Seen by the messages of this block alone: each block has an owner of its own.
    provide_context(Groups::of(desk.assistant.clone(), turn.clone()));
    provide_context(desk.clone());
    let own = desk.message.clone();
    let draw = move |entry: MessageEntry| {
        let (assistant, turn) = of_messages.clone();
        let cell = assistant.message(&entry.id);
        let before = turn.with_untracked(|turn| turn.time_before(&entry.id));
        let line = day_line(&words, before, entry.created_at);
        let place = move || {
            let place = turn.with(|turn| turn.place_of(&entry.id))?;
            list.partial.get().then(|| (place + 1, list.total.get()))
        };
        let place = Signal::derive(place);
        let message = cell.map(|message| match &own {
            Some(draw) => draw.run(message),
            None => view! { <MessageView assistant message place /> }.into_any(),
        });
        view! { {line} {message} }.into_any()
    };
    let messages = each(
        move || entries.with(|turn| turn.entries.clone()),
        |entry| entry.id.as_str().to_owned(),
        draw,
    );
    // Who draws messages puts what can be done where it belongs.
    let bar = desk.message.is_none().then(|| bar(desk, list, turn));
    view! {
        <div
            class="la-turn"
            data-block=id.as_str().to_owned()
            data-newest=move || newest.with(|turn| turn.newest).then_some("")
        >
            {messages}
            {bar}
        </div>
    }
}

fn bar(desk: Desk, list: List, turn: ArcRwSignal<Turn>) -> impl IntoView {
    let activity = desk.assistant.activity();
    let whole = Memo::new(move |_| {
        let (ends, runs_on, whole) = turn.with(|turn| {
            (
                turn.ends_here(),
                turn.newest && !turn.by_person(),
                turn.whole.clone(),
            )
        });
        (ends && !(runs_on && activity.get().busy)).then_some(whole)
    });
    dynamic(move || {
        let bar = |whole| actions::bar(&desk, list.messages(whole));
        whole.get().map(bar)
    })
}
