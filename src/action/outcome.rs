//! Reads the outcome of a call for its renderer. The module `assistant::call` defines
//! [`ToolCallView`].

use assistant_core::{
    conversation::{Phase, Progress},
    event::{Content, ContentPart, PartBody},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ToolCallView, args::deserialize_value};

impl<T> ToolCallView<T> {
    /// Returns the newest preliminary result
    /// ([`ToolContext::preliminary`](super::ToolContext::preliminary)). Returns `None` if there is
    /// no preliminary result, or if it does not have the type `R`.
    #[must_use]
    pub fn preliminary<R: DeserializeOwned>(&self) -> Option<R> {
        deserialize_value(self.read(|call| call.preliminary().cloned()).flatten())
    }

    /// Returns the latest progress that the handler has reported. Returns `None` if the handler has
    /// reported no progress.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        self.read(|call| call.progress().cloned()).flatten()
    }

    /// Returns the result of the call. Returns `None` if the call has no result, or if the result
    /// does not have the type `R`.
    #[must_use]
    pub fn result<R: DeserializeOwned>(&self) -> Option<R> {
        deserialize_value(self.result_value())
    }

    /// Returns the result as JSON. Returns `None` as long as the call has no result.
    #[must_use]
    pub fn result_value(&self) -> Option<Value> {
        self.read(|call| call.result().map(|result| result.value().clone()))
            .flatten()
    }

    /// Returns the files in the result. The result of a tool that the agent runs may contain files.
    #[must_use]
    pub fn result_files(&self) -> Vec<ContentPart> {
        let files = self.read(|call| match call.result().map(|result| result.content()) {
            Some(Content::Parts(parts)) => parts
                .iter()
                .filter(|part| matches!(part.body, PartBody::Media { .. }))
                .cloned()
                .collect(),
            _ => Vec::new(),
        });
        files.unwrap_or_default()
    }

    /// Returns the message of the call's error. For a call that was denied, cancelled or skipped,
    /// returns `denied`, `cancelled` or `skipped`. Returns `None` for any other call.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.format_error(|_, message| message.to_owned())
    }

    /// Formats the kind and the message of the call's error. For a call that was denied, cancelled
    /// or skipped, both the kind and the message are `denied`, `cancelled` or `skipped`. Returns
    /// `None` for a call without an error.
    pub(crate) fn format_error(&self, format: impl FnOnce(&str, &str) -> String) -> Option<String> {
        self.read(|call| {
            let state = match (call.error(), call.phase()) {
                (Some(error), _) => return Some(format(error.kind().as_str(), error.message())),
                (None, Phase::OutputDenied) => "denied",
                (None, Phase::Cancelled) => "cancelled",
                (None, Phase::Skipped) => "skipped",
                (None, _) => return None,
            };
            Some(format(state, state))
        })
        .flatten()
    }
}
