//! A chat window for agents, as a Leptos component library.
//!
//! Components register the actions that an assistant may take on their page. The chat window talks
//! to an agent, shows each call as it arrives, asks the user for approval if the action requires
//! approval, runs the handler exactly once and posts the result back. An example with an action and
//! a chat window:
//!
//! ```
//! use leptos::prelude::*;
//! use leptos_assistant::{
//!     Approval, AssistantProvider, ChatWindow, ToolAction, agent::HttpAgent, use_assistant_action,
//! };
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize)]
//! struct Project {
//!     name: String,
//! }
//!
//! #[component]
//! fn Projects() -> impl IntoView {
//!     let projects = RwSignal::new(vec!["atlas".to_owned()]);
//!     use_assistant_action(
//!         ToolAction::new("add_project", "Adds a project to the list")
//!             .parameters(json!({
//!                 "type": "object",
//!                 "properties": {"name": {"type": "string"}},
//!                 "required": ["name"]
//!             }))
//!             .approval(Approval::Always)
//!             .handler(move |project: Project| {
//!                 projects.update(|list| list.push(project.name));
//!                 projects.with(Vec::len)
//!             })
//!             .render(|call| move || call.args().map(|project| project.name)),
//!     );
//!     view! { <p>{move || projects.get().join(", ")}</p> }
//! }
//!
//! #[component]
//! fn App() -> impl IntoView {
//!     view! {
//!         <AssistantProvider agent=HttpAgent::new("/agent")>
//!             <Projects />
//!             <ChatWindow />
//!         </AssistantProvider>
//!     }
//! }
//! ```
//!
//! 1. **Actions**: [`use_assistant_action`] registers a [`ToolAction`]. Through a [`ToolContext`],
//!    its handler asks the user, reports progress and detects cancellation. The handler returns an
//!    [`IntoToolResult`].
//! 2. **Context**: [`use_assistant_context`] registers a value that is read whenever a run
//!    opens; [`Assistant::set_state`] sets the state that is shared with the agent.
//! 3. **Approvals and questions**: [`Approval`] determines whether the user is asked before a call
//!    runs; [`ToolContext::ask_with`] and [`ToolContext::confirm`] ask the user while the call is
//!    running. Questions from the agent are shown in a form, or in a view of the application
//!    ([`use_interrupt_renderer`]).
//! 4. **Rendering**: a renderer of calls receives a [`ToolCallView`] ([`ToolAction::render`],
//!    [`use_tool_renderer`]), and a renderer of other parts of messages receives a [`PartHandle`]
//!    ([`use_part_renderer`]).
//! 5. **Components**: [`AssistantProvider`] creates an [`Assistant`] and provides it to its
//! children; [`ChatWindow`], [`ChatSidebar`] and [`ChatPopup`] are arrangements of the public parts
//! in [`chat`], [`part`] and [`tool`]. The assistant provides everything that these components
//! show, as the signals of [`view`].
//! 6. **Agents**: [`agent`] contains agents that use HTTP, and an agent that plays a script in the
//!    page.
//! 7. **Persistence**: [`store`] contains the stores of conversations, which the provider accepts.
//! 8. **Appearance**: [`STYLE`] is the style sheet, and [`Labels`] contains all texts.
//!
#![cfg_attr(
    feature = "markdown",
    doc = "[`markdown`] renders the text of an agent as it streams. "
)]
//! [`attachment`] configures the files that a user may attach. `testing`, which the feature
//! `testing` enables, contains an agent, a clock and other utilities for the tests of an
//! application. The engine is the crate `assistant-core`, which does not depend on a browser;
//! [`event`], [`conversation`] and [`session`] re-export the data that applications read and write.

#![allow(
    unreachable_pub,
    reason = "the component macro makes inner functions public"
)]

pub mod action;
pub mod agent;
mod assistant;
pub mod attachment;
pub mod chat;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod part;
mod provider;
mod render;
mod runtime;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tool;
mod ui;
pub mod view;

pub use action::{
    Approval, ConfirmOptions, Description, IntoToolResult, Json, Risk, ToolAction, ToolCallView,
    ToolContext, ToolTarget, list_tools_action, use_assistant_action, use_assistant_context,
    use_tool_renderer,
};
pub use assistant::{
    Assistant, AssistantEvent, AuditLog, AuditSink, Branches, ConversationSearch, Conversations,
    InterruptView, PartHandle, RememberedApprovals, Tools, load_parts, use_assistant,
    use_assistant_events, use_interrupt_renderer, use_part_renderer,
};
pub use assistant_core::{
    action::{ActionSpec, CallLimits, OfferFilter, ToolError, ToolInfo, definitions_from_json},
    conversation::{CallEvent, CallEventKind, CallKey, MarkdownTools, Phase, Status},
    limits::Limits,
    session::{
        Leftovers, Notice, NoticeAction, NoticeKind, QuestionLimits, Refusal, SessionOptions,
        StopCondition, ToolHistory, ToolRecord,
    },
    text::address::MediaPolicy,
};
pub use attachment::Attachments;
pub use chat::{ChatPopup, ChatSidebar, ChatWindow, Suggestion};
pub use provider::{AgentProp, AssistantProvider, StoreProp};
pub use render::{InterruptTarget, PartTarget};
#[cfg(feature = "schemars")]
pub use schemars;
pub use store::ApprovalStore;
pub use ui::{
    ClientOnly, ClientOnlyProps, Icon, IncompleteLabels, LabelName, Labels, STYLE, Subscription,
    media_policy, provide_labels, provide_shared_labels,
};

/// The events, messages and requests that are exchanged with agents, as data for agents written in
/// Rust, observers and tests. The names and fields are those of AG-UI 1.0.
///
/// ```
/// use leptos_assistant::{agent::Script, event::EventKind};
/// use serde_json::json;
///
/// let value = json!({"revenue": 12});
/// let script = Script::new().event(EventKind::StateSnapshot { snapshot: value });
/// # let _ = script;
/// ```
pub mod event {
    pub use assistant_core::{
        event::{
            Base, Content, ContentPart, ContextItem, Diagnostic, EncryptedEntity, Event, EventKind,
            Extension, FunctionCall, Interrupt, Message, MessageBody, Object, Outcome, PartBody,
            ResumeEntry, ResumeStatus, Role, RunInput, Settlement, Source, TokenUsage, Tool,
            fault::ProtocolError,
        },
        json::form::{content_from_value, interrupt_from_value, message_from_value},
    };
}

/// The conversation of an assistant, as data: its messages, their parts, and the tool calls.
///
/// ```
/// use leptos_assistant::{conversation::Part, use_assistant};
///
/// fn texts() -> Option<usize> {
///     use_assistant()?.with_conversation(|conversation| {
///         let parts = conversation.path().flat_map(|message| message.parts());
///         parts.filter(|part| matches!(part, Part::Text(_))).count()
///     })
/// }
/// ```
pub mod conversation {
    pub use assistant_core::conversation::{
        AgentUserMessages, AllowedBy, AllowedEarlier, Amount, AmountError, Author, CallApproval,
        CallError, CallEvent, CallEventKind, CallKey, CallOutcome, CallResult, Consent,
        Conversation, Cost, Cut, DataPart, Decider, Decision, ErrorKind, Fingerprint, FormatError,
        MarkdownTools, Message, MessageId, Origin, OutlineRow, Part, Phase, Progress, Rates,
        Sibling, SourcePart, Span, Status, TextPart, ToolCall, ToolResultPart, TreeError,
    };
}

/// The data of a session: options, notices, refusals, summaries of runs, and events for observers.
///
/// ```
/// use leptos_assistant::session::{Refusal, TurnSummary};
///
/// fn explain(refusal: &Refusal) -> String {
///     format!("not sent: {refusal}")
/// }
/// assert!(explain(&Refusal::Busy).starts_with("not sent"));
///
/// let summary = TurnSummary::default();
/// assert_eq!(summary.runs().len(), 0);
/// ```
pub mod session {
    pub use assistant_core::{
        loop_events::{LoopEvent, LoopObserver},
        observe::ObserverResult,
        session::{
            AgentStep, AuditEntry, FinishReason, JournalEntry, Leftovers, Notice, NoticeAction,
            NoticeId, NoticeKind, OpenInterrupt, QuestionLimits, Refusal, RunSummary,
            SessionOptions, StopCondition, StreamEnd, ToolHistory, ToolRecord, TreeChange,
            TurnSummary, Verdict,
        },
    };
}

/// The records of messages and calls that an assistant exchanges with other systems, and
/// [`Updates`](records::Updates), which observes and applies such records.
#[cfg(feature = "records")]
pub mod records {
    pub use crate::assistant::Updates;
    pub use assistant_core::records::{CallInfo, ContentBlock, ConvUpdate, ToolUpdate, Update};
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Checks that glob imports of Leptos and of this crate do not conflict.
///
/// ```
/// #![deny(ambiguous_glob_imports)]
///
/// use leptos::prelude::*;
/// use leptos_assistant::*;
///
/// fn save() -> Action<u32, u32> {
///     Action::new(|id: &u32| {
///         let id = *id;
///         async move { id }
///     })
/// }
///
/// assert_eq!(core::mem::size_of::<u8>(), 1);
/// ```
#[cfg(doctest)]
struct GlobImports;

/// Compiles the examples of the guide and of the page for developers of agents. The chapters that
/// are not listed here contain no Rust.
#[cfg(all(doctest, feature = "testing"))]
mod guide {
    #[doc = include_str!("../docs/guide/src/start.md")]
    #[doc = include_str!("../docs/guide/src/trunk.md")]
    #[doc = include_str!("../docs/guide/src/actions.md")]
    #[doc = include_str!("../docs/guide/src/approvals.md")]
    #[doc = include_str!("../docs/guide/src/limits.md")]
    #[doc = include_str!("../docs/guide/src/asking.md")]
    #[doc = include_str!("../docs/guide/src/rendering.md")]
    #[doc = include_str!("../docs/guide/src/context-and-state.md")]
    #[doc = include_str!("../docs/guide/src/headless.md")]
    #[doc = include_str!("../docs/guide/src/parts.md")]
    #[doc = include_str!("../docs/guide/src/theming.md")]
    #[doc = include_str!("../docs/guide/src/labels.md")]
    #[doc = include_str!("../docs/guide/src/ssr.md")]
    #[doc = include_str!("../docs/guide/src/size.md")]
    #[doc = include_str!("../docs/guide/src/agents.md")]
    #[doc = include_str!("../docs/guide/src/persistence.md")]
    #[doc = include_str!("../docs/guide/src/testing.md")]
    #[doc = include_str!("../docs/guide/src/migration.md")]
    #[doc = include_str!("../docs/agents.md")]
    struct Guide;
}

/// Compiles the examples of the page on tool callouts.
#[cfg(all(doctest, feature = "callouts"))]
#[doc = include_str!("../docs/callouts.md")]
struct Callouts;

/// Compiles the examples of the Markdown guide.
#[cfg(all(doctest, feature = "markdown"))]
#[doc = include_str!("../docs/markdown.md")]
struct MarkdownGuide;
