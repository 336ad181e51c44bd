//! Renders the panel with all branches of the conversation.

use leptos::prelude::*;
use leptos_assistant::chat::TreeView;

use crate::browser::parameter;

/// The panel with all branches of the conversation. The panel is initially open if the page's
/// address has the parameter `tree`.
#[component]
pub(crate) fn Branches() -> impl IntoView {
    let is_open = RwSignal::new(parameter("tree").is_some());
    let label = move || if is_open.get() { "Close" } else { "Open" };
    let accessible_name = move || {
        if is_open.get() {
            "Close branches"
        } else {
            "Open branches"
        }
    };
    view! {
        <section class="demo-panel demo-branches" aria-labelledby="branches-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="branches-title">
                    {"Branches"}
                </h3>
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    data-size="small"
                    aria-label=accessible_name
                    aria-expanded=move || is_open.get().to_string()
                    on:click=move |_| is_open.update(|value| *value = !*value)
                >
                    {label}
                </button>
            </div>
            <Show
                when=move || is_open.get()
                fallback=|| {
                    view! {
                        <p class="demo-empty">{"The conversation with all its versions."}</p>
                    }
                }
            >
                <TreeView />
            </Show>
        </section>
    }
}
