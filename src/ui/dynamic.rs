//! Type-erased dynamic views.
//!
//! The renderer is compiled separately for every closure type: a list adds nearly ten kilobytes to
//! the module, and a branch adds two. Behind a `Box`, all closures share one copy.

use leptos::{prelude::*, tachys::reactive_graph::OwnedView};

use super::frame::PacedRows;

/// A closure that renders a view again when its dependencies change.
pub(crate) type Dynamic = Box<dyn FnMut() -> AnyView + Send>;

pub(crate) fn dynamic<V: IntoAny>(mut view: impl FnMut() -> V + Send + 'static) -> Dynamic {
    Box::new(move || view().into_any())
}

/// Renders a view while a condition holds. The view is rebuilt only when the condition changes.
pub(crate) fn when(
    condition: impl Fn() -> bool + Send + Sync + 'static,
    view: impl Fn() -> AnyView + Send + 'static,
) -> Dynamic {
    let condition = condition_memo(Box::new(condition));
    Box::new(move || {
        if condition.get() {
            view()
        } else {
            ().into_any()
        }
    })
}

fn condition_memo(condition: Box<dyn Fn() -> bool + Send + Sync>) -> ArcMemo<bool> {
    ArcMemo::new(move |_| condition())
}

/// An item of a list: its key, and a closure that renders the item.
struct ListEntry {
    key: String,
    draw: Box<dyn FnOnce() -> AnyView + Send>,
}

/// Renders a list. Each item is rendered once, and stays rendered as long as its key is in the
/// list.
pub(crate) fn each<T: Send + 'static>(
    items: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> String + Send + 'static,
    draw: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    entry_list(entry_source(items, key, draw))
}

/// Renders a list like [`each`], but only some rows per frame, for lists whose length an agent
/// determines.
pub(crate) fn paced_each<T: Send + 'static>(
    items: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> String + Send + 'static,
    draw: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    paced_entries(entry_source(items, key, draw))
}

/// A function that lists the entries to render.
type EntrySource = Box<dyn Fn() -> Vec<ListEntry> + Send>;

fn entry_source<T: Send + 'static>(
    items: impl Fn() -> Vec<T> + Send + 'static,
    key: impl Fn(&T) -> String + Send + 'static,
    draw: impl Fn(T) -> AnyView + Clone + Send + 'static,
) -> EntrySource {
    Box::new(move || {
        let to_entry = |item: T| {
            let (key, draw) = (key(&item), draw.clone());
            ListEntry {
                key,
                draw: Box::new(move || draw(item)),
            }
        };
        items().into_iter().map(to_entry).collect()
    })
}

fn paced_entries(each: EntrySource) -> AnyView {
    let rows = PacedRows::new();
    entry_list(Box::new(move || {
        let mut entries = each();
        rows.remove_waiting(&mut entries, |entry| &entry.key);
        entries
    }))
}

fn entry_list(each: EntrySource) -> AnyView {
    view! {
        <For
            each
            key=|entry: &ListEntry| entry.key.clone()
            children=|entry: ListEntry| (entry.draw)()
        />
    }
    .into_any()
}

/// Renders a view in a separate scope: contexts that the view provides are visible only in the
/// view. A component alone does not create such a scope.
pub(crate) fn scope(view: Box<dyn FnOnce() -> AnyView>) -> AnyView {
    let owner = Owner::current().map_or_else(Owner::new, |owner| owner.child());
    let view = owner.with(view);
    OwnedView::new_with_owner(view, owner).into_any()
}
