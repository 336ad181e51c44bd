//! Announces chat activity to assistive technology. The module `activity_announcer` contains the
//! live regions, `answers` announces messages, and `plain_text` converts messages to plain text.

mod activity_announcer;
mod answers;
mod plain_text;

use assistant_core::{
    conversation::{CallEvent, CallEventKind, CallKey, Phase},
    session::NoticeId,
};
use leptos::prelude::*;
use serde_json::Value;

use super::{
    composer::is_open_question, notices::notice_sentence,
    requested_announcement::RequestedAnnouncement,
};
use crate::{
    action::ToolCallView,
    assistant::{Assistant, assistant_for},
    tool::{error_reason, escape_hidden, failure_reason, has_failed, question_text},
    ui::{LabelName, Words, after, effect, memo},
};
pub(super) use activity_announcer::ActivityAnnouncer;

/// The time at which a window announces answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Speech {
    /// Announces each answer once the answer is complete.
    #[default]
    AtTheEnd,
    /// Announces each paragraph, list and block of an answer once the element is complete.
    AsItComes,
    /// Announces only the completion of an answer.
    Off,
}

/// The time without an announcement after which ongoing work is announced, in milliseconds.
const SILENCE_MS: u32 = 10_000;

/// The time in which approval requests and questions are collected into one announcement, in
/// milliseconds. Screen readers drop polite announcements that they have not spoken when an
/// assertive announcement arrives, so the text before a request is announced first.
const BATCH_MS: u32 = 300;

/// Announces chat activity to assistive technology: answers as plain text, tools that run or
/// failed, decisions that the user must make, notices such as a stop, and, after ten seconds
/// without an announcement, that work continues. The only other live regions of a window are
/// failures, the notice about another tab, and elements that an action of the user opens. A window
/// has one announcer. If an assistant has several windows, only the first open one announces.
///
/// # Accessibility
///
/// The component has three visually hidden regions that are always in the page: a polite `log` of
/// answers, a polite region for statuses, and an assertive region for decisions. Texts are removed
/// after ten seconds. While a modal dialog of the window is open, the dialog repeats the
/// announcements. The user's own messages, earlier messages, times and button names are never
/// announced.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::{Announcer, ChatRoot, Composer, Speech, Transcript};
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! {
///     <ChatRoot><Transcript /> <Composer /> <Announcer speech=Speech::AsItComes /></ChatRoot>
/// }
/// # }
/// ```
#[component]
pub fn Announcer(
    /// The assistant whose activity is announced. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The time at which answers are announced.
    #[prop(optional, into)]
    speech: Signal<Speech>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "Announcer")?;
    let announcer = ActivityAnnouncer::new(&assistant);
    announce_all(&assistant, announcer, speech);
    Some(announcer.regions())
}

/// Announces answers, requests, tools, notices, ongoing work and requested labels from now on.
pub(super) fn announce_all(
    assistant: &Assistant,
    announcer: ActivityAnnouncer,
    speech: Signal<Speech>,
) {
    answers::announce_answers(assistant, announcer, speech);
    announce_requests(assistant, announcer);
    announce_tools(assistant, announcer);
    announce_notices(assistant, announcer);
    announce_ongoing_work(assistant, announcer);
    announce_labels(announcer);
}

/// Announces the labels that other parts of the window request, such as the beginning of a
/// conversation.
fn announce_labels(announcer: ActivityAnnouncer) {
    let (Some(announcement), words) = (use_context::<RequestedAnnouncement>(), Words::current())
    else {
        return;
    };
    effect(move |_| {
        if let Some(label) = announcement.newest_label() {
            announcer.announce_status(untrack(|| words.word(label)));
        }
    });
}

/// The requests to the user that arrived since the last announcement of requests.
#[derive(Default)]
struct ArrivedRequests {
    approvals: Vec<CallKey>,
    has_question: bool,
}

impl ArrivedRequests {
    const fn is_empty(&self) -> bool {
        self.approvals.is_empty() && !self.has_question
    }
}

/// Announces pending approvals, questions of the agent, and activity on a branch that is not shown.
/// Requests that arrive within [`BATCH_MS`] are announced together, because an assertive
/// announcement interrupts the previous announcement.
fn announce_requests(assistant: &Assistant, announcer: ActivityAnnouncer) {
    let (call_assistant, words) = (assistant.clone(), Words::current());
    let approvals = assistant.pending_approvals();
    let (interrupts, activity) = (assistant.interrupts(), assistant.activity());
    let count_questions =
        move || interrupts.with(|list| list.iter().filter(|open| is_open_question(open)).count());
    let questions = memo(move || (count_questions(), activity.get().asking));
    let arrived_requests = StoredValue::new(ArrivedRequests::default());
    let (current_approvals, announcement_words) = (approvals.clone(), words.clone());
    let announce = move || {
        let arrived_requests = arrived_requests
            .try_update_value(std::mem::take)
            .unwrap_or_default();
        let has_question = arrived_requests.has_question && {
            let (count, is_asking) = questions.try_get_untracked().unwrap_or_default();
            count > 0 || is_asking
        };
        let question_label = has_question
            .then(|| untrack(|| announcement_words.word(LabelName::QuestionAsked)).to_string());
        let open_keys = current_approvals.get_untracked();
        let open_approvals = arrived_requests
            .approvals
            .iter()
            .filter(|key| open_keys.contains(key));
        let describe = |key: &CallKey| {
            question_text(
                ToolCallView::new(&call_assistant, *key),
                &announcement_words,
            )
        };
        let calls: Vec<String> = untrack(|| open_approvals.map(describe).collect());
        let approval_text = (!calls.is_empty()).then(|| {
            let label = untrack(|| announcement_words.word(LabelName::ApprovalAsked));
            label.replace("{what}", &calls.join("; "))
        });
        let texts: Vec<String> = question_label.into_iter().chain(approval_text).collect();
        announcer.announce_urgently(texts.join(" "));
    };
    let collect = move |add: &dyn Fn(&mut ArrivedRequests)| {
        let is_first_request = arrived_requests.try_update_value(|arrived_requests| {
            let was_empty = arrived_requests.is_empty();
            add(arrived_requests);
            was_empty && !arrived_requests.is_empty()
        });
        if is_first_request == Some(true) {
            after(BATCH_MS, announce.clone());
        }
    };
    let collect_approvals = collect.clone();
    effect(move |old_keys: Option<Vec<CallKey>>| {
        let open_keys = approvals.get();
        let old_keys = old_keys.unwrap_or_default();
        collect_approvals(&|arrived_requests| {
            let new_keys = open_keys.iter().filter(|key| !old_keys.contains(key));
            arrived_requests.approvals.extend(new_keys.copied());
        });
        open_keys
    });
    effect(move |previous: Option<(usize, bool)>| {
        let (count, is_asking) = questions.get();
        let (old_count, was_asking) = previous.unwrap_or_default();
        if count > old_count || (is_asking && !was_asking) {
            collect(&|arrived_requests| arrived_requests.has_question = true);
        }
        (count, is_asking)
    });
    let activity = assistant.activity();
    effect(move |was_elsewhere: Option<bool>| {
        let activity = activity.get();
        if activity.elsewhere && was_elsewhere != Some(true) {
            announcer.announce_status(untrack(|| match activity.waiting || activity.asking {
                true => words.word(LabelName::ElsewhereWaiting),
                false => words.word(LabelName::Elsewhere),
            }));
        }
        activity.elsewhere
    });
}

/// Announces tools that run, and tools that failed.
fn announce_tools(assistant: &Assistant, announcer: ActivityAnnouncer) {
    let (call_assistant, words) = (assistant.clone(), Words::current());
    let observer = assistant.on_call_event(move |event: &CallEvent| {
        let create_view = || ToolCallView::<Value>::new(&call_assistant, event.call_key());
        untrack(|| match event.phase() {
            Phase::Running => {
                let call = create_view();
                let still_runs = move || untrack(|| call.phase()) == Phase::Running;
                announcer.announce_transient_status(running_text(&call, &words), still_runs);
            }
            Phase::OutputError | Phase::OutputAvailable => {
                if let Some(text) = failure_text(&create_view(), event, &words) {
                    announcer.announce_status(text);
                }
            }
            _ => {}
        });
    });
    on_cleanup(move || drop(observer));
}

/// Returns the announcement of a failed call, with the reason if there is one. Returns `None` for
/// any other call. Calls of the page itself are already removed, so their error is read from the
/// event. The result that an agent supplies for an action of the page is not announced, because the
/// card shows the result as reported.
fn failure_text(call: &ToolCallView<Value>, event: &CallEvent, words: &Words) -> Option<String> {
    if !has_failed(call, event.phase()) || call.is_reported() {
        return None;
    }
    let title = call.title().unwrap_or_else(|| escape_hidden(event.name()));
    let text = words.word(LabelName::ToolFailed).replace("{tool}", &title);
    let reason = match event.kind() {
        CallEventKind::Ended {
            error: Some((kind, message)),
            ..
        } => error_reason(kind.as_str(), message, words),
        _ => failure_reason(call, words),
    };
    Some(match reason {
        Some(reason) => format!("{text}. {reason}"),
        None => text,
    })
}

/// Returns the announcement that a call is running: the label that the action provides for the
/// call, or else a text with the title or the name of the action.
pub(super) fn running_text<T>(call: &ToolCallView<T>, words: &Words) -> String {
    let labels = call.texts();
    let with_name = |name: String| format!("{} {name}", words.word(LabelName::Running));
    labels
        .doing
        .unwrap_or_else(|| with_name(labels.title.unwrap_or_else(|| escape_hidden(&call.name()))))
}

/// Announces new notices, except for failures, which are rendered as alerts.
fn announce_notices(assistant: &Assistant, announcer: ActivityAnnouncer) {
    let (notices, words) = (assistant.notices(), Words::current());
    effect(move |known_ids: Option<Vec<NoticeId>>| {
        let known_ids = known_ids.unwrap_or_else(|| announcer.known_notice_ids());
        let list = notices.get();
        let new_notices = list
            .iter()
            .filter(|notice| !known_ids.contains(&notice.id()));
        let labels = words.now();
        for notice in new_notices.filter(|notice| !notice.is_failure()) {
            if let Some(text) = notice_sentence(&labels, notice) {
                announcer.announce_status(text);
            }
        }
        list.iter().map(|notice| notice.id()).collect()
    });
}

/// Announces that work continues after each [`SILENCE_MS`] without an announcement, while the
/// assistant is busy and does not wait for the user.
fn announce_ongoing_work(assistant: &Assistant, announcer: ActivityAnnouncer) {
    let (activity, words) = (assistant.activity(), Words::current());
    let is_working = memo(move || {
        let activity = activity.get();
        activity.busy && !activity.waiting && !activity.asking
    });
    let round = StoredValue::new(0_u32);
    effect(move |_| {
        let is_working = is_working.get();
        round.update_value(|round| *round = round.wrapping_add(1));
        if is_working {
            announce_after_silence(announcer, words.clone(), round, round.get_value());
        }
    });
}

fn announce_after_silence(
    announcer: ActivityAnnouncer,
    words: Words,
    round: StoredValue<u32>,
    current_round: u32,
) {
    let count = announcer.announcement_count();
    after(SILENCE_MS, move || {
        if round.try_get_value() != Some(current_round) {
            return;
        }
        if announcer.announcement_count() == count {
            let label = LabelName::StillWorking;
            announcer.announce_status(untrack(|| words.word(label)));
        }
        announce_after_silence(announcer, words, round, current_round);
    });
}
