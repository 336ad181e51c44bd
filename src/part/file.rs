//! Renders files in a message: images, audio, videos and documents, alone or in a list that an
//! agent shows next to its text.
//!
//! Media that the policy allows are shown. Any other file is shown as a card with the name of the
//! file. The card contains a link if the address of the file is safe, or a button that saves the
//! file if the message contains the bytes of the file. The page fetches only media that the policy
//! allows.

use assistant_core::{
    conversation::Part,
    event::{ContentPart, PartBody, Source},
    json::form::content_part_from_value,
    text::{
        address::{image_src, media_src, safe_href},
        hidden::plain_name,
    },
};
use leptos::prelude::*;
use serde_json::Value;

use super::PartHandle;
use crate::ui::{
    AttrText, Icon, LabelName, Words, display_host, dynamic, format_size, media_policy, save_file,
};

/// The maximum length of a name, in characters.
const MAX_NAME: usize = 200;

pub(super) fn view(part: &PartHandle) -> AnyView {
    let rendered_file = part.with_untracked(|part| match part {
        Part::File(content) => Some(file_view(content)),
        _ => None,
    });
    rendered_file.flatten().into_any()
}

/// Renders a file as media if the media policy allows the file and the browser can load the file;
/// otherwise renders a card with the name of the file. Renders nothing for a text.
pub(crate) fn file_view(content: &ContentPart) -> AnyView {
    let PartBody::Media { kind, source } = &content.body else {
        return ().into_any();
    };
    let card = FileCard::new(kind, source, content.metadata.as_ref());
    let Some(src) = allowed_src(kind, source) else {
        let base64 = match source {
            Source::Data { value, .. } => Some(value.clone()),
            _ => None,
        };
        return file_card(&card, base64);
    };
    // A file that cannot be loaded or decoded is shown as a card with its name.
    let load_failed = RwSignal::new(false);
    dynamic(move || match load_failed.get() {
        true => file_card(&card, base64_of_data_url(&src)),
        false => media_player(&card, src.clone(), load_failed),
    })
    .into_any()
}

/// Returns the bytes of a `data:` address as base64. Returns `None` for any other address.
fn base64_of_data_url(src: &str) -> Option<String> {
    let (_, base64) = src.strip_prefix("data:")?.split_once(',')?;
    Some(base64.to_owned())
}

/// Returns the value for the `src` attribute if the media policy allows the file to be shown.
/// Otherwise returns `None`.
fn allowed_src(kind: &str, source: &Source) -> Option<String> {
    let policy = media_policy();
    match source {
        Source::Data { value, mime_type } if kind == "image" => {
            image_src(mime_type, value, &policy)
        }
        Source::Url { value, .. } if matches!(kind, "image" | "audio" | "video") => {
            media_src(value, &policy)
        }
        _ => None,
    }
}

fn media_player(card: &FileCard, src: String, load_failed: RwSignal<bool>) -> AnyView {
    let name = card.name.attr();
    let on_error = move |_| load_failed.set(true);
    match card.icon {
        Icon::Audio => view! {
            <audio class="la-part la-media" controls preload="none" aria-label=name src=src on:error=on_error></audio>
        }
        .into_any(),
        Icon::Video => view! {
            <video class="la-part la-media" controls preload="none" aria-label=name src=src on:error=on_error></video>
        }
        .into_any(),
        _ => view! {
            <img
                class="la-part la-image"
                alt=name
                loading="lazy"
                decoding="async"
                referrerpolicy="no-referrer"
                src=src
                on:error=on_error
            />
        }
        .into_any(),
    }
}

/// The name, details and address of a file, for its card.
struct FileCard {
    icon: Icon,
    name: FileName,
    /// The type, size and origin of the file, as far as they are known. The type is omitted if the
    /// name ends with it.
    details: String,
    /// The address of the file. `None` if the file has no address, or if the address is not safe to
    /// open.
    href: Option<String>,
}

impl FileCard {
    fn new(kind: &str, source: &Source, metadata: Option<&Value>) -> Self {
        let (icon, word) = match kind {
            "image" => (Icon::Image, LabelName::Image),
            "audio" => (Icon::Audio, LabelName::Audio),
            "video" => (Icon::Video, LabelName::Video),
            _ => (Icon::File, LabelName::File),
        };
        let metadata_name = ["filename", "name", "title"]
            .into_iter()
            .find_map(|key| metadata?.get(key)?.as_str())
            .map(plain_name)
            .filter(|name| !name.is_empty());
        let mut details = Vec::new();
        let (mut href, mut url_name) = (None, None);
        let mime_type = match source {
            Source::Data { value, mime_type } => {
                details.push(format_size(decoded_len(value)));
                Some(mime_type)
            }
            Source::Url { value, mime_type } => {
                let address = safe_href(value);
                details.extend(address.as_ref().and_then(display_host));
                url_name = address.as_ref().and_then(|a| last_segment(a.href()));
                href = address.map(|address| address.href().to_owned());
                mime_type.as_ref()
            }
            Source::File {
                provider,
                mime_type,
                ..
            } => {
                details.extend(provider.clone());
                mime_type.as_ref()
            }
        };
        let name = metadata_name.or(url_name);
        let is_unnamed = |mime_type: &&String| {
            let name = name.as_deref().unwrap_or_default();
            !is_type_in_name(mime_type, name)
        };
        if let Some(mime_type) = mime_type.filter(is_unnamed) {
            details.insert(0, mime_type.clone());
        }
        Self {
            icon,
            name: FileName {
                name: name.map(|name| name.chars().take(MAX_NAME).collect()),
                word,
                words: Words::current(),
            },
            details: plain_name(&details.join(" · "))
                .chars()
                .take(MAX_NAME)
                .collect(),
            href,
        }
    }
}

/// Returns true if the name of a file ends with the extension of its type.
fn is_type_in_name(mime_type: &str, name: &str) -> bool {
    let Some((_, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let extension = extension.to_ascii_lowercase();
    let (kind, subtype) = mime_type.split_once('/').unwrap_or_default();
    let usual_extension = match subtype {
        "plain" => "txt",
        "jpeg" => "jpg",
        "markdown" => "md",
        "mpeg" if kind == "audio" => "mp3",
        "svg+xml" => "svg",
        "vnd.openxmlformats-officedocument.presentationml.presentation" => "pptx",
        "vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        other => other,
    };
    extension == usual_extension || extension == subtype
}

/// The name of a file, and the label of the file's kind, which is shown for a file without a name.
#[derive(Clone)]
struct FileName {
    name: Option<String>,
    word: LabelName,
    words: Words,
}

impl FileName {
    fn get(&self) -> String {
        let name = self.name.clone();
        name.unwrap_or_else(|| self.words.word(self.word).into_owned())
    }

    fn text(&self) -> AnyView {
        match &self.name {
            Some(name) => name.clone().into_any(),
            None => self.words.text(self.word),
        }
    }

    fn attr(&self) -> AttrText {
        let name = self.clone();
        Box::new(move || name.get().into())
    }

    /// Returns the label of an action, followed by the name of the file.
    fn with_action(&self, label: LabelName) -> AttrText {
        let name = self.clone();
        Box::new(move || format!("{} {}", name.words.word(label), name.get()).into())
    }
}

/// Renders the card of a file, with a link that opens the file, or a button that saves the file.
/// `base64` contains the bytes of the file, if the message contains the bytes.
fn file_card(card: &FileCard, base64: Option<String>) -> AnyView {
    let (words, name) = (card.name.words.clone(), card.name.clone());
    let action = match (&card.href, base64) {
        (Some(href), _) => view! {
            <a
                class="la-button"
                data-size="small"
                href=href.clone()
                target="_blank"
                rel="noopener noreferrer nofollow"
                aria-label=name.with_action(LabelName::OpenFile)
            >
                {Icon::External.view()}
                <span>{words.text(LabelName::OpenFile)}</span>
            </a>
        }
        .into_any(),
        (None, Some(base64)) => view! {
            <button
                type="button"
                class="la-button"
                data-size="small"
                aria-label=name.with_action(LabelName::SaveFile)
                on:click=move |_| save_file(&untrack(|| name.get()), &base64)
            >
                {Icon::Download.view()}
                <span>{words.text(LabelName::SaveFile)}</span>
            </button>
        }
        .into_any(),
        (None, None) => ().into_any(),
    };
    view! {
        <div class="la-part la-file">
            <span class="la-file-icon" aria-hidden="true">{card.icon.view()}</span>
            <div class="la-file-text">
                <p class="la-file-name" dir="auto">{card.name.text()}</p>
                <p class="la-file-facts" dir="auto">{card.details.clone()}</p>
            </div>
            {action}
        </div>
    }
    .into_any()
}

/// Returns the number of bytes that a base64 text decodes to.
fn decoded_len(base64: &str) -> usize {
    let padding = base64.bytes().rev().take_while(|b| *b == b'=').count();
    (base64.len() / 4 * 3).saturating_sub(padding)
}

fn last_segment(href: &str) -> Option<String> {
    let path = href.split(['?', '#']).next()?;
    let (_, path) = path.split_once("//").unwrap_or(("", path));
    let (_, segment) = path.rsplit_once('/')?;
    Some(plain_name(segment)).filter(|name| !name.is_empty())
}

/// The type of activities and data parts that contain a list of files.
///
/// The data is the list, or an object with the list: `{"files": [{"type": "image", "source":
/// {"type": "data", "value": "…", "mimeType": "image/png"}, "metadata": {"filename": "…"}}]}`. Each
/// file has the form of media in an AG-UI user message.
pub(super) const LIST_TYPE: &str = "files";
/// The maximum number of displayed files.
const MAX_FILES: usize = 50;

pub(super) fn is_file_list(part: &Part) -> bool {
    file_list(part).is_some()
}

fn file_list(part: &Part) -> Option<&Vec<Value>> {
    let Part::Data(part) = part else { return None };
    let list = part.data().get("files").unwrap_or(part.data());
    list.as_array()
}

pub(super) fn list_view(part: PartHandle) -> AnyView {
    let files = move || {
        let views = part.with(|part| {
            let values = file_list(part).map_or(&[][..], Vec::as_slice);
            let files = values.iter().take(MAX_FILES);
            let files = files.filter_map(|value| content_part_from_value(value.clone()).ok());
            files.map(|content| file_view(&content)).collect::<Vec<_>>()
        });
        views.unwrap_or_default()
    };
    view! { <div class="la-part la-files">{dynamic(files)}</div> }.into_any()
}
