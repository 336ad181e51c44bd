//! Mounts views of other components: cards of actions, and parts with a custom renderer.
//!
//! The views are mounted manually, so that they can be removed at once when the component that
//! registered their renderer is unmounted: the signals that the views read may be disposed
//! immediately afterwards (rule "unmounting"). `cards` owns the mounted views.

use std::{any::Any, rc::Rc};

use assistant_core::action::RegistrationId;
use leptos::{html, mount::mount_to, prelude::*};
use send_wrapper::SendWrapper;

use crate::{
    assistant::Assistant,
    ui::{Icon, LabelName, Words, console_error, effect},
};

/// A view to mount, and the registration of its renderer.
pub(crate) struct ForeignView {
    /// The registration of the renderer.
    pub(crate) registration: RegistrationId,
    /// The description of the view in error messages, if the view is a question to the user. If a
    /// view with a description is empty, an error is logged and `instead` is shown.
    pub(crate) requester: Option<String>,
    pub(crate) draw: Box<dyn FnOnce() -> AnyView>,
    /// The function that draws the fallback, which is shown below the error if drawing fails, and
    /// instead of an empty question.
    pub(crate) instead: Box<dyn Fn() -> AnyView>,
}

/// Mounts the view that `find` returns, in an element of its own. If `find` returns `None`, the
/// element is empty.
pub(crate) fn mount_foreign_view(
    assistant: Assistant,
    find: impl Fn() -> Option<ForeignView> + 'static,
) -> AnyView {
    let container = NodeRef::<html::Div>::new();
    let card_id = assistant.runtime().next_number();
    let owner = Owner::current();
    let words = Words::current();
    let assistant_handle = assistant.clone();
    effect(move |_| {
        let (Some(element), Some(owner)) = (container.get(), owner.clone()) else {
            return;
        };
        let Some(ForeignView {
            registration,
            requester,
            draw,
            instead: fallback,
        }) = untrack(&find)
        else {
            return;
        };
        let words = words.clone();
        let fallback = Rc::new(fallback);
        let error_fallback = Rc::clone(&fallback);
        let parent = element.clone().into();
        let mounted_view =
            owner.with(|| mount_to(parent, move || guarded_view(draw, error_fallback, words)));
        let handle: Box<dyn Any> = match requester.filter(|_| is_empty(&element)) {
            None => Box::new(mounted_view),
            Some(requester) => {
                console_error(&format!(
                    "{requester} draws nothing: the built-in view is shown instead"
                ));
                drop(mounted_view);
                Box::new(owner.with(|| mount_to(element.into(), move || fallback())))
            }
        };
        assistant_handle
            .cards()
            .insert(card_id, registration, handle);
    });
    on_cleanup(move || assistant.cards().remove(card_id));
    view! { <div class="la-custom" node_ref=container></div> }.into_any()
}

/// Returns true if an element has no child elements, and no text except white space.
fn is_empty(element: &web_sys::HtmlElement) -> bool {
    let text = element.text_content().unwrap_or_default();
    element.first_element_child().is_none() && text.trim().is_empty()
}

/// Draws the view of a renderer. If the renderer returns an error, renders an error box and the
/// fallback instead; the rest of the chat is not affected.
fn guarded_view(
    draw: Box<dyn FnOnce() -> AnyView>,
    fallback: Rc<Box<dyn Fn() -> AnyView>>,
    words: Words,
) -> impl IntoView {
    let (draw, fallback) = (SendWrapper::new(draw), SendWrapper::new(fallback));
    view! {
        <ErrorBoundary fallback=move |errors| {
            let messages: Vec<String> =
                errors.get().into_iter().map(|(_, error)| error.to_string()).collect();
            view! {
                <div class="la-render-error">
                    <p class="la-tool-line" data-tone="error" role="alert">
                        {Icon::Alert.view()}
                        <span>{words.text(LabelName::RenderFailed)} " " {messages.join("; ")}</span>
                    </p>
                    {fallback()}
                </div>
            }
        }>
            {draw_contained(draw.take())}
        </ErrorBoundary>
    }
}

/// Draws the view. Without unwinding, as in browsers, a panic ends the program.
#[cfg(not(panic = "unwind"))]
fn draw_contained(draw: Box<dyn FnOnce() -> AnyView>) -> AnyView {
    draw()
}

#[cfg(panic = "unwind")]
use unwinding::draw_contained;

#[cfg(panic = "unwind")]
mod unwinding {
    use std::{
        any::Any,
        fmt,
        panic::{AssertUnwindSafe, catch_unwind},
    };

    use leptos::prelude::*;

    /// Draws the view. A panic is handled as an error of the renderer.
    pub(super) fn draw_contained(draw: Box<dyn FnOnce() -> AnyView>) -> AnyView {
        catch_panic(draw).into_any()
    }

    fn catch_panic(draw: Box<dyn FnOnce() -> AnyView>) -> Result<AnyView, RendererPanic> {
        // A panic can leave only the state of the closure inconsistent, and that state is not read
        // again.
        catch_unwind(AssertUnwindSafe(draw))
            .map_err(|payload| RendererPanic(panic_message(&*payload)))
    }

    /// Returns the message of a panic.
    fn panic_message(payload: &(dyn Any + Send)) -> String {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        text.unwrap_or("panicked").to_owned()
    }

    #[derive(Debug)]
    struct RendererPanic(String);

    impl fmt::Display for RendererPanic {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(&self.0)
        }
    }

    impl std::error::Error for RendererPanic {}

    #[cfg(test)]
    #[allow(clippy::panic, reason = "that is what is tested")]
    mod tests {
        use super::*;

        #[test]
        fn a_panicking_renderer_is_contained_natively() {
            let error = catch_panic(Box::new(|| panic!("no card for {}", "act"))).err();
            assert_eq!(
                error.map(|error| error.0).as_deref(),
                Some("no card for act")
            );
            assert!(catch_panic(Box::new(|| ().into_any())).is_ok());
        }
    }
}
