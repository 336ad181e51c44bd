//! The branches of a conversation: versions of a message, editing, regenerating, and activity on
//! other branches.

mod edit;
mod elsewhere;
mod picker;
mod regenerate;

pub use edit::{MessageEdit, MessageEditor};
pub use elsewhere::{OtherBranch, OtherBranchProps};
pub use picker::BranchPicker;
pub use regenerate::MessageRegenerate;

pub(super) use edit::edit_button;
pub(super) use picker::picker;
pub(super) use regenerate::{can_regenerate, regenerate_button};
