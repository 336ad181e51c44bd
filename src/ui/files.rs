//! Reads the user's files, and saves files from messages.

use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, closure::Closure};

use super::after;

/// The time after which a download is assumed to have started, in milliseconds.
const DOWNLOAD_START_MS: u32 = 10_000;

/// Reads a file as base64; `None` if the file cannot be read. The browser reads and encodes the
/// file off the main thread.
pub(crate) async fn read_base64(file: &web_sys::File) -> Option<String> {
    let reader = web_sys::FileReader::new().ok()?;
    let (sender, receiver) = oneshot::channel();
    let on_load_end = Closure::once_into_js(move || {
        // The error is ignored, because sending fails only if the future, which owns the receiver,
        // was dropped.
        let _ = sender.send(());
    });
    reader.set_onloadend(Some(on_load_end.unchecked_ref()));
    reader.read_as_data_url(file).ok()?;
    receiver.await.ok()?;
    let url = reader.result().ok()?.as_string()?;
    // The URL of an empty file is `data:`, with or without a comma.
    let base64 = url.split_once(',').map_or("", |(_, base64)| base64);
    Some(base64.to_owned())
}

/// Saves base64-encoded bytes as a file. Does nothing if the base64 is invalid.
pub(crate) fn save_file(name: &str, base64: &str) {
    // If the browser refuses, no file is saved, and no error is reported.
    let _ = try_save_file(name, base64);
}

fn try_save_file(name: &str, base64: &str) -> Option<()> {
    let window = super::browser()?;
    let binary = window.atob(base64).ok()?;
    let bytes: Vec<u8> = binary
        .chars()
        .filter_map(|c| u8::try_from(c).ok())
        .collect();
    let content = Array::of1(&Uint8Array::from(bytes.as_slice()));
    // This type makes browsers download the file instead of opening it, because the content comes
    // from an agent.
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("application/octet-stream");
    let blob = web_sys::Blob::new_with_u8_array_sequence_and_options(&content, &options).ok()?;
    let url = web_sys::Url::create_object_url_with_blob(&blob).ok()?;
    let link = window.document()?.create_element("a").ok()?;
    let link: web_sys::HtmlAnchorElement = link.dyn_into().ok()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    after(DOWNLOAD_START_MS, move || {
        // The result is ignored, because revoking a URL twice is not an error.
        let _ = web_sys::Url::revoke_object_url(&url);
    });
    Some(())
}
