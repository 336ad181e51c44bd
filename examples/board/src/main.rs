//! A board of cards that a user and an assistant work on together.
//!
//! The cards are signals (`board`). Five actions change them (`actions`), the columns show them
//! (`columns`), and the agent is a script in the page (`script`), so that the example needs no
//! model.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

mod actions;
mod board;
mod columns;
mod script;

use leptos::prelude::*;
use leptos_assistant::{AssistantProvider, ChatWindow, Suggestion};

fn main() {
    mount_to_body(App);
}

#[component]
fn App() -> impl IntoView {
    provide_context(board::Board::sample());
    let suggestions = ["List", "Add Write the guide", "Estimate 2", "Sweep"].map(Suggestion::new);
    view! {
        <AssistantProvider agent=script::agent()>
            <actions::Actions />
            <div class="layout">
                <main>
                    <h1>"Board"</h1>
                    <columns::Columns />
                </main>
                <aside>
                    <ChatWindow
                        label="Board assistant"
                        empty_title="What should happen on the board?"
                        suggestions=suggestions.to_vec()
                    />
                </aside>
            </div>
        </AssistantProvider>
    }
}
