//! An input that is interrupted without a panic.

use std::{cell::RefCell, panic, rc::Rc};

use futures_util::future::LocalBoxFuture;
use leptos_assistant::{
    SessionOptions,
    agent::{Agent, EventSink},
    event::RunInput,
    session::StreamEnd,
    testing::{settle, until},
};
use send_wrapper::SendWrapper;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::chat_of;

// Like a trap, an uncaught exception leaves everything half done.
#[wasm_bindgen(inline_js = "export function cut_off() { throw new Error('cut off by a test'); }")]
extern "C" {
    fn cut_off();
}

#[derive(Clone)]
struct Scissors;

impl Agent for Scissors {
    fn run(&self, _: RunInput, _: EventSink) -> LocalBoxFuture<'static, StreamEnd> {
        cut_off();
        Box::pin(async { StreamEnd::Closed })
    }
}

/// Calls back in a task of the page, which reports its errors.
fn in_a_task(act: impl FnOnce() + 'static) {
    let act: JsValue = Closure::once_into_js(act);
    let window = web_sys::window().unwrap();
    window
        .set_timeout_with_callback(act.unchecked_ref())
        .unwrap();
}

#[wasm_bindgen_test]
async fn an_interrupted_input_is_reported_to_the_panic_hook() {
    let chat = chat_of(Scissors, SessionOptions::default(), || ()).await;
    let panics: Rc<RefCell<Vec<String>>> = Rc::default();
    let (list, earlier) = (SendWrapper::new(Rc::clone(&panics)), panic::take_hook());
    // It stays: after a panic the hook cannot be changed.
    panic::set_hook(Box::new(move |info| match info.to_string() {
        text if text.contains("cut off while") => list.borrow_mut().push(text),
        _ => earlier(info),
    }));
    let assistant = chat.assistant.clone();
    in_a_task(move || drop(assistant.send("go")));
    let recorded = Rc::clone(&panics);
    let noticed = until(move || !recorded.borrow().is_empty()).await;
    settle().await;
    assert!(noticed, "it is noticed");
    assert_eq!(panics.borrow().len(), 1, "it is reported once");
}
