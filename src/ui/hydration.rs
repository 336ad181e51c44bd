//! Views that are drawn in the browser alone, after a page that a server has sent was taken over.

use leptos::prelude::*;

use super::{after, dynamic, in_browser};

/// Time for which a page that is being hydrated is left alone, in milliseconds.
const HYDRATING_MS: u32 = 10;

/// Draws something in the browser alone: at once, or, where it takes over a page that a server has
/// sent, after that. Until then, and on the server, `before` stands there.
pub(crate) fn after_hydration(
    before: impl Fn() -> AnyView + Send + 'static,
    draw: impl FnOnce() -> AnyView + Send + 'static,
) -> AnyView {
    draw_later(Box::new(before), Box::new(draw))
}

type Before = Box<dyn Fn() -> AnyView + Send>;
type Draw = Box<dyn FnOnce() -> AnyView + Send>;

fn draw_later(before: Before, draw: Draw) -> AnyView {
    let hydrating = hydrating();
    if in_browser() && !hydrating() {
        return draw();
    }
    let ready = in_browser().then(|| {
        let ready = ArcRwSignal::new(false);
        let told = ready.clone();
        Effect::new(move |_| once_hydrated(hydrating.clone(), told.clone()));
        ready
    });
    let mut draw = Some(draw);
    let view = move || {
        let is_ready = ready.as_ref().is_some_and(Get::get);
        match draw.take_if(|_| is_ready) {
            Some(draw) => draw(),
            None => before(),
        }
    };
    dynamic(view).into_any()
}

/// Tells whether what is made here takes over what a server has sent, as long as it does.
fn hydrating() -> impl Fn() -> bool + Clone + 'static {
    let context = Owner::current_shared_context();
    move || {
        let context = context.as_ref();
        context.is_some_and(|context| context.during_hydration())
    }
}

fn once_hydrated(hydrating: impl Fn() -> bool + 'static, ready: ArcRwSignal<bool>) {
    if hydrating() {
        after(HYDRATING_MS, move || once_hydrated(hydrating, ready));
    } else {
        ready.set(true);
    }
}

/// Draws its children in the browser alone. On a server, and while the page that it sent is taken
/// over (hydrated), the fallback stands there, so that both draw the same.
///
/// [`ChatWindow`](crate::ChatWindow) needs none around it. A chat of your own, and whatever
/// else reads [`use_assistant`](crate::use_assistant) while it is drawn, does: there is no
/// assistant on a server.
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
///                 view! { <p>{move || if busy.get().busy { "Working" } else { "Ready" }}</p> }
///             })}
///         </ClientOnly>
///     }
/// }
/// ```
#[component]
pub fn ClientOnly(
    /// What stands there before; nothing without it.
    #[prop(optional, into)]
    fallback: ViewFn,
    /// What is drawn in the browser.
    children: Children,
) -> impl IntoView {
    after_hydration(move || fallback.run(), children)
}
