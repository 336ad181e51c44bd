//! Effects and memos with the types of their closures taken off.
//!
//! Every closure that an effect or a memo is made of is compiled into a copy of the reactive
//! machinery, half a kilobyte and more of the module. Behind a `Box` all of them share one.

use std::rc::Rc;

use leptos::{prelude::*, reactive::effect::RenderEffect};
use send_wrapper::SendWrapper;

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

/// Says which attributes an element has: by name, and none where there is no value.
pub(crate) type Attributes = Rc<dyn Fn(&mut dyn FnMut(&'static str, Option<&str>))>;

/// For `use:attributes`: several attributes of an element that follow the same things, written together. Each
/// attribute by itself is an effect that is woken by itself.
pub(crate) fn attributes(element: web_sys::Element, say: Attributes) {
    let written = RenderEffect::new(move |before: Option<Written>| {
        let mut written = before.unwrap_or_default();
        let mut at = 0;
        say(&mut |name, value| {
            if written.len() == at {
                written.push(None);
            }
            let Some(known) = written.get_mut(at) else {
                return;
            };
            at += 1;
            if known.as_deref() == value {
                return;
            }
            *known = value.map(str::to_owned);
            // A name of ours is always one.
            let _ = match value {
                Some(value) => element.set_attribute(name, value),
                None => element.remove_attribute(name),
            };
        });
        written
    });
    // For as long as what is drawn around the element.
    let written = SendWrapper::new(written);
    on_cleanup(move || drop(written));
}

/// The values that an element has, in the order in which they are said.
type Written = Vec<Option<String>>;
