//! Harbor, the demo of leptos-assistant: a small operations console with a chat next to it.
//!
//! The effects of the assistant's actions are visible: every action changes a panel. Each panel
//! registers its actions (`panels`), all panels share one state (`state`), and the agent is a
//! script in the page (`script`) unless the address names another agent (`agent`). `demo/README.md`
//! lists the scenes.

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
    // After a panic the state is not reliable, so the page says that it has stopped.
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
