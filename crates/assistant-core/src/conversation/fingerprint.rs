//! Creates fingerprints of calls and questions as the user saw them, from the name, the exact
//! arguments and the rules.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::json::canonical::canonical;

/// The canonical form of a call or a question, as the user saw it when the page or an agent asked.
///
/// A decision contains the fingerprint, and applies only while the call has an equal fingerprint. A
/// fingerprint contains the text itself and not a hash, so that no two questions share one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(Arc<str>);

impl Fingerprint {
    /// Returns the fingerprint of a question. Arguments that are not JSON count as text.
    pub(crate) fn new(name: &str, args: Result<&Value, &str>, rules: &Value) -> Self {
        let args = match args {
            Ok(args) => canonical(args),
            // Distinguishes it from a JSON string with the same text.
            Err(text) => format!("text {}", canonical(&Value::from(text))),
        };
        let name = canonical(&Value::from(name));
        let rules = canonical(rules);
        Self(format!("{name}\n{args}\n{rules}").into())
    }

    /// Returns the fingerprint of an unknown question. It differs from the fingerprint of every
    /// call and of every known question.
    pub(crate) fn unknown() -> Self {
        Self("unknown".into())
    }

    /// Returns the fingerprint of an agent's question together with that of the call that the
    /// question is about, if any.
    pub(crate) fn from_question(question: &Value, about: Option<&Self>) -> Self {
        let question = canonical(question);
        let about = about.map_or("", |about| &*about.0);
        Self(format!("question {question}\n{about}").into())
    }
}

impl Fingerprint {
    /// Returns the fingerprint of a card: of the call, and of the agent's questions that the card
    /// shows.
    pub(crate) fn from_card(call: Self, questions: &[Self]) -> Self {
        if questions.is_empty() {
            return call;
        }
        let all = std::iter::once(&call).chain(questions);
        let all: Value = all
            .map(|fingerprint| Value::from(&*fingerprint.0))
            .collect();
        Self(format!("card {}", canonical(&all)).into())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.0.chars().take(80).collect();
        write!(f, "Fingerprint({shown:?})")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Fingerprint;

    #[test]
    fn different_questions_have_different_fingerprints() {
        let rules = json!(null);
        let words = json!("{bad");
        let prints = [
            Fingerprint::new("f", Err("{bad"), &rules),
            Fingerprint::new("f", Ok(&words), &rules),
            Fingerprint::new("f\n\"{bad\"", Ok(&rules), &rules),
            Fingerprint::new("f", Ok(&json!(1)), &rules),
            Fingerprint::new("f", Ok(&json!(1.0)), &rules),
            Fingerprint::new("f", Ok(&json!("1")), &rules),
            Fingerprint::new("f", Ok(&json!(1)), &json!(1)),
        ];
        for (at, one) in prints.iter().enumerate() {
            assert_eq!(prints.iter().position(|other| other == one), Some(at));
        }
    }
}
