//! Renders the gallery (`?gallery=1`) for review, screenshots and visual tests. The gallery shows
//! every state of every card and notice, each in its own window.

mod cards;
mod notices;
mod questions;

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider,
    agent::{Script, ScriptedAgent},
    chat::{ChatRoot, ConfirmDialogs, Notices, Transcript},
    event::RunInput,
    tool::InterruptInbox,
    use_assistant,
};

/// A state in the gallery, with its title, the agent's answer, and a function that registers the
/// actions.
struct GalleryState {
    title: &'static str,
    answer: fn(&RunInput) -> Script,
    actions: fn(),
    /// True if the run is stopped shortly after it starts.
    stopped: bool,
}

impl GalleryState {
    const fn new(title: &'static str, answer: fn(&RunInput) -> Script, actions: fn()) -> Self {
        Self {
            title,
            answer,
            actions,
            stopped: false,
        }
    }

    const fn stopped_early(mut self) -> Self {
        self.stopped = true;
        self
    }
}

#[component]
pub(crate) fn Gallery() -> impl IntoView {
    let group = |title, states: &'static [GalleryState]| {
        let states = states.iter().map(state_window).collect_view();
        view! {
            <section class="gallery-group" aria-label=title>
                <h2 class="demo-title">{title}</h2>
                <div class="gallery">{states}</div>
            </section>
        }
    };
    view! {
        <main class="gallery-page">
            <h1 class="demo-brand-name">{"Every card and notice"}</h1>
            {group("Calls", cards::STATES)}
            {group("Questions", questions::STATES)}
            {group("Notices", notices::STATES)}
        </main>
    }
}

fn state_window(state: &'static GalleryState) -> impl IntoView {
    view! {
        <div class="gallery-state" data-state=state.title>
            <h3 class="gallery-title">{state.title}</h3>
            <div class="gallery-window">
                <AssistantProvider agent=ScriptedAgent::new(state.answer)>
                    <GalleryRun state />
                    <ChatRoot label=state.title>
                        <Transcript />
                        <InterruptInbox />
                        <Notices />
                        <ConfirmDialogs />
                    </ChatRoot>
                </AssistantProvider>
            </div>
        </div>
    }
}

/// Registers the actions of a state and sends the message that starts the run. If `stopped` is true
/// for the state, stops the run after 300 ms.
#[component]
fn GalleryRun(state: &'static GalleryState) -> impl IntoView {
    (state.actions)();
    let Some(assistant) = use_assistant() else {
        return;
    };
    // The result is ignored, because the window shows the reason if sending is refused.
    let _ = assistant.send("Go");
    if state.stopped {
        set_timeout(
            move || {
                let _ = assistant.stop();
            },
            std::time::Duration::from_millis(300),
        );
    }
}

/// Returns the script or, if the input contains results since the user's last message, a script
/// with a final text.
fn script_unless_answered(input: &RunInput, script: impl FnOnce() -> Script) -> Script {
    match leptos_assistant::agent::results_since_user(input).is_empty() {
        true => script(),
        false => Script::new().text("That was it."),
    }
}
