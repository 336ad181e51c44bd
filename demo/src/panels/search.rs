//! Renders the search panel, and defines the action `web_search`, which is registered while the
//! panel is open.

use leptos::prelude::*;
use leptos_assistant::{
    Icon, Status, ToolAction, ToolCallView, ToolContext, ToolError, use_assistant_action,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    browser::{focus_in_next_frame, sleep},
    cards::{LineIcon, line, reason},
    sample_data,
    state::{ASSISTANT, Harbor, Page, Search},
};

/// The number of steps of a search. The progress is reported before each step.
const STEP_COUNT: i32 = 4;
/// The duration of a step of a search, in milliseconds.
const STEP_MS: i32 = 150;
/// The duration of a step for queries that contain "slow", in milliseconds. It is long enough for
/// the user to stop the search.
const SLOW_STEP_MS: i32 = 8_000;

/// The search panel, or a placeholder while the panel is closed.
#[component]
pub(crate) fn SearchSection(harbor: Harbor) -> impl IntoView {
    view! {
        <Show
            when=move || harbor.search_open.get()
            fallback=move || view! { <ClosedPanel harbor /> }
        >
            <SearchPanel harbor />
        </Show>
    }
}

#[component]
fn ClosedPanel(harbor: Harbor) -> impl IntoView {
    let open = move |_| {
        harbor.search_open.set(true);
        focus_in_next_frame("#search-close");
    };
    view! {
        <section class="demo-panel" aria-labelledby="search-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="search-title">{"Search"}</h3>
                <button
                    type="button"
                    class="la-button"
                    data-size="small"
                    id="search-open"
                    on:click=open
                >
                    <span>{"Open search"}</span>
                </button>
            </div>
            <p class="demo-empty">{"Closed. The assistant cannot search either."}</p>
        </section>
    }
}

#[component]
fn SearchPanel(harbor: Harbor) -> impl IntoView {
    use_assistant_action(web_search(harbor));
    let close = move |_| {
        harbor.search_open.set(false);
        focus_in_next_frame("#search-open");
    };
    let note = move || {
        harbor.search.with(|search| {
            let search = search.as_ref()?;
            let pages = search.result.as_ref().ok()?;
            Some(format!(
                "{} for “{}”",
                result_count_text(pages.len()),
                search.query
            ))
        })
    };
    let body = move || {
        harbor.search.with(|search| match search {
            None => empty_note("Nothing was searched for yet."),
            Some(Search {
                result: Err(message),
                query,
            }) => empty_note(&format!("“{query}” was not searched for: {message}.")),
            Some(Search {
                result: Ok(pages), ..
            }) if pages.is_empty() => empty_note("Nothing was found."),
            Some(Search {
                result: Ok(pages), ..
            }) => result_list(harbor, pages),
        })
    };
    view! {
        <section class="demo-panel" aria-labelledby="search-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="search-title">{"Search"}</h3>
                <p class="demo-panel-note">{note}</p>
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    data-size="small"
                    id="search-close"
                    aria-label="Close search"
                    on:click=close
                >
                    <span>{"Close"}</span>
                </button>
            </div>
            {body}
        </section>
    }
}

fn empty_note(text: &str) -> AnyView {
    view! { <p class="demo-empty">{text.to_owned()}</p> }.into_any()
}

fn result_list(harbor: Harbor, pages: &[Page]) -> AnyView {
    let rows = pages.iter().cloned().map(|page| {
        view! {
            <li class="demo-result" data-changed=move || harbor.changed_attribute("search")>
                <p class="demo-row-name">{page.title}</p>
                <p class="demo-result-source">{page.source}</p>
                <p class="demo-row-text">{page.snippet}</p>
            </li>
        }
    });
    view! { <ul class="demo-rows">{rows.collect_view()}</ul> }.into_any()
}

fn result_count_text(results: usize) -> String {
    match results {
        1 => "1 result".to_owned(),
        count => format!("{count} results"),
    }
}

#[derive(Clone, Deserialize)]
struct SearchArgs {
    query: String,
}

fn web_search(harbor: Harbor) -> ToolAction<SearchArgs> {
    ToolAction::new("web_search", "Search the web for information")
        .parameters(json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "The search query"}
            },
            "required": ["query"]
        }))
        .handler(move |args: SearchArgs, ctx| search(harbor, args.query, ctx))
        .idempotent()
        .render(search_card)
}

async fn search(harbor: Harbor, query: String, ctx: ToolContext) -> Result<Vec<Page>, ToolError> {
    let lowercase_query = query.to_lowercase();
    let step_ms = if lowercase_query.contains("slow") {
        SLOW_STEP_MS
    } else {
        STEP_MS
    };
    for step in 0..STEP_COUNT {
        ctx.progress(f64::from(step) / f64::from(STEP_COUNT), "");
        sleep(step_ms).await;
    }
    let pages = if lowercase_query.contains("fail") {
        Err("the search index is being rebuilt".to_owned())
    } else {
        Ok(sample_data::find_pages(&lowercase_query))
    };
    let result = pages.clone().map_err(|message| {
        ToolError::new(message)
            .error_type("unavailable")
            .suggestion("Try again later")
    });
    let verb = if pages.is_ok() {
        "Searched for"
    } else {
        "Could not search for"
    };
    harbor.add_entry(format!("{verb} “{query}”"), ASSISTANT);
    harbor.search.set(Some(Search {
        query,
        result: pages,
    }));
    harbor.mark("search");
    result
}

fn search_card(call: ToolCallView<SearchArgs>) -> impl IntoView {
    move || {
        let query = call.args().map(|args| args.query).unwrap_or_default();
        match call.status() {
            Status::Pending => line(LineIcon::Busy, "Preparing to search…"),
            Status::Executing => line(LineIcon::Busy, format!("Searching for \"{query}\"…")),
            Status::Complete => {
                let count = call.result::<Vec<Value>>().map_or(0, |list| list.len());
                let text = format!("Found {} for \"{query}\"", result_count_text(count));
                line(LineIcon::Icon(Icon::Check), text)
            }
            Status::Failed => {
                let text = format!("Search failed: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Alert), text)
            }
        }
    }
}
