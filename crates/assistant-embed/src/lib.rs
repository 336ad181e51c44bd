//! A chat with an agent in any web page, from JavaScript.
//!
//! [`mount`] adds a chat to an element and returns a [`Chat`], whose methods register actions and
//! unmount it. The public JavaScript is written by hand in `npm/`: it sanitizes the page's input,
//! so that none of the page's code throws in here, and wraps each call, so that a trap is reported.
//! Values cross the boundary as JSON text. The components are those of `leptos-assistant`.
#![allow(unsafe_code, reason = "wasm-bindgen's glue is")]

mod action;
mod agent;
mod audit;
mod commands;
mod context;
mod drawing;
mod events;
mod function;
mod functions;
mod highlight;
mod json;
mod look;
mod numbers;
mod observers;
mod page_agent;
mod page_context;
mod session;
mod state;
mod store;
mod texts;
mod views;
mod window;

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

use crate::{
    audit::Audit, commands::Args, drawing::Drawing, function::PageFunction, functions::Functions,
    look::Look, session::Session, texts::Texts, views::DrawnView, window::WindowHandles,
};
use leptos::{mount::mount_to, prelude::*};
use leptos_assistant::{
    Assistant, AssistantProvider, InterruptTarget, PartTarget, ToolCallView, ToolTarget,
    use_assistant,
};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

/// A chat in a page.
#[wasm_bindgen]
pub struct Chat {
    assistant: Assistant,
    texts: Texts,
    window: WindowHandles,
    /// Not dropped when JavaScript releases this object; `unmount` empties it.
    standing: ManuallyDrop<Rc<RefCell<Standing>>>,
}

/// State that lives until it is removed explicitly: garbage collection of the JavaScript objects
/// must not drop it.
#[derive(Default)]
struct Standing {
    mounted: Option<Box<dyn Any>>,
    /// Guards of actions, and owners of effects and signals.
    held: HashMap<u64, Box<dyn Any>>,
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
    } = Look::read(options);
    let texts = Texts::of(options);
    let (shown, given) = (texts.clone(), SendWrapper::new(options.clone()));
    let (store, thread_id) = store::of(options);
    let Session {
        options: session,
        initial,
    } = Session::read(look::get(options, "session").as_string());
    let mounted = mount_to(element, move || {
        provide_context(markdown);
        shown.provide();
        view! {
            <AssistantProvider agent media store thread_id options=session initial>
                {
                    let handles = WindowHandles::default();
                    // Set once, since children are created once.
                    let _ = below.set((use_assistant(), handles));
                    events::follow(&given);
                    handles.draw(attachments, &shown)
                }
            </AssistantProvider>
        }
    });
    let Some((Some(assistant), window)) = made.get().cloned() else {
        return Err(JsError::new("There is no browser to put a chat into"));
    };
    let standing = Standing {
        mounted: Some(Box::new(mounted)),
        ..Standing::default()
    };
    Ok(Chat {
        assistant,
        texts,
        window,
        standing: ManuallyDrop::new(Rc::new(RefCell::new(standing))),
    })
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
    /// Registers an action until it is unregistered or the chat is unmounted. `definition` is JSON;
    /// `functions` has those of the action, as wrapped by `npm/action.js`. Integers that JavaScript
    /// would round are passed separately if `exact_numbers`, and refused otherwise.
    ///
    /// # Errors
    ///
    /// Fails if providers do not accept the name, the schema is not valid JSON, or the chat has
    /// stopped permanently.
    #[wasm_bindgen(js_name = registerAction)]
    pub fn register_action(
        &self,
        definition: &str,
        functions: JsValue,
        exact_numbers: bool,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let functions = Functions::new(functions, exact_numbers);
        // Signals of the action live as long as its registration.
        let owner = Owner::new();
        let action = owner.with(|| action::of(definition, &functions))?;
        let guard = self
            .assistant
            .register(action)
            .map_err(|error| JsError::new(&error.to_string()))?;
        Ok(self.hold((guard, owner)))
    }

    /// Provides context to the agent, by a function that returns its current value.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = registerContext)]
    pub fn register_context(
        &self,
        description: String,
        value: js_sys::Function,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let value = PageFunction::new(value, false);
        let owner = page_context::register(&self.assistant, description, value);
        Ok(self.hold(owner))
    }

    /// Calls a method of the handle by its name in camel case, with a JSON list of arguments. Returns
    /// JSON.
    ///
    /// # Errors
    ///
    /// Fails if the method does, or the chat has stopped permanently.
    pub fn call(&self, name: &str, args: &str) -> Result<String, JsError> {
        goes_on()?;
        let args = Args::parse(args);
        let outcome = match self.window.run(name, &args) {
            Some(outcome) => Ok(outcome),
            None => commands::run(&self.assistant, name, &args),
        };
        match outcome {
            Ok(value) => Ok(value.to_string()),
            Err(message) => Err(JsError::new(&message)),
        }
    }

    /// Calls an action as an agent does. The promise is one of JSON.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    pub fn execute(&self, name: String, args: &str) -> Result<js_sys::Promise, JsError> {
        goes_on()?;
        let (chat, args) = (self.assistant.clone(), Args::parse(args));
        Ok(future_to_promise(async move {
            match chat.execute(&name, args.into_value()).await {
                Ok(value) => Ok(value.to_string().into()),
                Err(error) => Err(JsError::new(&error.message).into()),
            }
        }))
    }

    /// Calls a function for a part of the state, now and for each change.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    pub fn watch(&self, name: String, tell: js_sys::Function) -> Result<Registration, JsError> {
        goes_on()?;
        Ok(self.hold(observers::watch(self.assistant.clone(), name, tell)))
    }

    /// Calls a function for the events of a kind.
    ///
    /// # Errors
    ///
    /// Fails for an unknown kind, or if the chat has stopped permanently.
    pub fn observe(&self, kind: &str, tell: js_sys::Function) -> Result<Registration, JsError> {
        goes_on()?;
        match observers::observe(&self.assistant, kind, tell) {
            Some(owner) => Ok(self.hold(owner)),
            None => Err(JsError::new("There are no such events")),
        }
    }

    /// Draws calls, parts or interrupts by a function of the page, as wrapped by `npm/render.js`. The
    /// target is text: a name, or for parts a kind; without it, all.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    pub fn render(
        &self,
        kind: &str,
        target: Option<String>,
        draw: js_sys::Function,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let draw = Drawing::new(draw);
        let guard = match kind {
            "tools" => {
                let target = target.map_or(ToolTarget::All, ToolTarget::Named);
                let draw = move |call: ToolCallView| draw.draw(DrawnView::call(call), false);
                self.assistant.render_tools(target, draw)
            }
            "interrupts" => {
                let target = target.map_or(InterruptTarget::All, InterruptTarget::Reason);
                let draw = move |interrupt| draw.draw(DrawnView::interrupt(interrupt), true);
                self.assistant.render_interrupts(target, draw)
            }
            kind => {
                let target = match (kind, target) {
                    ("text", _) => PartTarget::Text,
                    ("reasoning", _) => PartTarget::Reasoning,
                    ("file", _) => PartTarget::File,
                    ("data", Some(data_type)) => PartTarget::Data(data_type),
                    ("data", None) => PartTarget::AnyData,
                    _ => PartTarget::Unknown,
                };
                let draw = move |part| draw.draw(DrawnView::part(part), false);
                self.assistant.render_parts(target, draw)
            }
        };
        Ok(self.hold(guard))
    }

    /// Sets a rule that ends the loop, as wrapped by `npm/foreign.js`. A rule that fails ends it.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setStopRule)]
    pub fn set_stop_rule(&self, name: String, rule: js_sys::Function) -> Result<(), JsError> {
        goes_on()?;
        let rule = PageFunction::new(rule, true);
        self.assistant.set_stop_rule(name, move |summary| {
            let answer = rule.ask_now(&state::summary(summary), &serde_json::Value::Null);
            answer != Ok(serde_json::Value::Bool(false))
        });
        Ok(())
    }

    /// Searches the stored conversations. The function is told each id, and null at the end.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = searchConversations)]
    pub fn search_conversations(
        &self,
        words: String,
        tell: js_sys::Function,
    ) -> Result<Registration, JsError> {
        goes_on()?;
        let found = move |id: Option<&str>| {
            let id = serde_json::Value::from(id).to_string();
            // It never throws.
            let _ = tell.call1(&JsValue::UNDEFINED, &id.into());
        };
        Ok(self.hold(self.assistant.search_conversations(words, found)))
    }

    /// Sets the general permission rule, as wrapped by `npm/foreign.js`.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setPermission)]
    pub fn set_permission(
        &self,
        rule: js_sys::Function,
        exact_numbers: bool,
    ) -> Result<(), JsError> {
        goes_on()?;
        let rule = PageFunction::new(rule, exact_numbers);
        self.assistant
            .set_permission(move |name, args| action::permitted(rule.clone(), args, name.into()));
        Ok(())
    }

    /// Replaces the agent from the next run on; of `options` those that `mount` reads for it.
    ///
    /// # Errors
    ///
    /// Fails if the module does not support the protocol, or the chat has stopped permanently.
    #[wasm_bindgen(js_name = setAgent)]
    pub fn set_agent(
        &self,
        url: String,
        headers: &js_sys::Array,
        options: &JsValue,
    ) -> Result<(), JsError> {
        goes_on()?;
        self.assistant.set_agent(agent::of(url, headers, options)?);
        Ok(())
    }

    /// Replaces the name, the greeting and the labels; in place, nothing is mounted again.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = setTexts)]
    pub fn set_texts(&self, options: &JsValue) -> Result<(), JsError> {
        goes_on()?;
        self.texts.update(options);
        Ok(())
    }

    /// Starts audit records. `redact` returns the arguments to record.
    ///
    /// # Errors
    ///
    /// Fails if the chat has stopped permanently.
    #[wasm_bindgen(js_name = startAudit)]
    pub fn start_audit(
        &self,
        redact: Option<js_sys::Function>,
        tell: js_sys::Function,
    ) -> Result<Audit, JsError> {
        goes_on()?;
        Ok(Audit::start(&self.assistant, redact, tell))
    }

    /// Removes the chat from the page and ends everything that is running.
    pub fn unmount(&self) {
        // Dropped after the borrow ends, since dropped values may call back.
        let standing = mem::take(&mut *self.standing.borrow_mut());
        drop(standing);
    }
}

impl Chat {
    /// Keeps a guard until it is unregistered or the chat is unmounted.
    fn hold(&self, guard: impl Any) -> Registration {
        let mut standing = self.standing.borrow_mut();
        standing.count += 1;
        let number = standing.count;
        // Without a chat the guard is dropped at once.
        if standing.mounted.is_some() {
            standing.held.insert(number, Box::new(guard));
        }
        Registration {
            standing: Rc::downgrade(&self.standing),
            number,
        }
    }
}

/// A registration: of an action, of context, or of a function that is called back.
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
    /// Unregisters it. A second call does nothing.
    pub fn unregister(&self) {
        let standing = self.standing.upgrade();
        let guard = standing.and_then(|standing| standing.borrow_mut().held.remove(&self.number));
        drop(guard);
    }
}
