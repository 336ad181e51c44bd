//! Stores the renderers of an application for calls, parts and interrupts, and selects a renderer
//! for each target.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use assistant_core::action::RegistrationId;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

use super::{InterruptView, PartHandle, ToolCallView};
use crate::render::{ActionTexts, InterruptTarget, PartKind, PartTarget, Specificity, ToolTarget};

/// A type-erased renderer.
pub(crate) type Renderer<T> = Arc<SendWrapper<Box<dyn Fn(T) -> AnyView>>>;

/// Erases the type of a renderer function.
pub(super) fn erase_renderer<T, V: IntoView + 'static>(
    render: impl Fn(T) -> V + 'static,
) -> Renderer<T> {
    let render_any = move |input| render(input).into_any();
    Arc::new(SendWrapper::new(Box::new(render_any)))
}

/// Erases the type of a renderer for calls, whose arguments may have any type.
pub(crate) fn erase_call_renderer<T: 'static, V: IntoView + 'static>(
    render: impl Fn(ToolCallView<T>) -> V + 'static,
) -> Renderer<ToolCallView> {
    erase_renderer(move |call: ToolCallView| render(call.cast()))
}

/// The renderers of an action for its own calls.
#[derive(Clone, Default)]
pub(crate) struct CallRenderers {
    /// The renderer of the call's card.
    pub(crate) card: Option<Renderer<ToolCallView>>,
    /// The renderer of the call's approval.
    pub(crate) approval: Option<Renderer<ToolCallView>>,
    /// The action's texts about its calls.
    pub(crate) words: ActionTexts,
    /// True if the card receives arguments while they stream in.
    pub(crate) streams_args: bool,
}

/// A renderer that does not belong to an action, with its target.
pub(super) enum TargetedRenderer {
    Tool(ToolTarget, Renderer<ToolCallView>),
    Part(PartTarget, Renderer<PartHandle>),
    Interrupt(InterruptTarget, Renderer<InterruptView>),
}

/// The renderer selected for a target.
pub(crate) struct FoundRenderer<T> {
    pub(crate) id: RegistrationId,
    pub(crate) renderer: Renderer<T>,
    /// True if the renderer applies to all names, not to a single one.
    pub(crate) is_general: bool,
}

/// The renderers of one assistant.
#[derive(Default)]
pub(crate) struct Renderers {
    actions: RefCell<HashMap<RegistrationId, CallRenderers>>,
    targeted_renderers: RefCell<Vec<(RegistrationId, TargetedRenderer)>>,
    /// The number of changes to the renderers of parts, as a signal.
    parts: ArcRwSignal<u32>,
}

// Removed renderers are dropped after the borrow ends, because their destructors may use this
// registry.
impl Renderers {
    pub(crate) fn set_action(&self, id: RegistrationId, renderers: CallRenderers) {
        let previous_renderers = self.actions.borrow_mut().insert(id, renderers);
        drop(previous_renderers);
    }

    pub(crate) fn action(&self, id: RegistrationId) -> Option<CallRenderers> {
        self.actions.borrow().get(&id).cloned()
    }

    pub(crate) fn remove_action(&self, id: RegistrationId) {
        let removed_renderers = self.actions.borrow_mut().remove(&id);
        drop(removed_renderers);
    }

    /// Returns the application's renderer for the calls of this tool, among the renderers that do
    /// not belong to an action. Returns `None` if no renderer applies to this tool.
    pub(crate) fn tool(&self, name: &str) -> Option<FoundRenderer<ToolCallView>> {
        self.best_match(|targeted_renderer| match targeted_renderer {
            TargetedRenderer::Tool(target, renderer) => Some((target.specificity(name)?, renderer)),
            _ => None,
        })
    }

    /// Returns the application's renderer for interrupts with this reason, if any.
    pub(crate) fn interrupt(&self, reason: &str) -> Option<FoundRenderer<InterruptView>> {
        self.best_match(|targeted_renderer| match targeted_renderer {
            TargetedRenderer::Interrupt(target, renderer) => {
                Some((target.specificity(reason)?, renderer))
            }
            _ => None,
        })
    }

    /// Returns the application's renderer for a kind of part, if any. The value is tracked: a
    /// reactive closure runs again when the renderers of parts change.
    pub(crate) fn part(&self, kind: &PartKind) -> Option<FoundRenderer<PartHandle>> {
        self.parts.track();
        self.best_match(|targeted_renderer| match targeted_renderer {
            TargetedRenderer::Part(target, renderer) => Some((target.specificity(kind)?, renderer)),
            _ => None,
        })
    }

    /// Returns the renderer that fits best, or the newest of several renderers that fit equally
    /// well. Returns `None` if no renderer fits.
    fn best_match<T>(
        &self,
        fit: impl Fn(&TargetedRenderer) -> Option<(Specificity, &Renderer<T>)>,
    ) -> Option<FoundRenderer<T>> {
        let targeted_renderers = self.targeted_renderers.borrow();
        let candidates = targeted_renderers
            .iter()
            .filter_map(|(id, targeted_renderer)| Some((*id, fit(targeted_renderer)?)));
        // Of equal fits, `max_by_key` returns the last, which is the newest renderer.
        let (id, (fit, renderer)) = candidates.max_by_key(|(_, (fit, _))| *fit)?;
        Some(FoundRenderer {
            id,
            renderer: renderer.clone(),
            is_general: fit == Specificity::General,
        })
    }

    /// Adds a renderer. Of several renderers that fit equally well, the newest is used.
    pub(super) fn add(&self, id: RegistrationId, targeted_renderer: TargetedRenderer) {
        self.targeted_renderers
            .borrow_mut()
            .push((id, targeted_renderer));
    }

    /// Notifies the views of parts that a renderer for parts was added or removed.
    pub(super) fn notify_part_views(&self) {
        self.parts.update(|count| *count = count.wrapping_add(1));
    }

    /// Removes a renderer that does not belong to an action.
    pub(super) fn remove(&self, id: RegistrationId) {
        let removed_renderers: Vec<_> = {
            let mut targeted_renderers = self.targeted_renderers.borrow_mut();
            targeted_renderers
                .extract_if(.., |(renderer_id, _)| *renderer_id == id)
                .collect()
        };
        drop(removed_renderers);
    }

    /// Removes all renderers.
    pub(crate) fn clear(&self) {
        let targeted_renderers = std::mem::take(&mut *self.targeted_renderers.borrow_mut());
        drop(targeted_renderers);
        let actions = std::mem::take(&mut *self.actions.borrow_mut());
        drop(actions);
    }
}
