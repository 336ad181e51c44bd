//! Repairs unfinished markup at the end of a streamed text.
//!
//! Without a repair, the user would see raw marks appear and vanish. Open markup is closed
//! (`**bold` is bold), ambiguous markup is held back (a partial image or tag, marks at the very
//! end), and a table head gets a delimiter row, so that the table is shown from its first line.
//! Only the end of a text is repaired, and only while more text may follow; the finished text is
//! parsed without changes.
//!
//! * `place` – the open part of the text, and its kind
//! * `inline` – the open markup in that part

mod inline;
mod place;

use std::borrow::Cow;

use place::{OpenPart, find_open_part};

/// Returns the text with its end repaired.
#[must_use]
pub fn repair(text: &str) -> Cow<'_, str> {
    match find_open_part(text) {
        OpenPart::Done => Cow::Borrowed(text),
        OpenPart::Held { before } => Cow::Borrowed(text.get(..before).unwrap_or(text)),
        OpenPart::Table {
            head,
            cell,
            columns,
            prefix,
        } => {
            let row = text.get(cell..head).unwrap_or_default();
            let end = inline::repair_end(row, false);
            let visible_text = text.get(..cell + end.keep).unwrap_or(text);
            let row_end = if row.trim().is_empty() { "" } else { " |" };
            let mut repaired_text = [visible_text, &end.close, row_end, "\n"].concat();
            repaired_text.push_str(prefix);
            repaired_text.push('|');
            for _ in 0..columns {
                repaired_text.push_str("-|");
            }
            Cow::Owned(repaired_text)
        }
        OpenPart::Inline { at, item, html } => {
            let (before, open_text) = text.split_at_checked(at).unwrap_or((text, ""));
            let end = inline::repair_end(open_text, item);
            let visible_text = open_text.get(..end.keep).unwrap_or(open_text);
            if end.close.is_empty() && visible_text.len() == open_text.len() {
                return Cow::Borrowed(text);
            }
            let close = if html { "" } else { end.close.as_str() };
            Cow::Owned([before, visible_text, close].concat())
        }
    }
}
