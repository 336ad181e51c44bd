//! The name of a call in words, for tools without a title.

/// Returns a code name in words: `read_log` is "read log", `getWeather` is "get weather". A name
/// with other characters stays as it is.
pub(crate) fn in_words(name: &str) -> String {
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !name.chars().all(is_code) {
        return name.to_owned();
    }
    let mut words = String::with_capacity(name.len() + 8);
    let mut chars = name.chars().peekable();
    let mut after_lower = false;
    while let Some(c) = chars.next() {
        let next_is_lower = chars.peek().is_some_and(char::is_ascii_lowercase);
        match c {
            '_' | '-' | '.' => {
                if !words.is_empty() && !words.ends_with(' ') {
                    words.push(' ');
                }
            }
            _ if c.is_ascii_uppercase() && after_lower => {
                words.push(' ');
                words.push(if next_is_lower {
                    c.to_ascii_lowercase()
                } else {
                    c
                });
            }
            _ => words.push(c),
        }
        after_lower = c.is_ascii_lowercase();
    }
    let words = words.trim_end();
    match words.is_empty() {
        true => name.to_owned(),
        false => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn code_names_become_words_and_others_stay() {
        for (name, words) in [
            ("nobody", "nobody"),
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
}
