//! Logs messages for the programmer of the page.

/// Logs a warning to the console. On a server each message is logged once, to standard error.
pub(crate) fn console_warn(message: &str) {
    #[cfg(target_arch = "wasm32")]
    web_sys::console::warn_1(&wasm_bindgen::JsValue::from_str(message));
    #[cfg(not(target_arch = "wasm32"))]
    log_once(message);
}

/// Logs a mistake of the programmer as an error to the console (rule "a hook without a provider").
/// On a server each message is logged once, to standard error, however many pages are rendered.
pub(crate) fn console_error(message: &str) {
    #[cfg(target_arch = "wasm32")]
    web_sys::console::error_1(&wasm_bindgen::JsValue::from_str(message));
    #[cfg(not(target_arch = "wasm32"))]
    log_once(message);
}

#[cfg(not(target_arch = "wasm32"))]
#[allow(clippy::print_stderr, reason = "a server has no console but this one")]
fn log_once(message: &str) {
    use std::sync::Mutex;

    /// The maximum number of different messages that are remembered.
    const MAX_MESSAGES: usize = 100;
    static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

    let Ok(mut logged) = LOGGED.lock() else {
        return;
    };
    if logged.len() < MAX_MESSAGES && !logged.iter().any(|known| known == message) {
        logged.push(message.to_owned());
        eprintln!("leptos-assistant: {message}");
    }
}
