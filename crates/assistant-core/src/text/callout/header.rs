//! Parses the header of a callout, which contains the name and the id by position or as
//! assignments.

use super::line::HeaderKind;

/// The parsed fields of a header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: Option<String>,
    pub(super) id: Option<String>,
}

impl Header {
    /// Parses the header from the first line of a callout.
    pub(super) fn parse_line(line: &str, kind: HeaderKind) -> Self {
        let args = match kind {
            HeaderKind::Quote => line
                .split_once('[')
                .and_then(|(_, inner)| inner.split_once(']'))
                .and_then(|(inner, _)| inner.get("!tool".len()..)),
            HeaderKind::Fence => line
                .trim_start_matches([' ', '\t', '`', '~'])
                .trim_end_matches('\r')
                .get("tool".len()..),
        };
        Self::parse_arguments(args.unwrap_or_default())
    }

    /// Parses the text after the word `tool`. Assignments take precedence, in any order; the first
    /// two bare words then fill the remaining fields, the name first.
    fn parse_arguments(args: &str) -> Self {
        let mut header = Self::default();
        let mut bare_words = Vec::new();
        let mut rest = args.trim_start_matches(BLANKS);
        while !rest.is_empty() {
            let (token, after) = split_token(rest);
            match token {
                HeaderToken::Bare(word) if bare_words.len() < 2 => bare_words.push(word),
                HeaderToken::Bare(_) => {}
                HeaderToken::Assigned(key, value) => header.assign_field(key, value),
            }
            rest = after.trim_start_matches(BLANKS);
        }
        for word in bare_words {
            if header.name.is_none() {
                header.name = Some(word.to_owned());
            } else if header.id.is_none() {
                header.id = Some(word.to_owned());
            }
        }
        header
    }

    fn assign_field(&mut self, key: &str, value: &str) {
        let matches_key = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(key));
        let field = if matches_key(&["name", "tool", "toolname"]) {
            &mut self.name
        } else if matches_key(&["id", "toolcallid", "call", "callid"]) {
            &mut self.id
        } else {
            return;
        };
        // Blank values are ignored, and so are repeated assignments to the same field.
        if field.is_none() && !value.trim().is_empty() {
            *field = Some(value.to_owned());
        }
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

enum HeaderToken<'a> {
    Bare(&'a str),
    Assigned(&'a str, &'a str),
}

/// Splits off the first token of a text that does not start with a blank.
fn split_token(text: &str) -> (HeaderToken<'_>, &str) {
    let end = text.find(BLANKS).unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let Some((key, value)) = word.split_once('=') else {
        return (HeaderToken::Bare(word), after);
    };
    let assigned_text = text.split_once('=').map_or(value, |(_, value)| value);
    match split_quoted_value(assigned_text) {
        Some((value, after)) => (HeaderToken::Assigned(key, value), after),
        None => (HeaderToken::Assigned(key, value), after),
    }
}

/// Splits off a quoted value. Returns `None` if the text does not begin with a quoted value, or if
/// the closing quote is not followed by a blank or the end of the text.
fn split_quoted_value(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (value, after) = text.strip_prefix(quote)?.split_once(quote)?;
    (after.is_empty() || after.starts_with(BLANKS)).then_some((value, after))
}
