//! Defines the page's own icons, in the style of the library's icons. Each icon is a path on a 20
//! by 20 grid.

use leptos::prelude::*;
use leptos_assistant::Icon;

#[derive(Clone, Copy)]
pub(crate) enum PageIcon {
    Search,
    Database,
    Trash,
    Rocket,
    Sun,
    Moon,
    Globe,
    Chart,
    Cloud,
    Plug,
}

impl PageIcon {
    const fn path(self) -> &'static str {
        match self {
            Self::Search => "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4",
            Self::Database => {
                "M4 5.5C4 4.1 6.7 3 10 3s6 1.1 6 2.5S13.3 8 10 8 4 6.9 4 5.5zM4 5.5v9C4 15.9 6.7 17 10 17s6-1.1 6-2.5v-9M4 10c0 1.4 2.7 2.5 6 2.5s6-1.1 6-2.5"
            }
            Self::Trash => {
                "M4 5.5h12M8 5.5V4a.5.5 0 0 1 .5-.5h3a.5.5 0 0 1 .5.5v1.5M5.5 5.5l.7 10a1 1 0 0 0 1 1h5.6a1 1 0 0 0 1-1l.7-10M8.5 8.8v4.5M11.5 8.8v4.5"
            }
            Self::Rocket => {
                "M7 9.5c1.2-3.6 4.3-6 9.5-5.9.1 5.2-2.3 8.3-5.9 9.5zM7 9.5l-3.2.5L6 7l2.4-.2M10.6 13.1l-.5 3.2 3-2.3.2-2.4M5.5 12.5l-2 4 4-2M12.6 7.5v.1"
            }
            Self::Sun => {
                "M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M4.3 15.7l1.1-1.1M14.6 5.4l1.1-1.1"
            }
            Self::Moon => "M16 11.8A6.5 6.5 0 0 1 8.2 4 6.5 6.5 0 1 0 16 11.8z",
            Self::Globe => {
                "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM3 10h14M10 3c2.2 2 3 4.5 3 7s-.8 5-3 7c-2.2-2-3-4.5-3-7s.8-5 3-7z"
            }
            Self::Chart => "M3.5 16.5h13M6 13.5v-3M10 13.5v-7M14 13.5V9",
            Self::Cloud => "M6.5 15.5a3 3 0 0 1-.3-6 4 4 0 0 1 7.7-.6 3.3 3.3 0 0 1 .1 6.6z",
            Self::Plug => "M7.5 3v4M12.5 3v4M5 7h10v2.5a5 5 0 0 1-10 0zM10 14.5V18",
        }
    }

    pub(crate) fn view(self) -> AnyView {
        Icon::of_path(self.path())
    }
}

impl From<PageIcon> for ViewFn {
    fn from(icon: PageIcon) -> Self {
        (move || icon.view()).into()
    }
}
