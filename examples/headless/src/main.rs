//! A chat window from scratch: no component, class or style sheet of the library, only the handle
//! and its signals. A shopping list that the assistant may add to, with the user's approval.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Assistant, AssistantEvent, AssistantProvider, ToolAction, ToolCallView,
    agent::{Script, ScriptedAgent, last_user_text, results_since_user},
    use_assistant, use_assistant_action, use_assistant_events,
};
use serde::Deserialize;
use serde_json::json;

fn main() {
    mount_to_body(App);
}

/// Creates the agent, a function here; `HttpAgent::new("/agent")` connects to a real one.
fn agent() -> ScriptedAgent {
    ScriptedAgent::new(|input| match results_since_user(input).first() {
        Some((_, result)) => Script::new().text(format!("Done: {result}")),
        None => Script::new().call("add_item", &json!({ "name": last_user_text(input) })),
    })
}

#[component]
fn App() -> impl IntoView {
    view! {
        <AssistantProvider agent=agent()>
            <main>
                <h1>"Shopping"</h1>
                <List />
                <Window />
            </main>
        </AssistantProvider>
    }
}

#[derive(Deserialize)]
struct Item {
    name: String,
}

/// The content of the page, and its action.
#[component]
fn List() -> impl IntoView {
    let items = RwSignal::new(Vec::<String>::new());
    use_assistant_action(
        ToolAction::new("add_item", "Adds something to the shopping list")
            .parameters(json!({
                "type": "object",
                "properties": { "name": { "type": "string" } },
                "required": ["name"]
            }))
            .approval(Approval::Always)
            .text_result()
            .handler(move |item: Item| {
                items.update(|items| items.push(item.name.clone()));
                format!("{} is on the list.", item.name)
            }),
    );
    view! {
        <ul aria-label="Items">
            <For each=move || items.get().into_iter().enumerate() key=|(place, _)| *place let:item>
                <li>{item.1}</li>
            </For>
        </ul>
    }
}

/// The window: messages, approvals, errors, and a text field.
#[component]
fn Window() -> impl IntoView {
    let assistant = use_assistant()?;
    let (messages, approvals) = (assistant.messages(), assistant.pending_approvals());
    let (activity, notices) = (assistant.activity(), assistant.notices());
    let (running, turn) = (assistant.tools().running_calls(), assistant.summary());
    let calls = RwSignal::new(0);
    use_assistant_events(move |event| {
        if let AssistantEvent::CallEnded { .. } = event {
            calls.update(|count| *count += 1);
        }
    });
    let (texts, asked, sender) = (assistant.clone(), assistant.clone(), assistant.clone());
    let text = RwSignal::new(String::new());
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        // Refused while something is open: the text stays then.
        if sender.send(text.get()).is_ok() {
            text.set(String::new());
        }
    };
    let busy = move || activity.get().is_busy();
    let state = move || {
        format!(
            "{} runs, {} calls ended",
            turn.get().runs().len(),
            calls.get()
        )
    };
    Some(view! {
        <section aria-label="Assistant">
            <div role="log">
                <For each=move || messages.get().to_vec() key=|entry| entry.id().clone() let:entry>
                    <p data-role=entry.role().as_str()>{texts.message_text(entry.id())}</p>
                </For>
            </div>
            <For each=move || approvals.get() key=|call| *call let:call>
                {asked.tool_call(&call).map(question)}
            </For>
            <For each=move || notices.get() key=|notice| notice.id() let:notice>
                <p role="alert">{notice.message().to_owned()}</p>
            </For>
            <p role="status">{state} {move || running.with(Vec::len)} " running"</p>
            <form on:submit=send>
                <label>"Message " <input bind:value=text /></label>
                <button>"Send"</button>
                <Stop assistant busy=Signal::derive(busy) />
            </form>
        </section>
    })
}

/// Renders the approval of a call. The decision applies only to the call as shown.
fn question(call: ToolCallView) -> impl IntoView {
    let approve = move |_| drop(call.approve());
    let deny = move |_| drop(call.deny(Some("Not now".to_owned())));
    view! {
        <div role="group" aria-label=move || call.name()>
            <pre tabindex="0">{move || call.args_text()}</pre>
            <button type="button" on:click=approve>"Approve"</button>
            <button type="button" on:click=deny>"Deny"</button>
        </div>
    }
}

#[component]
fn Stop(assistant: Assistant, busy: Signal<bool>) -> impl IntoView {
    let stop = move |_| drop(assistant.stop());
    view! { <button type="button" disabled=move || !busy.get() on:click=stop>"Stop"</button> }
}
