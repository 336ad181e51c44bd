//! Collapses adjacent finished calls into a group with one summary line.
//!
//! An agent may call twenty tools before it writes text. Adjacent calls that succeeded and have the
//! default card become a group, across the messages of a turn; calls that run, wait or failed, and
//! calls with a custom card, are always shown. Cards do not move: those of a closed group are
//! hidden in place. A call that the user has opened or focused stays out of groups.

use std::collections::{HashMap, HashSet};

use assistant_core::conversation::{CallKey, Phase};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{counts::insert_count, item::TurnBlock};
use crate::{
    action::ToolCallView,
    assistant::Assistant,
    tool::{ExactText, HiddenInGroup, declares_failure, has_default_card},
    ui::{Icon, Words, closest, dynamic, effect, memo, scope},
    view::{PartCell, PartKind},
};

/// The minimum number of calls in a group.
const MIN_CALLS: usize = 3;
/// The maximum number of titles in the summary of a group.
const NAMES: usize = 3;

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
    names: String,
}

/// The signals of a call about its group. Each call has signals of its own: a shared memo would
/// notify all calls of each change of any call, which is expensive for a hundred adjacent calls.
#[derive(Clone)]
struct GroupSignals {
    /// True if the call is hidden in its group.
    hides: ArcRwSignal<bool>,
    /// True if the call is the first of a group, so that the summary line precedes it.
    heads: ArcRwSignal<bool>,
}

/// The groups of a turn.
#[derive(Clone, Copy)]
pub(super) struct Groups {
    members: Memo<HashMap<CallKey, GroupMembership>>,
    open: RwSignal<HashSet<CallKey>>,
    /// The calls whose cards the user has opened or focused.
    opened: RwSignal<HashSet<CallKey>>,
    slots: StoredValue<HashMap<CallKey, GroupSignals>>,
    done: GroupTitles,
    /// The number of changes of the calls so far. Each call reports its own changes: one effect
    /// that tracks all calls would subscribe to every call again at each change, which takes as
    /// long as rendering the calls.
    changes: RwSignal<u32>,
}

impl Groups {
    /// Creates the groups of a turn.
    pub(super) fn new(assistant: Assistant, turn: ArcRwSignal<TurnBlock>) -> Self {
        let opened = RwSignal::new(HashSet::new());
        let changes = RwSignal::new(0_u32);
        let done = StoredValue::new(HashMap::new());
        let by_person = turn.with_untracked(TurnBlock::is_by_user);
        let members = memo(move || {
            changes.track();
            let done = |key: &CallKey| group_title(&assistant, key, done).get_untracked();
            let rows = opened.with(|opened| adjacent_calls(&assistant, &turn, opened, &done));
            let members = rows
                .into_iter()
                .filter(|row| row.len() >= MIN_CALLS)
                .flat_map(group_members);
            members.collect()
        });
        let groups = Self {
            members,
            open: RwSignal::new(HashSet::new()),
            opened,
            slots: StoredValue::new(HashMap::new()),
            done,
            changes,
        };
        if !by_person {
            effect(move |_| groups.update_signals());
        }
        groups
    }

    /// Returns true if a call is hidden in its group; tracked when called in a reactive closure.
    pub(super) fn is_hidden(self, call: &CallKey) -> bool {
        self.signals(call).hides.get()
    }

    /// Returns true if all content of a message is hidden in a group that begins in another
    /// message; tracked when called in a reactive closure.
    pub(super) fn is_all_hidden(self, parts: &[PartCell]) -> bool {
        let mut any = false;
        let hides = |part: &PartCell| match &part.kind {
            PartKind::Call(key) => {
                any = true;
                let slot = self.signals(key);
                slot.hides.get() && !slot.heads.get()
            }
            PartKind::Text => part.mark.with(|mark| mark.len == 0),
            _ => false,
        };
        parts.iter().all(hides) && any
    }

    fn signals(self, call: &CallKey) -> GroupSignals {
        let known = self.slots.try_with_value(|slots| slots.get(call).cloned());
        known.flatten().unwrap_or_else(|| {
            let (hides, heads) = untrack(|| self.group_flags(call));
            let slot = GroupSignals {
                hides: ArcRwSignal::new(hides),
                heads: ArcRwSignal::new(heads),
            };
            // The store is disposed with the turn.
            let _ = self
                .slots
                .try_update_value(|slots| slots.insert(*call, slot.clone()));
            slot
        })
    }

    /// Returns two flags: the call is hidden in a closed group, and the call is the first of a
    /// group.
    fn group_flags(self, call: &CallKey) -> (bool, bool) {
        let state = self.members.with(|members| {
            let member = members.get(call)?;
            let hides = self.open.with(|open| !open.contains(&member.head));
            Some((hides, member.summary.is_some()))
        });
        state.unwrap_or_default()
    }

    fn update_signals(self) {
        self.members.track();
        self.open.track();
        let changed = self.slots.try_with_value(|slots| {
            let slots = slots.iter().filter_map(|(call, slot)| {
                let (hides, heads) = untrack(|| self.group_flags(call));
                let same =
                    slot.hides.get_untracked() == hides && slot.heads.get_untracked() == heads;
                (!same).then(|| (slot.clone(), hides, heads))
            });
            slots.collect::<Vec<_>>()
        });
        // The signals are set after the store was released, because setting one may render views
        // that request a slot.
        for (slot, hides, heads) in changed.unwrap_or_default() {
            set_if_changed(&slot.heads, heads);
            set_if_changed(&slot.hides, hides);
        }
    }

    /// Requests that the groups are computed again.
    pub(super) fn invalidate(self) {
        let _ = self
            .changes
            .try_update(|count| *count = count.wrapping_add(1));
    }

    /// Reads the summary of the group that begins with a call; returns the default value if no
    /// group begins with the call. Tracked when called in a reactive closure.
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
            self.opened.update(|opened| {
                opened.insert(*call);
            });
        }
    }
}

type AdjacentCalls = Vec<(CallKey, String)>;

/// Returns the rows of adjacent calls that may be grouped, each call with its title.
fn adjacent_calls(
    assistant: &Assistant,
    turn: &ArcRwSignal<TurnBlock>,
    opened: &HashSet<CallKey>,
    done: &dyn Fn(&CallKey) -> Option<String>,
) -> Vec<AdjacentCalls> {
    let cells: Vec<_> = turn.with(|turn| {
        let ids = turn.entries.iter().map(|entry| &entry.id);
        ids.filter_map(|id| assistant.message(id)).collect()
    });
    let mut rows = vec![AdjacentCalls::new()];
    for cell in cells {
        cell.parts.with_untracked(|parts| {
            for part in parts {
                let name = match &part.kind {
                    PartKind::Call(key) if !opened.contains(key) => {
                        done(key).map(|name| (*key, name))
                    }
                    // An empty text between calls is skipped: if it is empty when a later call
                    // ends, it stays empty.
                    PartKind::Text if part.mark.with_untracked(|mark| mark.len == 0) => continue,
                    _ => None,
                };
                match (name, rows.last_mut()) {
                    (Some(call), Some(row)) => row.push(call),
                    _ => rows.push(AdjacentCalls::new()),
                }
            }
        });
    }
    rows
}

/// The titles of the calls of a turn, each computed again when its call changes: `None` for a call
/// that cannot be grouped, an empty text for a call without a title.
type GroupTitles = StoredValue<HashMap<CallKey, ArcMemo<Option<String>>>>;

fn group_title(
    assistant: &Assistant,
    key: &CallKey,
    known: GroupTitles,
) -> ArcMemo<Option<String>> {
    let found = known.try_with_value(|known| known.get(key).cloned());
    found.flatten().unwrap_or_else(|| {
        let (assistant, key) = (assistant.clone(), *key);
        let done = ArcMemo::new(move |_| {
            let is_grouped = can_be_grouped(&assistant, &key);
            let cell = is_grouped.then(|| assistant.call(&key)).flatten();
            assistant.view().renderers.track();
            cell.map(|cell| {
                let words = assistant.action_texts(&cell.name.get());
                words.and_then(|words| words.title).unwrap_or_default()
            })
        });
        let _ = known.try_update_value(|known| known.insert(key, done.clone()));
        done
    })
}

/// Returns true if a call has succeeded and has the default card. A call of an action of the page
/// whose result the agent supplied cannot be grouped.
fn can_be_grouped(assistant: &Assistant, key: &CallKey) -> bool {
    let Some(cell) = assistant.call(key) else {
        return false;
    };
    let has_failure_result = || {
        let failed = assistant.with_conversation(|conversation| {
            let result = conversation.call(key)?.result()?;
            Some(declares_failure(result.value()))
        });
        failed.flatten().unwrap_or_default()
    };
    let has_succeeded = cell.phase.get() == Phase::OutputAvailable;
    let is_reported = || ToolCallView::new(assistant, *key).is_reported();
    has_succeeded && has_default_card(assistant, key) && !has_failure_result() && !is_reported()
}

fn group_members(row: AdjacentCalls) -> Vec<(CallKey, GroupMembership)> {
    let Some((head, _)) = row.first().cloned() else {
        return Vec::new();
    };
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in &row {
        if !name.is_empty() && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let more = if names.len() > NAMES { ", …" } else { "" };
    names.truncate(NAMES);
    let mut summary = Some(GroupSummary {
        count: row.len(),
        names: names.join(", ") + more,
    });
    let members = row.into_iter().map(|(key, _)| {
        let member = GroupMembership {
            head,
            summary: summary.take(),
        };
        (key, member)
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
    let GroupSignals { hides, heads } = groups.signals(&call);
    let folded = hides.clone();
    let card = scope(Box::new(move || {
        provide_context(HiddenInGroup(folded));
        card()
    }));
    let (line_call, clicked, focused) = (call, call, call);
    let line = move || {
        heads
            .get()
            .then(|| summary_line(groups, line_call, words.clone()))
    };
    let (done, mut was_done) = (group_title(assistant, &call, groups.done), None);
    let is_hidden = move || {
        let now = done.get();
        if was_done.as_ref() != Some(&now) && was_done.replace(now).is_some() {
            groups.invalidate();
        }
        hides.get()
    };
    view! {
        {dynamic(line)}
        <div
            class="la-call tool-calls"
            hidden=is_hidden
            on:click=move |event| groups.exclude_opened_call(&clicked, &event)
            on:focusin=move |event| groups.exclude_opened_call(&focused, &event)
        >
            {card}
        </div>
    }
    .into_any()
}

fn summary_line(groups: Groups, head: CallKey, words: Words) -> AnyView {
    let of_state = head;
    let count = memo(move || groups.read_summary(&head, |summary| summary.count));
    let names = memo(move || groups.read_summary(&head, |summary| summary.names.clone()));
    let count = move || insert_count(&words.word(|l| &l.tool_calls), count.get());
    let names = move || view! { <ExactText text=names.get() /> };
    let is_open = move || groups.open.with(|open| open.contains(&of_state));
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
            <span class="la-call-group-names">{dynamic(names)}</span>
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
