//! Mounts a chat with an agent in any web page, from JavaScript.
//!
//! [`mount`] adds a chat to an element and returns a [`Chat`], whose methods register actions and
//! unmount the chat. The public JavaScript is written by hand in `npm/`: it sanitizes the page's
//! input, so that no function of the page throws an exception into WebAssembly, and wraps each
//! call to report traps. Values are passed between JavaScript and Rust as JSON text. The components
//! are those of `leptos-assistant`.
#![allow(unsafe_code, reason = "wasm-bindgen generates unsafe code")]

mod action;
mod agent;
mod approvals;
mod audit;
mod commands;
mod context;
mod drawing;
mod events;
mod function;
mod handle;
mod json;
mod numbers;
mod observers;
mod page_agent;
mod part;
mod session;
mod state;
mod texts;
mod views;
mod window;
mod window_options;

use std::{
    any::Any,
    cell::{OnceCell, RefCell},
    collections::HashMap,
    future::pending,
    mem::{self, ManuallyDrop},
    rc::{Rc, Weak},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use crate::{
    agent::LazyAgent,
    part::{Api, Guard},
    session::ParsedSession,
    texts::Texts,
    window::WindowHandles,
    window_options::WindowOptions,
};
use leptos::{mount::mount_to, prelude::*};
#[cfg(feature = "full")]
use leptos_assistant::store::IndexedDbStore;
use leptos_assistant::{Assistant, AssistantProvider, StoreProp, load_parts, use_assistant};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

/// A chat in a page.
#[wasm_bindgen]
pub struct Chat {
    assistant: Assistant,
    texts: Texts,
    window: WindowHandles,
    /// The methods in the second part of the module. The cell is empty until that part is loaded.
    api: Rc<OnceCell<Box<dyn Api>>>,
    /// The state of the chat. The state is emptied by `unmount`, and is not dropped when JavaScript
    /// releases this object.
    state: ManuallyDrop<Rc<RefCell<ChatState>>>,
}

/// The mounted view and the registrations of a chat, which are removed by `unmount` and
/// `unregister`, and not by the garbage collection of the JavaScript objects.
#[derive(Default)]
struct ChatState {
    mounted: Option<Box<dyn Any>>,
    /// The guards of registrations, by number.
    held: HashMap<u64, Box<dyn Any>>,
    count: u64,
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chat").finish_non_exhaustive()
    }
}

/// Adds a chat with the agent at `url` to an element, and returns the chat. `headers` is a list of
/// pairs; `options` is an object as in `index.d.ts` and `full.d.ts`.
///
/// # Errors
///
/// Fails if a chat of this page has stopped permanently, or if there is no browser.
#[wasm_bindgen]
pub fn mount(
    element: web_sys::HtmlElement,
    url: String,
    headers: &js_sys::Array,
    options: &JsValue,
) -> Result<Chat, JsError> {
    ensure_running()?;
    let agent = LazyAgent::new(url, headers, options);
    // The cell holds the provider's assistant and the window's handles. It is set when the provider
    // creates its children, and stays empty outside of a browser.
    let chat_parts = Arc::new(OnceLock::new());
    let chat_parts_of_children = Arc::clone(&chat_parts);
    let WindowOptions {
        markdown,
        media,
        attachments,
    } = WindowOptions::parse(options);
    let texts = Texts::parse(options);
    let (window_texts, page_options) = (texts.clone(), SendWrapper::new(options.clone()));
    let (store, thread_id) = create_store(options);
    let ParsedSession {
        options: session,
        initial,
    } = ParsedSession::parse(window_options::get_property(options, "session").as_string())?;
    let mount_handle = mount_to(element, move || {
        provide_context(markdown);
        window_texts.provide();
        view! {
            <AssistantProvider agent media store thread_id options=session initial>
                {
                    let handles = WindowHandles::default();
                    // The result is ignored, since the cell is still empty: the children are
                    // created only once.
                    let _ = chat_parts_of_children.set((use_assistant(), handles));
                    events::forward_events(&page_options);
                    handles.draw(attachments, &window_texts)
                }
            </AssistantProvider>
        }
    });
    let Some((Some(assistant), window)) = chat_parts.get().cloned() else {
        return Err(JsError::new("There is no browser to put a chat into"));
    };
    let state = ChatState {
        mounted: Some(Box::new(mount_handle)),
        ..ChatState::default()
    };
    Ok(Chat {
        assistant,
        texts,
        window,
        api: Rc::default(),
        state: ManuallyDrop::new(Rc::new(RefCell::new(state))),
    })
}

/// Creates the store that the options name, and returns it with the conversation's id. Returns
/// defaults if the options name no store.
#[cfg(feature = "full")]
fn create_store(options: &JsValue) -> (StoreProp, String) {
    let Some(name) = window_options::get_property(options, "store").as_string() else {
        return (StoreProp::default(), String::new());
    };
    let thread_id = window_options::get_property(options, "threadId").as_string();
    (
        IndexedDbStore::new(name).into(),
        thread_id.unwrap_or_default(),
    )
}

/// Returns no store, because the small module contains no store. `npm/chat.js` rejects the option
/// `store`.
#[cfg(not(feature = "full"))]
fn create_store(_options: &JsValue) -> (StoreProp, String) {
    (StoreProp::default(), String::new())
}

/// True after a panic. WebAssembly code can still be called then, but its state is unreliable, so
/// exported functions return errors if they can, and no function of the page is called any more.
static STOPPED: AtomicBool = AtomicBool::new(false);

fn ensure_running() -> Result<(), JsError> {
    match STOPPED.load(Relaxed) {
        true => Err(JsError::new("The chat has stopped")),
        false => Ok(()),
    }
}

/// Resolves immediately, or never if the chat has stopped.
async fn wait_if_stopped() {
    if STOPPED.load(Relaxed) {
        pending::<()>().await;
    }
}

/// Initializes the program when the module is loaded. A panic ends in a trap; `npm/stopped.js` then
/// reports that the chats have stopped, as after any other trap.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        STOPPED.store(true, Relaxed);
        leptos::logging::error!("{info}");
    }));
}

#[wasm_bindgen]
impl Chat {
    /// Loads the second part of the module, which contains all methods except those in this block.
    /// The promise resolves once the methods can be called.
    pub fn load(&self) -> js_sys::Promise {
        let (assistant, window, api) = (self.assistant.clone(), self.window, Rc::clone(&self.api));
        future_to_promise(async move {
            load_parts(&assistant).await;
            wait_if_stopped().await;
            let part = part::load().await;
            let part = part.map_err(|error| JsError::new(&error.to_string()))?;
            api.get_or_init(|| (part.api)(assistant, window));
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Replaces the agent, starting with the next run. `options` are the options of `mount` that
    /// describe the agent.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setAgent)]
    pub fn set_agent(
        &self,
        url: String,
        headers: &js_sys::Array,
        options: &JsValue,
    ) -> Result<(), JsError> {
        ensure_running()?;
        self.assistant
            .set_agent(LazyAgent::new(url, headers, options));
        Ok(())
    }

    /// Replaces the name, the greeting and the labels, without mounting the chat again.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setTexts)]
    pub fn set_texts(&self, options: &JsValue) -> Result<(), JsError> {
        ensure_running()?;
        self.texts.update(options);
        Ok(())
    }

    /// Removes the chat from the page, and ends its runs, handlers and registrations. A second call
    /// does nothing.
    pub fn unmount(&self) {
        // The state is dropped after the borrow has ended, since destructors may call this chat.
        let state = mem::take(&mut *self.state.borrow_mut());
        drop(state);
    }
}

impl Chat {
    fn api(&self) -> Result<&dyn Api, JsError> {
        ensure_running()?;
        match self.api.get() {
            Some(api) => Ok(&**api),
            None => Err(JsError::new("The chat is not loaded yet")),
        }
    }

    /// Stores the guard of a registration until the registration is removed or the chat is
    /// unmounted. After the chat was unmounted, drops the guard immediately.
    fn store_guard(&self, guard: Guard) -> Registration {
        let mut state = self.state.borrow_mut();
        state.count += 1;
        let number = state.count;
        // If the chat was unmounted, the guard is not stored and is dropped at the end of this
        // function.
        if state.mounted.is_some() {
            state.held.insert(number, guard);
        }
        Registration {
            state: Rc::downgrade(&self.state),
            number,
        }
    }
}

/// A registration of an action, of context, or of a function that the chat calls.
#[wasm_bindgen]
pub struct Registration {
    state: Weak<RefCell<ChatState>>,
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
    /// Removes the registration. Does nothing if the registration was already removed or the chat
    /// was unmounted.
    pub fn unregister(&self) {
        let state = self.state.upgrade();
        let guard = state.and_then(|state| state.borrow_mut().held.remove(&self.number));
        drop(guard);
    }
}
