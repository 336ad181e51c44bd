//! Responses of an agent in the bytes of each protocol, or as events of a script in the page.

use assistant_core::{
    event::{EventKind, RunInput},
    limits::Limits,
    protocol::{AgUi, Completions, Protocol, Request, UiStream},
    wire::stream::Read,
};
use serde_json::{Value, json};

use crate::support;

/// A part of a response.
#[derive(Debug, Clone, Copy)]
pub(super) enum Says {
    Text(&'static str),
    Call(&'static str, &'static str, &'static str),
    /// The result of a call that the agent made and ran itself.
    Ran(&'static str, &'static str),
    /// Starts another step of the same response.
    Step,
    /// A remote call that waits for the user, with the id of the approval.
    Asks(&'static str, &'static str),
    /// The denial of a call that the user was asked about.
    Denied(&'static str),
}

/// A response, or its beginning.
#[derive(Debug)]
pub(crate) enum Response {
    Bytes(Vec<u8>),
    Events(Vec<EventKind>),
}

impl From<&Vec<u8>> for Response {
    fn from(bytes: &Vec<u8>) -> Self {
        Self::Bytes(bytes.clone())
    }
}

impl From<&[u8]> for Response {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_vec())
    }
}

/// An agent in the page that sends events: there is no request, and nothing to read.
#[derive(Debug)]
struct InPage;

impl Protocol for InPage {
    fn request(&self, _: &RunInput) -> Request {
        Request::Nothing
    }

    fn decoder(&self, _: &RunInput, _: &Limits) -> Box<dyn Read> {
        Box::new(assistant_core::wire::agui::Reader::new(
            assistant_core::wire::agui::DecoderOptions::default(),
        ))
    }
}

/// The protocol of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    /// A scripted agent in the page.
    Script,
    AgUi,
    UiStream,
    Completions,
}

impl Wire {
    pub(super) const ALL: [Self; 4] = [Self::Script, Self::AgUi, Self::UiStream, Self::Completions];
    /// The protocols whose agents run tools; a model endpoint runs none.
    pub(super) const WITH_TOOLS: [Self; 3] = [Self::Script, Self::AgUi, Self::UiStream];

    /// Returns its name in the file of exceptions.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::AgUi => "ag-ui",
            Self::UiStream => "ui-stream",
            Self::Completions => "completions",
        }
    }

    pub(super) fn protocol(self) -> Box<dyn Protocol> {
        match self {
            Self::Script => Box::new(InPage),
            Self::AgUi => Box::new(AgUi::default()),
            Self::UiStream => Box::new(UiStream::default()),
            Self::Completions => Box::new(Completions::default()),
        }
    }

    /// Returns a whole response. `number` distinguishes it from others of the same agent.
    pub(super) fn response(self, number: usize, says: &[Says]) -> Response {
        if self == Self::Script {
            let mut events = script(number, says);
            events.push(match asked(says).as_slice() {
                [] => support::finished(),
                asked => support::interrupted(
                    asked
                        .iter()
                        .map(|(id, call)| support::gate(id, call))
                        .collect(),
                ),
            });
            return Response::Events(events);
        }
        let mut frames = self.frames_of(number, says);
        frames.extend(match self {
            Self::Script => Vec::new(),
            Self::AgUi => vec![agui_end(says)],
            Self::UiStream => vec![json!({"type": "finish-step"}), json!({"type": "finish"})],
            Self::Completions => {
                let calls = says.iter().any(|says| matches!(says, Says::Call(..)));
                let reason = if calls { "tool_calls" } else { "stop" };
                vec![json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})]
            }
        });
        let mut bytes = sse(&frames);
        if self != Self::AgUi {
            bytes.extend_from_slice(b"data: [DONE]\n\n");
        }
        Response::Bytes(bytes)
    }

    /// Returns the beginning of a response that breaks off in its last part.
    pub(super) fn broken(self, number: usize, says: &[Says]) -> Response {
        match self {
            Self::Script => Response::Events(unended(script(number, says))),
            _ => Response::Bytes(sse(&self.unended(number, says))),
        }
    }

    /// Returns a response that ends with an error in its last part.
    pub(super) fn failing(self, number: usize, says: &[Says], error: &str) -> Response {
        if self == Self::Script {
            let mut events = unended(script(number, says));
            events.push(support::run_error(error));
            return Response::Events(events);
        }
        let mut frames = self.unended(number, says);
        frames.push(match self {
            Self::Script | Self::AgUi => json!({"type": "RUN_ERROR", "message": error}),
            Self::UiStream => json!({"type": "error", "errorText": error}),
            Self::Completions => json!({"error": {"message": error}}),
        });
        Response::Bytes(sse(&frames))
    }

    /// Returns the frames without the end of the last part; completions have no such ends.
    fn unended(self, number: usize, says: &[Says]) -> Vec<Value> {
        let mut frames = self.frames_of(number, says);
        if self != Self::Completions {
            frames.pop();
        }
        frames
    }

    fn frames_of(self, number: usize, says: &[Says]) -> Vec<Value> {
        match self {
            Self::Script => Vec::new(),
            Self::AgUi => agui(number, says),
            Self::UiStream => ui_stream(number, says),
            Self::Completions => completions(says),
        }
    }
}

/// Returns the requested approvals, with their calls.
fn asked(says: &[Says]) -> Vec<(&'static str, &'static str)> {
    let asked = says.iter().filter_map(|says| match says {
        Says::Asks(id, call) => Some((*id, *call)),
        _ => None,
    });
    asked.collect()
}

fn unended(mut events: Vec<EventKind>) -> Vec<EventKind> {
    events.pop();
    events
}

/// Returns the events of a script, like `agent::ScriptedAgent`.
fn script(number: usize, says: &[Says]) -> Vec<EventKind> {
    let mut out = vec![support::started()];
    let mut message = None;
    for (place, what) in says.iter().enumerate() {
        let id = format!("s{number}-{place}");
        match what {
            Says::Text(text) => {
                out.extend(support::says(&id, text));
                message = Some(id);
            }
            Says::Call(call, name, args) => {
                let message = message.get_or_insert(id);
                out.extend([
                    support::start_in(call, name, Some(message)),
                    support::args(call, args),
                    support::end(call),
                ]);
            }
            Says::Ran(call, result) => out.push(support::result(&id, call, result)),
            Says::Denied(call) => out.push(support::result(&id, call, "denied")),
            Says::Step => message = None,
            Says::Asks(..) => {}
        }
    }
    out
}

fn sse(frames: &[Value]) -> Vec<u8> {
    let text: String = frames
        .iter()
        .map(|frame| format!("data: {frame}\n\n"))
        .collect();
    text.into_bytes()
}

fn agui(number: usize, says: &[Says]) -> Vec<Value> {
    let mut out = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    let mut step = 0;
    for (place, what) in says.iter().enumerate() {
        let message = format!("m{number}-{step}");
        match what {
            Says::Text(text) => out.extend([
                json!({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text}),
                json!({"type": "TEXT_MESSAGE_END", "messageId": message}),
            ]),
            Says::Call(id, name, args) => out.extend([
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name,
                    "parentMessageId": message}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
                json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            ]),
            Says::Ran(id, result) => out.push(json!({"type": "TOOL_CALL_RESULT",
                "toolCallId": id, "messageId": format!("{message}-{place}"), "content": result})),
            Says::Denied(id) => out.push(json!({"type": "TOOL_CALL_RESULT", "toolCallId": id,
                "messageId": format!("{message}-{place}"), "content": "denied"})),
            Says::Step => step += 1,
            Says::Asks(..) => {}
        }
    }
    out
}

/// Returns the end of a run, which may wait for the user.
fn agui_end(says: &[Says]) -> Value {
    let asked = asked(says);
    let mut end = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    if !asked.is_empty() {
        let interrupts = asked.iter().map(|(id, call)| {
            json!({"id": id, "reason": "approval", "toolCallId": call, "responseSchema":
                {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]}})
        });
        let interrupts: Vec<Value> = interrupts.collect();
        end["outcome"] = json!({"type": "interrupt", "interrupts": interrupts});
    }
    end
}

fn ui_stream(number: usize, says: &[Says]) -> Vec<Value> {
    let mut out = vec![json!({"type": "start", "messageId": format!("m{number}")})];
    let mut in_step = false;
    for (place, what) in says.iter().enumerate() {
        let id = place.to_string();
        // The outcome of a call of the previous response precedes the first step.
        if matches!(what, Says::Text(_) | Says::Call(..)) && !in_step {
            out.push(json!({"type": "start-step"}));
            in_step = true;
        }
        match what {
            Says::Text(text) => out.extend([
                json!({"type": "text-start", "id": id}),
                json!({"type": "text-delta", "id": id, "delta": text}),
                json!({"type": "text-end", "id": id}),
            ]),
            Says::Call(id, name, args) => out.extend([
                json!({"type": "tool-input-start", "toolCallId": id, "toolName": name}),
                json!({"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": args}),
                json!({"type": "tool-input-available", "toolCallId": id, "toolName": name,
                    "input": serde_json::from_str::<Value>(args).unwrap()}),
            ]),
            Says::Ran(id, result) => out.push(json!({"type": "tool-output-available",
                "toolCallId": id, "output": result})),
            Says::Asks(approval, call) => out.push(json!({"type": "tool-approval-request",
                "approvalId": approval, "toolCallId": call})),
            Says::Denied(id) => out.push(json!({"type": "tool-output-denied", "toolCallId": id})),
            Says::Step => {
                if in_step {
                    out.push(json!({"type": "finish-step"}));
                }
                in_step = false;
            }
        }
    }
    out
}

fn completions(says: &[Says]) -> Vec<Value> {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut out = vec![chunk(json!({"role": "assistant", "content": ""}))];
    let mut index = 0;
    for what in says {
        match what {
            Says::Text(text) => out.push(chunk(json!({"content": text}))),
            Says::Call(id, name, args) => {
                let (first, last) = args.split_at(args.len() / 2);
                out.push(chunk(json!({"tool_calls": [{"index": index, "id": id,
                    "type": "function", "function": {"name": name, "arguments": first}}]})));
                out.push(chunk(json!({"tool_calls": [{"index": index,
                    "function": {"arguments": last}}]})));
                index += 1;
            }
            Says::Ran(..) | Says::Step | Says::Asks(..) | Says::Denied(..) => {
                panic!("a model endpoint runs nothing")
            }
        }
    }
    out
}
