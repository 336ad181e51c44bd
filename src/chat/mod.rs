//! The chat window and its pieces.

mod actions;
mod composer;
mod counts;
mod day;
mod dialogs;
pub(crate) mod focus;
mod grouping;
mod icons;
mod item;
mod labels;
mod list;
mod message;
mod notices;
mod place;
mod queued;
mod scroll;
mod stopped;
mod thread;
pub(crate) mod time;
mod transcript;
mod turn;
mod window;

pub use actions::Feedback;
pub use composer::{Composer, ComposerProps};
pub use dialogs::{ConfirmDialogs, ConfirmDialogsProps};
pub use icons::{Icon, spinner};
pub use labels::Labels;
pub use message::{MessageView, MessageViewProps};
pub use notices::{Notices, NoticesProps};
pub use stopped::show_stopped;
pub use transcript::{Transcript, TranscriptProps};
pub use window::{ChatWindow, ChatWindowProps, Suggestion};
