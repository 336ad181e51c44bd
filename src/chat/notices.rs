//! Renders notices to the user, which are not part of the conversation.

use assistant_core::{
    conversation::{Cut, Phase},
    event::Role,
    limits::{Exceeded, LimitKind},
    session::{Notice, NoticeAction, NoticeKind},
};
use leptos::{ev, html, prelude::*};

use super::{previous_conversation::undo_notice, requested_announcement::RequestedAnnouncement};
use crate::{
    assistant::{Assistant, assistant_for},
    store::Ownership,
    tool::ExactText,
    ui::{Icon, LabelName, Labels, Words, closest, dynamic, each, focus, format_size, memo, when},
    view::PartKind,
};

/// Shows notices and their actions, and, after [`NewConversation`](super::NewConversation), a
/// button that returns to the previous conversation.
///
/// # Accessibility
///
/// A failure is an `alert`; other notices are announced by the [`Announcer`](super::Announcer). A
/// notice that only repeats a mark of the newest turn, such as "Stopped", is announced and not
/// shown. The line about a conversation that is open in another tab is a `status`, and comes first;
/// its button moves the focus to the list of messages.
#[component]
pub fn Notices(
    /// The assistant whose notices are shown. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let Some(assistant) = assistant_for(assistant, "Notices") else {
        return ().into_any();
    };
    let notices = assistant.notices();
    let other_tab = other_tab_notice(&assistant);
    let undo = undo_notice(&assistant);
    let (cut_assistant, list_assistant) = (assistant.clone(), assistant.clone());
    let render_notice = move |notice| notice_view(&assistant, &notice);
    let marked_cut = memo(move || {
        let has_cut_notice = notices.with(|list| {
            list.iter()
                .any(|notice| equivalent_cut(notice.kind()).is_some())
        });
        has_cut_notice
            .then(|| newest_turn_cut(&cut_assistant))
            .flatten()
    });
    let notices = list_assistant.notices();
    let visible_notices = move || {
        let marked_cut = marked_cut.get();
        let mut list = notices.get();
        list.retain(|notice| marked_cut.is_none() || equivalent_cut(notice.kind()) != marked_cut);
        list
    };
    // The key contains the dropped amount, because that amount is known only at the end of the run,
    // and the notice must be rendered again then.
    let key = |notice: &Notice| {
        let dropped_count = notice.exceeded().map_or(0, |exceeded| exceeded.dropped());
        format!("{} {dropped_count}", notice.id().get())
    };
    let list = each(visible_notices, key, render_notice);
    view! { <div class="la-chat-notices">{other_tab} {undo} {list}</div> }.into_any()
}

/// Shows that another tab owns the conversation, with a button that moves the ownership to this
/// tab.
fn other_tab_notice(assistant: &Assistant) -> AnyView {
    let (ownership, assistant) = (assistant.conversations().ownership(), assistant.clone());
    let words = Words::current();
    let render_bar = move || {
        let (assistant, bar) = (
            assistant.clone(),
            NoticeBar {
                tone: "info",
                kind: Some("elsewhere"),
                role: "status",
                icon: Icon::Info,
                text: LabelName::OpenElsewhere,
                button: LabelName::UseHere,
            },
        );
        bar.view(&words, move |event| {
            // The focus moves first, because the notice is removed once this tab owns the
            // conversation. The composer is hidden until then.
            let target: web_sys::Element = event_target(&event);
            if let Some(button) = closest(&target, "button") {
                focus::pass_focus_to_transcript(&button);
            }
            assistant.conversations().use_here();
        })
    };
    when(move || ownership.get() == Ownership::OtherTab, render_bar).into_any()
}

/// A notice with one sentence and one button.
pub(super) struct NoticeBar {
    pub(super) tone: &'static str,
    pub(super) kind: Option<&'static str>,
    pub(super) role: &'static str,
    pub(super) icon: Icon,
    pub(super) text: LabelName,
    pub(super) button: LabelName,
}

impl NoticeBar {
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

/// Returns the mark of a turn that makes a notice of this kind redundant. Returns `None` if no mark
/// makes the notice redundant.
const fn equivalent_cut(kind: NoticeKind) -> Option<Cut> {
    match kind {
        NoticeKind::Stopped => Some(Cut::Stopped),
        NoticeKind::Cancelled => Some(Cut::Cancelled),
        _ => None,
    }
}

/// Returns the way in which the newest turn ended early, according to its messages and calls.
/// Returns `None` if the turn did not end early. In a reactive closure, the value is tracked.
fn newest_turn_cut(assistant: &Assistant) -> Option<Cut> {
    let entries = assistant.messages().get();
    let turn_entries = entries
        .iter()
        .rev()
        .take_while(|entry| entry.role != Role::User);
    let cells = turn_entries.filter_map(|entry| assistant.message(&entry.id));
    let mut cuts = cells.filter_map(|message| {
        let is_cancelled = |kind: &PartKind| match kind {
            PartKind::Call(key) => assistant
                .call(key)
                .is_some_and(|call| call.phase.get() == Phase::Cancelled),
            _ => false,
        };
        let has_cancelled_call = || {
            let is_cancelled_call = |part: &crate::view::PartCell| is_cancelled(&part.kind);
            message
                .parts
                .with(|parts| parts.iter().any(is_cancelled_call))
        };
        let cut = message.cut.get();
        // If no message is marked, a cancelled call counts as a stop, because a stop cancels the
        // open calls, and their cards do not show why the turn ended.
        cut.or_else(|| has_cancelled_call().then_some(Cut::Stopped))
    });
    cuts.next()
}

/// The maximum size of a message that is not collapsed, in bytes.
const MAX_UNCOLLAPSED_BYTES: usize = 280;
/// The maximum length of a displayed message, in characters. Longer messages are truncated.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// The longest retry delay that is shown to the user, in milliseconds. A longer delay is probably a
/// mistake of the server.
const MAX_DELAY_MS: u64 = 60 * 60 * 1_000;

/// Describes a limit that the agent exceeded, and the amount that was dropped, if any.
fn limit_sentence(labels: &Labels, exceeded: Exceeded) -> String {
    let label = match exceeded.limit() {
        LimitKind::Response => labels.text(LabelName::LimitResponse),
        LimitKind::Event => labels.text(LabelName::LimitEvent),
        LimitKind::Streams => labels.text(LabelName::LimitStreams),
        LimitKind::Message => labels.text(LabelName::LimitMessage),
        LimitKind::Result => labels.text(LabelName::LimitResult),
        LimitKind::Arguments => labels.text(LabelName::LimitArguments),
        LimitKind::Id | LimitKind::Name => labels.text(LabelName::LimitName),
        LimitKind::Messages => labels.text(LabelName::LimitMessages),
        LimitKind::Calls => labels.text(LabelName::LimitCalls),
        LimitKind::Interrupts => labels.text(LabelName::LimitInterrupts),
        _ => labels.text(LabelName::NoticeTooLarge),
    };
    let amount = |count: usize| match exceeded.limit().counts_bytes() {
        true => format_size(count),
        false => labels.format_count(count),
    };
    let text = label.replace("{limit}", &amount(exceeded.most()));
    match exceeded.dropped() {
        0 => text,
        count => {
            let dropped_text = labels
                .text(LabelName::LimitLeftOut)
                .replace("{amount}", &amount(count));
            format!("{text} {dropped_text}")
        }
    }
}

/// Returns a sentence that explains an HTTP status to the user. Returns `None` for a status without
/// an explanation.
fn http_status_advice(labels: &Labels, status: u16, retry_after_ms: Option<u64>) -> Option<String> {
    let label = match status {
        401 | 403 | 407 => labels.text(LabelName::NotAllowed),
        404 | 405 | 410 => labels.text(LabelName::NotThere),
        408 | 429 | 502..=504 => match retry_after_ms {
            Some(ms) if ms <= MAX_DELAY_MS => {
                let seconds = ms.div_ceil(1_000).to_string();
                return Some(
                    labels
                        .text(LabelName::TooBusyFor)
                        .replace("{seconds}", &seconds),
                );
            }
            Some(_) | None => labels.text(LabelName::TooBusy),
        },
        500.. => labels.text(LabelName::ServerFailed),
        _ => return None,
    };
    Some(label.to_string())
}

/// Returns the sentence for the kind of a notice, with its count or limit. Returns `None` if the
/// kind has no sentence.
pub(super) fn notice_sentence(labels: &Labels, notice: &Notice) -> Option<String> {
    let label = match notice.kind() {
        NoticeKind::Network => labels.text(LabelName::NoticeUnreachable),
        NoticeKind::Offline => labels.text(LabelName::NoticeOffline),
        NoticeKind::Request => labels.text(LabelName::NoticeNotSent),
        NoticeKind::Truncated => labels.text(LabelName::NoticeBrokenOff),
        NoticeKind::Silent => labels.text(LabelName::NoticeSilent),
        NoticeKind::Cancelled => labels.text(LabelName::NoticeCancelled),
        NoticeKind::Stopped => labels.text(LabelName::NoticeStopped),
        NoticeKind::NoAnswer => labels.text(LabelName::NoticeNoAnswer),
        NoticeKind::RunLimit => {
            let limit = notice.limit().unwrap_or_default();
            return Some(
                labels.insert_count(labels.text(LabelName::NoticeRunLimit), limit as usize),
            );
        }
        NoticeKind::LoopEnded => labels.text(LabelName::NoticeLoopEnded),
        NoticeKind::CallIdReused => labels.text(LabelName::NoticeCallIdReused),
        NoticeKind::CancelledRequest => labels.text(LabelName::NoticeCancelledRequest),
        NoticeKind::QuestionsHeldBack => {
            let count = notice.count().unwrap_or_default();
            return Some(labels.insert_count(
                labels.text(LabelName::NoticeQuestionsHeldBack),
                count as usize,
            ));
        }
        NoticeKind::Forgotten => labels.text(LabelName::NoticeForgotten),
        NoticeKind::LimitReached => return notice.exceeded().map(|of| limit_sentence(labels, of)),
        NoticeKind::ResultsReady => labels.text(LabelName::NoticeResultsReady),
        NoticeKind::NotStored => labels.text(LabelName::NoticeNotStored),
        NoticeKind::NotOpened => labels.text(LabelName::NoticeNotOpened),
        _ => return None,
    };
    Some(label.to_string())
}

/// Renders the message from the agent, the server, the decoder or the store, if the notice reports
/// a failure of one of these. Renders nothing for other notices.
fn server_message(words: &Words, notice: &Notice) -> AnyView {
    let message = notice.message().to_owned();
    match notice.kind() {
        NoticeKind::Network
        | NoticeKind::Request
        | NoticeKind::Http
        | NoticeKind::Protocol
        | NoticeKind::NotStored
        | NoticeKind::NotOpened => message_details(words, message),
        NoticeKind::RunError if !shows_full_message(notice) => message_details(words, message),
        NoticeKind::RunError => view! {
            <p class="la-notice-text" dir="auto">
                <ExactText text=message readable=true />
            </p>
        }
        .into_any(),
        _ => ().into_any(),
    }
}

/// Returns true if a notice shows the agent's message without collapsing it: the notice reports a
/// run error, and the message is one short line and not blank.
fn shows_full_message(notice: &Notice) -> bool {
    let message = notice.message();
    let is_short = message.len() <= MAX_UNCOLLAPSED_BYTES && !message.contains('\n');
    notice.kind() == NoticeKind::RunError && is_short && !message.trim().is_empty()
}

/// Renders a message as collapsed details, truncated to [`MAX_MESSAGE_CHARS`]. Renders nothing for
/// an empty message.
fn message_details(words: &Words, mut message: String) -> AnyView {
    if message.trim().is_empty() {
        return ().into_any();
    }
    if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE_CHARS) {
        message.truncate(end);
        message.push('…');
    }
    view! {
        <details class="la-fold la-notice-details">
            <summary class="la-fold-summary">
                {Icon::chevron()} <span>{words.text(LabelName::Details)}</span>
            </summary>
            <pre class="la-code" tabindex="0" role="group" aria-label=words.attr(LabelName::Details)>
                <ExactText text=message />
            </pre>
        </details>
    }
    .into_any()
}

fn notice_view(assistant: &Assistant, notice: &Notice) -> AnyView {
    let words = Words::current();
    let is_failure = notice.is_failure();
    let (role, tone) = match notice.kind() {
        NoticeKind::Offline => (Some("alert"), "warning"),
        _ if is_failure => (Some("alert"), "error"),
        NoticeKind::RunLimit
        | NoticeKind::NoAnswer
        | NoticeKind::LoopEnded
        | NoticeKind::CallIdReused
        | NoticeKind::QuestionsHeldBack
        | NoticeKind::Forgotten
        | NoticeKind::LimitReached
        | NoticeKind::NotStored
        | NoticeKind::NotOpened => (None, "warning"),
        _ => (None, "info"),
    };
    // The title is redundant if the newest turn is marked as failed and the notice shows the full
    // message.
    let is_title_redundant = {
        let (assistant, has_full_message) = (assistant.clone(), shows_full_message(notice));
        memo(move || has_full_message && newest_turn_cut(&assistant) == Some(Cut::Failed))
    };
    // A message from a server or a decoder is not written for the user, so a title names the
    // problem, and the message is available as details. An agent's message may be meant for the
    // user.
    let title = match notice.kind() {
        NoticeKind::RunError | NoticeKind::Http => Some(words.text(LabelName::AgentFailed)),
        NoticeKind::Protocol => Some(words.text(LabelName::Unreadable)),
        _ => None,
    };
    let sentence = {
        let (notice, words) = (notice.clone(), words.clone());
        move || {
            let labels = words.get();
            let text = match notice.status() {
                Some(status) => http_status_advice(&labels, status, notice.retry_after_ms()),
                None => notice_sentence(&labels, &notice),
            };
            text.map(|text| view! { <p class="la-notice-text">{text}</p> })
        }
    };
    let message = server_message(&words, notice);
    let icon = if is_failure { Icon::Alert } else { Icon::Info };
    let notice_ref = NodeRef::<html::Div>::new();
    let are_results_ready = notice.kind() == NoticeKind::ResultsReady;
    let is_forgotten = notice.kind() == NoticeKind::Forgotten;
    let announcement = use_context::<RequestedAnnouncement>();
    let action = notice.action().map(|action| {
        let (assistant, label) = (
            assistant.clone(),
            match action {
                NoticeAction::Retry if is_forgotten => words.text(LabelName::SendAgain),
                NoticeAction::Retry => words.text(LabelName::Retry),
                NoticeAction::Continue if are_results_ready => words.text(LabelName::SendResults),
                NoticeAction::Continue => words.text(LabelName::Continue),
            },
        );
        let on_click = move |_| {
            move_focus_out(notice_ref);
            // The result is ignored, because an action is refused only if the notice no longer
            // applies, and such a notice is removed anyway.
            let _ = match action {
                NoticeAction::Retry => {
                    if let Some(announcement) = announcement {
                        announcement.announce(LabelName::Retrying);
                    }
                    assistant.retry()
                }
                NoticeAction::Continue => assistant.continue_loop(),
            };
        };
        view! {
            <button type="button" class="la-button" data-size="small" on:click=on_click>
                <span>{label}</span>
            </button>
        }
    });
    // The notice that the browser is offline cannot be dismissed, because the assistant continues
    // only as long as the notice exists.
    let is_dismissible = notice.kind() != NoticeKind::Offline;
    let (assistant, id) = (assistant.clone(), notice.id());
    let dismiss_button = is_dismissible.then(|| {
        view! {
            <button
                type="button"
                class="la-button"
                data-variant="quiet"
                data-size="small"
                on:click=move |_| {
                    move_focus_out(notice_ref);
                    assistant.dismiss(id);
                }
            >
                <span>{words.text(LabelName::Dismiss)}</span>
            </button>
        }
    });
    view! {
        <div class="la-notice" data-tone=tone role=role node_ref=notice_ref>
            {icon.view()}
            <div class="la-notice-body">
                {title
                    .map(|title| {
                        view! {
                            <p
                                class="la-notice-title"
                                class:la-visually-hidden=move || is_title_redundant.get()
                            >
                                {title}
                            </p>
                        }
                    })}
                {dynamic(sentence)}
                {message}
            </div>
            <div class="la-notice-actions">
                {action}
                {dismiss_button}
            </div>
        </div>
    }
    .into_any()
}

/// Moves the focus out of a notice that is about to be removed.
fn move_focus_out(notice: NodeRef<html::Div>) {
    if let Some(notice) = notice.get_untracked() {
        focus::pass_focus_on(&notice);
    }
}
