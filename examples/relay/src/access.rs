//! Access control: the owner of a run, and the origin whose pages may call the relay.

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS,
            ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
            ACCESS_CONTROL_REQUEST_HEADERS, AUTHORIZATION, COOKIE, ORIGIN, VARY,
        },
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};

/// Returns the owner of a run: a hash of the credentials in the request. Only requests with the
/// same credentials may read or end the run. If the relay is behind a login, derive the owner from
/// the user instead.
pub(crate) fn owner_of(headers: &HeaderMap) -> String {
    let mut hash = Sha256::new();
    for name in [AUTHORIZATION, COOKIE] {
        let values = headers.get_all(name);
        hash.update(values.iter().count().to_be_bytes());
        for value in values {
            hash.update(value.len().to_be_bytes());
            hash.update(value.as_bytes());
        }
    }
    format!("{:x}", hash.finalize())
}

/// Middleware that admits the pages of one other origin, by CORS headers, and answers preflight
/// requests.
pub(crate) async fn admit(
    State(origin): State<Option<HeaderValue>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let admitted = origin.filter(|origin| headers.get(ORIGIN) == Some(origin));
    // Pages send headers of their own, too.
    let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let mut response = match *request.method() {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    if let Some(origin) = admitted {
        let mut set = |name: HeaderName, value| response.headers_mut().insert(name, value);
        set(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        set(
            ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
        set(
            ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET, POST, DELETE"),
        );
        set(
            VARY,
            HeaderValue::from_static("origin, access-control-request-headers"),
        );
        if let Some(asked) = asked {
            set(ACCESS_CONTROL_ALLOW_HEADERS, asked);
        }
    }
    response
}
