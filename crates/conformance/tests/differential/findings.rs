//! Compares the findings of the reference's schema, of which there may be several, with the one
//! fault that our decoder reports.

use serde_json::Value;

use crate::compare::rule;

/// A finding of the reference's schema.
struct Finding {
    /// The location: a JSON Pointer into the value from which the reference has removed unknown
    /// fields.
    place: String,
    message: String,
}

impl Finding {
    /// Returns true if the finding is a value outside of a closed set.
    fn is_unknown_word(&self) -> bool {
        self.message.starts_with("Invalid option: expected one of ")
    }
}

/// Returns true if all findings are values outside of closed sets, or are within items that our
/// decoder removed because of such values.
pub fn has_only_unknown_words(reference: &Value, ours: &Value) -> bool {
    let findings = parse_findings(reference);
    let removed = RemovedItems::from_diagnostics(&findings, ours);
    let mut all = findings.iter();
    !findings.is_empty() && all.all(|finding| removed.has_unknown_word_in(finding))
}

/// Returns true if our fault has the location and the message of the first finding that is not
/// within an item that our decoder removed because of an unknown value.
pub fn has_same_first_finding(
    reference: &Value,
    ours: &Value,
    met: &mut Vec<&'static str>,
) -> bool {
    let findings = parse_findings(reference);
    let removed = RemovedItems::from_diagnostics(&findings, ours);
    let error = ours["error"].as_str().unwrap_or_default();
    let fault = error
        .split_once(": {")
        .map(|(_, fault)| serde_json::from_str::<Value>(&format!("{{{fault}")));
    let Some(Ok(fault)) = fault else { return false };
    let left = findings
        .iter()
        .position(|finding| !removed.has_unknown_word_in(finding));
    let Some(first) = left else { return false };
    if first > 0 {
        met.push(rule::WORD);
    }
    let first = &findings[first];
    let place = removed.sent_location(&first.place);
    if place != first.place {
        met.push(rule::BEHIND);
    }
    fault["path"] == place && fault["message"] == first.message
}

fn parse_findings(reference: &Value) -> Vec<Finding> {
    let error = reference["error"].as_str().unwrap_or_default();
    let Some(Value::Array(findings)) = error
        .starts_with('[')
        .then(|| serde_json::from_str(error).unwrap())
    else {
        return Vec::new();
    };
    let place = |path: &Value| {
        let steps = path.as_array().unwrap().iter();
        steps
            .map(|step| match step {
                Value::String(key) => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
                index => format!("/{index}"),
            })
            .collect()
    };
    findings
        .iter()
        .map(|finding| Finding {
            place: place(&finding["path"]),
            message: finding["message"].as_str().unwrap().to_owned(),
        })
        .collect()
}

/// The locations of the items that our decoder removed, according to its diagnostics.
struct RemovedItems {
    /// Items that our decoder removed because of an unknown value. The reference rejects the value
    /// instead, so that the items are still in its result.
    with_words: Vec<String>,
    /// Items that the reference removed, too, before its check.
    in_both: Vec<String>,
}

impl RemovedItems {
    fn from_diagnostics(findings: &[Finding], ours: &Value) -> Self {
        let notes = ours["diagnostics"].as_array().unwrap();
        let places = notes.iter().filter_map(|note| {
            let message = note["message"].as_str()?;
            match note["code"].as_str()? {
                "unknown-event" => Some(String::new()),
                "unknown-field" => Some(message.split('\'').nth(1)?.to_owned()),
                _ => None,
            }
        });
        let (with_words, in_both) = places.partition(|place| {
            let mut words = findings.iter().filter(|finding| finding.is_unknown_word());
            words.any(|word| is_within(&word.place, place))
        });
        Self {
            with_words,
            in_both,
        }
    }

    fn has_unknown_word_in(&self, finding: &Finding) -> bool {
        let mut places = self.with_words.iter();
        places.any(|place| is_within(&finding.place, place))
    }

    /// Returns a finding's location in the event as it was sent, by counting the list elements that
    /// were removed before it.
    fn sent_location(&self, place: &str) -> String {
        let mut sent = String::new();
        for step in place.split('/').skip(1) {
            let mut index = step.parse::<usize>().ok();
            for removed in &self.in_both {
                let element = removed
                    .strip_prefix(&sent)
                    .and_then(|rest| rest.strip_prefix('/'));
                let element = element.and_then(|element| element.parse::<usize>().ok());
                if let (Some(index), Some(element)) = (&mut index, element)
                    && element <= *index
                {
                    *index += 1;
                }
            }
            match index {
                Some(index) => sent += &format!("/{index}"),
                None => sent += &format!("/{step}"),
            }
        }
        sent
    }
}

fn is_within(place: &str, outer: &str) -> bool {
    place
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
