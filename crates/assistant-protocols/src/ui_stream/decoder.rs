//! Decodes chunks into events, and determines the end of the run.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{
    answer::ReceivedAnswer,
    block::{OpenTextBlock, PartialInput},
    chunk::{
        drop_chunk, message_extension, replace_chunk_marks, send_extension, send_metadata,
        take_opt_text,
    },
};
use crate::stream::{End, Sink};
use assistant_core::{
    event::{EventKind, Extension, Object, Outcome, RunInput, TokenUsage, fault::quote},
    json::{merge::merge_object, surrogates},
};

/// The maximum number of times that an answer's id may change. The number is limited because each
/// change takes time proportional to the number of the answer's steps.
const MAX_RENAMES: u32 = 16;

/// The parameters with which the decoder for a response is created.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ResponseParams {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    pub(crate) message_id: String,
    pub(crate) history: Option<Value>,
    pub(crate) replays: bool,
    pub(crate) separates: bool,
}

impl ResponseParams {
    /// Returns the parameters of the response to a run's input.
    #[must_use]
    pub fn of(input: &RunInput) -> Self {
        let answer_id = input.answer_id().map(str::to_owned);
        Self {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            message_id: answer_id.unwrap_or_else(|| input.run_id.clone()),
            history: input.history.as_deref().cloned(),
            replays: false,
            separates: false,
        }
    }

    /// Returns the parameters of a response that resumes an interrupted answer.
    #[must_use]
    pub fn resumed(input: &RunInput) -> Self {
        Self {
            replays: true,
            separates: true,
            ..Self::of(input)
        }
    }

    /// Returns the conversation's id.
    #[must_use]
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns the run's id.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the id that the answer has until the server sends an id.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Sets [`Self::message_id`].
    #[must_use]
    pub fn with_message_id(mut self, message_id: impl Into<String>) -> Self {
        self.message_id = message_id.into();
        self
    }

    /// Returns the history in the form that [`ui_history`](super::ui_history) returns. It contains
    /// the answer that the response continues, if there is one, and the ids that are in use.
    #[must_use]
    pub const fn history(&self) -> Option<&Value> {
        self.history.as_ref()
    }

    /// Sets [`Self::history`].
    #[must_use]
    pub fn with_history(mut self, history: Value) -> Self {
        self.history = Some(history);
        self
    }

    /// Returns true if the response repeats the answer from the beginning, as a resumed stream
    /// does.
    #[must_use]
    pub const fn replays(&self) -> bool {
        self.replays
    }

    /// Sets [`Self::replays`].
    #[must_use]
    pub const fn with_replays(mut self, replays: bool) -> Self {
        self.replays = replays;
        self
    }

    /// Returns true if a chunk with a different id begins a new answer, as in a resumed stream. If
    /// false, such a chunk renames the current answer.
    #[must_use]
    pub const fn separates(&self) -> bool {
        self.separates
    }

    /// Sets [`Self::separates`].
    #[must_use]
    pub const fn with_separates(mut self, separates: bool) -> Self {
        self.separates = separates;
        self
    }
}

/// A decoder for the chunks of one response.
#[derive(Debug, Clone)]
pub struct Decoder {
    thread_id: String,
    run_id: String,
    replays: bool,
    separates: bool,
    pub(super) answer: ReceivedAnswer,
    pub(super) blocks: HashMap<(bool, String), OpenTextBlock>,
    pub(super) last_block: u64,
    pub(super) partial: HashMap<String, PartialInput>,
    /// The number of bytes of tool calls that were sent again because a new step began.
    pub(super) repeated_bytes: usize,
    stage: UiStreamStage,
    finished: bool,
    finish_reason: Option<String>,
    error: Option<String>,
    aborted: bool,
    renames: u32,
    /// The token usage that the server has reported in this response, if it has reported any.
    pub(super) usage: Option<Value>,
    /// True if the current frame contains lone surrogates. In the frame's deltas, marks replace
    /// them.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UiStreamStage {
    Before,
    Running,
    Over,
}

impl Decoder {
    /// Creates a decoder at the start of a response.
    #[must_use]
    pub fn new(start: ResponseParams) -> Self {
        let mut decoder = Self {
            answer: ReceivedAnswer::new(start.message_id, start.history.as_ref()),
            thread_id: start.thread_id,
            run_id: start.run_id,
            replays: start.replays,
            separates: start.separates,
            blocks: HashMap::new(),
            last_block: 0,
            partial: HashMap::new(),
            repeated_bytes: 0,
            stage: UiStreamStage::Before,
            finished: false,
            finish_reason: None,
            error: None,
            aborted: false,
            renames: 0,
            usage: None,
            is_cut: false,
        };
        if let Some(history) = &start.history {
            decoder.restore_partial_inputs(history);
        }
        decoder
    }

    /// Returns the id of the answer, which is the server's id as soon as the server has sent one.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.answer.id
    }

    /// Reads the data of one frame. `[DONE]` ends the run. Invalid chunks are dropped with a
    /// diagnostic.
    pub fn push_frame(&mut self, data: &str, sink: &mut dyn Sink) {
        if data.trim() == "[DONE]" {
            self.finished |= self.stage == UiStreamStage::Running;
            return self.end_reported_run(sink);
        }
        self.is_cut = false;
        let result = serde_json::from_str(data).or_else(|error| {
            let marked_data =
                surrogates::replace_lone_surrogates(data, surrogates::mark).ok_or(error)?;
            self.is_cut = true;
            serde_json::from_str(&marked_data).map(replace_chunk_marks)
        });
        match result {
            Ok(chunk) => self.push_chunk(chunk, sink),
            Err(error) => drop_chunk(sink, format!("Dropped a frame that is not JSON ({error}).")),
        }
    }

    /// Reads one chunk. An invalid chunk is dropped with a diagnostic.
    pub fn push_chunk(&mut self, chunk: Value, sink: &mut dyn Sink) {
        let Value::Object(mut chunk) = chunk else {
            return drop_chunk(sink, "Dropped a frame that is no object.");
        };
        let Some(Value::String(kind)) = chunk.shift_remove("type") else {
            return drop_chunk(sink, "Dropped a chunk without a type.");
        };
        if self.stage == UiStreamStage::Over {
            let message = format!("Dropped '{}' after the end of the stream.", quote(&kind));
            return drop_chunk(sink, message);
        }
        self.begin_run(sink);
        if let Err(reason) = self.read_chunk(&kind, chunk, sink) {
            let kind = quote(&kind);
            drop_chunk(sink, format!("Dropped '{kind}': {reason}."));
        }
    }

    fn begin_run(&mut self, sink: &mut dyn Sink) {
        if self.stage != UiStreamStage::Before {
            return;
        }
        self.stage = UiStreamStage::Running;
        sink.event(EventKind::run_started(&self.thread_id, &self.run_id).into());
    }

    fn read_chunk(
        &mut self,
        kind: &str,
        mut chunk: Object,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        match kind {
            "start" => self.start_answer(chunk, sink),
            "finish" => {
                self.finished = true;
                if let Some(reason) = take_opt_text(&mut chunk, "finishReason") {
                    self.finish_reason = Some(reason);
                }
                self.merge_metadata(chunk, sink);
            }
            "message-metadata" => self.merge_metadata(chunk, sink),
            "start-step" => {
                self.answer.step += 1;
                self.begin_message(true, sink);
            }
            "finish-step" => {}
            "reset-step" => self.reset_step(sink),
            "abort" => self.aborted = true,
            "error" => {
                let text = take_opt_text(&mut chunk, "errorText");
                let text = text.unwrap_or_else(|| "The assistant reported an error.".to_owned());
                self.error.get_or_insert(text);
            }
            _ if kind.starts_with("text-") || kind.starts_with("reasoning-") => {
                return self.read_block(kind, chunk, sink);
            }
            _ if kind.starts_with("tool-") => return self.read_tool(kind, chunk, sink),
            _ => return self.read_part(kind, chunk, sink),
        }
        Ok(())
    }

    fn start_answer(&mut self, mut chunk: Object, sink: &mut dyn Sink) {
        let id = take_opt_text(&mut chunk, "messageId").filter(|id| *id != self.answer.id);
        let is_restart = std::mem::take(&mut self.replays);
        if (is_restart || self.separates)
            && let Some(id) = id
        {
            self.discard_open_parts();
            self.answer.start_separate_answer(id);
            return self.merge_metadata(chunk, sink);
        }
        if is_restart {
            self.discard_open_parts();
            for message_id in self.answer.discard_response() {
                let whole = true;
                send_extension(sink, Extension::Reset { message_id, whole });
            }
        }
        if let Some(id) = id {
            self.renames += 1;
            if self.renames > MAX_RENAMES {
                return drop_chunk(sink, "Dropped 'start': the answer has had too many names.");
            }
            self.answer.id.clone_from(&id);
            for (message_id, _) in &self.answer.nodes {
                let fields = [("id".to_owned(), id.as_str().into())];
                send_extension(
                    sink,
                    message_extension(message_id, fields.into_iter().collect()),
                );
            }
        }
        self.merge_metadata(chunk, sink);
    }

    /// Returns the id of the message to which parts are added. Begins a message if there is none.
    pub(super) fn ensure_current_message(&mut self, sink: &mut dyn Sink) -> String {
        match &self.answer.current {
            Some(message_id) => message_id.clone(),
            None => self.begin_message(false, sink),
        }
    }

    fn begin_message(&mut self, step: bool, sink: &mut dyn Sink) -> String {
        let is_first = self.answer.nodes.is_empty();
        let message_id = self.answer.begin_message();
        let mut fields = Object::new();
        fields.insert("id".to_owned(), self.answer.id.as_str().into());
        fields.insert("step".to_owned(), step.into());
        send_extension(sink, message_extension(&message_id, fields));
        if is_first && let Some(metadata) = &self.answer.metadata {
            send_metadata(message_id.clone(), metadata.clone(), sink);
        }
        message_id
    }

    fn reset_step(&mut self, sink: &mut dyn Sink) {
        self.discard_open_parts();
        for message_id in self.answer.reset_step() {
            let whole = false;
            send_extension(sink, Extension::Reset { message_id, whole });
        }
    }

    fn discard_open_parts(&mut self) {
        self.blocks.clear();
        self.partial.clear();
    }

    fn merge_metadata(&mut self, mut chunk: Object, sink: &mut dyn Sink) {
        let metadata = chunk.shift_remove("messageMetadata");
        let Some(metadata) = metadata.filter(|metadata| !metadata.is_null()) else {
            return;
        };
        let usage = metadata.get("totalUsage").or_else(|| metadata.get("usage"));
        if let Some(usage) = usage.filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        let changes = metadata.clone();
        match (&mut self.answer.metadata, metadata) {
            (Some(Value::Object(target)), Value::Object(metadata)) => {
                merge_object(target, metadata);
            }
            (target, metadata) => *target = Some(metadata),
        }
        if let Some((message_id, _)) = self.answer.nodes.first() {
            send_metadata(message_id.clone(), changes, sink);
        }
    }

    /// Ends the run if the server has reported its end, and returns the outcome of the response.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> End {
        self.end_reported_run(sink);
        match self.stage {
            UiStreamStage::Over => End::Complete,
            _ => End::Truncated,
        }
    }

    /// Ends the run if the stream has reported an end, an error or an abort. If a run is active,
    /// this function also sends the held surrogates, and begins a message for metadata that has no
    /// message yet.
    fn end_reported_run(&mut self, sink: &mut dyn Sink) {
        if self.stage != UiStreamStage::Running {
            return;
        }
        self.release_surrogates(sink);
        if self.answer.nodes.is_empty() && self.answer.metadata.is_some() {
            self.begin_message(false, sink);
        }
        let reason = self.finish_reason.take();
        let has_failed = reason.as_deref() == Some("error");
        let default_error = has_failed.then(|| "The model reported an error.".to_owned());
        let usage = self.reported_usage();
        let kind = if let Some(message) = self.error.take().or(default_error) {
            let code = None;
            EventKind::RunError {
                message,
                code,
                usage,
            }
        } else if self.aborted || reason.as_deref() == Some("interrupted") {
            self.run_finished_event(reason, Some(Outcome::Cancelled), usage)
        } else if self.finished {
            let interrupts = self.open_interrupts();
            let outcome = (!interrupts.is_empty()).then_some(Outcome::Interrupt { interrupts });
            self.run_finished_event(reason, outcome, usage)
        } else {
            return;
        };
        self.stage = UiStreamStage::Over;
        sink.event(kind.into());
    }

    fn run_finished_event(
        &self,
        reason: Option<String>,
        outcome: Option<Outcome>,
        usage: Vec<TokenUsage>,
    ) -> EventKind {
        EventKind::RunFinished {
            thread_id: self.thread_id.clone(),
            run_id: self.run_id.clone(),
            result: reason.map(|reason| Box::new(json!({"finishReason": reason}))),
            outcome,
            usage,
        }
    }
}
