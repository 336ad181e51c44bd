//! Selects the renderer that draws a call: the action's own renderer, or a renderer that is
//! registered for tools.

use assistant_core::action::RegistrationId;

use super::ToolCallView;
use crate::{
    assistant::{Assistant, CallRenderers, FoundRenderer, Renderer},
    render::CallTexts,
};

/// A function that selects one of the renderers of an action.
type SelectRendererFn = fn(&CallRenderers) -> Option<&Renderer<ToolCallView>>;

/// The renderer that was selected for a call's card or approval.
pub(crate) struct SelectedRenderer {
    pub(crate) id: RegistrationId,
    pub(crate) renderer: Renderer<ToolCallView>,
    /// True if the renderer receives arguments while they stream in.
    pub(crate) streams_args: bool,
    /// True if the renderer draws the calls of all tools.
    pub(crate) is_general: bool,
}

impl Assistant {
    /// Returns a renderer for the calls with a name. The renderer of the active registration is
    /// used first, then that of the newest registration that has a renderer, so that cards remain
    /// while their action is disabled. Returns `None` if no registration has a renderer.
    fn find_renderer(&self, name: &str, find: SelectRendererFn) -> Option<SelectedRenderer> {
        self.registration_ids(name).into_iter().find_map(|id| {
            let renderers = self.renderers().action(id)?;
            Some(SelectedRenderer {
                id,
                renderer: find(&renderers)?.clone(),
                streams_args: renderers.streams_args,
                is_general: false,
            })
        })
    }

    /// Returns the ids of the registrations of a name. The id of the active registration is first,
    /// followed by the ids of all registrations of the name, newest first.
    fn registration_ids(&self, name: &str) -> Vec<RegistrationId> {
        let ids = self.read(|session| {
            let registry = session.registry();
            let registrations = registry
                .active_registration(name)
                .into_iter()
                .chain(registry.named(name));
            registrations.map(|entry| entry.id()).collect()
        });
        ids.unwrap_or_default()
    }

    /// Returns the texts of the active action with the given name or, if none is active, those of
    /// the newest action with this name. Returns `None` if no action with this name is registered.
    pub(crate) fn action_texts(&self, name: &str) -> Option<CallTexts> {
        let id = self.registration_ids(name).into_iter().next()?;
        Some(self.renderers().action(id)?.words.current_texts())
    }

    /// Returns the renderer for the page's approval of calls with this name. Returns `None` if the
    /// built-in card is used.
    pub(crate) fn approval_renderer(&self, name: &str) -> Option<SelectedRenderer> {
        self.find_renderer(name, |renderers| renderers.approval.as_ref())
    }

    /// Returns the renderer for the cards of calls with this name: the action's own renderer, or a
    /// renderer that is registered for tools. Returns `None` if the default card is used.
    pub(crate) fn card_renderer(&self, name: &str) -> Option<SelectedRenderer> {
        let action_renderer = self.find_renderer(name, |renderers| renderers.card.as_ref());
        action_renderer.or_else(|| {
            let FoundRenderer {
                id,
                renderer,
                is_general,
            } = self.renderers().tool(name)?;
            Some(SelectedRenderer {
                id,
                renderer,
                streams_args: true,
                is_general,
            })
        })
    }
}
