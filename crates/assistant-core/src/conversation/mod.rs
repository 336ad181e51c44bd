//! The conversation: a tree of messages with typed parts, and the reducer that applies events to
//! the tree.
//!
//! Each node contains one message with any role except `tool`. The result of a call is stored in
//! the call, and keeps its position in the received order (rule "one conversation"). The chat shows
//! one path through the tree. [`crate::session`] determines the next step.

mod after_reload;
mod amount;
mod answer;
mod apply;
mod args;
mod asking_call;
mod branch;
mod call;
mod call_args;
mod call_event;
mod call_outcome;
mod call_step;
mod call_update;
mod calls;
mod change;
mod check;
mod consent;
mod copy;
mod cost;
mod data_change;
mod drawing;
mod export;
#[cfg(feature = "records")]
mod feed;
mod fingerprint;
mod fold;
mod format_error;
mod id;
mod import_tree;
mod index;
mod join;
mod json;
mod json_call;
mod json_fields;
mod list;
mod message;
mod model;
mod origin;
mod orphan;
mod outcome;
mod outline;
mod part;
mod phase;
mod placement;
mod provenance;
mod rates;
#[cfg(feature = "callouts")]
mod reading;
#[cfg(feature = "records")]
pub(crate) mod record_fields;
mod review;
mod run_notes;
mod runs;
mod source;
mod state;
#[cfg(test)]
mod state_table;
mod step;
mod tree;
mod tree_error;
#[cfg(feature = "ui-stream")]
mod ui;
#[cfg(feature = "records")]
pub(crate) mod update;
mod wire_form;

pub use crate::action::Decider;
pub use amount::{Amount, AmountError};
pub(crate) use answer::UseCountState;
pub use answer::{
    AllowedEarlier, CallApproval, CallError, CallResult, Decision, ErrorKind, Progress,
};
pub(crate) use apply::ApplyContext;
pub use call::ToolCall;
pub(crate) use call_event::CallFacts;
pub use call_event::{AllowedBy, CallEvent, CallEventKind};
pub use call_outcome::CallOutcome;
pub use change::Change;
pub(crate) use check::{Check, CheckSubject};
pub use consent::Consent;
pub use cost::Cost;
pub(crate) use data_change::CallDataChange;
pub use drawing::{Drawing, Spot, VisiblePart};
pub use fingerprint::Fingerprint;
pub use format_error::FormatError;
pub use id::{CallKey, MessageId};
pub use message::{Cut, Message};
pub use model::Conversation;
pub use origin::{MarkdownTools, Origin};
pub use outcome::Author;
pub(crate) use outcome::{CallEnd, EndedCall};
pub use outline::OutlineRow;
pub use part::{DataPart, Part, SourcePart, Span, TextPart, ToolResultPart};
pub use phase::{Phase, Status};
pub use provenance::AgentUserMessages;
pub use rates::Rates;
pub(crate) use review::{
    AwaitedPreview, Clearance, History, Permission, PreviewApproval, Review, UserQuestion,
};
pub(crate) use state::{State, StateEvent};
pub use step::AgentStep;
pub(crate) use step::MAX_STEPS;
pub use tree_error::{Sibling, TreeError};
#[cfg(feature = "ui-stream")]
pub use ui::notes as ui_notes;
