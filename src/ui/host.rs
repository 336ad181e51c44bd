//! The host behind an address, as a person should read it.

use assistant_core::text::{address::Address, host::reads_plainly};

/// Returns the host that an address leads to, as text. One that can be taken for another is given
/// as the browser asks for it, `xn--…`; nothing for an address without a host.
pub(crate) fn shown_host(address: &Address) -> Option<String> {
    let host = address.host()?;
    if reads_plainly(host) {
        return Some(host.to_owned());
    }
    // The browser maps letters before it encodes them: only it knows where one ends up.
    let encoded = web_sys::Url::new(&format!("https://{host}")).map(|url| url.host());
    Some(encoded.unwrap_or_else(|_| host.escape_unicode().to_string()))
}
