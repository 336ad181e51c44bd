//! Renders files that an agent shows next to its text.
//!
//! The files are an activity or data part of the type `files`, each in the form of media in an
//! AG-UI user message: `{"files": [{"type": "image", "source": {"type": "data", "value": "…",
//! "mimeType": "image/png"}, "metadata": {"filename": "…"}}]}`, or the list alone.

use assistant_core::{conversation::Part, json::form::content_part_from_value};
use leptos::prelude::*;
use serde_json::Value;

use super::{PartHandle, file};
use crate::ui::dynamic;

/// The type of data that contains files.
pub(super) const TYPE: &str = "files";
/// The maximum number of files shown.
const MAX_FILES: usize = 50;

pub(super) fn is_file_list(part: &Part) -> bool {
    file_list(part).is_some()
}

fn file_list(part: &Part) -> Option<&Vec<Value>> {
    let Part::Data(part) = part else { return None };
    let list = part.data().get("files").unwrap_or(part.data());
    list.as_array()
}

pub(super) fn view(part: PartHandle) -> AnyView {
    let files = move || {
        let shown = part.with(|part| {
            let values = file_list(part).map_or(&[][..], Vec::as_slice);
            let files = values.iter().take(MAX_FILES);
            let files = files.filter_map(|value| content_part_from_value(value.clone()).ok());
            files
                .map(|content| file::file_view(&content))
                .collect::<Vec<_>>()
        });
        shown.unwrap_or_default()
    };
    view! { <div class="la-part la-files">{dynamic(files)}</div> }.into_any()
}
