//! Finds the arguments of a call that the description of the call does not mention. These arguments
//! are shown below the description, and cannot be collapsed.
//!
//! A value counts as mentioned only if it can be read in the description: each leaf as a separate
//! word, as often as the leaf occurs in the arguments. If a mention is uncertain, the argument is
//! shown below the description as well.

use serde_json::{Map, Value};

use super::text_pieces::{EscapeMode, has_escaped_characters};

/// The minimum length of a value that the sentence or a longer row can mention, in characters.
/// Shorter values could match by accident, so only a row with exactly that value mentions them.
const MIN_MENTIONED: usize = 4;
/// The maximum number of leaves that are searched for.
const MAX_LEAVES: usize = 50;

/// A description: its sentence, and rows of a name and a value.
pub(super) struct ShownText<'a> {
    pub(super) sentence: &'a str,
    pub(super) rows: &'a [(String, String)],
}

/// Returns the arguments that the description does not mention: an object of the unmentioned
/// arguments, or `args` itself if the value is not an object; `None` if the description mentions
/// all arguments.
pub(super) fn find_unmentioned(args: &Value, description: &ShownText<'_>) -> Option<Value> {
    let Value::Object(args) = args else {
        let mut leaves = Vec::new();
        let is_mentioned = collect_leaves(args, &mut leaves)
            && leaves.iter().all(|leaf| description.mentions("", leaf, 1));
        return (!is_mentioned).then(|| args.clone());
    };
    let entries: Vec<(&str, Vec<String>, bool)> = args
        .iter()
        .map(|(key, value)| {
            let mut leaves = Vec::new();
            let is_mentionable = collect_leaves(value, &mut leaves);
            (key.as_str(), leaves, is_mentionable)
        })
        .collect();
    // All arguments are returned, because a description on the card cannot mention so many leaves.
    if entries
        .iter()
        .map(|(_, leaves, _)| leaves.len())
        .sum::<usize>()
        > MAX_LEAVES
    {
        return Some(Value::Object(args.clone()));
    }
    let count_equal_leaves = |leaf: &str| {
        let leaves = entries.iter().flat_map(|(_, leaves, _)| leaves);
        leaves.filter(|entry_leaf| *entry_leaf == leaf).count()
    };
    let unmentioned = entries.iter().filter(|(key, leaves, is_mentionable)| {
        !(*is_mentionable
            && leaves
                .iter()
                .all(|leaf| description.mentions(key, leaf, count_equal_leaves(leaf))))
    });
    let unmentioned: Map<String, Value> = unmentioned
        .filter_map(|(key, ..)| Some(((*key).to_owned(), args.get(*key)?.clone())))
        .collect();
    (!unmentioned.is_empty()).then_some(Value::Object(unmentioned))
}

/// Collects the leaves of a value as text. Returns false if a description cannot mention the value:
/// because of an object, null, an empty or too long list, or a text that is blank, begins or ends
/// with whitespace, or has hidden characters.
fn collect_leaves(value: &Value, leaves: &mut Vec<String>) -> bool {
    match value {
        Value::Array(items) => {
            !items.is_empty()
                && items.len() <= MAX_LEAVES
                && items.iter().all(|item| collect_leaves(item, leaves))
        }
        // A mention of a nested leaf does not show the position of the leaf.
        Value::Object(_) | Value::Null => false,
        Value::String(text) => {
            leaves.push(text.clone());
            !text.trim().is_empty()
                && text.trim() == text
                && !has_escaped_characters(text, EscapeMode::Exact)
        }
        value => {
            leaves.push(value.to_string());
            true
        }
    }
}

impl ShownText<'_> {
    /// Returns true if a row with the name of the argument contains the leaf, or if the sentence
    /// and the rows mention the leaf at least `times` times. A short leaf must be the exact value
    /// of at least `times` rows instead.
    fn mentions(&self, key: &str, leaf: &str, times: usize) -> bool {
        let has_name = |name: &str| normalize_name(name) == normalize_name(key);
        if self
            .rows
            .iter()
            .any(|(name, value)| has_name(name) && count_word_occurrences(value, leaf) > 0)
        {
            return true;
        }
        let exact_rows = self.rows.iter().filter(|(_, value)| value == leaf).count();
        if leaf.chars().count() < MIN_MENTIONED {
            return exact_rows >= times;
        }
        let rows = self
            .rows
            .iter()
            .map(|(_, value)| count_word_occurrences(value, leaf));
        rows.sum::<usize>() + count_word_occurrences(self.sentence, leaf) >= times
    }
}

/// Reduces a name to its letters and digits in lower case, so that `fileName`, `file_name` and
/// "File name" are equal.
fn normalize_name(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Counts the occurrences of a word that are separate from the text around them: `2.0` does not
/// occur in `12.0` or `2.0.1`.
fn count_word_occurrences(text: &str, word: &str) -> usize {
    let is_joining =
        |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !"()[]{}\"“”„‘’«»?!;=".contains(c);
    let separate_matches = text.match_indices(word).filter(|(index, word)| {
        let mut before = text.get(..*index).unwrap_or_default().chars().rev();
        let mut after = text.get(index + word.len()..).unwrap_or_default().chars();
        let is_separated = |chars: &mut dyn Iterator<Item = char>| match chars.next() {
            Some(c) if c.is_alphanumeric() => false,
            // A punctuation mark belongs to the word if a letter or digit follows the mark.
            Some(c) if is_joining(c) => {
                !chars.next().is_some_and(char::is_alphanumeric) && c != '-'
            }
            _ => true,
        };
        is_separated(&mut before) && is_separated(&mut after)
    });
    separate_matches.count()
}

#[cfg(test)]
mod tests {
    use super::{ShownText, find_unmentioned};
    use serde_json::{Value, json};

    fn unmentioned_in(args: &Value, sentence: &str, rows: &[(&str, &str)]) -> Value {
        let rows: Vec<_> = rows
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let description = ShownText {
            sentence,
            rows: &rows,
        };
        find_unmentioned(args, &description).unwrap_or(Value::Null)
    }

    #[test]
    fn a_value_shown_as_a_separate_word_is_mentioned() {
        let args = json!({"version": "2.4.0", "to": "ada@example.org"});
        let nothing = Value::Null;
        assert_eq!(
            unmentioned_in(&args, "Send 2.4.0 to ada@example.org?", &[]),
            nothing
        );
        let rows = [("Version", "2.4.0"), ("To", "ada@example.org")];
        assert_eq!(unmentioned_in(&args, "Deploy?", &rows), nothing);
        for sentence in [
            "Send 12.4.0 to ada@example.org?",
            "Send 2.4.01 to ada@example.org?",
            "Send 2.4.0.1 to ada@example.org?",
            "Send v-2.4.0 to ada@example.org?",
        ] {
            assert_eq!(
                unmentioned_in(&args, sentence, &[]),
                json!({"version": "2.4.0"}),
                "{sentence}"
            );
        }
    }

    #[test]
    fn values_not_shown_remain() {
        let args = json!({"to": "Ada", "cc": "eve@evil.example", "draft": false, "note": ""});
        let rows = [("To", "Ada")];
        let expected = json!({"cc": "eve@evil.example", "draft": false, "note": ""});
        assert_eq!(unmentioned_in(&args, "Send the mail?", &rows), expected);
        // One mention does not cover two equal values.
        let repeated = json!({"from": "Ada Lovelace", "to": "Ada Lovelace"});
        assert_eq!(
            unmentioned_in(&repeated, "Pay Ada Lovelace?", &[]),
            repeated
        );
        let rows = [("From", "Ada Lovelace")];
        assert_eq!(
            unmentioned_in(&repeated, "Pay?", &rows),
            json!({"to": "Ada Lovelace"})
        );
        // Short values match by accident.
        let short = json!({"replicas": 2});
        assert_eq!(unmentioned_in(&short, "Deploy 2 versions?", &[]), short);
        assert_eq!(
            unmentioned_in(&short, "", &[("Replicas", "2")]),
            Value::Null
        );
    }

    #[test]
    fn a_list_is_mentioned_by_all_its_items_and_an_object_never() {
        let list = json!({"to": ["Ada Lovelace", "Bea Arthur"]});
        assert_eq!(
            unmentioned_in(&list, "", &[("To", "Ada Lovelace, Bea Arthur")]),
            Value::Null
        );
        assert_eq!(unmentioned_in(&list, "", &[("To", "Ada Lovelace")]), list);
        let nested = json!({"address": {"street": "Main Street"}});
        assert_eq!(
            unmentioned_in(&nested, "", &[("Address", "Main Street")]),
            nested
        );
        assert_eq!(
            unmentioned_in(&json!("Main Street"), "Main Street?", &[]),
            Value::Null
        );
        // Invisible characters are shown by their codes.
        let hidden = json!({"to": "Ada\u{200b}Lovelace"});
        assert_eq!(
            unmentioned_in(&hidden, "Pay Ada\u{200b}Lovelace?", &[]),
            hidden
        );
        for value in [json!({}), json!({"a": []}), json!(null), json!([])] {
            let _ = unmentioned_in(&value, "", &[]);
        }
    }
}
