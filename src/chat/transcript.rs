//! The list of messages.

use leptos::prelude::*;

use super::{Icon, Labels, MessageView, scroll::StickToEnd, spinner};
use crate::{assistant::Assistant, part::RunSteps, runtime::after, view::MessageCell};
use assistant_core::event::Role;

/// The messages of a chat, oldest first, following the newest while the end is in view.
///
/// # Accessibility
///
/// The list is a `log` that can be scrolled by keyboard; a message that is still being written is
/// busy and is announced once, when it is complete.
#[component]
pub fn Transcript(
    /// Whose conversation.
    assistant: Assistant,
    /// What stands there before the first message.
    #[prop(optional, into)]
    empty: ViewFn,
    /// After how many milliseconds a running tool gets a word that it takes long.
    #[prop(default = 30_000)]
    stuck_after_ms: u32,
) -> impl IntoView {
    let labels = Labels::current();
    let stick = StickToEnd::new();
    let messages = assistant.messages();
    let shown = {
        let messages = messages.clone();
        move || {
            messages.with(|list| {
                list.iter()
                    .filter(|m| is_shown(m))
                    .cloned()
                    .collect::<Vec<_>>()
            })
        }
    };
    let nothing = {
        let messages = messages.clone();
        Memo::new(move |_| messages.with(|list| !list.iter().any(is_shown)))
    };
    jump_when_person_speaks(&assistant, stick);
    let list_assistant = assistant.clone();
    let log = labels.conversation.clone();
    let jump = labels.jump.clone();
    view! {
        <div class="la-transcript">
            <div
                class="la-transcript-scroller"
                role="log"
                aria-label=log
                tabindex="0"
                node_ref=stick.scroller
                on:scroll=move |_| stick.scrolled()
            >
                <div class="la-transcript-content" node_ref=stick.content>
                    <Show when=move || nothing.get()>{empty.run()}</Show>
                    <For
                        each=shown
                        key=|message| message.id.clone()
                        children=move |message| {
                            view! { <MessageView assistant=list_assistant.clone() message /> }
                        }
                    />
                    <RunSteps assistant=assistant.clone() />
                    <Working assistant=assistant.clone() stuck_after_ms />
                </div>
            </div>
            <button
                type="button"
                class="la-button la-jump"
                data-size="small"
                hidden=move || stick.at_end.get()
                on:click=move |_| stick.jump()
            >
                {Icon::ArrowDown.view()}
                <span>{jump}</span>
            </button>
        </div>
    }
}

fn is_shown(message: &MessageCell) -> bool {
    !matches!(message.role, Role::System | Role::Developer)
}

/// Whoever has just said something wants to see the answer.
fn jump_when_person_speaks(assistant: &Assistant, stick: StickToEnd) {
    let messages = assistant.messages();
    Effect::new(move |known: Option<usize>| {
        let count = messages.with(|list| list.iter().filter(|m| m.role == Role::User).count());
        if known.is_some_and(|known| count > known) {
            stick.jump();
        }
        count
    });
}

/// Says what goes on while nothing else shows it: which tool runs, or that the agent thinks. A
/// tool that runs for long gets a word about it (row S1-3).
#[component]
fn Working(assistant: Assistant, stuck_after_ms: u32) -> impl IntoView {
    let labels = Labels::current();
    let (activity, running) = (assistant.activity(), assistant.running_tools());
    let stuck = watch_for_stuck(running.clone(), stuck_after_ms);
    let messages = assistant.messages();
    let hint = labels.stuck.clone();
    let line = Memo::new(move |_| {
        let tools = running.get();
        if !tools.is_empty() {
            return Some(format!("{} {}…", labels.running, tools.join(", ")));
        }
        let writes = messages.with(|list| {
            list.last()
                .is_some_and(|m| m.streaming.get() && !m.empty.get())
        });
        (activity.get().streaming && !writes).then(|| labels.thinking.to_string())
    });
    view! {
        <Show when=move || line.with(Option::is_some)>
            <p class="la-working">
                {spinner()}
                <span>
                    {move || line.get()} {" "} {
                        let hint = hint.clone();
                        move || stuck.get().then(|| hint.clone())
                    }
                </span>
            </p>
        </Show>
    }
}

/// True once the same tools have been running for that long.
fn watch_for_stuck(running: ArcReadSignal<Vec<String>>, after_ms: u32) -> RwSignal<bool> {
    let stuck = RwSignal::new(false);
    let round = RwSignal::new(0_u32);
    Effect::new(move |_| {
        let idle = running.with(Vec::is_empty);
        stuck.set(false);
        round.update(|count| *count = count.wrapping_add(1));
        let this = round.get_untracked();
        if !idle {
            after(after_ms, move || {
                if round.try_get_untracked() == Some(this) {
                    stuck.set(true);
                }
            });
        }
    });
    stuck
}
