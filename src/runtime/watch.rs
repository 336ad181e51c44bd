//! Detects inputs that were interrupted without a panic.
//!
//! A trap of WebAssembly (stack or memory exhausted), or an exception that a function of the page
//! throws through this program, interrupts an input and runs no code of this crate. The input would
//! count as in progress, and every later input would wait forever.

use std::cell::{Cell, OnceCell};

use js_sys::Function;
use wasm_bindgen::{JsCast, closure::Closure};

use super::Runtime;

/// The scheduled check that no input was interrupted, which runs when the stack is empty.
#[derive(Default)]
pub(super) struct InterruptionCheck {
    check: OnceCell<Function>,
    waits: Cell<bool>,
}

impl Runtime {
    /// Schedules a microtask that checks whether the current input has completed. The microtask
    /// runs when the stack is empty, and panics if an input was interrupted. One check covers all
    /// inputs of a task.
    pub(super) fn schedule_interruption_check(&self) {
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
                    runtime.check_interruption();
                }
            });
            check.into_js_value().unchecked_into()
        });
        window.queue_microtask(check);
    }

    #[allow(
        clippy::panic,
        reason = "the program has ended, and the application's panic hook reports it to the user"
    )]
    fn check_interruption(&self) {
        // If the thread is panicking, the panic was already reported.
        if self.draining.get() && !std::thread::panicking() {
            panic!("The chat was cut off while it took an input in");
        }
    }
}
