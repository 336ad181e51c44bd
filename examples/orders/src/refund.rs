//! The action that pays an order back: its schema, its rules, its texts and its card.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, CallLimits, Description, Phase, Risk, ToolAction, ToolCallView, use_assistant_action,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shop::Shop;

#[derive(Deserialize)]
struct Refund {
    order: String,
    euros: u32,
    account: String,
}

/// The result of a call.
#[derive(Serialize, Deserialize)]
struct Refunded {
    refunded: u32,
    /// The amount of the order that was paid back so far.
    total: u32,
}

/// Registers the action as long as the component is mounted.
pub fn use_refund_action(shop: Shop) {
    use_assistant_action(
        ToolAction::new("refund_order", "Refunds an order, or a part of it")
            .parameters(json!({
                "type": "object",
                "properties": {
                    "order": { "type": "string" },
                    "euros": { "type": "integer", "minimum": 1 },
                    "account": { "type": "string", "description": "The account of the customer" },
                    "reason": { "type": "string" }
                },
                "required": ["order", "euros", "account"],
                "additionalProperties": false
            }))
            .title("Refund an order")
            .title_while_running("Refunding an order")
            .version("2")
            .risk(Risk::Danger)
            .handler(move |refund: Refund| pay_back(shop, &refund))
            // Account numbers are compared without spaces.
            .sanitize(|args| {
                if let Some(Value::String(account)) = args.get_mut("account") {
                    account.retain(|letter| letter != ' ');
                }
            })
            .permission(move |refund| async move {
                let order = shop.find(&refund.order);
                order.map(drop).ok_or_else(|| missing(&refund.order))
            })
            .limits(CallLimits::default().calls(20, 60_000).per_run(3))
            .approval(Approval::when(|refund: &Refund| refund.euros > 10))
            .only_user_approves()
            .remember_for(["account"])
            .remember_uses(5)
            .remember_up_to("/euros", 100)
            .describe(|refund| {
                let sentence = format!("Pay back {} € to {}?", refund.euros, refund.account);
                Description::new(sentence)
                    .row("Order", &refund.order)
                    .row("Euros", refund.euros)
            })
            .preview(move |refund| async move {
                let id = &refund.order;
                let order = shop.find(id).ok_or_else(|| missing(id))?;
                let left = i64::from(order.left()) - i64::from(refund.euros);
                Ok::<_, String>(format!("{left} € of {id} are left afterwards"))
            })
            .denial(|refund, reason| json!({ "kept": refund.order, "reason": reason }))
            .render(card),
    );
}

/// Pays an order back. Fails if the order has less left.
fn pay_back(shop: Shop, refund: &Refund) -> Result<Refunded, String> {
    let id = &refund.order;
    let order = shop.find(id).ok_or_else(|| missing(id))?;
    let left = order.left();
    if refund.euros > left {
        return Err(format!("Only {left} € are left of {id}"));
    }
    let total = order.refunded + refund.euros;
    shop.orders.update(|orders| {
        for order in orders.iter_mut().filter(|order| order.id == id) {
            order.refunded = total;
        }
    });
    let line = format!("{id}: {}", refund.euros);
    shop.refunds.update(|refunds| refunds.push(line));
    Ok(Refunded {
        refunded: refund.euros,
        total,
    })
}

fn missing(id: &str) -> String {
    format!("There is no order {id}")
}

/// Renders a call in one line.
fn card(call: ToolCallView<Refund>) -> impl IntoView {
    let line = move || {
        let args = serde_json::from_value(call.args_value()?);
        let Refund { order, euros, .. } = args.ok()?;
        Some(match (call.phase(), call.error()) {
            (Phase::OutputAvailable, _) => {
                let Refunded { total, .. } = call.result()?;
                format!("Refunded {euros} € of {order}, {total} € in total")
            }
            (Phase::OutputDenied, _) => {
                let reason = call.denial_reason();
                let reason = reason.unwrap_or_else(|| "no reason".to_owned());
                format!("Kept {euros} € of {order}: {reason}")
            }
            (_, Some(error)) => format!("No refund: {error}"),
            _ => format!("Refund of {euros} € of {order}"),
        })
    };
    view! { <p>{line}</p> }
}
