//! Shows the versions of a message, edits and regenerates messages, and reports activity on other
//! branches.

mod edit;
mod other_branch;
mod picker;
mod regenerate;

pub use edit::{MessageEdit, MessageEditor};
pub use other_branch::{OtherBranch, OtherBranchProps};
pub use picker::BranchPicker;
pub use regenerate::MessageRegenerate;

pub(super) use edit::edit_button;
pub(super) use picker::render_picker;
pub(super) use regenerate::{can_regenerate, regenerate_button};
