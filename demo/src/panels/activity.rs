//! Renders the activity panel, and defines the actions that change no other panel: `confirmAction`;
//! `api_request`, which only renders calls that an agent runs itself; and `draw_chart`, whose card
//! fails on purpose.

use std::fmt;

use leptos::prelude::*;
use leptos_assistant::{
    ConfirmOptions, Icon, Status, ToolAction, ToolCallView, ToolContext, ToolError,
    use_assistant_action,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    cards::{LineIcon, card, line, progress_bar, reason, toned_line},
    state::{Harbor, PageSide, USER},
};

#[component]
pub(crate) fn Activity(harbor: Harbor) -> impl IntoView {
    use_assistant_action(confirm_action(harbor));
    use_assistant_action(api_request());
    use_assistant_action(draw_chart());
    view! {
        <section class="demo-panel" aria-labelledby="activity-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="activity-title">{"Activity"}</h3>
            </div>
            <ol class="demo-feed">
                <For
                    each=move || harbor.feed.get()
                    key=|entry| entry.id
                    children=move |entry| {
                        let key = format!("feed {}", entry.id);
                        view! {
                            <li class="demo-feed-item" data-changed=move || harbor.changed_attribute(&key)>
                                <time class="demo-feed-time">{entry.time}</time>
                                <div>
                                    <p class="demo-feed-text">{entry.text}</p>
                                    <p class="demo-feed-who">{entry.author}</p>
                                </div>
                            </li>
                        }
                    }
                />
            </ol>
        </section>
    }
}

#[derive(Clone, Deserialize)]
struct ConfirmArgs {
    action: String,
    importance: Option<String>,
}

fn confirm_action(harbor: Harbor) -> ToolAction<ConfirmArgs> {
    ToolAction::new(
        "confirmAction",
        "Ask the user to confirm an action before proceeding",
    )
    .parameters(json!({
        "type": "object",
        "properties": {
            "action": {
                "type": "string",
                "description": "The action that needs confirmation"
            },
            "importance": {
                "type": "string",
                "enum": ["low", "medium", "high", "critical"],
                "description": "The importance level of the action"
            }
        },
        "required": ["action"]
    }))
    .handler(move |args: ConfirmArgs, ctx| confirm(harbor, args, ctx))
    .render(confirm_card)
}

async fn confirm(
    harbor: Harbor,
    args: ConfirmArgs,
    ctx: ToolContext,
) -> Result<&'static str, ToolError> {
    let importance = args.importance.unwrap_or_else(|| "medium".to_owned());
    // The assistant's side is shown first, because the dialog is in the chat, which narrow screens
    // may hide.
    harbor.view.set(PageSide::Assistant);
    let mut question = ConfirmOptions::new(format!("Do you want to {}?", args.action)).text(
        format!("The assistant asks before it continues. Importance: {importance}."),
    );
    if matches!(importance.as_str(), "high" | "critical") {
        question = question.danger();
    }
    let answer = if ctx.confirm(question).await {
        "approved"
    } else {
        "rejected"
    };
    harbor.add_entry(format!("You {answer}: {}", args.action), USER);
    Ok(answer)
}

fn confirm_card(call: ToolCallView<ConfirmArgs>) -> impl IntoView {
    move || {
        let action = call
            .args()
            .map_or_else(|| "something".to_owned(), |args| args.action);
        match call.status() {
            Status::Pending => line(LineIcon::Busy, "Preparing a question…"),
            Status::Executing => toned_line(
                "warning",
                Icon::Alert,
                format!("Waiting for your decision on: {action}…"),
            ),
            Status::Complete if call.result::<String>().as_deref() == Some("approved") => line(
                LineIcon::Icon(Icon::Check),
                format!("You approved: {action}"),
            ),
            Status::Complete => toned_line("neutral", Icon::X, format!("You rejected: {action}")),
            Status::Failed => {
                let text = format!("Nothing was confirmed: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Ban), text)
            }
        }
    }
}

#[derive(Clone, Deserialize)]
struct RequestArgs {
    endpoint: String,
}

fn api_request() -> ToolAction<RequestArgs> {
    ToolAction::new("api_request", "Making API request")
        .render_only()
        .args::<RequestArgs>()
        .render(request_card)
}

fn request_card(call: ToolCallView<RequestArgs>) -> impl IntoView {
    move || {
        let endpoint = call
            .args()
            .map_or_else(|| "the service".to_owned(), |args| args.endpoint);
        match call.status() {
            Status::Pending => line(LineIcon::Busy, "Preparing a request…"),
            Status::Executing => {
                let label = format!("Calling {endpoint}…");
                card(view! {
                    <div class="la-progress-row"><span>{label.clone()}</span></div>
                    {progress_bar(label, None)}
                })
            }
            Status::Complete => line(
                LineIcon::Icon(Icon::Check),
                format!("Successfully called {endpoint}"),
            ),
            Status::Failed => {
                let text = format!("{endpoint} was not called: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Alert), text)
            }
        }
    }
}

/// The error of a chart that cannot be drawn.
#[derive(Debug)]
struct ChartError;

impl fmt::Display for ChartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("This page draws no charts")
    }
}

impl std::error::Error for ChartError {}

/// Returns the action `draw_chart`. The action's card always fails, to demonstrate the fallback for
/// such a card.
fn draw_chart() -> ToolAction<ChartArgs> {
    ToolAction::new("draw_chart", "Draw a chart of some values")
        .parameters(json!({
            "type": "object",
            "properties": {"values": {"type": "array", "items": {"type": "number"}}}
        }))
        .handler(|args: ChartArgs| async move { Ok::<_, ToolError>(args.values.len()) })
        .render(|_: ToolCallView<ChartArgs>| Err::<AnyView, ChartError>(ChartError))
}

#[derive(Clone, Deserialize)]
struct ChartArgs {
    #[serde(default)]
    values: Vec<f64>,
}
