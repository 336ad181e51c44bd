//! Selects the argument that distinguishes calls of one action, shown next to the name.

use serde_json::Value;

use crate::ui::truncate;

/// The maximum length of the argument, in characters.
const MAX_CHARS: usize = 60;

/// Returns the first non-blank single-line text among the arguments, else the first number,
/// truncated; `None` if there is neither, or if the arguments are not an object.
pub(super) fn summary_argument(args: &Value) -> Option<String> {
    let args = args.as_object()?;
    let text = args.values().filter_map(Value::as_str);
    let mut text = text.filter(|text| !text.trim().is_empty() && !text.contains('\n'));
    let number = || args.values().find(|value| value.is_number());
    let text = match text.next() {
        Some(text) => text.to_owned(),
        None => number()?.to_string(),
    };
    Some(truncate(&text, MAX_CHARS).into_owned())
}

#[cfg(test)]
mod tests {
    use super::summary_argument;
    use serde_json::json;

    #[test]
    fn the_summary_is_the_first_one_line_text_or_the_first_number() {
        for (args, expected) in [
            (json!({"n": 3, "city": "Oslo"}), Some("Oslo")),
            (json!({"body": "a\nb", "to": " ", "n": 3}), Some("3")),
            (json!({"deep": {"city": "Oslo"}}), None),
            (json!("Oslo"), None),
        ] {
            assert_eq!(summary_argument(&args).as_deref(), expected);
        }
        let long = summary_argument(&json!({"q": "ä".repeat(500)})).unwrap_or_default();
        assert_eq!(long.chars().count(), 61);
    }
}
