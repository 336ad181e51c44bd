//! A chat with an agent in any web page, from JavaScript.
//!
//! [`mount`] adds a chat to an element and returns a [`Chat`], whose methods register actions and
//! unmount it. The public JavaScript is written by hand in `npm/`: it sanitizes the page's input,
//! so that none of the page's code throws in here, and wraps each call, so that a trap is reported.
//! Values cross the boundary as JSON text. The components are those of `leptos-assistant`.
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
    Approval, Assistant, AssistantProvider, Attachments, ChatWindow, Labels, ToolAction, ToolError,
    action::ActionGuard, use_assistant,
};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// A chat in a page.
#[wasm_bindgen]
pub struct Chat {
    assistant: Assistant,
    /// Not dropped when JavaScript releases this object; `unmount` empties it.
    standing: ManuallyDrop<Rc<RefCell<Standing>>>,
}

/// State that lives until it is removed explicitly: garbage collection of the JavaScript objects
/// must not drop it.
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

/// Adds a chat with the agent at `url` to an element. `headers` is a list of pairs; `options` is an
/// object as in `index.d.ts` and `full.d.ts`.
///
/// # Errors
///
/// Fails if a chat of this page has stopped permanently, or the module does not support the
/// protocol.
#[wasm_bindgen]
pub fn mount(
    element: web_sys::HtmlElement,
    url: String,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Result<Chat, JsError> {
    goes_on()?;
    let agent = agent::of(url, headers, options)?;
    // The provider's assistant, which ends with it.
    let made = Arc::new(OnceLock::new());
    let below = Arc::clone(&made);
    let Look {
        markdown,
        media,
        attachments,
        label,
        greeting,
    } = Look::read(options);
    let (store, thread_id) = store::of(options);
    let mounted = mount_to(element, move || {
        provide_context(markdown);
        view! {
            <AssistantProvider agent media store thread_id>
                {
                    // Set once, since children are created once.
                    let _ = below.set(use_assistant());
                    window(attachments, label, greeting)
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

/// Renders the window, with the page's greeting before the first message, or a default one.
fn window(attachments: Option<Attachments>, label: String, greeting: Option<String>) -> AnyView {
    let empty_title = greeting.unwrap_or_else(|| Labels::default().greeting.into_owned());
    match attachments {
        Some(attachments) => view! { <ChatWindow label empty_title attachments /> }.into_any(),
        None => view! { <ChatWindow label empty_title /> }.into_any(),
    }
}

/// True after a panic. WebAssembly code can still be called then, but its state is unreliable:
/// calls of the page are refused, and no handler is run or answered any more.
static STOPPED: AtomicBool = AtomicBool::new(false);

fn goes_on() -> Result<(), JsError> {
    match STOPPED.load(Relaxed) {
        true => Err(JsError::new("The chat has stopped")),
        false => Ok(()),
    }
}

/// Returns at once, or never if the chat has stopped.
async fn while_going_on() {
    if STOPPED.load(Relaxed) {
        pending::<()>().await;
    }
}

/// Runs once, when the module is loaded. A panic ends in a trap; `npm/stopped.js` reports that the
/// chats have stopped, as after any other trap.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        STOPPED.store(true, Relaxed);
        leptos::logging::error!("{info}");
    }));
}

#[wasm_bindgen]
impl Chat {
    /// Registers an action until it is unregistered or the chat is unmounted. `parameters` is JSON;
    /// `handler` takes the arguments as JSON and returns a promise, as defined by `npm/foreign.js`.
    /// Integers that JavaScript would round are passed separately if `exact_numbers`, and refused
    /// otherwise.
    ///
    /// # Errors
    ///
    /// Fails if providers do not accept the name, the schema is not valid JSON, or the chat has
    /// stopped permanently.
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
        // Without a chat the action is removed at once, with its guard.
        if standing.mounted.is_some() {
            standing.actions.insert(number, guard);
        }
        Ok(Registration {
            standing: Rc::downgrade(&self.standing),
            number,
        })
    }

    /// Sends a message to the agent.
    ///
    /// # Errors
    ///
    /// Fails if the chat is busy, or has stopped permanently.
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
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = newConversation)]
    pub fn new_conversation(&self) -> Result<(), JsError> {
        goes_on()?;
        self.assistant.new_conversation();
        Ok(())
    }

    /// Removes the chat from the page and ends everything that is running.
    pub fn unmount(&self) {
        // Dropped after the borrow ends, since dropped values may call back.
        let standing = mem::take(&mut *self.standing.borrow_mut());
        drop(standing);
    }
}

/// A registered action.
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
    /// Unregisters the action. A second call does nothing.
    pub fn unregister(&self) {
        let standing = self.standing.upgrade();
        let guard =
            standing.and_then(|standing| standing.borrow_mut().actions.remove(&self.number));
        drop(guard);
    }
}

/// Runs a handler of the page, as wrapped by `npm/foreign.js`: from JSON to a promise.
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
