//! Inserts counts into labels, in the plural form that the language of the labels requires.
//!
//! A label with one form contains `{count}`. A label with several forms lists them in the syntax of
//! ICU messages: `{count, plural, one {# step} other {# steps}}`. The names of the forms are the
//! plural categories of Unicode, `#` is the count, and `other` is the form for all categories
//! without a form. Forms cannot contain placeholders.

use std::borrow::Cow;

use super::{LabelName, Labels, Words, in_browser};

/// The start of the plural forms in a label.
const PLURAL_START: &str = "{count, plural,";

impl Words {
    /// Returns a label with a count; tracked when called in a reactive closure.
    pub(crate) fn count(&self, label: LabelName, count: usize) -> String {
        let labels = self.get();
        labels.insert_count(labels.text(label), count)
    }

    /// Returns a label with a number and the number of all items, as in "2 of 3"; tracked when
    /// called in a reactive closure.
    pub(crate) fn position(&self, label: LabelName, number: usize, count: usize) -> String {
        let labels = self.get();
        labels.insert_position(labels.text(label), number, count)
    }
}

impl Labels {
    /// Inserts a count into one of the labels.
    pub(crate) fn insert_count(&self, label: &str, count: usize) -> String {
        self.insert_count_text(label, as_float(count), &self.format_count(count))
    }

    /// Inserts a formatted count into one of the labels; `count` selects the plural form.
    pub(crate) fn insert_count_text(
        &self,
        label: &str,
        count: f64,
        formatted_count: &str,
    ) -> String {
        let label = label.replace("{count}", formatted_count);
        match PluralLabel::parse(&label) {
            Some(parsed) => parsed.insert(&self.category(count), formatted_count),
            None => label,
        }
    }

    fn insert_position(&self, label: &str, number: usize, count: usize) -> String {
        self.insert_count(
            &label.replace("{number}", &self.format_count(number)),
            count,
        )
    }

    /// Formats a count.
    pub(crate) fn format_count(&self, count: usize) -> String {
        match in_browser() {
            true => self.format_number(as_float(count), false),
            false => count.to_string(),
        }
    }

    /// Returns the plural category of a count. A server and a browser without `Intl.PluralRules`
    /// use the categories of English.
    ///
    /// The category of 1 is never `other`: a text with a form for `one` is in a language that uses
    /// that form for 1, even if other texts are in a language without the category `one`, such as
    /// Japanese.
    fn category(&self, count: f64) -> Cow<'static, str> {
        let by_browser = in_browser().then(|| self.plural_category(count));
        let category = by_browser.flatten().filter(|category| category != "other");
        match category {
            Some(category) => category.into(),
            None if (count - 1.0).abs() < f64::EPSILON => "one".into(),
            None => "other".into(),
        }
    }
}

/// Returns a label with `{count}` instead of its plural forms. A label without a form for `other`
/// is returned unchanged.
pub(super) fn without_forms(label: &str) -> Cow<'_, str> {
    match PluralLabel::parse(label) {
        Some(parsed) if parsed.form("other").is_some() => {
            [parsed.before, "{count}", parsed.after].concat().into()
        }
        _ => label.into(),
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "counts are far below the integers that a float cannot represent"
)]
const fn as_float(count: usize) -> f64 {
    count as f64
}

/// A label with plural forms, split into its parts.
struct PluralLabel<'a> {
    before: &'a str,
    /// The forms, each with its category: `one {# step} other {# steps}`.
    forms: &'a str,
    after: &'a str,
}

impl<'a> PluralLabel<'a> {
    /// Splits a label; `None` if the label has no plural forms, or if the forms do not end.
    fn parse(label: &'a str) -> Option<Self> {
        let (before, rest) = label.split_once(PLURAL_START)?;
        let mut depth = 0_usize;
        let end = rest.find(|character| {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => return true,
                '}' => depth -= 1,
                _ => {}
            }
            false
        })?;
        let (forms, after) = (rest.get(..end)?, rest.get(end + 1..)?);
        Some(Self {
            before,
            forms,
            after,
        })
    }

    /// Returns the form for a category.
    fn form(&self, category: &str) -> Option<&'a str> {
        self.forms.split('}').find_map(|form| {
            let (name, text) = form.split_once('{')?;
            (name.trim() == category).then_some(text)
        })
    }

    /// Returns the label with the form for a category, or the form for `other`, and a count.
    fn insert(&self, category: &str, formatted_count: &str) -> String {
        let form = self.form(category).or_else(|| self.form("other"));
        let text = form.unwrap_or("#").replace('#', formatted_count);
        [self.before, &text, self.after].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &str = "Paused after {count, plural, one {# step} other {# steps}}. Continue?";
    const ARABIC: &str =
        "{count, plural, one {خطوة واحدة} two {خطوتان} few {# خطوات} other {# خطوة}}";

    fn in_category(label: &str, category: &str, count: &str) -> String {
        PluralLabel::parse(label).unwrap().insert(category, count)
    }

    #[test]
    fn a_label_without_forms_contains_the_count() {
        assert_eq!(
            Labels::default().insert_count("{count} of many", 3),
            "3 of many"
        );
        let labels = Labels::default();
        assert_eq!(labels.insert_position("{number} / {count}", 2, 3), "2 / 3");
        let berths = "{number} of {count, plural, one {# berth} other {# berths}}";
        assert_eq!(labels.insert_position(berths, 1, 2), "1 of 2 berths");
    }

    #[test]
    fn the_form_of_a_category_is_inserted() {
        assert_eq!(
            Labels::default().insert_count(STEPS, 1),
            "Paused after 1 step. Continue?"
        );
        assert_eq!(
            Labels::default().insert_count(STEPS, 0),
            "Paused after 0 steps. Continue?"
        );
        assert_eq!(in_category(ARABIC, "two", "2"), "خطوتان");
        assert_eq!(in_category(ARABIC, "few", "7"), "7 خطوات");
    }

    #[test]
    fn a_category_without_a_form_has_the_form_of_other() {
        assert_eq!(in_category(ARABIC, "many", "11"), "11 خطوة");
        assert_eq!(
            in_category("{count, plural, one {# step}}", "other", "2"),
            "2"
        );
    }

    #[test]
    fn a_label_whose_forms_do_not_end_is_not_split() {
        for label in [
            "{count, plural, one {# step}",
            "{count, plural,",
            "{count, plural",
            "}{",
        ] {
            assert!(PluralLabel::parse(label).is_none(), "{label}");
            assert_eq!(Labels::default().insert_count(label, 1), label);
        }
        assert_eq!(Labels::default().insert_count("{count, plural,}", 4), "4");
    }

    #[test]
    fn the_forms_count_as_one_placeholder() {
        assert_eq!(without_forms(STEPS), "Paused after {count}. Continue?");
        let incomplete = "{count, plural, one {# step}}";
        assert_eq!(without_forms(incomplete), incomplete);
    }
}
