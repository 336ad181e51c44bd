//! The chat window and its pieces.

mod actions;
mod composer;
mod counts;
mod day;
mod dialogs;
mod grouping;
mod item;
mod list;
mod message;
mod notices;
mod part;
mod place;
mod queued;
mod scroll;
mod stopped;
mod thread;
mod transcript;
mod turn;
mod window;

pub use crate::ui::{Icon, Labels, spinner};
pub use actions::Feedback;
pub use composer::{Composer, ComposerProps};
pub use dialogs::{ConfirmDialogs, ConfirmDialogsProps};
pub use message::{MessageView, MessageViewProps};
pub use notices::{Notices, NoticesProps};
pub use part::{PartView, PartViewProps};
pub use stopped::{show_stopped, show_stopped_on_traps};
pub use transcript::{Transcript, TranscriptProps};
pub use window::{ChatWindow, ChatWindowProps, Suggestion};
