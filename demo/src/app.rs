//! Renders the page with its header bar, its panels, and the chat next to them.

use std::sync::Arc;

use leptos::{html, prelude::*};
use leptos_assistant::{
    AssistantProvider, Attachments, ChatPopup, ChatSidebar, ChatWindow, Icon, LabelName, Labels,
    chat::PastConversations, use_assistant, use_assistant_context,
};

use crate::{
    agent::{self, RemoteAgent},
    browser::{is_system_dark, parameter},
    connect::Connect,
    dialog::DeleteDialog,
    history,
    page_icons::PageIcon,
    panels::{
        Activity, Approvals, Branches, Conditions, Environments, Projects, SearchSection, Sources,
    },
    script::suggestions,
    state::{Environment, Harbor, LaneStatus, PageSide},
};

#[component]
pub(crate) fn App() -> impl IntoView {
    let (remote, notice) = match RemoteAgent::from_page_address() {
        Ok(remote) => (remote, None),
        Err(notice) => (None, Some(notice)),
    };
    let key = RwSignal::new(String::new());
    let agent = agent::create(remote.as_ref(), key);
    let (conversation, thread_id) = history::initial_conversation();
    let labels = Labels::default().with([(LabelName::Placeholder, "Ask Harbor to do something")]);
    provide_context(Arc::new(labels));
    let harbor = Harbor::new(is_system_dark());
    view! {
        <AssistantProvider
            agent
            initial=conversation
            thread_id
            store=history::store()
            options=agent::options()
        >
            <Console harbor notice remote key />
        </AssistantProvider>
    }
}

#[component]
fn Console(
    harbor: Harbor,
    notice: Option<String>,
    remote: Option<RemoteAgent>,
    key: RwSignal<String>,
) -> impl IntoView {
    let project_to_delete = RwSignal::new(None);
    let layout = Layout::from_page_address();
    let view = move || match harbor.view.get() {
        PageSide::Page => "page",
        PageSide::Assistant => "assistant",
    };
    let theme = move || if harbor.dark.get() { "dark" } else { "light" };
    use_assistant_context(
        "The colours of the page",
        Signal::derive(move || theme().to_owned()),
    );
    view! {
        <div class="demo-app" data-view=view data-layout=layout.map(Layout::name)>
            <header class="demo-bar">
                <h1 class="demo-brand">
                    <span class="demo-flag" data-flag={"h"} aria-hidden="true"></span>
                    <span class="demo-brand-name">{"Harbor"}</span>
                </h1>
                {layout.is_none().then(|| view! { <Switcher harbor /> })}
                <div class="demo-bar-end">
                    {history::is_stored().then(|| view! { <ConversationMenu /> })}
                    <Connect remote key />
                    <ThemeButton harbor />
                </div>
            </header>
            <main class="demo-main">
                <div class="demo-page">
                    <div class="demo-page-inner">
                        {notice.map(page_notice)}
                        <div class="demo-intro">
                            <h2 class="demo-title">{"Operations"}</h2>
                            <p class="demo-summary">{move || summary(harbor)}</p>
                        </div>
                        <div class="demo-columns-top"><Environments harbor /></div>
                        <div class="demo-columns">
                            <div class="demo-column">
                                <Projects harbor project_to_delete />
                                <SearchSection harbor />
                                <Branches />
                            </div>
                            <div class="demo-column">
                                <Conditions harbor />
                                <Sources harbor />
                                <Activity harbor />
                                <Approvals />
                            </div>
                        </div>
                    </div>
                </div>
                {(layout.is_none()).then(|| view! { <div class="demo-assistant">{chat()}</div> })}
            </main>
            {layout.map(|layout| layout.view(chat))}
            <DeleteDialog harbor project_to_delete />
        </div>
    }
}

/// The layout of a chat that is not part of the page: beside the page (`?layout=sidebar`) or above
/// the page (`?layout=popup`).
#[derive(Clone, Copy)]
enum Layout {
    Sidebar,
    Popup,
}

impl Layout {
    fn from_page_address() -> Option<Self> {
        match parameter("layout").as_deref() {
            Some("sidebar") => Some(Self::Sidebar),
            Some("popup") => Some(Self::Popup),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Sidebar => "sidebar",
            Self::Popup => "popup",
        }
    }

    fn view(self, chat: fn() -> AnyView) -> AnyView {
        match self {
            Self::Sidebar => view! { <ChatSidebar>{chat()}</ChatSidebar> }.into_any(),
            Self::Popup => view! { <ChatPopup>{chat()}</ChatPopup> }.into_any(),
        }
    }
}

fn chat() -> AnyView {
    let attachments = Attachments::new()
        .accept("image/*,audio/*,video/*,.pdf,.txt,.csv,.json,.md")
        .max_files(6);
    view! {
        <ChatWindow
            empty_title="What should happen in Harbor?"
            empty_text="The assistant can act on this page. It asks before anything that matters."
            suggestions=suggestions()
            attachments=attachments
        />
    }
    .into_any()
}

/// The buttons that switch between the page and the assistant on narrow screens.
#[component]
fn Switcher(harbor: Harbor) -> impl IntoView {
    let visible_side = harbor.view;
    let aria_pressed = move |side| {
        move || {
            if visible_side.get() == side {
                "true"
            } else {
                "false"
            }
        }
    };
    let activity = use_assistant().map(|assistant| assistant.activity());
    let is_waiting = Memo::new(move |_| {
        let has_question = activity.as_ref().is_some_and(|activity| {
            let state = activity.get();
            state.is_waiting() || state.is_asking()
        });
        has_question && visible_side.get() == PageSide::Page
    });
    view! {
        <div class="demo-switcher" role="group" aria-label="View">
            <button
                type="button"
                class="demo-switcher-button"
                aria-pressed=aria_pressed(PageSide::Page)
                on:click=move |_| visible_side.set(PageSide::Page)
            >
                "Page"
            </button>
            <button
                type="button"
                class="demo-switcher-button"
                aria-pressed=aria_pressed(PageSide::Assistant)
                on:click=move |_| visible_side.set(PageSide::Assistant)
            >
                "Assistant"
                <Show when=move || is_waiting.get()>
                    <span class="demo-badge" aria-hidden="true"></span>
                    <span class="la-visually-hidden">", waiting for you"</span>
                </Show>
            </button>
        </div>
    }
}

/// The button that switches between the light and the dark colour scheme. The user's choice
/// overrides the system's preference.
#[component]
fn ThemeButton(harbor: Harbor) -> impl IntoView {
    let toggle = move |_| {
        harbor.dark.update(|dark| *dark = !*dark);
        let theme = if harbor.dark.get_untracked() {
            "dark"
        } else {
            "light"
        };
        if let Some(root) = document().document_element() {
            // The result is ignored, because setting an attribute with a valid name cannot fail.
            let _ = root.set_attribute("data-la-theme", theme);
        }
    };
    let icon = move || match harbor.dark.get() {
        true => PageIcon::Sun.view(),
        false => PageIcon::Moon.view(),
    };
    view! {
        <button
            type="button"
            class="la-button"
            data-variant="quiet"
            data-shape="icon"
            aria-label="Dark colours"
            aria-pressed=move || harbor.dark.get().to_string()
            on:click=toggle
        >
            {icon}
        </button>
    }
}

/// Renders the notice that the agent in the page's address cannot be used.
fn page_notice(text: String) -> impl IntoView {
    view! {
        <div class="la-notice la-standalone" data-tone="error" role="alert">
            {Icon::Alert.view()}
            <div class="la-notice-body">
                <p class="la-notice-title">{"This agent cannot be used"}</p>
                <p class="la-notice-text">{text}</p>
            </div>
        </div>
    }
}

/// Returns one or two sentences about the state of the environments.
fn summary(harbor: Harbor) -> String {
    let sentence = Environment::ALL.into_iter().find_map(|env| {
        harbor.lane(env).with(|lane| match &lane.status {
            LaneStatus::Healthy => None,
            LaneStatus::RollingOut(_) => {
                Some(format!("{} is rolling out {}.", env.title(), lane.version))
            }
            LaneStatus::Stage { version, .. } => {
                Some(format!("{} is moving to {version}.", env.title()))
            }
        })
    });
    let sentence = sentence.unwrap_or_else(|| "All three environments are healthy.".to_owned());
    harbor
        .lane(Environment::Production)
        .with(|lane| match lane.status {
            LaneStatus::Healthy => format!("{sentence} Production runs {}.", lane.version),
            LaneStatus::RollingOut(_) | LaneStatus::Stage { .. } => sentence,
        })
}

/// The list of stored conversations, with the button that opens the list.
#[component]
fn ConversationMenu() -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let close = move |()| {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    view! {
        <details class="demo-past" node_ref=details>
            <summary class="la-button" data-variant="quiet">
                {Icon::Clock.view()}
                <span class="demo-agent-name">{"Conversations"}</span>
            </summary>
            <div class="demo-past-list">
                <PastConversations on_open=close />
            </div>
        </details>
    }
}
