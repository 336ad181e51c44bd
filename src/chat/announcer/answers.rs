//! Announces new answers; messages that already existed are not announced.

use std::{cell::RefCell, collections::HashMap};

use assistant_core::{conversation::MessageId, event::Role, text::confusable::skeleton};
use leptos::prelude::*;

use super::{Speech, plain::BlockReader, voice::ActivityAnnouncer};
use crate::{
    assistant::Assistant,
    render::PartKind,
    ui::{Words, effect, floor_char_boundary},
    view::{MessageCell, MessageList},
};

/// The maximum number of characters of an answer that are announced.
const MAX_SPOKEN: usize = 6_000;

/// The number of bytes of a text that are converted for announcements; the rest is not announced.
const MAX_READ: usize = 128 << 10;

/// The progress of announcing an answer.
#[derive(Default)]
struct AnswerProgress {
    /// The readers of texts, by part index.
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
        let who = untrack(|| match self.attributed {
            true => self.words.word(|l| &l.attributed),
            false => self.words.word(|l| &l.assistant),
        });
        format!("{who}: {block}")
    }

    /// Returns true if a block begins like an announcement that asks for a decision, even if
    /// look-alike characters replace some letters.
    fn has_request_prefix(&self, block: &str) -> bool {
        let labels = self.words.now();
        let beginning = skeleton(block);
        let request_labels = [
            &labels.approval_asked,
            &labels.question_asked,
            &labels.agent_call_question,
        ];
        let heads = request_labels.map(|word| skeleton(word.split('{').next().unwrap_or_default()));
        heads
            .iter()
            .any(|head| !head.is_empty() && beginning.starts_with(head.as_str()))
    }
}

/// Announces new answers of an assistant at the time that `speech` selects.
pub(super) fn announce_answers(
    assistant: &Assistant,
    voice: ActivityAnnouncer,
    speech: Signal<Speech>,
) {
    let (thread, tip) = voice.baseline();
    let announced = StoredValue::new_local(RefCell::new(AnnouncementState {
        thread,
        tip,
        answers: HashMap::new(),
    }));
    let (messages, words) = (assistant.messages(), Words::current());
    let of = assistant.clone();
    effect(move |_| {
        let is_attributed = |id: &MessageId| {
            of.message(id)
                .is_some_and(|cell| cell.attributed.get_untracked())
        };
        let fresh = messages.with(|list| {
            announced.with_value(|announced| {
                announced
                    .borrow_mut()
                    .update_pending_answers(list, is_attributed)
            })
        });
        let speech = speech.get();
        for id in fresh {
            let Some(cell) = of.message(&id) else {
                continue;
            };
            let complete = !cell.streaming.get();
            if speech == Speech::AsItComes || complete {
                let texts = text_parts(&of, &cell);
                let words = words.clone();
                announced.with_value(|announced| {
                    let mut announced = announced.borrow_mut();
                    let followed = announced.answers.entry(id).or_default();
                    let attributed = cell.attributed.get_untracked();
                    followed.announce(
                        &texts,
                        complete,
                        speech,
                        voice,
                        &Speaker { words, attributed },
                    );
                });
            }
        }
    });
}

/// Returns the index and the text of each text part of a message, with true if more text is
/// expected. The text is cut at [`MAX_READ`] bytes. Tracked when called in a reactive closure.
fn text_parts(assistant: &Assistant, cell: &MessageCell) -> Vec<(usize, String, bool)> {
    let parts = cell.parts.get();
    let texts = parts.iter().filter(|part| part.kind == PartKind::Text);
    let texts = texts.filter_map(|part| {
        let mark = part.mark.get();
        let text = assistant.with_conversation(|conversation| {
            let message = conversation.message(&cell.id)?;
            let text = message.parts().get(part.index)?.as_text()?;
            text.get(..floor_char_boundary(text, MAX_READ))
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
        let other = self.thread != list.thread();
        self.thread = list.thread();
        let old = std::mem::replace(&mut self.tip, tip);
        if other {
            self.answers.clear();
        }
        if other && !list.is_empty() {
            return Vec::new();
        }
        let from = match old.filter(|_| !other) {
            None => 0,
            Some(old) => match list.iter().rposition(|entry| entry.id == old) {
                Some(place) => place + 1,
                // Another branch: its messages existed before.
                None => list.len(),
            },
        };
        for entry in list.iter().skip(from) {
            if entry.role == Role::User || is_attributed(&entry.id) {
                // Earlier answers are done: a list may bring a whole history.
                self.answers.values_mut().for_each(|one| one.done = true);
            }
            if entry.role == Role::Assistant {
                self.answers.entry(entry.id.clone()).or_default();
            }
        }
        // Inserts the answers in the order of the list. There are few of them, and the sort of the
        // standard library would add three kilobytes to the module.
        let mut open: Vec<(Option<usize>, MessageId)> = Vec::new();
        for (id, _) in self.answers.iter().filter(|(_, one)| !one.done) {
            let place = list.iter().rposition(|entry| entry.id == *id);
            let at = open.partition_point(|(before, _)| *before <= place);
            open.insert(at, (place, id.clone()));
        }
        open.into_iter().map(|(_, id)| id).collect()
    }
}

impl AnswerProgress {
    fn announce(
        &mut self,
        texts: &[(usize, String, bool)],
        complete: bool,
        speech: Speech,
        voice: ActivityAnnouncer,
        speaker: &Speaker,
    ) {
        let words = &speaker.words;
        if self.done {
            return;
        }
        self.done = complete;
        if speech == Speech::Off {
            let some = texts.iter().any(|(_, text, _)| !text.trim().is_empty());
            if complete && some {
                voice.announce_status(untrack(|| words.word(|l| &l.answer_finished)));
            }
            return;
        }
        let mut first = true;
        for (place, text, open) in texts {
            let reader = self.texts.entry(*place).or_default();
            for block in reader.read(text, *open && !complete, &words.now()) {
                if self.announced_chars > MAX_SPOKEN {
                    break;
                }
                self.announced_chars += block.chars().count();
                if self.announced_chars > MAX_SPOKEN {
                    voice.announce_answer(untrack(|| words.word(|l| &l.speech_continues)));
                    break;
                }
                let named = std::mem::take(&mut first) || speaker.has_request_prefix(&block);
                voice.announce_answer(match named {
                    true => speaker.prefix_author(&block),
                    false => block,
                });
            }
            let is_cut = text.len() + char::MAX.len_utf8() > MAX_READ;
            if complete && is_cut && self.announced_chars <= MAX_SPOKEN {
                self.announced_chars = MAX_SPOKEN + 1;
                voice.announce_answer(untrack(|| words.word(|l| &l.speech_continues)));
            }
        }
    }
}
