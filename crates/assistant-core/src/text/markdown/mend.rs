//! Unfinished markup.

use std::borrow::Cow;

/// Closes what is open.
#[must_use]
pub fn mend(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}
