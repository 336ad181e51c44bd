//! Renders views in the browser only, after hydration.

use leptos::prelude::*;

use super::{after, dynamic, frame::hydration_check, in_browser};

/// The interval for checking whether hydration is over, in milliseconds.
const HYDRATION_CHECK_MS: u32 = 10;

/// Renders a view in the browser only: immediately, or after hydration if the page is being
/// hydrated. Until then, and on the server, `before` is rendered.
pub(crate) fn after_hydration(
    before: impl Fn() -> AnyView + Send + 'static,
    draw: impl FnOnce() -> AnyView + Send + 'static,
) -> AnyView {
    draw_after_hydration(Box::new(before), Box::new(draw))
}

type RenderBefore = Box<dyn Fn() -> AnyView + Send>;
type RenderAfter = Box<dyn FnOnce() -> AnyView + Send>;

fn draw_after_hydration(before: RenderBefore, draw: RenderAfter) -> AnyView {
    let is_hydrating = hydration_check();
    if in_browser() && !is_hydrating() {
        return draw();
    }
    let ready = in_browser().then(|| {
        let ready = ArcRwSignal::new(false);
        let effect_ready = ready.clone();
        Effect::new(move |_| set_when_hydrated(is_hydrating.clone(), effect_ready.clone()));
        ready
    });
    let mut draw = Some(draw);
    let view = move || {
        let is_ready = ready.as_ref().is_some_and(Get::get);
        match draw.take_if(|_| is_ready) {
            // Signals that the view reads while it is rendered do not replace it.
            Some(draw) => untrack(draw),
            None => before(),
        }
    };
    dynamic(view).into_any()
}

fn set_when_hydrated(is_hydrating: impl Fn() -> bool + 'static, ready: ArcRwSignal<bool>) {
    if is_hydrating() {
        after(HYDRATION_CHECK_MS, move || {
            set_when_hydrated(is_hydrating, ready);
        });
    } else {
        ready.set(true);
    }
}

/// A component that renders its children in the browser only. On a server, and during hydration,
/// the fallback is rendered, so that both outputs match.
///
/// [`ChatWindow`](crate::ChatWindow) does not need this component. A custom chat, or any other view
/// that calls [`use_assistant`](crate::use_assistant) while it is rendered, needs this component,
/// because there is no assistant on a server.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{ClientOnly, use_assistant};
///
/// #[component]
/// fn Usage() -> impl IntoView {
///     view! {
///         <ClientOnly fallback=|| view! { <p>"…"</p> }>
///             {use_assistant().map(|assistant| {
///                 let busy = assistant.activity();
///                 view! { <p>{move || if busy.get().is_busy() { "Working" } else { "Ready" }}</p> }
///             })}
///         </ClientOnly>
///     }
/// }
/// ```
#[component]
pub fn ClientOnly(
    /// The view on a server and until hydration is over; empty if omitted.
    #[prop(optional, into)]
    fallback: ViewFn,
    /// The view in the browser.
    children: Children,
) -> impl IntoView {
    after_hydration(move || fallback.run(), children)
}
