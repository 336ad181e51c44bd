//! Harbor, the demo of leptos-assistant: a small operations console with a chat next to it.
//!
//! The panels show the effects of the assistant's actions. Each panel registers its own actions
//! (`panels`), and all panels share one state (`state`). The agent is a script in the page
//! (`script`), unless the page's address names a remote agent (`agent`). `demo/README.md` lists the
//! scenes.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

mod agent;
mod app;
mod browser;
mod cards;
mod connect;
mod dialog;
mod gallery;
mod history;
mod page_icons;
mod panels;
mod sample_data;
mod script;
mod state;

fn main() {
    // The hook shows a notice that the page has stopped, because the state is unreliable after a
    // panic.
    std::panic::set_hook(Box::new(|info| {
        leptos::logging::error!("{info}");
        leptos_assistant::chat::show_stopped(&leptos_assistant::Labels::default());
    }));
    leptos_assistant::chat::show_stopped_on_traps(leptos_assistant::Labels::default());
    match browser::parameter("gallery") {
        Some(_) => leptos::mount::mount_to_body(gallery::Gallery),
        None => leptos::mount::mount_to_body(app::App),
    }
}
