//! Builds and sends the request of a run. A request that the browser refuses becomes a [`Failure`].

use std::{fmt, rc::Rc};

use assistant_core::session::{Failure, FailureKind};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, Headers, Request, RequestInit, Response};

use crate::ui::page_settled;

/// Aborts the request when the run's future is dropped.
pub(super) struct AbortOnDrop(AbortController);

impl AbortOnDrop {
    pub(super) fn new() -> Result<Self, Failure> {
        AbortController::new()
            .map(Self)
            .map_err(|_| failure("This browser cannot stop requests."))
    }

    pub(super) fn signal(&self) -> AbortSignal {
        self.0.signal()
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An address and the headers of each request to it.
#[derive(Clone)]
pub(super) struct Endpoint {
    url: String,
    pub(super) headers: Rc<dyn Fn() -> Vec<(String, String)>>,
}

impl fmt::Debug for Endpoint {
    /// Prints the address alone, because headers may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.url, f)
    }
}

impl Endpoint {
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            headers: Rc::new(Vec::new),
        }
    }

    /// Adds a header to each request.
    pub(super) fn add_header(&mut self, name: String, value: String) {
        let before = Rc::clone(&self.headers);
        self.headers = Rc::new(move || {
            let mut headers = before();
            headers.push((name.clone(), value.clone()));
            headers
        });
    }

    /// Sends a request to the address with `behind` appended to its path, as `POST` if there is a
    /// body. Returns the response as soon as its headers arrive.
    pub(super) async fn send(
        &self,
        behind: &str,
        body: Option<&str>,
        signal: &AbortSignal,
    ) -> Result<Response, Failure> {
        let headers = (self.headers)();
        if behind.is_empty() {
            return send(&self.url, &headers, body, signal).await;
        }
        send(&below(&self.url, behind), &headers, body, signal).await
    }
}

/// Appends a path to an address, before its query.
pub(super) fn below(url: &str, path: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (before, query) = url.split_at(end);
    format!("{}{path}{query}", before.trim_end_matches('/'))
}

async fn send(
    url: &str,
    headers: &[(String, String)],
    body: Option<&str>,
    signal: &AbortSignal,
) -> Result<Response, Failure> {
    let refused = |error: JsValue| failure(&format!("{url}: {}", text_of(error)));
    let init = RequestInit::new();
    init.set_method(if body.is_some() { "POST" } else { "GET" });
    init.set_headers_headers(&header_list(headers)?);
    init.set_body_opt_str(body);
    init.set_signal(Some(signal));
    let request = Request::new_with_str_and_init(url, &init)
        .map_err(|error| invalid(&format!("{url}: {}", text_of(error))))?;
    let window = web_sys::window().ok_or_else(|| failure("There is no page to send from."))?;
    let response = match JsFuture::from(window.fetch_with_request(&request)).await {
        Ok(response) => response,
        Err(error) => {
            outlived_by_page().await;
            return Err(refused(error));
        }
    };
    // A script of the page may have replaced `fetch`.
    response
        .dyn_into()
        .map_err(|_| failure("The `fetch` of this page gave no response."))
}

/// Waits long enough to tell a broken connection from a page that is unloading. An unloading page
/// loses its connections first and then runs only what follows at once, not its next task. The last
/// state that it stores is therefore a run in progress, which can be resumed.
pub(super) async fn outlived_by_page() {
    page_settled().await;
}

/// Builds the headers of a request: the application's, then the agent's own.
fn header_list(given: &[(String, String)]) -> Result<Headers, Failure> {
    let headers =
        Headers::new().map_err(|_| failure("This browser cannot send request headers."))?;
    let ours = [
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
    ];
    let given = given.iter().map(|(name, value)| (&**name, &**value));
    for (name, value) in given.chain(ours) {
        if headers.set(name, value).is_err() {
            return Err(refused_header(&headers, name));
        }
    }
    Ok(headers)
}

/// Describes a header that the browser refuses. The value is left out because it may be a secret.
fn refused_header(headers: &Headers, name: &str) -> Failure {
    invalid(&if headers.set(name, "value").is_err() {
        format!("The request header {name:?} cannot be sent: its name is not valid.")
    } else {
        format!(
            "The request header {name:?} cannot be sent: its value holds a line break or a character outside Latin-1."
        )
    })
}

fn failure(message: &str) -> Failure {
    Failure::new(FailureKind::Network, message)
}

/// Creates the failure of a request that cannot be made.
fn invalid(message: &str) -> Failure {
    Failure::new(FailureKind::Request, message)
}

fn text_of(error: JsValue) -> String {
    error.dyn_into::<js_sys::Error>().map_or_else(
        |other| format!("{other:?}"),
        |error| String::from(error.to_string()),
    )
}
