//! What a call would change, told before a person approves it.

use std::{fmt::Display, future::Future, rc::Rc};

use assistant_core::action::ActionSpec;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{ToolAction, ToolCallView};

impl<Args> ToolAction<Args> {
    /// Says what a call would change, and changes nothing by that: a sentence, or a value that is shown
    /// as JSON. It stands on the card while a person is asked. When they approve, it is asked for once
    /// more: if it says something else by then, nothing runs, and the card shows what it says now.
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
    pub fn preview<F, R, E>(mut self, preview: impl Fn(Args) -> F + 'static) -> Self
    where
        Args: DeserializeOwned + 'static,
        F: Future<Output = Result<R, E>> + 'static,
        R: Serialize,
        E: Display,
    {
        self.spec.has_preview = true;
        self.preview = Some(Rc::new(move |args| {
            let work = serde_json::from_value(args).map(&preview);
            Box::pin(async move {
                let said = work.map_err(|error| error.to_string())?.await;
                let said = said.map_err(|error| error.to_string())?;
                serde_json::to_value(said).map_err(|error| error.to_string())
            })
        }));
        self
    }
}

impl<T> ToolCallView<T> {
    /// Returns what the call would change, as its action says while a person is asked; `Err` says
    /// why that is not known. Nothing until it has said it.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || match call.preview() {
    ///     Some(Ok(change)) => change.to_string(),
    ///     Some(Err(why)) => format!("Nobody knows what would change: {why}"),
    ///     None => String::new(),
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn preview(&self) -> Option<Result<Value, String>> {
        self.read(|call| call.preview().cloned()).flatten()
    }

    /// Returns whether its action says what a call would change.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// let looks = move || call.has_preview() && call.preview().is_none();
    /// move || looks().then_some("Looking what would change")
    /// # }
    /// ```
    #[must_use]
    pub fn has_preview(&self) -> bool {
        let has = |spec: &ActionSpec| spec.has_preview;
        !self.is_asked_by_agent() && !self.is_run_by_agent() && self.spec(has).unwrap_or_default()
    }

    /// Returns whether the call was approved, and it is looked at once more what it would change.
    ///
    /// ```
    /// # use leptos::prelude::*;
    /// # use leptos_assistant::ToolCallView;
    /// # fn card(call: ToolCallView) -> impl IntoView {
    /// move || call.is_checking_preview().then_some("Looking once more")
    /// # }
    /// ```
    #[must_use]
    pub fn is_checking_preview(&self) -> bool {
        self.read(|_| ());
        let checks = self.assistant().and_then(|assistant| {
            assistant.read(|session| session.is_checking_preview(self.key()))
        });
        checks.unwrap_or_default()
    }
}
