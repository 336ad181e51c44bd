//! Renders the list of the messages of a chat.

use assistant_core::conversation::Conversation;
use leptos::{html, prelude::*};

use super::{
    Feedback, MessageFn,
    activity_line::ActivityLine,
    inbox_place::InboxPosition,
    item::{ListItem, ThreadEnd},
    list::{BlockList, ThreadChange},
    queued_messages::QueuedMessages,
    scroll::ScrollState,
    transcript_context::TranscriptContext,
    turn::TurnView,
    turn_focus,
};
use crate::{
    assistant::{Assistant, assistant_for},
    part::RunSteps,
    ui::{
        Icon, LabelName, Words, closest, draw_all_rows, dynamic, each, effect, focus, format_float,
        memo, when, when_idle,
    },
};

/// The messages of a chat, oldest first. The view follows the newest message while the end is in
/// view.
///
/// # Accessibility
///
/// The list is a `log` that announces nothing itself (`aria-live="off"`): an
/// [`Announcer`](super::Announcer) announces the messages. Each turn is an article with a hidden
/// heading. From the list, Up and Down move between turns, and Home and End move to the first and
/// the last turn.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, agent::HttpAgent, chat::{Composer, Transcript}};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <Transcript attr:id="log" empty=|| view! { <p>"Say hello."</p> } />
///             <Composer />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn Transcript(
    /// The assistant. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The content before the first message.
    #[prop(optional, into)]
    empty: ViewFn,
    /// The time after which a running tool, or an agent that sends nothing, is shown as slow, in
    /// milliseconds.
    #[prop(default = 30_000)]
    stuck_after_ms: u32,
    /// The callback for the user's feedback on an answer. Without a callback there are no feedback
    /// buttons.
    #[prop(optional_no_strip, into)]
    on_feedback: Option<Callback<Feedback>>,
    /// Renders a message from its [`MessageCell`](crate::view::MessageCell); by default,
    /// [`MessageView`](super::MessageView) renders the message, with the actions below each turn.
    #[prop(optional, into)]
    message: Option<MessageFn>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "Transcript") else {
        return ().into_any();
    };
    let words = Words::current();
    let list = BlockList::new();
    let scroll = ScrollState::new(list);
    apply_message_changes(&assistant, list, scroll);
    let labels = words.now();
    when_idle(move || labels.load_formatters());
    let unseen_count = count_unseen(list, scroll);
    mount_all_on_search_or_print(list);
    let is_empty = move || list.total.get() == 0;
    let mut transcript = TranscriptContext::new(assistant.clone(), on_feedback);
    transcript.message = message;
    transcript.scroll = Some(scroll);
    let edited_message = transcript.edited_message;
    effect(move |_| {
        // The editor takes the focus, and the browser scrolls to the editor, so the view must not
        // follow the end at the same time.
        if let Some(id) = edited_message.id_opened_by_composer() {
            scroll.hold_toggled_element();
            list.mount_message(&id);
        }
    });
    let announcement = transcript.announcement;
    let jump_words = words.clone();
    let jump_label = move || match unseen_count.get() {
        0 => jump_words.word(LabelName::Jump),
        count => jump_words.count(LabelName::NewMessages, count).into(),
    };
    let render_item = move |item| match item {
        ListItem::Gap => view! { <Spacer place="between" height=list.between /> }.into_any(),
        ListItem::Block((_, id), turn) => {
            let transcript = transcript.clone();
            view! { <TurnView transcript list id turn /> }.into_any()
        }
    };
    let items = each(move || list.items.get(), ListItem::key, render_item);
    // Running activity is shown only while the branch of the activity is shown.
    let activity = assistant.activity();
    let is_on_shown_branch = move || !activity.get().elsewhere;
    let render_activity = move || {
        view! {
            <RunSteps assistant=assistant.clone() />
            <ActivityLine assistant=assistant.clone() stuck_after_ms />
            <QueuedMessages assistant=assistant.clone() />
        }
        .into_any()
    };
    view! {
        <div class="la-transcript">
            <div
                class="la-transcript-scroller"
                role="log"
                aria-live="off"
                aria-label=words.attr(LabelName::Conversation)
                tabindex="0"
                node_ref=scroll.scroller
                on:scroll=move |_| scroll.handle_scroll()
                on:keydown=move |event| turn_focus::handle_key(scroll, &event)
                on:click=move |event| {
                    let target: Option<web_sys::Element> = event
                        .target()
                        .and_then(|target| wasm_bindgen::JsCast::dyn_into(target).ok());
                    if target.is_some_and(|element| closest(&element, TOGGLE_SELECTOR).is_some()) {
                        scroll.hold_toggled_element();
                    }
                }
            >
                <div
                    class="la-transcript-content"
                    node_ref=scroll.content
                    data-all=move || list.all.get().then_some("")
                >
                    {when(is_empty, move || empty.run())}
                    <ShowAllButton list />
                    <Spacer place="above" height=list.above />
                    {items}
                    {when(is_on_shown_branch, render_activity)}
                </div>
            </div>
            <button
                type="button"
                class="la-button la-jump"
                data-size="small"
                hidden=move || scroll.at_end.get() || scroll.held.get()
                on:click=move |event| {
                scroll.jump_to_latest();
                focus::focus_after_removal(&event_target(&event), event.detail() == 0);
            }
            >
                {Icon::ArrowDown.view()}
                <span>{dynamic(jump_label)}</span>
            </button>
            <p class="la-visually-hidden" aria-live="polite" aria-atomic="true">
                {dynamic(move || announcement.get())}
            </p>
        </div>
    }
    .into_any()
}

/// The selector of elements that open and close content in the transcript.
const TOGGLE_SELECTOR: &str = "summary, [aria-expanded]";

/// Applies changes of the messages to the list. Scrolls to the end after a message of the user,
/// after a queued message, and in another conversation. If a question is new while the view is at
/// the end, scrolls to the first question.
fn apply_message_changes(assistant: &Assistant, list: BlockList, scroll: ScrollState) {
    let messages = assistant.messages();
    let apply = move || {
        let at_end = scroll.at_end.get_untracked();
        match messages.with(|messages| list.apply_changes(messages, at_end)) {
            ThreadChange::More => {}
            ThreadChange::UserMessage | ThreadChange::Other => scroll.jump_to_end(),
        }
    };
    // The first call is synchronous, so that the first frame shows the thread.
    untrack(apply.clone());
    effect(move |_| apply());
    let (approvals, handler_questions) = (
        assistant.pending_approvals(),
        assistant.view().asked.clone(),
    );
    let interrupts = assistant.interrupts();
    let inbox_position = use_context::<InboxPosition>();
    let question_assistant = assistant.clone();
    effect(move |old_keys: Option<Vec<String>>| {
        let mut calls = approvals.get();
        handler_questions.with(|list| calls.extend(list.iter().map(|question| question.call)));
        let mut open_keys: Vec<String> = calls.iter().map(|key| format!("{key:?}")).collect();
        // Questions of the agent are in the transcript only while the inbox is in the transcript.
        let interrupt_ids = interrupts.with(|list| {
            let unanswered_interrupts = list.iter().filter(|open| open.answer().is_none());
            unanswered_interrupts
                .map(|open| open.interrupt().id.clone())
                .collect::<Vec<_>>()
        });
        if inbox_position.is_some_and(InboxPosition::is_in_transcript) {
            open_keys.extend(interrupt_ids);
        }
        let old_keys = old_keys.unwrap_or_default();
        if old_keys != open_keys {
            let has_new = open_keys.iter().any(|key| !old_keys.contains(key));
            let first_message_id = calls.first().and_then(|call| {
                let message_id = |conversation: &Conversation| {
                    Some(conversation.message_of_call(call)?.id().clone())
                };
                question_assistant.with_conversation(message_id).flatten()
            });
            scroll.handle_questions_change(
                has_new,
                !open_keys.is_empty(),
                first_message_id.as_ref(),
            );
        }
        open_keys
    });
    let queued = assistant.queued();
    effect(move |old_count: Option<usize>| {
        let count = queued.with(Vec::len);
        if old_count.is_some_and(|old_count| old_count < count) {
            scroll.jump_to_end();
        }
        count
    });
}

/// Returns a signal with the number of messages of the agent since the reader left the end. The
/// number is 0 while the view is at the end.
fn count_unseen(list: BlockList, scroll: ScrollState) -> Memo<usize> {
    let end_on_leaving = Memo::new(move |previous: Option<&Option<ThreadEnd>>| {
        if scroll.at_end.get() {
            return None;
        }
        previous.cloned().flatten().or_else(|| list.thread_end())
    });
    memo(move || {
        list.changes.track();
        end_on_leaving.with(|end| end.as_ref().map_or(0, |end| list.count_messages_since(end)))
    })
}

/// Mounts all messages when the user searches or prints the page, because browsers find and print
/// only mounted content.
fn mount_all_on_search_or_print(list: BlockList) {
    let keydown_listener = window_event_listener(leptos::ev::keydown, move |event| {
        let is_search = (event.ctrl_key() || event.meta_key()) && event.key() == "f";
        if is_search {
            match list.partial.get_untracked() {
                true => list.mount_all(),
                false => draw_all_rows(),
            }
        }
    });
    on_cleanup(move || keydown_listener.remove());
    // All messages are mounted before printing, because the printed page must contain all messages.
    let print_listener = window_event_listener_untyped("beforeprint", move |_| {
        match list.partial.try_get_untracked() {
            Some(true) => list.mount_all(),
            // All messages are mounted, but some rows may wait for later frames, so these rows are
            // rendered now.
            Some(false) => draw_all_rows(),
            None => {}
        }
    });
    on_cleanup(move || print_listener.remove());
}

/// The button that mounts all messages, for users who do not scroll. Renders nothing once all
/// messages are mounted.
#[component]
fn ShowAllButton(list: BlockList) -> impl IntoView {
    let words = Words::current();
    let render_button = move || {
        let (words, button) = (words.clone(), NodeRef::<html::Button>::new());
        let label = move || words.count(LabelName::ShowAll, list.total.get());
        let show_all = move |_| {
            // The focus moves first, because the button is removed once all messages are mounted.
            if let Some(button) = button.get_untracked() {
                focus::pass_focus_to_transcript(&button);
            }
            list.mount_all();
        };
        view! {
            <button
                type="button"
                class="la-button la-show-all"
                data-variant="quiet"
                data-size="small"
                node_ref=button
                on:click=show_all
            >
                <span>{dynamic(label)}</span>
            </button>
        }
        .into_any()
    };
    when(move || list.partial.get(), render_button)
}

/// The empty space that replaces messages that are not mounted.
#[component]
fn Spacer(place: &'static str, height: RwSignal<f64>) -> impl IntoView {
    view! {
        <div
            class="la-room"
            data-room=place
            aria-hidden="true"
            style:block-size=move || format_float(height.get()) + "px"
        ></div>
    }
}
