//! Receives the changes that other relays publish.

use std::{sync::Weak, thread, time::Duration};

use redis::{Client, RedisError};

use super::{parse_run_name, scripts::CHANNEL};
use crate::Changes;

/// The pause before a failed connection is restored.
const PAUSE: Duration = Duration::from_millis(500);

/// Starts a thread that reports the changes of all relays, until this relay is dropped.
///
/// If nothing arrives for `reply`, a ping is sent, whose answer may take as long; closing the
/// subscription may take as long again.
pub(super) fn spawn_listener(client: Client, changes: Weak<Changes>, reply: Duration) {
    thread::spawn(move || {
        while changes.strong_count() > 0 {
            // Without a connection the readers are woken nevertheless: they read from the store.
            let _ = listen(&client, &changes, reply);
            thread::sleep(PAUSE);
            if let Some(changes) = changes.upgrade() {
                changes.report_all();
            }
        }
    });
}

/// Reports published changes until the connection fails or the relay is dropped.
fn listen(client: &Client, changes: &Weak<Changes>, reply: Duration) -> Result<(), RedisError> {
    let mut connection = client.get_connection_with_timeout(reply)?;
    let mut subscription = connection.as_pubsub();
    subscription.set_read_timeout(Some(reply))?;
    subscription.subscribe(CHANNEL)?;
    // Changes may have been missed before.
    if let Some(changes) = changes.upgrade() {
        changes.report_all();
    }
    loop {
        let message = match subscription.get_message() {
            Err(error) if error.is_timeout() => {
                subscription.ping::<()>()?;
                None
            }
            received => Some(received?.get_payload::<String>()?),
        };
        let Some(changes) = changes.upgrade() else {
            return Ok(());
        };
        let Some((closed, name)) = message.as_deref().and_then(|text| text.split_at_checked(1))
        else {
            continue;
        };
        if let Some(key) = parse_run_name(name) {
            changes.report(&key, closed == "1");
        }
    }
}
