//! Attaches files of the user to a message, with the limits that the application sets.
//!
//! The module `view` shows the attached files in the composer, and the module `drop` accepts files
//! that are dropped on the chat.

mod drop;
mod tray;
mod view;

use std::{future::Future, sync::Arc};

use assistant_core::event::Source;
use futures_util::future::LocalBoxFuture;
use send_wrapper::SendWrapper;

pub(crate) use drop::{attach_pasted, watch_drops};
pub(crate) use tray::{AttachmentTray, contains_files};
pub(crate) use view::{attach_button, file_frame, tray_view};

type UploadFn =
    Arc<SendWrapper<Box<dyn Fn(web_sys::File) -> LocalBoxFuture<'static, Result<Source, String>>>>>;

/// The options for attachments: limits and an upload function. By default, a message may have ten
/// files of any type, of at most 10 MB each, and of at most 7 MB together unless they are uploaded.
///
/// A composer without these options accepts no files. The bytes of the files are sent in the
/// message as base64, and again with each later run, unless the application sets an
/// [`Attachments::upload`]. Many agents send the messages back in one event, which must not exceed
/// [`Limits::event_bytes`](crate::Limits::event_bytes), so upload larger files.
///
/// ```
/// use leptos_assistant::Attachments;
///
/// let pictures = Attachments::new()
///     .accept("image/*,.pdf")
///     .max_files(4)
///     .max_bytes(5_000_000);
/// ```
#[derive(Clone)]
pub struct Attachments {
    accept: String,
    max_files: usize,
    max_bytes: usize,
    max_inline_bytes: usize,
    upload: Option<UploadFn>,
}

impl std::fmt::Debug for Attachments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attachments")
            .field("accept", &self.accept)
            .field("max_files", &self.max_files)
            .field("max_bytes", &self.max_bytes)
            .field("max_inline_bytes", &self.max_inline_bytes)
            .finish_non_exhaustive()
    }
}

impl Default for Attachments {
    fn default() -> Self {
        Self {
            accept: String::new(),
            max_files: 10,
            max_bytes: 10_000_000,
            max_inline_bytes: 7_000_000,
            upload: None,
        }
    }
}

impl Attachments {
    /// Creates the default options: ten files of any type per message, of at most 10 MB each, and
    /// of at most 7 MB together unless they are uploaded.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Accepts only files of these types, in the syntax of `accept` of an input element:
    /// `image/*,.pdf,text/plain`.
    #[must_use]
    pub fn accept(mut self, types: impl Into<String>) -> Self {
        self.accept = types.into();
        self
    }

    /// Sets the maximum number of files per message.
    #[must_use]
    pub const fn max_files(mut self, count: usize) -> Self {
        self.max_files = count;
        self
    }

    /// Sets the maximum size of a file, in bytes.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the maximum total size of the files of a message that are sent as base64, in bytes.
    /// Uploaded files have no maximum total size.
    #[must_use]
    pub const fn max_inline_bytes(mut self, bytes: usize) -> Self {
        self.max_inline_bytes = bytes;
        self
    }

    /// Sets a function that uploads each file; the message then contains the address of the file
    /// instead of the bytes. The function returns the address, or a sentence that is shown as the
    /// error.
    ///
    /// ```
    /// use leptos_assistant::Attachments;
    ///
    /// let attachments = Attachments::new().upload(|file| async move {
    ///     // Uploads the file, and returns its address.
    ///     Ok(format!("https://files.example/{}", file.name()))
    /// });
    /// ```
    #[must_use]
    pub fn upload<F>(mut self, hook: impl Fn(web_sys::File) -> F + 'static) -> Self
    where
        F: Future<Output = Result<String, String>> + 'static,
    {
        let hook: Box<dyn Fn(web_sys::File) -> LocalBoxFuture<'static, Result<Source, String>>> =
            Box::new(move |file| {
                let mime_type = Some(file.type_()).filter(|name| !name.is_empty());
                let address = hook(file);
                Box::pin(async move {
                    let value = address.await?;
                    Ok(Source::Url { value, mime_type })
                })
            });
        self.upload = Some(Arc::new(SendWrapper::new(hook)));
        self
    }

    /// Returns true if a file of this name and type is accepted.
    fn is_accepted(&self, name: &str, mime_type: &str) -> bool {
        let (name, mime_type) = (name.to_ascii_lowercase(), mime_type.to_ascii_lowercase());
        let is_match = |pattern: &str| {
            let pattern = pattern.trim().to_ascii_lowercase();
            match pattern.strip_suffix("/*") {
                Some("*") => true,
                Some(family) => mime_type.split('/').next() == Some(family),
                None if pattern.starts_with('.') => name.ends_with(&pattern),
                None => mime_type == pattern,
            }
        };
        self.accept.trim().is_empty() || self.accept.split(',').any(is_match)
    }
}
