//! Creates fingerprints of calls and questions in the form in which the user saw them. A
//! fingerprint contains the name, the exact arguments and the rules.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::json::canonical::canonical;

/// The canonical form of a call or a question, as displayed to the user when the page or an agent
/// asked.
///
/// A decision contains the fingerprint, and applies only while the call has an equal fingerprint. A
/// fingerprint contains the text itself instead of a hash, so different questions have different
/// fingerprints.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(Arc<str>);

impl Fingerprint {
    /// Returns the fingerprint of a question. Arguments that are not JSON are included as text.
    pub(crate) fn new(name: &str, args: Result<&Value, &str>, rules: &Value) -> Self {
        let args = match args {
            Ok(args) => canonical(args),
            // The prefix distinguishes the text from a JSON string with the same content.
            Err(text) => format!("text {}", canonical(&Value::from(text))),
        };
        let name = canonical(&Value::from(name));
        let rules = canonical(rules);
        Self(format!("{name}\n{args}\n{rules}").into())
    }

    /// Returns the fingerprint of an unknown question. This fingerprint differs from the
    /// fingerprint of every call and of every known question.
    pub(crate) fn unknown() -> Self {
        Self("unknown".into())
    }

    /// Returns the fingerprint of an agent's question. If the question refers to a call, the
    /// fingerprint of the call is included.
    pub(crate) fn from_question(question: &Value, call: Option<&Self>) -> Self {
        let question = canonical(question);
        let call = call.map_or("", |call| &*call.0);
        Self(format!("question {question}\n{call}").into())
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a card, which combines the fingerprints of the call and of the
    /// agent's questions that the card displays.
    pub(crate) fn from_card(call: Self, questions: &[Self]) -> Self {
        if questions.is_empty() {
            return call;
        }
        let fingerprints = std::iter::once(&call).chain(questions);
        let fingerprints: Value = fingerprints
            .map(|fingerprint| Value::from(&*fingerprint.0))
            .collect();
        Self(format!("card {}", canonical(&fingerprints)).into())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix: String = self.0.chars().take(80).collect();
        write!(f, "Fingerprint({prefix:?})")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Fingerprint;

    #[test]
    fn different_questions_have_different_fingerprints() {
        let rules = json!(null);
        let text = json!("{bad");
        let fingerprints = [
            Fingerprint::new("f", Err("{bad"), &rules),
            Fingerprint::new("f", Ok(&text), &rules),
            Fingerprint::new("f\n\"{bad\"", Ok(&rules), &rules),
            Fingerprint::new("f", Ok(&json!(1)), &rules),
            Fingerprint::new("f", Ok(&json!(1.0)), &rules),
            Fingerprint::new("f", Ok(&json!("1")), &rules),
            Fingerprint::new("f", Ok(&json!(1)), &json!(1)),
        ];
        for (index, fingerprint) in fingerprints.iter().enumerate() {
            assert_eq!(
                fingerprints.iter().position(|other| other == fingerprint),
                Some(index)
            );
        }
    }
}
