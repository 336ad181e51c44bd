//! Announces chat activity to assistive technology. `voice` has the live regions, `answers`
//! announces messages, and `plain` converts messages to plain text.

mod answers;
mod plain;
mod voice;

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
    ui::{Labels, Word, Words, after, effect, memo},
};
pub(super) use voice::ActivityAnnouncer;

/// The time at which a window announces answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Speech {
    /// Each answer once it is complete.
    #[default]
    AtTheEnd,
    /// Each paragraph, list and block of an answer once it is complete.
    AsItComes,
    /// Never; only the completion of an answer is announced.
    Off,
}

/// The silence after which ongoing work is announced, in milliseconds.
const SILENCE_MS: u32 = 10_000;

/// The time in which approval requests and questions are collected into one announcement, in
/// milliseconds. Screen readers drop polite announcements that they have not spoken when an
/// assertive one arrives, so the text before a request is announced first.
const BATCH_MS: u32 = 300;

/// Announces chat activity to assistive technology: answers as plain text, tools that run or
/// failed, decisions that the user must make, notices such as a stop, and, after ten seconds
/// without an announcement, that work continues. Otherwise only failures, the line about another
/// tab, and elements that an action of the user opens are live regions of a window. A window has
/// one announcer; of several windows of an assistant, only one announces.
///
/// # Accessibility
///
/// Three visually hidden regions that are always in the page: a polite `log` of answers, a polite
/// region for states, and an assertive region for decisions. Texts are removed after some seconds.
/// While a modal dialog of the window is open, the dialog repeats the announcements. The user's own
/// messages, earlier messages, times and button names are never announced.
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
    /// The assistant to announce; the one in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// The time at which answers are announced.
    #[prop(optional, into)]
    speech: Signal<Speech>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "Announcer")?;
    let voice = ActivityAnnouncer::new(&assistant);
    announce_all(&assistant, voice, speech);
    Some(voice.regions())
}

/// Announces answers, requests, tools, notices, ongoing work and requested labels from now on.
pub(super) fn announce_all(
    assistant: &Assistant,
    voice: ActivityAnnouncer,
    speech: Signal<Speech>,
) {
    answers::announce_answers(assistant, voice, speech);
    announce_requests(assistant, voice);
    announce_tools(assistant, voice);
    announce_notices(assistant, voice);
    announce_ongoing_work(assistant, voice);
    announce_labels(voice);
}

/// Announces the labels that other parts of the window request, such as the beginning of a
/// conversation.
fn announce_labels(voice: ActivityAnnouncer) {
    let (Some(spoken), words) = (use_context::<RequestedAnnouncement>(), Words::current()) else {
        return;
    };
    effect(move |_| {
        if let Some(word) = spoken.newest_label() {
            voice.announce_status(untrack(|| words.word(word)));
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
/// announcement interrupts the previous one.
fn announce_requests(assistant: &Assistant, voice: ActivityAnnouncer) {
    let (of, words) = (assistant.clone(), Words::current());
    let approvals = assistant.pending_approvals();
    let (interrupts, state) = (assistant.interrupts(), assistant.activity());
    let count =
        move || interrupts.with(|list| list.iter().filter(|open| is_open_question(open)).count());
    let questions = memo(move || (count(), state.get().asking));
    let arrived = StoredValue::new(ArrivedRequests::default());
    let (still_open, current) = (approvals.clone(), words.clone());
    let announce = move || {
        let arrived = arrived.try_update_value(std::mem::take).unwrap_or_default();
        let asked = arrived.has_question && {
            let (count, asking) = questions.try_get_untracked().unwrap_or_default();
            count > 0 || asking
        };
        let question = asked.then(|| untrack(|| current.word(|l| &l.question_asked)).to_string());
        let open = still_open.get_untracked();
        let open_approvals = arrived.approvals.iter().filter(|key| open.contains(key));
        let describe = |key: &CallKey| question_text(ToolCallView::new(&of, *key), &current);
        let calls: Vec<String> = untrack(|| open_approvals.map(describe).collect());
        let approval = (!calls.is_empty()).then(|| {
            let word = untrack(|| current.word(|l| &l.approval_asked));
            word.replace("{what}", &calls.join("; "))
        });
        let texts: Vec<String> = question.into_iter().chain(approval).collect();
        voice.announce_urgently(texts.join(" "));
    };
    let collect = move |add: &dyn Fn(&mut ArrivedRequests)| {
        let begins = arrived.try_update_value(|arrived| {
            let was_empty = arrived.is_empty();
            add(arrived);
            was_empty && !arrived.is_empty()
        });
        if begins == Some(true) {
            after(BATCH_MS, announce.clone());
        }
    };
    let collect_approvals = collect.clone();
    effect(move |known: Option<Vec<CallKey>>| {
        let open = approvals.get();
        let known = known.unwrap_or_default();
        collect_approvals(&|arrived| {
            let new = open.iter().filter(|key| !known.contains(key));
            arrived.approvals.extend(new.copied());
        });
        open
    });
    effect(move |before: Option<(usize, bool)>| {
        let now = questions.get();
        let (known, asking) = before.unwrap_or_default();
        if now.0 > known || (now.1 && !asking) {
            collect(&|arrived| arrived.has_question = true);
        }
        now
    });
    let elsewhere = assistant.activity();
    effect(move |before: Option<bool>| {
        let now = elsewhere.get();
        if now.elsewhere && before != Some(true) {
            voice.announce_status(untrack(|| match now.waiting || now.asking {
                true => words.word(|l| &l.elsewhere_waiting),
                false => words.word(|l| &l.elsewhere),
            }));
        }
        now.elsewhere
    });
}

/// Announces tools that run, and tools that failed.
fn announce_tools(assistant: &Assistant, voice: ActivityAnnouncer) {
    let (of, words) = (assistant.clone(), Words::current());
    let observer = assistant.on_call_event(move |event: &CallEvent| {
        let call = || ToolCallView::<Value>::new(&of, event.call_key());
        untrack(|| match event.phase() {
            Phase::Running => {
                let call = call();
                let still_runs = move || untrack(|| call.phase()) == Phase::Running;
                voice.announce_transient_status(running_text(&call, &words), still_runs);
            }
            Phase::OutputError | Phase::OutputAvailable => {
                if let Some(text) = failure_text(&call(), event, &words) {
                    voice.announce_status(text);
                }
            }
            _ => {}
        });
    });
    on_cleanup(move || drop(observer));
}

/// Returns the announcement of a failed call, with the reason if there is one; `None` for any other
/// call. Calls of the page itself are already removed, so their error is read from the event. The
/// result that an agent supplies for an action of the page is not announced: its card shows it as
/// reported.
fn failure_text(call: &ToolCallView<Value>, event: &CallEvent, words: &Words) -> Option<String> {
    if !has_failed(call, event.phase()) || call.is_reported() {
        return None;
    }
    let title = call.title().unwrap_or_else(|| escape_hidden(event.name()));
    let text = words.word(|l| &l.tool_failed).replace("{tool}", &title);
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

/// Returns the announcement that a call is running: the label that the action provides for it, or
/// else a text with the title or the name of the action.
pub(super) fn running_text<T>(call: &ToolCallView<T>, words: &Words) -> String {
    let labels = call.texts();
    let running = |name: String| format!("{} {name}", words.word(|l| &l.running));
    labels
        .doing
        .unwrap_or_else(|| running(labels.title.unwrap_or_else(|| escape_hidden(&call.name()))))
}

/// Announces new notices, except for failures, which are rendered as alerts.
fn announce_notices(assistant: &Assistant, voice: ActivityAnnouncer) {
    let (notices, words) = (assistant.notices(), Words::current());
    effect(move |known: Option<Vec<NoticeId>>| {
        let known = known.unwrap_or_else(|| voice.known_notice_ids());
        let list = notices.get();
        let fresh = list.iter().filter(|notice| !known.contains(&notice.id()));
        let labels = words.now();
        for notice in fresh.filter(|notice| !notice.is_failure()) {
            if let Some(text) = notice_sentence(&labels, notice) {
                voice.announce_status(text);
            }
        }
        list.iter().map(|notice| notice.id()).collect()
    });
}

/// Announces after each [`SILENCE_MS`] without an announcement that work continues, while the
/// assistant is busy and does not wait for the user.
fn announce_ongoing_work(assistant: &Assistant, voice: ActivityAnnouncer) {
    let (activity, words) = (assistant.activity(), Words::current());
    let works = memo(move || {
        let now = activity.get();
        now.busy && !now.waiting && !now.asking
    });
    let round = StoredValue::new(0_u32);
    effect(move |_| {
        let works = works.get();
        round.update_value(|round| *round = round.wrapping_add(1));
        if works {
            announce_after_silence(voice, words.clone(), round, round.get_value());
        }
    });
}

fn announce_after_silence(
    voice: ActivityAnnouncer,
    words: Words,
    round: StoredValue<u32>,
    this: u32,
) {
    let count = voice.announcement_count();
    after(SILENCE_MS, move || {
        if round.try_get_value() != Some(this) {
            return;
        }
        if voice.announcement_count() == count {
            let of: fn(&Labels) -> &Word = |l| &l.still_working;
            voice.announce_status(untrack(|| words.word(of)));
        }
        announce_after_silence(voice, words, round, this);
    });
}
