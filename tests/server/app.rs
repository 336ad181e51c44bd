//! An application with every hook and component that a server may render.

use std::{
    panic::panic_any,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use leptos::{prelude::*, tachys::view::RenderHtml};
use leptos_assistant::{
    Approval, Assistant, AssistantProvider, Attachments, ChatWindow, Icon, LabelName, Labels,
    SessionOptions, Suggestion, ToolAction, ToolCallView, ToolContext, ToolTarget,
    agent::{HttpAgent, Script, ScriptedAgent},
    chat::{ChatPopup, ChatRoot, ChatSidebar, Composer, Transcript},
    media_policy, use_assistant, use_assistant_action, use_assistant_context, use_assistant_events,
    use_interrupt_renderer, use_part_renderer, use_tool_renderer,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Renders a page as a server does, and returns its markup.
pub fn render<V: IntoView + 'static>(page: impl FnOnce() -> V + 'static) -> String {
    let owner = Owner::new_root(None);
    let html = owner.with(|| page().into_view().to_html());
    owner.unset();
    html
}

#[derive(Deserialize)]
struct Rename {
    name: String,
}

/// Counts runs of code that a server must not run.
pub type Ran = Arc<AtomicU32>;

#[component]
pub fn Page(ran: Ran) -> impl IntoView {
    let name = RwSignal::new("atlas".to_owned());
    let count = move || ran.fetch_add(1, Ordering::Relaxed);
    let (handled, shared) = (count.clone(), count.clone());
    for _ in 0..2 {
        let handled = handled.clone();
        use_assistant_action(
            ToolAction::new("rename", "Renames the project")
                .description(move || format!("Renames {}", name.get()))
                .parameters(json!({"type": "object", "properties": {"name": {"type": "string"}}}))
                .enabled(move || name.with(|name| !name.is_empty()))
                .approval(Approval::Always)
                .handler(move |args: Rename, context: ToolContext| {
                    handled();
                    name.set(args.name);
                    async move { context.call_id().len() }
                })
                .render(|_| -> String { panic_any("a renderer was called on a server") })
                .render_approval(|_| -> String { panic_any("a renderer was called on a server") }),
        );
    }
    use_assistant_context("The project", name);
    use_assistant_context("A count", shared);
    use_tool_renderer(ToolTarget::All, |_: ToolCallView<Value>| -> String {
        panic_any("a renderer was called on a server")
    });
    use_part_renderer("weather", |_| -> String {
        panic_any("a renderer was called on a server")
    });
    use_interrupt_renderer("seat", |_| -> String {
        panic_any("a renderer was called on a server")
    });
    use_assistant_events(|_| -> () { panic_any("something happened on a server") });
    assert!(use_assistant().is_none(), "a server has no assistant");
    assert!(Arc::strong_count(&media_policy()) > 0);
    view! { <h1>{move || name.get()}</h1> }
}

/// The page with its chat, as an application writes it.
pub fn app(ran: Ran) -> impl IntoView {
    provide_context(Arc::new(
        Labels::default().with([(LabelName::Title, "Help")]),
    ));
    view! {
        <AssistantProvider
            agent=ScriptedAgent::new(|_| Script::new().text("Hello"))
            options=SessionOptions::default()
            initial=json!({"messages": []})
            thread_id="t1"
        >
            <Page ran />
            <ChatWindow
                label="Chat"
                empty_title="Hello"
                suggestions=vec![Suggestion::new("Rename it").icon(Icon::Check)]
                attachments=Attachments::new().accept("image/*")
                on_feedback=Callback::new(|_| ())
            />
        </AssistantProvider>
    }
}

/// Renders windows and parts of an assistant that the application made itself.
pub fn existing() -> impl IntoView {
    let assistant = Assistant::new(HttpAgent::new("/agent"), SessionOptions::default());
    provide_context(assistant.clone());
    use_assistant_context("Registered by hand", "below no provider");
    let handle = assistant.clone();
    let lone = handle.clone();
    let activity = assistant.activity();
    view! {
        <AssistantProvider agent=leptos_assistant::AgentProp::existing(assistant)>
            <ChatWindow label="One" />
            <ChatRoot label="Two" assistant=handle.clone()>
                <Transcript assistant=handle.clone() />
                <Composer />
            </ChatRoot>
            // Parts outside of a window, and frames, are rendered in the browser only.
            <Composer assistant=lone />
            <ChatSidebar label="Three" />
            <ChatPopup label="Four" />
        </AssistantProvider>
        <p>{move || activity.get().is_busy().to_string()}</p>
    }
}
