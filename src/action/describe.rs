//! Sets the texts with which an action describes its calls to the user.

use std::rc::Rc;

use assistant_core::text::hidden::plain_name;
use leptos::prelude::*;
use serde::de::DeserializeOwned;

use super::{ArgsFn, ToolAction, ToolCallView};
use crate::render::{ActionTexts, CallTexts, Description, Risk};

/// The maximum length of a title in characters. A longer title is shortened.
const MAX_TITLE_CHARS: usize = 80;

impl<Args> ToolAction<Args> {
    /// Sets a title for the user, such as "Look up the weather". The approval card asks "Look up
    /// the weather?", and the card's button and the default card show the title instead of the
    /// name. The model does not receive the title. `title` is a text, a signal or a closure. A card
    /// is updated when the title changes, and an approval counts only after the changed title was
    /// visible as well.
    #[must_use]
    pub fn title<M>(mut self, title: impl IntoReactiveValue<Signal<String>, M>) -> Self {
        self.renderers.words.title = Some(title.into_reactive_value());
        self
    }

    /// Sets the title of a running call, such as "Looking up the weather". The title is shown while
    /// no other text describes the activity, and it is announced to assistive technology. `title`
    /// is a text, a signal or a closure.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::ToolAction;
    ///
    /// let place = RwSignal::new("production");
    /// let action = ToolAction::new("deploy", "Deploys a version")
    ///     .title("Deploy")
    ///     .title_while_running(move || format!("Deploying to {}", place.get()))
    ///     .handler(|| ());
    /// ```
    #[must_use]
    pub fn title_while_running<M>(
        mut self,
        title: impl IntoReactiveValue<Signal<String>, M>,
    ) -> Self {
        self.renderers.words.doing = Some(title.into_reactive_value());
        self
    }

    /// Sets a function that creates the text of the approval card from the arguments. The text is a
    /// sentence, or a [`Description`] with rows. Arguments that the text does not mention are shown
    /// below the text, and all exact arguments can be opened with one click. If the text is empty
    /// or the arguments do not have the action's type, the card shows the exact arguments instead
    /// of the text.
    ///
    /// This method must be called after `.handler(…)` or [`.args::<T>()`](Self::args), which set
    /// the type of the arguments. Without these methods, the closure receives a JSON value. If the
    /// closure takes a different type, the compiler's error explains this order.
    ///
    /// ```
    /// use leptos_assistant::{Approval, Description, ToolAction};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     order: String,
    ///     euros: f64,
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refunds an order")
    ///     .handler(|refund: Refund| refund.order)
    ///     .approval(Approval::Always)
    ///     .describe(|refund| {
    ///         Description::new(format!("Pay back {} €?", refund.euros)).row("Order", &refund.order)
    ///     });
    /// ```
    #[must_use]
    pub fn describe<D, Marker>(
        mut self,
        describe: impl for<'a> ArgsFn<&'a Args, D, Marker> + 'static,
    ) -> Self
    where
        Args: DeserializeOwned + 'static,
        D: Into<Description>,
    {
        self.renderers.words.describe = Some(Rc::new(move |args| {
            Some(describe(&Args::deserialize(args).ok()?).into())
        }));
        self
    }

    /// Sets the risk of the action's calls, which selects the colour and the wording of the
    /// approval card.
    #[must_use]
    pub fn risk(mut self, risk: Risk) -> Self {
        self.renderers.words.risk = risk;
        self
    }
}

impl ActionTexts {
    /// Returns the current texts of the action. The texts are tracked if this method is called in a
    /// reactive closure.
    pub(crate) fn current_texts(&self) -> CallTexts {
        let read_title = |title: Option<Signal<String>>| shorten_title(&title?.try_get()?);
        CallTexts {
            title: read_title(self.title),
            doing: read_title(self.doing),
            risk: self.risk,
            describe: self.describe.clone(),
        }
    }
}

/// Shortens a title, and removes characters that hide or reorder text. Returns `None` if the
/// remaining title is empty.
fn shorten_title(title: &str) -> Option<String> {
    let beginning: String = title.chars().take(4 * MAX_TITLE_CHARS).collect();
    let plain_text = plain_name(&beginning);
    let mut title: String = plain_text.chars().take(MAX_TITLE_CHARS).collect();
    if title.len() < plain_text.len() {
        title.push('…');
    }
    (!title.is_empty()).then_some(title)
}

impl<T> ToolCallView<T> {
    /// Returns the title of the action ([`ToolAction::title`]), if it has one.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        self.texts().title
    }

    /// Returns the risk of the action ([`ToolAction::risk`]).
    #[must_use]
    pub fn risk(&self) -> Risk {
        self.texts().risk
    }

    /// Returns the page's description of the call. Returns `None` if the action has no description,
    /// or if the arguments do not have the action's type.
    #[must_use]
    pub(crate) fn page_description(&self) -> Option<Description> {
        self.texts().describe?(&self.args_value()?)
    }

    /// Returns the texts of the active registration under the call's name, or empty texts if no
    /// action with this name is registered. The texts are tracked if this method is called in a
    /// reactive closure.
    pub(crate) fn texts(&self) -> CallTexts {
        let texts = self.assistant().and_then(|assistant| {
            assistant.view().renderers.track();
            assistant.action_texts(&self.name())
        });
        texts.unwrap_or_default()
    }
}
