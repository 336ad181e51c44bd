//! A shop whose agent refunds orders. `javascript/` is the same page with the npm package, and
//! `e2e/specs/journey.spec.mjs` compares both.
//!
//! `shop` has the orders and the page, `refund` the action. `?agent=URL` names the AG-UI agent.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

mod refund;
mod shop;

use leptos::prelude::*;
use leptos_assistant::{AssistantProvider, ChatWindow, agent::HttpAgent, store::IndexedDbStore};

fn main() {
    mount_to_body(App);
}

#[component]
fn App() -> impl IntoView {
    let url = agent_address().unwrap_or_else(|| "/agent".to_owned());
    view! {
        <AssistantProvider agent=HttpAgent::new(url) store=IndexedDbStore::new("orders")>
            <div class="page">
                <shop::Page />
                <div class="chat">
                    <ChatWindow label="Shop" empty_title="Which order is it about?" />
                </div>
            </div>
        </AssistantProvider>
    }
}

/// Returns the agent in the page's address, for trying it out. A real page has a fixed address, or
/// a link could choose the agent.
fn agent_address() -> Option<String> {
    let search = window().location().search().ok()?;
    let parameters = web_sys::UrlSearchParams::new_with_str(&search).ok()?;
    parameters.get("agent")
}
