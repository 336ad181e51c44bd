//! Renders tool calls in the chat: selects the card of each call, and renders default cards,
//! approval cards and questions.

mod action_choice;
mod action_list;
mod agents_words;
mod approval;
mod approval_context;
mod approval_notes;
mod ask;
mod attention;
mod batch;
mod bounds;
mod call_description;
mod decide;
mod default_card;
mod exact;
mod expiry;
mod failure;
mod fields;
mod form;
mod inbox;
mod mentioned;
mod number;
mod pieces;
mod pretty;
mod preview;
mod problems;
mod question;
mod remember;
mod requested_tools;
mod scopes;
mod single_instance;
mod slot;
mod visibility;

pub use crate::{
    assistant::{InterruptView, RendererGuard, use_interrupt_renderer},
    render::InterruptTarget,
};
pub use approval::{ApprovalCard, ApprovalCardProps};
pub use default_card::{DefaultCard, DefaultCardProps};
pub use exact::ExactText;
pub use form::{Problem, SchemaForm, SchemaFormProps};
pub use inbox::{InterruptInbox, InterruptInboxProps};
pub use remember::{AllowedActions, AllowedActionsProps};
pub use slot::{ToolCallSlot, ToolCallSlotProps};

pub(crate) use batch::{ApprovalBatch, batch_bar};
pub(crate) use call_description::question_text;
pub(crate) use failure::{declares_failure, error_reason, failure_reason, has_failed};
pub(crate) use inbox::page_call_keys;
pub(crate) use pieces::escape_hidden;
pub(crate) use single_instance::claim_question;
pub(crate) use slot::{HiddenInGroup, has_default_card};
pub(crate) use visibility::{Visibility, cover_note};
