//! The renderers of calls: what an action draws, by its registration, and what is drawn for tools
//! whoever runs them.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::action::RegistrationId;

use super::{CallWords, NamedTable, Renderer};

/// The calls that a renderer draws. A text is the name of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolTarget {
    /// The calls of one tool.
    Named(String),
    /// The calls of all tools that have no renderer of their own.
    All,
}

impl ToolTarget {
    /// The name; none for all tools.
    pub(crate) fn name(self) -> Option<String> {
        match self {
            Self::Named(name) => Some(name),
            Self::All => None,
        }
    }
}

impl From<&str> for ToolTarget {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for ToolTarget {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

/// What an action draws for its calls; the renderers are given a `C`.
pub(crate) struct CallRenderers<C> {
    /// Draws its card.
    pub(crate) card: Option<Renderer<C>>,
    /// Draws the page's question whether a call may run.
    pub(crate) approval: Option<Renderer<C>>,
    /// What the page says of it.
    pub(crate) words: CallWords,
    /// Whether the card sees arguments while they stream in.
    pub(crate) streams_args: bool,
}

impl<C> Default for CallRenderers<C> {
    fn default() -> Self {
        Self {
            card: None,
            approval: None,
            words: CallWords::default(),
            streams_args: false,
        }
    }
}

impl<C> Clone for CallRenderers<C> {
    fn clone(&self) -> Self {
        Self {
            card: self.card.clone(),
            approval: self.approval.clone(),
            words: self.words.clone(),
            streams_args: self.streams_args,
        }
    }
}

/// The renderers of calls of one assistant.
pub(crate) struct CallTable<C> {
    actions: RefCell<HashMap<RegistrationId, CallRenderers<C>>>,
    /// What is drawn for tools, whoever runs them.
    pub(crate) tools: NamedTable<C>,
}

impl<C> Default for CallTable<C> {
    fn default() -> Self {
        Self {
            actions: RefCell::default(),
            tools: NamedTable::default(),
        }
    }
}

impl<C> CallTable<C> {
    pub(crate) fn set(&self, id: RegistrationId, renderers: CallRenderers<C>) {
        let old = self.actions.borrow_mut().insert(id, renderers);
        drop(old);
    }

    pub(crate) fn get(&self, id: RegistrationId) -> Option<CallRenderers<C>> {
        self.actions.borrow().get(&id).cloned()
    }

    pub(crate) fn remove(&self, id: RegistrationId) {
        // Dropped after the borrow ends: what a renderer holds may come back here.
        let gone = self.actions.borrow_mut().remove(&id);
        drop(gone);
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.actions.borrow_mut());
        drop(gone);
        self.tools.clear();
    }
}
