//! Builds and sends the request for a run. Returns a [`Failure`] if the browser refuses the
//! request.

use std::{fmt, rc::Rc};

use assistant_core::session::{Failure, FailureKind};
use futures_util::future::LocalBoxFuture;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, Headers, Request, RequestCredentials, RequestInit, Response,
};

use crate::ui::{is_offline, wait_for_pending_work};

/// A guard that aborts the run's request when the guard is dropped with the run's future.
pub(super) struct AbortOnDrop(AbortController);

impl AbortOnDrop {
    pub(super) fn new() -> Result<Self, Failure> {
        AbortController::new()
            .map(Self)
            .map_err(|_| network_failure("This browser cannot stop requests."))
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

/// An asynchronous function that returns headers. The argument is true for the second attempt after
/// an HTTP 401. `Err` contains the reason why the request is not sent.
pub(super) type AsyncHeadersFn =
    Rc<dyn Fn(bool) -> LocalBoxFuture<'static, Result<Vec<(String, String)>, String>>>;

/// The credentials of the browser that are sent with requests to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Credentials {
    /// No credentials are sent, even if the agent has the page's own origin.
    Omit,
    /// Cookies and authentication are sent if the agent has the page's own origin.
    #[default]
    SameOrigin,
    /// Cookies and authentication are sent to an agent of any origin. An agent of a different
    /// origin must allow them by CORS.
    Include,
}

/// An address, with the headers and credentials for requests to this address.
#[derive(Clone)]
pub(super) struct Endpoint {
    url: String,
    pub(super) headers: Rc<dyn Fn() -> Vec<(String, String)>>,
    pub(super) later_headers: Option<AsyncHeadersFn>,
    pub(super) credentials: Credentials,
}

impl fmt::Debug for Endpoint {
    /// Formats only the address, because headers may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.url, f)
    }
}

impl Endpoint {
    pub(super) fn new(url: String) -> Self {
        Self {
            url,
            headers: Rc::new(Vec::new),
            later_headers: None,
            credentials: Credentials::default(),
        }
    }

    /// Returns an endpoint with the given address and the headers and credentials of this endpoint.
    pub(super) fn with_url(&self, url: String) -> Self {
        Self {
            url,
            ..self.clone()
        }
    }

    /// Adds a header to each request.
    pub(super) fn add_header(&mut self, name: String, value: String) {
        let previous_headers = Rc::clone(&self.headers);
        self.headers = Rc::new(move || {
            let mut headers = previous_headers();
            headers.push((name.clone(), value.clone()));
            headers
        });
    }

    /// Sends a request to the address, to whose path `path` is appended. The method is `POST` if
    /// there is a body, and `GET` if not. Returns the response as soon as its headers arrive. If
    /// the response is an HTTP 401 and an asynchronous function provides headers, the request is
    /// repeated once with new headers.
    pub(super) async fn send(
        &self,
        path: &str,
        body: Option<&str>,
        signal: &AbortSignal,
    ) -> Result<Response, Failure> {
        let method = if body.is_some() { "POST" } else { "GET" };
        self.request_with_retry(method, path, body, signal).await
    }

    /// Sends a `DELETE` request. The browser completes this request even if the page is closed.
    pub(super) async fn delete(&self, signal: &AbortSignal) -> Result<Response, Failure> {
        self.request_with_retry("DELETE", "", None, signal).await
    }

    async fn request_with_retry(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        signal: &AbortSignal,
    ) -> Result<Response, Failure> {
        let response = self
            .attempt_request(method, path, body, signal, false)
            .await?;
        match response.status() == 401 && self.later_headers.is_some() {
            true => self.attempt_request(method, path, body, signal, true).await,
            false => Ok(response),
        }
    }

    async fn attempt_request(
        &self,
        method: &str,
        path: &str,
        body: Option<&str>,
        signal: &AbortSignal,
        again: bool,
    ) -> Result<Response, Failure> {
        let mut headers = (self.headers)();
        if let Some(async_headers) = &self.later_headers {
            let async_headers = async_headers(again).await;
            headers.extend(async_headers.map_err(|why| headers_failure(&why))?);
        }
        let url = match path.is_empty() {
            true => self.url.clone(),
            false => append_path(&self.url, path),
        };
        fetch_response(method, &url, &headers, self.credentials, body, signal).await
    }
}

/// Appends a path to the path of an address, before the query and the fragment.
pub(super) fn append_path(url: &str, path: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (base, query) = url.split_at(end);
    format!("{}{path}{query}", base.trim_end_matches('/'))
}

async fn fetch_response(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    credentials: Credentials,
    body: Option<&str>,
    signal: &AbortSignal,
) -> Result<Response, Failure> {
    let fetch_error = |error: JsValue| network_failure(&format!("{url}: {}", js_error_text(error)));
    let init = RequestInit::new();
    init.set_method(method);
    if method == "DELETE" {
        // The property is set by reflection, because some versions of the bindings have no setter
        // for `keepalive`.
        let _ = js_sys::Reflect::set(&init, &"keepalive".into(), &true.into());
    }
    init.set_headers_headers(&build_headers(headers)?);
    init.set_body_opt_str(body);
    init.set_signal(Some(signal));
    init.set_credentials(match credentials {
        Credentials::Omit => RequestCredentials::Omit,
        Credentials::SameOrigin => RequestCredentials::SameOrigin,
        Credentials::Include => RequestCredentials::Include,
    });
    let request = Request::new_with_str_and_init(url, &init)
        .map_err(|error| request_failure(&format!("{url}: {}", js_error_text(error))))?;
    let window =
        web_sys::window().ok_or_else(|| network_failure("There is no page to send from."))?;
    let response = match JsFuture::from(window.fetch_with_request(&request)).await {
        Ok(response) => response,
        Err(error) => {
            wait_for_page_unload().await;
            return Err(fetch_error(error));
        }
    };
    // The type of the result is checked, because a script of the page may have replaced `fetch`
    // with a function that returns no response.
    response
        .dyn_into()
        .map_err(|_| network_failure("The `fetch` of this page gave no response."))
}

/// Waits long enough to distinguish a broken connection from a page that is unloading. An unloading
/// page loses its connections before its script stops, and runs no further task, so that code after
/// this call does not run. The stored state therefore remains a run in progress, which can be
/// resumed after a reload.
pub(super) async fn wait_for_page_unload() {
    wait_for_pending_work().await;
}

/// Builds the headers of a request from the application's headers, `Content-Type` and `Accept`.
/// Fails if the browser refuses a header.
fn build_headers(app_headers: &[(String, String)]) -> Result<Headers, Failure> {
    let headers =
        Headers::new().map_err(|_| network_failure("This browser cannot send request headers."))?;
    let own_headers = [
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
    ];
    let app_headers = app_headers.iter().map(|(name, value)| (&**name, &**value));
    for (name, value) in app_headers.chain(own_headers) {
        if headers.set(name, value).is_err() {
            return Err(header_failure(&headers, name));
        }
    }
    Ok(headers)
}

/// Creates the failure for a header that the browser refuses. The message omits the value of the
/// header, because the value may be a secret.
fn header_failure(headers: &Headers, name: &str) -> Failure {
    request_failure(&if headers.set(name, "value").is_err() {
        format!("The request header {name:?} cannot be sent: its name is not valid.")
    } else {
        format!(
            "The request header {name:?} cannot be sent: its value holds a line break or a character outside Latin-1."
        )
    })
}

/// Creates the failure for headers that the application could not provide. While the browser is
/// offline, the missing network is the likely reason.
fn headers_failure(message: &str) -> Failure {
    match is_offline() {
        true => network_failure(message),
        false => request_failure(message),
    }
}

pub(super) fn network_failure(message: &str) -> Failure {
    Failure::new(FailureKind::Network, message)
}

/// Creates the failure for a request that cannot be made.
pub(super) fn request_failure(message: &str) -> Failure {
    Failure::new(FailureKind::Request, message)
}

fn js_error_text(error: JsValue) -> String {
    error.dyn_into::<js_sys::Error>().map_or_else(
        |other| format!("{other:?}"),
        |error| String::from(error.to_string()),
    )
}
