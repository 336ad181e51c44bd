//! A chat with a scripted agent, for tests.

use std::{cell::RefCell, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, ChatWindow, SessionOptions, ToolAction, ToolError,
    agent::{Agent, Script},
    event::{EventKind, Interrupt, MessageBody, RunInput},
    testing::{MockAgent, Mounted, ScriptedEvents, accept_scripted_events, mount, settle, until},
    use_assistant, use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::Value;
use wasm_bindgen::closure::Closure;

/// A mounted chat, its assistant and its agent.
pub struct Chat {
    pub page: Mounted,
    pub assistant: Assistant,
    pub agent: MockAgent,
    /// Accepts scripted events as decisions, until it is taken.
    pub scripted: RefCell<Option<ScriptedEvents>>,
}

/// Mounts a chat; `setup` runs below the provider and may register actions.
pub async fn chat<V: IntoView + 'static>(
    agent: MockAgent,
    setup: impl Fn() -> V + Send + Sync + 'static,
) -> Chat {
    chat_with(agent, SessionOptions::default(), setup).await
}

pub async fn chat_with<V: IntoView + 'static>(
    agent: MockAgent,
    options: SessionOptions,
    setup: impl Fn() -> V + Send + Sync + 'static,
) -> Chat {
    let chat = chat_of(agent.clone(), options, setup).await;
    Chat { agent, ..chat }
}

/// Mounts a chat with an agent of any kind; the one in [`Chat::agent`] is not used.
pub async fn chat_of<V: IntoView + 'static>(
    talks_to: impl Agent + Clone,
    options: SessionOptions,
    setup: impl Fn() -> V + Send + Sync + 'static,
) -> Chat {
    let window = move || {
        view! {
            <div class="host">{setup()}</div>
            <ChatWindow />
        }
    };
    provided(talks_to, options, window).await
}

/// Mounts an assistant with the given children of its provider.
pub async fn provided<V: IntoView + 'static>(
    talks_to: impl Agent + Clone,
    options: SessionOptions,
    below: impl Fn() -> V + Send + Sync + 'static,
) -> Chat {
    let found: Rc<RefCell<Option<Assistant>>> = Rc::default();
    let (target, talks_to) = (Rc::clone(&found), SendWrapper::new(talks_to));
    let page = mount(move || {
        let target = SendWrapper::new(target);
        view! {
            <AssistantProvider agent=(*talks_to).clone() options=options>
                <Finder target=target />
                {below()}
            </AssistantProvider>
        }
    });
    settle().await;
    let assistant = found.borrow_mut().take().unwrap();
    Chat {
        page,
        assistant,
        agent: MockAgent::new(),
        scripted: RefCell::new(Some(accept_scripted_events())),
    }
}

type FoundAssistant = SendWrapper<Rc<RefCell<Option<Assistant>>>>;

#[component]
fn Finder(target: FoundAssistant) -> impl IntoView {
    *target.borrow_mut() = use_assistant();
}

impl Chat {
    /// Waits until nothing is running and the page shows it.
    pub async fn idle(&self) {
        let activity = self.assistant.activity();
        assert!(
            until(move || !activity.get_untracked().is_busy()).await,
            "the chat comes to rest"
        );
        settle().await;
    }

    /// Waits until the page contains an element.
    pub async fn appears(&self, selector: &str) {
        let found = until(|| self.page.find(selector).is_some()).await;
        assert!(
            found,
            "{selector} appears in {}",
            self.page.root.inner_html()
        );
    }

    /// Opens the default cards, which mounts their content.
    pub async fn opens_card(&self) {
        self.appears(".la-tool-card").await;
        while self
            .page
            .click(".la-tool-card:not([open]) > .la-tool-summary")
        {}
        let drawn = || {
            let all = self.page.count(".la-tool-card");
            self.page.count(".la-tool-card > .la-tool-body") == all
        };
        assert!(until(drawn).await, "{}", self.page.root.inner_html());
    }

    /// Reads a card to its end, and waits until an approval counts.
    pub async fn reads(&self, card: &str) {
        self.scrolls_through(card).await;
        let button = format!(
            "{card} button:is(.la-approval-approve, [data-variant=primary]):not([aria-disabled])"
        );
        let parts = ":is(p, li, dd, pre, blockquote, legend, .la-approval-end, input, textarea, select, button)";
        let parts = self
            .page
            .root
            .query_selector_all(&format!("{card} {parts}"));
        let parts = parts.unwrap();
        let height = web_sys::window().unwrap().inner_height().unwrap();
        let height = height.as_f64().unwrap();
        // A part counts after half a second, and its neighbours with it. A second pass, part by part
        // and with more time, is for a busy machine.
        for (waits, skips_neighbours) in [(12, true), (20, false)] {
            for place in 0..parts.length() {
                let part: web_sys::Element =
                    wasm_bindgen::JsCast::unchecked_into(parts.item(place).unwrap());
                let rect = part.get_bounding_client_rect();
                let is_in_view = rect.top() >= 0.0 && rect.bottom() < height * 0.6;
                if skips_neighbours && is_in_view && place > 0 {
                    continue;
                }
                part.scroll_into_view();
                // If all of it fits into the view, waiting is enough.
                for _ in 0..waits {
                    if self.page.find(&button).is_some() {
                        return;
                    }
                    settle().await;
                }
            }
        }
        self.appears(&button).await;
    }

    /// Scrolls elements into view one after the other, each for long enough to count as seen.
    pub async fn dwells_on(&self, selector: &str) {
        let found = self.page.root.query_selector_all(selector).unwrap();
        for place in 0..found.length() {
            let element: web_sys::Element =
                wasm_bindgen::JsCast::unchecked_into(found.item(place).unwrap());
            element.scroll_into_view();
            for _ in 0..15 {
                settle().await;
            }
        }
    }

    /// Scrolls all parts of a card into view, one after the other.
    pub async fn scrolls_through(&self, card: &str) {
        let ends = format!("{card} .la-approval-end");
        self.appears(&ends).await;
        let ends = self.page.root.query_selector_all(&ends).unwrap();
        // At an edge it may be out of view by a fraction of a pixel.
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Center);
        for end in (0..ends.length()).filter_map(|at| ends.item(at)) {
            let end: web_sys::Element = wasm_bindgen::JsCast::unchecked_into(end);
            end.scroll_into_view_with_scroll_into_view_options(&options);
            settle().await;
        }
    }

    /// Returns the results in a run's input, in order.
    pub fn results(&self, run: usize) -> Vec<String> {
        results_of(&self.agent.inputs()[run])
    }
}

pub fn results_of(input: &RunInput) -> Vec<String> {
    let results = input
        .messages
        .iter()
        .filter_map(|message| match &message.body {
            MessageBody::Tool { content, .. } => Some(content.display_text()),
            _ => None,
        });
    results.collect()
}

/// Returns an interrupt, about a call or on its own.
pub fn question(id: &str, call: Option<&str>, schema: Value) -> Interrupt {
    Interrupt {
        id: id.to_owned(),
        reason: "input".to_owned(),
        message: Some(format!("Question {id}?")),
        tool_call_id: call.map(str::to_owned),
        response_schema: schema.as_object().cloned(),
        expires_at: None,
        subagent_run_id: None,
        metadata: None,
    }
}

/// Records the calls of a console function; dropping it restores the function.
pub struct Console {
    level: &'static str,
    messages: Rc<RefCell<Vec<String>>>,
    before: wasm_bindgen::JsValue,
    _listens: Closure<dyn Fn(wasm_bindgen::JsValue)>,
}

impl Console {
    /// Takes the messages recorded so far.
    pub fn take(&self) -> Vec<String> {
        self.messages.take()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        set_console(self.level, &self.before);
    }
}

fn console() -> wasm_bindgen::JsValue {
    js_sys::Reflect::get(&js_sys::global(), &"console".into()).unwrap()
}

fn set_console(level: &str, function: &wasm_bindgen::JsValue) {
    js_sys::Reflect::set(&console(), &level.into(), function).unwrap();
}

fn listen(level: &'static str) -> Console {
    let before = js_sys::Reflect::get(&console(), &level.into()).unwrap();
    let messages: Rc<RefCell<Vec<String>>> = Rc::default();
    let list = Rc::clone(&messages);
    let listens = Closure::new(move |text: wasm_bindgen::JsValue| {
        list.borrow_mut().extend(text.as_string());
    });
    set_console(level, listens.as_ref());
    Console {
        level,
        messages,
        before,
        _listens: listens,
    }
}

pub fn console_errors() -> Console {
    listen("error")
}

pub fn console_warnings() -> Console {
    listen("warn")
}

/// Registers an action that the user approves each time, below a provider.
pub fn register_with_approval(name: &str) {
    let action = ToolAction::new(name, "").approval(Approval::Always);
    use_assistant_action(action.handler(|_: Value| async { Ok::<_, ToolError>(1) }));
}

/// Returns a script that leaves a text open.
pub fn open_text(text: &str) -> Script {
    let id = || "m".to_owned();
    Script::new()
        .event(EventKind::TextMessageStart {
            message_id: id(),
            role: None,
            name: None,
        })
        .event(EventKind::TextMessageContent {
            message_id: id(),
            delta: text.to_owned(),
        })
}
