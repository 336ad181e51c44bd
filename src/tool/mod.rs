//! Renders tool calls in the chat: selects the card of each call, and renders default cards,
//! approval cards and questions.

mod action_choice;
mod action_list;
mod agent_text;
mod approval;
mod approval_context;
mod approval_notes;
mod attention;
mod batch;
mod bounds;
mod call_description;
mod decision_view;
mod default_card;
mod exact_text;
mod expiry;
mod failure;
mod fields;
mod form;
mod handler_question;
mod inbox;
mod json_text;
mod preview;
mod problems;
mod question;
mod question_number;
mod remembered_approvals;
mod requested_tools;
mod scopes;
mod single_instance;
mod slot;
mod text_pieces;
mod unmentioned_args;
mod visibility;

pub use crate::{
    assistant::{InterruptView, RendererGuard, use_interrupt_renderer},
    render::InterruptTarget,
};
pub use approval::{ApprovalCard, ApprovalCardProps};
pub use default_card::{DefaultCard, DefaultCardProps};
pub use exact_text::ExactText;
pub use form::{Problem, SchemaForm, SchemaFormProps};
pub use inbox::{InterruptInbox, InterruptInboxProps};
pub use remembered_approvals::{AllowedActions, AllowedActionsProps};
pub use slot::{ToolCallSlot, ToolCallSlotProps};

pub(crate) use batch::{ApprovalBatch, batch_bar};
pub(crate) use call_description::question_text;
pub(crate) use failure::{declares_failure, error_reason, failure_reason, has_failed};
pub(crate) use inbox::page_call_keys;
pub(crate) use single_instance::claim_question;
pub(crate) use slot::{HiddenInGroup, has_default_card};
pub(crate) use text_pieces::escape_hidden;
pub(crate) use visibility::{Visibility, cover_note};
