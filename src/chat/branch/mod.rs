//! The branches of a conversation on the screen: versions of a message, rewriting a message,
//! another answer, and what goes on elsewhere.

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
