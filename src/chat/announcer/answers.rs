//! Announces new answers; messages that already existed are not announced.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::{
    conversation::{Message, MessageId},
    event::Role,
    text::confusable::skeleton,
};
use leptos::prelude::*;

use super::{Speech, activity_announcer::ActivityAnnouncer, plain_text::BlockReader};
use crate::{
    assistant::Assistant,
    render::PartKind,
    ui::{LabelName, Words, effect, floor_char_boundary},
    view::{MessageCell, MessageEntry, MessageList},
};

/// The maximum number of characters of an answer that are announced.
const MAX_ANNOUNCED_CHARS: usize = 6_000;

/// The maximum number of bytes of a text that are converted for announcements; the rest is not
/// announced.
const MAX_CONVERTED_BYTES: usize = 128 << 10;

/// The progress of announcing an answer.
#[derive(Default)]
struct AnswerProgress {
    /// The readers of the text parts, by part index.
    texts: HashMap<usize, BlockReader>,
    /// The length announced so far, in characters.
    announced_chars: usize,
    done: bool,
}

/// The announcement state of a conversation.
struct AnnouncementState {
    thread: u64,
    /// The id of the newest message that was examined.
    tip: Option<MessageId>,
    answers: HashMap<MessageId, AnswerProgress>,
}

/// The author of an announced answer.
struct Speaker {
    words: Words,
    /// True if the agent added the message as if the user had written it.
    attributed: bool,
}

impl Speaker {
    /// Returns a block with the name of its author in front, so that the block is not mistaken for
    /// text of the page.
    fn prefix_author(&self, block: &str) -> String {
        let author = untrack(|| match self.attributed {
            true => self.words.word(LabelName::Attributed),
            false => self.words.word(LabelName::Assistant),
        });
        format!("{author}: {block}")
    }

    /// Returns true if a block begins like an announcement that asks for a decision, even if
    /// look-alike characters replace some letters.
    fn has_request_prefix(&self, block: &str) -> bool {
        let labels = self.words.now();
        let beginning = skeleton(block);
        let request_labels = [
            labels.text(LabelName::ApprovalAsked),
            labels.text(LabelName::QuestionAsked),
            labels.text(LabelName::AgentCallQuestion),
        ];
        let prefixes =
            request_labels.map(|label| skeleton(label.split('{').next().unwrap_or_default()));
        prefixes
            .iter()
            .any(|prefix| !prefix.is_empty() && beginning.starts_with(prefix.as_str()))
    }
}

/// Announces new answers of an assistant at the time that `speech` selects.
pub(super) fn announce_answers(
    assistant: &Assistant,
    announcer: ActivityAnnouncer,
    speech: Signal<Speech>,
) {
    let (thread, tip) = announcer.baseline();
    let state = StoredValue::new_local(RefCell::new(AnnouncementState {
        thread,
        tip,
        answers: HashMap::new(),
    }));
    let (messages, words) = (assistant.messages(), Words::current());
    let answer_assistant = assistant.clone();
    effect(move |_| {
        let is_attributed = |id: &MessageId| {
            let is_attributed = answer_assistant.with_conversation(|conversation| {
                let message = conversation.message(id);
                message.is_some_and(Message::is_attributed_to_user)
            });
            is_attributed.unwrap_or_default()
        };
        let pending_ids = messages.with(|list| {
            state.with_value(|state| {
                state
                    .borrow_mut()
                    .update_pending_answers(list, is_attributed)
            })
        });
        let speech = speech.get();
        for id in pending_ids {
            let Some(cell) = answer_assistant.message(&id) else {
                continue;
            };
            let is_complete = !cell.streaming.get();
            if speech == Speech::AsItComes || is_complete {
                let texts = text_parts(&answer_assistant, &cell);
                let words = words.clone();
                state.with_value(|state| {
                    let mut state = state.borrow_mut();
                    let progress = state.answers.entry(id).or_default();
                    let is_attributed = cell.attributed.get_untracked();
                    progress.announce(
                        &texts,
                        is_complete,
                        speech,
                        announcer,
                        &Speaker {
                            words,
                            attributed: is_attributed,
                        },
                    );
                });
            }
        }
    });
}

/// Returns the index and the text of each text part of a message, and true if more text of the part
/// is expected. The text is cut at [`MAX_CONVERTED_BYTES`]. In a reactive closure, the texts are
/// tracked.
fn text_parts(assistant: &Assistant, cell: &MessageCell) -> Vec<(usize, String, bool)> {
    let parts = cell.parts.get();
    let texts = parts.iter().filter(|part| part.kind == PartKind::Text);
    let texts = texts.filter_map(|part| {
        let mark = part.mark.get();
        let text = assistant.with_conversation(|conversation| {
            let message = conversation.message(&cell.id)?;
            let text = message.parts().get(part.index)?.as_text()?;
            text.get(..floor_char_boundary(text, MAX_CONVERTED_BYTES))
                .map(str::to_owned)
        });
        Some((part.index, text.flatten()?, mark.open))
    });
    texts.collect()
}

impl AnnouncementState {
    /// Records the messages of a list, and returns the ids of the answers that are not yet
    /// announced in full, in order. A later message of the user ends an answer. The messages of
    /// another conversation or branch are not announced.
    fn update_pending_answers(
        &mut self,
        list: &MessageList,
        is_attributed: impl Fn(&MessageId) -> bool,
    ) -> Vec<MessageId> {
        let tip = list.last().map(|entry| entry.id.clone());
        let is_other_thread = self.thread != list.thread();
        self.thread = list.thread();
        let old_tip = std::mem::replace(&mut self.tip, tip);
        if is_other_thread {
            self.answers.clear();
        }
        if is_other_thread && !list.is_empty() {
            return Vec::new();
        }
        let start = match old_tip.filter(|_| !is_other_thread) {
            None => 0,
            Some(old_tip) => match list.iter().rposition(|entry| entry.id == old_tip) {
                Some(index) => index + 1,
                // All messages of the list are skipped, because the messages of a different branch
                // already existed.
                None => list.len(),
            },
        };
        let new_entries = list.get(start..).unwrap_or_default();
        let ends_answers =
            |entry: &MessageEntry| entry.role == Role::User || is_attributed(&entry.id);
        // A message of the user ends all earlier answers, so these are not announced.
        let last_end = new_entries.iter().rposition(ends_answers);
        if last_end.is_some() {
            self.answers.values_mut().for_each(|one| one.done = true);
        }
        for (index, entry) in new_entries.iter().enumerate() {
            if entry.role == Role::Assistant {
                let answer = self.answers.entry(entry.id.clone()).or_default();
                answer.done |= last_end.is_some_and(|last_end| index < last_end);
            }
        }
        // Inserts the few answers in the order of the list. The sort of the standard library would
        // add three kilobytes to the module.
        let mut open_answers: Vec<(Option<usize>, MessageId)> = Vec::new();
        for (id, _) in self.answers.iter().filter(|(_, one)| !one.done) {
            let index = list.iter().rposition(|entry| entry.id == *id);
            let position = open_answers.partition_point(|(before, _)| *before <= index);
            open_answers.insert(position, (index, id.clone()));
        }
        open_answers.into_iter().map(|(_, id)| id).collect()
    }
}

impl AnswerProgress {
    fn announce(
        &mut self,
        texts: &[(usize, String, bool)],
        complete: bool,
        speech: Speech,
        announcer: ActivityAnnouncer,
        speaker: &Speaker,
    ) {
        let words = &speaker.words;
        if self.done {
            return;
        }
        self.done = complete;
        if speech == Speech::Off {
            let has_text = texts.iter().any(|(_, text, _)| !text.trim().is_empty());
            if complete && has_text {
                announcer.announce_status(untrack(|| words.word(LabelName::AnswerFinished)));
            }
            return;
        }
        let mut is_first = true;
        for (index, text, open) in texts {
            let reader = self.texts.entry(*index).or_default();
            for block in reader.read(text, *open && !complete, &words.now()) {
                if self.announced_chars > MAX_ANNOUNCED_CHARS {
                    break;
                }
                self.announced_chars += block.chars().count();
                if self.announced_chars > MAX_ANNOUNCED_CHARS {
                    announcer.announce_answer(untrack(|| words.word(LabelName::SpeechContinues)));
                    break;
                }
                let needs_author =
                    std::mem::take(&mut is_first) || speaker.has_request_prefix(&block);
                announcer.announce_answer(match needs_author {
                    true => speaker.prefix_author(&block),
                    false => block,
                });
            }
            let is_cut = text.len() + char::MAX.len_utf8() > MAX_CONVERTED_BYTES;
            if complete && is_cut && self.announced_chars <= MAX_ANNOUNCED_CHARS {
                self.announced_chars = MAX_ANNOUNCED_CHARS + 1;
                announcer.announce_answer(untrack(|| words.word(LabelName::SpeechContinues)));
            }
        }
    }
}
