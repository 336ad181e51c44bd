//! A chat with an agent in any web page, from JavaScript.
//!
//! [`mount`] puts a chat into an element and gives a [`Chat`], whose methods register actions and
//! take it out again. The JavaScript that users see is written by hand in `npm/`: it makes what the
//! page gives harmless, so that nothing of the page's throws in here, and watches each call from
//! outside, so that a trap is told. Values cross the border as JSON text. The components are `leptos-assistant`'s.
#![allow(unsafe_code, reason = "wasm-bindgen's glue is")]

mod agent;
mod highlight;
mod json;
mod look;
mod numbers;
mod store;

use std::{
    any::Any,
    cell::RefCell,
    collections::HashMap,
    future::pending,
    mem::{self, ManuallyDrop},
    rc::{Rc, Weak},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use crate::look::Look;
use leptos::{mount::mount_to, prelude::*};
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, Attachments, ChatWindow, ToolAction, ToolError,
    action::ActionGuard, use_assistant,
};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A chat in a page.
#[wasm_bindgen]
pub struct Chat {
    assistant: Assistant,
    /// Stays when JavaScript forgets this object; `unmount` empties it.
    standing: ManuallyDrop<Rc<RefCell<Standing>>>,
}

/// What stands until it is taken back: the garbage collection of the objects that speak for it
/// must not take it away.
#[derive(Default)]
struct Standing {
    mounted: Option<Box<dyn Any>>,
    actions: HashMap<u64, ActionGuard>,
    count: u64,
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat").finish_non_exhaustive()
    }
}

/// Puts a chat with the agent at `url` into an element. `headers` is a list of pairs; `options` is an
/// object as in `index.d.ts` and `full.d.ts`.
///
/// # Errors
///
/// When a chat of this page has stopped for good, or the module does not speak the protocol.
#[wasm_bindgen]
pub fn mount(
    element: web_sys::HtmlElement,
    url: String,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Result<Chat, JsError> {
    goes_on()?;
    let agent = agent::of(url, headers, options)?;
    // The provider's own, which ends with it.
    let made = Arc::new(OnceLock::new());
    let below = Arc::clone(&made);
    let Look {
        markdown,
        media,
        attachments,
        label,
    } = Look::read(options);
    let (store, thread_id) = store::of(options);
    let mounted = mount_to(element, move || {
        provide_context(markdown);
        view! {
            <AssistantProvider agent media store thread_id>
                {
                    // Set once: children are made once.
                    let _ = below.set(use_assistant());
                    window(attachments, label)
                }
            </AssistantProvider>
        }
    });
    let Some(assistant) = made.get().cloned().flatten() else {
        return Err(JsError::new("There is no browser to put a chat into"));
    };
    let standing = Standing {
        mounted: Some(Box::new(mounted)),
        ..Standing::default()
    };
    Ok(Chat {
        assistant,
        standing: ManuallyDrop::new(Rc::new(RefCell::new(standing))),
    })
}

fn window(attachments: Option<Attachments>, label: String) -> AnyView {
    match attachments {
        Some(attachments) => view! { <ChatWindow label attachments /> }.into_any(),
        None => view! { <ChatWindow label /> }.into_any(),
    }
}

/// Whether something panicked. Code in WebAssembly can still be called then, but what it does is
/// not to be relied on: the page's calls are refused, and no handler is run or answered any more.
static STOPPED: AtomicBool = AtomicBool::new(false);

fn goes_on() -> Result<(), JsError> {
    match STOPPED.load(Relaxed) {
        true => Err(JsError::new("The chat has stopped")),
        false => Ok(()),
    }
}

/// Goes on at once, or never when the chat has stopped.
async fn while_going_on() {
    if STOPPED.load(Relaxed) {
        pending::<()>().await;
    }
}

/// Runs once, when the module is loaded. A panic ends in a trap: that the chats have stopped is
/// told by `npm/stopped.js`, as after any other.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        STOPPED.store(true, Relaxed);
        leptos::logging::error!("{info}");
    }));
}

#[wasm_bindgen]
impl Chat {
    /// Registers an action until the registration takes it back or the chat goes. `parameters` is
    /// JSON; `handler` gets the arguments as JSON and gives a promise, as `npm/foreign.js` says. Integers that
    /// JavaScript would round are passed beside them if `exact_numbers`, and refused otherwise.
    ///
    /// # Errors
    ///
    /// When the name is none that providers accept, the schema is no JSON, or the chat has stopped
    /// for good.
    #[wasm_bindgen(js_name = registerAction)]
    pub fn register_action(
        &self,
        name: String,
        description: String,
        parameters: Option<String>,
        handler: Option<js_sys::Function>,
        requires_approval: bool,
        exact_numbers: bool,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let mut action = ToolAction::new(name, description);
        if let Some(schema) = parameters {
            action = action.parameters(serde_json::from_str::<Value>(&schema)?);
        }
        if requires_approval {
            action = action.approval(Approval::Always);
        }
        if let Some(handler) = handler {
            action = action.handler(move |args: Value| call(handler.clone(), args, exact_numbers));
        }
        let guard = self
            .assistant
            .register(action)
            .map_err(|error| JsError::new(&error.to_string()))?;
        let mut standing = self.standing.borrow_mut();
        standing.count += 1;
        let number = standing.count;
        // Without the chat the action goes at once, with its guard.
        if standing.mounted.is_some() {
            standing.actions.insert(number, guard);
        }
        Ok(Registration {
            standing: Rc::downgrade(&self.standing),
            number,
        })
    }

    /// Says something to the agent.
    ///
    /// # Errors
    ///
    /// When something is under way that must end first, or the chat has stopped for good.
    pub fn send(&self, text: String) -> Result<(), JsError> {
        goes_on()?;
        self.assistant
            .send(text)
            .map_err(|error| JsError::new(&error.to_string()))
    }

    /// Begins another conversation.
    ///
    /// # Errors
    ///
    /// When the chat has stopped for good.
    #[wasm_bindgen(js_name = newConversation)]
    pub fn new_conversation(&self) -> Result<(), JsError> {
        goes_on()?;
        self.assistant.new_conversation();
        Ok(())
    }

    /// Takes the chat out of the page; everything that runs ends.
    pub fn unmount(&self) {
        // Dropped after the borrow ends: what goes may call back.
        let standing = mem::take(&mut *self.standing.borrow_mut());
        drop(standing);
    }
}

/// An action that is registered.
#[wasm_bindgen]
pub struct Registration {
    standing: Weak<RefCell<Standing>>,
    number: u64,
}

impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl Registration {
    /// Takes the action back. A second time does nothing.
    pub fn unregister(&self) {
        let standing = self.standing.upgrade();
        let guard =
            standing.and_then(|standing| standing.borrow_mut().actions.remove(&self.number));
        drop(guard);
    }
}

/// Runs a handler of the page, as `npm/foreign.js` has wrapped it: from JSON to a promise.
async fn call(
    handler: js_sys::Function,
    args: Value,
    exact_numbers: bool,
) -> Result<Value, ToolError> {
    while_going_on().await;
    let exact = numbers::beyond_doubles(&args);
    if let Some((_, digits)) = exact.first().filter(|_| !exact_numbers) {
        return Err(ToolError::new(format!(
            "The number {digits} is too large to be passed on exactly. Nothing was run."
        )));
    }
    let exact = numbers::to_json(exact);
    let promise = handler.call2(
        &JsValue::UNDEFINED,
        &args.to_string().into(),
        &exact.to_string().into(),
    );
    let answer = match promise.map(JsCast::dyn_into::<js_sys::Promise>) {
        Ok(Ok(promise)) => JsFuture::from(promise).await.ok(),
        _ => None,
    };
    while_going_on().await;
    json::answer(answer)
}
