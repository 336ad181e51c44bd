//! Formats names and numbers.

use js_sys::JsString;

/// The maximum length of a name, in characters.
const MAX_LINE: usize = 120;

/// Formats `web_search` and `webSearch` as "Web search".
pub(crate) fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars().take(MAX_LINE) {
        if matches!(c, '_' | '-' | '.' | ' ') {
            words.push(' ');
        } else if words.is_empty() {
            words.push_str(&String::from(letter(c).to_upper_case()));
        } else if c.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
            words.push_str(&String::from(letter(c).to_lower_case()));
        } else {
            words.push(c);
        }
    }
    words
}

/// Passes a letter to the browser for case conversion: Rust's tables add twenty kilobytes.
fn letter(c: char) -> JsString {
    JsString::from(c.encode_utf8(&mut [0; 4]) as &str)
}

/// Converts a text to lower case, by the browser.
pub(crate) fn lower(text: &str) -> String {
    JsString::from(text).to_lower_case().into()
}

/// Formats a number of bytes.
pub(crate) fn size_text(bytes: usize) -> String {
    let tenths = |unit: usize| (bytes * 10 + unit / 2) / unit;
    let (tenths, unit) = match bytes {
        0..1_000 => return format!("{bytes} B"),
        1_000..1_000_000 => (tenths(1_000), "kB"),
        _ => (tenths(1_000_000), "MB"),
    };
    match (tenths / 10, tenths % 10) {
        (whole, tenth) if whole < 10 && tenth > 0 => format!("{whole}.{tenth} {unit}"),
        (whole, _) => format!("{whole} {unit}"),
    }
}

/// Formats a number for machines, such as `1.5`, by the browser: Rust's float formatting adds ten
/// kilobytes.
pub(crate) fn written(number: f64) -> String {
    let text = js_sys::Number::from(number).to_string_with_radix(10);
    // Fails only for an invalid radix.
    text.map(String::from).unwrap_or_default()
}
