//! Applies the events of text and reasoning messages: start, content and end.

use super::{ApplyContext, Change, Conversation};
use crate::{
    conversation::{Author, Cut, Message, Part, Span, TextPart, model::TreeMessage},
    event::{Base, Diagnostic, Role},
};

impl Conversation {
    pub(super) fn start_text(
        &mut self,
        id: &str,
        role: Role,
        name: Option<String>,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        let ix = match self.find_text_message(id) {
            Some(ix) if self.role_of(ix) == Some(Role::Activity) => {
                return out.warn(
                    "text-into-activity",
                    format!("'{id}' is an activity: its text is ignored"),
                );
            }
            Some(ix) if self.is_written_by_user(ix) => return out.warn_about_user_message(id),
            // No text part is added to an existing message before the first delta, because the
            // message may contain only calls.
            Some(ix) => self.unshare(ix),
            None => {
                if self.is_used_id(id) {
                    out.warn(
                        "id-taken",
                        format!("'{id}' is the result of a call: its text is another message"),
                    );
                }
                let ix = self.add_message(id, role, name, &base, out);
                self.ensure_open_text(ix, out.now);
                ix
            }
        };
        self.merge_message_metadata(ix, base);
    }

    pub(super) fn apply_text_delta(
        &mut self,
        id: &str,
        delta: &str,
        base: Base,
        out: &mut ApplyContext<'_>,
    ) {
        let mut message_ix = self.find_text_message(id);
        if message_ix.is_none() && self.is_used_id(id) {
            // The text is started again, because a snapshot has replaced the message with a result.
            self.start_text(id, Role::Assistant, None, Base::default(), out);
            message_ix = self.find_text_message(id);
        }
        let Some(ix) = message_ix else {
            return out.warn(
                "unknown-message",
                format!("text for unknown message '{id}'"),
            );
        };
        if self.role_of(ix) == Some(Role::Activity) {
            return;
        }
        if self.is_written_by_user(ix) {
            return out.warn_about_user_message(id);
        }
        let ix = self.unshare(ix);
        #[cfg(feature = "callouts")]
        if self.should_read_callouts(ix) {
            self.read_callouts(ix, delta, out);
            return self.merge_message_metadata(ix, base);
        }
        self.append_text(ix, delta, out.now);
        self.merge_message_metadata(ix, base);
    }

    pub(super) fn append_text(&mut self, ix: usize, text: &str, now: i64) {
        self.ensure_open_text(ix, now);
        self.set_agent_author(ix);
        if let Some(Part::Text(part) | Part::Reasoning(part)) = self
            .node_mut(ix)
            .and_then(|node| node.message.parts.last_mut())
        {
            part.text.push_str(text);
        }
        self.report_part_growth(ix);
    }

    /// Makes the agent the author of an imported user message, because the agent adds text to the
    /// message.
    fn set_agent_author(&mut self, ix: usize) {
        if self
            .node(ix)
            .is_some_and(|node| node.message.is_from_user())
        {
            self.edit_message(ix, |message| message.author = Author::Agent);
        }
    }

    pub(super) fn end_text(&mut self, id: &str, base: Base, out: &mut ApplyContext<'_>) {
        let message_ix = self.find_text_message(id);
        let Some(ix) = message_ix.filter(|ix| self.role_of(*ix) != Some(Role::Activity)) else {
            if message_ix.is_none() && self.is_used_id(id) {
                out.warn(
                    "id-taken",
                    format!("the text '{id}' ended, but it is the result of a call by now"),
                );
            }
            return;
        };
        let is_open = |node: &TreeMessage| node.message.is_streaming();
        let ix = match self.node(ix).is_some_and(is_open) {
            true => self.unshare(ix),
            false => ix,
        };
        out.diagnostics.extend(self.finish_texts(ix, out.now));
        self.end_resumed_span(ix, out.now);
        self.merge_message_metadata(ix, base);
    }

    /// Ends the reasoning that was open when the page was reloaded, for an end event that arrives
    /// after the reload.
    fn end_resumed_span(&mut self, ix: usize, now: i64) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        if let Some(Part::Reasoning(part)) = node.message.parts.last_mut()
            && let Some(span) = part.span.as_mut().filter(|span| span.ended_at.is_none())
        {
            span.ended_at = Some(now);
            self.report_part_growth(ix);
        }
    }

    /// Closes the open texts of the messages after the user's last message, at the end of a run. If
    /// the texts are incomplete, `cut` is the reason, with which their messages are marked.
    pub(crate) fn close_open_texts(&mut self, cut: Option<Cut>, out: &mut ApplyContext<'_>) {
        self.tree.close_gaps();
        for depth in (0..self.tree.path().len()).rev() {
            let ix = self.tree.path().get(depth).copied();
            let Some((ix, node)) = ix.and_then(|ix| Some((ix, self.node(ix)?))) else {
                return;
            };
            if node.message.is_from_user() {
                return;
            }
            if cut.is_some() && node.message.is_streaming() {
                self.edit_message(ix, |message| message.cut = cut);
            }
            out.diagnostics.extend(self.finish_texts(ix, out.now));
        }
    }

    /// Closes the texts of a message. Returns the diagnostics of callouts that could not be parsed.
    fn finish_texts(&mut self, ix: usize, now: i64) -> Vec<Diagnostic> {
        #[cfg(feature = "callouts")]
        let diagnostics = {
            let mut diagnostics = Vec::new();
            let context = &mut ApplyContext {
                now,
                diagnostics: &mut diagnostics,
            };
            self.pause_callouts(ix, context);
            diagnostics
        };
        #[cfg(not(feature = "callouts"))]
        let diagnostics = Vec::new();
        self.close_texts(ix, now);
        diagnostics
    }

    /// Marks the newest turn as failed. The mark is set on the newest message of the turn that is
    /// not empty, which may be the user's message. A turn that already has a mark is not changed.
    pub(crate) fn mark_failed_turn(&mut self, cut: Cut) {
        self.tree.close_gaps();
        let mut newest_ix = None;
        for depth in (0..self.tree.path().len()).rev() {
            let ix = self.tree.path().get(depth).copied();
            let Some((ix, node)) = ix.and_then(|ix| Some((ix, self.node(ix)?))) else {
                return;
            };
            let message = &node.message;
            if message.cut.is_some() {
                return;
            }
            if newest_ix.is_none() && !message.is_empty() {
                newest_ix = Some(ix);
            }
            if message.is_from_user() {
                break;
            }
        }
        if let Some(ix) = newest_ix {
            self.edit_message(ix, |message| message.cut = Some(cut));
        }
    }

    /// Removes the mark of a failed turn from the newest message, because its run is started again.
    /// An answer that ends with a text keeps the mark.
    pub(crate) fn unmark_failed_turn(&mut self) {
        let newest = self.tree.path().last().copied();
        let marked_ix = newest.filter(|ix| {
            self.node(*ix).is_some_and(|node| {
                let is_failure = matches!(node.message.cut, Some(Cut::Failed | Cut::BrokenOff));
                let ends_in_text = matches!(node.message.parts.last(), Some(Part::Text(_)));
                is_failure && (node.message.is_from_user() || !ends_in_text)
            })
        });
        if let Some(ix) = marked_ix {
            self.edit_message(ix, |message| message.cut = None);
        }
    }

    pub(super) fn close_texts(&mut self, ix: usize, now: i64) {
        let Some(node) = self.tree.item_mut(ix) else {
            return;
        };
        let id = node.message.id.clone();
        for (place, part) in node.message.parts.iter_mut().enumerate() {
            if let Part::Text(part) | Part::Reasoning(part) = part
                && std::mem::take(&mut part.open)
            {
                if let Some(span) = &mut part.span {
                    span.ended_at = Some(now);
                }
                self.log.push(Change::PartGrew {
                    message: id.clone(),
                    part: place,
                });
            }
        }
    }

    /// Ensures that the last part of a message is an open text, and adds a part if the last part is
    /// of a different kind. If the message was marked as cut off, the mark is removed, because the
    /// message continues.
    fn ensure_open_text(&mut self, ix: usize, now: i64) {
        let Some(node) = self.node_mut(ix) else {
            return;
        };
        let was_cut = node.message.cut.take().is_some();
        let is_reasoning = node.message.role == Role::Reasoning;
        let mut has_changed = was_cut;
        match node.message.parts.last_mut() {
            Some(Part::Text(part)) if !is_reasoning => {
                has_changed |= !std::mem::replace(&mut part.open, true);
            }
            Some(Part::Reasoning(part)) if is_reasoning => {
                has_changed |= !std::mem::replace(&mut part.open, true);
            }
            _ => {
                let part = TextPart {
                    open: true,
                    span: is_reasoning.then_some(Span {
                        started_at: now,
                        ended_at: None,
                    }),
                    ..TextPart::default()
                };
                let part = if is_reasoning {
                    Part::Reasoning(part)
                } else {
                    Part::Text(part)
                };
                self.close_texts(ix, now);
                self.push_part(ix, part);
            }
        }
        if has_changed && let Some(id) = self.tree.id_at(ix).cloned() {
            self.log.push(Change::Message(id));
        }
    }

    /// Returns the size of the text and reasoning of a message in bytes, or `None` if the message
    /// is unknown.
    pub(crate) fn text_size(&self, id: &str) -> Option<usize> {
        let node = self.node(self.find_text_message(id)?)?;
        let texts = node.message.parts.iter().filter_map(|part| match part {
            Part::Text(part) | Part::Reasoning(part) => Some(part.text.len()),
            _ => None,
        });
        Some(texts.sum())
    }

    /// Returns the node of the message that a text with this id belongs to. A tool message with the
    /// same id is ignored, because a tool message is complete when it arrives. A server that gives
    /// a tool message and an answer the same id refers to two messages.
    fn find_text_message(&self, id: &str) -> Option<usize> {
        // The newest message is checked first, because the text usually belongs to it and a
        // comparison is cheaper than a lookup.
        let newest = self.tree.tip();
        let is_match = |ix: &usize| {
            self.node(*ix)
                .is_some_and(|node| node.message.role != Role::Tool && node.message.wire_id() == id)
        };
        if let Some(ix) = newest.filter(is_match) {
            return Some(ix);
        }
        let mut candidates = self.wire_ids.get(id)?.iter().copied();
        candidates.find(|ix| self.tree.is_on_path(*ix) && self.role_of(*ix) != Some(Role::Tool))
    }

    /// Returns true if the user wrote the message on this page. The agent must not add text to such
    /// a message.
    pub(super) fn is_written_by_user(&self, ix: usize) -> bool {
        self.node(ix)
            .is_some_and(|node| node.message.author == Author::Page)
    }

    /// Returns true if a message or the result of a call has this id.
    fn is_used_id(&self, id: &str) -> bool {
        self.find_message(id).is_some() || self.find_call_by_result(id).is_some()
    }

    pub(super) fn role_of(&self, ix: usize) -> Option<Role> {
        self.node(ix).map(|node| node.message.role)
    }

    pub(super) fn add_message(
        &mut self,
        id: &str,
        role: Role,
        name: Option<String>,
        base: &Base,
        out: &ApplyContext<'_>,
    ) -> usize {
        let mut message = Message::new(id, role, out.now);
        message.name = name;
        message.subagent_run_id.clone_from(&base.subagent_run_id);
        self.append(message)
    }
}
