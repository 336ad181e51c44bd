//! What the session may ask: the clock, fresh ids, patterns, and rules of the application.

use assistant_core::{
    action::{RegistrationId, schema::PatternHost},
    session::{Answer, Host, PolicyQuestion, TurnSummary},
};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::Runtime;

/// The browser, as the session's host.
pub(super) struct BrowserHost<'a> {
    pub(super) runtime: &'a Runtime,
}

impl PatternHost for BrowserHost<'_> {
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool> {
        // `RegExp::new` of js-sys throws on a bad pattern; made through Reflect it is an error.
        let class = js_sys::Reflect::get(&js_sys::global(), &"RegExp".into()).ok()?;
        let args = js_sys::Array::of2(&pattern.into(), &"u".into());
        let regexp = js_sys::Reflect::construct(&class.into(), &args).ok()?;
        Some(js_sys::RegExp::from(regexp).test(text))
    }
}

impl Host for BrowserHost<'_> {
    fn now(&mut self) -> i64 {
        now()
    }

    fn new_id(&mut self) -> String {
        fresh_id()
    }

    /// Rules of the application are never run while the session is borrowed: the runtime asks
    /// them right after and answers by an input.
    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool> {
        self.runtime.ask_later(question);
        Answer::Later
    }

    fn stops(&mut self, rule: &str, summary: &TurnSummary) -> bool {
        self.runtime.stops(rule, summary)
    }

    fn denial(
        &mut self,
        registration: RegistrationId,
        args: &Value,
        reason: Option<&str>,
    ) -> Option<Value> {
        let code = self.runtime.code(registration)?;
        code.denial.as_ref().map(|denial| denial(args, reason))
    }
}

/// A number for a machine to read, such as `1.5`. Written by the browser: how Rust writes a float
/// weighs ten kilobytes.
pub(crate) fn written(number: f64) -> String {
    let text = js_sys::Number::from(number).to_string_with_radix(10);
    // It fails only at a radix that is none.
    text.map(String::from).unwrap_or_default()
}

/// Milliseconds since 1970.
#[allow(
    clippy::cast_possible_truncation,
    reason = "whole milliseconds fit for a long while"
)]
pub(crate) fn now() -> i64 {
    js_sys::Date::now() as i64
}

/// A fresh id: 128 random bits of the platform, in hex.
pub(crate) fn fresh_id() -> String {
    let mut bytes = [0_u8; 16];
    let filled = web_sys::window()
        .and_then(|window| window.crypto().ok())
        .map(|crypto| crypto.get_random_values_with_u8_array(&mut bytes));
    if !matches!(filled, Some(Ok(_))) {
        // No crypto: an insecure context of an old browser. Ids only have to differ.
        for byte in &mut bytes {
            *byte = random_byte();
        }
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies between 0 and 255"
)]
fn random_byte() -> u8 {
    (js_sys::Math::random() * 256.0) as u8
}

/// Writes an error of the programmer to the console (rule "a hook without a provider").
pub(crate) fn console_error(message: &str) {
    web_sys::console::error_1(&JsValue::from_str(message));
}
