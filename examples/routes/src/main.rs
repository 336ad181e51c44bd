//! A shop with two routes, each with its own actions, and two windows of one assistant.
//!
//! The layout (here) stays while routes change: it has the assistant, the global actions, and the
//! renderers of calls. `pages` has the routes, `cart` their shared state, `script` the agent, which
//! runs in the page.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

mod cart;
mod pages;
mod script;

use leptos::prelude::*;
use leptos_assistant::{
    AssistantProvider, ChatWindow, Suggestion, ToolAction, ToolCallView, ToolContext, ToolError,
    use_assistant_action, use_assistant_context, use_tool_renderer,
};
use leptos_router::{
    components::{A, Route, Router, Routes},
    hooks::{use_location, use_navigate},
    path,
};
use serde_json::Value;

use cart::{Add, Cart};

fn main() {
    mount_to_body(App);
}

#[component]
fn App() -> impl IntoView {
    provide_context(Cart::default());
    let suggestions = ["Add lantern", "Cart", "Empty", "Buy"].map(Suggestion::new);
    view! {
        <Router>
            <AssistantProvider agent=script::agent()>
                <Everywhere />
                <div class="layout">
                    <main>
                        <nav aria-label="Pages">
                            <A href="/">"Products"</A>
                            <A href="/cart">"Cart"</A>
                        </nav>
                        <Routes fallback=|| view! { <p>"There is no such page."</p> }>
                            <Route path=path!("/") view=pages::Products />
                            <Route path=path!("/cart") view=pages::CartPage />
                        </Routes>
                    </main>
                    <aside>
                        <ChatWindow
                            label="Shop assistant"
                            empty_title="What do you need on board?"
                            suggestions=suggestions.to_vec()
                        />
                    </aside>
                </div>
            </AssistantProvider>
        </Router>
    }
}

/// The context, actions and renderers of every route. It renders nothing.
#[component]
fn Everywhere() -> impl IntoView {
    let cart = expect_context::<Cart>();
    let location = use_location();
    use_assistant_context("The page", move || location.pathname.get());
    use_assistant_context("The cart", move || cart.0.get());

    let navigate = use_navigate();
    use_assistant_action(
        ToolAction::new("open_cart", "Opens the page of the cart").handler(
            move |_: Value, context: ToolContext| {
                navigate("/cart", Default::default());
                // The answer is sent once the new page has registered its actions, so that the
                // agent is offered them.
                async move {
                    context.until_registered("check_out").await?;
                    Ok::<_, ToolError>("The cart is open")
                }
            },
        ),
    );

    // An action and its own renderer are removed with their route. A renderer of the layout stays,
    // and with it the look of earlier calls.
    use_tool_renderer("add_to_cart", |call: ToolCallView<Add>| {
        let product = move || call.args().map(|args| args.product).unwrap_or_default();
        let state = move || {
            call.error()
                .unwrap_or_else(|| call.status().as_str().to_owned())
        };
        view! { <p class="added">"For the cart: " {product} " (" {state} ")"</p> }
    });
}
