//! The code of actions, their texts, the targets of renderers, and the mounted cards. Other modules
//! call the renderers and handlers.

mod cancellation;
mod cards;
mod code;
mod target;
mod words;

pub use cancellation::Cancellation;
pub use target::{InterruptTarget, PartKind, PartTarget, ToolTarget};
pub use words::{Description, Risk};

pub(crate) use cards::MountedCards;
pub(crate) use code::{
    ActionCode, ApprovalRule, DenialResult, InvocationHandler, PermissionRule, PreviewFn,
    SanitizeFn,
};
pub(crate) use target::Specificity;
pub(crate) use words::{ActionTexts, CallTexts};
