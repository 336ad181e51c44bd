//! Every state of every card and notice, each in a window of its own (`?gallery=1`): to look at, and
//! what the pictures and the checks of the looks are made from.

mod cards;
mod notices;
mod questions;

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider,
    agent::{Script, ScriptedAgent},
    chat::{ChatRoot, ConfirmDialogs, Notices, Transcript},
    engine::event::RunInput,
    tool::InterruptInbox,
    use_assistant,
};

/// One state: what it is called, what the agent does, and what the page offers.
struct State {
    title: &'static str,
    answer: fn(&RunInput) -> Script,
    actions: fn(),
    /// True if it is stopped as soon as it shows something.
    stopped: bool,
}

impl State {
    const fn new(title: &'static str, answer: fn(&RunInput) -> Script, actions: fn()) -> Self {
        Self {
            title,
            answer,
            actions,
            stopped: false,
        }
    }

    const fn stopped(mut self) -> Self {
        self.stopped = true;
        self
    }
}

/// The page.
#[component]
pub(crate) fn Gallery() -> impl IntoView {
    let group = |title, states: &'static [State]| {
        let states = states.iter().map(window).collect_view();
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

fn window(state: &'static State) -> impl IntoView {
    view! {
        <div class="gallery-state" data-state=state.title>
            <h3 class="gallery-title">{state.title}</h3>
            <div class="gallery-window">
                <AssistantProvider agent=ScriptedAgent::new(state.answer)>
                    <Begin state />
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

/// Offers the actions and sets the state off.
#[component]
fn Begin(state: &'static State) -> impl IntoView {
    (state.actions)();
    let Some(assistant) = use_assistant() else {
        return;
    };
    // A window in which nothing can be sent shows why.
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

/// What the agent says once results are there.
fn once(input: &RunInput, script: impl FnOnce() -> Script) -> Script {
    match leptos_assistant::agent::results_since_user(input).is_empty() {
        true => script(),
        false => Script::new().text("That was it."),
    }
}
