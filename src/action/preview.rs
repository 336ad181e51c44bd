//! Previews the change that a call would make, before the call is approved.

use std::{fmt::Display, future::Future, rc::Rc};

use assistant_core::action::ActionSpec;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{ArgsFn, ToolAction, ToolCallView};

impl<Args> ToolAction<Args> {
    /// Sets a function that returns a preview of the change that a call would make, without making
    /// the change. The preview is a sentence, or a value that is shown as JSON. The card shows the
    /// preview while the card asks for approval. The preview is computed again after the approval.
    /// If the new preview differs, the call does not run, and the card shows the new preview.
    ///
    /// ```
    /// use leptos_assistant::{Approval, ToolAction};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Folder {
    ///     path: String,
    /// }
    ///
    /// async fn count(folder: &str) -> Result<usize, String> {
    ///     Ok(folder.len())
    /// }
    ///
    /// let action = ToolAction::new("empty_folder", "Deletes all files of a folder")
    ///     .handler(|folder: Folder| folder.path)
    ///     .approval(Approval::Always)
    ///     .preview(|folder| async move {
    ///         let files = count(&folder.path).await?;
    ///         Ok::<_, String>(format!("{files} files would be deleted"))
    ///     });
    /// ```
    #[must_use]
    pub fn preview<F, R, E, Marker>(
        mut self,
        preview: impl ArgsFn<Args, F, Marker> + 'static,
    ) -> Self
    where
        Args: DeserializeOwned + 'static,
        F: Future<Output = Result<R, E>> + 'static,
        R: Serialize,
        E: Display,
    {
        self.spec = self.spec.with_preview(true);
        self.preview = Some(Rc::new(move |args| {
            let future = serde_json::from_value(args).map(&preview);
            Box::pin(async move {
                let value = future.map_err(|error| error.to_string())?.await;
                let value = value.map_err(|error| error.to_string())?;
                serde_json::to_value(value).map_err(|error| error.to_string())
            })
        }));
        self
    }
}

impl<T> ToolCallView<T> {
    /// Returns the preview of the change that the call would make. `Err` contains the reason why
    /// the preview failed. Returns `None` if the action has no preview, or if the preview has not
    /// been computed yet.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || match call.preview() {
    ///     Some(Ok(change)) => change.to_string(),
    ///     Some(Err(reason)) => format!("The change is unknown: {reason}"),
    ///     None => String::new(),
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn preview(&self) -> Option<Result<Value, String>> {
        self.read(|call| call.preview().cloned()).flatten()
    }

    /// Returns true if the action has a preview and the page computes the preview for this call.
    /// Returns false if the agent asks about the call or runs the call.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let is_computing = move || call.has_preview() && call.preview().is_none();
    /// move || is_computing().then_some("Computing the changes")
    /// # }
    /// ```
    #[must_use]
    pub fn has_preview(&self) -> bool {
        let has_preview = |spec: &ActionSpec| spec.has_preview();
        !self.is_asked_by_agent()
            && !self.is_run_by_agent()
            && self.spec(has_preview).unwrap_or_default()
    }

    /// Returns true if the call was approved and its preview is being computed again.
    #[must_use]
    pub fn is_checking_preview(&self) -> bool {
        self.read(|_| ());
        let is_checking = self.assistant().and_then(|assistant| {
            assistant.read(|session| session.is_checking_preview(self.key()))
        });
        is_checking.unwrap_or_default()
    }
}
