//! The columns, as shown to the user.

use leptos::prelude::*;
use leptos_assistant::use_assistant;

use crate::board::{Board, Card, Column};

#[component]
pub fn Columns() -> impl IntoView {
    view! { <div class="columns">{Column::ALL.map(column).collect_view()}</div> }
}

fn column(column: Column) -> impl IntoView {
    let board = expect_context::<Board>();
    let cards = move || {
        let cards = board.cards.get().into_iter();
        cards
            .filter(|card| card.column == column)
            .collect::<Vec<_>>()
    };
    view! {
        <section class="column" aria-label=column.title()>
            <h2>{column.title()} " " <span class="count">{move || cards().len()}</span></h2>
            <For each=cards key=|card| (card.id, card.points) children=move |card| view(board, card) />
        </section>
    }
}

fn view(board: Board, card: Card) -> impl IntoView {
    let assistant = use_assistant();
    let id = card.id;
    // The selection is sent to the agent with the run that this opens.
    let ask = move |_| {
        board.selected.set(Some(id));
        if let Some(assistant) = &assistant {
            // Refused only while something runs; then the user repeats it.
            let _ = assistant.send("What is this card?");
        }
    };
    let next = match card.column {
        Column::Todo => Some(Column::Doing),
        Column::Doing => Some(Column::Done),
        Column::Done => None,
    };
    let advance = next.map(|next| {
        let advance = move |_| drop(board.change(id, |card| card.column = next));
        view! { <button on:click=advance>{format!("→ {}", next.title())}</button> }
    });
    let points = card
        .points
        .map(|points| view! { <span class="points">{points} " points"</span> });
    let selected = move || board.selected.get() == Some(id);
    view! {
        <article class="card" aria-current=move || selected().then_some("true")>
            <p>
                <span class="number">"#" {id}</span>
                " "
                {card.title}
                " "
                {points}
            </p>
            <div class="buttons">
                <button on:click=ask>"Ask"</button>
                {advance}
            </div>
        </article>
    }
}
