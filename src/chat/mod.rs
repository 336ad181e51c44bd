//! Renders the chat window and its parts.

mod actions;
mod activity_line;
mod announcer;
mod branch;
mod collapsible;
mod composer;
mod day;
mod deferred;
mod dialogs;
mod edited_message;
mod frame;
mod grouping;
mod header;
mod inbox_place;
mod item;
mod list;
mod message;
mod message_context;
mod notices;
mod past_conversations;
mod past_search;
mod pinned_content;
mod popup;
mod previous_conversation;
mod queued_messages;
mod requested_announcement;
mod scroll;
mod scroll_anchor;
mod sidebar;
mod stop_notice;
mod suggestions;
mod thread;
mod transcript;
mod transcript_context;
mod tree;
mod turn;
mod turn_focus;
mod unread;
mod window;

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
pub use past_conversations::{PastConversations, PastConversationsProps};
pub use popup::{ChatPopup, ChatPopupProps};
pub use sidebar::{ChatSidebar, ChatSidebarProps};
pub use stop_notice::{show_stopped, show_stopped_on_traps};
pub use suggestions::{EmptyState, EmptyStateProps, Suggestion, Suggestions, SuggestionsProps};
pub use transcript::{Transcript, TranscriptProps};
pub use transcript_context::{Feedback, MessageFn};
pub use tree::{TreeView, TreeViewProps};
pub use window::{ChatWindow, ChatWindowProps};
