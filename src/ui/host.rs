//! Formats the host of a URL for the user.

use assistant_core::text::{address::Address, host::reads_plainly};

/// Returns the host of a URL as text; `None` for a URL without a host. A host with confusable
/// letters is returned in the encoded form that the browser uses, `xn--…`.
pub(crate) fn display_host(address: &Address) -> Option<String> {
    let host = address.host()?;
    if reads_plainly(host) {
        return Some(host.to_owned());
    }
    // The browser maps letters before it encodes them, so only its URL parser returns the resulting
    // host.
    let encoded = web_sys::Url::new(&format!("https://{host}")).map(|url| url.host());
    Some(encoded.unwrap_or_else(|_| host.escape_unicode().to_string()))
}
