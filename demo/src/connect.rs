//! Renders the dialog in which the user enters a remote agent: its address, its protocol, its model
//! and its key.
//!
//! The agent is part of the page's address, from which the page's server derives the hosts to which
//! the page may connect. Therefore, a different agent opens in a new page. A key is never part of
//! an address: the user enters the key in the page that uses it, and the key is lost when the page
//! is closed.

use leptos::{html, prelude::*};

use crate::{
    agent::{AgentProtocol, RemoteAgent},
    browser::{fragment, open_page},
    page_icons::PageIcon,
};

/// The fragment of the page's address that opens the dialog at once and focuses the field for the
/// key.
const KEY_FRAGMENT: &str = "key";

/// The values of the dialog's fields.
#[derive(Clone, Copy)]
struct ConnectionDraft {
    /// The selected protocol, or `None` for the script.
    protocol: RwSignal<Option<AgentProtocol>>,
    url: RwSignal<String>,
    model: RwSignal<String>,
    key: RwSignal<String>,
    /// True if the new agent's page asks for a key when the page opens.
    needs_key: RwSignal<bool>,
}

impl ConnectionDraft {
    fn new(remote: Option<&RemoteAgent>) -> Self {
        let url = remote.map(|remote| remote.url.clone()).unwrap_or_default();
        let model = remote.map(|remote| remote.model.clone());
        Self {
            protocol: RwSignal::new(remote.map(|remote| remote.protocol)),
            url: RwSignal::new(url),
            model: RwSignal::new(model.unwrap_or_default()),
            key: RwSignal::new(String::new()),
            needs_key: RwSignal::new(false),
        }
    }

    fn remote(self) -> Option<RemoteAgent> {
        let protocol = self.protocol.get()?;
        let model = match protocol {
            AgentProtocol::Completions => self.model.get().trim().to_owned(),
            AgentProtocol::AgUi | AgentProtocol::UiStream => String::new(),
        };
        Some(RemoteAgent {
            protocol,
            url: self.url.get().trim().to_owned(),
            model,
        })
    }
}

/// The button that shows the name of the page's agent and opens the dialog, and the dialog itself.
#[component]
pub(crate) fn Connect(
    /// The remote agent in the page's address, or `None` for the script.
    remote: Option<RemoteAgent>,
    /// The key that is sent with every request.
    key: RwSignal<String>,
) -> impl IntoView {
    let is_open = RwSignal::new(remote.is_some() && fragment() == KEY_FRAGMENT);
    let title = remote.as_ref().map_or("Script", |r| r.protocol.title());
    let instances = move || is_open.get().then_some(()).into_iter().collect::<Vec<()>>();
    let remote = StoredValue::new(remote);
    view! {
        <button
            type="button"
            class="la-button demo-agent"
            data-variant="quiet"
            aria-haspopup="dialog"
            aria-label=format!("Agent: {title}")
            on:click=move |_| is_open.set(true)
        >
            {PageIcon::Plug.view()}
            <span class="demo-agent-name">{title}</span>
        </button>
        <For
            each=instances
            key=|()| ()
            children=move |()| dialog(remote.get_value(), key, is_open)
        />
    }
}

fn dialog(
    current_agent: Option<RemoteAgent>,
    key: RwSignal<String>,
    is_open: RwSignal<bool>,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            // The result is ignored, because `show_modal` fails only if the dialog is already open.
            let _ = element.show_modal();
        }
    });
    let draft = ConnectionDraft::new(current_agent.as_ref());
    draft.key.set(key.get_untracked());
    let current_agent = StoredValue::new(current_agent);
    let is_unchanged = Memo::new(move |_| draft.remote() == current_agent.get_value());
    let on_close = move |_| {
        let is_confirmed = element
            .get_untracked()
            .is_some_and(|element| element.return_value() == "use");
        let (next_agent, needs_key) = (untrack(|| draft.remote()), draft.needs_key.get_untracked());
        let new_key = draft.key.get_untracked().trim().to_owned();
        is_open.set(false);
        match (is_confirmed, is_unchanged.get_untracked()) {
            (false, _) => {}
            (true, true) => key.set(new_key),
            (true, false) => open_agent_page(next_agent, needs_key),
        }
    };
    let is_remote = move || draft.protocol.get().is_some();
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby="agent-title"
            node_ref=element
            on:close=on_close
        >
            <form class="la-dialog-form" method="dialog">
                <h2 class="la-dialog-title" id="agent-title">
                    {"Who answers?"}
                </h2>
                <fieldset class="demo-choices">
                    <legend class="la-visually-hidden">{"Agent"}</legend>
                    {protocol_option(draft, None, "The script in this page")}
                    {protocol_option(draft, Some(AgentProtocol::AgUi), "An AG-UI agent")}
                    {protocol_option(draft, Some(AgentProtocol::UiStream), "An AI SDK backend")}
                    {protocol_option(
                        draft,
                        Some(AgentProtocol::Completions),
                        "An OpenAI-compatible endpoint",
                    )}
                </fieldset>
                <Show when=is_remote>{remote_agent_fields(draft, is_unchanged)}</Show>
                <div class="la-dialog-actions">
                    <button type="submit" class="la-button" value="cancel" formnovalidate>
                        <span>{"Cancel"}</span>
                    </button>
                    <button type="submit" class="la-button" data-variant="primary" value="use">
                        <span>{"Use it"}</span>
                    </button>
                </div>
            </form>
        </dialog>
    }
}

fn protocol_option(
    draft: ConnectionDraft,
    protocol: Option<AgentProtocol>,
    label: &'static str,
) -> impl IntoView {
    view! {
        <label class="la-field-check demo-choice">
            <input
                type="radio"
                name="agent-protocol"
                prop:checked=move || draft.protocol.get() == protocol
                on:change=move |_| draft.protocol.set(protocol)
            />
            <span>{label}</span>
        </label>
    }
}

/// Renders the fields of a remote agent.
fn remote_agent_fields(draft: ConnectionDraft, is_unchanged: Memo<bool>) -> impl IntoView {
    let is_completions = move || draft.protocol.get() == Some(AgentProtocol::Completions);
    let example_url = move || match draft.protocol.get() {
        Some(AgentProtocol::Completions) => "http://localhost:11434/v1",
        Some(AgentProtocol::UiStream) => "http://localhost:3000/api/chat",
        Some(AgentProtocol::AgUi) | None => "http://localhost:8000/",
    };
    view! {
        <label class="la-field">
            <span class="la-field-label">
                {move || if is_completions() { "Base address, without /chat/completions" } else { "Address" }}
            </span>
            <input
                class="la-input"
                type="text"
                inputmode="url"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                required
                placeholder=example_url
                prop:value=move || draft.url.get()
                on:input:target=move |event| draft.url.set(event.target().value())
            />
        </label>
        <Show when=is_completions>
            <label class="la-field">
                <span class="la-field-label">{"Model, where the endpoint has several"}</span>
                <input
                    class="la-input"
                    type="text"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    prop:value=move || draft.model.get()
                    on:input:target=move |event| draft.model.set(event.target().value())
                />
            </label>
        </Show>
        <Show when=move || is_unchanged.get() fallback=move || key_request_checkbox(draft)>
            {key_field(draft)}
        </Show>
        <p class="la-dialog-text">
            {"The agent must accept requests from other origins, or be passed on by "}
            <code class="la-code-inline">{"cargo xtask demo --agent"}</code> {"."}
        </p>
    }
}

fn key_field(draft: ConnectionDraft) -> impl IntoView {
    view! {
        <label class="la-field">
            <span class="la-field-label">{"Key, forgotten when this page closes"}</span>
            <input
                class="la-input"
                type="password"
                autocomplete="off"
                autofocus=fragment() == KEY_FRAGMENT
                prop:value=move || draft.key.get()
                on:input:target=move |event| draft.key.set(event.target().value())
            />
        </label>
    }
}

fn key_request_checkbox(draft: ConnectionDraft) -> impl IntoView {
    view! {
        <label class="la-field-check demo-choice">
            <input
                type="checkbox"
                prop:checked=move || draft.needs_key.get()
                on:change:target=move |event| draft.needs_key.set(event.target().checked())
            />
            <span>{"It needs a key: ask me for it on its page"}</span>
        </label>
    }
}

/// Opens the page for a remote agent, or for the script if `remote` is `None`. If `needs_key` is
/// true, the opened page asks for a key at once.
fn open_agent_page(remote: Option<RemoteAgent>, needs_key: bool) {
    let Some(remote) = remote else {
        return open_page(&[], "");
    };
    let mut query = vec![
        ("agent", remote.url.as_str()),
        ("protocol", remote.protocol.name()),
    ];
    if !remote.model.is_empty() {
        query.push(("model", remote.model.as_str()));
    }
    open_page(&query, if needs_key { KEY_FRAGMENT } else { "" });
}
