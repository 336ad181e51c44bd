//! What a window says to who listens. Neighbours: `voice` has the regions that are read aloud,
//! `answers` what is said of messages, `plain` their text as plain words.

mod answers;
mod plain;
mod voice;

use assistant_core::{
    conversation::{CallEvent, CallKey, Phase},
    session::NoticeId,
};
use leptos::prelude::*;

use super::{composer::is_asked, notices::sentence};
use crate::{
    action::ToolCallView,
    assistant::{Assistant, assistant_for},
    tool::{asked_words, in_plain},
    ui::{Labels, Word, Words, after, effect, memo},
};
pub(super) use voice::Voice;

/// When a window reads answers out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Speech {
    /// Each answer when it is complete.
    #[default]
    AtTheEnd,
    /// Each paragraph, list and block of an answer when it is complete.
    AsItComes,
    /// Not at all; that there is an answer is said.
    Off,
}

/// After how much silence it is said that work goes on, in milliseconds.
const SILENCE_MS: u32 = 10_000;

/// The time in which questions count as one with the first, in milliseconds.
const GATHERS_MS: u32 = 300;

/// Says aloud what the eye sees: answers as plain words, which tool runs or failed, what the person
/// must decide, that it was stopped, and every few seconds of silence that work goes on. Nothing
/// else of a window is a live region but what a person's own deed calls up. A window has one; of
/// several windows of an assistant one speaks.
///
/// # Accessibility
///
/// Three regions that are always in the page and never seen: a polite `log` of answers, whose
/// entries go after some seconds, a `status`, and an assertive one for what must be decided. Never said
/// are the person's own words, what stood there before, times and the names of buttons.
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
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
    /// When answers are read out.
    #[prop(optional, into)]
    speech: Signal<Speech>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "Announcer")?;
    let voice = Voice::of(&assistant);
    speak(&assistant, voice, speech);
    Some(voice.regions())
}

/// Says from now on what comes.
pub(super) fn speak(assistant: &Assistant, voice: Voice, speech: Signal<Speech>) {
    answers::follow(assistant, voice, speech);
    say_what_is_asked(assistant, voice);
    say_tools(assistant, voice);
    say_notices(assistant, voice);
    say_that_work_goes_on(assistant, voice);
}

/// What waits for a decision: each once, those that come one after the other together.
fn say_what_is_asked(assistant: &Assistant, voice: Voice) {
    let (of, words) = (assistant.clone(), Words::current());
    let approvals = assistant.pending_approvals();
    let fresh = StoredValue::new(Vec::<CallKey>::new());
    effect(move |known: Option<Vec<CallKey>>| {
        let open = approvals.get();
        let known = known.unwrap_or_default();
        let came = open.iter().filter(|key| !known.contains(key)).copied();
        let waits = fresh.with_value(Vec::is_empty);
        fresh.update_value(|list| list.extend(came));
        if waits && fresh.with_value(|list| !list.is_empty()) {
            let (of, words, approvals) = (of.clone(), words.clone(), approvals.clone());
            after(GATHERS_MS, move || {
                let came = fresh.try_update_value(std::mem::take).unwrap_or_default();
                let open = approvals.get_untracked();
                let still = came.iter().filter(|key| open.contains(key));
                let ask = |key: &CallKey| asked_words(ToolCallView::new(&of, *key), &words);
                let asked: Vec<String> = untrack(|| still.map(ask).collect());
                if !asked.is_empty() {
                    let word = untrack(|| words.word(|l| &l.approval_asked));
                    voice.urgent(word.replace("{what}", &asked.join("; ")));
                }
            });
        }
        open
    });
    let words = Words::current();
    let (interrupts, asks) = (assistant.interrupts(), assistant.activity());
    let (elsewhere, said) = (assistant.activity(), Words::current());
    effect(move |before: Option<bool>| {
        let now = elsewhere.get();
        if now.elsewhere && before != Some(true) {
            voice.status(untrack(|| match now.waiting || now.asking {
                true => said.word(|l| &l.elsewhere_waiting),
                false => said.word(|l| &l.elsewhere),
            }));
        }
        now.elsewhere
    });
    effect(move |before: Option<(usize, bool)>| {
        let count = interrupts.with(|list| list.iter().filter(|open| is_asked(open)).count());
        let now = (count, asks.get().asking);
        let (known, asking) = before.unwrap_or_default();
        if now.0 > known || (now.1 && !asking) {
            voice.urgent(untrack(|| words.word(|l| &l.question_asked)));
        }
        now
    });
}

/// Which tool runs, and which failed.
fn say_tools(assistant: &Assistant, voice: Voice) {
    let (of, words) = (assistant.clone(), Words::current());
    let heard = assistant.on_call_event(move |event: &CallEvent| {
        let call = || ToolCallView::new(&of, event.call);
        untrack(|| match event.phase {
            Phase::Running => {
                let call = call();
                let goes_on = move || untrack(|| call.phase()) == Phase::Running;
                voice.passing(doing(&call, &words), goes_on);
            }
            Phase::OutputError => {
                let title = call().title().unwrap_or_else(|| in_plain(&event.name));
                let word = words.word(|l| &l.tool_failed);
                voice.status(word.replace("{tool}", &title));
            }
            _ => {}
        });
    });
    on_cleanup(move || drop(heard));
}

/// That a call runs, in the page's words where it has some.
pub(super) fn doing<T>(call: &ToolCallView<T>, words: &Words) -> String {
    let said = call.words();
    let running = |name: String| format!("{} {name}", words.word(|l| &l.running));
    said.doing
        .unwrap_or_else(|| running(said.title.unwrap_or_else(|| in_plain(&call.name()))))
}

/// What a notice says that is no failure: those are alerts of their own.
fn say_notices(assistant: &Assistant, voice: Voice) {
    let (notices, words) = (assistant.notices(), Words::current());
    effect(move |known: Option<Vec<NoticeId>>| {
        let known = known.unwrap_or_else(|| voice.known_notices());
        let list = notices.get();
        let fresh = list.iter().filter(|notice| !known.contains(&notice.id));
        let labels = words.now();
        for notice in fresh.filter(|notice| !notice.kind.is_failure()) {
            if let Some(text) = sentence(&labels, notice) {
                voice.status(text);
            }
        }
        list.iter().map(|notice| notice.id).collect()
    });
}

/// Breaks a long silence, as long as nobody but the person is waited for.
fn say_that_work_goes_on(assistant: &Assistant, voice: Voice) {
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
            break_silence(voice, words.clone(), round, round.get_value());
        }
    });
}

fn break_silence(voice: Voice, words: Words, round: StoredValue<u32>, this: u32) {
    let said = voice.count();
    after(SILENCE_MS, move || {
        if round.try_get_value() != Some(this) {
            return;
        }
        if voice.count() == said {
            let of: fn(&Labels) -> &Word = |l| &l.still_working;
            voice.status(untrack(|| words.word(of)));
        }
        break_silence(voice, words, round, this);
    });
}
