//! Renders a turn of the thread, or a block of a long turn: its messages and actions.

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;

use super::{
    MessageView, actions, branch::picker, day::day_separator, grouping::Groups, item::TurnBlock,
    list::BlockList, message_context::TurnMarker, transcript_context::TranscriptContext,
};
use crate::{
    assistant::Assistant,
    ui::{TabStop, Words, dynamic, each, fresh_id, memo, paced_each, when},
    view::MessageEntry,
};

/// Renders the messages of a block, in order, with the actions below a finished turn.
#[component]
pub(super) fn TurnView(
    shared: TranscriptContext,
    list: BlockList,
    id: MessageId,
    turn: ArcRwSignal<TurnBlock>,
) -> impl IntoView {
    let entries = turn.clone();
    let newest = turn.clone();
    let placed = turn.clone();
    let of_messages = (shared.assistant.clone(), turn.clone());
    let words = Words::current();
    let spoken = words.clone();
    provide_context(TurnMarker);
    // Visible to the messages of this block only: each block has its own owner.
    provide_context(Groups::new(shared.assistant.clone(), turn.clone()));
    provide_context(shared.clone());
    let own = shared.message.clone();
    let (is_own, assistant) = (own.is_some(), shared.assistant.clone());
    let focused = shared.focused;
    let draw = move |entry: MessageEntry| {
        let (assistant, turn) = of_messages.clone();
        let cell = assistant.message(&entry.id);
        let before = turn.with_untracked(|turn| turn.time_before(&entry.id));
        let line = day_separator(&words, before, entry.created_at);
        let place = move || {
            let place = turn.with(|turn| turn.thread_index(&entry.id))?;
            list.partial.get().then(|| (place + 1, list.total.get()))
        };
        let place = Signal::derive(place);
        let message = cell.map(|message| match &own {
            Some(draw) => draw.render(message),
            None => view! { <MessageView assistant message place /> }.into_any(),
        });
        match line {
            Some(line) => view! { {line} {message} }.into_any(),
            // Rendered without the `Option`, because `None` would add a placeholder node to the DOM
            // for each message.
            None => message.into_any(),
        }
    };
    let messages = paced_each(
        move || entries.with(|turn| turn.entries.clone()),
        |entry| entry.id.as_str().to_owned(),
        draw,
    );
    // A custom message renderer places the actions itself.
    let bar = shared
        .message
        .is_none()
        .then(|| turn_bar(shared, list, id.clone(), turn.clone()));
    let by_person = turn.with_untracked(TurnBlock::is_by_user);
    // Until an answer begins, its block takes no space.
    let empty = (!is_own).then(|| {
        let (empty, of_cells) = (turn.clone(), assistant.clone());
        move || {
            let is_empty = |entry: &MessageEntry| {
                let cell = of_cells.message(&entry.id);
                cell.is_none_or(|message| message.empty.get())
            };
            empty
                .with(|turn| turn.entries.iter().all(is_empty))
                .then_some("")
        }
    });
    let heading = heading(&spoken, by_person);
    let number = move || {
        let start = placed.with(|turn| turn.start + 1);
        list.partial.get().then(|| start.to_string())
    };
    let count = move || list.partial.get().then(|| list.total.get().to_string());
    let (focused, of) = (focused, id.clone());
    let named = format!("la-turn-{}", fresh_id());
    view! {
        <article
            class="la-turn"
            aria-labelledby=named.clone()
            aria-posinset=number
            aria-setsize=count
            tabindex="-1"
            data-block=id.as_str().to_owned()
            data-of=by_person.then_some("user")
            data-empty=empty
            on:focusin=move |_| focused.set(Some(of.clone()))
            data-newest=move || newest.with(|turn| turn.newest).then_some("")
        >
            <h3 class="la-visually-hidden" id=named.clone()>{heading}</h3>
            {messages}
            {bar}
        </article>
    }
}

/// Renders the hidden heading of a turn, for navigation by headings.
fn heading(words: &Words, by_person: bool) -> AnyView {
    match by_person {
        true => words.text(|l| &l.you),
        false => words.text(|l| &l.assistant),
    }
}

/// Renders the bar below a turn once the turn is finished, or earlier if the turn has versions.
/// Renders nothing while the user edits a message of the turn.
fn turn_bar(
    shared: TranscriptContext,
    list: BlockList,
    id: MessageId,
    turn: ArcRwSignal<TurnBlock>,
) -> AnyView {
    let activity = shared.assistant.activity();
    let by_person = turn.with_untracked(TurnBlock::is_by_user);
    let role = if by_person {
        Role::User
    } else {
        Role::Assistant
    };
    let of = turn.clone();
    let whole = memo(move || {
        let (ends, runs_on, whole) = of.with(|turn| {
            (
                turn.is_last_block(),
                turn.newest && !by_person,
                turn.whole.clone(),
            )
        });
        let now = activity.get();
        (ends && !(runs_on && now.busy && !now.elsewhere)).then_some(whole)
    });
    let versions = versioned_message_ids(shared.assistant.clone(), list, turn.clone());
    let (focused, placed) = (shared.focused, turn.clone());
    let stops = memo(move || {
        placed.with(|turn| turn.newest) || focused.with(|focused| focused.as_ref() == Some(&id))
    });
    let (edited, of) = (shared.edited, turn);
    let is_hidden = move || {
        let is_editing = of.with(|turn| {
            turn.entries
                .iter()
                .any(|entry| edited.is_editing(&entry.id))
        });
        is_editing || (whole.with(Option::is_none) && versions.with(Vec::is_empty))
    };
    let draw = move || {
        // A tab stop for each button of each turn would be too many on the way to the text box.
        provide_context(TabStop(stops));
        let (picks, shared) = (shared.clone(), shared.clone());
        let pickers = each(
            move || versions.get(),
            |id| id.as_str().to_owned(),
            move |id| picker(&picks, &id),
        );
        let controls = move || {
            let whole = whole.get()?;
            actions::message_controls(&shared, list.message_ids_at(whole))
        };
        actions::message_bar(role, view! { {pickers} {dynamic(controls)} }.into_any())
    };
    when(move || !is_hidden(), draw).into_any()
}

/// Returns a signal with the ids of the messages whose version pickers are shown below the last
/// block of a turn: the first message of the turn and the messages of the block, if they have
/// several versions. The list is empty for any other block.
fn versioned_message_ids(
    assistant: Assistant,
    list: BlockList,
    turn: ArcRwSignal<TurnBlock>,
) -> Memo<Vec<MessageId>> {
    memo(move || {
        let (ends, first, entries) = turn.with(|turn| {
            let ids = turn.entries.iter().map(|entry| entry.id.clone());
            (
                turn.is_last_block(),
                turn.whole.start,
                ids.collect::<Vec<_>>(),
            )
        });
        if !ends {
            return Vec::new();
        }
        let mut candidates = list.message_ids_at(first..first + 1);
        candidates.extend(entries);
        candidates.dedup();
        candidates.retain(|id| {
            assistant
                .current_version(id)
                .is_some_and(|(_, count)| count > 1)
        });
        candidates
    })
}
