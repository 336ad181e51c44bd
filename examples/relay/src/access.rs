//! Access control: the owners of runs, and the origin whose pages may call the relay.

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS,
            ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
            ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_REQUEST_HEADERS, AUTHORIZATION, COOKIE,
            ORIGIN, VARY,
        },
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};

/// The way in which a relay tells users apart. A run belongs to the user who started it.
#[derive(Debug, Clone)]
pub enum Users {
    /// By their credentials, the headers `Authorization` and `Cookie`. Requests without any are
    /// refused.
    Credentials,
    /// By a header that the server in front of the relay sets after a login, and that it removes
    /// from the requests of pages. Requests without it are refused.
    Header(HeaderName),
    /// By their credentials; requests without any are one user.
    Anonymous,
}

impl Users {
    /// Returns false for [`Users::Anonymous`], whose number of open runs is not limited for each owner:
    /// requests without credentials have one owner, although many users may send them.
    pub(crate) const fn have_run_limit(&self) -> bool {
        !matches!(self, Self::Anonymous)
    }

    /// Returns the owner of the runs that a request may start, read and end, as a hash of what
    /// identifies the user; `None` for a request that is refused.
    pub(crate) fn owner(&self, headers: &HeaderMap) -> Option<String> {
        let (names, is_optional): (&[HeaderName], _) = match self {
            Self::Credentials => (&[AUTHORIZATION, COOKIE], false),
            Self::Header(name) => (std::slice::from_ref(name), false),
            Self::Anonymous => (&[AUTHORIZATION, COOKIE], true),
        };
        let mut hash = Sha256::new();
        let mut is_empty = true;
        for name in names {
            let values = headers.get_all(name);
            hash.update(values.iter().count().to_be_bytes());
            for value in values {
                is_empty &= value.is_empty();
                hash.update(value.len().to_be_bytes());
                hash.update(value.as_bytes());
            }
        }
        (is_optional || !is_empty).then(|| format!("{:x}", hash.finalize()))
    }
}

/// Middleware that admits the pages of one other origin, by CORS headers, and answers preflight
/// requests.
pub(crate) async fn admit_origin(
    State(origin): State<Option<HeaderValue>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let is_shared = origin.is_some();
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
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("retry-after"),
        );
        if let Some(asked) = asked {
            set(ACCESS_CONTROL_ALLOW_HEADERS, asked);
        }
    }
    if is_shared {
        let varies = HeaderValue::from_static("origin, access-control-request-headers");
        response.headers_mut().insert(VARY, varies);
    }
    response
}
