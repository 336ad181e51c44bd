//! What an application gives: the code of its actions, the renderers of calls and parts, and what
//! they have drawn. Tables, no more: what they are given and when they run is for the rooms above.

mod call;
mod cancellation;
mod cards;
mod code;
mod interrupt;
mod named;
mod part;
mod words;

use std::sync::Arc;

use leptos::prelude::AnyView;
use send_wrapper::SendWrapper;

pub use call::ToolTarget;
pub use cancellation::Cancellation;
pub use interrupt::InterruptTarget;
pub use part::{PartKind, PartTarget};
pub use words::{Description, Risk};

pub(crate) use call::{CallRenderers, CallTable};
pub(crate) use cards::Cards;
pub(crate) use code::{ActionCode, Denial, Handler, Permission, Preview, Rule, Sanitize};
pub(crate) use named::{Found, NamedTable};
pub(crate) use part::PartTable;
pub(crate) use words::CallWords;

/// Draws what it is given.
pub(crate) type Renderer<T> = Arc<SendWrapper<Box<dyn Fn(T) -> AnyView>>>;
