//! Notices to the user outside of the conversation.

use assistant_core::session::{Notice, NoticeAction, NoticeKind};
use leptos::{ev, html, prelude::*};

use super::counts::with_text;
use crate::{
    assistant::{Assistant, assistant_for},
    store::Ownership,
    tool::ExactText,
    ui::{Icon, Labels, WordOf, Words, dynamic, each, focus, when},
};

/// Shows notices and their actions.
///
/// # Accessibility
///
/// A failure is an `alert`; other notices are announced by the [`Announcer`](super::Announcer). A
/// conversation that is open in another tab is a `status`, which comes first.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::{AssistantProvider, agent::HttpAgent, chat::Notices};
///
/// #[component]
/// fn App() -> impl IntoView {
///     view! {
///         <AssistantProvider agent=HttpAgent::new("/agent")>
///             <Notices attr:id="notices" />
///         </AssistantProvider>
///     }
/// }
/// ```
#[component]
pub fn Notices(
    /// The assistant whose notices are shown; the one in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "Notices") else {
        return ().into_any();
    };
    let notices = assistant.notices();
    let elsewhere = elsewhere(&assistant);
    let draw = move |notice| notice_view(&assistant, &notice);
    let list = each(
        move || notices.get(),
        |notice| notice.id.0.to_string(),
        draw,
    );
    view! { <div class="la-chat-notices">{elsewhere} {list}</div> }.into_any()
}

/// Shows that another tab acts on the conversation, with a button that takes it over.
fn elsewhere(assistant: &Assistant) -> AnyView {
    let (ownership, assistant) = (assistant.ownership(), assistant.clone());
    let words = Words::current();
    let bar = move || {
        let (assistant, bar) = (
            assistant.clone(),
            Bar {
                tone: "info",
                kind: Some("elsewhere"),
                role: "status",
                icon: Icon::Info,
                text: |l| &l.open_elsewhere,
                button: |l| &l.use_here,
            },
        );
        bar.view(&words, move |_| assistant.use_here())
    };
    when(move || ownership.get() == Ownership::OtherTab, bar).into_any()
}

/// A notice with one sentence and one button.
pub(super) struct Bar {
    pub(super) tone: &'static str,
    pub(super) kind: Option<&'static str>,
    pub(super) role: &'static str,
    pub(super) icon: Icon,
    pub(super) text: WordOf,
    pub(super) button: WordOf,
}

impl Bar {
    pub(super) fn view(self, words: &Words, act: impl Fn(ev::MouseEvent) + 'static) -> AnyView {
        view! {
            <div class="la-notice" data-tone=self.tone data-kind=self.kind role=self.role>
                {self.icon.view()}
                <div class="la-notice-body">
                    <p class="la-notice-text">{words.text(self.text)}</p>
                </div>
                <div class="la-notice-actions">
                    <button type="button" class="la-button" data-size="small" on:click=act>
                        <span>{words.text(self.button)}</span>
                    </button>
                </div>
            </div>
        }
        .into_any()
    }
}

/// The longest message that is shown without expanding, in bytes.
const SHORT: usize = 280;
/// The maximum length of a message, in characters.
const MOST: usize = 4_000;

/// Explains an HTTP status to the user.
fn advice(labels: &Labels, status: u16, retry_after_ms: Option<u64>) -> Option<String> {
    let word = match status {
        401 | 403 | 407 => &labels.not_allowed,
        404 | 405 | 410 => &labels.not_there,
        408 | 429 | 502..=504 => match retry_after_ms {
            Some(ms) => {
                let seconds = ms.div_ceil(1_000).to_string();
                return Some(labels.too_busy_for.replace("{seconds}", &seconds));
            }
            None => &labels.too_busy,
        },
        500.. => &labels.server_failed,
        _ => return None,
    };
    Some(word.to_string())
}

/// Returns the fixed sentence of a kind of notice.
pub(super) fn sentence(labels: &Labels, notice: &Notice) -> Option<String> {
    let word = match notice.kind {
        NoticeKind::Network => &labels.notice_unreachable,
        NoticeKind::Request => &labels.notice_not_sent,
        NoticeKind::Truncated => &labels.notice_broken_off,
        NoticeKind::Silent => &labels.notice_silent,
        NoticeKind::Cancelled => &labels.notice_cancelled,
        NoticeKind::Stopped => &labels.notice_stopped,
        NoticeKind::NoAnswer => &labels.notice_no_answer,
        NoticeKind::RunLimit if notice.limit == Some(1) => &labels.notice_run_limit_one,
        NoticeKind::RunLimit => {
            return Some(with_text(
                &labels.notice_run_limit,
                &notice.limit.unwrap_or_default().to_string(),
            ));
        }
        NoticeKind::LoopEnded => &labels.notice_loop_ended,
        NoticeKind::CallIdReused => &labels.notice_call_id_reused,
        NoticeKind::CancelledRequest => &labels.notice_cancelled_request,
        NoticeKind::QuestionsHeldBack => {
            let count = notice.count.unwrap_or_default().to_string();
            return Some(with_text(&labels.notice_questions_held_back, &count));
        }
        NoticeKind::TooLarge => &labels.notice_too_large,
        NoticeKind::ResultsReady => &labels.notice_results_ready,
        NoticeKind::NotKept => &labels.notice_not_kept,
        NoticeKind::NotOpened => &labels.notice_not_opened,
        _ => return None,
    };
    Some(word.to_string())
}

/// Renders the message of an agent, a server or a decoder, for notices about one.
fn server_message(words: &Words, notice: &Notice) -> AnyView {
    let message = notice.message.clone();
    match notice.kind {
        NoticeKind::Network
        | NoticeKind::Request
        | NoticeKind::Http
        | NoticeKind::Protocol
        | NoticeKind::NotKept
        | NoticeKind::NotOpened => details(words, message),
        NoticeKind::RunError if message.len() > SHORT || message.contains('\n') => {
            details(words, message)
        }
        NoticeKind::RunError => view! {
            <p class="la-notice-text" dir="auto">
                <ExactText text=message readable=true />
            </p>
        }
        .into_any(),
        _ => ().into_any(),
    }
}

/// Renders technical details behind a summary.
fn details(words: &Words, mut message: String) -> AnyView {
    if message.trim().is_empty() {
        return ().into_any();
    }
    if let Some((end, _)) = message.char_indices().nth(MOST) {
        message.truncate(end);
        message.push('…');
    }
    view! {
        <details class="la-fold la-notice-details">
            <summary class="la-fold-summary">
                {Icon::chevron()} <span>{words.text(|l| &l.details)}</span>
            </summary>
            <pre class="la-code" tabindex="0" role="group" aria-label=words.attr(|l| &l.details)>
                <ExactText text=message />
            </pre>
        </details>
    }
    .into_any()
}

fn notice_view(assistant: &Assistant, notice: &Notice) -> AnyView {
    let words = Words::current();
    let failure = notice.kind.is_failure();
    let (role, tone) = match notice.kind {
        _ if failure => (Some("alert"), "error"),
        NoticeKind::RunLimit
        | NoticeKind::NoAnswer
        | NoticeKind::LoopEnded
        | NoticeKind::CallIdReused
        | NoticeKind::QuestionsHeldBack
        | NoticeKind::NotKept
        | NoticeKind::NotOpened => (None, "warning"),
        _ => (None, "info"),
    };
    // A message of a server or a decoder is not written for the user: a title names the problem,
    // and the message is available as details. An agent's message may be meant for the user.
    let title = match notice.kind {
        NoticeKind::RunError | NoticeKind::Http => Some(words.text(|l| &l.agent_failed)),
        NoticeKind::Protocol => Some(words.text(|l| &l.unreadable)),
        _ => None,
    };
    let (of, of_words) = (notice.clone(), words.clone());
    let known = move || {
        let labels = of_words.get();
        let text = match of.status {
            Some(status) => advice(&labels, status, of.retry_after_ms),
            None => sentence(&labels, &of),
        };
        text.map(|text| view! { <p class="la-notice-text">{text}</p> })
    };
    let message = server_message(&words, notice);
    let icon = if failure { Icon::Alert } else { Icon::Info };
    let notice_ref = NodeRef::<html::Div>::new();
    let sends = notice.kind == NoticeKind::ResultsReady;
    let action = notice.action.map(|action| {
        let (assistant, label) = (
            assistant.clone(),
            match action {
                NoticeAction::Retry => words.text(|l| &l.retry),
                NoticeAction::Continue if sends => words.text(|l| &l.send_results),
                NoticeAction::Continue => words.text(|l| &l.continue_),
            },
        );
        let act = move |_| {
            leave(notice_ref);
            // Refused only if the notice no longer applies, and then it is removed anyway.
            let _ = match action {
                NoticeAction::Retry => assistant.retry(),
                NoticeAction::Continue => assistant.go_on(),
            };
        };
        view! {
            <button type="button" class="la-button" data-size="small" on:click=act>
                <span>{label}</span>
            </button>
        }
    });
    let (dismisser, id) = (assistant.clone(), notice.id);
    view! {
        <div class="la-notice" data-tone=tone role=role node_ref=notice_ref>
            {icon.view()}
            <div class="la-notice-body">
                {title.map(|title| view! { <p class="la-notice-title">{title}</p> })}
                {dynamic(known)}
                {message}
            </div>
            <div class="la-notice-actions">
                {action}
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    data-size="small"
                    on:click=move |_| {
                        leave(notice_ref);
                        dismisser.dismiss(id);
                    }
                >
                    <span>{words.text(|l| &l.dismiss)}</span>
                </button>
            </div>
        </div>
    }
    .into_any()
}

/// Moves the focus before the notice is removed.
fn leave(notice: NodeRef<html::Div>) {
    if let Some(notice) = notice.get_untracked() {
        focus::pass_on(&notice);
    }
}
