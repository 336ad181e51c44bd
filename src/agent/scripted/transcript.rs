//! Parses scripts that are written as Markdown. Tool callouts in the Markdown represent calls.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use assistant_core::{
    event::{EventKind, RunInput},
    text::callout::{self, Callout, CalloutState, Chunk},
};
use serde_json::{Value, json};

use super::{Script, ScriptedAgent, fresh_id, results_since_user, split_args};

/// The longest wait before a result that a callout may set.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// An answer of an agent that is written as Markdown with tool callouts.
///
/// A callout without an outcome calls a tool of the page. The text after such a call belongs to the
/// run that receives the results. Calls with only blank lines between them are made together. If
/// the callout has an outcome, or a later callout with the same id has an outcome, the agent runs
/// the call itself. The field `wait` delays the result by a number of milliseconds. A callout
/// without an outcome in the state `input-streaming` is a call that begins and never ends.
///
/// ```
/// use leptos_assistant::agent::{ScriptedAgent, Transcript};
///
/// let answer = Transcript::new("
/// I will look that up.
///
/// > [!tool web_search]
/// > input:
/// >   query: tide tables
///
/// Here is what I found.
/// ");
/// assert_eq!(answer.tools().collect::<Vec<_>>(), ["web_search"]);
/// let agent = ScriptedAgent::new(move |input| answer.script(input));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    runs: Vec<TranscriptRun>,
}

/// The part of a transcript that is played in one run.
#[derive(Debug, Clone, Default)]
struct TranscriptRun {
    steps: Vec<TranscriptStep>,
    /// The number of results that the calls of the run need before the next run begins.
    results: usize,
    /// The names of the page's tools that the run calls.
    questions: Vec<String>,
}

#[derive(Debug, Clone)]
enum TranscriptStep {
    Text(String),
    Call(Box<Callout>),
    /// A call for which no end event is emitted.
    Unended(Box<Callout>),
    /// The outcome of a call that an earlier callout began.
    Outcome(Box<Callout>),
}

impl Transcript {
    /// Parses a transcript. An invalid callout is treated as text.
    #[must_use]
    pub fn new(markdown: &str) -> Self {
        let chunks = callout::parse_with(markdown, callout::CalloutOptions::default());
        let outcomes = chunks.iter().enumerate().filter_map(|(index, chunk)| {
            let call = call_with_own_id(chunk)?;
            outcome_content(call).map(|_| (call.id().to_owned(), index))
        });
        // The map contains the position of the last outcome for each id, to determine if a later
        // callout contains the outcome of a call.
        let last_outcomes: HashMap<String, usize> = outcomes.collect();
        let mut builder = TranscriptBuilder::default();
        for (index, chunk) in chunks.into_iter().enumerate() {
            let id = call_with_own_id(&chunk).map(Callout::id);
            let outcome_follows = id.and_then(|id| last_outcomes.get(id)) > Some(&index);
            match chunk {
                Chunk::Text(text) => builder.add_text(&text),
                Chunk::Tool(call) => builder.add_call(call, outcome_follows),
            }
        }
        builder.runs.push(builder.run);
        Self { runs: builder.runs }
    }

    /// Replaces `{key}` with a text, in the messages and in the texts of inputs and outputs.
    /// Callouts and YAML in the text are not parsed.
    #[must_use]
    pub fn with(mut self, key: &str, text: &str) -> Self {
        let key = format!("{{{key}}}");
        for step in self.runs.iter_mut().flat_map(|run| &mut run.steps) {
            let call = match step {
                TranscriptStep::Text(words) => {
                    *words = words.replace(&key, text);
                    continue;
                }
                TranscriptStep::Call(call)
                | TranscriptStep::Unended(call)
                | TranscriptStep::Outcome(call) => call,
            };
            for value in call.values_mut() {
                replace_key(value, &key, text);
            }
        }
        self
    }

    /// Returns the names of the page's tools that the transcript calls, in order.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        let tools = self.runs.iter().flat_map(|run| &run.questions);
        tools.map(String::as_str)
    }

    /// Returns the script for a run with this input. The script is the part of the transcript that
    /// follows the results in the input. The script is empty at the end of the transcript.
    #[must_use]
    pub fn script(&self, input: &RunInput) -> Script {
        let result_count = results_since_user(input).len();
        let mut previous_results = 0;
        for run in &self.runs {
            if result_count <= previous_results {
                return run.script();
            }
            previous_results += run.results;
        }
        Script::new()
    }
}

/// A builder that splits a transcript into runs.
#[derive(Default)]
struct TranscriptBuilder {
    runs: Vec<TranscriptRun>,
    /// The run that is being built.
    run: TranscriptRun,
    /// The ids of the run's calls whose outcomes follow in later callouts.
    unanswered: HashSet<String>,
}

impl TranscriptBuilder {
    fn add_text(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.run.questions.is_empty() && self.unanswered.is_empty() {
            self.runs.push(std::mem::take(&mut self.run));
        }
        let text = text.trim_matches(['\r', '\n']).to_owned();
        self.run.steps.push(TranscriptStep::Text(text));
    }

    fn add_call(&mut self, call: Box<Callout>, outcome_follows: bool) {
        let has_outcome = outcome_content(&call).is_some();
        if self.unanswered.contains(call.id()) {
            if has_outcome {
                self.unanswered.remove(call.id());
                self.run.steps.push(TranscriptStep::Outcome(call));
            }
            return;
        }
        if !has_outcome && outcome_follows {
            self.unanswered.insert(call.id().to_owned());
        }
        let is_run_by_agent = has_outcome || outcome_follows;
        if !is_run_by_agent && call.state() == Some(CalloutState::InputStreaming) {
            return self.run.steps.push(TranscriptStep::Unended(call));
        }
        if !is_run_by_agent {
            self.run.questions.push(call.name().to_owned());
        }
        self.run.results += 1;
        self.run.steps.push(TranscriptStep::Call(call));
    }
}

impl TranscriptRun {
    fn script(&self) -> Script {
        // Each call gets a new id, because a transcript may be played twice in the same chat.
        let mut ids: HashMap<&str, String> = HashMap::new();
        let mut script = Script::new();
        for step in &self.steps {
            script = match step {
                TranscriptStep::Text(text) => script.text(text),
                TranscriptStep::Call(call) => {
                    let id = fresh_id();
                    ids.insert(call.id(), id.clone());
                    let script = script.call_as(id.clone(), call.name(), &call_args(call));
                    script.outcome(call, id)
                }
                TranscriptStep::Unended(call) => script.unended_call(call),
                TranscriptStep::Outcome(call) => match ids.get(call.id()) {
                    Some(id) => script.outcome(call, id.clone()),
                    None => script,
                },
            };
        }
        script
    }
}

impl Script {
    fn unended_call(self, call: &Callout) -> Self {
        let id = fresh_id();
        let parent_message_id = self.message.clone();
        let start = EventKind::ToolCallStart {
            tool_call_id: id.clone(),
            tool_call_name: call.name().to_owned(),
            parent_message_id,
        };
        let args_event = |delta| EventKind::ToolCallArgs {
            tool_call_id: id.clone(),
            delta,
        };
        split_args(&call_args(call))
            .into_iter()
            .fold(self.event(start), |script, piece| {
                script.event(args_event(piece))
            })
    }

    fn outcome(self, call: &Callout, id: String) -> Self {
        let Some(content) = outcome_content(call) else {
            return self;
        };
        let wait = call.extra().get("wait").and_then(Value::as_u64);
        let wait = wait.map(|ms| Duration::from_millis(ms).min(LONGEST_WAIT));
        let script = match wait {
            Some(wait) => self.wait(wait),
            None => self,
        };
        script.result(id, content.to_string())
    }
}

impl ScriptedAgent {
    /// Creates an agent that answers every user message with the [`Transcript`] in `markdown`.
    #[must_use]
    pub fn transcript(markdown: &str) -> Self {
        let answer = Transcript::new(markdown);
        Self::new(move |input| answer.script(input))
    }
}

/// Replaces `key` in all texts of a value. The recursion is bounded, because the nesting of values
/// in callouts is limited.
fn replace_key(value: &mut Value, key: &str, text: &str) {
    match value {
        Value::String(words) => *words = words.replace(key, text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace_key(item, key, text)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| replace_key(field, key, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the call in a chunk if the callout specifies the call's id.
fn call_with_own_id(chunk: &Chunk) -> Option<&Callout> {
    match chunk {
        Chunk::Tool(call) => Some(&**call).filter(|call| call.has_own_id()),
        Chunk::Text(_) => None,
    }
}

fn call_args(call: &Callout) -> String {
    let input = call.input().filter(|input| !input.is_null());
    input.map(Value::to_string).unwrap_or_default()
}

/// Returns the outcome of a call as the content of its result. Returns `None` for a call without an
/// outcome.
fn outcome_content(call: &Callout) -> Option<Value> {
    match call.failure() {
        Some(_) if call.state() == Some(CalloutState::OutputDenied) => Some("denied".into()),
        Some(error) => Some(json!({"error": error})),
        None => call.result().cloned(),
    }
}
