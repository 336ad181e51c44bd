//! Decodes chunks into events, and determines the end of the run.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::calls::CallAssembler;
use crate::stream::{End, Sink};
use assistant_core::{
    event::{
        Base, Diagnostic, Event, EventKind, MessageBody, Object, RunInput, TokenUsage, end_reason,
        fault::quote,
    },
    json::surrogates,
};

/// The names of the fields in which servers send reasoning, in the order in which they are tried.
const REASONING_FIELDS: [&str; 4] = [
    "reasoning_content",
    "reasoning",
    "thinking",
    "reasoning_text",
];

/// The fields in which servers and gateways send lists of reasoning blocks. Each field is paired
/// with the JSON Pointers that are tried for the text of a block. Blocks without such a text, such
/// as encrypted blocks, are ignored. In `content`, reasoning blocks are mixed with text blocks.
const REASONING_LISTS: [(&str, &[&str]); 4] = [
    ("reasoning_details", &["/text", "/summary"]),
    ("thinking_blocks", &["/thinking"]),
    ("content_blocks", &["/delta/thinking"]),
    ("content", &["/thinking/0/text", "/thinking"]),
];

/// The parameters with which the decoder for a response is created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponseParams {
    pub(crate) thread_id: String,
    pub(crate) run_id: String,
    pub(crate) message_id: String,
    pub(crate) taken: HashSet<String>,
}

impl ResponseParams {
    /// Returns the parameters of the response to a run's input.
    #[must_use]
    pub fn of(input: &RunInput) -> Self {
        let calls = input
            .messages
            .iter()
            .filter_map(|message| match &message.body {
                MessageBody::Assistant { tool_calls, .. } => Some(tool_calls),
                _ => None,
            });
        Self {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            message_id: match input.answer_id() {
                Some(id) => id.to_owned(),
                None => format!("{}-answer", input.run_id),
            },
            taken: calls.flatten().map(|call| call.id.clone()).collect(),
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

    /// Returns the id for the answer's message. The server's own id is not used, since it is not
    /// necessarily unique.
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

    /// Returns the ids of the calls in the run's input, which new calls must not reuse.
    #[must_use]
    pub const fn taken(&self) -> &HashSet<String> {
        &self.taken
    }
}

/// A decoder for the chunks of one response.
#[derive(Debug, Clone)]
pub struct Decoder {
    thread_id: String,
    run_id: String,
    message_id: String,
    stage: CompletionStage,
    text: TextState,
    /// The number of reasoning blocks that have begun.
    reasoning_count: u64,
    is_reasoning: bool,
    calls: CallAssembler,
    finish_reason: Option<String>,
    error: Option<(String, Option<String>)>,
    usage: Option<TokenUsage>,
    model: Option<String>,
    done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompletionStage {
    Before,
    Running,
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextState {
    Before,
    Open,
    Ended,
}

impl Decoder {
    /// Creates a decoder at the start of a response.
    #[must_use]
    pub fn new(start: ResponseParams) -> Self {
        let message_id = match start.message_id.as_str() {
            "" => "answer".to_owned(),
            id => id.to_owned(),
        };
        Self {
            thread_id: start.thread_id,
            run_id: start.run_id,
            message_id,
            stage: CompletionStage::Before,
            text: TextState::Before,
            reasoning_count: 0,
            is_reasoning: false,
            calls: CallAssembler::new(start.taken),
            finish_reason: None,
            error: None,
            usage: None,
            model: None,
            done: false,
        }
    }

    /// Reads the data of one frame. `[DONE]` ends the run. Invalid chunks are dropped with a
    /// diagnostic.
    pub fn push_frame(&mut self, data: &str, sink: &mut dyn Sink) {
        if data.trim() == "[DONE]" {
            self.done |= self.stage == CompletionStage::Running;
            return self.end_reported_run(sink);
        }
        let result = serde_json::from_str(data).or_else(|error| {
            let repaired_data =
                surrogates::replace_lone_surrogates(data, |_| surrogates::REPLACED).ok_or(error)?;
            serde_json::from_str(&repaired_data)
        });
        match result {
            Ok(chunk) => self.push_chunk(chunk, sink),
            Err(error) => {
                report_dropped(sink, format!("Dropped a frame that is not JSON ({error})."));
            }
        }
    }

    /// Reads one chunk or a complete completion.
    pub fn push_chunk(&mut self, chunk: Value, sink: &mut dyn Sink) {
        let Value::Object(mut chunk) = chunk else {
            return report_dropped(sink, "Dropped a frame that is no object.");
        };
        if self.stage == CompletionStage::Over {
            return report_dropped(sink, "Dropped a chunk after the end of the stream.");
        }
        self.begin_run(sink);
        if let Some(Value::String(model)) = chunk.shift_remove("model") {
            self.model = Some(model);
        }
        self.read_usage(&chunk);
        if let Some(error) = parse_error(&chunk) {
            self.error.get_or_insert(error);
            return;
        }
        let Some(Value::Array(choices)) = chunk.shift_remove("choices") else {
            if !chunk.contains_key("usage") && self.usage.is_none() {
                report_dropped(sink, "Dropped a chunk without choices.");
            }
            return;
        };
        for choice in choices {
            self.read_choice(choice, sink);
        }
    }

    fn begin_run(&mut self, sink: &mut dyn Sink) {
        if self.stage != CompletionStage::Before {
            return;
        }
        self.stage = CompletionStage::Running;
        sink.event(EventKind::run_started(&self.thread_id, &self.run_id).into());
    }

    fn read_choice(&mut self, choice: Value, sink: &mut dyn Sink) {
        let Value::Object(mut choice) = choice else {
            return report_dropped(sink, "Dropped a choice that is no object.");
        };
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        if index != 0 {
            return report_dropped(
                sink,
                format!("Dropped choice {index}: one answer is asked for."),
            );
        }
        // `message` is tried as well, because a server without streaming sends a complete `message`
        // instead of a `delta`.
        let delta = ["delta", "message"]
            .iter()
            .find_map(|key| match choice.shift_remove(*key) {
                Some(Value::Object(delta)) => Some(delta),
                _ => None,
            });
        if let Some(delta) = delta {
            self.read_delta(delta, sink);
        } else if let Some(Value::String(text)) = choice.shift_remove("text") {
            self.push_text(&text, None, sink);
        }
        if let Some(Value::String(reason)) = choice.shift_remove("finish_reason")
            && !reason.is_empty()
        {
            self.finish_reason = Some(reason);
        }
    }

    fn read_delta(&mut self, mut delta: Object, sink: &mut dyn Sink) {
        if let Some(reasoning) = parse_reasoning(&delta) {
            self.push_reasoning(reasoning, sink);
        }
        match delta.shift_remove("content") {
            Some(Value::String(text)) => self.push_text(&text, None, sink),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                let text: String = texts.collect();
                self.push_text(&text, None, sink);
            }
            None | Some(Value::Null) => {}
            Some(_) => report_dropped(sink, "Dropped a content that is no text."),
        }
        if let Some(Value::String(refusal)) = delta.shift_remove("refusal") {
            let metadata = [("refusal".to_owned(), true.into())].into_iter().collect();
            self.push_text(&refusal, Some(metadata), sink);
        }
        match delta.shift_remove("tool_calls") {
            Some(Value::Array(pieces)) => {
                for piece in pieces {
                    self.end_reasoning(sink);
                    self.calls.read_piece(piece, &self.message_id, sink);
                }
            }
            None | Some(Value::Null) => {}
            Some(_) => report_dropped(sink, "Dropped tool calls that are no list."),
        }
        // The deprecated `function_call` field contains a single call, which is read as the piece
        // with index 0.
        if let Some(call) = delta.shift_remove("function_call").filter(Value::is_object) {
            self.end_reasoning(sink);
            let piece = json!({"index": 0, "function": call});
            self.calls.read_piece(piece, &self.message_id, sink);
        }
    }

    fn push_text(&mut self, text: &str, metadata: Option<Object>, sink: &mut dyn Sink) {
        if text.is_empty() {
            return;
        }
        self.end_reasoning(sink);
        let message_id = self.message_id.clone();
        if self.text == TextState::Before {
            self.text = TextState::Open;
            let start = EventKind::TextMessageStart {
                message_id: message_id.clone(),
                role: None,
                name: None,
            };
            sink.event(start.into());
        }
        sink.event(Event {
            kind: EventKind::TextMessageContent {
                message_id,
                delta: text.to_owned(),
            },
            base: Base {
                metadata: metadata.map(Box::new),
                ..Base::default()
            },
        });
    }

    fn push_reasoning(&mut self, delta: String, sink: &mut dyn Sink) {
        if !std::mem::replace(&mut self.is_reasoning, true) {
            self.reasoning_count += 1;
            let message_id = self.reasoning_id();
            sink.event(EventKind::ReasoningMessageStart { message_id }.into());
        }
        let message_id = self.reasoning_id();
        sink.event(EventKind::ReasoningMessageContent { message_id, delta }.into());
    }

    fn end_reasoning(&mut self, sink: &mut dyn Sink) {
        if std::mem::take(&mut self.is_reasoning) {
            let message_id = self.reasoning_id();
            sink.event(EventKind::ReasoningMessageEnd { message_id }.into());
        }
    }

    fn reasoning_id(&self) -> String {
        format!("{}-reasoning-{}", self.message_id, self.reasoning_count)
    }

    /// Reads the token usage. The last usage in a response replaces the earlier ones, since servers
    /// that report usage several times report totals. Invalid counts are ignored.
    fn read_usage(&mut self, chunk: &Object) {
        let usage = match chunk.get("usage") {
            Some(usage) if usage.is_object() => usage,
            _ => match chunk.get("x_groq").and_then(|fields| fields.get("usage")) {
                Some(usage) => usage,
                None => return,
            },
        };
        let read_count = |path: &str| {
            let number = usage.pointer(path)?;
            let to_integer = |number: f64| {
                let is_count = number >= 0.0 && number.fract() == 0.0 && number <= 9e15;
                // The cast is exact, because the number is a non-negative integer.
                is_count.then_some(number as u64)
            };
            number
                .as_u64()
                .or_else(|| number.as_f64().and_then(to_integer))
        };
        self.usage = Some(TokenUsage {
            provider: None,
            model: None,
            input_tokens: read_count("/prompt_tokens"),
            output_tokens: read_count("/completion_tokens"),
            total_tokens: read_count("/total_tokens"),
            reasoning_tokens: read_count("/completion_tokens_details/reasoning_tokens"),
            cached_input_tokens: read_count("/prompt_tokens_details/cached_tokens")
                .or_else(|| read_count("/prompt_cache_hit_tokens")),
            cache_write_input_tokens: None,
        });
    }

    /// Ends the run if the server has reported the end of the run or an error. Returns the outcome
    /// of the response.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> End {
        self.end_reported_run(sink);
        match self.stage {
            CompletionStage::Over => End::Complete,
            _ => {
                self.calls.send_extended_names(&self.message_id, sink);
                End::Truncated
            }
        }
    }

    fn end_reported_run(&mut self, sink: &mut dyn Sink) {
        let is_reported = self.done || self.error.is_some() || self.finish_reason.is_some();
        if self.stage != CompletionStage::Running || !is_reported {
            return;
        }
        self.stage = CompletionStage::Over;
        self.end_reasoning(sink);
        if self.text == TextState::Open {
            self.text = TextState::Ended;
            let message_id = self.message_id.clone();
            sink.event(EventKind::TextMessageEnd { message_id }.into());
        }
        self.calls.send_extended_names(&self.message_id, sink);
        let reason = self.finish_reason.take();
        let is_cut_off = reason.as_deref().is_some_and(end_reason::is_cut_off);
        if is_cut_off && !self.calls.is_empty() {
            let message = "A limit or a filter cut the answer off: its last call may be, too.";
            sink.diagnostic(Diagnostic::new("cut-at-length", message));
        }
        let has_failed = reason.as_deref() == Some("error");
        let default_error =
            || has_failed.then(|| ("The model reported an error.".to_owned(), None));
        let usage = self.usage.take().map(|usage| TokenUsage {
            model: self.model.take(),
            ..usage
        });
        let usage = usage.into_iter().collect();
        let kind = if let Some((message, code)) = self.error.take().or_else(default_error) {
            EventKind::RunError {
                message,
                code,
                usage,
            }
        } else {
            self.calls.end_calls(is_cut_off, sink);
            EventKind::RunFinished {
                thread_id: self.thread_id.clone(),
                run_id: self.run_id.clone(),
                result: reason.map(|reason| Box::new(json!({"finishReason": reason}))),
                outcome: None,
                usage,
            }
        };
        sink.event(kind.into());
    }
}

/// Returns the message and the code of the error in a chunk. Returns `None` if the chunk reports no
/// error.
pub(super) fn parse_error(chunk: &Object) -> Option<(String, Option<String>)> {
    let error = match chunk.get("error").filter(|error| !error.is_null()) {
        Some(error) => error.clone(),
        None if chunk.get("object") == Some(&"error".into()) => Value::Object(chunk.clone()),
        None => return None,
    };
    let read_text = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let code = error.get("code").and_then(read_text);
    let code = code.or_else(|| error.get("type").and_then(read_text));
    let message = read_text(&error).or_else(|| error.get("message").and_then(read_text));
    let message = message.unwrap_or_else(|| format!("The server reported an error: {error}"));
    Some((quote(&message), code))
}

fn report_dropped(sink: &mut dyn Sink, message: impl Into<String>) {
    sink.diagnostic(Diagnostic::new("dropped-chunk", message));
}

/// Returns the reasoning in a delta, from the first field that contains reasoning. Further fields
/// are not read, since servers send the same text in several fields.
fn parse_reasoning(delta: &Object) -> Option<String> {
    let field_text = |key: &&str| delta.get(*key)?.as_str().map(str::to_owned);
    let list_text = |(key, pointers): &(&str, &[&str])| {
        let blocks = delta.get(*key)?.as_array()?.iter();
        let block_text = |block: &Value| {
            let text = pointers
                .iter()
                .find_map(|path| block.pointer(path)?.as_str());
            text.map(str::to_owned)
        };
        Some(blocks.filter_map(block_text).collect())
    };
    let has_text = |text: &String| !text.is_empty();
    let text = REASONING_FIELDS
        .iter()
        .filter_map(field_text)
        .find(has_text);
    text.or_else(|| REASONING_LISTS.iter().filter_map(list_text).find(has_text))
}
