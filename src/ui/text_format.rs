//! Formats names, numbers, hosts and excerpts.

use std::borrow::Cow;

use assistant_core::text::{address::Address, host::reads_plainly};
use js_sys::JsString;

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 120;

/// Formats a name as a title in words, truncated to [`MAX_NAME`]: `web_search` and `webSearch`
/// become "Web search".
pub(crate) fn title_in_words(name: &str) -> String {
    let words = split_words(name.chars().take(MAX_NAME));
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => String::from(js_letter(first).to_upper_case()) + letters.as_str(),
        None => words,
    }
}

/// Formats the code name of a tool in words: `web_search` and `webSearch` become "web search". A
/// name with characters other than ASCII letters, digits, `_`, `-` and `.` is not changed, so that
/// these characters can be marked.
pub(crate) fn in_words(name: &str) -> String {
    let is_code_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    match name.chars().all(is_code_char) {
        true => Some(split_words(name.chars())).filter(|words| !words.is_empty()),
        false => None,
    }
    .unwrap_or_else(|| name.to_owned())
}

/// Separates the words of a name with spaces. Consecutive capitals stay together as an
/// abbreviation.
fn split_words(name: impl Iterator<Item = char>) -> String {
    let mut name = name.peekable();
    let mut words = String::new();
    let mut follows_lowercase = false;
    while let Some(c) = name.next() {
        let begins_word = name.peek().is_some_and(|next| next.is_lowercase());
        match c {
            '_' | '-' | '.' | ' ' => {
                if !words.is_empty() && !words.ends_with(' ') {
                    words.push(' ');
                }
            }
            _ if c.is_uppercase() && follows_lowercase => {
                words.push(' ');
                match begins_word {
                    true => words.push_str(&lowercase_letter(c)),
                    false => words.push(c),
                }
            }
            _ => words.push(c),
        }
        follows_lowercase = c.is_lowercase();
    }
    words.truncate(words.trim_end().len());
    words
}

fn lowercase_letter(c: char) -> String {
    match c.is_ascii() {
        true => c.to_ascii_lowercase().into(),
        false => js_letter(c).to_lower_case().into(),
    }
}

/// Converts a letter to a JavaScript string, so that the browser converts the case of the letter.
/// Rust's tables would add twenty kilobytes.
fn js_letter(c: char) -> JsString {
    JsString::from(c.encode_utf8(&mut [0; 4]) as &str)
}

/// Truncates a text to a number of characters; an ellipsis replaces the rest.
pub(crate) fn truncate(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// Converts a text to lower case, with the browser's case conversion.
pub(crate) fn to_lowercase(text: &str) -> String {
    JsString::from(text).to_lower_case().into()
}

/// Formats a number of bytes in B, kB or MB.
pub(crate) fn format_size(bytes: usize) -> String {
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

/// Formats a number for machines, such as `1.5`, with the browser: Rust's float formatting would
/// add ten kilobytes.
pub(crate) fn format_float(number: f64) -> String {
    let text = js_sys::Number::from(number).to_string_with_radix(10);
    // The conversion fails only for an invalid radix, so the default is never used.
    text.map(String::from).unwrap_or_default()
}

/// Returns the last character boundary of a text at or before a position.
pub(crate) fn floor_char_boundary(text: &str, max_len: usize) -> usize {
    let mut end = max_len.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Returns the host of a URL as text; `None` for a URL without a host. A host with confusable
/// letters is returned in the encoded form that the browser uses, `xn--…`.
pub(crate) fn display_host(address: &Address) -> Option<String> {
    let host = address.host()?;
    if reads_plainly(host) {
        return Some(host.to_owned());
    }
    // The browser maps letters before it encodes them, so only the browser's URL parser returns the
    // resulting host.
    let encoded = web_sys::Url::new(&format!("https://{host}")).map(|url| url.host());
    Some(encoded.unwrap_or_else(|_| host.escape_unicode().to_string()))
}

#[cfg(test)]
mod tests {
    use super::{in_words, truncate};

    #[test]
    fn code_names_become_words_and_other_names_stay() {
        for (name, words) in [
            ("weather", "weather"),
            ("read_berths_log", "read berths log"),
            ("selectDataSource", "select data source"),
            ("fetchURL", "fetch URL"),
            ("mcp.files-read", "mcp files read"),
            ("_private__", "private"),
            ("__", "__"),
            ("Pay Ann", "Pay Ann"),
            ("pay\u{202e}", "pay\u{202e}"),
            ("", ""),
        ] {
            assert_eq!(in_words(name), words);
        }
    }

    #[test]
    fn a_shortened_text_ends_with_an_ellipsis() {
        assert_eq!(truncate("äöü", 3), "äöü");
        assert_eq!(truncate("äöü", 2), "äö…");
    }
}
