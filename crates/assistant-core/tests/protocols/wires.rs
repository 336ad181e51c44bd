//! Responses of an agent in the bytes of each protocol, or as events of a script in the page.

use assistant_core::{
    event::{EventKind, RunInput},
    limits::Limits,
};
use assistant_protocols::{AgUi, Completions, Protocol, Request, UiStream, stream::Read};
use serde_json::{Value, json};

use crate::support;

/// A part of a response.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReplyPart {
    Text(&'static str),
    Call(&'static str, &'static str, &'static str),
    /// The result of a call that the agent made and ran itself.
    Result(&'static str, &'static str),
    /// Starts another step of the same response.
    Step,
    /// A request to approve a remote call, with the id of the approval.
    Approval(&'static str, &'static str),
    /// The denial of a call after an approval request.
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
        Box::new(assistant_protocols::agui::Reader::new(
            assistant_protocols::agui::DecoderOptions::default(),
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
    pub(super) fn response(self, number: usize, reply: &[ReplyPart]) -> Response {
        if self == Self::Script {
            let mut events = script(number, reply);
            events.push(match approvals(reply).as_slice() {
                [] => support::finished(),
                approvals => support::interrupted(
                    approvals
                        .iter()
                        .map(|(id, call)| support::approval_interrupt(id, call))
                        .collect(),
                ),
            });
            return Response::Events(events);
        }
        let mut frames = self.frames_of(number, reply);
        frames.extend(match self {
            Self::Script => Vec::new(),
            Self::AgUi => vec![agui_end(reply)],
            Self::UiStream => vec![json!({"type": "finish-step"}), json!({"type": "finish"})],
            Self::Completions => {
                let calls = reply.iter().any(|part| matches!(part, ReplyPart::Call(..)));
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
    pub(super) fn broken(self, number: usize, reply: &[ReplyPart]) -> Response {
        match self {
            Self::Script => Response::Events(unended(script(number, reply))),
            _ => Response::Bytes(sse(&self.unended(number, reply))),
        }
    }

    /// Returns a response that ends with an error in its last part.
    pub(super) fn failing(self, number: usize, reply: &[ReplyPart], error: &str) -> Response {
        if self == Self::Script {
            let mut events = unended(script(number, reply));
            events.push(support::run_error(error));
            return Response::Events(events);
        }
        let mut frames = self.unended(number, reply);
        frames.push(match self {
            Self::Script | Self::AgUi => json!({"type": "RUN_ERROR", "message": error}),
            Self::UiStream => json!({"type": "error", "errorText": error}),
            Self::Completions => json!({"error": {"message": error}}),
        });
        Response::Bytes(sse(&frames))
    }

    /// Returns the frames without the end of the last part; completions have no such ends.
    fn unended(self, number: usize, reply: &[ReplyPart]) -> Vec<Value> {
        let mut frames = self.frames_of(number, reply);
        if self != Self::Completions {
            frames.pop();
        }
        frames
    }

    fn frames_of(self, number: usize, reply: &[ReplyPart]) -> Vec<Value> {
        match self {
            Self::Script => Vec::new(),
            Self::AgUi => agui(number, reply),
            Self::UiStream => ui_stream(number, reply),
            Self::Completions => completions(reply),
        }
    }
}

/// Returns the requested approvals, with their calls.
fn approvals(reply: &[ReplyPart]) -> Vec<(&'static str, &'static str)> {
    let approvals = reply.iter().filter_map(|part| match part {
        ReplyPart::Approval(id, call) => Some((*id, *call)),
        _ => None,
    });
    approvals.collect()
}

fn unended(mut events: Vec<EventKind>) -> Vec<EventKind> {
    events.pop();
    events
}

/// Returns the events of a script, like `agent::ScriptedAgent`.
fn script(number: usize, reply: &[ReplyPart]) -> Vec<EventKind> {
    let mut out = vec![support::started()];
    let mut message = None;
    for (place, what) in reply.iter().enumerate() {
        let id = format!("s{number}-{place}");
        match what {
            ReplyPart::Text(text) => {
                out.extend(support::says(&id, text));
                message = Some(id);
            }
            ReplyPart::Call(call, name, args) => {
                let message = message.get_or_insert(id);
                out.extend([
                    support::start_in(call, name, Some(message)),
                    support::args(call, args),
                    support::end(call),
                ]);
            }
            ReplyPart::Result(call, result) => out.push(support::result(&id, call, result)),
            ReplyPart::Denied(call) => out.push(support::result(&id, call, "denied")),
            ReplyPart::Step => message = None,
            ReplyPart::Approval(..) => {}
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

fn agui(number: usize, reply: &[ReplyPart]) -> Vec<Value> {
    let mut out = vec![json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})];
    let mut step = 0;
    for (place, what) in reply.iter().enumerate() {
        let message = format!("m{number}-{step}");
        match what {
            ReplyPart::Text(text) => out.extend([
                json!({"type": "TEXT_MESSAGE_START", "messageId": message, "role": "assistant"}),
                json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": message, "delta": text}),
                json!({"type": "TEXT_MESSAGE_END", "messageId": message}),
            ]),
            ReplyPart::Call(id, name, args) => out.extend([
                json!({"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name,
                    "parentMessageId": message}),
                json!({"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": args}),
                json!({"type": "TOOL_CALL_END", "toolCallId": id}),
            ]),
            ReplyPart::Result(id, result) => out.push(json!({"type": "TOOL_CALL_RESULT",
                "toolCallId": id, "messageId": format!("{message}-{place}"), "content": result})),
            ReplyPart::Denied(id) => out.push(json!({"type": "TOOL_CALL_RESULT", "toolCallId": id,
                "messageId": format!("{message}-{place}"), "content": "denied"})),
            ReplyPart::Step => step += 1,
            ReplyPart::Approval(..) => {}
        }
    }
    out
}

/// Returns the end of a run, which may wait for the user.
fn agui_end(reply: &[ReplyPart]) -> Value {
    let approvals = approvals(reply);
    let mut end = json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"});
    if !approvals.is_empty() {
        let interrupts = approvals.iter().map(|(id, call)| {
            json!({"id": id, "reason": "approval", "toolCallId": call, "responseSchema":
                {"type": "object", "properties": {"approved": {"type": "boolean"}}, "required": ["approved"]}})
        });
        let interrupts: Vec<Value> = interrupts.collect();
        end["outcome"] = json!({"type": "interrupt", "interrupts": interrupts});
    }
    end
}

fn ui_stream(number: usize, reply: &[ReplyPart]) -> Vec<Value> {
    let mut out = vec![json!({"type": "start", "messageId": format!("m{number}")})];
    let mut in_step = false;
    for (place, what) in reply.iter().enumerate() {
        let id = place.to_string();
        // The outcome of a call of the previous response precedes the first step.
        if matches!(what, ReplyPart::Text(_) | ReplyPart::Call(..)) && !in_step {
            out.push(json!({"type": "start-step"}));
            in_step = true;
        }
        match what {
            ReplyPart::Text(text) => out.extend([
                json!({"type": "text-start", "id": id}),
                json!({"type": "text-delta", "id": id, "delta": text}),
                json!({"type": "text-end", "id": id}),
            ]),
            ReplyPart::Call(id, name, args) => out.extend([
                json!({"type": "tool-input-start", "toolCallId": id, "toolName": name}),
                json!({"type": "tool-input-delta", "toolCallId": id, "inputTextDelta": args}),
                json!({"type": "tool-input-available", "toolCallId": id, "toolName": name,
                    "input": serde_json::from_str::<Value>(args).unwrap()}),
            ]),
            ReplyPart::Result(id, result) => out.push(json!({"type": "tool-output-available",
                "toolCallId": id, "output": result})),
            ReplyPart::Approval(approval, call) => out
                .push(json!({"type": "tool-approval-request",
                "approvalId": approval, "toolCallId": call})),
            ReplyPart::Denied(id) => {
                out.push(json!({"type": "tool-output-denied", "toolCallId": id}));
            }
            ReplyPart::Step => {
                if in_step {
                    out.push(json!({"type": "finish-step"}));
                }
                in_step = false;
            }
        }
    }
    out
}

fn completions(reply: &[ReplyPart]) -> Vec<Value> {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let mut out = vec![chunk(json!({"role": "assistant", "content": ""}))];
    let mut index = 0;
    for what in reply {
        match what {
            ReplyPart::Text(text) => out.push(chunk(json!({"content": text}))),
            ReplyPart::Call(id, name, args) => {
                let (first, last) = args.split_at(args.len() / 2);
                out.push(chunk(json!({"tool_calls": [{"index": index, "id": id,
                    "type": "function", "function": {"name": name, "arguments": first}}]})));
                out.push(chunk(json!({"tool_calls": [{"index": index,
                    "function": {"arguments": last}}]})));
                index += 1;
            }
            ReplyPart::Result(..)
            | ReplyPart::Step
            | ReplyPart::Approval(..)
            | ReplyPart::Denied(..) => {
                panic!("a model endpoint runs nothing")
            }
        }
    }
    out
}
