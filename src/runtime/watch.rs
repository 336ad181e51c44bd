//! Notices when something cut an input off in the middle without a panic.
//!
//! A trap of WebAssembly (the stack or the memory ran out), or an exception that a function of the
//! page throws through this program, leaves whatever it was doing half done and runs no code of
//! ours. The input counts as under way then, and each later one would wait for it for ever.

use std::cell::{Cell, OnceCell};

use js_sys::Function;
use wasm_bindgen::{JsCast, closure::Closure};

use super::Runtime;

/// The check that runs when the stack is empty.
#[derive(Default)]
pub(super) struct Watch {
    check: OnceCell<Function>,
    waits: Cell<bool>,
}

impl Runtime {
    /// Looks, once the stack is empty, whether the input that begins now has come to its end: once
    /// for all inputs of one task of the page.
    pub(super) fn watch(&self) {
        let Some(window) = crate::ui::browser() else {
            return;
        };
        if self.watch.waits.replace(true) {
            return;
        }
        let check = self.watch.check.get_or_init(|| {
            let runtime = self.weak();
            let check = Closure::<dyn Fn()>::new(move || {
                if let Some(runtime) = runtime.upgrade() {
                    runtime.watch.waits.set(false);
                    runtime.check();
                }
            });
            check.into_js_value().unchecked_into()
        });
        window.queue_microtask(check);
    }

    #[allow(
        clippy::panic,
        reason = "the program has ended; the application's panic hook is what tells the person"
    )]
    fn check(&self) {
        // After a panic it has been told already.
        if self.draining.get() && !std::thread::panicking() {
            panic!("The chat was cut off while it took an input in");
        }
    }
}
