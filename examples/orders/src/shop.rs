//! The orders, and the page that shows them, the state shared with the agent, and the audit.

use leptos::prelude::*;
use leptos_assistant::{
    Assistant, AuditSink, session::AuditEntry, use_assistant, use_assistant_context,
};
use serde::Serialize;
use serde_json::json;

use crate::refund::use_refund_action;

/// An order, with the amount that was paid back.
#[derive(Debug, Clone, Serialize)]
pub struct Order {
    #[serde(rename = "order")]
    pub id: &'static str,
    pub euros: u32,
    pub refunded: u32,
}

impl Order {
    const fn new(id: &'static str, euros: u32) -> Self {
        Self {
            id,
            euros,
            refunded: 0,
        }
    }

    /// Returns the amount that can be paid back.
    pub const fn left(&self) -> u32 {
        self.euros - self.refunded
    }
}

/// The orders and the refunds, which the handler of the action changes.
#[derive(Clone, Copy)]
pub struct Shop {
    pub orders: RwSignal<Vec<Order>>,
    /// Each refund as a line of text.
    pub refunds: RwSignal<Vec<String>>,
}

impl Shop {
    fn new() -> Self {
        Self {
            orders: RwSignal::new(vec![
                Order::new("A-17", 40),
                Order::new("B-4", 120),
                Order::new("C-1", 5),
                Order::new("D-9", 400),
            ]),
            refunds: RwSignal::default(),
        }
    }

    /// Returns a copy of an order.
    pub fn find(self, id: &str) -> Option<Order> {
        let find = |orders: &Vec<Order>| orders.iter().find(|order| order.id == id).cloned();
        self.orders.with_untracked(find)
    }
}

/// Renders the orders, the budget, the refunds and the audit, and registers what the assistant may do.
#[component]
pub fn Page() -> impl IntoView {
    let assistant = use_assistant()?;
    let shop = Shop::new();
    let selected = RwSignal::new("A-17");
    use_assistant_context("The selected order", selected);
    use_assistant_context("The orders", shop.orders);
    use_refund_action(shop);
    let audit = start_audit(&assistant);

    let state = assistant.state();
    let budget = move || match state.get().get("budget") {
        Some(budget) => budget.to_string(),
        None => "none".to_owned(),
    };
    let raise = move |_| assistant.set_state(json!({ "budget": 500 }));
    let orders = shop.orders.get_untracked().into_iter().map(|order| {
        let pressed = move || (selected.get() == order.id).to_string();
        let select = move |_| selected.set(order.id);
        view! {
            <li>
                <button type="button" aria-pressed=pressed on:click=select>
                    {order.id}
                </button>
            </li>
        }
    });
    Some(view! {
        <main>
            <h1>"Orders"</h1>
            <ul>{orders.collect_view()}</ul>
            <p>
                "Budget: " <output>{budget}</output> " "
                <button type="button" on:click=raise>"Set to 500"</button>
            </p>
            <h2>"Refunds"</h2>
            <ol aria-label="Refunds">{lines(shop.refunds)}</ol>
            <h2>"Audit"</h2>
            <ol aria-label="Audit">{lines(audit)}</ol>
        </main>
    })
}

/// Renders texts as list items.
fn lines(texts: RwSignal<Vec<String>>) -> impl IntoView {
    let entries = move || texts.get().into_iter().enumerate();
    view! {
        <For each=entries key=|(index, _)| *index let:entry>
            <li>{entry.1}</li>
        </For>
    }
}

/// Writes audit records to a list of the page.
struct AuditList(RwSignal<Vec<String>>);

impl AuditSink for AuditList {
    fn write(&self, entry: &AuditEntry) -> Result<(), String> {
        let line = entry.to_value().to_string();
        self.0.update(|lines| lines.push(line));
        Ok(())
    }
}

/// Starts the audit, without account numbers. Returns the records as JSON texts.
fn start_audit(assistant: &Assistant) -> RwSignal<Vec<String>> {
    let lines = RwSignal::default();
    let log = assistant.start_audit(|entry| {
        let args = entry.args_mut();
        if !args.is_object() {
            // The text of arguments that are not JSON.
            *args = json!("…");
        } else if let Some(account) = args.get_mut("account") {
            *account = json!("…");
        }
    });
    // The sink is connected for the life of the assistant.
    log.write_to(AuditList(lines)).forget();
    lines
}
