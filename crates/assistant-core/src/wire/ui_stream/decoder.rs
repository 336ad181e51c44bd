//! The way from chunks to events, and how the run ended.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{answer::Answer, blocks::Block, tools::Partial};
use crate::{
    event::{Diagnostic, EventKind, Extension, Interrupt, Object, Outcome, RunInput, TokenUsage},
    wire::{
        fault::quote,
        json::halves,
        stream::{End, Sink},
    },
};

/// What a response begins with.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Start {
    /// The conversation's id.
    pub thread_id: String,
    /// The run's id.
    pub run_id: String,
    /// The answer's id, until the server names one.
    pub message_id: String,
    /// What [`Conversation::ui_history`](crate::conversation::Conversation::ui_history) wrote: the
    /// answer that the response continues, and the ids that are taken.
    pub history: Option<Value>,
    /// Whether the response repeats the answer from its beginning, as a resumed stream does.
    pub replays: bool,
    /// Whether another id begins another answer instead of naming this one, as in a resumed stream.
    pub separates: bool,
}

impl Start {
    /// The start of the response to a run's input.
    #[must_use]
    pub fn of(input: &RunInput) -> Self {
        Self {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            message_id: input.run_id.clone(),
            history: input.history.as_deref().cloned(),
            replays: false,
            separates: false,
        }
    }

    /// The start of a response that takes an interrupted answer up again.
    #[must_use]
    pub fn resumed(input: &RunInput) -> Self {
        Self {
            replays: true,
            separates: true,
            ..Self::of(input)
        }
    }
}

/// Reads the chunks of one response.
#[derive(Debug, Clone)]
pub struct Decoder {
    thread_id: String,
    run_id: String,
    replays: bool,
    separates: bool,
    pub(super) answer: Answer,
    pub(super) blocks: HashMap<(bool, String), Block>,
    pub(super) last_block: u64,
    pub(super) partial: HashMap<String, Partial>,
    stage: Stage,
    finished: bool,
    finish_reason: Option<String>,
    error: Option<String>,
    aborted: bool,
    /// Whether the frame holds halves of characters, which are marked in its deltas.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Running,
    Over,
}

impl Decoder {
    /// Returns a decoder at the start of a response.
    #[must_use]
    pub fn new(start: Start) -> Self {
        let mut decoder = Self {
            answer: Answer::new(start.message_id, start.history.as_ref()),
            thread_id: start.thread_id,
            run_id: start.run_id,
            replays: start.replays,
            separates: start.separates,
            blocks: HashMap::new(),
            last_block: 0,
            partial: HashMap::new(),
            stage: Stage::Before,
            finished: false,
            finish_reason: None,
            error: None,
            aborted: false,
            is_cut: false,
        };
        if let Some(history) = &start.history {
            decoder.go_on_with_partial(history);
        }
        decoder
    }

    /// The id of the answer, as far as it is known.
    #[must_use]
    pub fn message_id(&self) -> &str {
        &self.answer.id
    }

    /// Reads the data of one frame. What is no chunk is dropped with a diagnostic.
    pub fn push_frame(&mut self, data: &str, sink: &mut dyn Sink) {
        if data.trim() == "[DONE]" {
            self.finished |= self.stage == Stage::Running;
            return self.conclude(sink);
        }
        self.is_cut = false;
        let read = serde_json::from_str(data).or_else(|error| {
            let marked = halves::replaced(data, halves::mark).ok_or(error)?;
            self.is_cut = true;
            serde_json::from_str(&marked).map(without_marks)
        });
        match read {
            Ok(chunk) => self.push_chunk(chunk, sink),
            Err(error) => drop_chunk(sink, format!("Dropped a frame that is not JSON ({error}).")),
        }
    }

    /// Reads one chunk.
    pub fn push_chunk(&mut self, chunk: Value, sink: &mut dyn Sink) {
        let Value::Object(mut chunk) = chunk else {
            return drop_chunk(sink, "Dropped a frame that is no object.");
        };
        let kind = match chunk.shift_remove("type") {
            Some(Value::String(kind)) => kind,
            _ => return drop_chunk(sink, "Dropped a chunk without a type."),
        };
        if self.stage == Stage::Over {
            let message = format!("Dropped '{}' after the end of the stream.", quote(&kind));
            return drop_chunk(sink, message);
        }
        self.begin(sink);
        if let Err(missing) = self.read(&kind, chunk, sink) {
            let kind = quote(&kind);
            drop_chunk(sink, format!("Dropped '{kind}': {missing}."));
        }
    }

    fn begin(&mut self, sink: &mut dyn Sink) {
        if self.stage != Stage::Before {
            return;
        }
        self.stage = Stage::Running;
        sink.event(
            EventKind::RunStarted {
                thread_id: self.thread_id.clone(),
                run_id: self.run_id.clone(),
                protocol_version: None,
                parent_run_id: None,
                input: None,
            }
            .into(),
        );
    }

    fn read(&mut self, kind: &str, mut chunk: Object, sink: &mut dyn Sink) -> Result<(), String> {
        match kind {
            "start" => self.start(chunk, sink),
            "finish" => {
                self.finished = true;
                if let Some(reason) = opt_text(&mut chunk, "finishReason") {
                    self.finish_reason = Some(reason);
                }
                self.merge_metadata(chunk, sink);
            }
            "message-metadata" => self.merge_metadata(chunk, sink),
            "start-step" => {
                self.answer.step += 1;
                self.new_node(true, sink);
            }
            "finish-step" => {}
            "reset-step" => self.reset_step(sink),
            "abort" => self.aborted = true,
            "error" => {
                let text = opt_text(&mut chunk, "errorText");
                let text = text.unwrap_or_else(|| "The agent reported an error.".to_owned());
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

    fn start(&mut self, mut chunk: Object, sink: &mut dyn Sink) {
        let id = opt_text(&mut chunk, "messageId").filter(|id| *id != self.answer.id);
        let anew = std::mem::take(&mut self.replays);
        if (anew || self.separates)
            && let Some(id) = id
        {
            self.forget_open();
            self.answer.separate(id);
            return self.merge_metadata(chunk, sink);
        }
        if anew {
            self.forget_open();
            for message_id in self.answer.begin_anew() {
                extend(sink, Extension::Reset { message_id });
            }
        }
        if let Some(id) = id {
            self.answer.id.clone_from(&id);
            for (node, _) in &self.answer.nodes {
                let notes = [("id".to_owned(), id.as_str().into())];
                extend(sink, note(node, notes.into_iter().collect()));
            }
        }
        self.merge_metadata(chunk, sink);
    }

    /// The message to which parts are added now.
    pub(super) fn node(&mut self, sink: &mut dyn Sink) -> String {
        match &self.answer.current {
            Some(node) => node.clone(),
            None => self.new_node(false, sink),
        }
    }

    fn new_node(&mut self, step: bool, sink: &mut dyn Sink) -> String {
        let is_first = self.answer.nodes.is_empty();
        let node = self.answer.next_node();
        let mut notes = Object::new();
        notes.insert("id".to_owned(), self.answer.id.as_str().into());
        notes.insert("step".to_owned(), step.into());
        extend(sink, note(&node, notes));
        if is_first {
            self.write_metadata(sink);
        }
        node
    }

    fn reset_step(&mut self, sink: &mut dyn Sink) {
        self.forget_open();
        for message_id in self.answer.reset_step() {
            extend(sink, Extension::Reset { message_id });
        }
    }

    fn forget_open(&mut self) {
        self.blocks.clear();
        self.partial.clear();
    }

    fn merge_metadata(&mut self, mut chunk: Object, sink: &mut dyn Sink) {
        let fresh = chunk.shift_remove("messageMetadata");
        let Some(fresh) = fresh.filter(|fresh| !fresh.is_null()) else {
            return;
        };
        match (&mut self.answer.metadata, fresh) {
            (Some(Value::Object(known)), Value::Object(fresh)) => merge(known, fresh),
            (known, fresh) => *known = Some(fresh),
        }
        self.write_metadata(sink);
    }

    /// Metadata stand with the first message of the answer. Until there is one they wait.
    fn write_metadata(&self, sink: &mut dyn Sink) {
        let (Some((node, _)), Some(metadata)) = (self.answer.nodes.first(), &self.answer.metadata)
        else {
            return;
        };
        let (metadata, extra) = match metadata {
            Value::Object(metadata) => (Some(metadata.clone()), Object::new()),
            odd => {
                let odd = ("metadata".to_owned(), odd.clone());
                (None, [odd].into_iter().collect())
            }
        };
        let message_id = node.clone();
        extend(
            sink,
            Extension::Message {
                message_id,
                extra,
                metadata,
            },
        );
    }

    /// Ends the response: gives what was held back, and says how it ended.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> End {
        self.conclude(sink);
        match self.stage {
            Stage::Over => End::Complete,
            _ => End::Truncated,
        }
    }

    /// The run is over, if anything said so.
    fn conclude(&mut self, sink: &mut dyn Sink) {
        if self.stage != Stage::Running {
            return;
        }
        self.release_halves(sink);
        if self.answer.nodes.is_empty() && self.answer.metadata.is_some() {
            self.new_node(false, sink);
        }
        let reason = self.finish_reason.take();
        let failed = reason.as_deref() == Some("error");
        let unnamed = failed.then(|| "The model reported an error.".to_owned());
        let usage = self.usage();
        let kind = if let Some(message) = self.error.take().or(unnamed) {
            let code = None;
            EventKind::RunError {
                message,
                code,
                usage,
            }
        } else if self.aborted || reason.as_deref() == Some("interrupted") {
            self.run_finished(reason, Some(Outcome::Cancelled), usage)
        } else if self.finished {
            let interrupts = self.interrupts();
            let waits = (!interrupts.is_empty()).then_some(Outcome::Interrupt { interrupts });
            self.run_finished(reason, waits, usage)
        } else {
            return;
        };
        self.stage = Stage::Over;
        sink.event(kind.into());
    }

    fn run_finished(
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

    /// The approvals that were asked for and not given by the server itself.
    fn interrupts(&self) -> Vec<Interrupt> {
        let asked = self.answer.calls.iter().filter_map(|call| {
            let approval = call.approval.as_ref().filter(|_| !call.settled)?;
            let open = !approval.contains_key("approved");
            open.then_some((call, approval))
        });
        let text = |approval: &Object, key: &str| {
            let text = approval.get(key).and_then(Value::as_str);
            text.map(str::to_owned)
        };
        let interrupt = |(call, approval): (&super::answer::Call, &Object)| Interrupt {
            id: text(approval, "id").unwrap_or_default(),
            reason: "tool_approval".to_owned(),
            message: text(approval, "requestReason"),
            tool_call_id: Some(call.id.clone()),
            response_schema: answer_schema(),
            expires_at: None,
            subagent_run_id: None,
            metadata: Some(approval.clone()),
        };
        asked.map(interrupt).collect()
    }

    /// Tokens, where a server tells them in the metadata of the answer, as the AI SDK counts them.
    fn usage(&self) -> Vec<TokenUsage> {
        let metadata = self.answer.metadata.as_ref();
        let said = metadata.and_then(|m| m.get("totalUsage").or_else(|| m.get("usage")));
        let Some(said) = said.filter(|said| said.is_object()) else {
            return Vec::new();
        };
        let count = |path: &str| said.pointer(path).and_then(Value::as_u64);
        let usage = TokenUsage {
            provider: None,
            model: metadata
                .and_then(|metadata| metadata.get("model")?.as_str())
                .map(str::to_owned),
            input_tokens: count("/inputTokens"),
            output_tokens: count("/outputTokens"),
            total_tokens: count("/totalTokens"),
            reasoning_tokens: count("/outputTokenDetails/reasoningTokens")
                .or_else(|| count("/reasoningTokens")),
            cached_input_tokens: count("/inputTokenDetails/cacheReadTokens")
                .or_else(|| count("/cachedInputTokens")),
            cache_write_input_tokens: count("/inputTokenDetails/cacheWriteTokens"),
        };
        let is_known = usage.input_tokens.is_some()
            || usage.output_tokens.is_some()
            || usage.total_tokens.is_some();
        is_known.then_some(usage).into_iter().collect()
    }
}

/// What an approval is answered with.
fn answer_schema() -> Option<Object> {
    let schema = json!({
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
        "required": ["approved"],
    });
    schema.as_object().cloned()
}

/// Merges metadata: objects are merged, everything else takes the place of what was there.
fn merge(known: &mut Object, fresh: Object) {
    for (key, value) in fresh {
        if matches!(key.as_str(), "__proto__" | "constructor" | "prototype") {
            continue;
        }
        match (known.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(fresh)) => merge(known, fresh),
            (_, value) => {
                known.insert(key, value);
            }
        }
    }
}

pub(super) fn extend(sink: &mut dyn Sink, extension: Extension) {
    sink.event(EventKind::Extension(Box::new(extension)).into());
}

fn note(node: &str, extra: Object) -> Extension {
    Extension::Message {
        message_id: node.to_owned(),
        extra,
        metadata: None,
    }
}

fn drop_chunk(sink: &mut dyn Sink, message: impl Into<String>) {
    sink.diagnostic(Diagnostic::new("dropped-chunk", message));
}

/// A chunk whose halves of characters are marked nowhere but in its deltas.
fn without_marks(mut chunk: Value) -> Value {
    for (key, value) in chunk.as_object_mut().into_iter().flatten() {
        if !matches!(key.as_str(), "delta" | "inputTextDelta") {
            unmark(value);
        }
    }
    chunk
}

fn unmark(value: &mut Value) {
    match value {
        Value::String(text) => *text = halves::without_marks(text),
        Value::Array(list) => list.iter_mut().for_each(unmark),
        Value::Object(object) => object.values_mut().for_each(unmark),
        _ => {}
    }
}

/// A text that may be absent. Of any other kind it counts as absent.
pub(super) fn opt_text(chunk: &mut Object, key: &str) -> Option<String> {
    match chunk.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// A text that must be there.
pub(super) fn text(chunk: &mut Object, key: &str) -> Result<String, String> {
    opt_text(chunk, key).ok_or_else(|| format!("it has no text '{key}'"))
}

/// A value that may be absent; `null` is.
pub(super) fn opt(chunk: &mut Object, key: &str) -> Option<Value> {
    chunk.shift_remove(key).filter(|value| !value.is_null())
}
