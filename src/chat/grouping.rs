//! Collapses adjacent finished calls into a group with one summary line.
//!
//! An agent may call twenty tools before it writes text. Adjacent calls that succeeded and have the
//! default card become a group, across the messages of a turn; calls that are running, waiting or
//! failed, and calls with a custom card, are always shown. Cards do not move: the cards of a closed
//! group are hidden in place. A call that the user has opened or focused stays out of groups.

use std::collections::{HashMap, HashSet};

use assistant_core::conversation::{CallKey, Phase};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::item::TurnBlock;
use crate::{
    action::ToolCallView,
    assistant::Assistant,
    tool::{ExactText, HiddenInGroup, declares_failure, has_default_card},
    ui::{Icon, LabelName, Words, closest, dynamic, effect, memo, scope},
    view::{PartCell, PartKind},
};

/// The minimum number of calls in a group.
const MIN_CALLS: usize = 3;
/// The maximum number of titles in the summary of a group.
const MAX_TITLES: usize = 3;

/// The membership of a call in a group.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupMembership {
    /// The key of the first call of the group.
    head: CallKey,
    /// The group's summary, if this call is the first of the group.
    summary: Option<GroupSummary>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupSummary {
    count: usize,
    titles: String,
}

/// The state of a call in its group. Each call has its own signals, because a shared memo would
/// notify all calls of each change of any call, which is expensive for a hundred adjacent calls.
#[derive(Clone)]
struct GroupSignals {
    /// True if the call is hidden in its group.
    is_hidden: ArcRwSignal<bool>,
    /// True if the call is the first of a group, so that the summary line precedes it.
    is_first: ArcRwSignal<bool>,
}

/// The groups of a turn.
#[derive(Clone, Copy)]
pub(super) struct Groups {
    members: Memo<HashMap<CallKey, GroupMembership>>,
    open: RwSignal<HashSet<CallKey>>,
    /// The keys of the calls whose cards the user has opened or focused.
    opened_calls: RwSignal<HashSet<CallKey>>,
    signals_by_call: StoredValue<HashMap<CallKey, GroupSignals>>,
    titles: GroupTitles,
    /// The number of changes to the calls so far. Each call reports its own changes, because one
    /// effect that tracks all calls would subscribe to every call again at each change, which takes
    /// as long as rendering the calls.
    changes: RwSignal<u32>,
}

impl Groups {
    /// Creates the groups of a turn.
    pub(super) fn new(assistant: Assistant, turn: ArcRwSignal<TurnBlock>) -> Self {
        let opened_calls = RwSignal::new(HashSet::new());
        let changes = RwSignal::new(0_u32);
        let titles = StoredValue::new(HashMap::new());
        let is_by_user = turn.with_untracked(TurnBlock::is_by_user);
        let members = memo(move || {
            changes.track();
            let title = |key: &CallKey| group_title(&assistant, key, titles).get_untracked();
            let sequences = opened_calls
                .with(|opened_calls| adjacent_calls(&assistant, &turn, opened_calls, &title));
            let members = sequences
                .into_iter()
                .filter(|sequence| sequence.len() >= MIN_CALLS)
                .flat_map(group_members);
            members.collect()
        });
        let groups = Self {
            members,
            open: RwSignal::new(HashSet::new()),
            opened_calls,
            signals_by_call: StoredValue::new(HashMap::new()),
            titles,
            changes,
        };
        if !is_by_user {
            effect(move |_| groups.update_signals());
        }
        groups
    }

    /// Returns true if a call is hidden in its group. In a reactive closure, the value is tracked.
    pub(super) fn is_hidden(self, call: &CallKey) -> bool {
        self.signals(call).is_hidden.get()
    }

    /// Returns true if all content of a message is hidden in a group that begins in another
    /// message. In a reactive closure, the value is tracked.
    pub(super) fn is_all_hidden(self, parts: &[PartCell]) -> bool {
        let mut has_calls = false;
        let is_part_hidden = |part: &PartCell| match &part.kind {
            PartKind::Call(key) => {
                has_calls = true;
                let signals = self.signals(key);
                signals.is_hidden.get() && !signals.is_first.get()
            }
            PartKind::Text => part.mark.with(|mark| mark.len == 0),
            _ => false,
        };
        parts.iter().all(is_part_hidden) && has_calls
    }

    fn signals(self, call: &CallKey) -> GroupSignals {
        let existing_signals = self
            .signals_by_call
            .try_with_value(|signals_by_call| signals_by_call.get(call).cloned());
        existing_signals.flatten().unwrap_or_else(|| {
            let (is_hidden, is_first) = untrack(|| self.group_flags(call));
            let signals = GroupSignals {
                is_hidden: ArcRwSignal::new(is_hidden),
                is_first: ArcRwSignal::new(is_first),
            };
            // The result is ignored, because the call fails only if the turn was removed.
            let _ = self
                .signals_by_call
                .try_update_value(|signals_by_call| signals_by_call.insert(*call, signals.clone()));
            signals
        })
    }

    /// Returns two flags: true if the call is hidden in a closed group, and true if the call is the
    /// first of a group.
    fn group_flags(self, call: &CallKey) -> (bool, bool) {
        let flags = self.members.with(|members| {
            let membership = members.get(call)?;
            let is_hidden = self.open.with(|open| !open.contains(&membership.head));
            Some((is_hidden, membership.summary.is_some()))
        });
        flags.unwrap_or_default()
    }

    fn update_signals(self) {
        self.members.track();
        self.open.track();
        let changed_signals = self.signals_by_call.try_with_value(|signals_by_call| {
            let stale_signals = signals_by_call.iter().filter_map(|(call, signals)| {
                let (is_hidden, is_first) = untrack(|| self.group_flags(call));
                let is_unchanged = signals.is_hidden.get_untracked() == is_hidden
                    && signals.is_first.get_untracked() == is_first;
                (!is_unchanged).then(|| (signals.clone(), is_hidden, is_first))
            });
            stale_signals.collect::<Vec<_>>()
        });
        // The signals are set outside of the closure above, because setting a signal may render
        // views that access `signals_by_call`.
        for (signals, is_hidden, is_first) in changed_signals.unwrap_or_default() {
            set_if_changed(&signals.is_first, is_first);
            set_if_changed(&signals.is_hidden, is_hidden);
        }
    }

    /// Requests that the groups are computed again.
    pub(super) fn invalidate(self) {
        let _ = self
            .changes
            .try_update(|count| *count = count.wrapping_add(1));
    }

    /// Calls `read` with the summary of the group that begins with a call. Returns the default
    /// value if no group begins with the call. In a reactive closure, the value is tracked.
    fn read_summary<R: Default>(self, head: &CallKey, read: impl FnOnce(&GroupSummary) -> R) -> R {
        let value = self
            .members
            .with(|members| members.get(head)?.summary.as_ref().map(read));
        value.unwrap_or_default()
    }

    fn exclude_opened_call(self, call: &CallKey, event: &web_sys::Event) {
        let target = event.target().and_then(|target| target.dyn_into().ok());
        let card =
            target.and_then(|target: web_sys::Element| closest(&target, "details.la-tool-card"));
        let is_member = self
            .members
            .try_with_untracked(|members| members.contains_key(call));
        if card.is_some() && is_member == Some(false) {
            self.opened_calls.update(|opened_calls| {
                opened_calls.insert(*call);
            });
        }
    }
}

type AdjacentCalls = Vec<(CallKey, String)>;

/// Returns the sequences of adjacent calls that may be grouped, each call with its title.
fn adjacent_calls(
    assistant: &Assistant,
    turn: &ArcRwSignal<TurnBlock>,
    opened_calls: &HashSet<CallKey>,
    title: &dyn Fn(&CallKey) -> Option<String>,
) -> Vec<AdjacentCalls> {
    let cells: Vec<_> = turn.with(|turn| {
        let ids = turn.entries.iter().map(|entry| &entry.id);
        ids.filter_map(|id| assistant.message(id)).collect()
    });
    let mut sequences = vec![AdjacentCalls::new()];
    for cell in cells {
        cell.parts.with_untracked(|parts| {
            for part in parts {
                let titled_call = match &part.kind {
                    PartKind::Call(key) if !opened_calls.contains(key) => {
                        title(key).map(|title| (*key, title))
                    }
                    // An empty text between calls is skipped, because a text that is empty when a
                    // later call ends stays empty.
                    PartKind::Text if part.mark.with_untracked(|mark| mark.len == 0) => continue,
                    _ => None,
                };
                match (titled_call, sequences.last_mut()) {
                    (Some(call), Some(sequence)) => sequence.push(call),
                    _ => sequences.push(AdjacentCalls::new()),
                }
            }
        });
    }
    sequences
}

/// The titles of the calls of a turn. Each title is computed again when its call changes. The title
/// is `None` for a call that cannot be grouped, and empty for a call without a title.
type GroupTitles = StoredValue<HashMap<CallKey, ArcMemo<Option<String>>>>;

fn group_title(
    assistant: &Assistant,
    key: &CallKey,
    titles: GroupTitles,
) -> ArcMemo<Option<String>> {
    let cached_title = titles.try_with_value(|titles| titles.get(key).cloned());
    cached_title.flatten().unwrap_or_else(|| {
        let (assistant, key) = (assistant.clone(), *key);
        let title = ArcMemo::new(move |_| {
            let can_group = can_be_grouped(&assistant, &key);
            let cell = can_group.then(|| assistant.call(&key)).flatten();
            assistant.view().renderers.track();
            cell.map(|cell| {
                let texts = assistant.action_texts(&cell.name.get());
                texts.and_then(|texts| texts.title).unwrap_or_default()
            })
        });
        let _ = titles.try_update_value(|titles| titles.insert(key, title.clone()));
        title
    })
}

/// Returns true if a call has succeeded, its result does not declare a failure, and the call has
/// the default card. A call of an action of the page whose result the agent supplied cannot be
/// grouped.
fn can_be_grouped(assistant: &Assistant, key: &CallKey) -> bool {
    let Some(cell) = assistant.call(key) else {
        return false;
    };
    let has_failure_result = || {
        let has_failure = assistant.with_conversation(|conversation| {
            let result = conversation.call(key)?.result()?;
            Some(declares_failure(result.value()))
        });
        has_failure.flatten().unwrap_or_default()
    };
    let has_succeeded = cell.phase.get() == Phase::OutputAvailable;
    let is_reported = || ToolCallView::new(assistant, *key).is_reported();
    has_succeeded && has_default_card(assistant, key) && !has_failure_result() && !is_reported()
}

fn group_members(sequence: AdjacentCalls) -> Vec<(CallKey, GroupMembership)> {
    let Some((head, _)) = sequence.first().cloned() else {
        return Vec::new();
    };
    let mut titles: Vec<&str> = Vec::new();
    for (_, title) in &sequence {
        if !title.is_empty() && !titles.contains(&title.as_str()) {
            titles.push(title);
        }
    }
    let ellipsis = if titles.len() > MAX_TITLES {
        ", …"
    } else {
        ""
    };
    titles.truncate(MAX_TITLES);
    let mut summary = Some(GroupSummary {
        count: sequence.len(),
        titles: titles.join(", ") + ellipsis,
    });
    let members = sequence.into_iter().map(|(key, _)| {
        let membership = GroupMembership {
            head,
            summary: summary.take(),
        };
        (key, membership)
    });
    members.collect()
}

/// Renders the card of a call, hidden while its group is closed. The summary line precedes the card
/// of the first call of a group.
pub(super) fn grouped_call(
    assistant: &Assistant,
    groups: Groups,
    call: CallKey,
    card: impl FnOnce() -> AnyView + 'static,
) -> AnyView {
    let words = Words::current();
    let GroupSignals {
        is_hidden,
        is_first,
    } = groups.signals(&call);
    let is_hidden_in_group = is_hidden.clone();
    let card = scope(Box::new(move || {
        provide_context(HiddenInGroup(is_hidden_in_group));
        card()
    }));
    let render_summary = move || {
        is_first
            .get()
            .then(|| summary_line(groups, call, words.clone()))
    };
    let (title, mut last_title) = (group_title(assistant, &call, groups.titles), None);
    let is_hidden = move || {
        let new_title = title.get();
        if last_title.as_ref() != Some(&new_title) && last_title.replace(new_title).is_some() {
            groups.invalidate();
        }
        is_hidden.get()
    };
    view! {
        {dynamic(render_summary)}
        <div
            class="la-call tool-calls"
            hidden=is_hidden
            on:click=move |event| groups.exclude_opened_call(&call, &event)
            on:focusin=move |event| groups.exclude_opened_call(&call, &event)
        >
            {card}
        </div>
    }
    .into_any()
}

fn summary_line(groups: Groups, head: CallKey, words: Words) -> AnyView {
    let count = memo(move || groups.read_summary(&head, |summary| summary.count));
    let titles = memo(move || groups.read_summary(&head, |summary| summary.titles.clone()));
    let count = move || words.count(LabelName::ToolCalls, count.get());
    let titles = move || view! { <ExactText text=titles.get() /> };
    let is_open = move || groups.open.with(|open| open.contains(&head));
    let toggle = move |_| {
        groups.open.update(|open| {
            if !open.remove(&head) {
                open.insert(head);
            }
        });
    };
    view! {
        <button
            type="button"
            class="la-call-group"
            aria-expanded=move || if is_open() { "true" } else { "false" }
            on:click=toggle
        >
            {Icon::Check.view()}
            <span class="la-call-group-count">
                {dynamic(count)}
            </span>
            <span class="la-call-group-names">{dynamic(titles)}</span>
            {Icon::chevron()}
        </button>
    }
    .into_any()
}

fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if signal.with_untracked(|old| *old != value) {
        signal.set(value);
    }
}
