//! Parses JSON Pointers (RFC 6901) and resolves them in values.
//!
//! The module [`super::patch`] changes the values at the resolved locations.

use serde_json::Value;

/// A path to a location in a JSON value. Equal pointers lead to the same location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// Parses a pointer. Returns `None` if the text is non-empty and does not begin with `/`, or if
    /// the text contains a `~` that is not followed by `0` or `1`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let tokens = text.strip_prefix('/')?.split('/').map(unescape);
        Some(Self {
            tokens: tokens.collect::<Option<_>>()?,
        })
    }

    /// Returns the unescaped names and indexes of the path, which is empty for the root.
    #[must_use]
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }

    /// Returns the value at the pointer's location; `None` if the location does not exist.
    #[must_use]
    pub fn get<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        self.tokens.iter().try_fold(root, |node, token| match node {
            Value::Object(map) => map.get(token),
            Value::Array(items) => items.get(parse_index(token)?),
            _ => None,
        })
    }

    pub(super) fn get_mut<'a>(&self, root: &'a mut Value) -> Option<&'a mut Value> {
        resolve_mut(&self.tokens, root)
    }

    /// Returns the parent node and the last token; `None` for the root, and if the parent does not
    /// exist.
    pub(super) fn parent_mut<'a, 'p>(
        &'p self,
        root: &'a mut Value,
    ) -> Option<(&'a mut Value, &'p str)> {
        let (last_token, parent_tokens) = self.tokens.split_last()?;
        Some((resolve_mut(parent_tokens, root)?, last_token))
    }

    /// Returns true if `other` leads to a location inside the value at this pointer.
    pub(super) fn is_above(&self, other: &Self) -> bool {
        self.tokens.len() < other.tokens.len() && other.tokens.starts_with(&self.tokens)
    }

    /// Returns the pointer with its last token replaced by `token`. The root pointer stays
    /// unchanged.
    pub(super) fn with_last_token(mut self, token: String) -> Self {
        if let Some(last) = self.tokens.last_mut() {
            *last = token;
        }
        self
    }
}

/// Parses an array index; `None` if the token is not a decimal number without leading zeros, or if
/// the number is too large.
pub(super) fn parse_index(token: &str) -> Option<usize> {
    let has_only_digits = token.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = token.len() > 1 && token.starts_with('0');
    if has_only_digits && !has_leading_zero {
        token.parse().ok()
    } else {
        None
    }
}

fn resolve_mut<'a>(tokens: &[String], root: &'a mut Value) -> Option<&'a mut Value> {
    tokens.iter().try_fold(root, |node, token| match node {
        Value::Object(map) => map.get_mut(token),
        Value::Array(items) => items.get_mut(parse_index(token)?),
        _ => None,
    })
}

fn unescape(token: &str) -> Option<String> {
    let mut text = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(ch) = chars.next() {
        text.push(match ch {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            _ => ch,
        });
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::Pointer;
    use serde_json::json;

    #[test]
    fn pointers_follow_the_examples_of_rfc_6901() {
        let doc = json!({
            "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5,
            "k\"l": 6, " ": 7, "m~n": 8
        });
        let get = |text: &str| Pointer::parse(text).unwrap().get(&doc).cloned();
        assert_eq!(get(""), Some(doc.clone()));
        assert_eq!(get("/foo"), Some(json!(["bar", "baz"])));
        assert_eq!(get("/foo/0"), Some(json!("bar")));
        let names = [
            "/", "/a~1b", "/c%d", "/e^f", "/g|h", "/i\\j", "/k\"l", "/ ", "/m~0n",
        ];
        for (value, text) in names.into_iter().enumerate() {
            assert_eq!(get(text), Some(json!(value)), "{text}");
        }
    }

    #[test]
    fn invalid_pointers_and_indices_are_rejected() {
        for text in ["a", "#/a", "/~", "/~2", "/a~"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
        let doc = json!([1]);
        for text in [
            "/00",
            "/01",
            "/-",
            "/+0",
            "/1",
            "/-0",
            "/1e0",
            "/99999999999999999999999",
            "/",
        ] {
            assert_eq!(Pointer::parse(text).unwrap().get(&doc), None, "{text}");
        }
        assert_eq!(Pointer::parse("/~01").unwrap().tokens(), ["~1"]);
    }
}
