//! The actions and the context of the board.

use leptos::{prelude::*, task::tick};
use leptos_assistant::{
    Approval, Json, ToolAction, ToolCallView, ToolContext, ToolError, use_assistant_action,
    use_assistant_context,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::board::{Board, Column};

#[derive(Deserialize)]
struct Add {
    title: String,
}

#[derive(Deserialize)]
struct Move {
    id: u32,
    column: Column,
}

#[derive(Deserialize)]
struct Estimate {
    id: u32,
}

fn missing(id: u32) -> ToolError {
    ToolError::new(format!("There is no card {id}"))
}

/// Registers the actions as long as the board is mounted. It renders nothing.
#[component]
pub fn Actions() -> impl IntoView {
    let board = expect_context::<Board>();

    // Both are read when a run opens, after changes by handlers and clicks.
    use_assistant_context("The board", move || {
        let column = |column: Column| (column.title().to_owned(), json!(board.titles(column)));
        Value::Object(Column::ALL.map(column).into_iter().collect())
    });
    use_assistant_context("The selected card", move || board.selected_title());

    use_assistant_action(
        ToolAction::new("list_cards", "Lists the cards").handler(move || {
            board
                .cards
                .get_untracked()
                .into_iter()
                .map(Json)
                .collect::<Vec<_>>()
        }),
    );

    use_assistant_action(
        ToolAction::new("add_card", "Adds a card to the first column")
            .parameters(json!({
                "type": "object",
                "properties": {"title": {"type": "string", "minLength": 1}},
                "required": ["title"]
            }))
            .handler(move |args: Add| Json(board.add(&args.title, Column::Todo))),
    );

    use_assistant_action(
        ToolAction::new("move_card", "Moves a card to a column")
            .parameters(json!({
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "column": {"enum": ["todo", "doing", "done"]}
                },
                "required": ["id", "column"]
            }))
            .handler(move |args: Move| {
                let moved = board.change(args.id, |card| card.column = args.column);
                moved.ok_or_else(|| missing(args.id))
            }),
    );

    // Offered only while there is something to delete. The handler itself changes this condition,
    // and still completes: `enabled` affects offering, not running calls.
    use_assistant_action(
        ToolAction::new("delete_done", "Deletes the cards that are done")
            .enabled(move || !board.titles(Column::Done).is_empty())
            .handler(move |_: Value, context: ToolContext| async move {
                let count = board.sweep();
                tick().await;
                context.progress(1.0, "Swept");
                format!("{count} deleted")
            })
            .approval(Approval::Always)
            .describe(move |_| {
                format!(
                    "Delete what is done: {}?",
                    board.titles(Column::Done).join(", ")
                )
            }),
    );

    use_assistant_action(
        ToolAction::new("estimate_card", "Asks the person how much work a card is")
            .parameters(json!({
                "type": "object",
                "properties": {"id": {"type": "integer"}},
                "required": ["id"]
            }))
            .handler(move |args: Estimate, context: ToolContext| async move {
                let card = board
                    .change(args.id, |_| ())
                    .ok_or_else(|| missing(args.id))?;
                let question = format!("How many points is “{}”?", card.title);
                let points = context.ask::<u32>(question).await?;
                board.change(args.id, |card| card.points = Some(points));
                Ok::<_, ToolError>(points)
            })
            .render(estimate),
    );
}

/// Renders the card of a call that asks: a form while its handler waits, then the answer.
fn estimate(call: ToolCallView<Estimate>) -> impl IntoView {
    let points = RwSignal::new(String::new());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if let Ok(points) = points.get_untracked().parse::<u32>() {
            call.reply(points);
        }
    };
    let form = move |question: String| {
        view! {
            <form class="estimate" on:submit=submit>
                <label>
                    {question} " "
                    <input type="number" min="0" max="99" required bind:value=points />
                </label>
                <button type="submit">"Answer"</button>
            </form>
        }
    };
    move || match (
        call.result::<u32>(),
        call.error(),
        call.preliminary::<String>(),
    ) {
        (Some(points), ..) => view! { <p>{format!("Estimated: {points} points")}</p> }.into_any(),
        (_, Some(error), _) => view! { <p>{error}</p> }.into_any(),
        (.., Some(question)) => form(question).into_any(),
        _ => view! { <p>"Estimating …"</p> }.into_any(),
    }
}
