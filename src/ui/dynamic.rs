//! Views that change, with their types erased.
//!
//! Every type of closure that is given to the renderer is compiled into functions of its own: a
//! list costs nearly ten kilobytes of the module, a branch two. Behind a `Box` all of them share
//! one.

use leptos::{prelude::*, tachys::reactive_graph::OwnedView};

/// A view that is rebuilt when what it reads changes.
pub(crate) type Dynamic = Box<dyn FnMut() -> AnyView + Send>;

/// See [`Dynamic`].
pub(crate) fn dynamic<V: IntoAny>(mut view: impl FnMut() -> V + Send + 'static) -> Dynamic {
    Box::new(move || view().into_any())
}

/// A view that is there for as long as something holds. It is rebuilt only when that changes.
pub(crate) fn when(
    holds: impl Fn() -> bool + Send + Sync + 'static,
    view: impl Fn() -> AnyView + Send + 'static,
) -> Dynamic {
    let holds = memo_of(Box::new(holds));
    Box::new(move || if holds.get() { view() } else { ().into_any() })
}

fn memo_of(holds: Box<dyn Fn() -> bool + Send + Sync>) -> ArcMemo<bool> {
    ArcMemo::new(move |_| holds())
}

/// One item of a list: what makes it the same as before, and how to draw it.
struct Entry {
    key: String,
    draw: Box<dyn FnOnce() -> AnyView + Send>,
}

/// A list of views. An item is drawn once for as long as its key is in the list.
pub(crate) fn each<T: Send + 'static>(
    items: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> String + Send + 'static,
    draw: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    entries(Box::new(move || {
        let entry = |item: T| {
            let (key, draw) = (key(&item), draw.clone());
            Entry {
                key,
                draw: Box::new(move || draw(item)),
            }
        };
        items().into_iter().map(entry).collect()
    }))
}

fn entries(each: Box<dyn Fn() -> Vec<Entry> + Send>) -> AnyView {
    view! {
        <For
            each
            key=|entry: &Entry| entry.key.clone()
            children=|entry: Entry| (entry.draw)()
        />
    }
    .into_any()
}

/// A view in a scope of its own: what it provides is found below it and not beside it. A component
/// alone has no such scope.
pub(crate) fn scope(view: Box<dyn FnOnce() -> AnyView>) -> AnyView {
    let owner = Owner::current().map_or_else(Owner::new, |owner| owner.child());
    let view = owner.with(view);
    OwnedView::new_with_owner(view, owner).into_any()
}
