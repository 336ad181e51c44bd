//! The list of stored conversations in the bar.

use leptos::{html, prelude::*};
use leptos_assistant::{Icon, chat::PastConversations};

/// The list of stored conversations, with the button that opens it.
#[component]
pub(crate) fn Past() -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let close = move |()| {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    view! {
        <details class="demo-past" node_ref=details>
            <summary class="la-button" data-variant="quiet">
                {Icon::Clock.view()}
                <span class="demo-agent-name">{"Conversations"}</span>
            </summary>
            <div class="demo-past-list">
                <PastConversations on_open=close />
            </div>
        </details>
    }
}
