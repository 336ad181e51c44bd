//! Reads and replaces labels by name, and checks that the labels in an application's own language
//! are complete.

use std::{error::Error, fmt};

use super::{super::plural::without_forms, LabelName, Labels, Word};

impl Labels {
    /// Returns the text of a label.
    #[must_use]
    pub fn get(&self, label: LabelName) -> &str {
        self.text(label)
    }

    /// Replaces the text of a label.
    pub fn set(&mut self, label: LabelName, text: impl Into<Word>) {
        if let Some(current) = self.texts.get_mut(label as usize) {
            *current = text.into();
        }
    }

    /// Replaces the given texts and keeps the other texts.
    ///
    /// ```
    /// use leptos_assistant::{LabelName, Labels};
    ///
    /// let labels = Labels::default().with([
    ///     (LabelName::Send, "Senden"),
    ///     (LabelName::NewMessages, "{count, plural, one {# neue Nachricht} other {# neue Nachrichten}}"),
    /// ]);
    /// assert_eq!(labels.get(LabelName::Send), "Senden");
    /// assert_eq!(labels.get(LabelName::Stop), "Stop");
    /// ```
    #[must_use]
    pub fn with<T: Into<Word>>(mut self, texts: impl IntoIterator<Item = (LabelName, T)>) -> Self {
        for (label, text) in texts {
            self.set(label, text);
        }
        self
    }

    /// Sets the language of the texts, as a language tag such as `nl`: the language of their plural
    /// forms, and of the dates, times and numbers beside them.
    ///
    /// The default is the language of the translation: `en` for `Labels::default()`. Labels that
    /// [`complete`](Self::complete) returns have the page's language (`<html lang>`). A page in the
    /// same language adds its region, such as `en-GB`.
    ///
    /// ```
    /// use leptos_assistant::{LabelName, Labels};
    ///
    /// let steps = "{count, plural, one {# krok} few {# kroki} other {# kroków}}";
    /// let labels = Labels::default().with([(LabelName::ToolCalls, steps)]).in_language("pl");
    /// assert_eq!(labels.get(LabelName::ToolCalls), steps);
    /// ```
    #[must_use]
    pub fn in_language(mut self, tag: impl Into<Word>) -> Self {
        self.language = tag.into();
        self
    }

    /// Creates labels from the texts of all labels, such as those of another language.
    ///
    /// # Errors
    ///
    /// Returns the names of the labels without a text, and the names of the labels with different
    /// placeholders than in the English text, or with plural forms but no form for `other`. An
    /// application can check its texts in a test.
    ///
    /// ```
    /// use leptos_assistant::{LabelName, Labels};
    ///
    /// let error = Labels::complete([(LabelName::NewMessages, "neue Nachrichten")]).unwrap_err();
    /// assert!(error.missing().contains(&LabelName::Send));
    /// assert_eq!(error.wrong_placeholders(), [LabelName::NewMessages]);
    /// ```
    pub fn complete<T: Into<Word>>(
        texts: impl IntoIterator<Item = (LabelName, T)>,
    ) -> Result<Self, IncompleteLabels> {
        let english = Self::default();
        let mut labels = english.clone().in_language("");
        let mut error = IncompleteLabels {
            missing: LabelName::ALL.to_vec(),
            wrong_placeholders: Vec::new(),
        };
        for (label, text) in texts {
            labels.set(label, text);
            error.missing.retain(|missing| *missing != label);
        }
        for &label in LabelName::ALL {
            let [text, english_text] = [&labels, &english].map(|of| without_forms(of.get(label)));
            if placeholders(&text) != placeholders(&english_text) {
                error.wrong_placeholders.push(label);
            }
        }
        match error.missing.is_empty() && error.wrong_placeholders.is_empty() {
            true => Ok(labels),
            false => Err(error),
        }
    }

    /// Replaces sentences about invalid values and failed calls, by their keys.
    ///
    /// A key is the violated JSON Schema keyword (`minimum`, `maxLength`, `enum`, …, for `type` the
    /// name of the expected type), or
    /// [`ErrorKind::as_str`](assistant_core::conversation::ErrorKind::as_str), or `denied`,
    /// `cancelled`, `skipped`. `{limit}` is the value of the keyword. Without a replacement for
    /// `required`, the label `Required` is used.
    ///
    /// ```
    /// use leptos_assistant::Labels;
    ///
    /// let labels = Labels::default().with_reasons([
    ///     ("minimum", "mindestens {limit}"),
    ///     ("integer", "muss eine ganze Zahl sein"),
    /// ]);
    /// assert_ne!(labels, Labels::default());
    /// ```
    #[must_use]
    pub fn with_reasons<T: Into<Word>>(
        mut self,
        texts: impl IntoIterator<Item = (&'static str, T)>,
    ) -> Self {
        let reasons = self.reasons.to_mut();
        for (key, text) in texts {
            reasons.retain(|(known, _)| *known != key);
            reasons.push((key, text.into()));
        }
        self
    }
}

/// Returns the names of the placeholders in a text, sorted.
fn placeholders(text: &str) -> Vec<&str> {
    let tails = text.split('{').skip(1);
    let mut names: Vec<_> = tails
        .filter_map(|tail| Some(tail.split_once('}')?.0))
        .collect();
    names.sort_unstable();
    names
}

/// The error of [`Labels::complete`]: labels without a text, and labels with wrong placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteLabels {
    missing: Vec<LabelName>,
    wrong_placeholders: Vec<LabelName>,
}

impl IncompleteLabels {
    /// Returns the labels without a text.
    #[must_use]
    pub fn missing(&self) -> &[LabelName] {
        &self.missing
    }

    /// Returns the labels with different placeholders than in the English text, or with plural
    /// forms but no form for `other`.
    #[must_use]
    pub fn wrong_placeholders(&self) -> &[LabelName] {
        &self.wrong_placeholders
    }
}

impl fmt::Display for IncompleteLabels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |labels: &[LabelName]| {
            let names: Vec<_> = labels.iter().map(|label| label.name()).collect();
            names.join(", ")
        };
        if !self.missing.is_empty() {
            write!(f, "labels without a text: {}", names(&self.missing))?;
        }
        if !self.missing.is_empty() && !self.wrong_placeholders.is_empty() {
            f.write_str("; ")?;
        }
        if !self.wrong_placeholders.is_empty() {
            let names = names(&self.wrong_placeholders);
            write!(
                f,
                "labels with other placeholders than in English, or without a plural form for `other`: {names}"
            )?;
        }
        Ok(())
    }
}

impl Error for IncompleteLabels {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_labels_are_words_joined_by_underscores() {
        for label in LabelName::ALL {
            let name = label.name();
            let is_word =
                |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
            assert!(name.split('_').all(is_word), "{name}");
        }
    }

    #[test]
    fn an_incomplete_language_is_refused_by_the_names_of_its_labels() {
        let texts = LabelName::ALL.iter().map(|label| (*label, label.name()));
        let error = Labels::complete(texts.skip(1)).unwrap_err();
        assert_eq!(error.missing(), [LabelName::Title]);
        let message = error.to_string();
        assert!(
            message.starts_with("labels without a text: title; "),
            "{message}"
        );
        assert!(error.wrong_placeholders().contains(&LabelName::NewMessages));
        assert!(!error.wrong_placeholders().contains(&LabelName::Send));
        assert!(
            message.contains("other placeholders than in English, or"),
            "{message}"
        );
    }

    #[test]
    fn a_complete_language_has_its_texts() {
        let english = Labels::default();
        let table = LabelName::ALL
            .iter()
            .map(|label| (*label, format!("„{}“", english.get(*label))));
        let labels = Labels::complete(table).unwrap();
        assert_eq!(labels.get(LabelName::Send), "„Send“");
        assert_eq!(
            labels.get(LabelName::ShowAll),
            "„Show all {count} messages“"
        );
    }

    #[test]
    fn plural_forms_count_as_one_placeholder_and_need_a_form_for_other() {
        let is_refused = |text: &'static str| {
            let texts = LabelName::ALL.iter().map(|label| (*label, label.name()));
            let error = Labels::complete(texts.chain([(LabelName::NewMessages, text)]));
            let error = error.unwrap_err();
            error.wrong_placeholders().contains(&LabelName::NewMessages)
        };
        for text in [
            "{count} berichten",
            "{count, plural, one {# bericht} other {# berichten}}",
        ] {
            assert!(!is_refused(text), "{text}");
        }
        for text in [
            "{count, plural, one {# bericht}}",
            "{count, plural, one {",
            "berichten",
        ] {
            assert!(is_refused(text), "{text}");
        }
    }

    #[test]
    fn a_replaced_reason_leaves_the_others() {
        let labels = Labels::default().with_reasons([("integer", "ganze Zahl")]);
        assert_eq!(labels.reason("integer", "", ""), "ganze Zahl");
        let english = Labels::default();
        assert_eq!(
            labels.reason("pattern", "", ""),
            english.reason("pattern", "", "")
        );
    }
}
