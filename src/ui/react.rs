//! Effects and memos with the types of their closures taken off.
//!
//! Every closure that an effect or a memo is made of is compiled into a copy of the reactive
//! machinery, half a kilobyte and more of the module. Behind a `Box` all of them share one.

use leptos::prelude::*;

/// Runs after what it reads has changed, with what it returned the time before.
pub(crate) fn effect<T: 'static>(mut run: impl FnMut(Option<T>) -> T + 'static) {
    let mut before = None;
    boxed(Box::new(move || before = Some(run(before.take()))));
}

fn boxed(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}

/// A value that is computed again when what it reads has changed, and tells others only if it differs.
pub(crate) fn memo<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Memo<T> {
    memo_of(Box::new(read))
}

fn memo_of<T: PartialEq + Send + Sync + 'static>(
    read: Box<dyn Fn() -> T + Send + Sync>,
) -> Memo<T> {
    Memo::new(move |_| read())
}
