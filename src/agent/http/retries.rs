//! Repeats requests to a server of stored runs after temporary failures.

use std::time::Duration;

use assistant_core::session::{Failure, FailureKind};

use crate::ui::{is_offline, sleep};

/// The number of failed attempts after which the last failure is returned. Attempts while the
/// browser is offline are not counted.
const MAX_ATTEMPTS: u32 = 6;
/// The pause after the first failed attempt. The pause doubles with each further attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that a busy server may ask for in the `Retry-After` header. If it asks for a
/// longer one, the failure is returned.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// The interval at which the page checks if an offline browser is online again.
const OFFLINE_INTERVAL: Duration = Duration::from_secs(1);

/// Makes a request, and repeats the request after temporary failures. The request is repeated not
/// earlier than a busy server asks, and not while the browser is offline.
pub(super) async fn retry<T>(attempt: impl AsyncFn() -> Result<T, Failure>) -> Result<T, Failure> {
    let mut pause = FIRST_PAUSE;
    let mut failed_attempts = 0;
    loop {
        let failure = match attempt().await {
            Ok(response) => return Ok(response),
            Err(failure) => failure,
        };
        let requested_pause = Duration::from_millis(failure.retry_after_ms().unwrap_or_default());
        failed_attempts += u32::from(!is_offline());
        if !is_temporary(failure.kind())
            || failed_attempts >= MAX_ATTEMPTS
            || requested_pause > MAX_PAUSE
        {
            return Err(failure);
        }
        sleep(pause.max(requested_pause)).await;
        while is_offline() {
            sleep(OFFLINE_INTERVAL).await;
        }
        pause *= 2;
    }
}

/// Returns true for a failure that may be temporary: the network failed, the server is busy, a
/// gateway did not reach its server, for example during a restart, or the request could not be
/// made, for example because the application could not fetch a token for the headers.
const fn is_temporary(kind: FailureKind) -> bool {
    is_response_lost(kind)
        || matches!(
            kind,
            FailureKind::Request | FailureKind::Http { status: 429 }
        )
}

/// Returns true for a failure after which the server may have received the request: the network
/// failed, or a gateway did not return the response of its server.
pub(super) const fn is_response_lost(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::Network | FailureKind::Http { status: 502..=504 }
    )
}
