//! The icons of the components, each a path on a 20 by 20 grid.

use leptos::prelude::*;

use super::after;

/// The icons that the components use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is named after what it shows")]
pub enum Icon {
    Send,
    Stop,
    NewChat,
    Check,
    X,
    Alert,
    Info,
    Ban,
    Clock,
    Tool,
    Chevron,
    ArrowDown,
    Copy,
    ThumbUp,
    ThumbDown,
    File,
    Image,
    Audio,
    Video,
    Clip,
    Download,
    External,
    Question,
    Chat,
    ChevronLeft,
    ChevronDown,
    Pencil,
    Refresh,
    Undo,
    Branch,
    Trash,
    Plus,
    Minus,
    Fit,
    More,
}

impl Icon {
    const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Stop => "stop",
            Self::NewChat => "new-chat",
            Self::Check => "check",
            Self::X => "x",
            Self::Alert => "alert",
            Self::Info => "info",
            Self::Ban => "ban",
            Self::Clock => "clock",
            Self::Tool => "tool",
            Self::Chevron => "chevron",
            Self::ArrowDown => "arrow-down",
            Self::Copy => "copy",
            Self::ThumbUp => "thumb-up",
            Self::ThumbDown => "thumb-down",
            Self::File => "file",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Clip => "clip",
            Self::Download => "download",
            Self::External => "external",
            Self::Question => "question",
            Self::Chat => "chat",
            Self::ChevronLeft => "chevron-left",
            Self::ChevronDown => "chevron-down",
            Self::Pencil => "pencil",
            Self::Refresh => "refresh",
            Self::Undo => "undo",
            Self::Branch => "branch",
            Self::Trash => "trash",
            Self::Plus => "plus",
            Self::Minus => "minus",
            Self::Fit => "fit",
            Self::More => "more",
        }
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Send => "M16.5 3.5 9 11M16.5 3.5 12 16.5 9 11 3.5 8z",
            Self::Stop => "M6 6h8v8H6z",
            Self::NewChat => {
                "M4.5 4.5h11a1 1 0 0 1 1 1v7.5a1 1 0 0 1-1 1H9.5L6 17v-3H4.5a1 1 0 0 1-1-1V5.5a1 1 0 0 1 1-1zM10 7v4.5M7.75 9.25h4.5"
            }
            Self::Check => "m4.5 10.5 3.5 3.5 7.5-8",
            Self::X => "m5.5 5.5 9 9m0-9-9 9",
            Self::Alert => "M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.2v.1",
            Self::Info => "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.5v4M10 6.6v.1",
            Self::Ban => "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5.1 5.1l9.8 9.8",
            Self::Clock => "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6.5V10l2.5 1.5",
            Self::Tool => {
                "M12.6 3.6a4 4 0 0 0-4.7 5.3l-4.6 4.6a1.9 1.9 0 0 0 2.7 2.7l4.6-4.6a4 4 0 0 0 5.3-4.7l-2.4 2.4-2.6-.7-.7-2.6z"
            }
            Self::Chevron => "m7.5 5 5 5-5 5",
            Self::ArrowDown => "M10 4v12m-5-5 5 5 5-5",
            Self::ChevronLeft => "m12.5 5-5 5 5 5",
            Self::ChevronDown => "m5 7.5 5 5 5-5",
            Self::Pencil => {
                "M4 16l.9-3.6 8.6-8.6a1.4 1.4 0 0 1 2 0l.7.7a1.4 1.4 0 0 1 0 2l-8.6 8.6zM12 5.3 14.7 8"
            }
            Self::Refresh => "M15.8 8.2A6.2 6.2 0 1 0 16.2 11M16.5 4v4.4h-4.4",
            Self::Undo => "M7.5 4.5 4 8l3.5 3.5M4 8h7.5a4 4 0 0 1 0 8H8",
            Self::Branch => {
                "M6 7.2v5.6M6 7.2a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8zM6 16.6a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8zM14 7.2a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8zM14 7.2c0 3-2.4 3.6-5 4.1-1.6.3-3 .7-3 1.5"
            }
            Self::Trash => "M4 6h12M8 6V4h4v2M5.5 6l.8 10h7.4l.8-10M8.5 9v4.5M11.5 9v4.5",
            Self::Plus => "M10 4.5v11M4.5 10h11",
            Self::Minus => "M4.5 10h11",
            Self::More => "M4.7 10h.1M10 10h.1M15.2 10h.1",
            Self::Fit => "M8 3.5H3.5V8M12 3.5h4.5V8M8 16.5H3.5V12M12 16.5h4.5V12",
            Self::Copy => {
                "M7.5 7.5h8a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1zM12.5 7.5v-3a1 1 0 0 0-1-1h-7a1 1 0 0 0-1 1v7a1 1 0 0 0 1 1h3"
            }
            Self::ThumbUp => {
                "M6.5 9v7.5h7.6a1.6 1.6 0 0 0 1.6-1.3l1-5A1.6 1.6 0 0 0 15.1 8.3H11.5V5a1.6 1.6 0 0 0-1.6-1.6zM6.5 9h-3v7.5h3"
            }
            Self::ThumbDown => {
                "M6.5 11V3.5h7.6a1.6 1.6 0 0 1 1.6 1.3l1 5a1.6 1.6 0 0 1-1.6 1.9H11.5V15a1.6 1.6 0 0 1-1.6 1.6zM6.5 11h-3V3.5h3"
            }
            Self::File => {
                "M6 3.5h5l4 4v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM11 3.5v4h4"
            }
            Self::Image => {
                "M4 4.5h12a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zM3.5 14l4-4.5 3.5 3.5 2-2 3.5 3.5M13 7.8v.1"
            }
            Self::Audio => {
                "M8 14.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8 14.5v-10L16 3v10M16 13a2 2 0 1 1-4 0 2 2 0 0 1 4 0z"
            }
            Self::Video => {
                "M4 5.5h8a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM13 9l4-2.5v7L13 11"
            }
            Self::Clip => {
                "m15.5 9.5-5.6 5.6a3.3 3.3 0 0 1-4.7-4.7l6-6a2.2 2.2 0 0 1 3.1 3.1l-6 6a1.1 1.1 0 0 1-1.5-1.5l5.4-5.5"
            }
            Self::Chat => {
                "M4 4.5h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-4.5L8 16.5v-3H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM6.5 7.7h7M6.5 10.3h4.5"
            }
            Self::Download => "M10 3.5v9m-4-4 4 4 4-4M4 16.5h12",
            Self::External => {
                "M8 5H5a1 1 0 0 0-1 1v9a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-3M11.5 4H16v4.5M16 4l-7 7"
            }
            Self::Question => {
                "M4 4.5h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-4.5L8 16.5v-3H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.3 7.7a1.75 1.75 0 1 1 2.3 1.65q-.6.25-.6.85M10 11.9v.1"
            }
        }
    }

    /// Renders the icon, which is hidden from assistive technology. The text next to the icon must
    /// convey the meaning of the icon.
    #[must_use]
    pub fn view(self) -> impl IntoView {
        self.with_class("la-icon")
    }

    /// Renders the chevron of a `<summary>`, which turns while the `<details>` is open.
    #[must_use]
    pub fn chevron() -> impl IntoView {
        Self::Chevron.with_class("la-icon la-chevron")
    }

    fn with_class(self, class: &'static str) -> AnyView {
        svg_view(class, self.name(), self.path())
    }

    /// Renders a custom icon in the style of the library's icons: one path on a 20 by 20 grid,
    /// hidden from assistive technology.
    ///
    /// ```
    /// use leptos::prelude::*;
    /// use leptos_assistant::{Icon, Suggestion};
    ///
    /// let bars = || Icon::of_path("M3.5 16.5h13M6 13.5v-3M10 13.5v-7M14 13.5V9");
    /// let suggestion = Suggestion::new("Show the sales of May").icon(bars);
    /// ```
    #[must_use]
    pub fn of_path(path: &'static str) -> AnyView {
        svg_view("la-icon", "", path)
    }
}

fn svg_view(class: &'static str, name: &'static str, path: &'static str) -> AnyView {
    view! {
        <svg
            class=class
            data-icon=name
            viewBox="0 0 20 20"
            aria-hidden="true"
            focusable="false"
        >
            <path d=path></path>
        </svg>
    }
    .into_any()
}

impl From<Icon> for ViewFn {
    fn from(icon: Icon) -> Self {
        (move || icon.view()).into()
    }
}

/// The time after which a spinner begins to turn, in milliseconds. An animation costs frames even
/// if it ends at once, as in a series of short calls.
const SPIN_DELAY_MS: u32 = 300;

/// Renders the indicator of ongoing work, a ring that begins to turn after a moment.
pub fn spinner() -> impl IntoView {
    let spins = RwSignal::new(false);
    after(SPIN_DELAY_MS, move || {
        let _ = spins.try_set(true);
    });
    view! { <span class="la-spinner" data-spins=move || spins.get().then_some("") aria-hidden="true"></span> }
}
