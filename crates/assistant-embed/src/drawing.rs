//! Renders views that functions of the page, wrapped by `npm/render.js`, draw into an element.

use std::{fmt, time::Duration};

use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement};

/// The time after which the view of a question must have content. The view is not checked at once,
/// since JavaScript libraries draw asynchronously.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A function of the page that draws a view. The function takes an object and an element, never
/// throws, and returns a text with the reason for a failure, or a function that removes the view.
#[derive(Clone)]
pub(crate) struct DrawFunction(SendWrapper<js_sys::Function>);

/// The error for a function of the page that could not draw. The built-in view is shown below the
/// error.
#[derive(Debug, Clone)]
struct DrawingError(String);

impl fmt::Display for DrawingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DrawingError {}

impl DrawFunction {
    pub(crate) fn new(draw: js_sys::Function) -> Self {
        Self(SendWrapper::new(draw))
    }

    /// Calls the function and returns the view that the function draws, or a view that fails with
    /// [`DrawingError`]. A question's view that is still empty after [`MAX_WAIT`] counts as failed,
    /// because the user could not answer the question.
    pub(crate) fn draw(&self, object: JsValue, is_question: bool) -> AnyView {
        let failure = RwSignal::new(None);
        let element = document().create_element("div");
        let Ok(Ok(element)) = element.map(JsCast::dyn_into::<HtmlElement>) else {
            return ().into_any();
        };
        element.set_class_name("la-page-view");
        let answer = self.0.call2(&JsValue::UNDEFINED, &object, &element);
        match answer.unwrap_or_default() {
            answer if answer.is_function() => call_on_cleanup(answer.unchecked_into()),
            answer => failure.set(answer.as_string()),
        }
        let drawing = SendWrapper::new(element);
        if is_question {
            let drawing = drawing.clone();
            let check_drawing = move || {
                let is_open = failure.try_get_untracked() == Some(None);
                if is_open && (is_empty(&drawing) || drawing.parent_node().is_none()) {
                    failure.set(Some("it shows nothing".to_owned()));
                }
            };
            set_timeout(check_drawing, MAX_WAIT);
        }
        let view = move || match failure.get() {
            Some(reason) => Err(DrawingError(reason)),
            None => {
                let drawing = drawing.clone();
                Ok(view! { <div class="la-page" use:append_drawing=drawing></div> })
            }
        };
        view.into_any()
    }
}

/// Calls `end`, which the page returned, when the view is removed.
fn call_on_cleanup(end: js_sys::Function) {
    let end = SendWrapper::new(end);
    on_cleanup(move || {
        // The result is ignored, since the wrapped function never throws.
        let _ = end.call0(&JsValue::UNDEFINED);
    });
}

/// Appends the element in which the page has drawn to an element of the view.
fn append_drawing(container: Element, drawing: SendWrapper<HtmlElement>) {
    // The result is ignored, since appending to a new element does not fail.
    let _ = container.append_child(&drawing);
}

fn is_empty(element: &HtmlElement) -> bool {
    let text = element.text_content().unwrap_or_default();
    element.first_element_child().is_none() && text.trim().is_empty()
}
