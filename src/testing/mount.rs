//! Mounts components into a page for a test.

use std::{cell::RefCell, panic, pin::pin, sync::Once, thread};

use futures_channel::oneshot;
use futures_util::future::select;
use leptos::{mount::mount_to, prelude::*};
use wasm_bindgen::JsCast;

use super::accept_scripted_events;
use crate::ui::{after_by_browser, find, scripted};

/// The number of frames that [`settle`] waits. Streaming text is rendered at every second frame,
/// and the effects of the change run one frame later.
const SETTLE_FRAMES: usize = 3;
/// The number of times that [`until`] examines a condition, 10 milliseconds apart.
const UNTIL_EXAMINATIONS: u32 = 2_000;

thread_local! {
    /// The elements of the mounted components.
    static ROOTS: RefCell<Vec<web_sys::HtmlElement>> = const { RefCell::new(Vec::new()) };
}

/// A mounted component. Dropping this value removes the component from the page.
#[non_exhaustive]
pub struct Mounted {
    /// The element that contains the component.
    pub root: web_sys::HtmlElement,
    handle: Option<Box<dyn std::any::Any>>,
}

impl std::fmt::Debug for Mounted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mounted").finish_non_exhaustive()
    }
}

/// Mounts a component in a new element at the end of the page.
///
/// ```no_run
/// use leptos::prelude::*;
/// use leptos_assistant::testing::mount;
///
/// let page = mount(|| view! { <p>"Hello"</p> });
/// assert_eq!(page.text("p"), "Hello");
/// ```
///
/// If a test panics, its components are removed from the page, so that they do not cover those of
/// the next tests.
///
/// # Panics
///
/// Panics outside of a browser.
#[allow(clippy::expect_used, reason = "a test without a page cannot continue")]
pub fn mount<V: IntoView + 'static>(view: impl FnOnce() -> V + 'static) -> Mounted {
    let document = document();
    let root = document
        .create_element("div")
        .expect("a page can make a div");
    let root: web_sys::HtmlElement = root.unchecked_into();
    document
        .body()
        .expect("a page has a body")
        .append_child(&root)
        .expect("a body takes a div");
    ROOTS.with_borrow_mut(|roots| roots.push(root.clone()));
    remove_components_on_panic();
    let handle = mount_to(root.clone(), view);
    Mounted {
        root,
        handle: Some(Box::new(handle)),
    }
}

/// Extends the panic hook: a panic in a browser drops no values, so all mounted components, and the
/// acceptance of scripted events, would remain for the next tests.
fn remove_components_on_panic() {
    static EXTENDED: Once = Once::new();
    EXTENDED.call_once(|| {
        // After a panic, the hook cannot be changed.
        if thread::panicking() {
            return;
        }
        let earlier_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            earlier_hook(info);
            ROOTS.with(|roots| {
                let roots = roots
                    .try_borrow_mut()
                    .map(|mut roots| std::mem::take(&mut *roots));
                for root in roots.unwrap_or_default() {
                    root.remove();
                }
            });
            scripted::refuse();
        }));
    });
}

impl Mounted {
    /// Returns the first element that matches a CSS selector.
    #[must_use]
    pub fn find(&self, selector: &str) -> Option<web_sys::HtmlElement> {
        find(&self.root, selector).and_then(|found| found.dyn_into().ok())
    }

    /// Returns the text of the first element that matches a CSS selector, or an empty string.
    #[must_use]
    pub fn text(&self, selector: &str) -> String {
        self.find(selector)
            .and_then(|found| found.text_content())
            .unwrap_or_default()
    }

    /// Counts the elements that match a CSS selector.
    #[must_use]
    pub fn count(&self, selector: &str) -> u32 {
        self.root
            .query_selector_all(selector)
            .map(|list| list.length())
            .unwrap_or_default()
    }

    /// Clicks the first element that matches a CSS selector, as a user does. Returns false if no
    /// element matches.
    pub fn click(&self, selector: &str) -> bool {
        let _guard = accept_scripted_events();
        self.find(selector)
            .inspect(web_sys::HtmlElement::click)
            .is_some()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(self.handle.take());
        self.root.remove();
        ROOTS.with_borrow_mut(|roots| roots.retain(|root| *root != self.root));
    }
}

/// Waits for pending work of the page: tasks, timers without delay, and the frames in which text is
/// shown. The wait is longer on a busy machine.
///
/// ```
/// # use leptos_assistant::testing::{Mounted, settle};
/// # async fn test(page: &Mounted) {
/// page.click("button");
/// settle().await;
/// assert_eq!(page.text("p"), "1");
/// # }
/// ```
pub async fn settle() {
    wait_ms(30).await;
    for _ in 0..SETTLE_FRAMES {
        let (sender, receiver) = oneshot::channel();
        request_animation_frame(move || {
            // Sending fails only if the receiver was dropped.
            let _ = sender.send(());
        });
        // The wait has a timeout, because hidden pages draw no frames.
        select(receiver, pin!(wait_ms(500))).await;
    }
    wait_ms(0).await;
}

/// Waits until a condition holds. Returns false if the condition does not hold within 20 seconds.
///
/// ```
/// # use leptos_assistant::testing::{Mounted, until};
/// # async fn test(page: &Mounted) {
/// assert!(until(|| page.count("li") == 3).await);
/// # }
/// ```
pub async fn until(holds: impl Fn() -> bool) -> bool {
    for _ in 0..UNTIL_EXAMINATIONS {
        if holds() {
            return true;
        }
        wait_ms(10).await;
    }
    false
}

/// Waits for `ms` milliseconds of the browser's time.
async fn wait_ms(ms: u32) {
    let (sender, receiver) = oneshot::channel();
    after_by_browser(ms, move || {
        // Sending fails only if the receiver was dropped.
        let _ = sender.send(());
    });
    let _ = receiver.await;
}
