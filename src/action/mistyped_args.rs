//! Tests rules with arguments of the wrong type: approval is required, permission is refused, and
//! no description is shown.

use futures_util::FutureExt;
use leptos::prelude::Owner;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Approval, ToolAction};

#[derive(Deserialize)]
struct Order {
    amount: f64,
}

fn valid_args() -> Value {
    json!({"amount": 5})
}

fn mistyped_args() -> [Value; 5] {
    [
        json!({"amount": "much"}),
        json!({"amounts": 5}),
        json!({}),
        json!(["much"]),
        Value::Null,
    ]
}

/// Returns true if an [`Approval::When`] rule requires approval for the arguments. Panics for any
/// other rule.
fn requires_approval(approval: &Approval, args: Value) -> bool {
    match approval {
        Approval::When(rule) => rule(args).now_or_never().unwrap(),
        other => panic!("{other:?} is no rule"),
    }
}

fn pay_action() -> ToolAction<Order> {
    ToolAction::new("pay", "Pays an order").handler(|order: Order| order.amount)
}

#[test]
fn approval_rules_ask_about_mistyped_arguments() {
    let rules = [
        Approval::when(|order: &Order| order.amount > 100.0),
        Approval::when_async(|order: Order| async move { order.amount > 100.0 }),
    ];
    for rule in &rules {
        assert!(!requires_approval(rule, valid_args()));
        for args in mistyped_args() {
            assert!(requires_approval(rule, args.clone()), "{args}");
        }
    }
}

#[test]
fn a_permission_refuses_mistyped_arguments() {
    Owner::new().with(|| {
        let action = pay_action().permission(|_| async { Ok(()) });
        let permission = action.permission.unwrap();
        let ask_permission = |args| permission(args).now_or_never().unwrap();
        assert_eq!(ask_permission(valid_args()), Ok(()));
        for args in mistyped_args() {
            assert!(ask_permission(args.clone()).is_err(), "{args}");
        }
    });
}

#[test]
fn a_preview_of_mistyped_arguments_fails() {
    Owner::new().with(|| {
        let action = pay_action().preview(|_| async { Ok::<_, String>("Nothing changes") });
        let preview = action.preview.unwrap();
        let compute_preview = |args| preview(args).now_or_never().unwrap();
        assert_eq!(compute_preview(valid_args()), Ok(json!("Nothing changes")));
        for args in mistyped_args() {
            assert!(compute_preview(args.clone()).is_err(), "{args}");
        }
    });
}

#[test]
fn mistyped_arguments_have_no_description_and_no_denial() {
    Owner::new().with(|| {
        let action = pay_action()
            .describe(|order| format!("Pay {}?", order.amount))
            .denial(|order, _| format!("{} is not paid", order.amount));
        let describe = action.renderers.words.describe.unwrap();
        let denial = action.denial.unwrap();
        assert!(describe(&valid_args()).is_some());
        assert_eq!(denial(&valid_args(), None), Some(json!("5 is not paid")));
        for args in mistyped_args() {
            assert!(describe(&args).is_none(), "{args}");
            assert_eq!(denial(&args, None), None, "{args}");
        }
    });
}
