//! Renders the chat window and its parts.

mod actions;
mod announcer;
mod branch;
mod collapsible;
mod composer;
mod counts;
mod day;
mod deferred;
mod dialogs;
mod edited;
mod frame;
mod grouping;
mod header;
mod inbox_place;
mod item;
mod left;
mod list;
mod message;
mod message_context;
mod notices;
mod past;
mod past_search;
mod pinned;
mod place;
mod popup;
mod queued;
mod roving;
mod scroll;
mod sidebar;
mod spoken;
mod stopped;
mod suggestions;
mod thread;
mod transcript;
mod transcript_context;
mod tree;
mod turn;
mod unread;
mod window;
mod working;

pub use crate::ui::{Icon, Labels, spinner};
pub use actions::{MessageActions, MessageActionsProps};
pub use announcer::{Announcer, AnnouncerProps, Speech};
pub use branch::{
    BranchPicker, MessageEdit, MessageEditor, MessageRegenerate, OtherBranch, OtherBranchProps,
};
pub use composer::{
    Composer, ComposerAttach, ComposerAttachProps, ComposerAttachments, ComposerDeny,
    ComposerDenyProps, ComposerHandle, ComposerHint, ComposerInput, ComposerProps, ComposerRoot,
    ComposerRootProps, ComposerSend, ComposerSendProps, ComposerStop, ComposerStopProps,
    use_composer,
};
pub use dialogs::{ConfirmDialogs, ConfirmDialogsProps};
pub use frame::{ChatRoot, ChatRootProps};
pub use header::{
    ChatHeader, ChatHeaderProps, ChatStatus, ChatStatusProps, NewConversation, NewConversationProps,
};
pub use message::{
    MessageNotes, MessageParts, MessageRoot, MessageRootProps, MessageSpeaker, MessageView,
    MessageViewProps, PartView, PartViewProps, use_message,
};
pub use notices::{Notices, NoticesProps};
pub use past::{PastConversations, PastConversationsProps};
pub use popup::{ChatPopup, ChatPopupProps};
pub use sidebar::{ChatSidebar, ChatSidebarProps};
pub use stopped::{show_stopped, show_stopped_on_traps};
pub use suggestions::{EmptyState, EmptyStateProps, Suggestion, Suggestions, SuggestionsProps};
pub use transcript::{Transcript, TranscriptProps};
pub use transcript_context::{Feedback, MessageFn};
pub use tree::{TreeView, TreeViewProps};
pub use window::{ChatWindow, ChatWindowProps};
