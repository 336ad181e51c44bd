//! Announces texts to assistive technology in live regions.

use assistant_core::{conversation::MessageId, session::NoticeId};
use leptos::prelude::*;

use crate::{
    assistant::Assistant,
    tool::claim_question,
    ui::{LiveRegions, Region, after, effect},
    view::{MessageList, Question},
};

/// The time after which an announced text is removed from its live region, in milliseconds.
const REGION_TEXT_MS: u32 = 10_000;

/// The minimum time between two transient announcements, in milliseconds.
const MIN_INTERVAL_MS: u32 = 200;

/// A transient announcement, with a function that checks whether the announcement still applies.
type TransientStatus = (String, StillAppliesFn);
type StillAppliesFn = Box<dyn Fn() -> bool + Send + Sync>;

/// The live regions of a window. A window announces texts only if no other window of the assistant
/// announces these texts.
#[derive(Clone, Copy)]
pub(in crate::chat) struct ActivityAnnouncer {
    /// The number of the conversation, and the id of the message after which messages are
    /// announced: the newest message when announcements began or the conversation was opened.
    baseline: StoredValue<(u64, Option<MessageId>)>,
    /// The ids of the notices that existed when announcements began.
    notices: StoredValue<Vec<NoticeId>>,
    elsewhere: Memo<Option<String>>,
    regions: LiveRegions,
    count: StoredValue<u64>,
    /// A flag that is true for [`MIN_INTERVAL_MS`] after a transient announcement, and the
    /// transient announcement that waits until the end of that time.
    passing: StoredValue<(bool, Option<TransientStatus>)>,
}

impl ActivityAnnouncer {
    /// Creates the announcer of a window, with the live regions from the context or with new live
    /// regions. If an assistant has several windows, only the first open one announces.
    pub(in crate::chat) fn new(assistant: &Assistant) -> Self {
        let messages = assistant.messages();
        let thread_and_tip =
            |list: &MessageList| (list.thread(), list.last().map(|entry| entry.id.clone()));
        let baseline = StoredValue::new(messages.with_untracked(thread_and_tip));
        // If a conversation is opened, its newest message becomes the baseline, because the
        // messages of the conversation already existed.
        effect(move |_| {
            messages.with(|list| {
                if baseline.with_value(|(thread, _)| *thread != list.thread()) {
                    baseline.set_value(thread_and_tip(list));
                }
            });
        });
        let notices = assistant.notices();
        let notice_ids =
            notices.with_untracked(|list| list.iter().map(|notice| notice.id()).collect());
        Self {
            baseline,
            notices: StoredValue::new(notice_ids),
            elsewhere: claim_question(assistant, Question::Speech).elsewhere,
            regions: use_context().unwrap_or_else(LiveRegions::new),
            count: StoredValue::new(0),
            passing: StoredValue::new((false, None)),
        }
    }

    /// Returns the number of the conversation, and the id of the message after which messages are
    /// announced: the newest message when announcements began or the conversation was opened.
    pub(super) fn baseline(self) -> (u64, Option<MessageId>) {
        self.baseline.get_value()
    }

    /// Returns the ids of the notices that existed when announcements began. These notices are not
    /// announced.
    pub(super) fn known_notice_ids(self) -> Vec<NoticeId> {
        self.notices.get_value()
    }

    /// Returns the number of announcements so far.
    pub(super) fn announcement_count(self) -> u64 {
        self.count.try_get_value().unwrap_or_default()
    }

    /// Announces a piece of an answer, after the earlier pieces.
    pub(super) fn announce_answer(self, text: impl Into<String>) {
        self.announce(self.regions.answers, text.into(), false);
    }

    /// Announces a status, which replaces the previous status.
    pub(in crate::chat) fn announce_status(self, text: impl Into<String>) {
        self.announce(self.regions.status, text.into(), true);
    }

    /// Announces a transient status, such as a running tool. If the previous transient announcement
    /// is recent, the text waits. A newer text replaces a waiting text, and a waiting text is
    /// announced only if it still applies.
    pub(super) fn announce_transient_status(
        self,
        text: String,
        still_applies: impl Fn() -> bool + Send + Sync + 'static,
    ) {
        let is_waiting = self.passing.try_update_value(|(is_recent, next)| {
            *next = is_recent.then(|| (text.clone(), Box::new(still_applies) as StillAppliesFn));
            *is_recent
        });
        if is_waiting == Some(false) {
            self.announce_throttled(text);
        }
    }

    fn announce_throttled(self, text: String) {
        self.announce_status(text);
        self.passing
            .try_update_value(|(is_recent, _)| *is_recent = true);
        after(MIN_INTERVAL_MS, move || {
            let next = self.passing.try_update_value(|(is_recent, next)| {
                *is_recent = false;
                next.take()
            });
            if let Some((text, _)) = next.flatten().filter(|(_, still_applies)| still_applies()) {
                self.announce_throttled(text);
            }
        });
    }

    /// Announces a pending decision in the assertive live region.
    pub(super) fn announce_urgently(self, text: impl Into<String>) {
        self.announce(self.regions.urgent, text.into(), true);
    }

    fn announce(self, region: Region, text: String, alone: bool) {
        let announces_here = self.elsewhere.try_with_untracked(Option::is_none);
        if announces_here != Some(true) || text.trim().is_empty() {
            return;
        }
        let number = self.announcement_count() + 1;
        self.count.set_value(number);
        region.update(|list| {
            if alone {
                list.clear();
            }
            list.push((number, text));
        });
        after(REGION_TEXT_MS, move || {
            let is_present =
                region.try_with_untracked(|list| list.iter().any(|entry| entry.0 == number));
            if is_present == Some(true) {
                region.update(|list| list.retain(|entry| entry.0 != number));
            }
        });
    }

    /// Renders the live regions.
    pub(in crate::chat) fn regions(self) -> AnyView {
        self.regions.view()
    }
}
