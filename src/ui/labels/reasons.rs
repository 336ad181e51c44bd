//! The labels for invalid values and for calls that failed.

#[cfg(feature = "translated")]
use std::borrow::Cow;

#[cfg(feature = "translated")]
use super::Word;
use super::{LabelName, Labels};

/// Returns the reasons in another language, from their texts in the order of [`Labels::REASONS`].
#[cfg(feature = "translated")]
pub(super) fn translate_reasons(
    texts: [&'static str; Labels::REASONS.len()],
) -> Cow<'static, [(&'static str, Word)]> {
    let to_pair = |(key, text)| (key, Cow::Borrowed(text));
    Labels::REASONS
        .into_iter()
        .zip(texts)
        .map(to_pair)
        .collect()
}

impl Labels {
    /// The keys of [`Self::with_reasons`] whose English sentences are written by this library.
    /// Other failures, such as an error of a handler, have a text from the application or from the
    /// agent.
    pub const REASONS: [&'static str; 38] = [
        "object",
        "array",
        "string",
        "number",
        "integer",
        "boolean",
        "null",
        "enum",
        "const",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "additionalProperties",
        "anyOf",
        "oneOf",
        "not",
        "invalid_arguments",
        "unknown_tool",
        "tool_unavailable",
        "no_handler",
        "no_result",
        "timeout",
        "journal",
        "rate_limit",
        "too_many_questions",
        "denied",
        "cancelled",
        "skipped",
    ];

    /// Returns the sentence for a failure: by its kind, or, for the kind `type`, by the name of the
    /// expected type, which is `limit`. Without such a sentence, returns the label
    /// [`LabelName::Required`] for the kind `required`, and the given
    /// message for all other kinds.
    pub(crate) fn reason(&self, kind: &str, limit: &str, message: &str) -> String {
        let kind = match kind {
            "schema_changed" => "invalid_arguments",
            kind => kind,
        };
        let find_word = |kind: &str| self.reasons.iter().find(|(key, _)| *key == kind);
        let type_word = (kind == "type").then(|| find_word(limit)).flatten();
        match type_word.or_else(|| find_word(kind)) {
            Some((_, word)) => word.replace("{limit}", limit),
            None if kind == "required" => self.get(LabelName::Required).to_owned(),
            None => message.to_owned(),
        }
    }
}
