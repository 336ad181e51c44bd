//! Components and providers that are unmounted while functions of theirs are being evaluated.

use std::{future::pending, rc::Rc};

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, ToolAction, ToolError,
    agent::Script,
    store::{Batch, Label, Store, StoreFuture, StoredThread, ThreadInfo},
    testing::{MockAgent, mount, registrations, settle, until},
    use_assistant, use_assistant_action,
};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use wasm_bindgen_test::wasm_bindgen_test;

use super::support::{Chat, chat};

/// The signals of a test that waits in a function of an action.
#[derive(Clone, Copy)]
struct Barrier {
    has_begun: RwSignal<bool>,
    is_open: RwSignal<bool>,
    has_passed: RwSignal<bool>,
}

impl Barrier {
    fn new() -> Self {
        Self {
            has_begun: RwSignal::new(false),
            is_open: RwSignal::new(false),
            has_passed: RwSignal::new(false),
        }
    }

    /// Waits until the barrier is open, and reads a signal of the component.
    async fn read_after(self, own: RwSignal<bool>) -> bool {
        self.has_begun.set(true);
        until(move || self.is_open.get_untracked()).await;
        let value = own.get_untracked();
        self.has_passed.set(true);
        value
    }
}

/// Mounts a component with an action, calls the action, and unmounts the component while a function
/// of the action waits.
async fn unmounted_while_waiting(
    action: impl Fn(ToolAction, Barrier, RwSignal<bool>) -> ToolAction + Copy + Send + Sync + 'static,
) -> Chat {
    let (shown, barrier) = (RwSignal::new(true), Barrier::new());
    let agent = MockAgent::new()
        .answer(Script::new().call("work", &json!({})))
        .answer(Script::new().text("I see."));
    let chat = chat(agent, move || {
        let child = move || {
            let work = ToolAction::new("work", "").handler(|_: Value| "done");
            use_assistant_action(action(work, barrier, RwSignal::new(true)));
        };
        view! { <Show when=move || shown.get()>{child}</Show> }
    })
    .await;
    chat.assistant.send("go").unwrap();
    assert!(until(move || barrier.has_begun.get_untracked()).await);
    shown.set(false);
    settle().await;
    barrier.is_open.set(true);
    for _ in 0..10 {
        settle().await;
    }
    assert!(
        !barrier.has_passed.get_untracked(),
        "the function has ended"
    );
    chat
}

/// Rule "unmounting"
#[wasm_bindgen_test]
async fn a_waiting_approval_rule_ends_with_its_component() {
    let chat = unmounted_while_waiting(|work, barrier, own| {
        work.approval(Approval::when_async(move |_: Value| {
            barrier.read_after(own)
        }))
    })
    .await;
    chat.idle().await;
    let result = chat.results(1).remove(0);
    assert!(result.contains("Action work not found"), "{result}");
}

/// Rule "unmounting"
#[wasm_bindgen_test]
async fn a_waiting_permission_rule_ends_with_its_component() {
    let chat = unmounted_while_waiting(|work, barrier, own| {
        work.permission(move |_: Value| async move {
            barrier.read_after(own).await;
            Ok(())
        })
    })
    .await;
    chat.idle().await;
    let result = chat.results(1).remove(0);
    assert!(result.contains("Action work not found"), "{result}");
}

/// Rule "unmounting"
#[wasm_bindgen_test]
async fn a_waiting_preview_ends_with_its_component() {
    let chat = unmounted_while_waiting(|work, barrier, own| {
        work.approval(Approval::Always)
            .preview(move |_: Value| async move { Ok::<_, String>(barrier.read_after(own).await) })
    })
    .await;
    chat.appears(".la-approval").await;
    let keys = chat.assistant.pending_approvals().get_untracked();
    let call = chat.assistant.tool_call(&keys[0]).unwrap();
    assert_eq!(
        untrack(|| call.preview()),
        Some(Err("The action was removed".to_owned()))
    );
}

/// The permission rule of the application does not belong to the component.
#[wasm_bindgen_test]
async fn the_general_permission_rule_outlives_the_component_of_an_action() {
    let (shown, barrier, own) = (RwSignal::new(true), Barrier::new(), RwSignal::new(true));
    let agent = MockAgent::new().answer(Script::new().call("work", &json!({})));
    let chat = chat(agent, move || {
        let child = || {
            let work = ToolAction::new("work", "").handler(|_: Value| "done");
            use_assistant_action(work.permission(|_: Value| async { Ok(()) }));
        };
        view! { <Show when=move || shown.get()>{child}</Show> }
    })
    .await;
    chat.assistant.set_permission(move |_, _| async move {
        barrier.read_after(own).await;
        Ok(())
    });
    chat.assistant.send("go").unwrap();
    assert!(until(move || barrier.has_begun.get_untracked()).await);
    shown.set(false);
    settle().await;
    barrier.is_open.set(true);
    assert!(until(move || barrier.has_passed.get_untracked()).await);
    chat.idle().await;
}

/// A handler may own the guard of another action, which is dropped with the handler.
#[wasm_bindgen_test]
async fn an_action_may_own_the_guard_of_another_action() {
    let shown = RwSignal::new(true);
    let chat = chat(MockAgent::new(), move || {
        let child = || {
            let inner = ToolAction::new("inner", "").handler(|_: Value| 1);
            let guard = Rc::new(use_assistant().unwrap().register(inner).unwrap());
            let outer = ToolAction::new("outer", "").handler(move |_: Value| {
                let _guard = Rc::clone(&guard);
                2
            });
            use_assistant_action(outer);
        };
        view! { <Show when=move || shown.get()>{child}</Show> }
    })
    .await;
    assert_eq!(registrations(&chat.assistant).len(), 2);
    shown.set(false);
    settle().await;
    assert!(registrations(&chat.assistant).is_empty());
}

/// A disposed condition of an action keeps its last value, and the other signals still count.
#[wasm_bindgen_test]
async fn a_disposed_signal_of_an_action_is_tolerated() {
    let description = RwSignal::new("before".to_owned());
    let child = Owner::new();
    let scope = child.clone();
    let chat = chat(MockAgent::new(), move || {
        let enabled = scope.with(|| Signal::derive(|| true));
        let action = ToolAction::new("work", "").enabled(enabled);
        use_assistant_action(action.description(description).handler(|_: Value| 1));
    })
    .await;
    child.cleanup();
    description.set("after".to_owned());
    settle().await;
    assert_eq!(registrations(&chat.assistant)[0].description(), "after");
}

/// A store that never answers.
struct SilentStore;

impl Store for SilentStore {
    fn load(&self, _: &str) -> StoreFuture<Option<StoredThread>> {
        Box::pin(pending())
    }
    fn take(&self, _: &str, _: &str) -> StoreFuture<()> {
        Box::pin(pending())
    }
    fn write(&self, _: Batch) -> StoreFuture<()> {
        Box::pin(pending())
    }
    fn threads(&self) -> StoreFuture<Vec<ThreadInfo>> {
        Box::pin(pending())
    }
    fn label(&self, _: &str, _: Label) -> StoreFuture<()> {
        Box::pin(pending())
    }
    fn remove(&self, _: &str) -> StoreFuture<()> {
        Box::pin(pending())
    }
}

/// A call that waits for the store fails once the provider is unmounted.
#[wasm_bindgen_test]
async fn a_call_that_waits_for_the_store_ends_with_its_provider() {
    let shown = RwSignal::new(true);
    let outcome: RwSignal<Option<Result<Value, String>>> = RwSignal::new(None);
    let _page = mount(move || {
        let call = move || {
            let work = ToolAction::new("work", "").handler(|_: Value| "done");
            use_assistant_action(work);
            let assistant: SendWrapper<Assistant> = SendWrapper::new(use_assistant().unwrap());
            spawn_local(async move {
                settle().await;
                let answer = assistant.execute("work", json!({})).await;
                outcome.set(Some(
                    answer.map_err(|error: ToolError| error.message().to_owned()),
                ));
            });
        };
        view! {
            <Show when=move || shown.get()>
                <AssistantProvider agent=MockAgent::new() store=SilentStore thread_id="stored">
                    {call}
                </AssistantProvider>
            </Show>
        }
    });
    for _ in 0..3 {
        settle().await;
    }
    assert!(
        outcome.with_untracked(Option::is_none),
        "the store is silent"
    );
    shown.set(false);
    assert!(until(move || outcome.with_untracked(Option::is_some)).await);
    let error = outcome.get_untracked().unwrap().unwrap_err();
    assert!(error.contains("was removed"), "{error}");
}
