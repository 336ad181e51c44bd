//! Selects the mounted blocks of the thread, and sizes the space of the other blocks.
//!
//! The module `thread` contains the rules, and this module applies the rules to the page: it
//! measures heights, mounts and unmounts blocks, and preserves the focus and the selection. The
//! module `scroll` keeps the scroll position.

use std::{cell::RefCell, collections::HashMap, ops::Range};

use assistant_core::{conversation::MessageId, event::Role};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::{
    item::{ListItem, ThreadEnd, TurnBlock},
    pinned_content::PinnedContent,
    thread::{MountedWindow, ThreadBlocks, VisibleRange},
};
use crate::{
    ui::{
        draw_all_rows,
        focus::{focus_in_place, focused_element},
        has_waiting_rows, is_hidden,
    },
    view::MessageList,
};

/// The attribute with the id of a block, which is the id of its first message.
const BLOCK_ATTRIBUTE: &str = "data-block";

#[derive(Default)]
struct ListState {
    thread: ThreadBlocks,
    window: Option<MountedWindow>,
    /// True if all blocks are mounted.
    all: bool,
    /// True if the view must be measured: messages arrived, the reader moved, or different blocks
    /// were mounted since the last inspection.
    needs_inspection: bool,
    mounted: MountedBlocks,
}

/// The mounted blocks by id, each with its index among all blocks and the signal of its content.
type MountedBlocks = HashMap<MessageId, (usize, ArcRwSignal<TurnBlock>)>;

#[derive(Clone, Copy)]
pub(super) struct BlockList {
    state: StoredValue<RefCell<ListState>, LocalStorage>,
    pub(super) pinned: PinnedContent,
    /// The mounted items, in order.
    pub(super) items: RwSignal<Vec<ListItem>>,
    /// The space above the mounted blocks, in pixels.
    pub(super) above: RwSignal<f64>,
    pub(super) between: RwSignal<f64>,
    /// The number of changes to the thread so far.
    pub(super) changes: RwSignal<u32>,
    /// The number of messages in the thread.
    pub(super) total: RwSignal<usize>,
    /// True after the user has requested that all blocks are mounted.
    pub(super) all: RwSignal<bool>,
    /// True if some blocks are not mounted.
    pub(super) partial: RwSignal<bool>,
}

/// The kind of a change to the thread, which determines the scroll position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadChange {
    /// New messages of the agent, or a change that keeps the position of the reader.
    More,
    /// A new message of the user at the end.
    UserMessage,
    /// A different conversation, or, while the view is at the end, a different branch without the
    /// first mounted block.
    Other,
}

impl BlockList {
    pub(super) fn new() -> Self {
        Self {
            state: StoredValue::new_local(RefCell::default()),
            pinned: PinnedContent::new(),
            items: RwSignal::new(Vec::new()),
            above: RwSignal::new(0.0),
            between: RwSignal::new(0.0),
            changes: RwSignal::new(0),
            total: RwSignal::new(0),
            all: RwSignal::new(false),
            partial: RwSignal::new(false),
        }
    }

    fn with_state<R: Default>(self, act: impl FnOnce(&mut ListState) -> R) -> R {
        self.state
            .try_with_value(|state| act(&mut state.borrow_mut()))
            .unwrap_or_default()
    }

    /// Applies a change to the messages, and returns the kind of the change. If `at_end` is true,
    /// or the conversation is a different one, the newest blocks are mounted. Otherwise the mounted
    /// blocks stay, or are replaced by the blocks at the same indices if the mounted blocks no
    /// longer exist.
    pub(super) fn apply_changes(self, list: &MessageList, at_end: bool) -> ThreadChange {
        let change = self
            .state
            .try_with_value(|state| {
                let content = self.pinned.content.try_get_untracked().flatten();
                let content = content.as_deref().map(AsRef::as_ref);
                state.borrow_mut().apply_changes(list, at_end, content)
            })
            .unwrap_or(ThreadChange::More);
        self.changes.update(|count| *count = count.wrapping_add(1));
        self.update_signals();
        change
    }

    /// Mounts all blocks, so that the browser can search them.
    pub(super) fn mount_all(self) {
        self.with_state(|state| state.all = true);
        draw_all_rows();
        self.update_signals();
    }

    /// Mounts the blocks near the visible area, and unmounts distant blocks, except during a
    /// selection. Does nothing if all blocks are mounted or rows wait to be rendered. While the
    /// view is at the end of the list, the view is measured only after a change.
    pub(super) fn mount_near_view(
        self,
        scroller: &web_sys::HtmlElement,
        content: &web_sys::Element,
        at_end: bool,
    ) {
        let has_changed = self.with_state(|state| {
            if state.all || (at_end && !state.needs_inspection) {
                return false;
            }
            // While rows wait to be rendered, the inspection is postponed, because blocks do not
            // have their final heights.
            state.needs_inspection = has_waiting_rows();
            if state.needs_inspection {
                return false;
            }
            let view = state.measure_blocks(scroller, content);
            let Some(old_window) = state.window.clone() else {
                return false;
            };
            let mut new_window = old_window.adapt_to_visible_range(&state.thread, view);
            if has_selection_in(content) {
                new_window = MountedWindow(
                    old_window.0.start.min(new_window.0.start)
                        ..old_window.0.end.max(new_window.0.end),
                );
            }
            let has_changed = new_window != old_window;
            state.window = Some(new_window);
            // The view is inspected again, because new blocks may differ from their estimated
            // height.
            state.needs_inspection = has_changed;
            has_changed | state.thread.update_estimate()
        });
        if has_changed {
            self.update_signals();
        }
    }

    /// Mounts the block of a message and the blocks after that block, and unmounts distant blocks.
    /// Returns false if the block is already mounted, or no block contains the message. The caller
    /// scrolls to the message, so the current view is not inspected first.
    pub(super) fn mount_message(self, id: &MessageId) -> bool {
        let is_mounted = self.with_state(|state| {
            let (head, tail) = state.mounted_ranges();
            let Some(block) = state.thread.find_block_containing(id) else {
                return false;
            };
            if head.contains(&block) || tail.contains(&block) {
                return false;
            }
            state.window = Some(MountedWindow::from_block(&state.thread, block));
            state.needs_inspection = false;
            true
        });
        if is_mounted {
            self.update_signals();
        }
        is_mounted
    }

    /// Requests an inspection of the view, because the reader has moved.
    pub(super) fn invalidate_inspection(self) {
        self.with_state(|state| state.needs_inspection = true);
    }

    /// Returns the ids of the last messages of the thread, at most eight, newest first. Returns
    /// `None` if the list is disposed.
    pub(super) fn thread_end(self) -> Option<ThreadEnd> {
        self.with_state(|state| {
            let last_entries = state.thread.entries.iter().rev().take(8);
            Some(ThreadEnd(
                last_entries.map(|entry| entry.id.clone()).collect(),
            ))
        })
    }

    /// Counts the messages after an earlier end of the thread, except the messages of the user. If
    /// the messages of that end no longer exist, counts from the beginning of the thread.
    pub(super) fn count_messages_since(self, end: &ThreadEnd) -> usize {
        self.with_state(|state| {
            let entries = &state.thread.entries;
            let index = |id: &MessageId| entries.iter().rposition(|entry| entry.id == *id);
            let start = end.0.iter().find_map(index).map_or(0, |index| index + 1);
            let newer_entries = entries.get(start..).unwrap_or_default();
            newer_entries
                .iter()
                .filter(|e| e.role != Role::User)
                .count()
        })
    }

    pub(super) fn message_ids_at(self, range: Range<usize>) -> Vec<MessageId> {
        self.with_state(|state| {
            let entries = state.thread.entries.get(range).unwrap_or_default();
            entries.iter().map(|entry| entry.id.clone()).collect()
        })
    }

    /// Moves the focus to the list if the block with the focus is not among the new items.
    fn keep_focus_in_list(self, items: &[ListItem]) {
        let Some(Some(content)) = self.pinned.content.try_get_untracked() else {
            return;
        };
        // Only children of the content are blocks of this list, because a message may contain
        // another window.
        let mut ancestors = std::iter::successors(focused_element(&content), |element| {
            element.parent_element()
        });
        let is_child = |element: &web_sys::Element| {
            let parent = element.parent_element();
            parent.is_some_and(|parent| parent.is_same_node(Some(&content)))
        };
        let block = ancestors.find(is_child);
        let Some(id) = block.and_then(|block| block.get_attribute(BLOCK_ATTRIBUTE)) else {
            return;
        };
        // The keys are compared, because another conversation may have a message with the same id.
        let is_kept = self.items.with_untracked(|old| {
            let has_id =
                |item: &&ListItem| matches!(item, ListItem::Block((_, of), _) if of.as_str() == id);
            let key = old.iter().find(has_id).map(ListItem::key);
            key.is_none_or(|key| items.iter().any(|item| item.key() == key))
        });
        if is_kept {
            return;
        }
        let scroller: Option<web_sys::HtmlElement> = content
            .parent_element()
            .and_then(|scroller| scroller.dyn_into().ok());
        if let Some(scroller) = scroller {
            focus_in_place(&scroller);
        }
    }

    /// Updates the signals from the state. If different blocks are mounted, holds the height of the
    /// list and keeps the focus in the list.
    fn update_signals(self) {
        let new_values = self.state.try_with_value(|state| {
            let mut state = state.borrow_mut();
            let (head, tail) = state.mounted_ranges();
            let (range_above, gap_range) = (0..head.start, head.end..tail.start);
            (
                state.mount_items(),
                state.thread.total_height(range_above.clone()),
                state.thread.total_height(gap_range.clone()),
                state.thread.entries.len(),
                !(range_above.is_empty() && gap_range.is_empty()),
                state.all,
            )
        });
        let Some((items, height_above, gap_height, total, is_partial, shows_all)) = new_values
        else {
            return;
        };
        let has_same_items = self.items.with_untracked(|old| {
            old.len() == items.len() && old.iter().zip(&items).all(|(a, b)| a.key() == b.key())
        });
        if !has_same_items {
            self.keep_focus_in_list(&items);
            self.pinned.pin();
        }
        set_if_changed(self.above, height_above);
        set_if_changed(self.between, gap_height);
        set_if_changed(self.total, total);
        set_if_changed(self.partial, is_partial);
        set_if_changed(self.all, shows_all);
        if !has_same_items {
            self.items.set(items);
        }
    }
}

impl ListState {
    fn apply_changes(
        &mut self,
        list: &MessageList,
        at_end: bool,
        content: Option<&web_sys::Element>,
    ) -> ThreadChange {
        let window = self.window.clone().unwrap_or(MountedWindow(0..0));
        let first_id = self.thread.block_id(window.0.start).cloned();
        let thread_number = self.thread.number;
        let old_len = self.thread.entries.len();
        let reaches_end = window.0.end >= self.thread.tail_start();
        let is_replaced = self.thread.apply_changes(list);
        self.needs_inspection |= is_replaced || self.thread.entries.len() != old_len;
        if !is_replaced {
            if reaches_end {
                // Blocks are otherwise measured only on scrolling, so blocks that fit into the view
                // are measured now. The blocks of a list that is not rendered stay unmeasured and
                // are dropped below, because no other limit applies to these blocks.
                // The height is read last, because reading it may force a layout.
                let must_measure = at_end && window.has_too_many_unmeasured(&self.thread);
                let can_measure = must_measure && !has_waiting_rows() && !is_hidden();
                let content = content.filter(|content| can_measure && content.client_height() > 0);
                if let Some(content) = content {
                    self.measure_heights(content);
                }
                self.window = Some(window.extend_to_end(&self.thread, at_end));
            }
            let new_entries = self.thread.entries.get(old_len..).unwrap_or_default();
            let has_user_message = new_entries.iter().any(|entry| entry.role == Role::User);
            return if has_user_message {
                ThreadChange::UserMessage
            } else {
                ThreadChange::More
            };
        }
        if thread_number != self.thread.number {
            self.mounted.clear();
        }
        let kept_first_id = first_id.filter(|_| thread_number == self.thread.number);
        match kept_first_id.and_then(|id| self.thread.find_block(&id)) {
            Some(start) if !at_end => {
                let end = (start + window.0.len()).min(self.thread.blocks.len());
                self.window = Some(MountedWindow(start..end));
                ThreadChange::More
            }
            Some(_) => {
                self.window = Some(MountedWindow::new_at_end(&self.thread));
                ThreadChange::More
            }
            // The mounted indices stay, so that the reader keeps the position while another branch
            // is loaded from its first message on.
            None if thread_number == self.thread.number && !at_end => {
                let end = self.thread.blocks.len();
                let start = window.0.start.min(end);
                self.window = Some(MountedWindow(start..(start + window.0.len()).min(end)));
                ThreadChange::More
            }
            None => {
                self.all &= thread_number == self.thread.number;
                self.window = Some(MountedWindow::new_at_end(&self.thread));
                ThreadChange::Other
            }
        }
    }

    /// Returns the ranges of the mounted blocks: the blocks of the window, then the blocks of the
    /// tail that are not in the window.
    fn mounted_ranges(&self) -> (Range<usize>, Range<usize>) {
        let end = self.thread.blocks.len();
        let head = match &self.window {
            _ if self.all => 0..end,
            Some(MountedWindow(range)) => range.start.min(end)..range.end.min(end),
            None => end..end,
        };
        let tail = self.thread.tail_start().max(head.end)..end;
        (head, tail)
    }

    fn mount_items(&mut self) -> Vec<ListItem> {
        let mut old_blocks = std::mem::take(&mut self.mounted);
        let (head, tail) = self.mounted_ranges();
        let gap = (head.end < tail.start).then_some(ListItem::Gap);
        let mut items: Vec<ListItem> = head
            .filter_map(|block| self.mount_block(block, &mut old_blocks))
            .collect();
        items.extend(gap);
        for block in tail {
            items.extend(self.mount_block(block, &mut old_blocks));
        }
        items
    }

    fn mount_block(&mut self, index: usize, old_blocks: &mut MountedBlocks) -> Option<ListItem> {
        let (id, turn) = self.turn_block(index)?;
        let signal = match old_blocks.remove(&id) {
            Some((_, signal)) => {
                if signal.with_untracked(|old| *old != turn) {
                    signal.set(turn);
                }
                signal
            }
            None => ArcRwSignal::new(turn),
        };
        self.mounted.insert(id.clone(), (index, signal.clone()));
        Some(ListItem::Block((self.thread.number, id), signal))
    }

    fn turn_block(&self, index: usize) -> Option<(MessageId, TurnBlock)> {
        let thread = &self.thread;
        let block = thread.blocks.get(index)?;
        let mut end = index + 1;
        while thread
            .blocks
            .get(end)
            .is_some_and(|next| next.turn == block.turn)
        {
            end += 1;
        }
        let last = thread.blocks.get(end - 1)?;
        let turn = TurnBlock {
            entries: thread.entries.get(block.places.clone())?.to_vec(),
            start: block.places.start,
            before: block
                .places
                .start
                .checked_sub(1)
                .and_then(|previous| Some(thread.entries.get(previous)?.created_at)),
            whole: block.turn..last.places.end,
            newest: end == thread.blocks.len(),
        };
        Some((turn.entries.first()?.id.clone(), turn))
    }

    /// Stores the heights of the mounted blocks, and returns the visible range.
    fn measure_blocks(
        &mut self,
        scroller: &web_sys::HtmlElement,
        content: &web_sys::Element,
    ) -> VisibleRange {
        let origin = self.measure_heights(content);
        let view_rect = scroller.get_bounding_client_rect();
        VisibleRange {
            top: view_rect.top() - origin,
            bottom: view_rect.bottom() - origin,
        }
    }

    /// Stores the heights of the mounted blocks, and returns the top position of the first block of
    /// the thread.
    fn measure_heights(&mut self, content: &web_sys::Element) -> f64 {
        let children = content.children();
        let mut origin = 0.0;
        for index in 0..children.length() {
            let Some(child) = children.item(index) else {
                continue;
            };
            let rect = child.get_bounding_client_rect();
            if child.get_attribute("data-room").as_deref() == Some("above") {
                origin = rect.top();
            }
            let Some(id) = child.get_attribute(BLOCK_ATTRIBUTE) else {
                continue;
            };
            if let Some((block, _)) = self.mounted.get(&MessageId::from(id)) {
                self.thread.set_height(*block, rect.height());
            }
        }
        origin
    }
}

/// Returns true if a selection that is not empty starts in an element. Mounted blocks are not
/// unmounted during a selection.
fn has_selection_in(content: &web_sys::Element) -> bool {
    let root = content.get_root_node();
    // The selection is read from the root first, because Chromium hides a selection inside of a
    // shadow root from the document. In other browsers the call throws for a shadow root.
    let selection = root.unchecked_ref::<web_sys::Document>().get_selection();
    let selection = selection.or_else(|_| window().get_selection());
    selection.ok().flatten().is_some_and(|selection| {
        !selection.is_collapsed()
            && selection
                .anchor_node()
                .is_some_and(|node| content.contains(Some(node.unchecked_ref())))
    })
}

fn set_if_changed<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|old| *old != value) {
        signal.set(value);
    }
}
