//! Sends requests to the agent.

use std::{error::Error, time::Duration};

use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use reqwest::{
    Client, Response, Url,
    header::{ACCEPT, ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderName},
};

/// The request headers that the agent receives.
const FORWARDED: [HeaderName; 3] = [AUTHORIZATION, COOKIE, ACCEPT_LANGUAGE];
/// The time limit for connecting to the agent.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of an agent's error message that is passed to pages, in bytes.
const MAX_MESSAGE: usize = 4096;

/// The agent behind a relay.
#[derive(Debug, Clone)]
pub struct Agent {
    url: Url,
    client: Client,
}

/// The reason why a run was not started, as an HTTP status and a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Agent {
    /// Creates a client for the agent at an address.
    ///
    /// # Errors
    ///
    /// Fails if the address is invalid, or begins with `https` in a build without the feature
    /// `tls`.
    pub fn new(url: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let url = Url::parse(url)?;
        match url.scheme() {
            "http" => {}
            "https" if cfg!(feature = "tls") => {}
            "https" => return Err("The address needs the feature `tls` of the relay.".into()),
            _ => return Err("The address of the agent must begin with http or https.".into()),
        }
        let client = Client::builder()
            // An agent may close an idle connection while a request is sent over it, which cannot
            // be repeated.
            .pool_max_idle_per_host(0)
            .connect_timeout(CONNECT_TIMEOUT)
            .build()?;
        Ok(Self { url, client })
    }

    /// Sends the input of a run to the agent, with the credentials and the language of the page's
    /// request, and returns the response, a stream of events. Fails if the agent cannot be reached,
    /// or answers with an error or another media type.
    pub(crate) async fn start_run(
        &self,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Response, Refusal> {
        let mut request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream");
        for name in FORWARDED {
            for value in headers.get_all(&name) {
                request = request.header(&name, value);
            }
        }
        let unreachable = |_| Refusal::new(StatusCode::BAD_GATEWAY, "The agent cannot be reached.");
        let response = request.body(body).send().await.map_err(unreachable)?;
        let status = response.status();
        if status.is_success() && is_event_stream(&response) {
            return Ok(response);
        }
        let status = match status.is_success() {
            true => StatusCode::BAD_GATEWAY,
            false => status,
        };
        Err(Refusal::new(status, &read_message(response).await))
    }
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: &str) -> Self {
        let message = message.to_owned();
        Self { status, message }
    }
}

fn is_event_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let name = kind.split(';').next().unwrap_or_default().trim();
    name.eq_ignore_ascii_case("text/event-stream")
}

/// Reads the beginning of a response as text, at most [`MAX_MESSAGE`] bytes.
async fn read_message(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < MAX_MESSAGE {
        let Ok(Some(more)) = response.chunk().await else {
            break;
        };
        bytes.extend_from_slice(&more);
    }
    bytes.truncate(MAX_MESSAGE);
    String::from_utf8_lossy(&bytes).into_owned()
}
