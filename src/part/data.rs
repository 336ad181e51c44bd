//! Data, activities, and parts that are not known: named, with their data behind a summary as text.
//!
//! What an activity says of itself (`title`, and `status`, `message` or `text`) stands in the
//! summary. A delta changes the texts in place. Neighbours: `sources` and `files` for data of those types.

use std::io;

use assistant_core::conversation::Part;
use leptos::prelude::*;
use serde_json::Value;

use super::{PartHandle, files, sources};
use crate::{
    chat::{Icon, Labels},
    view::PartKind,
};

/// How much of the data is shown, in bytes of indented JSON.
const MAX_JSON: usize = 16 * 1024;
/// How much of a title or state is shown, in characters.
const MAX_LINE: usize = 120;

pub(super) fn view(part: PartHandle) -> AnyView {
    let known: Option<Known> = match part.kind() {
        PartKind::Data(kind) if kind == sources::TYPE => Some((sources::is_list, sources::view)),
        PartKind::Data(kind) if kind == files::TYPE => Some((files::is_list, files::view)),
        _ => None,
    };
    let Some((fits, draw)) = known else {
        return card(part);
    };
    let found = part.clone();
    let fits = Memo::new(move |_| found.with(fits).unwrap_or_default());
    (move || match fits.get() {
        true => draw(part.clone()),
        false => card(part.clone()),
    })
    .into_any()
}

/// How data of a known type is told from other data of that name, and what it looks like.
type Known = (fn(&Part) -> bool, fn(PartHandle) -> AnyView);

fn card(part: PartHandle) -> AnyView {
    let labels = Labels::current();
    let open = RwSignal::new(false);
    let (name, state, data) = (part.clone(), part.clone(), part);
    let title = move || name.with(|part| title(&labels, part));
    let state = move || state.with(state_of).flatten();
    // Written out only for who looks: data may be long and change often.
    let json = move || open.get().then(|| data.with(json_of)).flatten();
    view! {
        <details
            class="la-part la-card la-activity"
            on:toggle=move |event| open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open())
        >
            <summary class="la-tool-summary">
                <span class="la-tool-icon" aria-hidden="true">{Icon::Info.view()}</span>
                <span class="la-activity-title" dir="auto">{title}</span>
                <span class="la-activity-state" dir="auto">{state}</span>
                {Icon::chevron()}
            </summary>
            <div class="la-tool-body">
                <pre class="la-code" tabindex="0">{json}</pre>
            </div>
        </details>
    }
    .into_any()
}

/// What it calls itself, else its type in words, else that it is not known.
fn title(labels: &Labels, part: &Part) -> String {
    match part {
        Part::Data(part) => text_of(&part.data, "title").unwrap_or_else(|| words(&part.data_type)),
        Part::ToolResult(_) => labels.result.to_string(),
        _ => labels.unknown_part.to_string(),
    }
}

fn state_of(part: &Part) -> Option<String> {
    let Part::Data(part) = part else { return None };
    let said = ["status", "message", "text"];
    said.into_iter().find_map(|key| text_of(&part.data, key))
}

fn text_of(data: &Value, key: &str) -> Option<String> {
    let text = data.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.chars().take(MAX_LINE).collect())
}

/// `web_search` and `webSearch` as "Web search".
pub(crate) fn words(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars().take(MAX_LINE) {
        if matches!(c, '_' | '-' | '.' | ' ') {
            words.push(' ');
        } else if words.is_empty() {
            words.extend(c.to_uppercase());
        } else if c.is_uppercase() && words.ends_with(char::is_lowercase) {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(c);
        }
    }
    words
}

fn json_of(part: &Part) -> String {
    match part {
        Part::Data(part) => pretty(&part.data),
        Part::ToolResult(result) => pretty(&result.output),
        Part::Unknown(value) => pretty(value),
        _ => String::new(),
    }
}

/// Indented JSON, cut where it gets too long to be read.
fn pretty(value: &Value) -> String {
    let mut out = Bounded(Vec::new());
    let whole = serde_json::to_writer_pretty(&mut out, value).is_ok();
    let mut text = String::from_utf8_lossy(&out.0).into_owned();
    if !whole {
        text.push_str("\n…");
    }
    text
}

/// Takes bytes until it is full, and then fails.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_JSON {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
