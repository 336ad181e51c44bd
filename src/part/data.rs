//! Renders data, activities, tool results and unknown parts as a card with a title. The open card
//! shows the data: an object as names and values, and any other value as text or JSON.
//!
//! The `title` of an activity, and its `status`, `message` or `text`, are shown in the summary. A
//! delta changes the texts in place. Data of the types `sources` and `files` is rendered by the
//! modules `sources` and `file`.

use std::{
    fmt::{self, Write as _},
    slice,
};

use assistant_core::conversation::Part;
use leptos::prelude::*;
use serde_json::Value;

use super::{PartHandle, file, sources};
use crate::{
    ui::{Icon, LabelName, Labels, Words, dynamic, memo, title_in_words},
    view::PartKind,
};

/// The maximum size of the displayed data, in bytes.
const MAX_DATA_SIZE: usize = 16 * 1024;
/// The maximum number of displayed pairs of a name and a value.
const MAX_PAIRS: usize = 100;
/// The maximum number of items of a list that is shown in one line.
const MAX_LIST: usize = 10;
/// The text for a null value.
const NULL_TEXT: &str = "–";
/// The maximum length of a title or status, in characters.
const MAX_LINE: usize = 120;

pub(super) fn view(part: PartHandle) -> AnyView {
    let known_type: Option<KnownType> = match part.kind() {
        PartKind::Data(kind) if kind == sources::LIST_TYPE => {
            Some((sources::is_source_list, sources::view))
        }
        PartKind::Data(kind) if kind == file::LIST_TYPE => {
            Some((file::is_file_list, file::list_view))
        }
        _ => None,
    };
    let Some((matches_type, draw)) = known_type else {
        return data_card(part);
    };
    let is_known_type = memo(move || part.with(matches_type).unwrap_or_default());
    dynamic(move || match is_known_type.get() {
        true => draw(part),
        false => data_card(part),
    })
    .into_any()
}

/// A function that detects data of a known type, and the function that renders such data.
type KnownType = (fn(&Part) -> bool, fn(PartHandle) -> AnyView);

fn data_card(part: PartHandle) -> AnyView {
    let words = Words::current();
    let is_open = RwSignal::new(false);
    let title_words = words.clone();
    let title = move || part.with(|part| part_title(&title_words.get(), part));
    let status = move || part.with(status_text).flatten();
    // The body is rendered only while the card is open, since data may be long and change often.
    let body = move || {
        let render_body = |part: &Part| part_data(part).map(|data| data_body(data, &words.get()));
        is_open
            .get()
            .then(|| part.with(render_body))
            .flatten()
            .flatten()
    };
    view! {
        <details
            class="la-part la-card la-activity"
            on:toggle=move |event| is_open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open())
        >
            <summary class="la-tool-summary">
                <span class="la-tool-icon" aria-hidden="true">{Icon::Info.view()}</span>
                <span class="la-activity-title" dir="auto">{dynamic(title)}</span>
                <span class="la-activity-state" dir="auto">{dynamic(status)}</span>
                {Icon::chevron()}
            </summary>
            <div class="la-tool-body">{dynamic(body)}</div>
        </details>
    }
    .into_any()
}

/// Returns the title of a part. The title of a data part is its field `title`, or else its type in
/// words. The title of any other part is the label of tool results or of unknown parts.
fn part_title(labels: &Labels, part: &Part) -> String {
    match part {
        Part::Data(part) => {
            text_field(part.data(), "title").unwrap_or_else(|| title_in_words(part.data_type()))
        }
        Part::ToolResult(_) => labels.text(LabelName::Result).to_string(),
        _ => labels.text(LabelName::UnknownPart).to_string(),
    }
}

fn status_text(part: &Part) -> Option<String> {
    let Part::Data(part) = part else { return None };
    let keys = ["status", "message", "text"];
    keys.into_iter()
        .find_map(|key| text_field(part.data(), key))
}

fn text_field(data: &Value, key: &str) -> Option<String> {
    let text = data.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.chars().take(MAX_LINE).collect())
}

fn part_data(part: &Part) -> Option<&Value> {
    match part {
        Part::Data(part) => Some(part.data()),
        Part::ToolResult(result) => Some(result.output()),
        Part::Unknown(value) => Some(value),
        _ => None,
    }
}

/// Renders an object as names and values, and any other value without a name, up to
/// [`MAX_DATA_SIZE`] bytes and [`MAX_PAIRS`] pairs.
fn data_body(data: &Value, labels: &Labels) -> AnyView {
    let mut remaining = MAX_DATA_SIZE;
    let Some(object) = data.as_object().filter(|object| !object.is_empty()) else {
        return value_view(data, labels.text(LabelName::Result), labels, &mut remaining);
    };
    let pairs = object.iter().take(MAX_PAIRS).map_while(|(key, value)| {
        (remaining > 0).then(|| {
            let name = title_in_words(key);
            let rendered_value = value_view(value, &name, labels, &mut remaining);
            view! {
                <dt dir="auto">{name}</dt>
                <dd dir="auto">{rendered_value}</dd>
            }
            .into_any()
        })
    });
    let pairs: Vec<_> = pairs.collect();
    let ellipsis = (pairs.len() < object.len()).then_some("…");
    view! { <dl class="la-pairs">{pairs}</dl> {ellipsis} }.into_any()
}

/// Renders a plain value, or a short list of plain values, as text. Renders any other value as
/// indented JSON. Subtracts the size of the result from `remaining`, the number of bytes left, and
/// truncates a value that does not fit.
fn value_view(value: &Value, name: &str, labels: &Labels, remaining: &mut usize) -> AnyView {
    let items = match value {
        Value::Array(list) if list.len() <= MAX_LIST => list.as_slice(),
        value => slice::from_ref(value),
    };
    let is_plain = items
        .iter()
        .all(|item| !item.is_array() && !item.is_object());
    let mut writer = BoundedWriter {
        text: String::new(),
        remaining: *remaining,
    };
    let result = match is_plain {
        true => write_plain(&mut writer, items, labels),
        false => write!(writer, "{value:#}"),
    };
    *remaining = result.map_or(0, |()| writer.remaining);
    let mut text = writer.text;
    if result.is_err() {
        text.push('…');
    }
    match is_plain {
        true if text.is_empty() => NULL_TEXT.into_any(),
        true => text.into_any(),
        // The block scrolls, so the user must be able to focus the block with the keyboard.
        false => view! {
            <pre class="la-code" tabindex="0" role="group" aria-label=name.to_owned()>
                {text}
            </pre>
        }
        .into_any(),
    }
}

/// Writes plain values, separated by commas.
fn write_plain(writer: &mut BoundedWriter, items: &[Value], labels: &Labels) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            writer.write_str(", ")?;
        }
        match item {
            Value::String(text) => writer.write_str(text)?,
            Value::Bool(true) => writer.write_str(labels.text(LabelName::Yes))?,
            Value::Bool(false) => writer.write_str(labels.text(LabelName::No))?,
            Value::Null => writer.write_str(NULL_TEXT)?,
            value => write!(writer, "{value}")?,
        }
    }
    Ok(())
}

/// A writer that truncates its text at a maximum size, and fails once the text was truncated.
struct BoundedWriter {
    text: String,
    /// The number of bytes that can still be written.
    remaining: usize,
}

impl fmt::Write for BoundedWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut end = text.len().min(self.remaining);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.push_str(text.get(..end).unwrap_or_default());
        self.remaining -= end;
        match end < text.len() {
            true => Err(fmt::Error),
            false => Ok(()),
        }
    }
}
