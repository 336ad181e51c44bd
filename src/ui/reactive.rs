//! Type-erased effects and memos.
//!
//! The reactive machinery is compiled separately for every closure of an effect or a memo, which
//! adds at least half a kilobyte to the module. Behind a `Box`, all closures share one copy.

use std::rc::Rc;

use leptos::{prelude::*, reactive::effect::RenderEffect};
use send_wrapper::SendWrapper;

/// Creates an effect: `run` is called once, and again with its previous result after its
/// dependencies have changed.
pub(crate) fn effect<T: 'static>(mut run: impl FnMut(Option<T>) -> T + 'static) {
    let mut previous = None;
    boxed_effect(Box::new(move || previous = Some(run(previous.take()))));
}

fn boxed_effect(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}

/// Creates a memo, which notifies its subscribers only if its value has changed.
pub(crate) fn memo<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Memo<T> {
    boxed_memo(Box::new(read))
}

fn boxed_memo<T: PartialEq + Send + Sync + 'static>(
    read: Box<dyn Fn() -> T + Send + Sync>,
) -> Memo<T> {
    Memo::new(move |_| read())
}

/// A function that visits the attributes of an element by name; an attribute without a value is
/// removed.
pub(crate) type Attributes = Rc<dyn Fn(&mut dyn FnMut(&'static str, Option<&str>))>;

/// A directive (`use:attributes`) that writes several attributes with the same dependencies
/// together. Individual attributes would each have an effect that is notified separately.
pub(crate) fn attributes(element: web_sys::Element, visit: Attributes) {
    let effect = RenderEffect::new(move |previous: Option<WrittenValues>| {
        let mut written = previous.unwrap_or_default();
        let mut index = 0;
        visit(&mut |name, value| {
            if written.len() == index {
                written.push(None);
            }
            let Some(current) = written.get_mut(index) else {
                return;
            };
            index += 1;
            if current.as_deref() == value {
                return;
            }
            *current = value.map(str::to_owned);
            // The error is ignored, because the crate's attribute names are always valid.
            let _ = match value {
                Some(value) => element.set_attribute(name, value),
                None => element.remove_attribute(name),
            };
        });
        written
    });
    // The effect lives as long as the surrounding view.
    let effect = SendWrapper::new(effect);
    on_cleanup(move || drop(effect));
}

/// The current values of an element's attributes, in order.
type WrittenValues = Vec<Option<String>>;
