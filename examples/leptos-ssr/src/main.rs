//! The server: pages, server functions, the module for the browser, and two style sheets.

use std::{env, error::Error};

use axum::{Router, http::header::CONTENT_TYPE, routing::get};
use leptos::prelude::LeptosOptions;
use leptos_axum::{LeptosRoutes, file_and_error_handler, generate_route_list};
use leptos_ssr::{App, shell};
use tokio::net::TcpListener;

/// The folder with the module for the browser, in `pkg`.
const SITE: &str = "dist/leptos-ssr";
const CSS: [(axum::http::HeaderName, &str); 1] = [(CONTENT_TYPE, "text/css; charset=utf-8")];

/// Serves at the address given as argument, else at port 3000 of this machine.
#[tokio::main]
#[allow(clippy::print_stdout, reason = "where to look")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1);
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:3000")).await?;
    let options = LeptosOptions::builder()
        .output_name("leptos_ssr")
        .site_root(SITE)
        .site_addr(listener.local_addr()?)
        .build();
    let page = {
        let options = options.clone();
        move || shell(options.clone())
    };
    let app = Router::new()
        // The chat's style sheet is part of its crate; a file server would work as well.
        .route(
            "/chat.css",
            get(|| async { (CSS, leptos_assistant::STYLE) }),
        )
        .route("/app.css", get(|| async { (CSS, include_str!("app.css")) }))
        .leptos_routes(&options, generate_route_list(App), page)
        .fallback(file_and_error_handler(shell))
        .with_state(options);
    println!("The library is open at http://{}/", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
