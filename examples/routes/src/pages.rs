//! The two routes, each with actions of its own.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, ChatWindow, ConfirmOptions, ToolAction, ToolContext, use_assistant_action,
};
use serde_json::{Value, json};

use crate::cart::{Add, Cart, PRODUCTS};

#[component]
pub fn Products() -> impl IntoView {
    let cart = expect_context::<Cart>();
    use_assistant_action(
        ToolAction::new("add_to_cart", "Puts a product into the cart")
            .parameters(json!({
                "type": "object",
                "properties": {"product": {"enum": PRODUCTS}},
                "required": ["product"]
            }))
            .handler(move |args: Add| {
                cart.add(&args.product);
                format!("{} is in the cart", args.product)
            }),
    );
    let product = |product: &'static str| {
        let add = move |_| cart.add(product);
        view! {
            <li>
                {product} <button on:click=add aria-label=format!("Add {product}")>"Add"</button>
            </li>
        }
    };
    view! {
        <h1>"Products"</h1>
        <ul class="list">{PRODUCTS.map(product).collect_view()}</ul>
    }
}

#[component]
pub fn CartPage() -> impl IntoView {
    let cart = expect_context::<Cart>();
    use_assistant_action(
        ToolAction::new("empty_cart", "Takes everything out of the cart").handler(
            move |_: Value, context: ToolContext| async move {
                let question = ConfirmOptions::new("Empty the cart?").danger();
                if !context.confirm(question).await {
                    return "The person keeps it".to_owned();
                }
                format!("Taken out: {}", cart.empty().join(", "))
            },
        ),
    );
    use_assistant_action(
        ToolAction::new("check_out", "Buys what is in the cart")
            .handler(move |_: Value| format!("Bought: {}", cart.empty().join(", ")))
            .approval(Approval::Always)
            .describe(move |_| format!("Buy {}?", cart.0.get().join(", "))),
    );
    let products = move || {
        let products = cart.0.get().into_iter();
        products
            .map(|product| view! { <li>{product}</li> })
            .collect_view()
    };
    view! {
        <h1>"Cart"</h1>
        <Show when=move || !cart.is_empty() fallback=|| view! { <p>"There is nothing in it."</p> }>
            <ul class="list">{products}</ul>
        </Show>
        // A second window of the same assistant: the same conversation, and each question once.
        <div class="second">
            <ChatWindow label="Help with your order" />
        </div>
    }
}
