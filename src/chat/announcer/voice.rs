//! The regions that assistive technology reads out.

use assistant_core::{conversation::MessageId, session::NoticeId};
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    tool::claim,
    ui::{after, each, effect},
    view::{MessageList, Question},
};

/// The time that a text stays in its region, in milliseconds.
const STAYS_MS: u32 = 10_000;

/// How long what passes is heard before something else that passes, in milliseconds.
const PASSES_MS: u32 = 200;

/// What goes on for a while, and whether it does still.
type Passing = (String, GoesOn);
type GoesOn = Box<dyn Fn() -> bool + Send + Sync>;

/// Texts in a region, each with its number.
type Region = RwSignal<Vec<(u64, String)>>;

/// Says things, where no other window does.
#[derive(Clone, Copy)]
pub(in crate::chat) struct Voice {
    /// The conversation and its newest message when this voice was there first: what comes later is said.
    since: StoredValue<(u64, Option<MessageId>)>,
    /// The notices that stood there before.
    notices: StoredValue<Vec<NoticeId>>,
    elsewhere: Memo<Option<String>>,
    answers: Region,
    status: Region,
    urgent: Region,
    count: StoredValue<u64>,
    /// Whether something that passes was said just now, and what waits for that.
    passing: StoredValue<(bool, Option<Passing>)>,
}

impl Voice {
    /// The voice of a window. Of several windows of an assistant one speaks.
    pub(in crate::chat) fn of(assistant: &Assistant) -> Self {
        let messages = assistant.messages();
        let now = |list: &MessageList| (list.thread(), list.last().map(|entry| entry.id.clone()));
        let since = StoredValue::new(messages.with_untracked(now));
        // A conversation that is opened stood there before, too; who speaks by then follows it itself.
        effect(move |_| {
            messages.with(|list| {
                if since.with_value(|(thread, _)| *thread != list.thread()) {
                    since.set_value(now(list));
                }
            });
        });
        let notices = assistant.notices();
        let known = notices.with_untracked(|list| list.iter().map(|notice| notice.id).collect());
        Self {
            since,
            notices: StoredValue::new(known),
            elsewhere: claim(assistant, Question::Speech).elsewhere,
            answers: RwSignal::default(),
            status: RwSignal::default(),
            urgent: RwSignal::default(),
            count: StoredValue::new(0),
            passing: StoredValue::new((false, None)),
        }
    }

    /// From where on messages are said.
    pub(super) fn since(self) -> (u64, Option<MessageId>) {
        self.since.get_value()
    }

    /// The notices that are not said.
    pub(super) fn known_notices(self) -> Vec<NoticeId> {
        self.notices.get_value()
    }

    /// The number of times it said something.
    pub(super) fn count(self) -> u64 {
        self.count.try_get_value().unwrap_or_default()
    }

    /// A piece of an answer: it is heard after what was said before.
    pub(super) fn answer(self, text: impl Into<String>) {
        self.say(self.answers, text.into(), false);
    }

    /// What goes on: the newest takes the place of what was said before.
    pub(in crate::chat) fn status(self, text: impl Into<String>) {
        self.say(self.status, text.into(), true);
    }

    /// What goes on for a while, as a tool does that runs. Of many, one after the other, nobody hears each: what
    /// comes within moments of the one before waits, the newest takes its place, and it is said if it goes on still.
    pub(super) fn passing(self, text: String, goes_on: impl Fn() -> bool + Send + Sync + 'static) {
        let waits = self.passing.try_update_value(|(said, next)| {
            *next = said.then(|| (text.clone(), Box::new(goes_on) as GoesOn));
            *said
        });
        if waits == Some(false) {
            self.pass(text);
        }
    }

    fn pass(self, text: String) {
        self.status(text);
        self.passing.try_update_value(|(said, _)| *said = true);
        after(PASSES_MS, move || {
            let next = self.passing.try_update_value(|(said, next)| {
                *said = false;
                next.take()
            });
            if let Some((text, _)) = next.flatten().filter(|(_, goes_on)| goes_on()) {
                self.pass(text);
            }
        });
    }

    /// What must be decided: it is heard at once.
    pub(super) fn urgent(self, text: impl Into<String>) {
        self.say(self.urgent, text.into(), true);
    }

    fn say(self, region: Region, text: String, alone: bool) {
        let here = self.elsewhere.try_with_untracked(Option::is_none);
        if here != Some(true) || text.trim().is_empty() {
            return;
        }
        let number = self.count() + 1;
        self.count.set_value(number);
        region.update(|list| {
            if alone {
                list.clear();
            }
            list.push((number, text));
        });
        after(STAYS_MS, move || {
            let said = region.try_with_untracked(|list| list.iter().any(|one| one.0 == number));
            if said == Some(true) {
                region.update(|list| list.retain(|one| one.0 != number));
            }
        });
    }

    /// The regions. What is removed from them is not said.
    pub(in crate::chat) fn regions(self) -> AnyView {
        let texts = |region: Region| {
            let draw = |(_, text): (u64, String)| view! { <p>{text}</p> }.into_any();
            each(move || region.get(), |one| one.0.to_string(), draw)
        };
        view! {
            <div class="la-visually-hidden la-announcer">
                <div role="log" aria-live="polite" aria-relevant="additions" data-speech="answers">
                    {texts(self.answers)}
                </div>
                <div role="status" data-speech="status">
                    {texts(self.status)}
                </div>
                <div aria-live="assertive" data-speech="urgent">
                    {texts(self.urgent)}
                </div>
            </div>
        }
        .into_any()
    }
}
