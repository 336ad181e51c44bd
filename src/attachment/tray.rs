//! Holds the files that are attached to the next message.

use std::sync::Arc;

use assistant_core::{
    event::{Content, ContentPart, PartBody, Source},
    text::{
        address::{MediaPolicy, image_src},
        hidden::plain_name,
    },
};
use leptos::{html, prelude::*};
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Attachments;
use crate::ui::{LabelName, Words, format_size, media_policy, read_base64};

/// The maximum size of an uploaded picture that gets a thumbnail, in bytes.
const MAX_THUMBNAIL_BYTES: usize = 2_000_000;

/// The files that wait to be sent with the next message.
#[derive(Clone)]
pub(crate) struct AttachmentTray {
    pub(super) config: Arc<Attachments>,
    pub(super) words: Words,
    /// The hidden file input, which the button for attachments clicks.
    pub(super) input: NodeRef<html::Input>,
    pub(super) items: RwSignal<Vec<AttachedFile>>,
    /// The reasons for refusing files, one for each refused file.
    pub(super) refused: RwSignal<Vec<FileRefusal>>,
    /// True while files are dragged over the chat.
    pub(super) hovered: RwSignal<bool>,
    policy: Arc<MediaPolicy>,
    last: StoredValue<u64>,
}

/// A file that waits to be sent.
#[derive(Clone)]
pub(super) struct AttachedFile {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) mime_type: String,
    /// The number of bytes, if known.
    pub(super) size: Option<usize>,
    pub(super) state: ArcRwSignal<FileState>,
    pub(super) picture: ArcRwSignal<Option<String>>,
}

#[derive(Clone, PartialEq)]
pub(super) enum FileState {
    Reading,
    Ready(Source),
    /// The file cannot be sent. Contains the error of the upload, or `None` if the bytes of the
    /// file cannot be read.
    Failed(Option<String>),
}

/// The reason why a file was refused.
#[derive(Clone)]
pub(super) struct FileRefusal {
    word: LabelName,
    limit: String,
    name: String,
}

impl FileRefusal {
    pub(super) fn message(&self, words: &Words) -> String {
        // The name is inserted last, because a file may be named "{limit}".
        let sentence = words.word(self.word).replace("{limit}", &self.limit);
        sentence.replace("{name}", &self.name)
    }
}

impl AttachedFile {
    /// Returns the name on one line, without hidden characters.
    pub(super) fn shown_name(&self) -> String {
        plain_name(&self.name)
    }

    /// Returns the kind of media that agents distinguish: image, audio, video, or document.
    pub(super) fn kind(&self) -> &'static str {
        match self.mime_type.split('/').next() {
            Some("image") => "image",
            Some("audio") => "audio",
            Some("video") => "video",
            _ => "document",
        }
    }
}

impl AttachmentTray {
    pub(crate) fn new(config: Attachments) -> Self {
        Self {
            config: Arc::new(config),
            words: Words::current(),
            input: NodeRef::new(),
            items: RwSignal::new(Vec::new()),
            refused: RwSignal::new(Vec::new()),
            hovered: RwSignal::new(false),
            policy: media_policy(),
            last: StoredValue::new(0),
        }
    }

    /// Subscribes the current reactive closure to the attached files and their states.
    pub(crate) fn track(&self) {
        self.items.with(|items| {
            for item in items {
                item.state.track();
            }
        });
    }

    /// Attaches the files that are accepted, and replaces the list of refusals with the reasons for
    /// refusing the remaining files.
    pub(crate) fn add_files(&self, files: &web_sys::FileList) {
        let mut refusals = Vec::new();
        for index in 0..files.length() {
            let Some(file) = files.item(index) else {
                continue;
            };
            match self.refusal(&file) {
                Some(reason) => refusals.push(reason),
                None => self.attach_file(file),
            }
        }
        self.refused.set(refusals);
    }

    fn refusal(&self, file: &web_sys::File) -> Option<FileRefusal> {
        let (config, name) = (&self.config, file.name());
        let (label, limit) = if !config.is_accepted(&name, &file.type_()) {
            (LabelName::FileTypeRefused, String::new())
        } else if file_size(file) > config.max_bytes {
            (LabelName::FileTooLarge, format_size(config.max_bytes))
        } else if !self
            .items
            .with_untracked(|items| self.fits_inline(items, file_size(file)))
        {
            let limit = format_size(config.max_inline_bytes);
            (LabelName::FilesTooLarge, limit)
        } else if self.items.with_untracked(Vec::len) >= config.max_files {
            (LabelName::TooManyFiles, config.max_files.to_string())
        } else {
            return None;
        };
        Some(FileRefusal {
            word: label,
            limit,
            name: plain_name(&name),
        })
    }

    /// Returns true if the attached files and further files of this size may be sent as base64, or
    /// if files are uploaded.
    fn fits_inline(&self, items: &[AttachedFile], size: usize) -> bool {
        let sizes = items.iter().filter_map(|item| item.size);
        let total = sizes.fold(size, usize::saturating_add);
        self.config.upload.is_some() || total <= self.config.max_inline_bytes
    }

    fn attach_file(&self, file: web_sys::File) {
        let id = self.next_id();
        let mime_type = match file.type_() {
            mime_type if mime_type.is_empty() => "application/octet-stream".to_owned(),
            mime_type => mime_type,
        };
        let item = AttachedFile {
            id,
            name: file.name(),
            mime_type,
            size: Some(file_size(&file)),
            state: ArcRwSignal::new(FileState::Reading),
            picture: ArcRwSignal::new(None),
        };
        self.items.update(|items| items.push(item.clone()));
        let config = Arc::clone(&self.config);
        let policy = Arc::clone(&self.policy);
        spawn_local(async move {
            let is_inline = config.upload.is_none();
            if is_inline
                || (item.kind() == "image"
                    && item.size.is_some_and(|size| size <= MAX_THUMBNAIL_BYTES))
            {
                let bytes = read_base64(&file).await;
                let picture = bytes
                    .as_deref()
                    .and_then(|bytes| image_src(&item.mime_type, bytes, &policy));
                item.picture.set(picture);
                if is_inline {
                    return item.state.set(match bytes {
                        Some(value) => FileState::Ready(Source::Data {
                            value,
                            mime_type: item.mime_type.clone(),
                        }),
                        None => FileState::Failed(None),
                    });
                }
            }
            if let Some(upload) = &config.upload {
                item.state.set(match upload(file).await {
                    Ok(source) => FileState::Ready(source),
                    Err(reason) => FileState::Failed(Some(reason)),
                });
            }
        });
    }

    pub(super) fn remove_file(&self, id: u64) {
        self.items
            .update(|items| items.retain(|item| item.id != id));
        self.refused.set(Vec::new());
    }

    /// Returns true if files are attached. The value is tracked.
    pub(crate) fn has_files(&self) -> bool {
        self.items.with(|items| !items.is_empty())
    }

    /// Returns true if the files of a message can be attached in addition. The value is tracked.
    pub(crate) fn has_room_for(&self, content: &Content) -> bool {
        let sizes: Vec<usize> = media_sources(content)
            .map(|source| inline_size(source).unwrap_or_default())
            .collect();
        let size = sizes.iter().copied().fold(0, usize::saturating_add);
        let fits = |items: &Vec<AttachedFile>| {
            items.len() + sizes.len() <= self.config.max_files && self.fits_inline(items, size)
        };
        self.items.try_with(fits).unwrap_or_default()
    }

    /// Attaches the files of an unsent message again, to be sent with the next message.
    pub(crate) fn restore_files(&self, content: &Content) {
        let Content::Parts(parts) = content else {
            return;
        };
        for part in parts {
            let PartBody::Media { source, .. } = &part.body else {
                continue;
            };
            let name = part
                .metadata
                .as_ref()
                .and_then(|metadata| metadata.get("filename"));
            let name = name.and_then(Value::as_str).unwrap_or_default();
            let (mime_type, bytes) = match source {
                Source::Data { value, mime_type } => (mime_type.as_str(), Some(value.as_str())),
                Source::Url { mime_type, .. } | Source::File { mime_type, .. } => {
                    (mime_type.as_deref().unwrap_or_default(), None)
                }
            };
            let picture = bytes.and_then(|bytes| image_src(mime_type, bytes, &self.policy));
            let id = self.next_id();
            let item = AttachedFile {
                id,
                name: name.to_owned(),
                mime_type: mime_type.to_owned(),
                size: inline_size(source),
                state: ArcRwSignal::new(FileState::Ready(source.clone())),
                picture: ArcRwSignal::new(picture),
            };
            self.items.update(|items| items.push(item));
        }
    }

    fn next_id(&self) -> u64 {
        let id = self.last.try_get_value().unwrap_or_default() + 1;
        self.last.set_value(id);
        id
    }

    pub(crate) fn clear(&self) {
        self.items.set(Vec::new());
        self.refused.set(Vec::new());
    }

    /// Returns the text and the files as content, or `Ok(None)` if there is neither.
    ///
    /// # Errors
    ///
    /// Returns the label of the error if a file is not ready yet, or could not be read or uploaded.
    pub(crate) fn content(&self, text: &str) -> Result<Option<Content>, LabelName> {
        let items = self.items.get_untracked();
        let is_blank = text.trim().is_empty();
        if items.is_empty() {
            return Ok((!is_blank).then(|| Content::Text(text.to_owned())));
        }
        let text_part = (!is_blank).then(|| ContentPart {
            id: None,
            metadata: None,
            body: PartBody::Text(text.to_owned()),
        });
        let mut parts: Vec<_> = text_part.into_iter().collect();
        for item in items {
            let source = match item.state.get_untracked() {
                FileState::Ready(source) => source,
                FileState::Reading => return Err(LabelName::FilesNotReady),
                FileState::Failed(_) => return Err(LabelName::FilesFailed),
            };
            parts.push(ContentPart {
                id: None,
                metadata: Some(json!({"filename": item.name})),
                body: PartBody::Media {
                    kind: item.kind().to_owned(),
                    source,
                },
            });
        }
        Ok(Some(Content::Parts(parts)))
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a size is a whole number; one that does not fit is too large for any limit"
)]
fn file_size(file: &web_sys::File) -> usize {
    file.size() as usize
}

/// Returns true if a message contains files.
pub(crate) fn contains_files(content: &Content) -> bool {
    media_sources(content).next().is_some()
}

/// Returns the sources of the files of a message.
fn media_sources(content: &Content) -> impl Iterator<Item = &Source> {
    let parts = match content {
        Content::Text(_) => &[],
        Content::Parts(parts) => parts.as_slice(),
    };
    parts.iter().filter_map(|part| match &part.body {
        PartBody::Media { source, .. } => Some(source),
        PartBody::Text(_) => None,
    })
}

/// Returns the number of bytes of a file that a message contains. The number is computed from the
/// length, because base64 has four characters for three bytes.
const fn inline_size(source: &Source) -> Option<usize> {
    match source {
        Source::Data { value, .. } => Some(value.len() / 4 * 3),
        _ => None,
    }
}
