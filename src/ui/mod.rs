//! Provides shared building blocks that do not depend on other modules of the crate: labels, icons,
//! focus, time, files, dynamic views (`dynamic`, `each`, `when`), and subscriptions of observers.

mod blocks;
mod browser;
mod clipboard;
#[cfg(feature = "testing")]
pub(crate) mod clock;
mod console;
mod dom;
mod dynamic;
mod files;
pub(crate) mod focus;
mod frame;
mod hydration;
mod icon_button;
mod icons;
mod id;
mod labels;
mod lifecycle;
mod live_regions;
mod media;
mod partial_list;
mod plural;
mod reactive;
mod style;
mod subscription;
mod text_format;
pub(crate) mod time;
mod timer;
mod trusted_events;
mod wording;

pub use hydration::{ClientOnly, ClientOnlyProps};
pub use icons::{Icon, spinner};
pub use labels::{IncompleteLabels, LabelName, Labels};
pub use media::media_policy;
pub use style::STYLE;
pub use subscription::Subscription;
pub use wording::{provide_labels, provide_shared_labels};

pub(crate) use blocks::split_at_block_end;
pub(crate) use browser::{browser, in_browser, is_offline, spawn_local};
pub(crate) use clipboard::{COPY_OUTCOME_MS, copy_text as copy_to_clipboard};
pub(crate) use console::{console_error, console_warn};
pub(crate) use dom::{closest, find, has_modifier, is_composing, is_right_to_left};
pub(crate) use dynamic::{dynamic, each, paced_each, scope, when};
pub(crate) use files::{read_base64, save_file};
pub(crate) use frame::{
    SLICE_MS, WorkSlice, draw_all_rows, has_waiting_rows, in_next_frame, next_frame,
};
pub(crate) use hydration::after_hydration;
pub(crate) use icon_button::{IconButton, TabStop};
pub(crate) use id::fresh_id;
pub(crate) use labels::Word;
pub(crate) use lifecycle::{PageLifecycle, is_hidden};
pub(crate) use live_regions::{LiveRegions, Region, live_in_dialog};
pub(crate) use partial_list::PartialList;
#[cfg(feature = "markdown")]
pub(crate) use partial_list::show_more_text;
pub(crate) use reactive::{Attributes, attributes, effect, memo};
pub(crate) use subscription::subscribe;
pub(crate) use text_format::{
    display_host, floor_char_boundary, format_float, format_size, in_words, title_in_words,
    to_lowercase, truncate,
};
pub(crate) use time::now;
pub(crate) use timer::{
    after, after_by_browser, sleep, sleep_by_browser, wait_for_pending_work, when_idle,
};
#[cfg(feature = "testing")]
pub(crate) use trusted_events::scripted;
pub(crate) use trusted_events::{are_scripts_accepted, decider, decider_by, is_trusted};
pub(crate) use wording::{AttrText, Words};
