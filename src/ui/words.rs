//! Names and numbers as people read them, and numbers for machines.

use js_sys::JsString;

/// How much of a name is shown, in characters.
const MAX_LINE: usize = 120;

/// `web_search` and `webSearch` as "Web search".
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

/// A letter for the browser, which knows what it is in the other case: the tables of Rust weigh
/// twenty kilobytes.
fn letter(c: char) -> JsString {
    JsString::from(c.encode_utf8(&mut [0; 4]) as &str)
}

/// A text in small letters, by the browser.
pub(crate) fn lower(text: &str) -> String {
    JsString::from(text).to_lower_case().into()
}

/// A number of bytes for people.
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

/// A number for a machine to read, such as `1.5`. Written by the browser: how Rust writes a float
/// weighs ten kilobytes.
pub(crate) fn written(number: f64) -> String {
    let text = js_sys::Number::from(number).to_string_with_radix(10);
    // It fails only at a radix that is none.
    text.map(String::from).unwrap_or_default()
}
