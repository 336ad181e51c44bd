//! The pages, with the chat next to them.
//!
//! The server renders all of it except for the content of the chat window: components run there as
//! well, and their registrations are inert. The browser renders the same, and then the chat.

use leptos::{prelude::*, server_fn::ServerFnError};
use leptos_assistant::{
    Approval, AssistantProvider, ChatWindow, Json, Suggestion, ToolAction, ToolCallView,
    ToolContext, ToolError, use_assistant_action, use_assistant_context, use_tool_renderer,
};
use leptos_router::{
    SsrMode,
    components::{A, Route, Router, Routes},
    hooks::{use_location, use_navigate},
    path,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    books::{Book, find_books, lend, take_back},
    librarian::librarian,
};

/// Renders the document around the application.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>"Library"</title>
                <link rel="icon" href="data:," />
                <link rel="stylesheet" href="/chat.css" />
                <link rel="stylesheet" href="/app.css" />
                <HydrationScripts options />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// Counts the changes of the shelf, so that pages read it again.
#[derive(Clone, Copy)]
struct Changes(RwSignal<u32>);

impl Changes {
    fn one_more(self) {
        self.0.update(|count| *count += 1);
    }
}

/// All pages share one assistant, and the chat stays while they change.
#[component]
pub fn App() -> impl IntoView {
    provide_context(Changes(RwSignal::new(0)));
    let suggestions = ["Find rust", "Lend 1", "Loans"].map(Suggestion::new);
    view! {
        <Router>
            <AssistantProvider agent=librarian()>
                <Desk />
                <div class="layout">
                    <main>
                        <nav aria-label="Pages">
                            <A href="/">"Books"</A>
                            <A href="/loans">"Loans"</A>
                        </nav>
                        <Routes fallback=|| view! { <p>"There is no such page."</p> }>
                            // One page waits for its books on the server, so that it is complete
                            // without a script; the other streams them afterwards.
                            <Route path=path!("/") view=Books ssr=SsrMode::Async />
                            <Route path=path!("/loans") view=Loans />
                        </Routes>
                    </main>
                    <aside>
                        <ChatWindow
                            label="Librarian"
                            empty_title="What would you like to read?"
                            suggestions=suggestions.to_vec()
                        />
                    </aside>
                </div>
            </AssistantProvider>
        </Router>
    }
}

#[derive(Deserialize)]
struct Query {
    query: String,
}

#[derive(Deserialize)]
struct Id {
    id: u32,
}

fn id_schema() -> Value {
    json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})
}

/// The librarian's actions on every page.
#[component]
fn Desk() -> impl IntoView {
    let location = use_location();
    use_assistant_context("The page", move || location.pathname.get());

    // A handler runs in the browser; server functions are called with `?`.
    use_assistant_action(
        ToolAction::new("find_books", "Finds books by their title")
            .parameters(json!({
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"]
            }))
            .handler(|args: Query| async move {
                let books = find_books(args.query).await?;
                Ok::<_, ServerFnError>(books)
            }),
    );

    let navigate = use_navigate();
    use_assistant_action(
        ToolAction::new("open_loans", "Opens the page of the books that are lent").handler(
            move |_: Value, context: ToolContext| {
                navigate("/loans", Default::default());
                // The answer is sent once the new page has registered its actions.
                async move {
                    context.until_registered("return_book").await?;
                    Ok::<_, ToolError>("The page is open")
                }
            },
        ),
    );

    // Rendered here, so that the cards in the chat outlive the page of their action.
    use_tool_renderer("lend_book", |call: ToolCallView<Id>| {
        let lent = move || {
            call.result::<Book>()
                .map(|book| format!("Lent: {}", book.title))
        };
        let failed = move || call.error();
        view! { <p class="loan">{move || lent().or_else(failed).unwrap_or_else(|| "Lending …".to_owned())}</p> }
    });
}

#[component]
fn Books() -> impl IntoView {
    let changes = expect_context::<Changes>();
    let books = Resource::new(move || changes.0.get(), |_| find_books(String::new()));
    use_assistant_action(
        ToolAction::new("lend_book", "Lends a book")
            .parameters(id_schema())
            .handler(move |args: Id| async move {
                let book = lend(args.id).await?;
                changes.one_more();
                Ok::<_, ServerFnError>(Json(book))
            })
            .approval(Approval::Always)
            .describe(|args| format!("Lend book {}?", args.id)),
    );
    view! {
        <h1>"Books"</h1>
        <Shelf books keep=|_| true />
    }
}

#[component]
fn Loans() -> impl IntoView {
    let changes = expect_context::<Changes>();
    let books = Resource::new(move || changes.0.get(), |_| find_books(String::new()));
    use_assistant_action(
        ToolAction::new("return_book", "Takes a book back")
            .parameters(id_schema())
            .handler(move |args: Id| async move {
                let book = take_back(args.id).await?;
                changes.one_more();
                Ok::<_, ServerFnError>(Json(book))
            }),
    );
    view! {
        <h1>"Loans"</h1>
        <Shelf books keep=|book| book.lent />
    }
}

/// The books that the server found.
#[component]
fn Shelf(
    books: Resource<Result<Vec<Book>, ServerFnError>>,
    keep: fn(&Book) -> bool,
) -> impl IntoView {
    let list = move || {
        Suspend::new(async move {
            let books = books.await.unwrap_or_default();
            let rows: Vec<_> = books.into_iter().filter(keep).map(row).collect();
            view! { <ul class="shelf">{rows}</ul> }
        })
    };
    view! { <Transition fallback=|| view! { <p>"Looking …"</p> }>{list}</Transition> }
}

fn row(book: Book) -> impl IntoView {
    let state = if book.lent { "lent" } else { "here" };
    view! {
        <li data-state=state>
            <span class="number">{book.id}</span>
            <span>{book.title}</span>
            <span class="state">{state}</span>
        </li>
    }
}
