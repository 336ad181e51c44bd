//! The protocols of agents, and the session options that they require.
//!
//! ```
//! use assistant_core::protocol::{AgUi, adapt};
//! use assistant_core::session::SessionOptions;
//!
//! let mut options = SessionOptions::default();
//! adapt(&mut options, &AgUi::default());
//! assert!(options.history.is_none());
//! ```

use crate::session::SessionOptions;

#[cfg(feature = "completions")]
pub use crate::wire::completions::Completions;
#[cfg(feature = "ui-stream")]
pub use crate::wire::ui_stream::UiStream;
pub use crate::wire::{Needs, Protocol, Request, agui::AgUi};

/// Sets the session options that a protocol requires. Call it before the session is created.
pub fn adapt<P: Protocol + ?Sized>(options: &mut SessionOptions, protocol: &P) {
    let needs = protocol.needs();
    #[cfg(feature = "ui-stream")]
    if needs.ui_history {
        options.history = Some(crate::conversation::Conversation::ui_history);
    }
    if let Some(resumes) = needs.resumes {
        options.resumes = resumes;
    }
    options.replays |= needs.replays;
    options.asks_again |= needs.asks_again;
    options.agent_runs_tools &= !needs.runs_no_tools;
}
