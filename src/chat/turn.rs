//! Renders the messages and actions of a turn of the thread, or of a block of a long turn.

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;

use super::{
    MessageView, actions, branch::render_picker, day::day_separator, grouping::Groups,
    item::TurnBlock, list::BlockList, message_context::TurnMarker,
    transcript_context::TranscriptContext,
};
use crate::{
    assistant::Assistant,
    tool::ApprovalBatch,
    ui::{LabelName, TabStop, Words, dynamic, each, fresh_id, memo, paced_each, when},
    view::MessageEntry,
};

/// Renders the messages of a block in order, and the actions below the last block of a finished
/// turn.
#[component]
pub(super) fn TurnView(
    transcript: TranscriptContext,
    list: BlockList,
    id: MessageId,
    turn: ArcRwSignal<TurnBlock>,
) -> impl IntoView {
    let list_turn = turn.clone();
    let newest_attribute_turn = turn.clone();
    let position_turn = turn.clone();
    let message_sources = (transcript.assistant.clone(), turn.clone());
    let words = Words::current();
    let heading_words = words.clone();
    provide_context(TurnMarker);
    provide_context(ApprovalBatch::new());
    // Only the messages of this block can access these contexts, because each block has its own
    // owner.
    provide_context(Groups::new(transcript.assistant.clone(), turn.clone()));
    provide_context(transcript.clone());
    let custom_renderer = transcript.message.clone();
    let (has_custom_renderer, assistant) =
        (custom_renderer.is_some(), transcript.assistant.clone());
    let focused_turn = transcript.focused_turn;
    let render_entry = move |entry: MessageEntry| {
        let (assistant, turn) = message_sources.clone();
        let cell = assistant.message(&entry.id);
        let previous_time = turn.with_untracked(|turn| turn.time_before(&entry.id));
        let separator = day_separator(&words, previous_time, entry.created_at);
        let position = move || {
            let position = turn.with(|turn| turn.thread_index(&entry.id))?;
            list.partial.get().then(|| (position + 1, list.total.get()))
        };
        let position = Signal::derive(position);
        let message = cell.map(|message| match &custom_renderer {
            Some(renderer) => renderer.render(message),
            None => view! { <MessageView assistant message place=position /> }.into_any(),
        });
        match separator {
            Some(separator) => view! { {separator} {message} }.into_any(),
            // The message is rendered without an `Option`, because `None` would add a placeholder
            // node to the DOM for each message.
            None => message.into_any(),
        }
    };
    let messages = paced_each(
        move || list_turn.with(|turn| turn.entries.clone()),
        |entry| entry.id.as_str().to_owned(),
        render_entry,
    );
    // Omits the action bar if there is a custom message renderer, because such a renderer places
    // the actions itself.
    let action_bar = transcript
        .message
        .is_none()
        .then(|| turn_bar(transcript, list, id.clone(), turn.clone()));
    let is_by_user = turn.with_untracked(TurnBlock::is_by_user);
    // Marks the block as empty until one of its messages has content, so that the block takes no
    // space.
    let empty_attribute = (!has_custom_renderer).then(|| {
        let (turn, assistant) = (turn.clone(), assistant.clone());
        move || {
            let is_empty = |entry: &MessageEntry| {
                let cell = assistant.message(&entry.id);
                cell.is_none_or(|message| message.empty.get())
            };
            turn.with(|turn| turn.entries.iter().all(is_empty))
                .then_some("")
        }
    });
    let heading = render_heading(&heading_words, is_by_user);
    let first_position = move || {
        let start = position_turn.with(|turn| turn.start + 1);
        list.partial.get().then(|| start.to_string())
    };
    let total_count = move || list.partial.get().then(|| list.total.get().to_string());
    let focused_id = id.clone();
    let heading_id = format!("la-turn-{}", fresh_id());
    view! {
        <article
            class="la-turn"
            aria-labelledby=heading_id.clone()
            aria-posinset=first_position
            aria-setsize=total_count
            tabindex="-1"
            data-block=id.as_str().to_owned()
            data-of=is_by_user.then_some("user")
            data-empty=empty_attribute
            on:focusin=move |_| focused_turn.set(Some(focused_id.clone()))
            data-newest=move || newest_attribute_turn.with(|turn| turn.newest).then_some("")
        >
            <h3 class="la-visually-hidden" id=heading_id.clone()>{heading}</h3>
            {messages}
            {action_bar}
        </article>
    }
}

/// Renders the text of a turn's hidden heading, which allows navigation by headings.
fn render_heading(words: &Words, is_by_user: bool) -> AnyView {
    match is_by_user {
        true => words.text(LabelName::You),
        false => words.text(LabelName::Assistant),
    }
}

/// Renders the bar below a turn once the turn is finished, or earlier if the turn has versions.
/// Renders nothing while the user edits a message of the turn.
fn turn_bar(
    transcript: TranscriptContext,
    list: BlockList,
    id: MessageId,
    turn: ArcRwSignal<TurnBlock>,
) -> AnyView {
    let activity = transcript.assistant.activity();
    let is_by_user = turn.with_untracked(TurnBlock::is_by_user);
    let role = if is_by_user {
        Role::User
    } else {
        Role::Assistant
    };
    let range_turn = turn.clone();
    let finished_range = memo(move || {
        let (is_last_block, may_continue, range) = range_turn.with(|turn| {
            (
                turn.is_last_block(),
                turn.newest && !is_by_user,
                turn.whole.clone(),
            )
        });
        let activity = activity.get();
        let is_running = may_continue && activity.busy && !activity.elsewhere;
        (is_last_block && !is_running).then_some(range)
    });
    let versioned_ids = versioned_message_ids(transcript.assistant.clone(), list, turn.clone());
    let (focused_turn, tab_stop_turn) = (transcript.focused_turn, turn.clone());
    let is_tab_stop = memo(move || {
        tab_stop_turn.with(|turn| turn.newest)
            || focused_turn.with(|focused_turn| focused_turn.as_ref() == Some(&id))
    });
    let edited_message = transcript.edited_message;
    let is_hidden = move || {
        let is_editing = turn.with(|turn| {
            turn.entries
                .iter()
                .any(|entry| edited_message.is_editing(&entry.id))
        });
        is_editing || (finished_range.with(Option::is_none) && versioned_ids.with(Vec::is_empty))
    };
    let render_bar = move || {
        // Only the newest and the focused turn have buttons that are tab stops. With a tab stop for
        // each button of all turns, too many tab stops would precede the text box.
        provide_context(TabStop(is_tab_stop));
        let (picker_context, transcript) = (transcript.clone(), transcript.clone());
        let pickers = each(
            move || versioned_ids.get(),
            |id| id.as_str().to_owned(),
            move |id| render_picker(&picker_context, &id),
        );
        let controls = move || {
            let range = finished_range.get()?;
            actions::message_controls(&transcript, list.message_ids_at(range))
        };
        actions::message_bar(role, view! { {pickers} {dynamic(controls)} }.into_any())
    };
    when(move || !is_hidden(), render_bar).into_any()
}

/// Returns a signal with the ids of the messages that get a version picker below a block. For the
/// last block of a turn, the list contains the first message of the turn and the messages of the
/// block, without messages that have only one version. For any other block, the list is empty.
fn versioned_message_ids(
    assistant: Assistant,
    list: BlockList,
    turn: ArcRwSignal<TurnBlock>,
) -> Memo<Vec<MessageId>> {
    memo(move || {
        let (is_last_block, turn_start, entries) = turn.with(|turn| {
            let ids = turn.entries.iter().map(|entry| entry.id.clone());
            (
                turn.is_last_block(),
                turn.whole.start,
                ids.collect::<Vec<_>>(),
            )
        });
        if !is_last_block {
            return Vec::new();
        }
        let mut candidates = list.message_ids_at(turn_start..turn_start + 1);
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
