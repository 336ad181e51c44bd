//! Renders the sources of an answer as a numbered list of links.
//!
//! The sources are in an activity or data part of the type `sources`. The data of the part is the
//! list, or an object with the list: `{"sources": [{"title": "…", "url": "https://…", "snippet":
//! "…"}]}`. Title and snippet are optional. A source with an unsafe address is shown without a
//! link.

use assistant_core::{conversation::Part, text::address::safe_href};
use leptos::prelude::*;
use serde_json::Value;

use super::PartHandle;
use crate::ui::{Icon, LabelName, Words, display_host, dynamic, each, memo};

/// The type of activities and data parts that contain a list of sources.
pub(super) const LIST_TYPE: &str = "sources";
/// The maximum number of displayed sources.
const MAX_SOURCES: usize = 100;
/// The maximum number of sources for which the list is open at first.
const MAX_OPEN_SOURCES: usize = 3;
/// The maximum length of a title or snippet, in characters.
const MAX_TEXT: usize = 400;

#[derive(Clone, PartialEq, Eq)]
struct ListedSource {
    title: String,
    /// The address of the source, and the host of the address. `None` if the address is not safe.
    link: Option<(String, String)>,
    snippet: String,
}

impl ListedSource {
    /// Returns a key that contains the position and all displayed values of the source.
    fn key(&self, index: usize) -> String {
        let href = self.link.as_ref().map_or("", |(href, _)| href);
        format!("{index}\n{}\n{href}\n{}", self.title, self.snippet)
    }
}

pub(super) fn is_source_list(part: &Part) -> bool {
    source_list(part).is_some()
}

fn source_list(part: &Part) -> Option<&Vec<Value>> {
    let Part::Data(part) = part else { return None };
    let list = part.data().get("sources").unwrap_or(part.data());
    list.as_array()
}

fn read_sources(part: &Part) -> Vec<ListedSource> {
    let values = source_list(part).map_or(&[][..], Vec::as_slice);
    values
        .iter()
        .take(MAX_SOURCES)
        .filter_map(parse_source)
        .collect()
}

fn parse_source(value: &Value) -> Option<ListedSource> {
    let text = |key: &str| {
        let text = value.get(key).and_then(Value::as_str).unwrap_or_default();
        text.trim().chars().take(MAX_TEXT).collect::<String>()
    };
    let url = value.get("url").and_then(Value::as_str).unwrap_or_default();
    let link = safe_href(url).map(|address| {
        let host = display_host(&address).unwrap_or_default();
        (address.href().to_owned(), host)
    });
    let title = match text("title") {
        title if title.is_empty() => text("url"),
        title => title,
    };
    (!title.is_empty()).then(|| ListedSource {
        title,
        link,
        snippet: text("snippet"),
    })
}

pub(super) fn view(part: PartHandle) -> AnyView {
    let words = Words::current();
    let sources = memo(move || part.with(read_sources).unwrap_or_default());
    let is_open = sources.with_untracked(Vec::len) <= MAX_OPEN_SOURCES;
    let count = move || sources.with(Vec::len);
    let numbered_sources = move || sources.get().into_iter().enumerate().collect();
    let list = each(
        numbered_sources,
        |(index, source)| source.key(*index),
        |(_, source)| source_item(source),
    );
    view! {
        <details class="la-part la-sources" open=is_open>
            <summary class="la-sources-summary">
                {Icon::chevron()}
                <span>{words.text(LabelName::Sources)}</span>
                <span class="la-count">{dynamic(count)}</span>
            </summary>
            <ol class="la-sources-list">
                {list}
            </ol>
        </details>
    }
    .into_any()
}

fn source_item(source: ListedSource) -> AnyView {
    let ListedSource {
        title,
        link,
        snippet,
    } = source;
    let heading = match link {
        Some((href, host)) => view! {
            <a class="la-link" href=href target="_blank" rel="noopener noreferrer nofollow">{title}</a>
            {" "}
            // Isolated, so that directional characters of the title do not reorder the host.
            <bdi class="la-source-host">{host}</bdi>
        }
        .into_any(),
        None => view! { <span>{title}</span> }.into_any(),
    };
    let snippet = (!snippet.is_empty())
        .then(|| view! { <p class="la-source-snippet" dir="auto">{snippet}</p> });
    view! { <li class="la-source"><div dir="auto">{heading}</div>{snippet}</li> }.into_any()
}
