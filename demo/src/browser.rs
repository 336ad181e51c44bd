//! Wraps the browser APIs that the demo uses.

use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Waits for `ms` milliseconds.
pub(crate) async fn sleep(ms: i32) {
    let timer = js_sys::Promise::new(&mut |resolve, _| {
        // The result is ignored, because `setTimeout` fails only without a callback.
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
    });
    // The result is ignored, because the promise of a timer is never rejected.
    let _ = JsFuture::from(timer).await;
}

/// Returns the current local time in hours and minutes, such as 09:12.
pub(crate) fn time_of_day() -> String {
    let now = js_sys::Date::new_0();
    format!("{:02}:{:02}", now.get_hours(), now.get_minutes())
}

/// Returns a parameter of the page's address. Returns `None` if the parameter is missing or empty.
pub(crate) fn parameter(name: &str) -> Option<String> {
    let search = window().location().search().ok()?;
    let parameters = web_sys::UrlSearchParams::new_with_str(&search).ok()?;
    parameters
        .get(name)
        .filter(|value| !value.trim().is_empty())
}

/// Returns the fragment of the page's address without the `#`, or an empty string if the address
/// has no fragment.
pub(crate) fn fragment() -> String {
    let hash = window().location().hash().unwrap_or_default();
    hash.trim_start_matches('#').to_owned()
}

/// Opens this page with the given parameters and fragment, which replace those in the current
/// address.
pub(crate) fn open_page(query: &[(&str, &str)], fragment: &str) {
    let location = window().location();
    let navigation = web_sys::UrlSearchParams::new().and_then(|parameters| {
        for (name, value) in query {
            parameters.append(name, value);
        }
        let path = location.pathname()?;
        let fragment = if fragment.is_empty() {
            ""
        } else {
            &format!("#{fragment}")
        };
        let address = format!("{path}?{}{fragment}", String::from(parameters.to_string()));
        location.assign(&address)
    });
    if navigation.is_err() {
        leptos::logging::error!("the page cannot be opened at another address");
    }
}

/// Returns true if the system prefers dark colours.
pub(crate) fn is_system_dark() -> bool {
    let query = window().match_media("(prefers-color-scheme: dark)");
    query.is_ok_and(|query| query.is_some_and(|query| query.matches()))
}

/// Focuses an element in the next animation frame, which follows pending updates of the view.
pub(crate) fn focus_in_next_frame(selector: &'static str) {
    request_animation_frame(move || {
        use wasm_bindgen::JsCast;
        let element = document().query_selector(selector).ok().flatten();
        if let Some(element) = element.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
            // The result is ignored, because focusing an element in the page cannot fail.
            let _ = element.focus();
        }
    });
}
